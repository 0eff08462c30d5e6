#include "fmt/mapping.h"

#include <stdlib.h>
#include <yaml.h>

#include "base/io.h"
#include "base/msg.h"
#include "fmt/jsonspan.h"

#define LARGEST (1u << 30)
#define LINE_MOST (1u << 20)

static void add(struct mapping *m, struct str target, struct str golden)
{
    struct mapping_entry x = {arena_str(&m->arena, target), arena_str(&m->arena, golden)};
    if (str_is(golden, "N/A") || str_is(golden, "-") || str_is(golden, "~"))
        x.golden.n = 0;
    vec_push(&m->entries, x);
}

static int load_json(struct mapping *m, struct str text, struct err *e)
{
    cJSON *root = json_text(text, m->path, e);
    if (!root)
        return -1;
    int rc = 0;
    const cJSON *pairs = cJSON_GetObjectItemCaseSensitive(root, "pairs");
    if (!cJSON_IsArray(pairs))
        rc = err_set(e, ERR_DATA, _("%s: an object with a list \"pairs\" was expected"), m->path);
    int n = 0;
    for (const cJSON *it = rc ? NULL : pairs->child; it && rc == 0; it = it->next, n++) {
        const cJSON *t = cJSON_GetObjectItemCaseSensitive(it, "target");
        const cJSON *g = cJSON_GetObjectItemCaseSensitive(it, "golden");
        if (!cJSON_IsString(t) || (!cJSON_IsString(g) && !cJSON_IsNull(g)))
            rc = err_set(e, ERR_DATA, _("%s: pairs[%d] needs \"target\" and \"golden\" row names"), m->path, n);
        else
            add(m, str_of(t->valuestring), cJSON_IsString(g) ? str_of(g->valuestring) : STR(""));
    }
    cJSON_Delete(root);
    return rc;
}

/* libyaml holds a scalar several times over. */
static int check_lines(const struct mapping *m, struct str text, struct err *e)
{
    struct str line;
    for (uint64_t n = 1; text.n; n++) {
        str_split(text, '\n', &line, &text);
        if (line.n > LINE_MOST)
            return err_line(e, m->path, n, _("a line of more than %zu bytes"), (size_t)LINE_MOST);
    }
    return 0;
}

/* One flat mapping of scalars; anything nested is another kind of msprobe file and said so. */
static int load_yaml(struct mapping *m, struct str text, struct err *e)
{
    yaml_parser_t parser;
    yaml_event_t ev;
    struct buf key = {0};
    bool have_key = false, done = false;
    int rc = 0, depth = 0;
    if (check_lines(m, text, e))
        return -1;
    if (!yaml_parser_initialize(&parser))
        return err_set(e, ERR_DATA, "%s: libyaml", m->path);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.p, text.n);
    while (rc == 0 && !done) {
        if (!yaml_parser_parse(&parser, &ev)) {
            rc = err_line(e, m->path, parser.problem_mark.line + 1, "%s", parser.problem ? parser.problem : "YAML");
            break;
        }
        struct str s = {0};
        if (ev.type == YAML_SCALAR_EVENT)
            s = str_n((const char *)ev.data.scalar.value, ev.data.scalar.length);
        switch (ev.type) {
        case YAML_MAPPING_START_EVENT:
            if (depth++ == 0)
                break;
            /* fall through */
        case YAML_SEQUENCE_START_EVENT:
            rc = err_line(e, m->path, ev.start_mark.line + 1,
                          _("expected \"target row: golden row\" (a data mapping); this is a nested file"));
            break;
        case YAML_SCALAR_EVENT:
            if (depth == 0) {
                rc = err_line(e, m->path, ev.start_mark.line + 1, _("expected \"target row: golden row\""));
            } else if (!have_key) {
                buf_clear(&key);
                buf_str(&key, s);
                have_key = true;
            } else {
                add(m, buf_view(&key), s);
                have_key = false;
            }
            break;
        case YAML_ALIAS_EVENT:
            rc = err_line(e, m->path, ev.start_mark.line + 1, _("a row's name was expected, not a reference to another value"));
            break;
        case YAML_STREAM_END_EVENT:
            done = true;
            break;
        default:
            break;
        }
        yaml_event_delete(&ev);
    }
    yaml_parser_delete(&parser);
    buf_release(&key);
    return rc;
}

int mapping_load(struct mapping *m, const char *path, struct err *e)
{
    struct buf text = {0};
    *m = (struct mapping){0};
    m->path = arena_cstr(&m->arena, str_of(path));
    int rc = file_slurp(path, LARGEST, &text, e);
    if (rc == 0) {
        struct str s = str_trim(buf_view(&text));
        rc = s.n && s.p[0] == '{' ? load_json(m, s, e) : load_yaml(m, s, e);
    }
    buf_release(&text);
    if (rc)
        mapping_release(m);
    return rc;
}

void mapping_release(struct mapping *m)
{
    vec_release(&m->entries);
    arena_release(&m->arena);
    m->path = NULL;
}
