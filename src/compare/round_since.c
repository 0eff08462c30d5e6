#include "compare/round_since.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "judge/verdict_text.h"
#include "session/session.h"
#include "compare/round_freeze.h"

void since_read(struct since *x, const struct round_place *p)
{
    round_init(&x->before);
    x->there = round_open(&x->before, p, &x->err) == 0;
    if (!x->there)
        round_release(&x->before);
}

void since_forget(struct since *x)
{
    round_join_release(&x->join);
    changes_release(&x->changes);
    x->told = false;
}

void since_release(struct since *x)
{
    since_forget(x);
    round_release(&x->before);
    x->there = false;
}

void since_look(const struct since *x, const struct session *s, const struct judgement *j, bool whole, struct since_news *out)
{
    struct round now;
    *out = (struct since_news){.joined = x->there && !x->join.was, .told = x->there && whole};
    if (!out->joined && !out->told)
        return;
    round_init(&now);
    round_freeze(&now, s, j);
    now.number = x->before.number + 1;
    if (out->joined) {
        round_join_names(&out->join, &x->before, &now);
        if (round_join_left(&out->join))
            round_freeze_addresses(&now, s, out->join.was);
        round_join_rest(&out->join, &x->before, &now);
    }
    if (out->told) {
        changes_find(&out->changes, &x->before, &now, out->joined ? &out->join : &x->join);
        vec_release(&out->changes.list); /* lists are made of lines, when somebody asks */
    }
    round_release(&now);
}

void since_take(struct since *x, struct since_news *n)
{
    if (n->joined) {
        round_join_release(&x->join);
        x->join = n->join;
    }
    changes_release(&x->changes);
    x->changes = n->changes;
    x->told = n->told;
}

bool since_knows(const struct since *x, uint32_t line)
{
    return x->join.was && line < x->join.rows;
}

const struct round_row *since_row(const struct since *x, uint32_t line)
{
    uint32_t was = since_knows(x, line) ? x->join.was[line] : NONE;
    return was == NONE ? NULL : &x->before.rows.v[was];
}

enum change_kind since_change(const struct session *s, uint32_t line)
{
    if (!s->judged || line >= s->judged->lines || !since_knows(&s->since, line))
        return CHANGE_KINDS;
    struct round_row now = round_freeze_line(s, s->judged, line);
    return now.verdict == VERDICT_PENDING ? CHANGE_KINDS : change_of(since_row(&s->since, line), &now);
}

static void verdict_and_error(struct buf *out, enum verdict v, float error)
{
    char n[NUM_MAX];
    buf_cstr(out, verdict_label(v));
    if (!isnan(error))
        buf_fmt(out, " %s", num_error(n, (double)error));
}

void since_line(const struct session *s, uint32_t line, struct buf *out)
{
    const struct round_row *was = since_row(&s->since, line);
    struct buf then = {0}, now = {0};
    if (!s->judged || line >= s->judged->lines || !since_knows(&s->since, line))
        return;
    uint32_t number = s->since.before.number;
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

uint32_t since_find(const struct session *s, const char *const name[2])
{
    uint32_t line = NONE;
    for (int d = 0; d < 2 && line == NONE; d++) {
        uint32_t row = *name[d] ? dump_find_row(&s->side[d].dump, str_of(name[d])) : NONE;
        line = row == NONE ? NONE : s->pairing.line_of[d][row];
    }
    return line;
}

void since_named(const struct session *s, const char *const name[2], struct buf *out)
{
    if (!s->since.join.was)
        return;
    uint32_t line = since_find(s, name);
    if (line != NONE)
        since_line(s, line, out);
    else
        buf_fmt(out, _("its row is not recorded in round %u"), s->since.before.number + 1);
}

void since_sentence(const struct session *s, struct buf *out)
{
    if (s->since.told)
        changes_sentence(&s->since.changes, out);
}
