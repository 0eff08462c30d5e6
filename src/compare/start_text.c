/* Sentence, place and action of a start, for the screen, the text, the JSON and the report. */
#include "compare/start_text.h"

#include <string.h>

#include "base/msg.h"
#include "base/num.h"
#include "judge/verdict_text.h"

const struct frame *start_place(const struct measure *m, uint32_t line)
{
    const struct line *l = &m->pairing->lines.v[line];
    for (int s = TARGET; s <= GOLDEN; s++) {
        const struct dump *d = m->side[s];
        uint32_t stack = l->row[s] == NONE ? NONE : dump_call_stack(d, d->rows.v[l->row[s]].call, NULL);
        if (stack != NONE && d->stacks.v[stack].n)
            return &d->frames.v[d->stack_frames.v[d->stacks.v[stack].first + dump_stack_start(d, stack)]];
    }
    return NULL;
}

bool start_place_text(const struct measure *m, uint32_t line, struct buf *out)
{
    const struct frame *f = start_place(m, line);
    if (f)
        buf_fmt(out, "%s:%u", path_base(str_of(f->file)).p, f->line);
    return f != NULL;
}

/* Which side's output is not what its own call makes of its own inputs; NULL: neither, or not known. */
static const char *wrong_side(const struct comparison *c, uint32_t line)
{
    const struct oracle *o = comparison_oracle(c);
    switch (o ? oracle_which(o, c->measure.pairing->lines.v[line].row) : ORACLE_NOBODY_KNOWS) {
    case ORACLE_TARGET: return _("the target's output is not what this call makes of its inputs");
    case ORACLE_GOLDEN: return _("the golden output is not what this call makes of its inputs");
    case ORACLE_BOTH: return _("neither output is what this call makes of its inputs");
    default: return NULL;
    }
}

/* The last place of `what` in the first n bytes of the text; NULL: none. */
static const char *last_before(const char *text, size_t n, const char *what)
{
    const char *found = NULL;
    for (const char *at = strstr(text, what); at && at < text + n; at = strstr(at + 1, what))
        found = at;
    return found;
}

/* The length of the first clause: what follows refines it, and stands in the detail. English or Chinese signs. */
static size_t main_clause(const char *text)
{
    static const char *const sign[][3] = {{";", "(", ")"}, {"；", "（", "）"}};
    size_t n = strlen(text);
    for (size_t i = 0; i < ARRAY_LEN(sign); i++) {
        const char *end = strstr(text, sign[i][0]);
        if (!end || end == text || end > text + n)
            continue;
        n = (size_t)(end - text);
        const char *open = last_before(text, n, sign[i][1]), *close = last_before(text, n, sign[i][2]);
        if (open && open > text && (!close || close < open)) /* the sign is inside */
            n = (size_t)(open - text);
    }
    while (n > 1 && text[n - 1] == ' ')
        n--;
    return n;
}

void start_sentence(const struct comparison *c, uint32_t line, const struct diagnoses *d, struct buf *out)
{
    struct buf b = {0};
    const char *wrong = wrong_side(c, line);
    if (d && d->n)
        diagnosis_text(d, 0, &b);
    else if (wrong)
        buf_cstr(&b, wrong);
    else
        explain_verdict(c->judged, &c->measure, line, &b);
    struct str s = buf_view(&b);
    s.n = s.n ? main_clause(s.p) : 0;
    s.n -= str_ends(s, ".") ? 1 : str_ends(s, "。") ? strlen("。") : 0;
    buf_str(out, s);
    buf_release(&b);
}

const char *start_action(const struct comparison *c, uint32_t line, const struct diagnoses *d)
{
    return d && d->n ? diagnosis_advice(&d->v[0]) : explain_start(c->judged, &c->measure, line);
}

void start_extent(const struct start_group *g, struct buf *out)
{
    char n[NUM_MAX];
    if (g->starts > 1)
        buf_fmt(out, _("%s places, "), num_count(n, g->starts));
    buf_fmt(out, g->inherit == 1 ? _("%s row inherits") : _("%s rows inherit"), num_count(n, g->inherit));
}
