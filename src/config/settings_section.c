/* Makes the section of compared settings: the checks by part, errors first, with the file and line on each side; then
 * settings that no check covers. */
#include "config/settings_section.h"

#include "base/msg.h"
#include "base/num.h"

#define OTHERS 40

enum settings_part { PART_PROBLEM, PART_START, PART_ADVICE, PART_INFO, PART_WAIVED, PART_MANUAL, PART_UNKNOWN,
                    PART_EQUAL, PARTS };

static const struct {
    const char *title; /* N_, NULL: the first needs none */
    uint8_t mark, extent;
} parts[PARTS] = {
    [PART_PROBLEM] = {NULL, DOC_BAD, SETTINGS_FOUND},
    [PART_START] = {N_("Differs from what the guide requires for the first step"), DOC_OPEN, SETTINGS_FOUND},
    [PART_ADVICE] = {N_("Differs from the recommendation"), DOC_ADVICE, SETTINGS_FOUND},
    [PART_INFO] = {N_("Different, without effect on the verdict"), DOC_NOTE, SETTINGS_FOUND},
    [PART_WAIVED] = {N_("Waived differences"), DOC_WAIVED, SETTINGS_FOUND},
    [PART_MANUAL] = {N_("To be confirmed by you"), DOC_ADVICE, SETTINGS_OPEN},
    [PART_UNKNOWN] = {N_("Unknown: not in the files"), DOC_NOTE, SETTINGS_ALL},
    [PART_EQUAL] = {N_("Equal"), DOC_OK, SETTINGS_ALL},
};

static enum settings_part check_section_part(const struct config_check *k)
{
    switch (k->state) {
    case CHECK_DIFFERS:
    case CHECK_MISSING:
        return k->row->severity == SEVERITY_INFO ? PART_INFO : PART_PROBLEM;
    case CHECK_WAIVED:
        return PART_WAIVED;
    default:
        break;
    }
    if (check_guide_open(k) && k->row->start)
        return PART_START;
    if (check_guide_open(k) && k->guide == GUIDE_BROKEN)
        return PART_ADVICE;
    switch (k->state) {
    case CHECK_ADVICE:
        return k->why == WHY_MANUAL ? PART_MANUAL : PART_ADVICE;
    case CHECK_UNKNOWN:
        return config_check_open(k) ? PART_MANUAL : PART_UNKNOWN;
    default:
        return PART_EQUAL;
    }
}

/* ---- a check ---- */

/* The setting or variable of a value, the first of several; NULL if it was not set. */
static const struct setting *source_of(const struct settings *s, const struct value *v)
{
    struct str first = v->key, rest;
    if ((v->state != VALUE_SET && v->state != VALUE_OPEN) || !v->key.n) /* computed of nothing that has a name */
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

/* The advice, then the place of the value on each side. */
static void put_check_remarks(const struct config_compare *c, const struct config_check *k, struct buf *out)
{
    bool told = false;
    check_advice_text(k, out);
    for (int s = 0; s < 2; s++) {
        const struct setting *x = source_of(&c->side[s], &k->value[s]);
        if (!x || !x->line)
            continue;
        struct str name = x->spelled.n ? x->spelled : x->key;
        buf_fmt(out, s ? _("%sgolden: %.*s, line %u") : _("%starget: %.*s, line %u"), told ? "; " : " (",
                STR_ARG(name), x->line);
        told = true;
    }
    if (told)
        buf_char(out, ')');
}

static void put_check_row(struct document *d, const struct config_compare *c, const struct config_check *k)
{
    bool problem = check_section_part(k) == PART_PROBLEM;
    enum doc_tone tone = !problem ? TONE_PLAIN : k->row->severity == SEVERITY_ERROR ? TONE_BAD : TONE_WARN;
    struct buf t = {0}, v = {0};
    put_check_remarks(c, k, &t);
    buf_str(&v, k->row->id);
    doc_row(d, config_check_open(k) ? DOC_OPEN : (enum doc_mark)parts[check_section_part(k)].mark, v.p);
    doc_detail(d, "%.*s", STR_ARG(buf_view(&t)));
    doc_cell(d, DOC_TEXT, TONE_QUIET, k->row->id);
    doc_cell(d, DOC_NAME, TONE_PLAIN, k->row->key);
    for (int s = 0; s < 2; s++) {
        buf_clear(&v);
        config_value_text(&v, &k->value[s]);
        doc_cell(d, DOC_TEXT, tone, v.n ? buf_view(&v) : STR("–"));
    }
    doc_cell(d, DOC_TEXT, TONE_PLAIN, buf_view(&t));
    buf_release(&v);
    buf_release(&t);
}

/* Errors before warnings, else in the checklist's order. */
static void put_checks_of_part(struct document *d, const struct config_compare *c, enum settings_part part)
{
    const char *const head[] = {_("check"), _("setting"), _("target"), _("golden"), _("remarks")};
    bool begun = false;
    for (int severity = SEVERITY_ERROR; severity >= SEVERITY_INFO; severity--)
        for (size_t i = 0; i < c->checks.n; i++) {
            const struct config_check *k = &c->checks.v[i];
            if (check_section_part(k) != part || (int)k->row->severity != severity)
                continue;
            if (!begun && parts[part].title)
                doc_heading(d, _(parts[part].title));
            if (!begun)
                doc_table(d, ARRAY_LEN(head), head);
            begun = true;
            put_check_row(d, c, k);
        }
}

/* ---- what has no row ---- */

static void put_key_names(struct document *d, const char *title, const struct str *v, size_t n)
{
    struct buf t = {0};
    for (size_t i = 0; i < n && i < OTHERS; i++)
        buf_fmt(&t, "%s%.*s", i ? ", " : "", STR_ARG(v[i]));
    if (n)
        doc_say(d, TONE_QUIET, _("%s (%zu): %s%s"), title, n, t.p, n > OTHERS ? " …" : "");
    buf_release(&t);
}

static void without_rows(struct document *d, const struct config_compare *c)
{
    VEC(struct str) unknown = {0};
    for (size_t i = 0; i < c->checks.n; i++)
        if (check_section_part(&c->checks.v[i]) == PART_UNKNOWN)
            vec_push(&unknown, c->checks.v[i].row->key);
    if (unknown.n + c->unmapped[0].n + c->unmapped[1].n + c->npu_only[0].n + c->npu_only[1].n)
        doc_heading(d, _("Not compared"));
    put_key_names(d, _("unknown: not in the files"), unknown.v, unknown.n);
    put_key_names(d, _("not covered by a check, target"), c->unmapped[0].v, c->unmapped[0].n);
    put_key_names(d, _("not covered by a check, golden"), c->unmapped[1].v, c->unmapped[1].n);
    put_key_names(d, _("NPU only, target"), c->npu_only[0].v, c->npu_only[0].n);
    put_key_names(d, _("NPU only, golden"), c->npu_only[1].v, c->npu_only[1].n);
    vec_release(&unknown);
}

static void put_other_settings(struct document *d, const struct config_compare *c)
{
    const char *const head[] = {_("setting"), _("target"), _("golden")};
    if (!c->others.n)
        return;
    doc_heading(d, _("Different, not covered by a check"));
    doc_table(d, ARRAY_LEN(head), head);
    for (size_t i = 0; i < c->others.n && i < OTHERS; i++) {
        doc_cell(d, DOC_NAME, TONE_PLAIN, c->others.v[i].side[0]->spelled);
        for (int s = 0; s < 2; s++)
            doc_cell(d, DOC_TEXT, TONE_PLAIN, c->others.v[i].side[s]->value);
    }
    if (c->others.n > OTHERS)
        doc_say(d, TONE_QUIET, _("… and %zu more"), c->others.n - OTHERS);
}

/* ---- all of it ---- */

static void put_settings_side(struct document *d, const struct settings *s, bool golden)
{
    char n[NUM_MAX];
    const char *name = golden ? _("golden") : _("target");
    if (s->env_only)
        doc_say(d, TONE_PLAIN, _("%s: only an environment (%s, %s)"), name, s->path, platform_name(s->platform));
    else
        doc_say(d, TONE_PLAIN, _("%s: %s settings (%s, %s, %s)"), name, num_count(n, s->list.n), s->path, s->kind,
                platform_name(s->platform));
    if (s->env_path && !s->env_only)
        doc_cellf(d, DOC_TEXT, TONE_PLAIN, _(", environment %s"), s->env_path);
    else if (!s->env_known)
        doc_cellf(d, DOC_TEXT, TONE_QUIET, _("; environment not given (%s: output of env, pip freeze, a log, or an "
                                             "archive of msprobe config_check)"),
                  golden ? "--golden-env" : "--target-env");
    doc_notes(d, DOC_ADVICE, s->warnings.v, s->warnings.n);
}

void settings_section(struct document *d, const struct config_compare *c, enum settings_extent extent)
{
    const size_t *n = c->count;
    size_t fail = 0;
    for (size_t i = 0; i < c->checks.n; i++)
        fail += check_section_part(&c->checks.v[i]) == PART_PROBLEM;
    doc_verdict(d, config_compare_verdict(c), NULL, _("The relevant settings agree."),
                c->environments ? _("The environments of the runs differ.") : _("The settings of the runs differ."));
    doc_cellf(d, DOC_TEXT, TONE_PLAIN, _(" %zu checks, %zu fail, %zu waived."), c->checks.n, fail, n[CHECK_WAIVED]);
    if (c->others.n)
        doc_cellf(d, DOC_TEXT, TONE_PLAIN, _(" Without a check, different: %zu."), c->others.n);
    doc_say(d, TONE_PLAIN, _("checks: %zu differ, %zu missing, %zu unknown, %zu with a recommendation, %zu equal"),
            n[CHECK_DIFFERS], n[CHECK_MISSING], n[CHECK_UNKNOWN], n[CHECK_ADVICE], n[CHECK_OK]);
    if (c->open)
        doc_say(d, TONE_WARN, _("open: %zu checks of severity error, to be answered by you"), c->open);
    if (c->guide_broken + c->guide_unknown)
        doc_say(d, TONE_PLAIN, _("recommendations of the guide: %zu not followed, %zu unknown"), c->guide_broken,
                c->guide_unknown);
    doc_unread(d, c->unread.v, c->unread.n);
    put_settings_side(d, &c->side[0], false);
    put_settings_side(d, &c->side[1], true);
    if (c->environments)
        doc_say(d, TONE_WARN, "%s", _("only the environments are compared: settings of both runs are needed for all "
                                      "other checks"));
    for (int part = 0; part < PARTS; part++)
        if (parts[part].extent <= extent)
            put_checks_of_part(d, c, (enum settings_part)part);
    put_other_settings(d, c);
    if (extent == SETTINGS_OPEN)
        without_rows(d, c);
}
