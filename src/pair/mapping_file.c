/* Reads mapping files in JSON (YAML: mapping_yaml.c). The kind is recognised by the content. */
#include "pair/mapping_file.h"

#include "base/io.h"
#include "base/map.h"
#include "base/msg.h"
#include "base/json_read.h"
#include "base/json_tree.h"
#include "pair/view.h"

#define LARGEST (1u << 30)

struct mapping_entry mapping_entry_of(struct mapping *m, struct str target, struct str golden)
{
    struct mapping_entry x = {.target = arena_str(&m->arena, target), .golden = arena_str(&m->arena, golden)};
    if (str_is(golden, "N/A") || str_is(golden, "-") || str_is(golden, "~"))
        x.golden.n = 0;
    return x;
}

/* ---- this program's format ---- */

static int add_pair(struct mapping *m, const cJSON *it, int n, struct err *e)
{
    const cJSON *t = json_member(it, "target");
    const cJSON *g = json_member(it, "golden");
    const cJSON *v = json_member(it, "view");
    struct view view;
    struct err why;
    if (!cJSON_IsString(t) || (!cJSON_IsString(g) && !cJSON_IsNull(g)))
        return err_set(e, ERR_DATA, _("%s: pairs[%d]: expected \"target\" and \"golden\" row names"), m->path, n);
    if (v && !cJSON_IsNull(v) && !cJSON_IsString(v))
        return err_set(e, ERR_DATA, _("%s: pairs[%d]: \"view\": expected a text, as in \"golden split -1 2 0:8\""),
                       m->path,
                       n);
    struct mapping_entry x =
        mapping_entry_of(m, str_of(t->valuestring), cJSON_IsString(g) ? str_of(g->valuestring) : STR(""));
    if (cJSON_IsString(v)) {
        if (view_parse(&view, str_of(v->valuestring), &why))
            return err_set(e, ERR_DATA, _("%s: pairs[%d]: %s"), m->path, n, why.text);
        x.view = arena_str(&m->arena, str_of(v->valuestring));
    }
    vec_push(&m->entries, x);
    return 0;
}

static int load_pairs(struct mapping *m, const cJSON *root, const cJSON *pairs, struct err *e)
{
    const cJSON *schema = json_member(root, "schema");
    m->kind = MAPPING_PAIRS;
    if (cJSON_IsNumber(schema) && schema->valuedouble > 1)
        return err_set(e, ERR_DATA, _("%s: written by a newer version (schema %g; this program reads 1)"), m->path,
                       schema->valuedouble);
    if (!cJSON_IsArray(pairs))
        return err_set(e, ERR_DATA, _("%s: \"pairs\": expected a list, {\"pairs\": [{\"target\": row, \"golden\": "
                                      "row}]}"),
                       m->path);
    int n = 0;
    for (const cJSON *it = pairs->child; it; it = it->next)
        if (add_pair(m, it, n++, e))
            return -1;
    return 0;
}

/* ---- tb_graph_ascend ---- */

static int load_matches(struct mapping *m, const cJSON *root, struct err *e)
{
    struct map seen = {0};
    int rc = 0;
    m->kind = MAPPING_MATCHES;
    for (const cJSON *it = root->child; it && rc == 0; it = it->next) {
        if (!cJSON_IsString(it)) {
            rc = err_set(e, ERR_DATA,
                         _("%s: expected a list \"pairs\" (diverge's own format) or \"target call\": \"golden call\" "
                           "(tb_graph_ascend), found \"%.60s\""),
                         m->path, it->string);
            break;
        }
        struct mapping_entry x = mapping_entry_of(m, str_of(it->string), str_of(it->valuestring));
        uint32_t at = map_add(&seen, x.target, (uint32_t)m->entries.n);
        if (at == m->entries.n)
            vec_push(&m->entries, x);
        else if (!str_eq(m->entries.v[at].golden, x.golden))
            rc = err_set(e, ERR_DATA, _("%s: \"%.60s\" is listed twice"), m->path, it->string);
    }
    map_release(&seen);
    return rc;
}

static int load_json(struct mapping *m, struct str text, struct err *e)
{
    cJSON *root = json_text(text, m->path, e);
    if (!root)
        return -1;
    const cJSON *pairs = json_member(root, "pairs");
    int rc = pairs && !cJSON_IsString(pairs) ? load_pairs(m, root, pairs, e) : load_matches(m, root, e);
    cJSON_Delete(root);
    return rc;
}

/* ---- all ---- */

int mapping_load(struct mapping *m, const char *path, struct err *e)
{
    struct buf text = {0};
    *m = (struct mapping){0};
    m->path = arena_cstr(&m->arena, str_of(path));
    int rc = file_slurp(path, LARGEST, &text, e);
    if (rc == 0) {
        struct str s = str_trim(buf_view(&text));
        rc = s.n && s.p[0] == '{' ? load_json(m, s, e)
                                  : mapping_yaml(m, str_n(text.p, s.n ? (size_t)(s.p + s.n - text.p) : 0), e);
    }
    buf_release(&text);
    if (rc)
        mapping_release(m);
    return rc;
}

void mapping_release(struct mapping *m)
{
    vec_release(&m->entries);
    vec_release(&m->slots);
    arena_release(&m->arena);
    m->path = NULL;
}
