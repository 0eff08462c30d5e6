/* Writes a document as a self-contained HTML file: style and figures inline, no script, nothing loaded. Light or dark
 * by the reader's setting; prints on A4. */
#include <math.h>

#include "base/tool.h"
#include "base/msg.h"
#include "document/write.h"

static const char style[] =
    ":root{color-scheme:light dark;--ground:#fff;--text:#1b1f24;--quiet:#5b6470;--line:#d5dae1;--soft:#f4f6f8;"
    "--good:#1a7f37;--warn:#8f5b00;--bad:#c0271f;--none:#aab2bd;--mark:#fff3c9;--link:#0b57b0;"
    "--ta:#0b57b0;--go:#c2570c;--ba:#f3d9c3;"
    "--h0:#f4f6f8;--h1:#fde9cf;--h2:#fbd3a4;--h3:#f7b778;--h4:#ef9455;--h5:#de6e40;--h6:#bf4733;--h7:#952a2f;"
    "--h8:#5f1428;--hx:#1746d1}\n"
    "@media (prefers-color-scheme:dark){:root{--ground:#14171b;--text:#e4e8ed;--quiet:#9aa4b1;--line:#363c45;"
    "--soft:#1d2127;"
    "--good:#56c474;--warn:#e0a93a;--bad:#ff7a6e;--none:#4d5560;--mark:#463a12;--link:#7db5ff;"
    "--ta:#7db5ff;--go:#f0a35e;--ba:#4a3828;"
    "--h0:#1d2127;--h1:#3a2130;--h2:#5a2436;--h3:#7e2d36;--h4:#a33f34;--h5:#c65c36;--h6:#e08445;--h7:#f1b163;"
    "--h8:#fde3a1;--hx:#6f9bff}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:76rem;padding:1.75rem 1.5rem 4rem;background:var(--ground);color:var(--text);"
    "font:15px/1.55 system-ui,-apple-system,\"Segoe UI\",\"Noto Sans\",\"Noto Sans CJK SC\",\"PingFang "
    "SC\",\"Microsoft YaHei\",sans-serif}\n"
    "h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem;overflow-wrap:anywhere}\n"
    "h2{font-size:1.2rem;margin:2.5rem 0 .7rem;padding-bottom:.3rem;border-bottom:1px solid var(--line)}\n"
    "h3{font-size:1rem;margin:1.5rem 0 .4rem}\n"
    "p{margin:.5rem 0;max-width:60rem;overflow-wrap:anywhere}\n"
    "ul{margin:.4rem 0;padding-left:1.2rem;max-width:60rem}\n"
    "li{margin:.3rem 0;overflow-wrap:anywhere}\n"
    "header p{color:var(--quiet);margin:.2rem 0}\n"
    "nav{margin:1rem 0 0;padding:.6rem 0;border-top:1px solid var(--line);border-bottom:1px solid var(--line)}\n"
    "nav a{display:inline-block;margin-right:1.1rem;color:var(--link);text-decoration:none}\n"
    "nav a:hover,nav a:focus{text-decoration:underline}\n"
    "#summary ul{list-style:none;padding:.6rem 1rem;border-left:3px solid "
    "var(--line);background:var(--soft);max-width:none}\n"
    "code,pre{font:.86em/1.5 ui-monospace,\"SF Mono\",\"DejaVu Sans Mono\",Consolas,\"Noto Sans Mono CJK "
    "SC\",monospace}\n"
    "code{overflow-wrap:break-word}\n"
    "pre{margin:.6rem 0;padding:.7rem .9rem;background:var(--soft);border:1px solid "
    "var(--line);border-radius:6px;overflow-x:auto;"
    "white-space:pre-wrap;overflow-wrap:anywhere}\n"
    ".t{overflow-x:auto;margin:.7rem 0}\n"
    "table{border-collapse:collapse;font-size:.92em}\n"
    "th,td{padding:.3rem 1rem .3rem .1rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}\n"
    "th{color:var(--quiet);font-weight:600;border-bottom-width:2px;vertical-align:bottom}\n"
    "td{max-width:34rem}\n"
    ".n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    ".v{white-space:nowrap}\n"
    ".m td{background:var(--mark)}\n"
    ".good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}.quiet{color:var(--quiet)}\n"
    "figure{margin:1.1rem 0 1.4rem}\n"
    "svg{display:block;width:100%;height:5rem;background:var(--soft);border:1px solid var(--line);border-radius:4px}\n"
    "rect{fill:var(--none)}rect.good{fill:var(--good)}rect.warn{fill:var(--warn)}rect.bad{fill:var(--bad)}"
    "rect.k{fill:var(--text)}\n"
    ".ends{display:flex;flex-wrap:wrap;gap:.2rem "
    "1rem;justify-content:space-between;color:var(--quiet);font-size:.85em;margin-top:.2rem}\n"
    "figcaption{font-weight:600;margin-bottom:.35rem}\n"
    "figure p,.ax{font-size:.85em;margin:.25rem 0}.ax{color:var(--quiet)}.e{text-align:right}\n"
    ".plot{display:grid;grid-template-columns:4.6rem 1fr;grid-template-rows:auto "
    "1.4rem;padding-right:1.6rem;font-size:.82em;color:var(--quiet);font-variant-numeric:tabular-nums}\n"
    ".plot svg{height:13rem;grid-column:2;grid-row:1}\n"
    ".ya,.xa{position:relative}.ya{grid-column:1;grid-row:1}.xa{grid-column:2;grid-row:2}\n"
    ".ya span{position:absolute;right:.5rem;transform:translateY(-50%);white-space:nowrap}\n"
    ".xa span{position:absolute;top:.2rem;transform:translateX(-50%);white-space:nowrap}\n"
    "svg path{fill:none;stroke-width:1.6;vector-effect:non-scaling-stroke;stroke-linejoin:round}\n"
    "svg .gr{stroke:var(--line);stroke-width:1}svg .ru{stroke:var(--quiet);stroke-dasharray:2 3}svg "
    ".ru.bad{stroke:var(--bad);stroke-dasharray:6 4}\n"
    "path.ta{stroke:var(--ta)}path.go{stroke:var(--go);stroke-width:5;stroke-opacity:.55}path.di{stroke:var(--text)}"
    "path.ba{fill:var(--ba)}"
    "path.ex{stroke:none;fill-opacity:.22}path.ta.ex{fill:var(--ta)}path.go.ex{fill:var(--go)}"
    "path.di.ex{fill:var(--quiet)}\n"
    "rect.ta{fill:var(--ta)}rect.go{fill:var(--go)}rect.di{fill:var(--quiet)}\n"
    ".heat{shape-rendering:crispEdges}.heat path{stroke:none}"
    "path.h0{fill:var(--h0)}path.h1{fill:var(--h1)}path.h2{fill:var(--h2)}path.h3{fill:var(--h3)}"
    "path.h4{fill:var(--h4)}"
    "path.h5{fill:var(--h5)}path.h6{fill:var(--h6)}path.h7{fill:var(--h7)}path.h8{fill:var(--h8)}"
    "path.hx{fill:var(--hx)}\n"
    ".key{list-style:none;display:flex;flex-wrap:wrap;gap:.15rem 1.1rem;padding:0;margin:.3rem "
    "0;font-size:.85em;max-width:none}"
    ".key li{display:flex;align-items:center;gap:.4rem;margin:0}\n"
    ".key li::before{content:\"\";width:1.1rem;height:.7rem;border-radius:2px;flex:none;border:1px solid var(--line)}\n"
    ".key .ta::before{background:var(--ta)}.key .go::before{background:var(--go)}.key "
    ".di::before{background:var(--text)}.key .ba::before{background:var(--ba)}"
    ".key .ru::before{height:0;border:0;border-top:2px dotted var(--quiet);border-radius:0}.key "
    ".ru.bad::before{border-top:2px dashed var(--bad)}.key .bad{color:inherit}\n"
    ".key .h0::before{background:var(--h0)}.key .h1::before{background:var(--h1)}.key .h2::before{background:var(--h2)}"
    ".key .h3::before{background:var(--h3)}"
    ".key .h4::before{background:var(--h4)}.key .h5::before{background:var(--h5)}.key .h6::before{background:var(--h6)}"
    ".key .h7::before{background:var(--h7)}"
    ".key .h8::before{background:var(--h8)}.key .hx::before{background:var(--hx)}\n"
    "@media (max-width:40rem){body{padding:1rem .8rem 3rem;font-size:14px}.plot{grid-template-columns:3.4rem 1fr}.plot "
    "svg{height:9rem}th,td{padding-right:.7rem}}\n"
    "@page{size:A4;margin:15mm 14mm}\n"
    "@media print{:root{color-scheme:light;--ground:#fff;--text:#000;--quiet:#444;--line:#bbb;--soft:#f5f5f5;"
    "--good:#14662c;--warn:#7a4d00;"
    "--bad:#a81c15;--none:#999;--mark:#fff3c9;--link:#000;--ta:#0b57b0;--go:#c2570c;--ba:#f3d9c3;"
    "--h0:#f4f6f8;--h1:#fde9cf;--h2:#fbd3a4;--h3:#f7b778;--h4:#ef9455;--h5:#de6e40;--h6:#bf4733;--h7:#952a2f;"
    "--h8:#5f1428;--hx:#1746d1}"
    "body{padding:0;max-width:none;font-size:9.5pt}nav{display:none}"
    "h2,h3,figcaption{break-after:avoid}tr,figure,li{break-inside:avoid}.t{overflow:visible}"
    "td{overflow-wrap:anywhere;max-width:none}td,th{padding-right:.6rem}.n,.v,th{overflow-wrap:normal}"
    ".plot svg{height:38mm}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

#define NAME_WHOLE 36 /* names up to this many bytes are not broken */
#define PIECE 40
#define CELL_WHOLE 24 /* the same for words in a tone */

static const char *const tones[] = {
    [TONE_PLAIN] = "", [TONE_GOOD] = "good", [TONE_WARN] = "warn", [TONE_BAD] = "bad", [TONE_QUIET] = "quiet"};

static void html_put_escaped(struct buf *b, const char *s)
{
    html_escape(b, str_of(s));
}

/* Writes a name with possible line breaks: after dots and slashes, and anywhere in long parts without them. */
static void long_name(struct buf *b, struct str s)
{
    for (size_t from = 0, i = 0; i < s.n; i++)
        if (i + 1 == s.n || s.p[i] == '.' || s.p[i] == '/' ||
            (i - from >= PIECE && ((unsigned char)s.p[i + 1] & 0xc0) != 0x80)) {
            html_escape(b, str_n(s.p + from, i + 1 - from));
            buf_cstr(b, i + 1 < s.n ? "<wbr>" : "");
            from = i + 1;
        }
}

static void html_put_span(struct buf *b, const struct doc_cell *c)
{
    static const char *const element[] = {
        [DOC_TEXT] = "span", [DOC_STRONG] = "strong", [DOC_NAME] = "code", [DOC_NUMBER] = "span"};
    const char *e = element[c->kind], *tone = tones[c->tone];
    if (!*c->text)
        return;
    bool bare = !*tone && strcmp(e, "span") == 0;
    if (!bare)
        buf_fmt(b, *tone ? "<%s class=\"%s\">" : "<%s>", e, tone);
    if (c->kind == DOC_NAME && strlen(c->text) > NAME_WHOLE)
        long_name(b, str_of(c->text));
    else
        html_put_escaped(b, c->text);
    if (!bare)
        buf_fmt(b, "</%s>", e);
}

static void html_put_spans(struct buf *b, const struct doc_block *k, const char *element)
{
    buf_fmt(b, "<%s>", element);
    if (k->kind == DOC_ITEM)
        doc_put_mark(b, &k->entry);
    for (size_t i = 0; i < k->cells.n; i++)
        html_put_span(b, &k->cells.v[i]);
    if (k->entry.detail) {
        buf_cstr(b, " <span class=\"quiet\">(");
        html_put_escaped(b, k->entry.detail);
        buf_cstr(b, ")</span>");
    }
    buf_fmt(b, "</%s>\n", element);
}

/* Whether a column is numeric, so that its head is right-aligned too. */
static bool is_numeric_column(const struct doc_block *k, size_t column)
{
    size_t below = k->columns + column;
    return below < k->cells.n && k->cells.v[below].kind == DOC_NUMBER;
}

static void html_put_table(struct buf *b, const struct doc_block *k)
{
    buf_cstr(b, "<div class=\"t\"><table>\n<thead><tr>");
    for (size_t i = 0; i < k->columns; i++) {
        buf_cstr(b, is_numeric_column(k, i)                    ? "<th scope=\"col\" class=\"n\">"
                    : strlen(k->cells.v[i].text) <= CELL_WHOLE ? "<th scope=\"col\" class=\"v\">"
                                                               : "<th scope=\"col\">");
        html_put_escaped(b, k->cells.v[i].text);
        buf_cstr(b, "</th>");
    }
    buf_cstr(b, "</tr></thead>\n<tbody>\n");
    for (size_t i = k->columns; i < k->cells.n; i++) {
        const struct doc_cell *c = &k->cells.v[i];
        if (i % k->columns == 0)
            buf_cstr(b, i / k->columns - 1 == k->marked ? "<tr class=\"m\">" : "<tr>");
        buf_cstr(b, c->kind == DOC_NUMBER                      ? "<td class=\"n\">"
                    : c->tone && strlen(c->text) <= CELL_WHOLE ? "<td class=\"v\">"
                                                               : "<td>");
        if (k->rows.n && i % k->columns == 0)
            doc_put_mark(b, &k->rows.v[i / k->columns - 1]);
        html_put_span(b, c);
        buf_cstr(b, "</td>");
        if ((i + 1) % k->columns == 0)
            buf_cstr(b, "</tr>\n");
    }
    buf_cstr(b, "</tbody></table></div>\n");
}

static void html_put_figure(struct buf *b, const struct doc_figure *f)
{
    buf_fmt(b, "<figure><svg viewBox=\"0 0 %u 100\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"", f->n * 4);
    html_put_escaped(b, f->label[2]);
    buf_cstr(b, "\">\n");
    for (uint32_t i = 0; i < f->n; i++) {
        double h = isnan(f->height[i]) ? 0 : 4 + 84 * f->height[i];
        if (h > 0)
            buf_fmt(b, "<rect class=\"%s\" x=\"%u\" y=\"%.1f\" width=\"3\" height=\"%.1f\"/>\n", tones[f->tone[i]],
                    i * 4, 100 - h, h);
    }
    if (f->mark < f->n)
        buf_fmt(b, "<rect class=\"k\" x=\"%u\" y=\"0\" width=\"3\" height=\"9\"/>\n", f->mark * 4);
    buf_cstr(b, "</svg><div class=\"ends\">");
    for (int i = 0; i < 3; i++) {
        static const int order[] = {0, 2, 1};
        buf_cstr(b, "<span>");
        html_put_escaped(b, f->label[order[i]]);
        buf_cstr(b, "</span>");
    }
    buf_cstr(b, "</div></figure>\n");
}

static void html_put_block(struct buf *b, const struct doc_block *k)
{
    switch ((enum doc_block_kind)k->kind) {
    case DOC_PARAGRAPH:
    case DOC_VERDICT:
        html_put_spans(b, k, "p");
        break;
    case DOC_HEADING:
        html_put_spans(b, k, "h3");
        break;
    case DOC_ITEM:
        html_put_spans(b, k, "li");
        break;
    case DOC_TABLE:
        html_put_table(b, k);
        break;
    case DOC_CODE:
        buf_cstr(b, "<pre>");
        html_put_escaped(b, k->cells.v[0].text);
        buf_cstr(b, "</pre>\n");
        break;
    case DOC_FIGURE:
        html_put_figure(b, &k->figure);
        break;
    case DOC_PICTURE:
        picture_svg(b, k->picture);
        break;
    }
}

static void html_write_section(struct out *o, const struct doc_section *s)
{
    struct buf *b = &o->buf;
    buf_fmt(b, "<section id=\"%s\">\n<h2>", s->id);
    html_put_escaped(b, s->title);
    buf_cstr(b, "</h2>\n");
    for (size_t i = 0; i < s->blocks.n; i++) {
        bool item = s->blocks.v[i].kind == DOC_ITEM;
        if (item && (i == 0 || s->blocks.v[i - 1].kind != DOC_ITEM))
            buf_cstr(b, "<ul>\n");
        html_put_block(b, &s->blocks.v[i]);
        if (item && (i + 1 == s->blocks.n || s->blocks.v[i + 1].kind != DOC_ITEM))
            buf_cstr(b, "</ul>\n");
        out_flow(o);
    }
    buf_cstr(b, "</section>\n");
}

void write_html(struct out *o, const struct document *d)
{
    struct buf *b = &o->buf;
    buf_fmt(b, "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n", d->lang);
    buf_cstr(b,
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=\"generator\" content=\"" TOOL "\">\n<title>");
    html_put_escaped(b, d->title);
    buf_cstr(b, "</title>\n<style>\n");
    buf_cstr(b, style);
    buf_cstr(b, "</style>\n</head>\n<body>\n<header>\n<h1>");
    html_put_escaped(b, d->title);
    buf_cstr(b, "</h1>\n<p>");
    html_put_escaped(b, d->stamp);
    buf_cstr(b, "</p>\n</header>\n<nav aria-label=\"");
    html_put_escaped(b, _("sections"));
    buf_cstr(b, "\">");
    for (size_t i = 0; i < d->sections.n; i++) {
        buf_fmt(b, "<a href=\"#%s\">", d->sections.v[i].id);
        html_put_escaped(b, d->sections.v[i].title);
        buf_cstr(b, "</a>\n");
    }
    buf_cstr(b, "</nav>\n<main>\n");
    for (size_t i = 0; i < d->sections.n; i++)
        html_write_section(o, &d->sections.v[i]);
    buf_cstr(b, "</main>\n</body>\n</html>\n");
}
