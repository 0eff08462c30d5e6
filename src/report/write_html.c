/* A document as one HTML file that needs nothing else: style and figures are inside, there is no script and nothing is
 * loaded. Light or dark as the reader's system is; prints to A4. */
#include <math.h>

#include "base/msg.h"
#include "report/write.h"

static const char style[] =
    ":root{color-scheme:light dark;--ground:#fff;--text:#1b1f24;--quiet:#5b6470;--line:#d5dae1;--soft:#f4f6f8;"
    "--good:#1a7f37;--warn:#8f5b00;--bad:#c0271f;--none:#aab2bd;--mark:#fff3c9;--link:#0b57b0}\n"
    "@media (prefers-color-scheme:dark){:root{--ground:#14171b;--text:#e4e8ed;--quiet:#9aa4b1;--line:#363c45;--soft:#1d2127;"
    "--good:#56c474;--warn:#e0a93a;--bad:#ff7a6e;--none:#4d5560;--mark:#463a12;--link:#7db5ff}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:72rem;padding:1.5rem 1.25rem 4rem;background:var(--ground);color:var(--text);"
    "font:15px/1.55 system-ui,-apple-system,\"Segoe UI\",\"Noto Sans\",\"Noto Sans CJK SC\",\"PingFang SC\",\"Microsoft YaHei\",sans-serif}\n"
    "h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem;overflow-wrap:anywhere}\n"
    "h2{font-size:1.2rem;margin:2.25rem 0 .6rem;padding-bottom:.3rem;border-bottom:1px solid var(--line)}\n"
    "h3{font-size:1rem;margin:1.4rem 0 .4rem}\n"
    "p{margin:.5rem 0;max-width:60rem}\n"
    "ul{margin:.4rem 0;padding-left:1.2rem;max-width:60rem}\n"
    "li{margin:.3rem 0}\n"
    "header p{color:var(--quiet);margin:.2rem 0}\n"
    "nav{margin:1rem 0 0;padding:.6rem 0;border-top:1px solid var(--line);border-bottom:1px solid var(--line)}\n"
    "nav a{display:inline-block;margin-right:1.1rem;color:var(--link);text-decoration:none}\n"
    "nav a:hover,nav a:focus{text-decoration:underline}\n"
    "code,pre{font:.86em/1.5 ui-monospace,\"SF Mono\",\"DejaVu Sans Mono\",Consolas,\"Noto Sans Mono CJK SC\",monospace}\n"
    "code{overflow-wrap:anywhere}\n"
    "pre{margin:.6rem 0;padding:.7rem .9rem;background:var(--soft);border:1px solid var(--line);border-radius:6px;overflow-x:auto;"
    "white-space:pre-wrap;overflow-wrap:anywhere}\n"
    ".t{overflow-x:auto;margin:.7rem 0}\n"
    "table{border-collapse:collapse;font-size:.92em}\n"
    "th,td{padding:.28rem .75rem .28rem .1rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}\n"
    "th{color:var(--quiet);font-weight:600;border-bottom-width:2px;white-space:nowrap}\n"
    "td code{display:inline-block;min-width:9rem}\n"
    "td>.good,td>.warn,td>.bad{white-space:nowrap}\n"
    ".n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    ".m td{background:var(--mark)}\n"
    ".good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}.quiet{color:var(--quiet)}\n"
    "figure{margin:.9rem 0}\n"
    "svg{display:block;width:100%;height:5rem;background:var(--soft);border:1px solid var(--line);border-radius:4px}\n"
    "rect{fill:var(--none)}rect.good{fill:var(--good)}rect.warn{fill:var(--warn)}rect.bad{fill:var(--bad)}rect.k{fill:var(--text)}\n"
    "figcaption{display:flex;flex-wrap:wrap;gap:.2rem 1rem;justify-content:space-between;color:var(--quiet);font-size:.85em;margin-top:.2rem}\n"
    "@page{size:A4;margin:15mm 14mm}\n"
    "@media print{:root{color-scheme:light;--ground:#fff;--text:#000;--quiet:#444;--line:#bbb;--soft:#f5f5f5;--good:#14662c;--warn:#7a4d00;"
    "--bad:#a81c15;--none:#999;--mark:#fff3c9;--link:#000}body{padding:0;max-width:none;font-size:9.5pt}nav{display:none}"
    "h2,h3{break-after:avoid}tr,figure,li{break-inside:avoid}.t{overflow:visible}td,th{overflow-wrap:anywhere}td code{min-width:0}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

static const char *const tones[] = {[TONE_PLAIN] = "", [TONE_GOOD] = "good", [TONE_WARN] = "warn", [TONE_BAD] = "bad", [TONE_QUIET] = "quiet"};

void html_escape(struct buf *b, struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        switch (s.p[i]) {
        case '&':
            buf_cstr(b, "&amp;");
            break;
        case '<':
            buf_cstr(b, "&lt;");
            break;
        case '>':
            buf_cstr(b, "&gt;");
            break;
        case '"':
            buf_cstr(b, "&quot;");
            break;
        case '\'':
            buf_cstr(b, "&#39;");
            break;
        default:
            buf_char(b, s.p[i]);
        }
}

static void escaped(struct buf *b, const char *s)
{
    html_escape(b, str_of(s));
}

static void span(struct buf *b, const struct doc_cell *c)
{
    static const char *const element[] = {[DOC_TEXT] = "span", [DOC_STRONG] = "strong", [DOC_NAME] = "code", [DOC_NUMBER] = "span"};
    const char *e = element[c->kind], *tone = tones[c->tone];
    if (!*c->text)
        return;
    bool bare = !*tone && strcmp(e, "span") == 0;
    if (!bare)
        buf_fmt(b, *tone ? "<%s class=\"%s\">" : "<%s>", e, tone);
    escaped(b, c->text);
    if (!bare)
        buf_fmt(b, "</%s>", e);
}

static void spans(struct buf *b, const struct doc_block *k, const char *element)
{
    buf_fmt(b, "<%s>", element);
    for (size_t i = 0; i < k->cells.n; i++)
        span(b, &k->cells.v[i]);
    buf_fmt(b, "</%s>\n", element);
}

/* A column of numbers has its head to the right too. */
static bool numeric(const struct doc_block *k, size_t column)
{
    size_t below = k->columns + column;
    return below < k->cells.n && k->cells.v[below].kind == DOC_NUMBER;
}

static void table(struct buf *b, const struct doc_block *k)
{
    buf_cstr(b, "<div class=\"t\"><table>\n<thead><tr>");
    for (size_t i = 0; i < k->columns; i++) {
        buf_cstr(b, numeric(k, i) ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
        escaped(b, k->cells.v[i].text);
        buf_cstr(b, "</th>");
    }
    buf_cstr(b, "</tr></thead>\n<tbody>\n");
    for (size_t i = k->columns; i < k->cells.n; i++) {
        const struct doc_cell *c = &k->cells.v[i];
        if (i % k->columns == 0)
            buf_cstr(b, i / k->columns - 1 == k->marked ? "<tr class=\"m\">" : "<tr>");
        buf_cstr(b, c->kind == DOC_NUMBER ? "<td class=\"n\">" : "<td>");
        if (*c->text)
            span(b, c);
        buf_cstr(b, "</td>");
        if ((i + 1) % k->columns == 0)
            buf_cstr(b, "</tr>\n");
    }
    buf_cstr(b, "</tbody></table></div>\n");
}

static void figure(struct buf *b, const struct doc_figure *f)
{
    buf_fmt(b, "<figure><svg viewBox=\"0 0 %u 100\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"", f->n * 4);
    escaped(b, f->label[2]);
    buf_cstr(b, "\">\n");
    for (uint32_t i = 0; i < f->n; i++) {
        double h = isnan(f->height[i]) ? 0 : 4 + 84 * f->height[i];
        if (h > 0)
            buf_fmt(b, "<rect class=\"%s\" x=\"%u\" y=\"%.1f\" width=\"3\" height=\"%.1f\"/>\n", tones[f->tone[i]], i * 4, 100 - h, h);
    }
    if (f->mark < f->n)
        buf_fmt(b, "<rect class=\"k\" x=\"%u\" y=\"0\" width=\"3\" height=\"9\"/>\n", f->mark * 4);
    buf_cstr(b, "</svg><figcaption>");
    for (int i = 0; i < 3; i++) {
        static const int order[] = {0, 2, 1};
        buf_cstr(b, "<span>");
        escaped(b, f->label[order[i]]);
        buf_cstr(b, "</span>");
    }
    buf_cstr(b, "</figcaption></figure>\n");
}

static void block(struct buf *b, const struct doc_block *k)
{
    switch ((enum doc_block_kind)k->kind) {
    case DOC_PARAGRAPH:
        spans(b, k, "p");
        break;
    case DOC_HEADING:
        spans(b, k, "h3");
        break;
    case DOC_ITEM:
        spans(b, k, "li");
        break;
    case DOC_TABLE:
        table(b, k);
        break;
    case DOC_CODE:
        buf_cstr(b, "<pre>");
        escaped(b, k->cells.v[0].text);
        buf_cstr(b, "</pre>\n");
        break;
    case DOC_FIGURE:
        figure(b, &k->figure);
        break;
    }
}

static void section(struct out *o, const struct doc_section *s)
{
    struct buf *b = &o->buf;
    buf_fmt(b, "<section id=\"%s\">\n<h2>", s->id);
    escaped(b, s->title);
    buf_cstr(b, "</h2>\n");
    for (size_t i = 0; i < s->blocks.n; i++) {
        bool item = s->blocks.v[i].kind == DOC_ITEM;
        if (item && (i == 0 || s->blocks.v[i - 1].kind != DOC_ITEM))
            buf_cstr(b, "<ul>\n");
        block(b, &s->blocks.v[i]);
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
    buf_cstr(b, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    escaped(b, d->title);
    buf_cstr(b, "</title>\n<style>\n");
    buf_cstr(b, style);
    buf_cstr(b, "</style>\n</head>\n<body>\n<header>\n<h1>");
    escaped(b, d->title);
    buf_cstr(b, "</h1>\n<p>");
    escaped(b, d->stamp);
    buf_cstr(b, "</p>\n</header>\n<nav aria-label=\"");
    escaped(b, _("sections"));
    buf_cstr(b, "\">");
    for (size_t i = 0; i < d->sections.n; i++) {
        buf_fmt(b, "<a href=\"#%s\">", d->sections.v[i].id);
        escaped(b, d->sections.v[i].title);
        buf_cstr(b, "</a>\n");
    }
    buf_cstr(b, "</nav>\n<main>\n");
    for (size_t i = 0; i < d->sections.n; i++)
        section(o, &d->sections.v[i]);
    buf_cstr(b, "</main>\n</body>\n</html>\n");
}
