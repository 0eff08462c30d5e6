/* Pairs weights from certain to likely evidence: the user's map, equal names, equal keys (data/weights.tsv), parts of
 * fused weights, stacked experts, tied embeddings, likeness (weight_likeness.h). A weight is paired once, a fused one
 * once per part. */
#include "weights/weight_pairs.h"

#include <stdlib.h>

#include "base/msg.h"
#include "base/json_read.h"
#include "base/json_tree.h"
#include "pair/mapping_file.h"
#include "weights/weight_experts.h"
#include "weights/weight_likeness.h"

#define MAP_MAX (64u << 20)

struct plan {
    struct weight_compare *c;
    struct map keys[2]; /* key → weight, the first of it */
    bool *done[2];
};

/* ---- the user's map ---- */

struct name_rule {
    struct str name[2]; /* each may name either side; a star matches a part of a name */
    bool transpose;
};
typedef VEC(struct name_rule) rule_list;

static size_t stars_of(struct str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == '*';
    return n;
}

/* Matches with at most 8 stars; the text they matched goes to `got`. */
static bool match_with_stars(struct str pattern, struct str s, struct str *got, int room)
{
    while (pattern.n && pattern.p[0] != '*') {
        if (!s.n || s.p[0] != pattern.p[0])
            return false;
        pattern = str_cut(pattern, 1);
        s = str_cut(s, 1);
    }
    if (!pattern.n)
        return !s.n;
    if (!room)
        return false;
    pattern = str_cut(pattern, 1);
    /* a star ends at a dot, so that "layers.*.wq" takes one component: no backtracking over names */
    size_t n = 0;
    while (n < s.n && s.p[n] != '.' && !(pattern.n && s.p[n] == pattern.p[0] && n))
        n++;
    got[0] = str_n(s.p, n);
    return n && match_with_stars(pattern, str_cut(s, n), got + 1, room - 1);
}

static void substitute_stars(struct str pattern, const struct str *got, struct buf *out)
{
    int star = 0;
    buf_clear(out);
    for (size_t i = 0; i < pattern.n; i++) {
        if (pattern.p[i] == '*' && star < 8)
            buf_str(out, got[star++]);
        else
            buf_char(out, pattern.p[i]);
    }
}

static void add_rule(struct arena *a, rule_list *out, const char *one, const char *two, bool transpose)
{
    struct name_rule r = {{arena_str(a, str_of(one)), arena_str(a, str_of(two))}, transpose};
    if (r.name[0].n && r.name[1].n)
        vec_push(out, r);
}

/* Ours: {"pairs": [{"target": …, "golden": …, "transpose": true}]}; TroubleShooter's: [{"torch name":
 * "MindSpore name", …}, {}]; or one plain object of names. */
static int load_name_rules(struct arena *a, const char *path, struct str text, rule_list *out, struct err *e)
{
    cJSON *root = json_text(text, path, e);
    if (!root)
        return -1;
    int rc = 0;
    const cJSON *pairs = json_member(root, "pairs");
    if (cJSON_IsArray(pairs)) {
        for (const cJSON *it = pairs->child; it && rc == 0; it = it->next) {
            const cJSON *t = json_member(it, "target"),
                        *g = json_member(it, "golden");
            if (!cJSON_IsString(t) || !cJSON_IsString(g))
                rc = err_set(e, ERR_DATA, _("%s: expected \"target\" and \"golden\" names in every pair"), path);
            else
                add_rule(a, out, t->valuestring, g->valuestring, cJSON_IsTrue(json_member(it, "transpose")));
        }
    } else {
        const cJSON *flat = cJSON_IsArray(root) ? root->child : root;
        if (!cJSON_IsObject(flat))
            rc = err_set(e, ERR_DATA, _("%s: expected an object of names, or one with a list \"pairs\""), path);
        for (const cJSON *it = rc ? NULL : flat->child; it; it = it->next)
            if (it->string && cJSON_IsString(it))
                add_rule(a, out, it->string, it->valuestring, false);
    }
    cJSON_Delete(root);
    return rc;
}

static int load_map(struct arena *a, const char *path, rule_list *out, struct err *e)
{
    struct buf text = {0};
    struct mapping m;
    int rc = file_slurp(path, MAP_MAX, &text, e);
    struct str s = str_trim(buf_view(&text));
    if (rc == 0 && s.n && (s.p[0] == '{' || s.p[0] == '[')) {
        rc = load_name_rules(a, path, s, out, e);
    } else if (rc == 0) {
        rc = mapping_load(&m, path, e);
        if (rc == 0 && (m.kind == MAPPING_API || m.kind == MAPPING_LAYER)) {
            rc = err_set(e, ERR_DATA, _("%s: expected names of weights, \"target name: golden name\", found a mapping "
                                        "of operators or layers"), path);
            mapping_release(&m);
        }
        for (size_t i = 0; rc == 0 && i < m.entries.n; i++)
            add_rule(a, out, arena_cstr(a, m.entries.v[i].target), arena_cstr(a, m.entries.v[i].golden), false);
        if (rc == 0)
            mapping_release(&m);
    }
    buf_release(&text);
    return rc;
}

/* ---- pairs ---- */

static struct weight_pair *add_weight_pair(struct plan *p, uint32_t t, uint32_t g, enum weight_origin origin)
{
    struct weight_pair x = {.weight = {t, g}, .origin = (uint8_t)origin};
    vec_push(&p->c->pairs, x);
    p->done[0][t] = p->done[1][g] = true;
    return vec_last(&p->c->pairs);
}

/* A rule in both directions: the first name may be the target's or, in a map made for converting, the golden side's.
 * Returns the number of pairs made. */
static size_t apply_name_rule(struct plan *p, const struct name_rule *r)
{
    size_t made = 0;
    struct buf name = {0};
    struct str got[8];
    for (int swap = 0; swap < 2 && !made; swap++) {
        const struct weights *t = &p->c->side[0], *g = &p->c->side[1];
        struct str from = r->name[swap], to = r->name[!swap];
        bool stars = stars_of(from) > 0;
        if (stars_of(to) > stars_of(from)) /* nobody knows what they stand for */
            continue;
        for (size_t i = 0; i < (stars ? t->list.n : 1); i++) {
            uint32_t a = stars ? (uint32_t)i : weights_find(t, from), b;
            if (a == MAP_NONE || (stars && !match_with_stars(from, t->list.v[a].name, got, 8)))
                continue;
            if (stars)
                substitute_stars(to, got, &name);
            b = weights_find(g, stars ? buf_view(&name) : to);
            if (b == MAP_NONE || p->done[0][a] || p->done[1][b])
                continue;
            add_weight_pair(p, a, b, PAIR_BY_MAP)->transpose = r->transpose;
            made++;
        }
    }
    buf_release(&name);
    return made;
}

static int apply_maps(struct plan *p, struct err *e)
{
    rule_list rules = {0};
    int rc = 0;
    size_t unused = 0;
    const struct name_rule *example = NULL;
    for (int i = 0; i < p->c->opt.maps && rc == 0; i++)
        rc = load_map(&p->c->arena, p->c->opt.map[i], &rules, e);
    for (size_t i = 0; rc == 0 && i < rules.n; i++)
        if (!apply_name_rule(p, &rules.v[i])) {
            unused++;
            example = example ? example : &rules.v[i];
        }
    if (unused)
        vec_push(&p->c->warnings, arena_fmt(&p->c->arena, _("%zu lines of the map do not match weights on both sides, "
                                                            "e.g. %.*s"), unused,
                                            STR_ARG(example->name[0])));
    vec_release(&rules);
    return rc;
}

/* Two fused weights with different row orders are compared part by part, transposed stacks expert by expert. */
static bool may_be_paired_whole(const struct plan *p, uint32_t t, uint32_t g)
{
    const struct weight_id *a = &p->c->id[0][t], *b = &p->c->id[1][g];
    if (experts_turned(p->c, t, g))
        return false;
    if (a->fusion == FUSED_NOT || b->fusion == FUSED_NOT)
        return true;
    const struct weight *x = &p->c->side[0].list.v[t], *y = &p->c->side[1].list.v[g];
    int tb = x->blocks > 1 ? (int)x->blocks : p->c->blocks[0], gb = y->blocks > 1 ? (int)y->blocks : p->c->blocks[1];
    bool blocks = a->order == ORDER_GROUPED && b->order == ORDER_GROUPED ? true : tb == gb;
    return a->order == b->order && blocks;
}

static void pair_weights_by_name(struct plan *p)
{
    const struct weights *t = &p->c->side[0], *g = &p->c->side[1];
    for (uint32_t i = 0; i < t->list.n; i++) {
        uint32_t b = p->done[0][i] ? MAP_NONE : weights_find(g, t->list.v[i].name);
        if (b != MAP_NONE && !p->done[1][b] && may_be_paired_whole(p, i, b))
            add_weight_pair(p, i, b, PAIR_BY_NAME);
    }
}

static void pair_weights_by_key(struct plan *p)
{
    for (uint32_t i = 0; i < p->c->side[0].list.n; i++) {
        uint32_t b = p->done[0][i] ? MAP_NONE : map_get(&p->keys[1], p->c->id[0][i].key);
        if (b != MAP_NONE && !p->done[1][b] && may_be_paired_whole(p, i, b))
            add_weight_pair(p, i, b, PAIR_BY_RULE);
    }
}

/* The fused weight i of a side against the other side's parts, or against its fused weight, part by part. */
static void pair_weights_by_parts(struct plan *p, int side, uint32_t i)
{
    const struct weight_id *id = &p->c->id[side][i];
    const char *part[3];
    int n = weight_parts(id, part);
    uint32_t other[3], fused = map_get(&p->keys[!side], id->key);
    bool any = false;
    if (fused != MAP_NONE && (p->done[!side][fused] || p->c->id[!side][fused].fusion != id->fusion))
        fused = MAP_NONE;
    for (int k = 0; k < n; k++) {
        other[k] = map_get(&p->keys[!side], weight_part_key(id, part[k], &p->c->arena));
        if (other[k] != MAP_NONE && p->done[!side][other[k]])
            other[k] = MAP_NONE;
        any = any || other[k] != MAP_NONE;
    }
    if (!any && fused == MAP_NONE)
        return;
    for (int k = 0; k < n; k++) {
        uint32_t o = any ? other[k] : fused;
        if (o == MAP_NONE) {
            vec_push(&p->c->warnings, arena_fmt(&p->c->arena, _("%.*s: its part %s is not paired"),
                                                STR_ARG(p->c->side[side].list.v[i].name), part[k]));
            vec_push(&p->c->only[side], i);
            continue;
        }
        struct weight_pair *x = side == 0 ? add_weight_pair(p, i, o, PAIR_BY_RULE)
                                : add_weight_pair(p, o, i, PAIR_BY_RULE);
        x->part[side] = (uint8_t)(k + 1);
        x->part[!side] = any ? 0 : (uint8_t)(k + 1);
    }
}

/* A side without an output layer shares its embedding: the other side's is compared with that. */
static void pair_tied_embeddings(struct plan *p)
{
    uint32_t head[2], embed[2];
    for (int s = 0; s < 2; s++) {
        head[s] = map_get(&p->keys[s], STR("lm_head/weight"));
        embed[s] = map_get(&p->keys[s], STR("embed/weight"));
    }
    for (int s = 0; s < 2; s++)
        if (head[s] != MAP_NONE && !p->done[s][head[s]] && head[!s] == MAP_NONE && embed[!s] != MAP_NONE) {
            s == 0 ? add_weight_pair(p, head[0], embed[1], PAIR_TIED)
            : add_weight_pair(p, embed[0], head[1], PAIR_TIED);
            vec_push(&p->c->warnings,
                     arena_fmt(&p->c->arena, _("%.*s: the other side has no output layer; it is compared with the "
                                               "embedding"),
                               STR_ARG(p->c->side[s].list.v[head[s]].name)));
        }
}

static int in_target_order(const void *a, const void *b)
{
    const struct weight_pair *x = a, *y = b;
    if (x->weight[0] != y->weight[0])
        return x->weight[0] < y->weight[0] ? -1 : 1;
    if (x->expert[0] != y->expert[0])
        return x->expert[0] < y->expert[0] ? -1 : 1;
    if (x->part[0] != y->part[0])
        return x->part[0] < y->part[0] ? -1 : 1;
    if (x->weight[1] != y->weight[1])
        return x->weight[1] < y->weight[1] ? -1 : 1;
    return x->expert[1] < y->expert[1] ? -1 : x->expert[1] > y->expert[1];
}

/* What lies beside an optimizer's moments ("state.0.exp_avg") is its state too ("state.0.step"). */
static void find_optimizer_state(struct weight_compare *c, int s)
{
    struct map states = {0};
    const struct weights *w = &c->side[s];
    for (uint32_t i = 0; i < w->list.n; i++)
        if (weight_is_moment(w->list.v[i].name))
            map_add(&states, weight_module(w->list.v[i].name), 0);
    for (uint32_t i = 0; i < w->list.n; i++)
        if (map_get(&states, weight_module(w->list.v[i].name)) != MAP_NONE)
            c->id[s][i].training = true;
    map_release(&states);
}

int weight_pairs_plan(struct weight_compare *c, struct err *e)
{
    struct plan p = {.c = c};
    bool layers_of[2][3] = {{0}}; /* of each enum weight_stack */
    for (int s = 0; s < 2; s++) {
        size_t n = c->side[s].list.n;
        c->id[s] = mem_zalloc((n ? n : 1) * sizeof *c->id[s]);
        p.done[s] = mem_zalloc(n ? n : 1);
        for (uint32_t i = 0; i < n; i++) {
            weight_identify(c->side[s].list.v[i].name, &c->arena, &c->id[s][i]);
            layers_of[s][c->id[s][i].stack] |= c->id[s][i].layer >= 0;
        }
        find_optimizer_state(c, s);
    }
    bool stacks = false;
    for (int s = 0; s < 2; s++)
        stacks = stacks || (layers_of[s][STACK_ENCODER] && layers_of[s][STACK_DECODER]);
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; i < c->side[s].list.n; i++) {
            if (stacks)
                weight_add_stack(&c->id[s][i], &c->arena);
            map_add(&p.keys[s], c->id[s][i].key, i);
        }
    for (int s = 0; s < 2; s++)
        experts_split_axes(c, s, &p.keys[s]);
    int rc = apply_maps(&p, e);
    if (rc == 0 && !c->opt.map_only) {
        pair_weights_by_name(&p);
        pair_weights_by_key(&p);
        for (int s = 0; s < 2; s++)
            for (uint32_t i = 0; i < c->side[s].list.n; i++)
                if (!p.done[s][i] && c->id[s][i].fusion != FUSED_NOT)
                    pair_weights_by_parts(&p, s, i);
        weights_by_expert(c, p.done);
        pair_tied_embeddings(&p);
        weights_by_likeness(c, p.done);
    }
    if (rc == 0 && c->pairs.n)
        vec_sort(&c->pairs, in_target_order);
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; rc == 0 && i < c->side[s].list.n; i++)
            if (!p.done[s][i]) {
                bool aside = c->id[s][i].training || c->side[s].list.v[i].text || c->opt.map_only;
                if (aside)
                    vec_push(&c->aside[s], i);
                else
                    vec_push(&c->only[s], i);
            }
        free(p.done[s]);
        map_release(&p.keys[s]);
    }
    return rc;
}
