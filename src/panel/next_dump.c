/* Plans the next dump: calls around the first deviation within a budget of bytes, named in the dump tool's syntax. */
#include "panel/next_dump.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/num.h"

#define CALLS_MOST 400 /* named in a list: configurations are read by people too */

#define SAY(n, ...) vec_push(&(n)->words, arena_fmt(&(n)->arena, __VA_ARGS__))

/* The stretch of calls around `at` that stays within the budget: three back for every one ahead, because what comes in
 * is what has to be known. */
static void choose_calls_around(const struct dump *d, uint32_t at, uint64_t budget, uint32_t *from, uint32_t *to)
{
    uint64_t sum = dump_call_bytes(d, at);
    uint32_t n = (uint32_t)d->calls.n;
    *from = at;
    *to = at + 1;
    for (bool grew = true; grew && *to - *from < CALLS_MOST;) {
        grew = false;
        for (int i = 0; i < 4 && *to - *from < CALLS_MOST; i++) {
            bool back = i < 3;
            if (back ? *from == 0 : *to == n)
                continue;
            uint64_t more = dump_call_bytes(d, back ? *from - 1 : *to);
            if (sum + more > budget)
                continue;
            sum += more;
            back ? (*from)-- : (*to)++;
            grew = true;
        }
    }
}

/* A name as a JSON string; what a dump's name may hold besides printable ASCII is left out. */
static void put_quoted_name(struct buf *b, struct str name)
{
    buf_cstr(b, b->n ? ", \"" : "\"");
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] >= ' ' && name.p[i] < 127 && name.p[i] != '"' && name.p[i] != '\\')
            buf_char(b, name.p[i]);
    buf_char(b, '"');
}

/* MindSpore Dump turns '/' of an operator's scope into '_': a pattern that allows any character there. */
static void put_kernel_pattern(struct buf *b, struct str name)
{
    struct str type, op;
    if (!str_split(name, '.', &type, &op))
        op = name;
    buf_cstr(b, b->n ? ", \"name-regex(" : "\"name-regex(");
    for (size_t i = 0; i < op.n; i++)
        buf_char(b, isalnum((unsigned char)op.p[i]) ? op.p[i] : '.');
    buf_cstr(b, ")\"");
}

/* A graph's kernels below a module: their names contain the parts of its path, each with its class behind. */
static void kernels_of_module(struct buf *b, struct str path)
{
    struct str rest = path, part;
    buf_cstr(b, "\"name-regex(.*");
    while (rest.n) {
        part = str_next(&rest, '.');
        for (size_t i = 0; i < part.n; i++)
            buf_char(b, isalnum((unsigned char)part.p[i]) ? part.p[i] : '.');
        buf_cstr(b, ".*");
    }
    buf_cstr(b, ")\"");
}

static bool is_graph_dump(const struct dump *d)
{
    return d->level && strcmp(d->level, "graph") == 0;
}

/* The kernels of the deviating call alone, for MindSpore Dump, which has no budget: dumping all of a graph takes
 * hours. */
static void name_kernels(struct next_dump *n, const struct dump *d, uint32_t call)
{
    struct buf kernels = {0};
    const struct call *c = &d->calls.v[call];
    if (is_graph_dump(d))
        put_kernel_pattern(&kernels, dump_call_name(d, call));
    else if (c->scope != NONE && *d->scopes.v[c->scope])
        kernels_of_module(&kernels, str_of(d->scopes.v[c->scope]));
    if (kernels.n)
        n->facts.kernels = arena_cstr(&n->arena, buf_view(&kernels));
    buf_release(&kernels);
}

static void name_dump_calls(struct next_dump *n, const struct dump *d, int side, uint32_t at, uint64_t budget)
{
    struct buf list = {0}, kernels = {0};
    uint32_t from, to;
    choose_calls_around(d, at, budget, &from, &to);
    bool graph = is_graph_dump(d);
    for (uint32_t c = from; c < to; c++) {
        put_quoted_name(&list, dump_call_name(d, c));
        if (graph && side == TARGET)
            put_kernel_pattern(&kernels, dump_call_name(d, c));
        n->bytes[side] += dump_call_bytes(d, c);
    }
    n->calls[side] = to - from;
    n->facts.list[side] = arena_cstr(&n->arena, buf_view(&list));
    if (kernels.n)
        n->facts.kernels = arena_cstr(&n->arena, buf_view(&kernels));
    buf_release(&list);
    buf_release(&kernels);
}

/* A text as it may stand in a JSON or Python string. */
static const char *inside_quotes(struct next_dump *n, struct str s)
{
    struct buf b = {0};
    put_quoted_name(&b, s);
    const char *kept = arena_str(&n->arena, str_n(b.p + 1, b.n - 2)).p;
    buf_release(&b);
    return kept;
}

/* Whether a value can be put in its place: of the forward pass, a tensor on both sides, the golden one in a file. */
static bool is_replaceable(const struct comparison *s, uint32_t line)
{
    const uint32_t *row = s->pairing->lines.v[line].row;
    if (!verdict_is_bad(s->judged->line[line].verdict) || row[TARGET] == NONE || row[GOLDEN] == NONE)
        return false;
    const struct dump *t = &s->side[TARGET].dump, *g = &s->side[GOLDEN].dump;
    return t->rows.v[row[TARGET]].kind == ROW_TENSOR &&
           t->calls.v[t->rows.v[row[TARGET]].call].phase == PHASE_FORWARD &&
           dump_row_readable(g, row[GOLDEN]);
}

/* What an intervention replaces, the first such deviation, and by what. */
static void name_values(struct next_dump *n, const struct comparison *s)
{
    uint32_t line = s->judged->first;
    while (line < s->judged->lines && !is_replaceable(s, line))
        line++;
    if (line >= s->judged->lines)
        return;
    const uint32_t *row = s->pairing->lines.v[line].row;
    struct tensor t;
    struct err quiet;
    struct buf name = {0};
    dump_row_name(&s->side[TARGET].dump, row[TARGET], &name);
    n->facts.row = inside_quotes(n, buf_view(&name));
    if (dump_tensor(&s->side[GOLDEN].dump, row[GOLDEN], &t, &quiet) == 0) {
        char *full = t.file.name && !t.file.source && !t.file.spans ? path_full(t.file.name) : NULL;
        n->facts.value = full ? inside_quotes(n, str_of(full)) : NULL;
        free(full);
        tensor_close(&t);
    }
    buf_release(&name);
}

static void around_deviation(struct next_dump *n, const struct comparison *s, uint64_t budget)
{
    const struct judgement *j = s->judged;
    const uint32_t *row = s->pairing->lines.v[j->first].row;
    struct buf name = {0};
    int told = row[TARGET] != NONE ? TARGET : GOLDEN;
    char a[NUM_MAX], b[NUM_MAX];
    dump_row_name(&s->side[told].dump, row[told], &name);
    SAY(n, _("the first deviation is %s"), name.p);
    n->facts.step = s->side[TARGET].dump.step;
    n->facts.rank = s->side[TARGET].dump.rank;
    n->facts.tensors = true;
    name_values(n, s);
    for (int side = 0; side < 2; side++) {
        const struct dump *d = &s->side[side].dump;
        n->whole[side] = dump_all_bytes(d);
        if (n->whole[side] > budget && row[side] != NONE)
            name_dump_calls(n, d, side, d->rows.v[row[side]].call, budget);
        else
            n->bytes[side] = n->whole[side];
    }
    if (!n->facts.kernels && row[TARGET] != NONE)
        name_kernels(n, &s->side[TARGET].dump, s->side[TARGET].dump.rows.v[row[TARGET]].call);
    if (n->calls[TARGET] || n->calls[GOLDEN])
        SAY(n, _("tensors of the calls around it: %zu on the target and %zu on the golden side are within the budget "
                 "of %s"),
            n->calls[TARGET], n->calls[GOLDEN],
            num_bytes(a, budget));
    else
        SAY(n, _("all tensors of the step are within the budget of %s"), num_bytes(a, budget));
    SAY(n, _("estimated size per rank and step: %s target, %s golden"), num_bytes(a, n->bytes[TARGET]),
        num_bytes(b, n->bytes[GOLDEN]));
    if (strcmp(s->side[TARGET].dump.task, "tensor") == 0 && strcmp(s->side[GOLDEN].dump.task, "tensor") == 0)
        SAY(n, _("these dumps already have tensors: dump fewer calls at level mix instead of all calls again"));
    buf_release(&name);
}

static void say_step_reason(struct next_dump *n, enum step_why why, int64_t step)
{
    long long at = step;
    if (why == STEP_NOT_FINITE)
        SAY(n, _("non-finite value at step %lld"), at);
    else if (why == STEP_FIRST)
        SAY(n, _("the first loss differs, at step %lld"), at);
    else if (why == STEP_APART)
        SAY(n, _("the losses first differ at step %lld"), at);
    else if (why == STEP_PARTS)
        SAY(n, _("the losses diverge from step %lld on"), at);
    else
        SAY(n, _("outlier at step %lld"), at);
}

void next_dump_plan(struct next_dump *n, const struct procedure *g, int64_t step, uint64_t budget)
{
    const struct comparison *s = g->s;
    enum step_why why = STEP_FIRST;
    *n = (struct next_dump){.facts = {.step = -1, .rank = -1}};
    bool known = s->paired && s->judged && !s->single && s->judged->first != NONE;
    int64_t found = procedure_step_to_dump(g, &why);
    if (step < 0 && known) {
        around_deviation(n, s, budget);
    } else if (step >= 0 || found >= 0) {
        int64_t at = step >= 0 ? step : found;
        n->facts.step = at > 0 && at < INT32_MAX ? (int)at - 1 : 0; /* logs count from 1 */
        if (step < 0)
            say_step_reason(n, why, at);
        SAY(n, _("step %lld of the log is step %d of a dump, which counts from 0"), (long long)at, n->facts.step);
        SAY(n, _("start with statistics of all calls: they are small and show for which calls tensors are needed"));
    } else {
        n->facts.step = 0;
        SAY(n, _("no information yet: dump statistics of the first step"));
    }
    if (n->facts.rank < 0)
        SAY(n, _("of several ranks, rank 0 alone is enough at first (\"rank\": [0]); a run of one process has no rank, "
                 "and with [0] msprobe records nothing of it"));
    SAY(n, _("dump both sides in the same way: same step, rank and level"));
}

void next_dump_release(struct next_dump *n)
{
    vec_release(&n->words);
    arena_release(&n->arena);
}

bool recipe_fits(const struct procedure *g, const struct recipe *r, int side)
{
    const char *framework = g->s->side[side].dump.framework;
    if (!framework || !*framework)
        framework = side == TARGET ? "mindspore" : "pytorch";
    return str_is(r->framework, "any") || str_is(r->framework, framework);
}

int recipe_side(const struct procedure *g, const struct recipe *r)
{
    return recipe_fits(g, r, TARGET) || !recipe_fits(g, r, GOLDEN) ? TARGET : GOLDEN;
}
