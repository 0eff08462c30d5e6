/* Converts marks, rejections and rules to pairs of rows and calls, in the order of decision, and records the result
 * of each rule. */
#include "pair/decided_pairs.h"

#include <stdlib.h>

#include "base/msg.h"
#include "pair/address.h"
#include "pair/pair_rule.h"

struct pairs_search {
    struct decided_pairs *r;
    const struct dump *d[2];
    struct nmap made, joined; /* decided_pairs_key of paired rows, and of joined calls */
    uint8_t *held[2]; /* per row: HELD, or OPEN for a wide row of which parts are paired */
    struct addresses at[2];
    bool addressed;
    uint64_t tries; /* of rows by rules that are left */
};

enum { HELD = 1, OPEN = 2 };
#define TRIES_MOST (1u << 24) /* of rows by all rules */
#define TRIES_OF_COMPILING 1000 /* that take as long */
#define RULES_ALWAYS 16       /* that are tried whatever the number of rows */
enum { ROWS_MOST = 512 }; /* rows searched per call: nobody marks calls with more */

static const struct addresses *decided_addresses(struct pairs_search *f)
{
    if (!f->addressed)
        for (int s = 0; s < 2; s++)
            addresses_build(&f->at[s], f->d[s]);
    f->addressed = true;
    return f->at;
}

static bool path_is_under(struct str path, struct str module)
{
    return str_starts(path, module.p) && (path.n == module.n || path.p[module.n] == '.');
}

enum named decided_pairs_name(const struct dump *d, struct str name, uint32_t *which)
{
    *which = dump_find_row(d, name);
    if (*which != NONE)
        return NAMED_ROW;
    *which = map_get(&d->call_names, name);
    if (*which != MAP_NONE)
        return NAMED_CALL;
    struct buf module = {0};
    enum named found = NAMED_NOTHING;
    buf_str(&module, name);
    for (size_t i = 0; name.n && i < d->scopes.n && found == NAMED_NOTHING; i++)
        if (path_is_under(str_of(d->scopes.v[i]), buf_view(&module)))
            found = NAMED_MODULE;
    buf_release(&module);
    *which = NONE;
    return found;
}

int decided_pairs_names(const struct dump *const side[2], const char *const name[2], enum named *sort, struct err *e)
{
    enum named found[2];
    uint32_t which;
    for (int s = 0; s < 2; s++) {
        found[s] = decided_pairs_name(side[s], str_of(name[s]), &which);
        if (found[s] == NAMED_NOTHING)
            return err_set(e, ERR_USAGE, s ? _("the golden side has no row, call or module \"%s\"")
                                           : _("the target has no row, call or module \"%s\""),
                           name[s]);
    }
    if (found[0] != found[1])
        return err_set(e, ERR_USAGE, "%s", _("pair a row with a row, a call with a call, a module with a module"));
    *sort = found[0];
    return 0;
}

/* ---- pairs ---- */

/* Whether the two can be paired in addition to earlier pairs. A row may be paired with several narrower ones. */
static bool admit_pair(struct pairs_search *f, uint32_t t, uint32_t g)
{
    uint64_t nt = dump_row_numel(f->d[TARGET], t), ng = dump_row_numel(f->d[GOLDEN], g);
    uint8_t *a = &f->held[TARGET][t], *b = &f->held[GOLDEN][g];
    if (nt == ng ? *a || *b : nt < ng ? *a || *b == HELD : *b || *a == HELD)
        return false;
    *a = nt > ng ? OPEN : HELD;
    *b = ng > nt ? OPEN : HELD;
    return true;
}

static bool both_are_tensors(const struct pairs_search *f, uint32_t t, uint32_t g)
{
    return f->d[TARGET]->rows.v[t].kind == ROW_TENSOR && f->d[GOLDEN]->rows.v[g].kind == ROW_TENSOR;
}

static void join_rows(struct pairs_search *f, uint32_t t, uint32_t g)
{
    struct decided_calls c = {t, g};
    vec_push(&f->r->calls, c);
    nmap_set(&f->joined, decided_pairs_key(t, g), 1);
}

static bool hold_pair(struct pairs_search *f, uint32_t t, uint32_t g, uint32_t rule, uint32_t view)
{
    if (nmap_get(&f->r->denied_rows, decided_pairs_key(t, g)) != MAP_NONE || !admit_pair(f, t, g))
        return false;
    struct decided_pair x = {t, g, rule, view};
    vec_push(&f->r->pairs, x);
    nmap_set(&f->made, decided_pairs_key(t, g), 1);
    bool output = f->d[TARGET]->rows.v[t].io != IO_INPUT && f->d[GOLDEN]->rows.v[g].io != IO_INPUT;
    if (output && both_are_tensors(f, t,
                                   g)) /* an input may correspond to another call's output, which says nothing about the
                                     * calls */
        join_rows(f, f->d[TARGET]->rows.v[t].call, f->d[GOLDEN]->rows.v[g].call);
    return true;
}

static uint32_t keep_view(struct pairs_search *f, const char *text)
{
    struct view v;
    struct err quiet;
    if (!*text || view_parse(&v, str_of(text), &quiet))
        return NONE;
    vec_push(&f->r->views, v);
    return (uint32_t)f->r->views.n - 1;
}

static bool golden_is_taken(const struct pairs_search *f, uint32_t t, uint32_t g)
{
    return f->d[TARGET]->calls.v[t].rows > ROWS_MOST || f->d[GOLDEN]->calls.v[g].rows > ROWS_MOST;
}

/* Pairs rows with the same slot name if the sizes fit. */
static void hold_calls(struct pairs_search *f, uint32_t t, uint32_t g, uint32_t view)
{
    if (decided_pairs_deny(f->r, t, g))
        return;
    join_rows(f, t, g);
    if (golden_is_taken(f, t, g))
        return;
    EACH_ROW(f->d[TARGET], t, x)
        EACH_ROW(f->d[GOLDEN], g, y) {
            const struct row *a = &f->d[TARGET]->rows.v[x], *b = &f->d[GOLDEN]->rows.v[y];
            if (a->io == b->io && strcmp(f->d[TARGET]->slots.v[a->slot], f->d[GOLDEN]->slots.v[b->slot]) == 0 &&
                dump_row_numel(f->d[TARGET], x) == dump_row_numel(f->d[GOLDEN], y))
                hold_pair(f, x, y, NONE, view);
        }
}

/* Whether an address is a module's or below it. */
static bool in_module(struct str address, struct str module)
{
    return str_starts(address, module.p) && address.n > module.n &&
           (address.p[module.n] == '.' || address.p[module.n] == '/');
}

/* Pairs calls at the same position below two module paths. */
static void hold_modules(struct pairs_search *f, struct str target, struct str golden)
{
    struct buf here = {0};
    const struct addresses *at = decided_addresses(f);
    struct map calls = {0};
    struct arena names = {0};
    for (uint32_t c = 0; c < f->d[GOLDEN]->calls.n; c++) {
        address_of_call(&at[GOLDEN], c, &here);
        if (in_module(buf_view(&here), golden)) {
            buf_fmt(&here, "/%s", address_phase(&f->d[GOLDEN]->calls.v[c]));
            map_add(&calls, arena_str(&names, str_cut(buf_view(&here), golden.n)), c);
        }
    }
    for (uint32_t c = 0; c < f->d[TARGET]->calls.n; c++) {
        address_of_call(&at[TARGET], c, &here);
        if (!in_module(buf_view(&here), target))
            continue;
        buf_fmt(&here, "/%s", address_phase(&f->d[TARGET]->calls.v[c]));
        uint32_t g = map_get(&calls, str_cut(buf_view(&here), target.n));
        if (g != MAP_NONE)
            hold_calls(f, c, g, NONE);
    }
    map_release(&calls);
    arena_release(&names);
    buf_release(&here);
}

/* ---- marks ---- */

static void apply_mark(struct pairs_search *f, const struct mark *m)
{
    uint32_t t, g;
    enum named a = decided_pairs_name(f->d[TARGET], str_of(m->side[TARGET]), &t),
               b = decided_pairs_name(f->d[GOLDEN], str_of(m->side[GOLDEN]), &g);
    if (a == NAMED_ROW && b == NAMED_ROW)
        hold_pair(f, t, g, NONE, keep_view(f, m->view));
    else if (a == NAMED_CALL && b == NAMED_CALL)
        hold_calls(f, t, g, keep_view(f, m->view));
    else if (a == NAMED_MODULE && b == NAMED_MODULE)
        hold_modules(f, str_of(m->side[TARGET]), str_of(m->side[GOLDEN]));
    else
        f->r->missing++;
}

static void deny_rows(struct pairs_search *f, uint32_t t, uint32_t g)
{
    if (nmap_get(&f->made, decided_pairs_key(t, g)) == MAP_NONE) /* otherwise somebody paired them later */
        nmap_set(&f->r->denied_rows, decided_pairs_key(t, g), 1);
}

static void deny_calls(struct pairs_search *f, uint32_t t, uint32_t g)
{
    if (nmap_get(&f->joined, decided_pairs_key(t, g)) == MAP_NONE)
        nmap_set(&f->r->denied_calls, decided_pairs_key(t, g), 1);
}

static void apply_rejection(struct pairs_search *f, const struct mark *m)
{
    uint32_t t, g;
    enum named a = decided_pairs_name(f->d[TARGET], str_of(m->side[TARGET]), &t),
               b = decided_pairs_name(f->d[GOLDEN], str_of(m->side[GOLDEN]), &g);
    if (a == NAMED_ROW && b == NAMED_ROW) {
        deny_rows(f, t, g);
        const struct row *x = &f->d[TARGET]->rows.v[t], *y = &f->d[GOLDEN]->rows.v[g];
        if (x->io == IO_OUTPUT && y->io == IO_OUTPUT) /* their outputs differ, so they are different calls */
            deny_calls(f, x->call, y->call);
    } else if (a == NAMED_CALL && b == NAMED_CALL) {
        deny_calls(f, t, g);
        if (golden_is_taken(f, t, g))
            return;
        EACH_ROW(f->d[TARGET], t, x)
            EACH_ROW(f->d[GOLDEN], g, y)
                deny_rows(f, x, y);
    } else {
        f->r->missing++;
    }
}

/* ---- rules ---- */

/* The text after a pattern's last '/' if every match must end with it literally (phase and slot). NULL: it may match
 * in other ways. */
static const char *plain_end(const char *pattern)
{
    static const char *const phases[] = {"forward.", "backward.", "optimizer.", "gradient."};
    const char *tail = strrchr(pattern, '/');
    bool phase = false;
    if (!tail || strchr(pattern, '|') || strstr(pattern, "(?") || strstr(pattern, "(*"))
        return NULL;
    tail++;
    for (size_t k = 0; k < ARRAY_LEN(phases); k++)
        phase = phase || str_starts(str_of(tail), phases[k]);
    for (const char *p = tail; *p; p++)
        if (!(*p >= 'a' && *p <= 'z') && !(*p >= 'A' && *p <= 'Z') && !(*p >= '0' && *p <= '9') && *p != '.' &&
            *p != '_')
            return NULL;
    return phase ? tail : NULL;
}

/* Per slot, whether a pattern may match it; NULL if every row has to be tried. */
static uint8_t *slots_it_may_mean(const struct dump *d, const char *pattern)
{
    const char *tail = plain_end(pattern);
    struct err quiet;
    struct pattern *p = tail ? pattern_compile(str_of(tail), PATTERN_WHOLE, &quiet) : NULL;
    struct buf text = {0};
    if (!p)
        return NULL;
    uint8_t *may = mem_zalloc(d->slots.n + 1);
    for (size_t i = 0; i < d->slots.n; i++) {
        buf_clear(&text);
        buf_str(&text, str_n(tail, strcspn(tail, ".") + 1)); /* the pattern's own phase counts */
        buf_cstr(&text, d->slots.v[i]);
        may[i] = strchr(d->slots.v[i], '/') || pattern_match(p, buf_view(&text)) != 0;
    }
    buf_release(&text);
    pattern_free(p);
    return may;
}

/* Records the result for a target row that a rule matches, with its golden row or none. */
static void meet_rule(struct pairs_search *f, const struct pair_rule *rule, uint32_t t, uint32_t g, uint32_t view)
{
    struct pair_rule_hit hit = {t, g, rule->number, HIT_NOBODY};
    if (g != NONE) {
        uint64_t nt = dump_row_numel(f->d[TARGET], t), ng = dump_row_numel(f->d[GOLDEN], g), small = nt < ng ? nt : ng;
        if (!small || (nt < ng ? ng : nt) % small)
            hit.outcome = HIT_SIZES;
        else if (nmap_get(&f->made, decided_pairs_key(t, g)) != MAP_NONE)
            hit.outcome = HIT_SAME;
        else
            hit.outcome = hold_pair(f, t, g, rule->number, view) ? HIT_PAIRS : HIT_HELD;
    }
    vec_push(&f->r->hits, hit);
}

static void apply_pair_rule(struct pairs_search *f, const struct pair_rule *rule)
{
    struct pair_rule_match m;
    struct err quiet;
    struct buf here = {0}, there = {0};
    VEC(struct decided_calls) found = {0}; /* pairs of the rule, made after all rows were tried */
    uint64_t tries = f->d[TARGET]->rows.n + TRIES_OF_COMPILING;
    if (tries > f->tries) {
        f->r->spent = rule->number;
        return;
    }
    f->tries -= tries;
    if (pair_rule_compile(&m, rule->side[TARGET], rule->side[GOLDEN], &quiet))
        return;
    const struct addresses *at = decided_addresses(f);
    uint8_t *may = slots_it_may_mean(f->d[TARGET], rule->side[TARGET]);
    for (uint32_t t = 0; t < f->d[TARGET]->rows.n && !pattern_explodes(m.pattern); t++) {
        if (may && !may[f->d[TARGET]->rows.v[t].slot])
            continue;
        address_of_row(&at[TARGET], t, &here);
        if (!pair_rule_apply(&m, buf_view(&here), &there))
            continue;
        struct decided_calls x = {t, address_find(&at[GOLDEN], buf_view(&there))};
        vec_push(&found, x);
    }
    bool spent = pattern_explodes(m.pattern);
    if (spent)
        f->r->spent = rule->number;
    uint32_t view = keep_view(f, rule->view);
    for (size_t i = 0; i < found.n && !spent; i++)
        meet_rule(f, rule, found.v[i].t, found.v[i].g, view);
    vec_release(&found);
    free(may);
    pair_rule_release(&m);
    buf_release(&here);
    buf_release(&there);
}

void decided_pairs_find(struct decided_pairs *r, const struct decisions_in_force *ruling, const struct dump *t,
                        const struct dump *g)
{
    struct pairs_search f = {.r = r, .d = {t, g}};
    f.tries = ((uint64_t)t->rows.n + TRIES_OF_COMPILING) * RULES_ALWAYS;
    f.tries = f.tries > TRIES_MOST ? f.tries : TRIES_MOST;
    *r = (struct decided_pairs){.spent = NONE};
    for (int s = 0; s < 2; s++)
        f.held[s] = mem_zalloc(f.d[s]->rows.n + 1);
    /* the last first, because it overrides earlier ones */
    for (size_t m = ruling->marks.n, n = ruling->rejects.n; m || n;) {
        if (m && (!n || ruling->marks.v[m - 1].number > ruling->rejects.v[n - 1].number))
            apply_mark(&f, &ruling->marks.v[--m]);
        else
            apply_rejection(&f, &ruling->rejects.v[--n]);
    }
    for (size_t i = 0; i < ruling->rules.n; i++)
        if (ruling->rules.v[i].on)
            apply_pair_rule(&f, &ruling->rules.v[i]);
    nmap_release(&f.made);
    nmap_release(&f.joined);
    for (int s = 0; s < 2; s++) {
        free(f.held[s]);
        if (f.addressed)
            addresses_release(&f.at[s]);
    }
}

void decided_pairs_release(struct decided_pairs *r)
{
    vec_release(&r->pairs);
    vec_release(&r->calls);
    vec_release(&r->hits);
    vec_release(&r->views);
    nmap_release(&r->denied_rows);
    nmap_release(&r->denied_calls);
}
