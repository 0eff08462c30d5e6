/* Settings that are not the same, with where each side says them. */
#include "base/msg.h"
#include "base/num.h"
#include "report/settings_output.h"
#include "report/report_sections.h"

#define LISTED 60
#define OTHERS 30

/* The setting or variable a value comes from, the first of several; NULL where nobody set it. */
static const struct setting *source_of(const struct settings *s, const struct value *v)
{
    struct str first = v->key, rest;
    if (v->state != VALUE_SET && v->state != VALUE_OPEN)
        return NULL;
    str_split(v->key, ',', &first, &rest);
    const struct setting *x = settings_find(s, first);
    if (!x)
        x = settings_env(s, first);
    for (size_t i = 0; i < s->list.n && !x; i++)
        if (str_eq(s->list.v[i].spelled, first))
            x = &s->list.v[i];
    return x;
}

static void value_cell(struct building *b, const struct settings *s, const struct value *v, enum doc_tone tone)
{
    struct buf t = {0};
    config_value_text(&t, v);
    const struct setting *x = t.n ? source_of(s, v) : NULL;
    if (!t.n)
        buf_cstr(&t, "–");
    else if (x && x->line)
        buf_fmt(&t, _(" (%.*s, line %u)"), STR_ARG(x->spelled.n ? x->spelled : x->key), x->line);
    doc_cell(b->d, DOC_TEXT, tone, buf_view(&t));
    buf_release(&t);
}

static bool differs(const struct config_check *k)
{
    return k->state == CHECK_DIFFERS || k->state == CHECK_MISSING;
}

static bool in_part(const struct config_check *k, int part)
{
    bool info = k->row->severity == SEVERITY_INFO;
    return part == 0 ? differs(k) && !info : part == 1 ? k->state == CHECK_WAIVED : part == 2 ? k->state == CHECK_ADVICE && k->why != WHY_MANUAL : differs(k) && info;
}

static void check(struct building *b, const struct config_compare *c, const struct config_check *k)
{
    enum doc_tone tone = differs(k) ? k->row->severity == SEVERITY_ERROR ? TONE_BAD : k->row->severity == SEVERITY_WARN ? TONE_WARN : TONE_PLAIN : TONE_PLAIN;
    struct buf t = {0};
    const char *why = check_why_text(k);
    doc_cell(b->d, DOC_TEXT, TONE_QUIET, k->row->id);
    doc_cell(b->d, DOC_NAME, TONE_PLAIN, k->row->key);
    for (int s = 0; s < 2; s++)
        value_cell(b, &c->side[s], &k->value[s], tone);
    if (k->reason)
        buf_fmt(&t, _("waived: %s. "), k->reason);
    else if (why && k->why != WHY_MANUAL)
        buf_fmt(&t, _("%s. "), why);
    buf_str(&t, checklist_text(k->row));
    doc_cell(b->d, DOC_TEXT, TONE_PLAIN, buf_view(&t));
    buf_release(&t);
}

/* Errors before warnings, else in the checklist's order. */
static void part(struct building *b, const struct config_compare *c, int which, const char *title)
{
    const char *const head[] = {_("check"), _("setting"), _("target"), _("golden"), _("what to mind")};
    size_t told = 0, more = 0;
    for (int severity = SEVERITY_ERROR; severity >= SEVERITY_INFO; severity--)
        for (size_t i = 0; i < c->checks.n; i++) {
            const struct config_check *k = &c->checks.v[i];
            if ((int)k->row->severity != severity || !in_part(k, which))
                continue;
            if (told == LISTED) {
                more++;
                continue;
            }
            if (told++ == 0) {
                if (title)
                    doc_heading(b->d, title);
                doc_table(b->d, ARRAY_LEN(head), head);
            }
            check(b, c, k);
        }
    if (more)
        doc_say(b->d, TONE_QUIET, _("… and %zu more"), more);
}

static void others(struct building *b, const struct config_compare *c)
{
    const char *const head[] = {_("setting"), _("target"), _("golden")};
    if (!c->others.n)
        return;
    doc_heading(b->d, _("Different, and no check of it"));
    doc_table(b->d, ARRAY_LEN(head), head);
    for (size_t i = 0; i < c->others.n && i < OTHERS; i++) {
        doc_cell(b->d, DOC_NAME, TONE_PLAIN, c->others.v[i].side[0]->spelled);
        for (int s = 0; s < 2; s++)
            doc_cell(b->d, DOC_TEXT, TONE_PLAIN, c->others.v[i].side[s]->value);
    }
    if (c->others.n > OTHERS)
        doc_say(b->d, TONE_QUIET, _("… and %zu more"), c->others.n - OTHERS);
}

void report_settings(struct building *b)
{
    const struct engine_run_result *r = report_engine_run(b, ENGINE_RUN_SETTINGS);
    if (!r)
        return;
    const struct config_compare *c = r->settings;
    size_t differ = 0, known[2] = {c->side[0].env_known, c->side[1].env_known};
    for (size_t i = 0; i < c->checks.n; i++)
        differ += in_part(&c->checks.v[i], 0);
    doc_begin(b->d, DOC_PARAGRAPH);
    if (differ)
        doc_cellf(b->d, DOC_STRONG, TONE_BAD, _("%zu of %zu checks fail: the runs are not set up alike."), differ, c->checks.n);
    else
        doc_cellf(b->d, DOC_STRONG, TONE_GOOD, _("No setting that matters differs (%zu checks)."), c->checks.n);
    if (c->count[CHECK_WAIVED] + c->count[CHECK_UNKNOWN])
        doc_cellf(b->d, DOC_TEXT, TONE_PLAIN, _(" %zu are waived; of %zu the files tell too little."), c->count[CHECK_WAIVED], c->count[CHECK_UNKNOWN]);
    for (int s = 0; s < 2; s++)
        if (!known[s])
            doc_say(b->d, TONE_QUIET, s ? _("The golden run's environment variables were not given.") : _("The target's environment variables were not given."));
    part(b, c, 0, NULL);
    part(b, c, 1, _("Differences that were waived"));
    part(b, c, 2, _("Against a recommendation"));
    part(b, c, 3, _("Different, without weight in the verdict"));
    others(b, c);
    for (int s = 0; s < 2; s++)
        report_sentences(b, TONE_WARN, c->side[s].warnings.v, c->side[s].warnings.n);
}
