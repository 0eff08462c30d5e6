/* YAML and JSON (which libyaml reads as YAML, keeping every digit) flattened to "a.b[0].c": value. Anchors are
 * followed by copying their nodes, so the limit on the number of settings also limits aliases; cycles are impossible,
 * because an anchor is known only after its node has ended. */
#include <yaml.h>

#include "base/mem.h"
#include "base/msg.h"
#include "config/arguments.h"
#include "config/settings.h"

#define DEEPEST 64

/* A node with an anchor: the settings made from it, whose keys begin with `prefix` bytes of path. */
struct yaml_anchor {
    const char *name;
    size_t first, n, prefix;
};

struct document_level {
    bool list, have_key, merge;
    size_t path;    /* length of the path without this level's last part */
    size_t item;    /* of a list */
    size_t first;   /* settings before it */
    size_t nested;  /* of a list: items that are no scalars */
    const char *anchor;
    uint32_t line;
};

struct settings_document {
    struct settings *s;
    struct buf path;
    struct document_level level[DEEPEST];
    int depth;
    VEC(struct yaml_anchor) anchors;
    struct err *e;
};

static struct document_level *top_level(struct settings_document *d)
{
    return d->depth ? &d->level[d->depth - 1] : NULL;
}

/* Before a node: sets the path to it. In a mapping the key has done so. */
static void enter_node(struct settings_document *d)
{
    struct document_level *l = top_level(d);
    if (!l || !l->list)
        return;
    d->path.n = l->path;
    buf_fmt(&d->path, "[%zu]", l->item++);
}

/* In a mapping the key is appended to the path. */
static void document_take_key(struct settings_document *d, struct str name)
{
    struct document_level *l = top_level(d);
    d->path.n = l->path;
    l->have_key = true;
    l->merge = str_is(name, "<<");
    if (!l->merge) {
        if (d->path.n)
            buf_char(&d->path, '.');
        buf_str(&d->path, name);
    }
}

static void leave_node(struct settings_document *d)
{
    struct document_level *l = top_level(d);
    if (l && !l->list)
        l->have_key = false;
}

static void name_anchor(struct settings_document *d, const char *name, size_t first, size_t prefix)
{
    if (name)
        vec_push(&d->anchors, ((struct yaml_anchor){name, first, d->s->list.n - first, prefix}));
}

static const char *kept_anchor(struct settings_document *d, const yaml_char_t *anchor)
{
    return anchor ? arena_cstr(&d->s->arena, str_of((const char *)anchor)) : NULL;
}

/* The setting that a value is stored in; keys with a list's index keep it. */
static int document_put_setting(struct settings_document *d, struct str value, bool null, uint32_t line)
{
    struct str at = buf_view(&d->path);
    return settings_add(d->s, at, at, value, null ? SETTING_NULL : SETTING_TEXT, line, d->e);
}

static int document_take_scalar(struct settings_document *d, const yaml_event_t *ev)
{
    struct str v = str_n((const char *)ev->data.scalar.value, ev->data.scalar.length);
    struct document_level *l = top_level(d);
    uint32_t line = (uint32_t)ev->start_mark.line + 1;
    if (!l)
        return err_line(d->e, d->s->path, line, _("expected settings (\"name: value\"), found a single text"));
    if (!l->list && !l->have_key) {
        document_take_key(d, v);
        return 0;
    }
    enter_node(d);
    if (l->merge)
        return err_line(d->e, d->s->path, line, _("expected a mapping after <<"));
    size_t first = d->s->list.n, prefix = d->path.n;
    if (v.n > SETTINGS_TEXT)
        return err_line(d->e, d->s->path, line, _("a value of more than %u bytes"), SETTINGS_TEXT);
    if (document_put_setting(d, v, settings_null(v), line))
        return -1;
    d->s->list.v[map_get(&d->s->by_key, buf_view(&d->path))].quoted =
        ev->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    name_anchor(d, kept_anchor(d, ev->data.scalar.anchor), first, prefix);
    leave_node(d);
    return 0;
}

static int begin_document_level(struct settings_document *d, bool list, const yaml_char_t *anchor, uint32_t line)
{
    struct document_level *l = top_level(d);
    if (l && !l->list && !l->have_key)
        return err_line(d->e, d->s->path, line, _("expected a name, found a list or mapping"));
    if (d->depth == DEEPEST)
        return err_line(d->e, d->s->path, line, _("more than %d nested levels"), DEEPEST);
    enter_node(d);
    if (l && l->list)
        l->nested++;
    d->level[d->depth++] = (struct document_level){.list = list, .path = d->path.n, .first = d->s->list.n,
                                                   .anchor = kept_anchor(d, anchor), .line = line};
    return 0;
}

/* A list of plain values is a setting too: "[0.9, 0.95]". */
static int put_list(struct settings_document *d, const struct document_level *l)
{
    struct buf b = {0};
    buf_char(&b, '[');
    for (size_t i = l->first; i < d->s->list.n && b.n < SETTINGS_TEXT; i++) {
        if (i > l->first)
            buf_cstr(&b, ", ");
        buf_str(&b, d->s->list.v[i].value);
    }
    buf_char(&b, ']');
    int rc = document_put_setting(d, buf_view(&b), false, l->line);
    buf_release(&b);
    return rc;
}

static int end_document_level(struct settings_document *d)
{
    struct document_level l = *top_level(d);
    d->path.n = l.path;
    if (l.list && !l.nested && put_list(d, &l))
        return -1;
    d->depth--;
    name_anchor(d, l.anchor, l.first, l.path);
    leave_node(d);
    return 0;
}

/* Copies the anchor's settings to this place; in a merge existing ones are kept. */
static int document_copy_alias(struct settings_document *d, const yaml_event_t *ev)
{
    const char *name = (const char *)ev->data.alias.anchor;
    uint32_t line = (uint32_t)ev->start_mark.line + 1;
    struct document_level *l = top_level(d);
    const struct yaml_anchor *a = NULL;
    for (size_t i = d->anchors.n; i && !a; i--)
        if (strcmp(d->anchors.v[i - 1].name, name) == 0)
            a = &d->anchors.v[i - 1];
    if (!a || !l || (!l->list && !l->have_key))
        return err_line(d->e, d->s->path, line, _("*%s: no such anchor above this line"), name);
    enter_node(d);
    struct yaml_anchor from = *a;
    size_t prefix = d->path.n;
    for (size_t i = 0; i < from.n; i++) {
        struct setting x = d->s->list.v[from.first + i];
        d->path.n = prefix;
        struct str rest = str_cut(x.key, from.prefix);
        if (!prefix && rest.n && rest.p[0] == '.')
            rest = str_cut(rest, 1);
        buf_str(&d->path, rest);
        if (l->merge && map_get(&d->s->by_key, buf_view(&d->path)) != MAP_NONE) {
            if (settings_hold(d->s, d->path.n, line, d->e))
                return -1;
            continue;
        }
        if (l->list && rest.n)
            l->nested++;
        if (document_put_setting(d, x.value, x.state == SETTING_NULL, line))
            return -1;
    }
    d->path.n = prefix;
    leave_node(d);
    return 0;
}

static int one_event(struct settings_document *d, const yaml_event_t *ev)
{
    switch (ev->type) {
    case YAML_SCALAR_EVENT:
        return document_take_scalar(d, ev);
    case YAML_MAPPING_START_EVENT:
        return begin_document_level(d, false, ev->data.mapping_start.anchor, (uint32_t)ev->start_mark.line + 1);
    case YAML_SEQUENCE_START_EVENT:
        return begin_document_level(d, true, ev->data.sequence_start.anchor, (uint32_t)ev->start_mark.line + 1);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        return end_document_level(d);
    case YAML_ALIAS_EVENT:
        return document_copy_alias(d, ev);
    default:
        return 0;
    }
}

static int walk_document_events(struct settings_document *d, struct str text)
{
    yaml_parser_t parser;
    yaml_event_t ev;
    bool done = false;
    int rc = 0;
    if (!yaml_parser_initialize(&parser))
        mem_failed(0);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.p, text.n);
    while (rc == 0 && !done) {
        if (!yaml_parser_parse(&parser, &ev)) {
            if (parser.error == YAML_MEMORY_ERROR)
                mem_failed(0);
            rc = err_line(d->e, d->s->path, parser.problem_mark.line + 1, "%s",
                          parser.problem ? parser.problem : "YAML");
            break;
        }
        rc = one_event(d, &ev);
        /* a second document is another file's */
        done = ev.type == YAML_STREAM_END_EVENT || ev.type == YAML_DOCUMENT_END_EVENT;
        yaml_event_delete(&ev);
    }
    yaml_parser_delete(&parser);
    return rc;
}

int settings_document_flatten(struct settings *s, struct str text, struct err *e)
{
    struct settings_document d = {.s = s, .e = e};
    int rc = walk_document_events(&d, text);
    vec_release(&d.anchors);
    buf_release(&d.path);
    return rc;
}

static bool has_format_mark(const struct settings *s, const char *mark)
{
    struct str m = str_of(mark);
    if (m.p[m.n - 1] != '.')
        return settings_find(s, m) != NULL;
    for (size_t i = 0; i < s->list.n; i++)
        if (str_starts(s->list.v[i].key, mark))
            return true;
    return false;
}

static bool has_marks_of(const struct settings *s, const struct settings_format *k)
{
    for (size_t i = 0; !k->sniff && i < ARRAY_LEN(k->mark) && k->mark[i]; i++)
        if (has_format_mark(s, k->mark[i]))
            return true;
    return false;
}

const struct settings_format *settings_document_form(const struct settings *own)
{
    for (const struct settings_format *k = settings_formats; k->name; k++)
        if (has_marks_of(own, k))
            return k;
    return NULL;
}

const struct settings_format *settings_format_of_key(struct str key, bool common)
{
    for (const struct settings_format *k = settings_formats; k->name; k++)
        for (size_t i = 0; !k->sniff && k->common == common && i < ARRAY_LEN(k->mark) && k->mark[i]; i++)
            if (str_is(key, k->mark[i]))
                return k;
    return NULL;
}

/* What other forms call a key of this one. */
static struct str common_name(const struct settings_format *k, struct str name)
{
    for (const struct setting_rename *x = k->names; x && x->from; x++)
        if (str_is(name, x->from))
            return str_of(x->to);
    return name;
}

/* The argument a document's leaf sets: its last name, "moe-token-drop-policy" as "moe_token_drop_policy". */
static int take_leaf_argument(struct settings *s, const struct setting *x, const struct settings_format *k,
                              struct buf *b, struct err *e)
{
    bool nemo = strcmp(k->name, "nemo-yaml") == 0;
    ptrdiff_t dot = str_rfind(x->key, '.');
    struct str name = dot < 0 ? x->key : str_cut(x->key, (size_t)dot + 1), value = x->value;
    if (nemo && str_is(x->key, "trainer.precision")) { /* 16, "bf16-mixed", 32 */
        name = str_has(value, "bf16") ? STR("bf16") : str_has(value, "16") ? STR("fp16") : STR("fp32");
        value = STR("True");
    }
    name = common_name(k, name);
    if (!name.n || str_find(name, '[') >= 0)
        return 0;
    buf_clear(b);
    for (size_t i = 0; i < name.n; i++)
        buf_char(b, name.p[i] == '-' ? '_' : name.p[i]);
    if (str_ieq(value, STR("true")))
        value = STR("True");
    else if (str_ieq(value, STR("false")))
        value = STR("False");
    enum setting_state state = nemo && (str_has(value, "${") || str_is(value, "???")) ? SETTING_OPEN :
                               (enum setting_state)x->state;
    return argument_add(s, buf_view(b), x->key, value, state, x->line, str_is(value, "False"), e);
}

static bool is_key_within(const struct settings_format *k, struct str key)
{
    bool within = !k->within[0];
    for (size_t i = 0; i < ARRAY_LEN(k->within) && k->within[i] && !within; i++)
        within = str_starts(key, k->within[i]);
    return within;
}

/* Moves the settings of one document into s, after its kind's prefix. */
static int take_document_settings(struct settings *s, const struct settings *from, const struct settings_format *k,
                                  struct err *e)
{
    struct buf b = {0};
    int rc = 0;
    for (size_t i = 0; i < from->list.n && rc == 0; i++) {
        const struct setting *x = &from->list.v[i];
        if (!is_key_within(k, x->key))
            continue;
        if (k->arguments) {
            rc = take_leaf_argument(s, x, k, &b, e);
            continue;
        }
        buf_clear(&b);
        buf_cstr(&b, k->prefix);
        buf_str(&b, common_name(k, x->key));
        /* what Hydra puts in when the run starts; what another document decides */
        bool open = (*k->prefix && str_has(x->value, "${")) || (k->names && str_is(x->value, "auto"));
        rc = settings_add(s, buf_view(&b), x->key, x->value, open ? SETTING_OPEN : (enum setting_state)x->state,
                          x->line, e);
    }
    buf_release(&b);
    return rc;
}

/* A Hydra document before composition: it names others, whose settings it does not contain. */
static void note_parts(struct settings *s, const struct settings *own)
{
    for (size_t i = 0; i < own->list.n; i++)
        if (str_starts(own->list.v[i].key, "defaults[")) {
            settings_warn(s, _("%s: put together by Hydra from other files, which are not read: give the resolved "
                               "configuration (.hydra/config.yaml, or the program's --cfg job)"), s->path);
            return;
        }
}

/* A model's document may hold its training as well: the keys of that which other forms call otherwise. */
static int take_training(struct settings *s, const struct settings *own, struct err *e)
{
    const struct settings_format *k = settings_formats;
    struct buf b = {0};
    int rc = 0;
    while (k->name && !k->common)
        k++;
    for (size_t i = 0; k->name && has_marks_of(own, k) && i < own->list.n && rc == 0; i++) {
        const struct setting *x = &own->list.v[i];
        struct str name = common_name(k, x->key);
        if (name.p == x->key.p)
            continue;
        buf_clear(&b);
        buf_fmt(&b, "%s%.*s", k->prefix, STR_ARG(name));
        s->sections |= k->sections;
        s->partial = true;
        rc = settings_add(s, buf_view(&b), x->key, x->value, (enum setting_state)x->state, x->line, e);
    }
    buf_release(&b);
    return rc;
}

int settings_document_take(struct settings *s, const struct settings *own, struct err *e)
{
    const struct settings_format *k = settings_document_form(own);
    if (!k)
        return err_set(e, ERR_DATA,
                       _("%s: expected a MindFormers yaml, Megatron's launch script or printed arguments, config.json "
                         "or training arguments; no known setting found"), s->path);
    s->kind = s->kind ? s->kind : k->name;
    s->dialect = k->dialect;
    s->sections |= k->sections;
    s->partial = s->partial || k->partial;
    if (take_document_settings(s, own, k, e))
        return -1;
    return k->sections == SECTION_MODEL ? take_training(s, own, e) : 0;
}

int settings_document_read(struct settings *s, struct str text, struct err *e)
{
    struct settings own = {.path = s->path};
    int rc = settings_document_flatten(&own, text, e);
    if (rc == 0)
        rc = settings_document_take(s, &own, e);
    if (rc == 0)
        note_parts(s, &own);
    settings_release(&own);
    return rc;
}
