/* Applies the checklist to two sides' settings, then lists differing settings that no check covers. */
#include "config/settings_compare.h"

#include "base/msg.h"
#include "base/nearest.h"
#include "base/reading.h"
#include "config/arguments.h"
#include "config/check_ways.h"

/* The values of all entries on both sides, computed when first asked for. */
struct entry_values {
    struct config_compare *c;
    struct value *value[2];
    char *state[2]; /* 0 not yet, 1 under way, 2 there */
};

static struct value compared_entry_value(struct scope *s, struct str name)
{
    struct entry_values *t = s->ctx;
    const struct checklist *list = checklist_get();
    uint32_t i = map_get(&list->by_key, name);
    int at = s->at;
    if (i == MAP_NONE || t->state[at][i] == 1) /* it depends on itself: an error in the data file */
        return (struct value){.state = VALUE_NONE};
    if (t->state[at][i] == 0) {
        t->state[at][i] = 1;
        t->value[at][i] = expr_value(s, checklist_value(&list->row.v[i], s->side[at]));
        t->state[at][i] = 2;
    }
    return t->value[at][i];
}

/* Applicable? 1, 0, or -1 if the files do not show it. */
static int check_applies(struct scope *s, const struct node *when)
{
    if (!when)
        return 1;
    struct value v = expr_value(s, when);
    return v.state == VALUE_CLOSED || v.state == VALUE_OPEN ? -1 : value_true(&v);
}

/* A value against what the guide advises of that side. */
static enum check_guide guide_side(const struct value *v, struct str advised)
{
    if (!advised.n || v->state == VALUE_ABSENT)
        return GUIDE_SILENT;
    if (v->state == VALUE_CLOSED || v->state == VALUE_OPEN)
        return GUIDE_UNKNOWN;
    if (check_wanted(v, advised))
        return GUIDE_FOLLOWED;
    return v->state == VALUE_SET ? GUIDE_BROKEN : GUIDE_UNKNOWN;
}

/* Both sides; a violation counts before an unknown value. */
static void judge_guide(struct scope *s, struct config_check *k)
{
    const struct check_row *r = k->row;
    static const uint8_t weight[] = {[GUIDE_SILENT] = 0, [GUIDE_FOLLOWED] = 1, [GUIDE_UNKNOWN] = 2, [GUIDE_BROKEN] = 3};
    s->at = 0;
    int when = r->says.n ? check_applies(s, r->guide_when ? r->guide_when : r->when) : 0;
    for (int i = 0; i < 2 && when; i++) {
        struct str advised = checklist_guide(r, s->side[i]);
        enum check_guide g = guide_side(&k->value[i], advised);
        if (weight[g] <= weight[k->guide])
            continue;
        k->guide = when < 0 && g == GUIDE_BROKEN ? GUIDE_UNKNOWN : g;
        k->advised = advised;
    }
}

/* Whether an expression reads variables of the environment; *other: it reads settings too. */
static bool reads_environment(const struct node *n, bool *other)
{
    bool found = false;
    for (; n; n = n->next) {
        found |= n->kind == NODE_ENV || reads_environment(n->child, other);
        *other |= n->kind == NODE_PATH || n->kind == NODE_ENTRY;
    }
    return found;
}

/* Whether a run's environment alone has the check's value. */
static bool in_environment(const struct check_row *r, const struct settings *s)
{
    bool other = false;
    return reads_environment(checklist_value(r, s), &other) && !other;
}

/* Whether a text begins like a number and goes on as none does ("1e-3x", "1,7"); lists, sizes and ranges are texts. */
static bool spoils_number(struct str text)
{
    static const char *const unit[] = {"k", "m", "g", "t", "b", "kb", "mb", "gb", "tb", "s", "ms", "h", "min"};
    double x;
    size_t n = 0;
    while (n < text.n && strchr("0123456789.+-eE", text.p[n]))
        n++;
    while (n && reading_number(str_n(text.p, n), &x) != READING_VALUE)
        n--;
    struct str rest = str_cut(text, n);
    if (!n || !rest.n)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(unit); i++)
        if (str_ieq(str_trim(rest), str_of(unit[i])))
            return false;
    for (size_t i = rest.p[0] == ','; i < rest.n; i++)
        if (rest.p[0] == ',' ? rest.p[i] < '0' || rest.p[i] > '9' : strchr(",/:*- []()", rest.p[i]) != NULL)
            return false;
    return rest.n > (rest.p[0] == ',');
}

static bool is_switch(const struct value *v)
{
    return v->state == VALUE_SET && (str_ieq(v->text, STR("true")) || str_ieq(v->text, STR("false")));
}

/* What a text should have been by the value that the other side has, if it is a spoiled one of that kind. */
static const char *expected_beside(const struct value *v, const struct value *other)
{
    struct nearest near = {.word = v->text};
    if (v->state != VALUE_SET || v->number || other->state != VALUE_SET)
        return NULL;
    if (other->number && (spoils_number(v->text) || (v->text.n > 1 && v->text.p[0] == '#')))
        return _("a number");
    if (!is_switch(other) || is_switch(v))
        return NULL;
    nearest_offer(&near, "true");
    nearest_offer(&near, "True");
    nearest_offer(&near, "false");
    nearest_offer(&near, "False");
    return near.name ? _("true or false") : NULL;
}

/* What a check's value should have been where it cannot be read, otherwise NULL. A value that was made of others has
 * the text of one of them; one that a side gives twice, and not alike ("256 / 128"), has been read. */
static const char *is_malformed(const struct check_row *r, const struct value *v, const struct value *other)
{
    static const char *const instead[] = {"auto", "none", "null", "true", "false"};
    bool word = false;
    if (str_starts(v->key, "version:") || v->state != VALUE_SET || v->number || v->dflt || v->twofold || !v->text.n)
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(instead); i++)
        word = word || str_ieq(v->text, str_of(instead[i]));
    if (r->number && !word && !strchr("[({", v->text.p[0]))
        return _("a number");
    return expected_beside(v, other);
}

/* Names a setting that cannot be read with its file and place, once. */
static void tell_unreadable_setting(struct config_compare *c, int side, struct str key, struct str text,
                                    const char *expected)
{
    struct err e;
    char found[READING_FOUND];
    struct str first, rest;
    const struct settings *s = &c->side[side];
    str_split(key, ',', &first, &rest);
    const struct setting *x = settings_find(s, first);
    for (size_t k = 0; k < s->list.n && !x; k++)
        x = str_eq(s->list.v[k].spelled, first) ? &s->list.v[k] : NULL;
    reading_found(found, text);
    key = x ? x->spelled : key;
    if (x && x->line)
        err_line(&e, s->path, x->line, _("%.*s: expected %s, found %s"), STR_ARG(key), expected, found);
    else
        err_set(&e, ERR_DATA, _("%s: %.*s: expected %s, found %s"), s->path, STR_ARG(key), expected, found);
    for (size_t i = 0; i < c->unread.n; i++)
        if (strcmp(c->unread.v[i], e.text) == 0)
            return;
    vec_push(&c->unread, arena_cstr(&c->arena, str_of(e.text)));
    map_add(&c->odd[side], arena_str(&c->arena, x ? x->key : first), 1);
}

/* Finds the settings that cannot be read: what checks rest on, and what both sides have under one name. */
static void find_unreadable(struct config_compare *c, struct scope *s)
{
    const struct checklist *list = checklist_get();
    for (size_t i = 0; i < list->row.n; i++) {
        const struct check_row *r = &list->row.v[i];
        struct value value[2];
        for (s->at = 0; r->id.n && s->at < 2; s->at++)
            value[s->at] = compared_entry_value(s, r->key);
        s->at = 0;
        for (int side = 0; r->id.n && side < 2; side++) {
            const char *expected = is_malformed(r, &value[side], &value[!side]);
            if (expected && check_applies(s, r->when) != 0)
                tell_unreadable_setting(c, side, value[side].key, value[side].text, expected);
        }
    }
    for (size_t i = 0; c->side[0].dialect == c->side[1].dialect && i < c->side[0].list.n; i++) {
        const struct setting *t = &c->side[0].list.v[i], *g = settings_find(&c->side[1], t->key);
        struct value a = value_of_text(t->value), b = value_of_text(g ? g->value : STR(""));
        const char *odd[2] = {g ? expected_beside(&a, &b) : NULL, g ? expected_beside(&b, &a) : NULL};
        for (int side = 0; side < 2; side++)
            if (odd[side])
                tell_unreadable_setting(c, side, t->key, side ? b.text : a.text, odd[side]);
    }
}

#define DEEPEST 16 /* entries that name each other */

/* Whether a side's value of a check rests on a setting that cannot be read. */
static bool rests_on_unreadable(const struct config_compare *c, int side, const struct node *n, int depth)
{
    for (; n && c->odd[side].n && depth < DEEPEST; n = n->next) {
        const struct checklist *list = checklist_get();
        uint32_t of = n->kind == NODE_ENTRY ? map_get(&list->by_key, n->text) : MAP_NONE;
        const struct check_row *r = of == MAP_NONE ? NULL : &list->row.v[of];
        if ((n->kind == NODE_PATH && map_get(&c->odd[side], n->text) != MAP_NONE) ||
            rests_on_unreadable(c, side, n->child, depth) ||
            (r && rests_on_unreadable(c, side, checklist_value(r, &c->side[side]), depth + 1)))
            return true;
    }
    return false;
}

static bool is_unreadable(const struct config_compare *c, const struct check_row *r)
{
    return rests_on_unreadable(c, 0, checklist_value(r, &c->side[0]), 0) ||
           rests_on_unreadable(c, 1, checklist_value(r, &c->side[1]), 0);
}

static void judge_row(struct config_compare *c, struct scope *s, const struct check_row *r)
{
    struct config_check k = {.row = r};
    struct value accept[2];
    struct check_result j = {0};
    for (s->at = 0; s->at < 2; s->at++) {
        k.value[s->at] = compared_entry_value(s, r->key);
        accept[s->at] = r->accept.n ? compared_entry_value(s, r->accept) : (struct value){.state = VALUE_NONE};
        j.accept[s->at] = &accept[s->at];
        j.want[s->at] = checklist_want(r, s->side[s->at]);
    }
    s->at = 0;
    j.same_hardware = s->side[0]->platform == s->side[1]->platform;
    j.value[0] = &k.value[0];
    j.value[1] = &k.value[1];
    int when = check_applies(s, r->when);
    if (k.value[0].state == VALUE_ABSENT && k.value[1].state == VALUE_ABSENT && r->by.n)
        when = 0; /* neither framework has it */
    if (when != 0 && is_unreadable(c, r)) {
        k.state = CHECK_UNKNOWN;
        k.why = WHY_OPEN;
    } else if (when == 1) {
        k.state = r->judge->state(&j, &k.why);
    } else {
        k.state = when == 0 ? CHECK_OK : CHECK_UNKNOWN;
        k.why = when == 0 ? WHY_NOT_APPLICABLE : WHY_OPEN;
    }
    k.was = k.state;
    judge_guide(s, &k);
    vec_push(&c->checks, k);
}

/* ---- what no row reads ---- */

static void mark_used(struct settings *s, const struct node *n)
{
    for (; n; n = n->next) {
        mark_used(s, n->child);
        uint32_t i = n->kind == NODE_PATH ? map_get(&s->by_key, n->text) : MAP_NONE;
        if (i != MAP_NONE)
            s->list.v[i].used = true;
    }
}

static struct str plain_key(struct config_compare *c, struct str key)
{
    struct buf b = {0};
    struct str out = settings_plain_key(key, &b) ? arena_str(&c->arena, buf_view(&b)) : key;
    buf_release(&b);
    return out;
}

/* A list counts as read if one of its elements is, and is reported once. */
static void gather_unmapped(struct config_compare *c, int side)
{
    struct settings *s = &c->side[side];
    const struct checklist *list = checklist_get();
    struct map used = {0};
    for (size_t i = 0; i < list->row.n; i++)
        for (size_t k = 0; k < list->row.v[i].by.n; k++)
            mark_used(s, list->row.v[i].by.v[k].value);
    for (size_t i = 0; i < s->list.n; i++)
        if (s->list.v[i].used)
            map_add(&used, plain_key(c, s->list.v[i].key), 1);
    for (size_t i = 0; i < s->list.n; i++) {
        const struct setting *x = &s->list.v[i];
        struct str plain = plain_key(c, x->key);
        if (s->dialect == DIALECT_MEGATRON && argument_npu(x->key) && x->state == SETTING_TEXT &&
            !str_is(x->value, "False"))
            vec_push(&c->npu_only[side], x->spelled);
        if (x->dflt || setting_aside(s->dialect, plain) || map_get(&used, plain) != MAP_NONE)
            continue;
        map_add(&used, plain, 0);
        vec_push(&c->unmapped[side], plain.n == x->key.n ? x->spelled : plain);
    }
    map_release(&used);
}

static void gather_others(struct config_compare *c)
{
    if (c->side[0].dialect != c->side[1].dialect)
        return;
    for (size_t i = 0; i < c->side[0].list.n; i++) {
        const struct setting *t = &c->side[0].list.v[i], *g = settings_find(&c->side[1], t->key);
        struct value a = value_of_text(t->value), b = value_of_text(g ? g->value : STR(""));
        if (g && !t->used && !setting_aside(c->side[0].dialect, t->key) && !value_equal(&a, &b))
            vec_push(&c->others, ((struct config_other){{t, g}}));
    }
}

/* ---- the whole ---- */

static int waive_check(struct config_compare *c, const struct config_waiver *w, struct err *e)
{
    const struct check_row *r = checklist_find(str_of(w->id));
    if (!r)
        return err_set(e, ERR_USAGE, _("%s: unknown check id or key"), w->id);
    for (size_t i = 0; i < c->checks.n; i++) {
        struct config_check *k = &c->checks.v[i];
        if (k->row != r || (k->state == CHECK_OK && !check_guide_open(k)))
            continue;
        k->state = CHECK_WAIVED;
        k->reason = arena_cstr(&c->arena, str_of(w->reason));
    }
    return 0;
}

static void count_check_states(struct config_compare *c)
{
    c->pass = true;
    for (size_t i = 0; i < c->checks.n; i++) {
        const struct config_check *k = &c->checks.v[i];
        c->count[k->state]++;
        c->open += config_check_open(k);
        c->closed += config_check_closed(k);
        c->guide_broken += check_guide_open(k) && k->guide == GUIDE_BROKEN;
        c->guide_unknown += check_guide_open(k) && k->guide == GUIDE_UNKNOWN;
        if ((k->state == CHECK_DIFFERS || k->state == CHECK_MISSING) && k->row->severity != SEVERITY_INFO)
            c->pass = false;
    }
}

int config_compare_run(struct config_compare *c, struct settings *target, struct settings *golden,
                       const struct config_waiver *waiver,
                       size_t waivers, struct err *e)
{
    const struct checklist *list = checklist_get();
    *c = (struct config_compare){.side = {*target, *golden}};
    *target = *golden = (struct settings){0};
    struct entry_values t = {.c = c};
    struct scope s = {.side = {&c->side[0], &c->side[1]}, .arena = &c->arena, .entry = compared_entry_value, .ctx = &t};
    for (int i = 0; i < 2; i++) {
        t.value[i] = arena_zalloc(&c->arena, list->row.n * sizeof *t.value[i]);
        t.state[i] = arena_zalloc(&c->arena, list->row.n);
    }
    c->environments = c->side[0].env_only || c->side[1].env_only;
    if (!c->environments)
        find_unreadable(c, &s);
    for (size_t i = 0; i < list->row.n; i++) {
        const struct check_row *r = &list->row.v[i];
        if (r->id.n && (!c->environments || in_environment(r, &c->side[0]) || in_environment(r, &c->side[1])))
            judge_row(c, &s, r);
    }
    for (int i = 0; i < 2 && !c->environments; i++)
        gather_unmapped(c, i);
    if (!c->environments)
        gather_others(c);
    int rc = 0;
    for (size_t i = 0; i < waivers && rc == 0; i++)
        rc = waive_check(c, &waiver[i], e);
    count_check_states(c);
    return rc;
}

bool config_check_open(const struct config_check *k)
{
    bool unjudged = k->state == CHECK_UNKNOWN || (k->state == CHECK_ADVICE && k->why == WHY_MANUAL);
    return unjudged && k->row->severity == SEVERITY_ERROR && !config_check_closed(k);
}

bool config_check_closed(const struct config_check *k)
{
    bool closed = k->value[0].state == VALUE_CLOSED || k->value[1].state == VALUE_CLOSED;
    return k->state == CHECK_UNKNOWN && k->row->severity == SEVERITY_ERROR && closed;
}

enum stage_verdict config_compare_verdict(const struct config_compare *c)
{
    return !c->pass ? STAGE_FAIL : c->environments || c->unread.n ? STAGE_UNKNOWN : STAGE_PASS;
}

void config_compare_release(struct config_compare *c)
{
    for (int i = 0; i < 2; i++) {
        settings_release(&c->side[i]);
        vec_release(&c->unmapped[i]);
        vec_release(&c->npu_only[i]);
    }
    vec_release(&c->checks);
    vec_release(&c->others);
    vec_release(&c->unread);
    map_release(&c->odd[0]);
    map_release(&c->odd[1]);
    arena_release(&c->arena);
}

const char *check_state_name(enum check_state s)
{
    static const char *const names[CHECK_STATES] = {"ok", "differs", "missing", "unknown", "advice", "waived"};
    return names[s];
}

bool check_guide_open(const struct config_check *k)
{
    return k->state != CHECK_WAIVED && (k->guide == GUIDE_BROKEN || k->guide == GUIDE_UNKNOWN);
}

const char *check_guide_name(enum check_guide g)
{
    static const char *const names[] = {NULL, "followed", "broken", "unknown"};
    return names[g];
}

const char *check_why_text(const struct config_check *k)
{
    switch (k->why) {
    case WHY_NOT_APPLICABLE:
        return _("no effect with these settings");
    case WHY_NOT_TOLD:
        return _("unknown on both sides");
    case WHY_ONE_SIDED:
        return k->was == CHECK_MISSING ? _("set on one side only") : _("known on one side only");
    case WHY_OPEN:
        return _("undecided: not in the files");
    case WHY_UNWANTED:
        return _("both sides deviate from the recommendation");
    case WHY_UNWANTED_ONE:
        return _("deviates from the recommendation");
    case WHY_MANUAL:
        return k->value[0].state == VALUE_SET && k->value[1].state == VALUE_SET
                   ? _("to be confirmed by you: the values alone do not tell")
                   : _("to be confirmed by you: not in the files");
    case WHY_UNSET:
        return _("not set");
    case WHY_HARDWARE:
        return _("different on different hardware: dump both sides around the operator and compare its results");
    default:
        return NULL;
    }
}

void check_advice_text(const struct config_check *k, struct buf *out)
{
    const char *why = k->why == WHY_MANUAL ? NULL : check_why_text(k);
    if (k->reason)
        buf_fmt(out, _("waived: %s. "), k->reason);
    else if (why)
        buf_fmt(out, _("%s. "), why);
    if (check_guide_open(k))
        buf_fmt(out, k->guide == GUIDE_BROKEN ? _("recommended by the guide: %.*s: "
                                                  "%.*s ") : _("recommended by the guide: "
                                                                                       "%.*s; not found in the files: "
                                                                                       "%.*s "),
                STR_ARG(k->advised), STR_ARG(checklist_says(k->row)));
    buf_str(out, checklist_text(k->row));
}

void config_value_text(struct buf *out, const struct value *v)
{
    if (v->state != VALUE_SET && v->state != VALUE_OPEN)
        return;
    buf_str(out, v->text);
    if (v->how.n && !str_eq(v->how, v->text))
        buf_fmt(out, v->number ? " = %.*s" : " (%.*s)", STR_ARG(v->how));
    else if (v->dflt && v->state == VALUE_SET)
        buf_fmt(out, " %s", _("(default)"));
}
