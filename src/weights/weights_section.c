/* Makes the section of two checkpoints: the verdict, the pairs that are not equal, the weights without a
 * counterpart. */
#include "weights/weights_section.h"

#include "base/msg.h"
#include "base/num.h"

#define LISTED 50
#define NAMED 3

size_t weights_equal(const struct weight_compare *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->pairs.n; i++)
        n += c->pairs.v[i].verdict == WEIGHT_EQUAL;
    return n;
}

void weights_side_section(struct document *d, const struct weights *w, bool golden)
{
    char n[NUM_MAX];
    doc_say(d, TONE_PLAIN, _("%s: %s tensors (%s, %s%s%s)"), golden ? _("golden") : _("target"),
            num_count(n, w->list.n), w->path, w->format, *w->framework ? ", " : "", w->framework);
    if (w->arch.heads)
        doc_cellf(d, DOC_TEXT, TONE_PLAIN, _(", %d heads, %d key-value heads"), w->arch.heads, w->arch.kv_heads);
    if (w->arch.tp > 1 && strcmp(w->format, "megatron") == 0)
        doc_cellf(d, DOC_TEXT, TONE_PLAIN, _(", %d tensor-parallel shards joined"), w->arch.tp);
}

/* Why it is not equal, the view used, and its name on the golden side. */
static void put_observed_cell(struct document *d, const struct weight_compare *c, const struct weight_pair *p)
{
    struct str name[2] = {c->side[0].list.v[p->weight[0]].name, c->side[1].list.v[p->weight[1]].name};
    struct buf t = {0};
    buf_cstr(&t, p->why ? p->why : weight_verdict_name((enum weight_verdict)p->verdict));
    if (p->view)
        buf_fmt(&t, "; %s", p->view);
    if (!str_eq(name[0], name[1]))
        buf_fmt(&t, _("; golden: %.*s"), STR_ARG(name[1]));
    doc_cell(d, DOC_TEXT, TONE_PLAIN, buf_view(&t));
    buf_release(&t);
}

static void put_differing_weights(struct document *d, const struct weight_compare *c)
{
    const char *const head[] = {_("weight"), "1-cos", _("relative L2"), _("max abs"), _("observed")};
    size_t told = 0, all = c->pairs.n - weights_equal(c);
    char n[NUM_MAX];
    if (all)
        doc_table(d, ARRAY_LEN(head), head);
    for (size_t i = 0; i < c->pairs.n && told < LISTED; i++) {
        const struct weight_pair *p = &c->pairs.v[i];
        const double v[] = {p->fig.minus, p->fig.rel_l2, p->fig.max_abs};
        if (p->verdict == WEIGHT_EQUAL)
            continue;
        told++;
        doc_row(d, p->verdict == WEIGHT_UNREAD ? DOC_OPEN : DOC_BAD, NULL);
        doc_cell(d, DOC_NAME, TONE_PLAIN, c->side[0].list.v[p->weight[0]].name);
        for (size_t k = 0; k < ARRAY_LEN(v); k++)
            doc_cell(d, DOC_NUMBER, TONE_BAD, str_of(p->read && p->fig.two ? num_error(n, v[k]) : ""));
        put_observed_cell(d, c, p);
    }
    if (all > told)
        doc_say(d, TONE_QUIET, _("… and %zu more"), all - told);
}

static void put_differing_copies(struct document *d, const struct weight_compare *c)
{
    const char *const head[] = {_("copy of a weight"), _("side"), _("relative L2"), _("ranks")};
    size_t told = 0, all = weight_replicas_off(c, false);
    char n[NUM_MAX];
    if (all)
        doc_table(d, ARRAY_LEN(head), head);
    for (size_t i = 0; i < c->replicas.n && told < LISTED; i++) {
        const struct weight_replica *r = &c->replicas.v[i];
        const struct weight_copy *x = &c->side[r->side].copies.v[r->copy];
        if (r->verdict == WEIGHT_EQUAL)
            continue;
        told++;
        doc_row(d, r->verdict == WEIGHT_UNREAD || !x->certain ? DOC_OPEN : DOC_BAD, NULL);
        doc_cell(d, DOC_NAME, TONE_PLAIN, str_of(x->name));
        doc_cell(d, DOC_TEXT, TONE_QUIET, str_of(r->side ? _("golden") : _("target")));
        doc_cell(d, DOC_NUMBER, TONE_BAD, str_of(r->read && r->fig.two ? num_error(n, r->fig.rel_l2) : ""));
        if (r->why)
            doc_cellf(d, DOC_TEXT, TONE_PLAIN, _("%s and %s: %s"), x->rank[0], x->rank[1], r->why);
        else if (x->certain)
            doc_cellf(d, DOC_TEXT, TONE_PLAIN, _("%s and %s differ, though both hold the whole"), x->rank[0],
                      x->rank[1]);
        else
            doc_cellf(d, DOC_TEXT, TONE_PLAIN, _("%s and %s differ: not copies, or shards of an unknown layout"),
                      x->rank[0], x->rank[1]);
    }
    if (all > told)
        doc_say(d, TONE_QUIET, _("… and %zu more"), all - told);
}

static void put_unpaired_weights(struct document *d, const struct weight_compare *c)
{
    const char *const head[] = {_("unpaired weight"), _("side")};
    size_t told = 0, all = c->only[0].n + c->only[1].n;
    if (all)
        doc_table(d, ARRAY_LEN(head), head);
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < c->only[s].n && told < LISTED; i++, told++) {
            doc_cell(d, DOC_NAME, TONE_PLAIN, c->side[s].list.v[c->only[s].v[i]].name);
            doc_cell(d, DOC_TEXT, TONE_QUIET, str_of(s ? _("golden") : _("target")));
        }
    if (all > told)
        doc_say(d, TONE_QUIET, _("… and %zu more"), all - told);
}

/* Numbers and texts beside the tensors that differ. */
static void other_values(struct document *d, const struct weight_compare *c)
{
    struct map golden = {0};
    size_t told = 0;
    for (uint32_t i = 0; i < c->side[1].values.n; i++)
        map_add(&golden, str_of(c->side[1].values.v[i].name), i);
    for (size_t i = 0; i < c->side[0].values.n && told < LISTED; i++) {
        const struct weight_value *t = &c->side[0].values.v[i];
        uint32_t at = map_get(&golden, str_of(t->name));
        const char *other = at == MAP_NONE ? NULL : c->side[1].values.v[at].text;
        if (!t->text || (at != MAP_NONE && (!other || strcmp(t->text, other) == 0))) /* an object has no text */
            continue;
        doc_say(d, TONE_WARN, other ? _("beside the tensors: %s is %s on the target, %s on the golden side")
                                    : _("beside the tensors: %s is %s on the target, absent on the golden side"),
                t->name, t->text, other);
        told++;
    }
    map_release(&golden);
}

/* Pairs that agree in the rows that both have, and what is no parameter: differences that are none, by their names. */
static void put_harmless_differences(struct document *d, const struct weight_compare *c)
{
    struct buf names = {0};
    size_t told = 0;
    for (size_t i = 0; i < c->pairs.n && told < LISTED; i++) {
        const struct weight_pair *p = &c->pairs.v[i];
        if (p->verdict == WEIGHT_EQUAL && p->view && p->padded) {
            doc_say(d, TONE_PLAIN, "%.*s: %s", STR_ARG(c->side[0].list.v[p->weight[0]].name), p->view);
            told++;
        }
    }
    other_values(d, c);
    if (!c->aside[0].n && !c->aside[1].n)
        return;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < c->aside[s].n && i < NAMED; i++)
            buf_fmt(&names, "%s%.*s", names.n ? ", " : "", STR_ARG(c->side[s].list.v[c->aside[s].v[i]].name));
    doc_say(d, TONE_PLAIN, _("not model parameters, not compared: %zu on the target, %zu on the golden side (%s%s)"),
            c->aside[0].n, c->aside[1].n, names.p, c->aside[0].n > NAMED || c->aside[1].n > NAMED ? ", …" : "");
    buf_release(&names);
}

void weights_section(struct document *d, const struct weight_compare *c)
{
    doc_verdict(d, weight_compare_verdict(c), "weights", _("The weights are the same."), _("The weights differ."));
    doc_cellf(d, DOC_TEXT, TONE_PLAIN, _(" %zu of %zu pairs are equal; %zu weights are not paired."),
              weights_equal(c), c->pairs.n, c->only[0].n + c->only[1].n);
    if (c->dtype_diff)
        doc_cellf(d, DOC_TEXT, TONE_PLAIN, _(" %zu differ in element type."), c->dtype_diff);
    if (c->replicas.n)
        doc_cellf(d, DOC_TEXT, TONE_PLAIN, _(" %zu of %zu copies on other ranks are equal."),
                  c->replicas.n - weight_replicas_off(c, false), c->replicas.n);
    doc_unread(d, c->unread.v, c->unread.n);
    for (int s = 0; s < 2; s++)
        weights_side_section(d, &c->side[s], s);
    put_differing_weights(d, c);
    put_differing_copies(d, c);
    put_unpaired_weights(d, c);
    put_harmless_differences(d, c);
    doc_notes(d, DOC_ADVICE, c->warnings.v, c->warnings.n);
}
