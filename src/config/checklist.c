/* Loads data/checklist.conf once, compiles its expressions, and evaluates an entry's actual and required value on a
 * side. */
#include "config/checklist.h"

#include <pthread.h>

#include "base/embed.h"
#include "base/msg.h"
#include "config/check_ways.h"

static struct {
    pthread_once_t once;
    struct checklist list;
    const char *bad;
    VEC(struct str) abbreviation; /* name, what it stands for, name, … */
} data = {.once = PTHREAD_ONCE_INIT};

static void note_checklist_mistake(uint32_t line, const char *what)
{
    if (!data.bad)
        data.bad = arena_fmt(&data.list.arena, "checklist.conf:%u: %s", line, what);
}

/* "mc.num_layers" for "model.model_config.num_layers": abbreviations of the first part of a path. */
static void lengthen_paths(struct node *n)
{
    for (; n; n = n->next) {
        struct str head, rest;
        lengthen_paths(n->child);
        if (n->kind != NODE_PATH || !str_split(n->text, '.', &head, &rest))
            continue;
        for (size_t i = 0; i + 1 < data.abbreviation.n; i += 2)
            if (str_eq(head, data.abbreviation.v[i]))
                n->text =
                    str_of(arena_fmt(&data.list.arena, "%.*s.%.*s", STR_ARG(data.abbreviation.v[i + 1]),
                                     STR_ARG(rest)));
    }
}

static struct node *compile_expression(struct str text, uint32_t line)
{
    size_t bad;
    struct node *n = expr_parse(&data.list.arena, text, &bad);
    if (!n)
        note_checklist_mistake(line,
                               arena_fmt(&data.list.arena, "no expression from byte %zu on: %.*s", bad, STR_ARG(text)));
    lengthen_paths(n);
    return n;
}

/* "mindformers", "@npu", "megatron@npu" */
static bool parse_told_by(struct str word, struct told_by *by)
{
    static const char *const dialects[] = {"", "mindformers", "megatron", "hf"};
    struct str dialect, platform;
    bool at = str_split(word, '@', &dialect, &platform);
    by->platform = !at ? -1 : str_is(platform, "npu") ? PLATFORM_NPU : PLATFORM_GPU;
    for (size_t i = 0; i < ARRAY_LEN(dialects); i++)
        if (str_is(dialect, dialects[i])) {
            by->dialect = (enum dialect)i;
            return i || at;
        }
    return false;
}

static bool set_told_by(struct check_row *r, struct str word, struct str rest, uint32_t line)
{
    static const struct {
        const char *name;
        enum told_what what;
    } asked[] = {{"want", TOLD_WANT}, {"guide", TOLD_GUIDE}, {"start", TOLD_GUIDE}};
    struct told_by by = {0};
    struct str of = word;
    for (size_t i = 0; i < ARRAY_LEN(asked); i++) {
        size_t n = strlen(asked[i].name);
        if (!str_starts(word, asked[i].name) || word.n == n || (word.p[n] != '@' && word.p[n] != ':'))
            continue;
        by.what = asked[i].what;
        of = str_cut(word, word.p[n] == '@' ? n : n + 1);
        r->start |= str_starts(word, "start");
    }
    if (!parse_told_by(of, &by))
        return false;
    if (by.what == TOLD_VALUE)
        by.value = compile_expression(rest, line);
    else
        by.want = rest;
    vec_push(&r->by, by);
    return true;
}

static struct check_row *begin_check_row(struct str head, uint32_t line)
{
    struct check_row r = {0};
    struct str severity, judge;
    str_split(head, ' ', &r.id, &head);
    if (str_is(r.id, "let")) {
        r.id.n = 0;
        r.key = head;
    } else {
        str_split(head, ' ', &r.category, &head);
        str_split(head, ' ', &r.key, &head);
        str_split(head, ' ', &severity, &judge);
        r.severity = str_is(severity, "error") ? SEVERITY_ERROR
                                               : str_is(severity, "warn") ? SEVERITY_WARN : SEVERITY_INFO;
        r.judge = check_way_find(judge);
        if (!r.judge)
            note_checklist_mistake(line, "no such judge");
    }
    if (map_get(&data.list.by_key, r.key) != MAP_NONE)
        note_checklist_mistake(line, "the key stands here twice");
    vec_push(&data.list.row, r);
    map_add(&data.list.by_key, r.key, (uint32_t)data.list.row.n - 1);
    return vec_last(&data.list.row);
}

static void set_check_field(struct check_row *r, struct str word, struct str rest, uint32_t line)
{
    const struct {
        const char *name;
        struct str *to;
    } texts[] = {{"want", &r->want}, {"recommended", &r->recommended}, {"accept", &r->accept}, {"en", &r->text},
                 {"zh", &r->text_zh},
                 {"source", &r->source}, {"guide", &r->guide}, {"start", &r->guide}, {"says-en", &r->says},
                 {"says-zh", &r->says_zh}};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        if (str_is(word, texts[i].name)) {
            *texts[i].to = rest;
            r->start |= str_is(word, "start");
            return;
        }
    if (str_is(word, "number"))
        r->number = true;
    else if (str_is(word, "when"))
        r->when = compile_expression(rest, line);
    else if (str_is(word, "guide-when"))
        r->guide_when = compile_expression(rest, line);
    else if (!set_told_by(r, word, rest, line))
        note_checklist_mistake(line, "no such field");
}

static void load_checklist(void)
{
    struct str rest = embed_str(&embed_checklist_conf), line, word, value;
    struct check_row *r = NULL;
    for (uint32_t n = 1; rest.n; n++) {
        line = str_next(&rest, '\n');
        if (!line.n || line.p[0] == '#')
            continue;
        bool inner = line.p[0] == ' ';
        str_split(str_trim(line), ' ', &word, &value);
        value = str_trim(value);
        if (str_is(word, "short") && !inner) {
            word = str_next(&value, ' ');
            vec_push(&data.abbreviation, word);
            vec_push(&data.abbreviation, value);
        } else if (!inner) {
            r = begin_check_row(line, n);
        } else if (r) {
            set_check_field(r, word, value, n);
        }
    }
}

const struct checklist *checklist_get(void)
{
    pthread_once(&data.once, load_checklist);
    return &data.list;
}

/* Names of other entries that nobody has. */
static void check_checklist_entries(const struct node *n)
{
    for (; n; n = n->next) {
        check_checklist_entries(n->child);
        if (n->kind == NODE_ENTRY && map_get(&data.list.by_key, n->text) == MAP_NONE)
            note_checklist_mistake(0, arena_fmt(&data.list.arena, "@%.*s: no such entry", STR_ARG(n->text)));
    }
}

const char *checklist_bad(void)
{
    const struct checklist *c = checklist_get();
    for (size_t i = 0; i < c->row.n; i++) {
        const struct check_row *r = &c->row.v[i];
        check_checklist_entries(r->when);
        check_checklist_entries(r->guide_when);
        for (size_t k = 0; k < r->by.n; k++)
            check_checklist_entries(r->by.v[k].value);
        if (r->accept.n && map_get(&c->by_key, r->accept) == MAP_NONE)
            note_checklist_mistake(0, "accept names no entry");
        if (r->id.n && (!r->text.n || !r->text_zh.n || !r->source.n))
            note_checklist_mistake(0,
                                   arena_fmt(&data.list.arena, "%.*s: en, zh and source belong to every row",
                                             STR_ARG(r->id)));
        bool advised = r->guide.n > 0;
        for (size_t k = 0; k < r->by.n; k++)
            advised |= r->by.v[k].what == TOLD_GUIDE;
        if (advised != (r->says.n > 0) || advised != (r->says_zh.n > 0))
            note_checklist_mistake(0,
                                   arena_fmt(&data.list.arena, "%.*s: guide, says-en and says-zh belong together",
                                             STR_ARG(r->id)));
    }
    return data.bad;
}

const struct check_row *checklist_find(struct str name)
{
    const struct checklist *c = checklist_get();
    uint32_t i = map_get(&c->by_key, name);
    if (i != MAP_NONE && c->row.v[i].id.n)
        return &c->row.v[i];
    for (size_t k = 0; k < c->row.n; k++)
        if (c->row.v[k].id.n && str_ieq(c->row.v[k].id, name))
            return &c->row.v[k];
    return NULL;
}

const char *check_severity_name(enum check_severity s)
{
    static const char *const names[] = {"info", "warn", "error"};
    return names[s];
}

struct str checklist_text(const struct check_row *r)
{
    return str_is(str_of(msg_current()), "zh_CN") ? r->text_zh : r->text;
}

struct str checklist_says(const struct check_row *r)
{
    return str_is(str_of(msg_current()), "zh_CN") ? r->says_zh : r->says;
}

static const struct told_by *best_told_value(const struct check_row *r, const struct settings *s, enum told_what what)
{
    const struct told_by *best = NULL;
    int best_fit = -1;
    for (size_t i = 0; i < r->by.n; i++) {
        const struct told_by *b = &r->by.v[i];
        int fit = (b->dialect != DIALECT_NONE) + 2 * (b->platform >= 0);
        if (b->what == what && (b->dialect == DIALECT_NONE || b->dialect == s->dialect) &&
            (b->platform < 0 || b->platform == (int)s->platform) && fit > best_fit) {
            best = b;
            best_fit = fit;
        }
    }
    return best;
}

const struct node *checklist_value(const struct check_row *r, const struct settings *s)
{
    const struct told_by *b = best_told_value(r, s, TOLD_VALUE);
    return b ? b->value : NULL;
}

struct str checklist_want(const struct check_row *r, const struct settings *s)
{
    const struct told_by *b = best_told_value(r, s, TOLD_WANT);
    return b ? b->want : r->want;
}

struct str checklist_guide(const struct check_row *r, const struct settings *s)
{
    const struct told_by *b = best_told_value(r, s, TOLD_GUIDE);
    return b ? b->want : r->guide;
}
