/* A comparison of settings on a terminal: one line a check that needs a person, its two values side by side, the
 * advice below it. */
#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "report/settings_output.h"

#define WIDTH 80
#define INDENT 7
#define KEY_CELLS 25
#define VALUE_CELLS 22
#define OTHERS_SHOWN 40

/* Words up to WIDTH, `indent` cells in. Scripts without blanks between words are broken where the line ends. */
static void wrapped(struct buf *b, struct str text, int indent)
{
    int at = 0;
    while (text.n) {
        struct str word = text, rest = text;
        int cells = 0;
        while (rest.n && (rest.p[0] != ' ' || cells == 0)) {
            struct str before = rest;
            int w = utf8_width(utf8_next(&rest));
            if (cells && (w == 2 || indent + cells + w > WIDTH)) {
                rest = before;
                break;
            }
            cells += w;
            if (w == 2)
                break;
        }
        word.n = text.n - rest.n;
        text = rest;
        if (at && indent + at + cells > WIDTH) {
            buf_char(b, '\n');
            at = 0;
        }
        if (!at && word.n && word.p[0] == ' ') {
            word = str_cut(word, 1);
            cells--;
        }
        if (!at)
            buf_fmt(b, "%*s", indent, "");
        buf_str(b, word);
        at += cells;
    }
    buf_char(b, '\n');
}

static void padded(struct buf *b, struct str s, int cells)
{
    struct buf shown = {0};
    int used = utf8_middle(&shown, s, cells, "…");
    buf_fmt(b, "%s%*s", shown.p ? shown.p : "", cells - used, "");
    buf_release(&shown);
}

static void check_line(struct buf *b, const char *sign, const struct config_check *k)
{
    struct buf v = {0};
    buf_fmt(b, "%s %.*s ", sign, STR_ARG(k->row->id));
    padded(b, k->row->key, KEY_CELLS);
    buf_char(b, ' ');
    for (int s = 0; s < 2; s++) {
        buf_clear(&v);
        config_value_text(&v, &k->value[s]);
        if (k->value[s].how.n && utf8_cells(buf_view(&v)) > VALUE_CELLS) { /* its own text alone */
            buf_clear(&v);
            buf_str(&v, k->value[s].number ? k->value[s].text : k->value[s].how);
        }
        padded(b, v.n ? buf_view(&v) : STR("–"), VALUE_CELLS);
        if (!s)
            buf_char(b, ' ');
    }
    while (b->n && b->p[b->n - 1] == ' ')
        b->p[--b->n] = 0;
    buf_char(b, '\n');
    buf_release(&v);
}

static void advice(struct buf *b, const struct config_check *k)
{
    const char *why = k->state == CHECK_WAIVED || k->why == WHY_MANUAL ? NULL : check_why_text(k);
    struct buf t = {0};
    if (why)
        buf_fmt(&t, _("%s. "), why);
    if (k->reason)
        buf_fmt(&t, _("waived: %s. "), k->reason);
    buf_str(&t, checklist_text(k->row));
    wrapped(b, buf_view(&t), INDENT);
    buf_release(&t);
}

/* What a person has to look at: no table, the values where there are any. */
static void manual_line(struct buf *b, const struct config_check *k)
{
    struct buf t = {0}, v[2] = {0};
    for (int s = 0; s < 2; s++)
        config_value_text(&v[s], &k->value[s]);
    buf_fmt(&t, "%.*s", STR_ARG(k->row->key));
    if (v[0].n || v[1].n)
        buf_fmt(&t, " (%s, %s)", v[0].n ? v[0].p : "–", v[1].n ? v[1].p : "–");
    buf_fmt(&t, ": %.*s", STR_ARG(checklist_text(k->row)));
    size_t at = b->n;
    wrapped(b, buf_view(&t), INDENT);
    memcpy(b->p + at, "! ", 2);
    memcpy(b->p + at + 2, k->row->id.p, k->row->id.n < 4 ? k->row->id.n : 4);
    buf_release(&t);
    buf_release(&v[0]);
    buf_release(&v[1]);
}

static void heading(struct buf *b, const char *title)
{
    buf_fmt(b, "\n%s\n", title);
}

static bool is_manual(const struct config_check *k)
{
    return k->state == CHECK_ADVICE && k->why == WHY_MANUAL;
}

enum settings_part { PART_PROBLEM, PART_INFO, PART_ADVICE, PART_MANUAL, PART_WAIVED, PART_UNKNOWN, PARTS };

static enum settings_part part_of(const struct config_check *k)
{
    switch (k->state) {
    case CHECK_DIFFERS:
    case CHECK_MISSING:
        return k->row->severity == SEVERITY_INFO ? PART_INFO : PART_PROBLEM;
    case CHECK_ADVICE:
        return is_manual(k) ? PART_MANUAL : PART_ADVICE;
    case CHECK_WAIVED:
        return PART_WAIVED;
    case CHECK_UNKNOWN:
        return PART_UNKNOWN;
    default:
        return PARTS;
    }
}

/* Errors before warnings, else in the checklist's order. */
static void list(struct buf *b, const struct config_compare *c, enum settings_part part, const char *title)
{
    static const char *const sign[CHECK_STATES] = {"✓", "✗", "✗", "?", "!", "~"};
    bool first = true;
    for (int severity = SEVERITY_ERROR; severity >= SEVERITY_INFO; severity--)
        for (size_t i = 0; i < c->checks.n; i++) {
            const struct config_check *k = &c->checks.v[i];
            if (part_of(k) != part || (int)k->row->severity != severity)
                continue;
            if (first)
                heading(b, title);
            first = false;
            if (part == PART_MANUAL) {
                manual_line(b, k);
            } else {
                check_line(b, part == PART_INFO ? "·" : sign[k->state], k);
                advice(b, k);
            }
        }
}

static void keys(struct buf *b, const char *title, const struct str *v, size_t n)
{
    struct buf t = {0};
    char tmp[NUM_MAX];
    if (!n)
        return;
    buf_fmt(&t, "%s (%s):", title, num_count(tmp, n));
    for (size_t i = 0; i < n && i < OTHERS_SHOWN; i++)
        buf_fmt(&t, " %.*s%s", STR_ARG(v[i]), i + 1 < n ? "," : "");
    if (n > OTHERS_SHOWN)
        buf_cstr(&t, " …");
    wrapped(b, buf_view(&t), 0);
    buf_release(&t);
}

static void unknown(struct buf *b, const struct config_compare *c)
{
    struct buf t = {0};
    for (size_t i = 0; i < c->checks.n; i++)
        if (part_of(&c->checks.v[i]) == PART_UNKNOWN)
            buf_fmt(&t, "%s%.*s", t.n ? ", " : "", STR_ARG(c->checks.v[i].row->key));
    if (t.n) {
        heading(b, _("unknown: the files do not tell"));
        wrapped(b, buf_view(&t), INDENT);
    }
    buf_release(&t);
}

static void side_text(struct buf *b, const char *label, const struct settings *s)
{
    char n[NUM_MAX];
    buf_fmt(b, _("%s  %s\n        %s · %s · %s settings\n"), label, s->path, s->kind, platform_name(s->platform), num_count(n, s->list.n));
    if (s->env_path)
        buf_fmt(b, _("        environment %s\n"), s->env_path);
    for (size_t i = 0; i < s->warnings.n; i++)
        wrapped(b, str_of(s->warnings.v[i]), 8);
}

void config_text(struct buf *out, const struct config_compare *c)
{
    struct buf b = {0};
    char n[CHECK_STATES + 1][NUM_MAX];
    side_text(&b, _("target"), &c->side[0]);
    side_text(&b, _("golden"), &c->side[1]);
    for (int i = 0; i < CHECK_STATES; i++)
        num_count(n[i], c->count[i]);
    num_count(n[CHECK_STATES], c->checks.n);
    buf_fmt(&b, _("%s checks: %s differ, %s missing, %s unknown, %s advice, %s waived, %s ok\n"), n[CHECK_STATES], n[CHECK_DIFFERS],
            n[CHECK_MISSING], n[CHECK_UNKNOWN], n[CHECK_ADVICE], n[CHECK_WAIVED], n[CHECK_OK]);
    list(&b, c, PART_PROBLEM, _("not the same: target, golden"));
    list(&b, c, PART_ADVICE, _("against a recommendation: target, golden"));
    list(&b, c, PART_INFO, _("not the same, without weight in the verdict: target, golden"));
    list(&b, c, PART_WAIVED, _("waived"));
    list(&b, c, PART_MANUAL, _("to be confirmed by a person"));
    unknown(&b, c);
    if (c->unmapped[0].n + c->unmapped[1].n + c->others.n + c->npu_only[0].n + c->npu_only[1].n)
        buf_char(&b, '\n');
    keys(&b, _("not compared, of the target"), c->unmapped[0].v, c->unmapped[0].n);
    keys(&b, _("not compared, of the golden run"), c->unmapped[1].v, c->unmapped[1].n);
    keys(&b, _("NPU only, of the target"), c->npu_only[0].v, c->npu_only[0].n);
    keys(&b, _("NPU only, of the golden run"), c->npu_only[1].v, c->npu_only[1].n);
    for (size_t i = 0; i < c->others.n && i < OTHERS_SHOWN; i++)
        buf_fmt(&b, _("no check of it, and different: %.*s  %.*s  %.*s\n"), STR_ARG(c->others.v[i].side[0]->spelled),
                STR_ARG(c->others.v[i].side[0]->value), STR_ARG(c->others.v[i].side[1]->value));
    buf_cstr(&b, c->pass ? _("\npass: no setting that matters differs\n") : _("\nfail: settings differ\n"));
    utf8_clean_lines(out, buf_view(&b)); /* values come from files */
    buf_release(&b);
}
