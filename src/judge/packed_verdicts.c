/* Takes over pairs, figures and verdicts of a pack. */
#include "judge/packed_verdicts.h"

#include <stdlib.h>

#include "judge/conditioning.h"

_Static_assert(VERDICT_SKIP == 8 && WHY_RULE == 15 && CONDITION_COMPARE == 12,
               "packs of 0.1 hold these numbers: what is new goes to the end of its list");

/* The rules by the numbers that packs hold. A new one goes to the end; one that is deleted leaves RULE_NONE. */
static const uint8_t numbered[] = {
    RULE_NONE, RULE_NONE, RULE_ONE_SIDED, RULE_EQUAL, RULE_WITHIN, RULE_LEVEL, RULE_DRIFT, RULE_LIMIT, RULE_JUMP,
    RULE_SOURCE, RULE_PARAMETER, RULE_SAME_STATS, RULE_SCALAR_SAME, RULE_SCALAR_DIFFERS, RULE_INTEGERS_DIFFER,
    RULE_CHECKSUM_SAME, RULE_CHECKSUM_DIFFERS, RULE_CHECKSUM_SAYS_NOTHING, RULE_NONFINITE, RULE_NONFINITE_ALIKE,
    RULE_PART, RULE_PART_SAME, RULE_ELEMENTS, RULE_KINDS, RULE_ABSENT, RULE_EMPTY, RULE_NO_FIGURES, RULE_FRAMEWORK,
    RULE_REORDERED, RULE_EXACT, RULE_PRESET, RULE_TABLE, RULE_ILL, RULE_ACCEPTED, RULE_NESTED, RULE_FACTOR,
    RULE_RECOMPUTED, RULE_IDLE_ARGUMENT, RULE_CONTAINER, RULE_DISCARDED, RULE_MASKED_BEFORE, RULE_CONSTANT,
    RULE_MASK_COUNTS, RULE_MASK_UNCOUNTED, RULE_FILLS, RULE_FUSED_SCALE, RULE_ROUNDED, RULE_BEHIND_UNREAD,
    RULE_BEHIND_CHOICE, RULE_SAME_PICKS, RULE_SAME_ROWS, RULE_CHANNELS, RULE_BEFORE_SCORES, RULE_MASKED_ROWS,
    RULE_CHECKSUM_OTHER, RULE_NEVER_READ, RULE_UNPARSED, RULE_NO_BITS, RULE_CUT, RULE_FUSED_ARGUMENT,
    RULE_SAME_FUNCTION, RULE_OTHER_FUNCTION, RULE_OTHER_ELEMENTS, RULE_INHERITED, RULE_OTHER_VALUE,
    RULE_CONTRADICTS, RULE_ANGLES, RULE_MISSING, RULE_OPEN_END, RULE_OTHER_SHAPE, RULE_LOST_GRADIENT,
    RULE_FUSED_MASK, RULE_UNLINKED, RULE_PART_ROLE,
};

uint32_t packed_rule_number(enum verdict_rule r)
{
    for (uint32_t i = 0; i < ARRAY_LEN(numbered); i++)
        if (numbered[i] == r)
            return i;
    return 0;
}

uint32_t packed_rule_numbers(void)
{
    return ARRAY_LEN(numbered);
}

static uint8_t rule_of(const struct packed *p, uint32_t number)
{
    return number < p->rules && number < ARRAY_LEN(numbered) ? numbered[number] : RULE_NONE;
}

struct line *packed_verdicts_pairs(const struct dump *target, const struct dump *golden, size_t *n)
{
    const struct packed *p = packed_both(target, golden);
    *n = 0;
    if (!p)
        return NULL;
    struct line *l = mem_alloc((p->lines.n + 1) * sizeof *l);
    for (size_t i = 0; i < p->lines.n; i++) {
        const uint32_t *row = p->lines.v[i].row;
        if (row[TARGET] < target->rows.n && row[GOLDEN] < golden->rows.n)
            l[(*n)++] = (struct line){{row[TARGET], row[GOLDEN]}, NONE};
    }
    return l;
}

/* The pack's reason if this program knows it; otherwise the plain reason of the pair's origin. */
static uint8_t known_reason(const struct packed *p, const struct packed_line *x)
{
    static const uint8_t plain[ORIGIN_COUNT] = {WHY_NAME, WHY_RULE, WHY_MAPPING, WHY_SLOT, WHY_MARK};
    return x->why < p->whys && x->why < WHY_COUNT ? x->why : plain[x->origin < ORIGIN_COUNT ? x->origin : ORIGIN_NAME];
}

void packed_verdicts_tell(struct pairing *p, const struct dump *target, const struct dump *golden)
{
    const struct packed *all = packed_both(target, golden);
    struct err quiet;
    for (size_t i = 0; all && i < p->lines.n; i++) {
        const struct line *l = &p->lines.v[i];
        const struct packed_line *x = l->pair == NONE ? NULL : packed_line(all, l->row[TARGET], l->row[GOLDEN]);
        if (!x || p->pairs.v[l->pair].why != WHY_TABLE)
            continue;
        struct pair *pair = &p->pairs.v[l->pair];
        struct view v;
        pair->origin = x->origin < ORIGIN_COUNT ? x->origin : ORIGIN_NAME;
        pair->why = known_reason(all, x);
        pair->confidence = x->confidence >= 0 && x->confidence <= 1 ? x->confidence : 0;
        pair->source = x->source;
        pair->view = NONE;
        if (*x->pair_view && view_parse(&v, str_of(x->pair_view), &quiet) == 0) {
            vec_push(&p->views, v);
            pair->view = (uint32_t)p->views.n - 1;
        }
    }
}

const struct packed_line *packed_verdicts_line(const struct measure *m, uint32_t line)
{
    const struct packed *all = packed_both(m->side[TARGET], m->side[GOLDEN]);
    const struct line *l = &m->pairing->lines.v[line];
    const struct packed_line *x = all && l->pair != NONE ? packed_line(all, l->row[TARGET], l->row[GOLDEN]) : NULL;
    if (!x)
        return NULL;
    uint32_t view = m->pairing->pairs.v[l->pair].view;
    struct buf b = {0};
    if (view != NONE)
        view_write(&m->pairing->views.v[view], &b);
    bool same = str_is(buf_view(&b), x->pair_view);
    buf_release(&b);
    return same ? x : NULL;
}

/* Allocates space for figures, which statistics dumps do not have. */
static void make_room(struct measure *m)
{
    if (m->figures)
        return;
    m->figures = mem_zalloc((m->lines + 1) * sizeof *m->figures);
    m->failure = mem_zalloc((m->lines + 1) * sizeof *m->failure);
    m->view = mem_zalloc((m->lines + 1) * sizeof *m->view);
}

static void take_packed_line(struct measure *m, uint32_t line, const struct packed_line *x)
{
    struct err quiet;
    struct view *v = NULL;
    make_room(m);
    if (m->state[line] == MEASURE_WAITING) {
        m->finished++;
        m->worked += measure_bytes(m, line);
    }
    m->state[line] = x->figures ? MEASURE_DONE : MEASURE_FAILED;
    m->failure[line] = x->failure;
    if (!x->figures)
        return;
    m->figures[line] = figures_keep(x->figures);
    if (x->view) {
        v = arena_zalloc(&m->arena, sizeof *v);
        v->side = GOLDEN;
        if (*x->view && view_parse(v, str_of(x->view), &quiet))
            v = NULL;
    }
    m->view[line] = v;
}

void packed_verdicts_measure(struct measure *m)
{
    if (!packed_both(m->side[TARGET], m->side[GOLDEN]))
        return;
    for (uint32_t i = 0; i < m->lines; i++) {
        const struct packed_line *x = m->state[i] == MEASURE_DONE ||
                                      m->state[i] == MEASURE_FAILED ? NULL : packed_verdicts_line(m, i);
        if (x && (x->figures || x->failure))
            take_packed_line(m, i, x);
    }
}

void packed_verdicts_judge(struct judgement *j, const struct measure *m)
{
    const struct packed *all = packed_both(m->side[TARGET], m->side[GOLDEN]);
    if (!all || all->verdicts > VERDICT_COUNT)
        return;
    for (uint32_t i = 0; i < j->lines; i++) {
        const struct packed_line *x = packed_verdicts_line(m, i);
        if (!x || x->verdict >= VERDICT_COUNT || x->verdict == VERDICT_PENDING)
            continue;
        uint8_t rule = rule_of(all, x->rule);
        if (x->was >= (rule == RULE_ILL ? (int)CONDITION_COUNT : (int)VERDICT_COUNT))
            rule = RULE_NONE;
        j->line[i] = (struct line_judgement){.verdict = x->verdict, .flags = x->flags, .error = x->error,
                                             .limit = x->limit, .level = x->level,
                                             .rule = rule, .was = rule ? x->was : 0,
                                             .kappa = rule == RULE_ILL ? x->kappa : 0};
    }
}

void packed_verdicts_first(struct judgement *j, const struct measure *m)
{
    const struct packed *all = packed_both(m->side[TARGET], m->side[GOLDEN]);
    if (!all || !all->has_first || j->first == NONE || !packed_verdicts_line(m, j->first))
        return;
    if (all->first_class <= FIRST_NONFINITE)
        j->first_class = (enum first_class)all->first_class;
    j->doubtful_before = all->doubtful_before;
    j->gaps_before = all->gaps_before;
    j->unread_before = all->unread_before;
}
