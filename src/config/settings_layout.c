/* Reads the degrees of parallelism by the checklist's own entries, so that every format of settings is supported. The
 * data parallel degree follows from the number of ranks: a recording may have fewer replicas than the settings. The
 * numbers of micro-batches and virtual stages are those of the recorded calls. */
#include "config/settings_layout.h"

#include <stdio.h>

#include "base/msg.h"
#include "config/checklist.h"

#define DEEP 16 /* entries that need entries */

static struct value layout_entry_value(struct scope *s, struct str name)
{
    int *depth = s->ctx;
    const struct checklist *list = checklist_get();
    uint32_t i = map_get(&list->by_key, name);
    if (i == MAP_NONE || *depth == DEEP)
        return (struct value){.state = VALUE_NONE};
    ++*depth;
    struct value v = expr_value(s, checklist_value(&list->row.v[i], s->side[s->at]));
    --*depth;
    return v;
}

static const struct {
    enum cut cut;
    const char *entry;
} degrees[] = {
    {CUT_TP, "model_parallel"},
    {CUT_PP, "pipeline_stage"},
    {CUT_CP, "context_parallel"},
    {CUT_EP, "expert_parallel"},
};

static int positive_whole_number(const struct value *v)
{
    return v->state == VALUE_SET && v->number && v->num >= 1 && v->num <= 1e6 ? (int)v->num : 0;
}

/* A default says nothing about this run's launcher. */
static int read_degree(struct scope *s, const char *name)
{
    struct value v = layout_entry_value(s, str_of(name));
    return v.dflt ? 0 : positive_whole_number(&v);
}

int settings_degree(const struct settings *s, const char *name)
{
    struct arena arena = {0};
    int depth = 0;
    struct scope scope = {.side = {s, s}, .arena = &arena, .entry = layout_entry_value, .ctx = &depth};
    struct value v = layout_entry_value(&scope, str_of(name));
    arena_release(&arena);
    return positive_whole_number(&v);
}

static void append_layout_reason(struct layout *l, const struct buf *b)
{
    size_t n = strlen(l->why);
    snprintf(l->why + n, sizeof l->why - n, "%s%s", n ? "; " : "", b->p);
}

static void take_layout_degrees(struct layout *l, const struct settings *s, struct str file, int ranks)
{
    struct arena arena = {0};
    struct buf b = {0}, why = {0};
    int depth = 0, size[ARRAY_LEN(degrees)], cut = 1;
    struct scope scope = {.side = {s, s}, .arena = &arena, .entry = layout_entry_value, .ctx = &depth};
    for (size_t i = 0; i < ARRAY_LEN(degrees); i++) {
        size[i] = read_degree(&scope, degrees[i].entry);
        int n = l->given[degrees[i].cut] ? l->size[degrees[i].cut] : size[i];
        if (n && degrees[i].cut != CUT_EP)
            cut = cut > ranks ? cut : cut * n;
        if (size[i] && !l->given[degrees[i].cut])
            buf_fmt(&b, "%s%s %d", b.n ? ", " : "", cut_name(degrees[i].cut), size[i]);
    }
    bool fits = ranks % cut == 0;
    struct value sp = layout_entry_value(&scope, STR("use_seq_parallel"));
    const struct setting *neighbours = settings_find(s, STR("use_tp_pp_dp_mapping"));
    for (size_t i = 0; fits && i < ARRAY_LEN(degrees); i++)
        if (size[i] && !l->given[degrees[i].cut]) {
            l->size[degrees[i].cut] = size[i];
            l->given[degrees[i].cut] = true;
        }
    if (fits && sp.state == VALUE_SET && !sp.dflt && !l->given_sp) {
        l->sp = value_true(&sp) && l->size[CUT_TP] > 1;
        l->given_sp = true;
        buf_cstr(&b, l->sp ? ", sp" : "");
    }
    if (fits && neighbours && str_is(neighbours->value, "True") && !l->given_order) {
        static const enum cut order[] = {CUT_TP, CUT_CP, CUT_PP, CUT_DP};
        memcpy(l->order, order, sizeof order);
        l->given_order = true;
    }
    if (b.n) {
        if (fits)
            buf_fmt(&why, _("%s: from the settings (%.*s)"), b.p, STR_ARG(file));
        else
            buf_fmt(&why, _("%s of the settings (%.*s) do not divide %d ranks: not used"), b.p, STR_ARG(file), ranks);
        append_layout_reason(l, &why);
    }
    if (fits && b.n && l->source == LAYOUT_NONE)
        l->source = LAYOUT_SETTINGS;
    buf_release(&b);
    buf_release(&why);
    arena_release(&arena);
}

void settings_layout(struct layout *l, const char *path, int ranks)
{
    struct settings s = {0};
    struct err e = {0};
    if (settings_open(&s, path, &e) == 0) {
        take_layout_degrees(l, &s, path_base(str_of(path)), ranks);
    } else {
        struct buf b = {0};
        buf_fmt(&b, _("settings not read: %s"), e.text);
        append_layout_reason(l, &b);
        buf_release(&b);
    }
    settings_release(&s);
}
