/* Pairs rows in a fixed order (decisions, mapping files, names, the aligner) and makes the table; explains the
 * evidence for a pair in a sentence. */
#include "pair/pairing.h"

#include <stdlib.h>

#include "base/msg.h"
#include "dump/reader.h"
#include "pair/name_anchors.h"
#include "pair/cut_view.h"
#include "pair/exchanged_operands.h"
#include "pair/repeated.h"
#include "pair/sequence.h"
#include "ranks/join_text.h"

static const char *const origins[ORIGIN_COUNT] = {N_("name"), N_("rule"), N_("mapping"), N_("sequence"), N_("mark")};

static const char *const reasons[WHY_COUNT] = {
    [WHY_NAME] = N_("name"),          [WHY_MAPPING] = N_("mapping"),      [WHY_FINGERPRINT] = N_("figures"),
    [WHY_BETWEEN] = N_("neighbours"), [WHY_INPUTS] = N_("inputs"),        [WHY_FLOW] = N_("data flow"),
    [WHY_PLACE] = N_("module"),       [WHY_ORDER] = N_("order"),          [WHY_UNLIKELY] = N_("order"),
    [WHY_TWIN] = N_("forward call"),  [WHY_FUSED] = N_("fused parts"),    [WHY_WHOLE] = N_("whole and parts"),
    [WHY_WEIGHT] = N_("weight"),      [WHY_SAMPLE] = N_("elements"),      [WHY_SLOT] = N_("position in the call"),
    [WHY_PATH] = N_("module path"),   [WHY_LAYOUT] = N_("layout"),
    [WHY_PARAMETER] = N_("weight"),   [WHY_MADE] = N_("source of an input"),
    [WHY_TABLE] = N_("result table"), [WHY_MARK] = N_("mark"),            [WHY_RULE] = N_("rule"),
};

const char *pair_why_name(enum pair_why why)
{
    return reasons[why];
}

const char *origin_name(enum origin o)
{
    return origins[o];
}

/* A pair found during building; lines are made when all are known. */
struct proposal {
    uint32_t t, g, pair;
};

enum { TAKEN = 1, TAKEN_BY_DECISION = 2 };

struct pairs_building {
    struct pairing *p;
    const struct dump *t, *g;
    struct decided_pairs ruled;
    VEC(struct proposal) found;
    uint8_t *taken[2]; /* rows that are paired, or declared to have no partner */
    bool shared;       /* pairs may share a row */
};

static void propose_pair(struct pairs_building *b, uint32_t t, uint32_t g, struct pair pair)
{
    struct proposal x = {t, g, (uint32_t)b->p->pairs.n};
    pair.group = NONE;
    vec_push(&b->p->pairs, pair);
    vec_push(&b->found, x);
    b->shared = b->shared || b->taken[TARGET][t] || b->taken[GOLDEN][g];
    b->taken[TARGET][t] = b->taken[GOLDEN][g] = TAKEN;
}

/* The user's decisions come first. */
static void by_decision(struct pairs_building *b)
{
    for (size_t i = 0; i < b->ruled.pairs.n; i++) {
        const struct decided_pair *x = &b->ruled.pairs.v[i];
        bool rule = x->rule != NONE;
        propose_pair(b, x->t, x->g,
                     (struct pair){.origin = rule ? ORIGIN_RULE : ORIGIN_MARK,
                              .why = rule ? WHY_RULE : WHY_MARK,
                              .confidence = 1,
                              .source = x->rule,
                              .view = x->view});
    }
    for (size_t i = 0; i < b->ruled.views.n; i++)
        vec_push(&b->p->views, b->ruled.views.v[i]);
    for (size_t i = 0; i < b->ruled.hits.n; i++)
        vec_push(&b->p->hits, b->ruled.hits.v[i]);
    b->p->marks_missing = b->ruled.missing;
    for (size_t i = 0; i < b->found.n; i++)
        b->taken[TARGET][b->found.v[i].t] = b->taken[GOLDEN][b->found.v[i].g] = TAKEN_BY_DECISION;
}

static bool pair_denied(const struct pairs_building *b, uint32_t t, uint32_t g)
{
    return b->ruled.denied_rows.n && nmap_get(&b->ruled.denied_rows, decided_pairs_key(t, g)) != MAP_NONE;
}

/* Whether decisions exclude a pair listed in a file. */
static bool pair_decided(const struct pairs_building *b, uint32_t t, uint32_t g)
{
    bool same_size = dump_row_numel(b->t, t) == dump_row_numel(b->g, g);
    return pair_denied(b, t, g) || b->taken[TARGET][t] == TAKEN_BY_DECISION ||
           (same_size && b->taken[GOLDEN][g] == TAKEN_BY_DECISION);
}

static uint32_t keep_view(struct pairs_building *b, struct str text)
{
    struct view v;
    struct err quiet;
    if (!text.n || view_parse(&v, text, &quiet))
        return NONE;
    vec_push(&b->p->views, v);
    return (uint32_t)b->p->views.n - 1;
}

/* Removes derived pairs whose rows are already decided by stronger evidence. */
static void yield_taken(const struct pairs_building *b, struct mapping_applied *x)
{
    size_t n = 0;
    for (size_t i = 0; i < x->pairs.n; i++)
        if (!b->taken[TARGET][x->pairs.v[i].t] && !b->taken[GOLDEN][x->pairs.v[i].g])
            x->pairs.v[n++] = x->pairs.v[i];
    x->pairs.n = n;
}

static void by_mapping(struct pairs_building *b, const struct mapping *m, uint32_t number)
{
    struct mapping_applied x;
    mapping_apply(&x, m, b->t, b->g);
    b->p->mapped_missing += x.missing;
    if (x.derived)
        yield_taken(b, &x);
    for (size_t i = 0; i < x.pairs.n; i++) {
        uint32_t t = x.pairs.v[i].t, g = x.pairs.v[i].g;
        if (g == NONE) {
            b->taken[TARGET][t] = TAKEN;
            continue;
        }
        b->p->mapped++;
        if (!pair_decided(b, t, g))
            propose_pair(b, t, g,
                         (struct pair){.origin = ORIGIN_MAPPING,
                                  .why = WHY_MAPPING,
                                  .confidence = 1,
                                  .source = number,
                                  .view = keep_view(b, x.pairs.v[i].view)});
    }
    mapping_applied_release(&x);
}

static bool same_name(const struct pairs_building *b, uint32_t t, uint32_t g)
{
    const struct row *x = &b->t->rows.v[t], *y = &b->g->rows.v[g];
    return str_eq(dump_call_name(b->t, x->call), dump_call_name(b->g, y->call)) &&
           strcmp(b->t->slots.v[x->slot], b->g->slots.v[y->slot]) == 0;
}

static uint64_t row_of_side(int side, uint32_t row)
{
    return (uint64_t)row << 1 | (uint64_t)side;
}

bool pairing_lacks_partner(const struct pairing *p, int side, uint32_t row)
{
    return p->alone.n && nmap_get(&p->alone, row_of_side(side, row)) != MAP_NONE;
}

static void as_given(struct pairs_building *b, const struct pairing_options *o)
{
    for (size_t i = 0; i < o->given_count; i++) {
        uint32_t t = o->given[i].row[TARGET], g = o->given[i].row[GOLDEN];
        if ((t == NONE || g == NONE) && o->given_why == WHY_PARAMETER)
            nmap_set(&b->p->alone, row_of_side(t == NONE ? GOLDEN : TARGET, t == NONE ? g : t), 1);
        if (t == NONE || g == NONE || pair_decided(b, t, g))
            continue;
        bool named = same_name(b, t, g), weight = o->given_why == WHY_PARAMETER;
        b->p->mapped += !weight;
        const struct view *v = o->given_views ? &o->given_views[i] : NULL;
        propose_pair(b, t, g,
                     (struct pair){.origin = named ? ORIGIN_NAME : ORIGIN_MAPPING,
                              .why = (uint8_t)(named && weight ? WHY_NAME : o->given_why),
                              .confidence = 1,
                              .view = v && v->count ? (uint32_t)b->p->views.n : NONE});
        if (v && v->count)
            vec_push(&b->p->views, *v);
    }
}

/* Maps slot numbers of the golden side to the target's. */
static uint32_t *translate_slots(const struct pairs_building *b)
{
    uint32_t *to = mem_alloc((b->g->slots.n + 1) * sizeof *to);
    for (size_t i = 0; i < b->g->slots.n; i++)
        to[i] = map_get(&b->t->slot_names, str_of(b->g->slots.v[i]));
    return to;
}

/* Free golden rows of one call in lists by slot (as numbered by the target), in order. Lists are needed because a
 * hostile file may put a million rows into one call. */
struct slot_lists {
    uint32_t *to;          /* golden slot → target's */
    uint32_t *head, *tail; /* per target slot */
    uint32_t *next;        /* per golden row */
};

static void list_rows(const struct pairs_building *b, struct slot_lists *l, uint32_t call)
{
    EACH_ROW(b->g, call, g) {
        uint32_t slot = l->to[b->g->rows.v[g].slot];
        l->next[g] = NONE;
        if (slot == MAP_NONE || b->taken[GOLDEN][g])
            continue;
        *(l->head[slot] == NONE ? &l->head[slot] : &l->next[l->tail[slot]]) = g;
        l->tail[slot] = g;
    }
}

static void forget_rows(const struct pairs_building *b, struct slot_lists *l, uint32_t call)
{
    EACH_ROW(b->g, call, g)
        if (l->to[b->g->rows.v[g].slot] != MAP_NONE)
            l->head[l->to[b->g->rows.v[g].slot]] = NONE;
}

/* For each target call the golden call with the same name. */
static uint32_t *partners_by_name(const struct pairs_building *b)
{
    uint32_t *partner = mem_alloc((b->t->calls.n + 1) * sizeof *partner);
    for (uint32_t c = 0; c < b->t->calls.n; c++)
        partner[c] = dump_find_call(b->g, dump_call_name(b->t, c), c ? partner[c - 1] : NONE);
    return partner;
}

/* The origin is "name" only if both calls have the same name; their numbers may differ. */
static struct pair by_call(const struct pairs_building *b, uint32_t t, uint32_t g, bool filled)
{
    bool backward = b->t->calls.v[t].phase == PHASE_BACKWARD;
    if (filled)
        return (struct pair){.origin = ORIGIN_SEQUENCE,
                             .why = backward ? WHY_TWIN : WHY_BETWEEN,
                             .confidence = SEQUENCE_BETWEEN,
                             .view = NONE};
    if (str_eq(dump_call_name(b->t, t), dump_call_name(b->g, g)))
        return (struct pair){.origin = ORIGIN_NAME, .why = WHY_NAME, .confidence = 1, .view = NONE};
    return (struct pair){
        .origin = ORIGIN_SEQUENCE, .why = backward ? WHY_TWIN : WHY_PATH, .confidence = SEQUENCE_PATH, .view = NONE};
}

/* Pairs the operands of paired calls that take them in another order, and their gradients. crossed: the target's
 * backward calls of such calls. */
static void cross_operands(struct pairs_building *b, uint32_t t, uint32_t g, bool filled, struct nmap *crossed)
{
    const struct dump *const d[2] = {b->t, b->g};
    uint32_t row[2][2];
    bool gradients = nmap_get(crossed, t) != MAP_NONE;
    if (gradients ? !operand_gradients(b->t, t, row[TARGET]) || !operand_gradients(b->g, g, row[GOLDEN])
                  : !operands_exchanged(d, (const uint32_t[]){t, g}, row))
        return;
    if (!gradients && b->t->calls.v[t].twin != NONE)
        nmap_set(crossed, b->t->calls.v[t].twin, 1);
    for (int i = 0; i < 2; i++)
        if (!b->taken[TARGET][row[TARGET][i]] && !b->taken[GOLDEN][row[GOLDEN][!i]] &&
            !pair_denied(b, row[TARGET][i], row[GOLDEN][!i]))
            propose_pair(b, row[TARGET][i], row[GOLDEN][!i], by_call(b, t, g, filled));
}

/* Pairs rows of paired calls (target call → golden call, or NONE), same slot with same slot. */
static void by_slots(struct pairs_building *b, const uint32_t *partner, bool filled)
{
    size_t slots = b->t->slots.n + 1;
    struct nmap crossed = {0};
    struct slot_lists l = {
        .to = translate_slots(b),
        .head = mem_alloc(slots * sizeof *l.head),
        .tail = mem_alloc(slots * sizeof *l.tail),
        .next = mem_alloc((b->g->rows.n + 1) * sizeof *l.next),
    };
    memset(l.head, 0xff, slots * sizeof *l.head);
    size_t most = b->t->rows.n < b->g->rows.n ? b->t->rows.n : b->g->rows.n;
    vec_room(&b->p->pairs, most);
    vec_room(&b->found, most);
    for (uint32_t c = 0; c < b->t->calls.n; c++) {
        uint32_t other = partner[c];
        if (other == NONE)
            continue;
        cross_operands(b, c, other, filled, &crossed);
        list_rows(b, &l, other);
        EACH_ROW(b->t, c, t) {
            uint32_t *at = &l.head[b->t->rows.v[t].slot], g;
            while (*at != NONE && pair_denied(b, t, *at))
                at = &l.next[*at];
            if (b->taken[TARGET][t] || *at == NONE)
                continue;
            g = *at;
            *at = l.next[g];
            propose_pair(b, t, g, by_call(b, c, other, filled));
        }
        forget_rows(b, &l, other);
    }
    nmap_release(&crossed);
    free(l.to);
    free(l.head);
    free(l.tail);
    free(l.next);
}

static void by_sequence(struct pairs_building *b, const anchor_list *anchors)
{
    struct sequence_result found = {.pairs = {0}};
    struct sequence_options o = {.taken = {b->taken[TARGET], b->taken[GOLDEN]}, .ruled = &b->ruled, .anchors = anchors};
    sequence_align(b->t, b->g, &o, &found);
    for (size_t i = 0; i < found.joined.n; i++)
        vec_push(&b->p->joined, found.joined.v[i]);
    uint32_t first = (uint32_t)b->p->views.n;
    for (size_t i = 0; i < found.views.n; i++)
        vec_push(&b->p->views, found.views.v[i]);
    for (size_t i = 0; i < found.pairs.n; i++) {
        const struct sequence_pair *x = &found.pairs.v[i];
        uint32_t view = x->view == NONE ? NONE : first + x->view;
        propose_pair(b, x->t, x->g,
                     (struct pair){.origin = ORIGIN_SEQUENCE, .why = x->why, .confidence = x->confidence,
                                   .view = view});
    }
    vec_release(&found.views);
    vec_release(&found.pairs);
    vec_release(&found.joined);
}

static void by_anchors(struct pairs_building *b, const anchor_list *anchors, bool filled)
{
    uint32_t *partner = mem_nones(b->t->calls.n);
    for (size_t i = 0; i < anchors->n; i++)
        partner[anchors->v[i].t] = anchors->v[i].g;
    by_slots(b, partner, filled);
    free(partner);
}

/* Pairs calls that neither names nor the aligner have paired, if both sides have equally many of a name between two
 * pairs. */
static void fill_pairs(struct pairs_building *b)
{
    const struct dump *d[2] = {b->t, b->g};
    anchor_list anchors = {0};
    uint32_t *of[2];
    for (int s = 0; s < 2; s++)
        of[s] = mem_nones(d[s]->calls.n);
    for (size_t i = 0; i < b->found.n; i++) {
        uint32_t t = b->t->rows.v[b->found.v[i].t].call, g = b->g->rows.v[b->found.v[i].g].call;
        if (of[0][t] == NONE && of[1][g] == NONE) {
            of[0][t] = g;
            of[1][g] = t;
        }
    }
    anchors_fill(b->t, b->g, &b->ruled, of, &anchors);
    by_anchors(b, &anchors, true);
    vec_release(&anchors);
    free(of[0]);
    free(of[1]);
}

/* Pairs by names of one framework that numbers its calls: only as far as nothing contradicts. */
static void by_counted_names(struct pairs_building *b)
{
    anchor_list anchors = {0};
    anchors_find(b->t, b->g, &b->ruled, &anchors);
    by_anchors(b, &anchors, false);
    by_sequence(b, &anchors);
    fill_pairs(b);
    vec_release(&anchors);
}

static void by_name(struct pairs_building *b)
{
    uint32_t *partner = partners_by_name(b);
    by_slots(b, partner, false);
    free(partner);
}

/* Gives a view to pairs in which one side holds a value once and the other once per sample; not for gradients, which
 * would be a sum. */
static void find_repeated(struct pairs_building *b)
{
    for (size_t i = 0; i < b->found.n; i++) {
        const struct proposal *x = &b->found.v[i];
        struct pair *p = &b->p->pairs.v[x->pair];
        struct view v;
        if (p->view != NONE || b->t->calls.v[b->t->rows.v[x->t].call].phase != PHASE_FORWARD ||
            !repeated_view(b->t, x->t, b->g, x->g, &v))
            continue;
        vec_push(&b->p->views, v);
        p->view = (uint32_t)b->p->views.n - 1;
    }
}

/* Gives a view to pairs of which one side was cut before it was recorded: the first part of the other's. */
static void find_cut(struct pairs_building *b)
{
    const struct dump *const d[2] = {b->t, b->g};
    struct cut_axes axes = {0};
    for (size_t i = 0; i < b->found.n; i++)
        cut_axes_see(&axes, d, (const uint32_t[]){b->found.v[i].t, b->found.v[i].g});
    bool any = axes.side[0].n || axes.side[1].n || b->t->tensors_cut != b->g->tensors_cut;
    for (size_t i = 0; i < b->found.n && any; i++) {
        const struct proposal *x = &b->found.v[i];
        struct pair *p = &b->p->pairs.v[x->pair];
        struct view v;
        if (p->view != NONE || !cut_view(&axes, d, (const uint32_t[]){x->t, x->g}, &v))
            continue;
        vec_push(&b->p->views, v);
        p->view = (uint32_t)b->p->views.n - 1;
        p->cut = CUT_GUESSED;
    }
    cut_axes_release(&axes);
}

/* Whether a recording numbers calls of one name: graphs name their operators, files of weights or saved values have
 * fixed names, and a result table lists its pairs. */
static bool counts_calls(const struct dump *d)
{
    return d->calls.n && d->calls.v[0].kind != CALL_OPERATOR && strcmp(d->level, "debug") != 0 &&
           !(d->reader && d->reader->weights);
}

/* Pairs that share a row form a group. */
static void find_groups(struct pairs_building *b)
{
    for (int s = 0; s < 2 && b->shared; s++) {
        size_t n = (s ? b->g : b->t)->rows.n;
        uint32_t *first = mem_nones(n);
        for (size_t i = 0; i < b->found.n; i++) {
            uint32_t row = s ? b->found.v[i].g : b->found.v[i].t, other = first[row];
            struct pair *p = &b->p->pairs.v[b->found.v[i].pair];
            if (other == NONE) {
                first[row] = b->found.v[i].pair;
                continue;
            }
            struct pair *q = &b->p->pairs.v[other];
            if (q->group == NONE)
                q->group = p->group != NONE ? p->group : b->p->groups++;
            p->group = q->group;
        }
        free(first);
    }
}

static int by_target(const void *a, const void *b)
{
    const struct proposal *x = a, *y = b;
    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    return x->g < y->g ? -1 : x->g > y->g;
}

/* Whether both sides made the same calls in the same order. */
static bool in_order(const struct pairs_building *b)
{
    for (size_t i = 1; i < b->found.n; i++)
        if (by_target(&b->found.v[i - 1], &b->found.v[i]) > 0)
            return false;
    return true;
}

/* A golden row without partner, and the number of target rows before it in the table. */
struct golden_alone {
    uint32_t behind, g;
};

static int compare_pair_places(const void *a, const void *b)
{
    const struct golden_alone *x = a, *y = b;
    if (x->behind != y->behind)
        return x->behind < y->behind ? -1 : 1;
    return x->g < y->g ? -1 : x->g > y->g;
}

typedef VEC(struct golden_alone) golden_alone_list;

/* In the order of the table: each follows its predecessor, which follows its first partner. */
static void find_golden_alone(const struct pairs_building *b, golden_alone_list *out)
{
    size_t ng = b->g->rows.n;
    uint32_t *partner = mem_alloc((ng + 1) * sizeof *partner), behind = 0;
    bool sorted = true;
    memset(partner, 0xff, (ng + 1) * sizeof *partner);
    for (size_t i = b->found.n; i-- > 0;)
        partner[b->found.v[i].g] = b->found.v[i].t;
    for (uint32_t g = 0; g < ng; g++) {
        if (partner[g] != NONE) {
            behind = partner[g] + 1;
            continue;
        }
        sorted = sorted && (!out->n || vec_last(out)->behind <= behind);
        vec_push(out, ((struct golden_alone){behind, g}));
    }
    if (!sorted)
        vec_sort(out, compare_pair_places);
    free(partner);
}

/* Makes the lines of the table (see the header). */
static void lay_out_lines(struct pairs_building *b)
{
    struct pairing *p = b->p;
    size_t nt = b->t->rows.n, f = 0, a = 0;
    golden_alone_list alone = {0};
    if (!in_order(b))
        vec_sort(&b->found, by_target);
    find_golden_alone(b, &alone);
    size_t lines = b->found.n + alone.n + nt;
    for (size_t i = 0; i < b->found.n; i++)
        lines -= i == 0 || b->found.v[i].t != b->found.v[i - 1].t;
    vec_room(&p->lines, lines);
    for (uint32_t t = 0; t <= nt; t++) {
        for (; a < alone.n && alone.v[a].behind == t; a++)
            vec_push(&p->lines, ((struct line){{NONE, alone.v[a].g}, NONE}));
        if (t < nt && (f == b->found.n || b->found.v[f].t != t))
            vec_push(&p->lines, ((struct line){{t, NONE}, NONE}));
        for (; f < b->found.n && b->found.v[f].t == t; f++)
            vec_push(&p->lines, ((struct line){{t, b->found.v[f].g}, b->found.v[f].pair}));
    }
    vec_release(&alone);
    for (int s = 0; s < 2; s++) {
        size_t n = s == TARGET ? nt : b->g->rows.n;
        p->line_of[s] = mem_nones(n);
    }
    for (size_t i = p->lines.n; i-- > 0;)
        for (int s = 0; s < 2; s++)
            if (p->lines.v[i].row[s] != NONE)
                p->line_of[s][p->lines.v[i].row[s]] = (uint32_t)i;
}

void pairing_build(struct pairing *p, const struct dump *target, const struct dump *golden,
                   const struct pairing_options *o)
{
    struct pairs_building b = {.p = p, .t = target, .g = golden};
    b.taken[TARGET] = mem_zalloc(target->rows.n + 1);
    b.taken[GOLDEN] = mem_zalloc(golden->rows.n + 1);
    if (o->ruling)
        decided_pairs_find(&b.ruled, o->ruling, target, golden);
    by_decision(&b);
    as_given(&b, o);
    for (size_t i = 0; i < o->map_count; i++)
        by_mapping(&b, &o->maps[i], (uint32_t)i);
    if (!o->map_only) {
        const struct reader *r[2] = {dump_format(target), dump_format(golden)}; /* NULL: generated, not read */
        bool one_language = dumps_of_one_framework(target, golden) && r[TARGET] == r[GOLDEN];
        bool counted = one_language && !o->given_count && counts_calls(target) && counts_calls(golden);
        if (counted && (!anchors_same_calls(target, golden) || anchors_exchanged(target, golden)))
            by_counted_names(&b);
        /* weights have the same names in any file */
        else if (one_language || (r[TARGET] && r[GOLDEN] && r[TARGET]->weights && r[GOLDEN]->weights))
            by_name(&b);
        else
            by_sequence(&b, NULL);
    }
    find_groups(&b);
    if (!o->given_count) {
        find_cut(&b); /* an axis of one may be the rest of a longer one */
        find_repeated(&b);
    }
    lay_out_lines(&b);
    decided_pairs_release(&b.ruled);
    free(b.taken[TARGET]);
    free(b.taken[GOLDEN]);
    vec_release(&b.found);
}

void pairing_alone(struct pairing *p, const struct dump *target)
{
    *p = (struct pairing){.line_of = {mem_alloc((target->rows.n + 1) * sizeof **p->line_of), NULL}};
    vec_reserve(&p->lines, target->rows.n);
    for (uint32_t i = 0; i < target->rows.n; i++) {
        struct line l = {{i, NONE}, NONE};
        vec_push(&p->lines, l);
        p->line_of[TARGET][i] = i;
    }
}

uint32_t pairing_paired_line(const struct pairing *p, int side, uint32_t row)
{
    uint32_t line = row == NONE ? NONE : p->line_of[side][row];
    return line == NONE || p->lines.v[line].pair == NONE ? NONE : line;
}

uint32_t pairing_held_line(const struct pairing *p, const struct dataflow *flow, int side, uint32_t row)
{
    uint32_t nearest = NONE, from = flow->held[row];
    for (int i = 0; from != NONE && i < HELD_STEPS; i++, from = flow->held[from]) {
        uint32_t line = p->line_of[side][from];
        nearest = nearest == NONE ? line : nearest;
        if (line != NONE && p->lines.v[line].pair != NONE)
            return line;
    }
    return nearest;
}

void pairing_release(struct pairing *p)
{
    vec_release(&p->joined);
    vec_release(&p->pairs);
    vec_release(&p->lines);
    vec_release(&p->views);
    vec_release(&p->hits);
    nmap_release(&p->alone);
    free(p->line_of[0]);
    free(p->line_of[1]);
    *p = (struct pairing){0};
}

void pairing_why(const struct pairing *p, const struct pairing_options *o, const struct dump *const side[2],
                 uint32_t line, struct buf *out)
{
    uint32_t i = p->lines.v[line].pair;
    if (i == NONE) {
        buf_cstr(out, p->lines.v[line].row[TARGET] == NONE ? _("no target row found for it")
                                                           : _("no golden row found for it"));
        return;
    }
    const struct pair *x = &p->pairs.v[i];
    switch ((enum pair_why)x->why) {
    case WHY_NAME:
        buf_cstr(out, _("same name on both sides"));
        break;
    case WHY_MAPPING:
        buf_fmt(out, _("listed in %s"), x->source < o->map_count ? o->maps[x->source].path : "?");
        break;
    case WHY_FINGERPRINT:
        buf_cstr(out, _("same kind of operator, element count and statistics, in the same order"));
        break;
    case WHY_BETWEEN:
        buf_cstr(out, _("the same sequence of operators between two matched calls"));
        break;
    case WHY_INPUTS:
        buf_cstr(out, _("same kind of operator and element count, and the inputs agree"));
        break;
    case WHY_FLOW:
        buf_cstr(out, _("same kind of operator, inputs from paired calls"));
        break;
    case WHY_MADE:
        buf_cstr(out, _("two paired inputs hold these results, whose calls have no other partners"));
        break;
    case WHY_PATH:
        buf_cstr(out, _("same call between the same modules; both sides have the same number of calls with this name"));
        break;
    case WHY_PLACE:
        buf_cstr(out, _("same part of the same layer, by module path"));
        break;
    case WHY_ORDER:
        buf_cstr(out, _("same kind of operator and element count; matched by kind and order only"));
        break;
    case WHY_UNLIKELY:
        buf_cstr(out, _("matched by kind and order only; its statistics differ, although those of all neighbours "
                        "agree"));
        break;
    case WHY_TWIN:
        buf_cstr(out, _("the forward calls are paired, so the backward calls are too"));
        break;
    case WHY_FUSED:
        buf_cstr(out, _("parts of one fused call: same total element count, same input"));
        break;
    case WHY_WHOLE:
        buf_cstr(out, _("this call corresponds to several calls on the other side: its result is paired with the "
                        "result of the last one"));
        break;
    case WHY_WEIGHT:
        buf_cstr(out, _("both calls use the same weight, which no other call uses"));
        break;
    case WHY_SAMPLE:
        buf_cstr(out, _("smallest difference element by element among all results of this size"));
        break;
    case WHY_SLOT:
        buf_cstr(out, _("its call is paired; same position in the call"));
        break;
    case WHY_TABLE:
        buf_cstr(out, _("paired in the result table"));
        break;
    case WHY_LAYOUT:
        joined_pair_text(side, p->lines.v[line].row, out);
        break;
    case WHY_PARAMETER:
        buf_cstr(out, _("the same weight by its name, shape or values, as panel 2 compares them"));
        break;
    case WHY_MARK:
        buf_cstr(out, _("marked by hand"));
        break;
    case WHY_RULE:
        buf_fmt(out, _("by rule %u"), x->source);
        break;
    case WHY_COUNT:
        break;
    }
}
