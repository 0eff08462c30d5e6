/* Evidence from the panels' other inputs: settings, weights, norms, curves, the optimizer's step. */
#include <math.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/map.h"
#include "base/msg.h"
#include "base/num.h"
#include "panel/subject.h"

#define HASHED_MOST (64u << 20) /* bytes of a file that are read to identify it */
#define AROUND 3                /* lines before and after */

/* ---- the files ---- */

static void file_text(const struct procedure *g, const char *path, struct buf *out)
{
    struct buf at = {0}, content = {0};
    struct err quiet;
    struct stat st;
    char n[NUM_MAX];
    investigation_locate(g->inv, path, &at);
    buf_fmt(out, "%s%.*s", out->n ? ", " : "", STR_ARG(path_base(str_of(path))));
    if (stat(at.p, &st) == 0 && S_ISREG(st.st_mode)) {
        buf_fmt(out, _(", %s bytes"), num_count(n, (unsigned long long)st.st_size));
        if (st.st_size <= (off_t)HASHED_MOST && file_slurp(at.p, HASHED_MOST, &content, &quiet) == 0)
            buf_fmt(out, " %016llx", (unsigned long long)hash_bytes(content.p ? content.p : "", content.n, 1));
    }
    buf_release(&at);
    buf_release(&content);
}

/* The files examined: names, sizes, and a checksum of their content. */
static void add_file_facts(const struct procedure *g, enum engine_run_id x, struct arena *a, fact_list *out)
{
    const struct engine_run_kind *k = &engine_run_kinds[x];
    struct buf text[2] = {{0}, {0}};
    for (int i = 0; i < k->slots; i++) {
        const char *path = k->slot[i] <= PANEL_INPUT_GOLDEN ? NULL : panel_input_path(g->inv, k->slot[i]);
        if (path)
            file_text(g, path, &text[panel_inputs[k->slot[i]].side]);
    }
    fact_sides(out, a, "file", text);
    buf_release(&text[0]);
    buf_release(&text[1]);
}

/* ---- lines of a panel ---- */

uint32_t subject_item(const struct procedure *g, const struct subject *s, int *panel)
{
    for (*panel = 1; *panel <= PANELS && g->written; ++*panel) {
        const struct panel_page *p = &g->page[*panel - 1];
        for (uint32_t i = 0; i < p->items.n; i++) {
            struct subject x;
            struct arena none = {0};
            if (*panel == PANEL_FINDINGS && p->items.v[i].at) /* a finding's own line */
                continue;
            subject_of_item(*panel, &p->items.v[i], &x, &none);
            bool same = x.kind == s->kind && strcmp(x.at, s->at) == 0 && strcmp(x.about[0], s->about[0]) == 0 &&
                        strcmp(x.about[1], s->about[1]) == 0;
            arena_release(&none);
            if (same)
                return i;
        }
    }
    return UINT32_MAX;
}

static void item_line(const struct panel_item *it, bool here, struct buf *b)
{
    buf_clear(b);
    buf_fmt(b, "%s %s %s", here ? ">" : " ", panel_mark_glyph((enum panel_mark)it->mark), it->text);
    for (int i = 0; i < 2; i++)
        if (it->value[i] && *it->value[i])
            buf_fmt(b, "  %s", it->value[i]);
}

static void around_item(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out)
{
    int panel;
    uint32_t at = subject_item(g, s, &panel);
    struct buf b = {0};
    if (at == UINT32_MAX)
        return;
    const struct panel_page *p = &g->page[panel - 1];
    for (uint32_t i = at > AROUND ? at - AROUND : 0; i < p->items.n && i <= at + AROUND; i++) {
        item_line(&p->items.v[i], i == at, &b);
        fact_both(out, a, "screen", buf_view(&b));
    }
    buf_release(&b);
}

static void add_fact_pair(struct arena *a, fact_list *out, const char *what, const char *target, const char *golden)
{
    struct buf text[2] = {{0}, {0}};
    buf_cstr(&text[0], target ? target : "");
    buf_cstr(&text[1], golden ? golden : "");
    fact_sides(out, a, what, text);
    buf_release(&text[0]);
    buf_release(&text[1]);
}

static void add_number_pair(struct arena *a, fact_list *out, const char *what, double target, double golden)
{
    char n[2][NUM_MAX];
    add_fact_pair(a, out, what, num_exact(n[0], target), num_exact(n[1], golden));
}

void subject_freeze_item(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out)
{
    int panel;
    uint32_t at = subject_item(g, s, &panel);
    struct buf b = {0};
    if (at == UINT32_MAX) { /* the panel itself */
        unsigned long long n;
        if (!g->written || !str_u64(str_of(s->at), &n) || n < 1 || n > PANELS)
            return;
        panel = (int)n;
    }
    const struct panel_page *p = &g->page[panel - 1];
    buf_fmt(&b, "%d %s: %s%s%s", panel, _(panels[panel - 1].title), panel_state_label(p->state),
            *p->summary ? ", " : "", p->summary);
    fact_both(out, a, "panel", buf_view(&b));
    buf_release(&b);
    if (at == UINT32_MAX)
        return;
    const struct panel_item *it = &p->items.v[at];
    fact_both(out, a, "row", str_of(it->text));
    add_fact_pair(a, out, "value", it->value[0], it->value[1]);
    fact_both(out, a, "detail", str_of(it->detail ? it->detail : ""));
    around_item(g, s, a, out);
}

/* ---- settings ---- */

/* "train.yaml:12 model_config.num_layers" */
static void setting_source(const struct settings *s, struct str key, struct buf *out)
{
    const struct setting *x = settings_find(s, key);
    const char *path = s->path;
    buf_clear(out);
    if (!x && (x = settings_env(s, key)) && s->env_path)
        path = s->env_path;
    if (x)
        buf_fmt(out, "%.*s:%u %.*s", STR_ARG(path_base(str_of(path))), x->line, STR_ARG(x->spelled));
}

static void add_setting_outside_checks(const struct config_compare *c, const struct subject *s, struct arena *a,
                                       fact_list *out)
{
    struct buf text[2] = {{0}, {0}}, source[2] = {{0}, {0}};
    for (int d = 0; d < 2; d++) {
        const struct setting *x = settings_find(&c->side[d], str_of(s->at));
        if (x)
            buf_str(&text[d], x->value);
        setting_source(&c->side[d], str_of(s->at), &source[d]);
    }
    fact_sides(out, a, "value", text);
    fact_sides(out, a, "source", source);
    for (int d = 0; d < 2; d++) {
        buf_release(&text[d]);
        buf_release(&source[d]);
    }
}

static void a_check(const struct config_compare *c, const struct config_check *k, struct arena *a, fact_list *out)
{
    struct buf text[2] = {{0}, {0}};
    fact_both(out, a, "setting", k->row->key);
    for (int d = 0; d < 2; d++)
        config_value_text(&text[d], &k->value[d]);
    fact_sides(out, a, "value", text);
    for (int d = 0; d < 2; d++) {
        struct str rest = k->value[d].key, key;
        struct buf one = {0};
        buf_clear(&text[d]);
        while (rest.n) {
            key = str_next(&rest, ',');
            setting_source(&c->side[d], str_trim(key), &one);
            if (one.n)
                buf_fmt(&text[d], "%s%s", text[d].n ? ", " : "", one.p);
        }
        buf_release(&one);
    }
    fact_sides(out, a, "source", text);
    fact_both(out, a, "state", str_of(check_state_name(k->state)));
    fact_both(out, a, "severity", str_of(check_severity_name(k->row->severity)));
    fact_both(out, a, "reason", str_of(check_why_text(k) ? check_why_text(k) : ""));
    fact_both(out, a, "wanted", k->row->want.n ? k->row->want : k->row->recommended);
    fact_both(out, a, "waived", str_of(k->reason ? k->reason : ""));
    fact_both(out, a, "explanation", checklist_text(k->row));
    buf_release(&text[0]);
    buf_release(&text[1]);
}

void subject_freeze_setting(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_SETTINGS);
    const struct config_compare *c = r ? r->settings : NULL;
    const struct config_check *k = NULL;
    for (size_t i = 0; c && i < c->checks.n && !k; i++)
        if (str_is(c->checks.v[i].row->id, s->at))
            k = &c->checks.v[i];
    if (k)
        a_check(c, k, a, out);
    else if (c)
        add_setting_outside_checks(c, s, a, out);
    around_item(g, s, a, out);
    add_file_facts(g, ENGINE_RUN_SETTINGS, a, out);
}

/* ---- weights and norms ---- */

const struct weight_pair *subject_weight(const struct weight_compare *c, struct str name)
{
    for (size_t i = 0; i < c->pairs.n; i++)
        for (int d = 0; d < 2; d++)
            if (str_eq(c->side[d].list.v[c->pairs.v[i].weight[d]].name, name))
                return &c->pairs.v[i];
    return NULL;
}

static void weight_figures(const struct weight_pair *x, struct arena *a, fact_list *out)
{
    const struct figures *f = &x->fig;
    if (!x->read)
        return;
    add_number_pair(a, out, "max", f->side[0].max, f->side[1].max);
    add_number_pair(a, out, "min", f->side[0].min, f->side[1].min);
    add_number_pair(a, out, "mean", f->side[0].mean, f->side[1].mean);
    add_number_pair(a, out, "norm", f->side[0].norm, f->side[1].norm);
    if (!f->two)
        return;
    fact_number(out, a, "rel_l2", f->rel_l2);
    fact_number(out, a, "one_minus_cosine", f->minus);
    fact_number(out, a, "max_abs_err", f->max_abs);
}

void subject_freeze_weight(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_WEIGHTS);
    const struct weight_compare *c = r ? r->weights : NULL;
    const struct weight_pair *x = c ? subject_weight(c, str_of(*s->about[0] ? s->about[0] : s->about[1])) : NULL;
    struct buf type[2] = {{0}, {0}}, shape[2] = {{0}, {0}};
    if (x)
        fact_both(out, a, "verdict", str_of(weight_verdict_name((enum weight_verdict)x->verdict)));
    for (int d = 0; d < 2 && c; d++) {
        uint32_t at = *s->about[d] ? weights_find(&c->side[d], str_of(s->about[d])) : MAP_NONE;
        if (at == MAP_NONE)
            continue;
        const struct weight *w = &c->side[d].list.v[at];
        buf_str(&type[d], w->type);
        for (int i = 0; i < w->ndim; i++)
            buf_fmt(&shape[d], i ? ",%lld" : "[%lld", (long long)w->shape[i]);
        buf_cstr(&shape[d], w->ndim ? "]" : "[]");
    }
    fact_sides(out, a, "dtype", type);
    fact_sides(out, a, "shape", shape);
    if (x) {
        fact_both(out, a, "reason", str_of(x->why ? x->why : ""));
        fact_both(out, a, "view", str_of(x->view ? x->view : ""));
        weight_figures(x, a, out);
    }
    around_item(g, s, a, out);
    add_file_facts(g, ENGINE_RUN_WEIGHTS, a, out);
    for (int d = 0; d < 2; d++) {
        buf_release(&type[d]);
        buf_release(&shape[d]);
    }
}

const struct norm_pair *subject_norm(const struct norms *n, struct str name)
{
    struct buf own = {0};
    const struct norm_pair *found = NULL;
    for (size_t i = 0; i < n->pairs.n && !found; i++) {
        const struct norm_pair *p = &n->pairs.v[i];
        norm_pair_name(n, p, &own);
        bool same = str_eq(buf_view(&own), name);
        for (int d = 0; d < 2; d++)
            for (int k = 0; k < p->parts[d]; k++)
                same = same || str_is(name, n->side[d].values.v[p->part[d][k]].name);
        found = same ? p : NULL;
    }
    buf_release(&own);
    return found;
}

void subject_freeze_norm(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_NORMS);
    const struct norms *n = r ? r->norms : NULL;
    const struct norm_pair *x = n ? subject_norm(n, str_of(s->about[0])) : NULL;
    struct buf text[2] = {{0}, {0}};
    if (x) {
        add_number_pair(a, out, "norm", x->norm[0], x->norm[1]);
        fact_number(out, a, "relative", x->rel);
        fact_number(out, a, "median", n->median);
        fact_both(out, a, "verdict", str_of(x->outlier ? _("outlier") : _("not an outlier")));
        fact_number(out, a, "limit", x->outlier ? g->inv->tol.norms.outlier_rel : g->inv->tol.norms.rel);
        add_fact_pair(a, out, "unit",
                      n->side[0].square ? _("printed as a square; its square root is compared") : _("a norm"),
                      n->side[1].square ? _("printed as a square; its square root is compared") : _("a norm"));
        for (int d = 0; d < 2; d++) {
            buf_clear(&text[d]);
            if (n->side[d].step >= 0)
                buf_fmt(&text[d], "%lld", (long long)n->side[d].step);
        }
        fact_sides(out, a, "step", text);
        for (int d = 0; d < 2; d++) {
            buf_clear(&text[d]);
            buf_fmt(&text[d], "%.*s", STR_ARG(path_base(str_of(n->side[d].path))));
        }
        fact_sides(out, a, "source", text);
    }
    around_item(g, s, a, out);
    add_file_facts(g, ENGINE_RUN_NORMS, a, out);
    buf_release(&text[0]);
    buf_release(&text[1]);
}

/* ---- curves ---- */

static const char *const series_names[LOG_VALUES] =
    {[LOG_LOSS] = "loss", [LOG_LR] = "lr", [LOG_NORM] = "norm", [LOG_SCALE] = "scale", [LOG_EPOCH] = "epoch"};

bool subject_point(struct str at, bool *frozen, enum log_value *series, int64_t *step)
{
    struct str name, number;
    unsigned long long n;
    *frozen = str_starts(at, "frozen-");
    if (!str_split(*frozen ? str_cut(at, 7) : at, '@', &name, &number) || !str_u64(number, &n) || n > INT64_MAX)
        return false;
    *step = (int64_t)n;
    for (int v = 0; v < LOG_VALUES; v++)
        if (str_is(name, series_names[v])) {
            *series = (enum log_value)v;
            return true;
        }
    return false;
}

static void put_log_value(const struct log_record *r, enum log_value v, struct buf *out)
{
    char n[NUM_MAX];
    buf_clear(out);
    if (log_has(r, v))
        buf_cstr(out, num_exact(n, r->value[v]));
}

static void around_point(const struct curves *c, size_t at, enum log_value v, struct arena *a, fact_list *out)
{
    struct buf b = {0}, text = {0};
    for (size_t i = at > AROUND ? at - AROUND : 0; i < c->points.n && i <= at + AROUND; i++) {
        buf_clear(&b);
        buf_fmt(&b, "%s %lld", i == at ? ">" : " ", (long long)c->points.v[i].step);
        for (int k = 0; k < 2 && k < (int)c->runs; k++) {
            put_log_value(curve_record(c, i, k), v, &text);
            buf_fmt(&b, "  %s", text.n ? text.p : "–");
        }
        fact_both(out, a, "screen", buf_view(&b));
    }
    buf_release(&b);
    buf_release(&text);
}

static void curve_limits(const struct curves *c, size_t at, enum log_value v, struct arena *a, fact_list *out)
{
    if (v == LOG_NORM)
        fact_number(out, a, "limit", c->limit[CURVE_NORM_REL].limit);
    else if (v == LOG_LOSS)
        fact_number(out, a, "limit",
                    c->limit[c->usable.n && c->usable.v[0] == at ? CURVE_FIRST_ABS : CURVE_MEAN_ABS].limit);
}

void subject_freeze_curve(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out)
{
    bool frozen;
    enum log_value v;
    int64_t step;
    if (!subject_point(str_of(s->at), &frozen, &v, &step))
        return;
    enum engine_run_id x = procedure_curve_run(g, frozen);
    const struct engine_run_result *r = procedure_result(g, x);
    size_t at = r ? curve_point_at(r->curves, step) : SIZE_MAX;
    struct buf text[2] = {{0}, {0}};
    if (at != SIZE_MAX) {
        const struct curves *c = r->curves;
        static const struct log_record none;
        const struct log_record *rec[2] = {curve_record(c, at, 0), c->runs > 1 ? curve_record(c, at, 1) : &none};
        for (int k = 0; k < LOG_EPOCH; k++) {
            put_log_value(rec[0], (enum log_value)k, &text[0]);
            put_log_value(rec[1], (enum log_value)k, &text[1]);
            fact_sides(out, a, series_names[k], text);
        }
        if (log_has(rec[0], v) && log_has(rec[1], v)) {
            fact_number(out, a, "difference", rec[0]->value[v] - rec[1]->value[v]);
            fact_number(out, a, "relative", fabs(rec[0]->value[v] - rec[1]->value[v]) / fabs(rec[1]->value[v]));
        }
        if (c->runs > 1)
            curve_limits(c, at, v, a, out);
        for (int k = 0; k < 2; k++) {
            const struct series *run = &c->run[k];
            buf_clear(&text[k]);
            if (rec[k]->file < run->files.n)
                buf_fmt(&text[k], "%.*s, %s %u", STR_ARG(path_base(str_of(run->files.v[rec[k]->file].path))), run->unit,
                        rec[k]->line);
        }
        fact_sides(out, a, "source", text);
        around_point(c, at, v, a, out);
    }
    add_file_facts(g, x, a, out);
    buf_release(&text[0]);
    buf_release(&text[1]);
}

/* ---- the optimizer ---- */

const struct step_reason *subject_reason(const struct optimizer *x, struct str at)
{
    struct str side, what;
    if (!str_split(at, ' ', &side, &what))
        return NULL;
    for (size_t i = 0; i < x->reasons.n; i++)
        if (str_is(side, x->reasons.v[i].side ? "golden" : "target") && str_is(what, x->reasons.v[i].what))
            return &x->reasons.v[i];
    return NULL;
}

void subject_freeze_hypothesis(const struct procedure *g, const struct subject *s, struct arena *a, fact_list *out)
{
    const struct engine_run_result *r = procedure_result(g, ENGINE_RUN_STEP);
    const struct optimizer *x = r ? r->step : NULL;
    const struct step_reason *why = x ? subject_reason(x, str_of(s->at)) : NULL;
    char n[2][NUM_MAX];
    if (x) {
        add_fact_pair(a, out, "reproduced", x->side[0].reproduced ? _("yes") : _("no"),
                      x->side[1].reproduced ? _("yes") : _("no"));
        add_fact_pair(a, out, "residual", x->side[0].replayed ? num_exact(n[0], x->side[0].residual) : "",
                      x->side[1].replayed ? num_exact(n[1], x->side[1].residual) : "");
    }
    if (why) {
        if (why->text)
            fact_both(out, a, "value", str_of(why->text));
        else if (why->flag)
            fact_both(out, a, "value", str_of(why->value > 0 ? _("yes") : _("no")));
        else if (!isnan(why->value))
            fact_number(out, a, "value", why->value);
        if (!isnan(why->residual))
            fact_number(out, a, "residual", why->residual);
        fact_both(out, a, "detail", str_of(why->detail ? why->detail : ""));
    }
    around_item(g, s, a, out);
    add_file_facts(g, ENGINE_RUN_STEP, a, out);
}
