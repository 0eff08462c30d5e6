/* Reads the previous round, matches its rows with the open comparison's, and gives the previous state and the change
 * of a row. */
#include "compare/round_since.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "judge/verdict_text.h"
#include "compare/comparison.h"
#include "compare/round_freeze.h"

void round_since_find_changes(struct comparison *c, bool whole)
{
    struct round_since *x = &c->since;
    struct round_join *join = &c->rows->join;
    struct round now;
    x->told = x->there && whole;
    if (!x->there || (join->was && !whole)) {
        x->join = join->was ? join : NULL;
        return;
    }
    round_init(&now);
    round_freeze(&now, c, c->judged);
    now.number = x->before->number + 1;
    if (!join->was) {
        round_join_names(join, x->before, &now);
        if (round_join_left(join))
            round_freeze_addresses(&now, c, join->was);
        round_join_rest(join, x->before, &now);
    }
    x->join = join;
    if (whole) {
        changes_find(&x->changes, x->before, &now, join);
        vec_release(&x->changes.list); /* lists are made of lines, when somebody asks */
    }
    round_release(&now);
}

bool round_since_knows(const struct round_since *x, uint32_t line)
{
    return x->join && line < x->join->rows;
}

const struct round_row *round_since_row(const struct round_since *x, uint32_t line)
{
    uint32_t was = round_since_knows(x, line) ? x->join->was[line] : NONE;
    return was == NONE ? NULL : &x->before->rows.v[was];
}

enum change_kind round_since_change(const struct comparison *s, uint32_t line)
{
    if (!s->judged || line >= s->judged->lines || !round_since_knows(&s->since, line))
        return CHANGE_KINDS;
    struct round_row now = round_freeze_line(s, s->judged, line);
    return now.verdict == VERDICT_PENDING ? CHANGE_KINDS : round_row_change(round_since_row(&s->since, line), &now);
}

static void verdict_and_error(struct buf *out, enum verdict v, float error)
{
    char n[NUM_MAX];
    buf_cstr(out, verdict_label(v));
    if (!isnan(error))
        buf_fmt(out, " %s", num_error(n, (double)error));
}

void round_since_line(const struct comparison *s, uint32_t line, struct buf *out)
{
    const struct round_row *was = round_since_row(&s->since, line);
    struct buf then = {0}, now = {0};
    if (!s->judged || line >= s->judged->lines || !round_since_knows(&s->since, line))
        return;
    uint32_t number = s->since.before->number;
    verdict_and_error(&now, s->judged->line[line].verdict, s->judged->line[line].error);
    if (was) {
        verdict_and_error(&then, (enum verdict)was->verdict, was->error);
        buf_fmt(out, _("was %s, now %s (round %u → %u)"), then.p, now.p, number, number + 1);
    } else {
        buf_fmt(out, _("was not recorded, now %s (round %u → %u)"), now.p, number, number + 1);
    }
    buf_release(&then);
    buf_release(&now);
}

uint32_t round_since_find(const struct comparison *s, const char *const name[2])
{
    uint32_t line = NONE;
    for (int d = 0; d < 2 && line == NONE; d++) {
        uint32_t row = *name[d] ? dump_find_row(&s->side[d].dump, str_of(name[d])) : NONE;
        line = row == NONE ? NONE : s->pairing->line_of[d][row];
    }
    return line;
}

void round_since_named(const struct comparison *s, const char *const name[2], struct buf *out)
{
    if (!s->since.join)
        return;
    uint32_t line = round_since_find(s, name);
    if (line != NONE)
        round_since_line(s, line, out);
    else
        buf_fmt(out, _("round %u has no record of this row"), s->since.before->number + 1);
}

void round_since_sentence(const struct comparison *s, struct buf *out)
{
    if (s->since.told)
        changes_sentence(&s->since.changes, out);
}
