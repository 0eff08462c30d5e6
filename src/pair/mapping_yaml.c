/* msprobe's mapping files. Their kind is recognised by their form: a list of operators (api), classes with their
 * children (layer), or one line per name, of rows (data) or modules (cell). */
#include "pair/mapping_file.h"

#include <stdlib.h>
#include <yaml.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/msg.h"
#include "base/utf8.h"

enum { ARGS_MOST = 256, LINE_MOST = 1 << 20 };

struct yaml_reading {
    struct mapping *m;
    struct err *e;
    yaml_parser_t parser;
    yaml_event_t ev;
    bool held;        /* ev holds an event not consumed yet */
    struct map seen;  /* class and target → entry */
    struct buf clean; /* a name prepared for a message */
};

static size_t line_of_node(const struct yaml_reading *r)
{
    return r->ev.start_mark.line + 1;
}

static int yaml_expected(struct yaml_reading *r, const char *what)
{
    return err_line(r->e, r->m->path, line_of_node(r), "%s", what);
}

/* The next event with content. */
static int yaml_next(struct yaml_reading *r)
{
    do {
        if (r->held)
            yaml_event_delete(&r->ev);
        r->held = yaml_parser_parse(&r->parser, &r->ev) != 0;
        if (!r->held && r->parser.error == YAML_MEMORY_ERROR)
            mem_failed(0);
        if (!r->held)
            return err_line(r->e, r->m->path, r->parser.problem_mark.line + 1, "%s",
                            r->parser.problem ? r->parser.problem : "YAML");
    } while (r->ev.type == YAML_STREAM_START_EVENT || r->ev.type == YAML_DOCUMENT_END_EVENT);
    if (r->ev.type == YAML_ALIAS_EVENT)
        return yaml_expected(r, _("expected a name, found a reference to another value"));
    if (r->ev.type == YAML_SCALAR_EVENT && r->ev.data.scalar.length > MAPPING_TEXT_MOST)
        return yaml_expected(r, _("expected a name, found a text of more than 4096 bytes"));
    return 0;
}

static bool yaml_is(const struct yaml_reading *r, yaml_event_type_t type)
{
    return r->ev.type == type;
}

/* Valid until the next event. */
static struct str yaml_scalar(const struct yaml_reading *r)
{
    return str_n((const char *)r->ev.data.scalar.value, r->ev.data.scalar.length);
}

static const char *yaml_shown(struct yaml_reading *r, struct str s)
{
    buf_clear(&r->clean);
    utf8_clean(&r->clean, str_n(s.p, s.n < 200 ? s.n : 200));
    return r->clean.p ? r->clean.p : "";
}

/* Adds an entry; a duplicate key is an error unless both entries are equal. */
static int yaml_add(struct yaml_reading *r, struct mapping_entry x, size_t line)
{
    struct buf key = {0};
    buf_str(&key, x.within);
    buf_char(&key, '\n');
    buf_str(&key, x.target);
    uint32_t at = map_add(&r->seen, arena_str(&r->m->arena, buf_view(&key)), (uint32_t)r->m->entries.n);
    buf_release(&key);
    if (at == r->m->entries.n) {
        vec_push(&r->m->entries, x);
        return 0;
    }
    if (str_eq(r->m->entries.v[at].golden, x.golden))
        return 0;
    return err_line(r->e, r->m->path, line, _("\"%s\" is already listed with a different name; list each name once"),
                    yaml_shown(r, x.target));
}

/* ---- operators ---- */

struct operator_keys {
    const char *name, *other; /* msprobe's code reads the first, its documentation has the second */
    enum side side;
    uint8_t io;
};

static const struct operator_keys keys[] = {
    {"ms_args", NULL, TARGET, IO_INPUT},
    {"pt_args", NULL, GOLDEN, IO_INPUT},
    {"ms_output", "ms_outputs", TARGET, IO_OUTPUT},
    {"pt_output", "pt_outputs", GOLDEN, IO_OUTPUT},
    {"ms_parameters", NULL, TARGET, IO_PARAMETER},
    {"pt_parameters", NULL, GOLDEN, IO_PARAMETER},
    {"ms_parameters_grad", NULL, TARGET, IO_GRADIENT},
    {"pt_parameters_grad", NULL, GOLDEN, IO_GRADIENT},
};

struct operator_lists {
    struct str name[2];
    VEC(struct str) list[2][IO_COUNT];
};

static bool operator_key(struct str key)
{
    return str_is(key, "ms_api") || str_is(key, "pt_api");
}

static int read_list(struct yaml_reading *r, struct operator_lists *o, const struct operator_keys *k)
{
    bool many = yaml_is(r, YAML_SEQUENCE_START_EVENT);
    if (!many && !yaml_is(r, YAML_SCALAR_EVENT))
        return yaml_expected(r, _("expected a list of positions, as in [0, 1]"));
    if (!many && !yaml_scalar(r).n) /* empty */
        return 0;
    while (!many || yaml_next(r) == 0) {
        if (many && yaml_is(r, YAML_SEQUENCE_END_EVENT))
            return 0;
        if (!yaml_is(r, YAML_SCALAR_EVENT))
            return yaml_expected(r, _("expected a position: a number, or the name of a keyword argument"));
        if (o->list[k->side][k->io].n == ARGS_MOST)
            return yaml_expected(r, _("more than 256 arguments of one operator"));
        struct str s = arena_str(&r->m->arena, yaml_scalar(r));
        vec_push(&o->list[k->side][k->io], s);
        if (!many)
            return 0;
    }
    return -1;
}

/* Reads one key with its value; the key's event has been read. */
static int read_operator_key(struct yaml_reading *r, struct operator_lists *o)
{
    struct str key = yaml_scalar(r);
    if (operator_key(key)) {
        int side = key.p[0] == 'm' ? TARGET : GOLDEN;
        if (yaml_next(r))
            return -1;
        if (!yaml_is(r, YAML_SCALAR_EVENT) || !yaml_scalar(r).n)
            return yaml_expected(r, _("expected the name of an operator, as in \"Functional.mul\""));
        o->name[side] = arena_str(&r->m->arena, yaml_scalar(r));
        return 0;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (str_is(key, keys[i].name) || (keys[i].other && str_is(key, keys[i].other)))
            return yaml_next(r) ? -1 : read_list(r, o, &keys[i]);
    return err_line(r->e, r->m->path, line_of_node(r),
                    _("expected ms_api, pt_api, ms_args, pt_args, ms_output, pt_output or ms_/pt_parameters, found "
                      "\"%s\""),
                    yaml_shown(r, key));
}

static int keep_operator(struct yaml_reading *r, const struct operator_lists *o, size_t line)
{
    static const char *const names[IO_COUNT] = {"args", "output", "parameters", "parameters_grad"};
    struct mapping *m = r->m;
    if (!o->name[TARGET].n || !o->name[GOLDEN].n)
        return err_line(r->e, m->path, line, _("expected ms_api and pt_api: the two operators that correspond"));
    struct mapping_entry x = {.target = o->name[TARGET], .golden = o->name[GOLDEN], .slot = (uint32_t)m->slots.n};
    for (int io = 0; io < IO_COUNT; io++) {
        size_t n = o->list[TARGET][io].n;
        if (n != o->list[GOLDEN][io].n)
            return err_line(r->e, m->path, line,
                            _("ms_%s has %zu entries, pt_%s %zu: expected equal numbers"), names[io], n,
                            names[io], o->list[GOLDEN][io].n);
        for (size_t i = 0; i < n; i++) {
            struct mapping_slot s = {(uint8_t)io, o->list[TARGET][io].v[i], o->list[GOLDEN][io].v[i]};
            vec_push(&m->slots, s);
        }
    }
    x.slots = (uint32_t)m->slots.n - x.slot;
    /* an operator may have several entries: the last one that exists on the golden side counts */
    vec_push(&m->entries, x);
    return 0;
}

/* Reads a mapping after its start; first: the event of its first key has been read. */
static int read_operator(struct yaml_reading *r, bool first)
{
    struct operator_lists o = {0};
    size_t line = line_of_node(r);
    int rc = 0;
    while (rc == 0 && (rc = first ? 0 : yaml_next(r)) == 0 && !yaml_is(r, YAML_MAPPING_END_EVENT)) {
        first = false;
        rc = yaml_is(r, YAML_SCALAR_EVENT) ? read_operator_key(r, &o)
             : yaml_expected(r, _("expected a key such as ms_api"));
    }
    if (rc == 0)
        rc = keep_operator(r, &o, line);
    for (int s = 0; s < 2; s++)
        for (int io = 0; io < IO_COUNT; io++)
            vec_release(&o.list[s][io]);
    return rc;
}

static int read_operators(struct yaml_reading *r)
{
    r->m->kind = MAPPING_API;
    for (;;) {
        if (yaml_next(r))
            return -1;
        if (yaml_is(r, YAML_SEQUENCE_END_EVENT))
            return 0;
        if (!yaml_is(r, YAML_MAPPING_START_EVENT))
            return yaml_expected(r,
                                 _("expected an operator: ms_api, pt_api, ms_args, pt_args, ms_output, pt_output (an "
                                      "api mapping)"));
        if (read_operator(r, false))
            return -1;
    }
}

/* ---- classes ---- */

static int read_children(struct yaml_reading *r, struct str first_class_name)
{
    if (!yaml_is(r, YAML_MAPPING_START_EVENT)) {
        if (yaml_is(r, YAML_SCALAR_EVENT) && !yaml_scalar(r).n) /* a class without entries */
            return 0;
        return yaml_expected(r, _("expected the children of a class, \"child: child\" (a layer mapping)"));
    }
    for (;;) {
        if (yaml_next(r))
            return -1;
        if (yaml_is(r, YAML_MAPPING_END_EVENT))
            return 0;
        if (!yaml_is(r, YAML_SCALAR_EVENT) || !yaml_scalar(r).n)
            return yaml_expected(r, _("expected the path of a child module"));
        size_t line = line_of_node(r);
        struct str child = arena_str(&r->m->arena, yaml_scalar(r)), golden, rest;
        if (yaml_next(r))
            return -1;
        if (!yaml_is(r, YAML_SCALAR_EVENT) || !yaml_scalar(r).n)
            return yaml_expected(r, _("expected the path of a child module on the golden side"));
        str_split(yaml_scalar(r), '(', &golden, &rest); /* msprobe allows a remark in brackets */
        struct mapping_entry x = mapping_entry_of(r->m, child, str_trim(golden));
        x.within = str_is(first_class_name, "Cell") ? STR(MAPPING_TOP) : first_class_name;
        if (yaml_add(r, x, line))
            return -1;
    }
}

/* ---- one line a name ---- */

/* Whether a name is a row's. */
static bool row_like(struct str s)
{
    static const char *const words[] = {".forward.", ".backward.", ".parameters_grad",
                                        "_forward_", "_backward_", ".debug"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_has(s, words[i]))
            return true;
    struct str rest = s;
    for (ptrdiff_t dot; (dot = str_find(rest, '.')) >= 0;) {
        rest = str_cut(rest, (size_t)dot + 1);
        size_t word = str_starts(rest, "input.") ? 6 : str_starts(rest, "output.") ? 7 : 0;
        if (word && rest.n > word && rest.p[word] >= '0' && rest.p[word] <= '9')
            return true;
    }
    return false;
}

/* Reads the top mapping after its start: its first value determines the kind. */
static int read_names(struct yaml_reading *r)
{
    bool rows = false, layers = false;
    for (size_t n = 0;; n++) {
        if (yaml_next(r))
            return -1;
        if (yaml_is(r, YAML_MAPPING_END_EVENT))
            break;
        if (!yaml_is(r, YAML_SCALAR_EVENT))
            return yaml_expected(r, _("expected a name"));
        if (n == 0 && operator_key(yaml_scalar(r))) {
            r->m->kind = MAPPING_API;
            return read_operator(r, true);
        }
        size_t line = line_of_node(r);
        struct str key = arena_str(&r->m->arena, yaml_scalar(r));
        if (yaml_next(r))
            return -1;
        layers = n ? layers : yaml_is(r, YAML_MAPPING_START_EVENT);
        if (layers) {
            if (read_children(r, key))
                return -1;
            continue;
        }
        if (!yaml_is(r, YAML_SCALAR_EVENT))
            return yaml_expected(r, _("expected \"target name: golden name\" as in the lines before, found a nested "
                                      "value"));
        if (yaml_add(r, mapping_entry_of(r->m, key, yaml_scalar(r)), line))
            return -1;
        rows = rows || row_like(key);
    }
    r->m->kind = layers ? MAPPING_LAYER : rows || !r->m->entries.n ? MAPPING_DATA : MAPPING_CELL;
    return 0;
}

static int read_document(struct yaml_reading *r)
{
    if (yaml_next(r))
        return -1;
    if (yaml_is(r, YAML_DOCUMENT_START_EVENT) && yaml_next(r))
        return -1;
    int rc = 0;
    if (yaml_is(r, YAML_MAPPING_START_EVENT))
        rc = read_names(r);
    else if (yaml_is(r, YAML_SEQUENCE_START_EVENT))
        rc = read_operators(r);
    else if (yaml_is(r, YAML_SCALAR_EVENT) && yaml_scalar(r).n)
        rc = yaml_expected(r, _("expected \"target name: golden name\", classes with their children, or "
                                "a list of operators"));
    if (rc == 0 && !yaml_is(r, YAML_STREAM_END_EVENT))
        rc = yaml_next(r);
    return rc || yaml_is(r, YAML_STREAM_END_EVENT) ? rc
           : yaml_expected(r, _("expected the end of the file: one document"));
}

/* Limits the file's size, because libyaml keeps several copies of a scalar. */
static int check_lines(const struct mapping *m, struct str text, struct err *e)
{
    struct str line;
    for (uint64_t n = 1; text.n; n++) {
        line = str_next(&text, '\n');
        if (line.n > LINE_MOST)
            return err_line(e, m->path, n, _("a line of more than %zu bytes"), (size_t)LINE_MOST);
    }
    return 0;
}

int mapping_yaml(struct mapping *m, struct str text, struct err *e)
{
    struct yaml_reading r = {.m = m, .e = e};
    if (check_lines(m, text, e))
        return -1;
    if (!yaml_parser_initialize(&r.parser))
        mem_failed(0);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text.p, text.n);
    int rc = read_document(&r);
    if (r.held)
        yaml_event_delete(&r.ev);
    yaml_parser_delete(&r.parser);
    map_release(&r.seen);
    buf_release(&r.clean);
    return rc;
}
