/* A stored round in memory: rows are added with their names, and looked up. */
#include "ticket/round.h"

#include <math.h>

#include "dump/dump.h"

void round_init(struct round *r)
{
    *r = (struct round){
        .tool = "", .author = "", .first = {"", ""}, .first_class = "", .intervened = "", .first_error = NAN};
    for (int s = 0; s < 2; s++)
        r->side[s] =
            (struct round_side){.path = "", .full_path = "", .format = "", .framework = "", .step = -1, .rank = -1};
}

void round_release(struct round *r)
{
    vec_release(&r->panels);
    vec_release(&r->findings);
    vec_release(&r->rows);
    buf_release(&r->text);
    arena_release(&r->arena);
    round_init(r);
}

const char *round_name(const struct round *r, uint32_t row, int side)
{
    uint32_t at = r->rows.v[row].name[side];
    return at == ROUND_NO_TEXT ? "" : r->text.p + at;
}

const char *round_row_name(const struct round *r, uint32_t row)
{
    const char *name = round_name(r, row, TARGET);
    return *name ? name : round_name(r, row, GOLDEN);
}

static uint32_t keep_round_text(struct round *r, struct str s)
{
    uint32_t at = (uint32_t)r->text.n;
    buf_str(&r->text, s);
    buf_char(&r->text, 0);
    return at;
}

int round_add(struct round *r, struct str target, struct str golden, struct round_row row)
{
    if (r->text.n + target.n + golden.n + 2 >= ROUND_NO_TEXT || r->rows.n >= ROUND_NO_TEXT)
        return -1;
    row.name[TARGET] = target.n ? keep_round_text(r, target) : ROUND_NO_TEXT;
    row.name[GOLDEN] = !golden.n                ? ROUND_NO_TEXT
                       : str_eq(target, golden) ? row.name[TARGET]
                                                : keep_round_text(r, golden);
    vec_push(&r->rows, row);
    return 0;
}

int round_verdict(struct str name)
{
    for (int v = 0; v < VERDICT_COUNT; v++)
        if (str_is(name, verdict_name((enum verdict)v)))
            return v;
    return -1;
}

uint32_t round_first(const struct round *r)
{
    for (uint32_t i = 0; r->deviates && i < r->rows.n; i++)
        if (strcmp(round_name(r, i, TARGET), r->first[TARGET]) == 0 &&
            strcmp(round_name(r, i, GOLDEN), r->first[GOLDEN]) == 0)
            return i;
    return NONE;
}

const struct round_panel *round_panel(const struct round *r, const char *name)
{
    for (size_t i = 0; i < r->panels.n; i++)
        if (strcmp(r->panels.v[i].name, name) == 0)
            return &r->panels.v[i];
    return NULL;
}

const struct round_finding *round_finding(const struct round *r, uint32_t number)
{
    for (size_t i = 0; i < r->findings.n; i++)
        if (r->findings.v[i].number == number)
            return &r->findings.v[i];
    return NULL;
}

uint32_t round_types(const struct round *r)
{
    uint32_t n = 0;
    for (size_t i = 0; i < r->rows.n; i++)
        n += (r->rows.v[i].flags & ROUND_TYPES) != 0;
    return n;
}

uint64_t round_lines(const struct round *r)
{
    return (uint64_t)r->pairs + r->only[TARGET] + r->only[GOLDEN];
}
