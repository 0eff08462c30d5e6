/* Copies the data that a round stores (sides, rows, verdicts, addresses) from an open comparison. */
#include "compare/round_freeze.h"

#include "dump/intervention.h"

#include <math.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/map.h"
#include "judge/verdict_text.h"
#include "pair/address.h"

#define ADDRESS_SEED 23

static void freeze_side(struct round *r, const struct comparison *s, int side)
{
    const struct recording *x = &s->side[side];
    char *full = x->path ? path_full(x->path) : NULL;
    r->side[side] = (struct round_side){
        .path = arena_cstr(&r->arena, str_of(x->path)),
        .full_path = arena_cstr(&r->arena, str_of(full)),
        .format = x->dump.reader ? x->dump.reader->name : "",
        .framework = arena_cstr(&r->arena, str_of(x->dump.framework)),
        .step = x->dump.step,
        .rank = x->dump.rank,
        .rows = x->dump.rows.n,
        .state = x->now,
        .fingerprint = dump_fingerprint(&x->dump),
    };
    free(full);
}

struct round_row round_freeze_line(const struct comparison *s, const struct judgement *j, uint32_t line)
{
    const struct line_judgement *x = &j->line[line];
    uint32_t pair = s->pairing->lines.v[line].pair;
    return (struct round_row){
        .error = x->error,
        .confidence = pair == NONE ? NAN : s->pairing->pairs.v[pair].confidence,
        .verdict = x->verdict,
        .flags = (uint8_t)((x->flags & LINE_DOUBTFUL ? ROUND_DOUBTFUL : 0) |
                           (x->rule == RULE_ACCEPTED ? ROUND_ACCEPTED : 0) |
                           (x->flags & LINE_DTYPE_DIFF ? ROUND_TYPES : 0) |
                           (x->cause == CAUSE_STARTS ? ROUND_STARTS : 0)),
    };
}

static void freeze_row(struct round *r, const struct comparison *s, const struct judgement *j, uint32_t line,
                       struct buf name[2])
{
    const struct line *l = &s->pairing->lines.v[line];
    for (int d = 0; d < 2; d++) {
        buf_clear(&name[d]);
        if (l->row[d] != NONE)
            dump_row_name(&s->side[d].dump, l->row[d], &name[d]);
    }
    round_add(r, buf_view(&name[0]), buf_view(&name[1]), round_freeze_line(s, j, line));
    if (line != j->first)
        return;
    r->deviates = true;
    for (int d = 0; d < 2; d++)
        r->first[d] = arena_cstr(&r->arena, buf_view(&name[d]));
    r->first_order = line;
    r->first_class = first_class_name(j->first_class);
    r->first_error = j->line[line].error;
}

void round_freeze(struct round *r, const struct comparison *s, const struct judgement *j)
{
    struct judge_options o = comparison_judge_options(s);
    struct buf name[2] = {{0}, {0}};
    r->tool = "diverge " DIVERGE_VERSION;
    for (int d = 0; d < 2; d++)
        freeze_side(r, s, d);
    memcpy(r->by, j->sum.by, sizeof r->by);
    memcpy(r->only, j->sum.only, sizeof r->only);
    memcpy(r->coverage, j->sum.coverage, sizeof r->coverage);
    const char *replaced = intervention_of(s->side[TARGET].dump.path, &r->arena);
    r->intervened = replaced ? replaced : "";
    r->pairs = j->sum.pairs;
    r->doubtful = j->sum.doubtful;
    r->unread = j->sum.unread;
    r->known = j->sum.known;
    r->status = judgement_status(j, &o);
    r->extent = ROUND_ROWS_ALL;
    vec_reserve(&r->rows, j->lines);
    for (uint32_t i = 0; i < j->lines; i++)
        freeze_row(r, s, j, i, name);
    buf_release(&name[0]);
    buf_release(&name[1]);
}

void round_freeze_addresses(struct round *r, const struct comparison *s, const uint32_t *was)
{
    struct addresses a[2];
    struct buf text = {0};
    for (int d = 0; d < 2; d++)
        addresses_build(&a[d], &s->side[d].dump);
    for (uint32_t i = 0; i < r->rows.n; i++) {
        const struct line *l = &s->pairing->lines.v[i];
        int d = l->row[TARGET] != NONE ? TARGET : GOLDEN;
        if (was && was[i] != NONE)
            continue;
        address_of_row(&a[d], l->row[d], &text);
        uint64_t h = hash_bytes(text.p, text.n, (uint64_t)(ADDRESS_SEED + d));
        r->rows.v[i].address = h ? h : 1;
    }
    for (int d = 0; d < 2; d++)
        addresses_release(&a[d]);
    buf_release(&text);
}
