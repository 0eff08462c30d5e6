/* Writes pairs as mapping files: our JSON and msprobe's data mapping; the table of kinds. The mappings by operator,
 * class and module are in mapping_output_apis.c and mapping_output_modules.c. */
#include "report/mapping_output.h"

#include <stdlib.h>

#include "base/json_write.h"
#include "base/io.h"
#include "base/map.h"
#include "base/msg.h"
#include "base/tool.h"
#include "report/mapping_output_parts.h"

enum { SIMPLE_KEY = 1000 }; /* bytes; YAML ends keys without "?" at 1024 */

const struct pair *mapping_pair(const struct mapping_pairs *x, const struct line *l)
{
    const struct pair *p = l->pair == NONE ? NULL : &x->p->pairs.v[l->pair];
    return p && (double)p->confidence >= x->s->opt.tol.confidence ? p : NULL;
}

bool mapping_part(const struct mapping_pairs *x, const struct line *l)
{
    uint64_t t = dump_row_numel(x->d[TARGET], l->row[TARGET]), g = dump_row_numel(x->d[GOLDEN], l->row[GOLDEN]);
    return t && g && t != g;
}

/* ---- YAML ---- */

/* Letters, digits and characters without a meaning in plain YAML text; the first is a letter or "_", so that it cannot
 * be read as a number, date or special value. */
static bool is_plain_yaml(struct str s)
{
    static const char *const words[] = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"};
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || !((c >= '0' && c <= '9') || strchr("./-+@$", c))))
            return false;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_ieq(s, str_of(words[i])))
            return false;
    return s.n > 0;
}

void mapping_scalar(struct buf *out, struct str s)
{
    struct jsonw w;
    if (is_plain_yaml(s)) {
        buf_str(out, s);
        return;
    }
    jw_init(&w, out, false); /* a JSON text is a YAML text in double quotes, but for surrogates */
    w.yaml = true;
    jw_str(&w, s);
}

void mapping_entry_write(struct buf *out, const char *indent, struct str key, struct str value)
{
    buf_cstr(out, indent);
    bool simple = key.n < SIMPLE_KEY / 6; /* no byte takes more than six */
    if (!simple)
        buf_cstr(out, "? ");
    mapping_scalar(out, key);
    if (!simple)
        buf_fmt(out, "\n%s", indent);
    buf_cstr(out, ": ");
    mapping_scalar(out, value);
    buf_char(out, '\n');
}

/* ---- rows ---- */

/* Target rows without a partner that the user's files declare to have none. */
typedef void (*declared_row)(void *ctx, struct str name);

static void each_declared_row(const struct mapping_pairs *x, declared_row tell, void *ctx)
{
    struct map seen = {0};
    for (size_t i = 0; x->s->maps && i < x->s->opt.map_count; i++) {
        const struct mapping *m = &x->s->maps[i];
        if (m->kind != MAPPING_DATA && m->kind != MAPPING_PAIRS)
            continue;
        for (size_t k = 0; k < m->entries.n; k++) {
            const struct mapping_entry *e = &m->entries.v[k];
            uint32_t t = e->golden.n ? NONE : dump_find_row(x->d[TARGET], e->target);
            if (t != NONE && x->p->lines.v[x->p->line_of[TARGET][t]].pair == NONE && map_add(&seen, e->target, t) == t)
                tell(ctx, e->target);
        }
    }
    map_release(&seen);
}

static void declared_yaml(void *ctx, struct str name)
{
    mapping_entry_write(ctx, "", name, STR("N/A"));
}

/* msprobe 26.2 counts the backward calls of the golden side again, in their order, before it looks
 * names up. */
static bool is_renumbered_call(const struct dump *d, uint32_t call, struct map *counts, struct arena *names)
{
    struct str name = dump_call_name(d, call), word = STR("backward"), base = name, digits;
    ptrdiff_t dot = str_rfind(name, '.');
    if (dot < 0)
        return false;
    bool last = str_eq(str_cut(name, (size_t)dot + 1), word);
    digits = last ? str_n(name.p, (size_t)dot) : str_cut(name, (size_t)dot + 1);
    base = str_n(name.p, (size_t)dot);
    if (last) {
        ptrdiff_t at = str_rfind(digits, '.');
        if (at < 0)
            return false;
        base = str_n(name.p, (size_t)at);
        digits = str_cut(digits, (size_t)at + 1);
    }
    unsigned long long number;
    if ((!last && !str_ends(base, ".backward")) || !str_u64(digits, &number))
        return false;
    uint32_t n = map_get(counts, base);
    n = n == MAP_NONE ? 0 : n;
    map_set(counts, n ? base : arena_str(names, base), n + 1);
    return n != number;
}

/* For each golden call whether msprobe would take its name for another's; freed by the caller. */
static bool *find_renumbered_calls(const struct dump *d)
{
    struct map counts = {0};
    struct arena names = {0};
    bool *out = mem_zalloc(d->calls.n + 1);
    for (uint32_t c = 0; c < d->calls.n; c++)
        if (d->calls.v[c].phase == PHASE_BACKWARD && !d->calls.v[c].gradient)
            out[c] = is_renumbered_call(d, c, &counts, &names);
    map_release(&counts);
    arena_release(&names);
    return out;
}

/* A target row has one line in a data mapping; parts of a fused tensor have none. */
static bool has_mapping_line(const struct mapping_pairs *x, uint32_t line)
{
    const struct line *l = &x->p->lines.v[line];
    return !mapping_part(x, l) && x->p->line_of[TARGET][l->row[TARGET]] == line;
}

static void write_data(struct out *o, const struct mapping_pairs *x)
{
    struct buf t = {0}, g = {0};
    size_t left = 0, other = 0, written = 0;
    bool *anew = find_renumbered_calls(x->d[GOLDEN]);
    for (uint32_t i = 0; i < x->p->lines.n; i++) {
        const struct line *l = &x->p->lines.v[i];
        if (!mapping_pair(x, l))
            continue;
        left += !has_mapping_line(x, i);
        other += has_mapping_line(x, i) && anew[x->d[GOLDEN]->rows.v[l->row[GOLDEN]].call];
    }
    if (left)
        buf_fmt(&o->buf, "# %zu pairs of fused tensors are left out: a data mapping has no parts\n", left);
    if (other)
        buf_fmt(&o->buf,
                "# %zu rows are of golden backward calls that msprobe 26.2 numbers anew, in their "
                "order: it takes the names for "
                "other calls'\n",
                other);
    for (uint32_t i = 0; i < x->p->lines.n; i++) {
        const struct line *l = &x->p->lines.v[i];
        if (!mapping_pair(x, l) || !has_mapping_line(x, i))
            continue;
        dump_row_name(x->d[TARGET], l->row[TARGET], &t);
        dump_row_name(x->d[GOLDEN], l->row[GOLDEN], &g);
        mapping_entry_write(&o->buf, "", buf_view(&t), buf_view(&g));
        out_flow(o);
        written++;
    }
    size_t before = o->buf.n;
    each_declared_row(x, declared_yaml, &o->buf);
    if (!written && o->buf.n == before)
        buf_cstr(&o->buf, "{}\n");
    free(anew);
    buf_release(&t);
    buf_release(&g);
}

/* ---- ours ---- */

static void declared_json(void *ctx, struct str name)
{
    struct jsonw *w = ctx;
    jw_object(w);
    jw_kstr(w, "target", name);
    jw_knull(w, "golden");
    jw_end_object(w);
}

static void write_pairs(struct out *o, const struct mapping_pairs *x)
{
    struct jsonw w;
    struct buf text = {0};
    jw_init(&w, &o->buf, true);
    jw_object(&w);
    jw_kint(&w, "schema", 1);
    jw_karray(&w, "pairs");
    for (uint32_t i = 0; i < x->p->lines.n; i++) {
        const struct line *l = &x->p->lines.v[i];
        const struct pair *p = mapping_pair(x, l);
        if (!p)
            continue;
        jw_object(&w);
        dump_row_name(x->d[TARGET], l->row[TARGET], &text);
        jw_kstr(&w, "target", buf_view(&text));
        dump_row_name(x->d[GOLDEN], l->row[GOLDEN], &text);
        jw_kstr(&w, "golden", buf_view(&text));
        jw_kcstr(&w, "origin", origin_name((enum origin)p->origin));
        jw_knum(&w, "confidence", (double)p->confidence);
        if (p->view != NONE) {
            buf_clear(&text);
            view_write(&x->p->views.v[p->view], &text);
            jw_kstr(&w, "view", buf_view(&text));
        }
        jw_end_object(&w);
        out_flow(o);
    }
    each_declared_row(x, declared_json, &w);
    jw_end_array(&w);
    jw_end_object(&w);
    buf_char(&o->buf, '\n');
    buf_release(&text);
}

/* ---- kinds ---- */

static const struct {
    const char *name;
    void (*write)(struct out *o, const struct mapping_pairs *x);
} kinds[MAPPING_KINDS] = {
    [MAPPING_DATA] = {"data_mapping", write_data},
    [MAPPING_PAIRS] = {"json", write_pairs},
    [MAPPING_CELL] = {"cell_mapping", mapping_write_cells},
    [MAPPING_API] = {"api_mapping", mapping_write_apis},
    [MAPPING_LAYER] = {"layer_mapping", mapping_write_layers},
};

int mapping_kind_for(const char *file, const char *as, enum mapping_kind *kind, struct err *e)
{
    struct str base = path_base(str_of(file));
    if (str_ends(base, ".json")) {
        *kind = MAPPING_PAIRS;
        if (as && strcmp(as, kinds[MAPPING_PAIRS].name) != 0)
            return err_set(e, ERR_USAGE,
                           _("%s: .json is the format of diverge; with --as %s, write a .yaml file"), file,
                           as);
        return 0;
    }
    if (!str_ends(base, ".yaml") && !str_ends(base, ".yml"))
        return err_set(e, ERR_USAGE,
                       _("%s: expected a name that ends in .json (format of diverge) or .yaml (format of "
                         "msprobe)"), file);
    *kind = MAPPING_DATA;
    for (int k = 0; k < MAPPING_KINDS; k++) {
        if (!kinds[k].name || k == MAPPING_PAIRS)
            continue;
        if (as ? strcmp(as, kinds[k].name) == 0 : str_has(base, kinds[k].name)) {
            *kind = (enum mapping_kind)k;
            return 0;
        }
    }
    return as ? err_set(e, ERR_USAGE, _("--as %s: expected data_mapping, cell_mapping, api_mapping or layer_mapping"),
                        as)
              : 0;
}

int mapping_write(struct out *out, const struct comparison *s, enum mapping_kind kind, struct err *e)
{
    struct mapping_pairs x = {s, {&s->side[TARGET].dump, &s->side[GOLDEN].dump}, s->pairing};
    if (!kinds[kind].write)
        return err_set(e, ERR_USAGE, _("pairs are written as .json (format of diverge) or .yaml (format of msprobe)"));
    if (s->single || !s->paired)
        return err_set(e, ERR_USAGE, _("no pairs to write: give a target and a golden side"));
    if (kind != MAPPING_PAIRS) /* of YAML, for own_file */
        buf_cstr(&out->buf, "# Written by " TOOL "\n");
    kinds[kind].write(out, &x);
    return 0;
}
