/* Results of msprobe compare -da: compare_result_rankN_*.json, {"call": {"is_same", "op_items": [table rows]}}, and
 * diff_analyze_*.json, {"rank_N": [{"op_name", "data_info", "stack_info"}]}, the first differing calls with the
 * target's figures. */
#include "fmt/result_table.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/json_read.h"
#include "base/json_tree.h"

#define LIMIT 0.5 /* from msprobe's diff_analyze_threshold.yaml: relative errors of max, min, mean and norm */
#define RANK_MAX (64u << 20)

bool result_json_probe(const char *path, bool diff)
{
    char head[4096];
    struct str name = path_base(str_of(path));
    if (!str_starts(name, diff ? "diff_analyze" : "compare_result") || !str_ends(name, ".json") || !path_is_file(path))
        return false;
    struct str s = str_trim(file_head(path, head, sizeof head));
    return str_starts(s, "{") && (diff ? str_has(s, "\"rank") : str_has(s, "\"op_items\""));
}

/* ---- values as table texts ---- */

struct texts {
    struct arena arena;
    const char **frame;
    size_t frames;
};

struct str result_json_text(struct arena *a, const cJSON *v)
{
    char tmp[NUM_MAX];
    double d;
    if (cJSON_IsObject(v) || cJSON_IsArray(v)) {
        char *text = cJSON_PrintUnformatted(v);
        struct str own = arena_str(a, str_of(text));
        cJSON_free(text);
        return own;
    }
    if (cJSON_IsBool(v))
        return cJSON_IsTrue(v) ? STR("True") : STR("False");
    if (json_number(v, &d)) /* checked before strings, because NaN and Inf are marked strings */
        return str_of(arena_cstr(a, str_of(isnan(d) ? "nan" : num_exact(tmp, d))));
    return cJSON_IsString(v) ? str_of(v->valuestring) : STR("");
}

static void frames_of(struct texts *x, const cJSON *list)
{
    size_t n = 0;
    x->frames = 0;
    if (!cJSON_IsArray(list))
        return;
    for (const cJSON *it = list->child; it; it = it->next)
        n++;
    x->frame = arena_alloc(&x->arena, (n + 1) * sizeof *x->frame);
    for (const cJSON *it = list->child; it; it = it->next)
        if (cJSON_IsString(it))
            x->frame[x->frames++] = it->valuestring;
}

/* ---- compare_result_rankN_*.json ---- */

static const char *const relative[] = {"MaxRelativeErr", "MinRelativeErr", "MeanRelativeErr", "NormRelativeErr"};

/* Whether "84.6%", "0", "inf" exceeds msprobe's limit for equal values. */
static bool beyond_limit(const cJSON *item)
{
    for (size_t i = 0; i < ARRAY_LEN(relative); i++) {
        const cJSON *v = json_member(item, relative[i]);
        struct str s = cJSON_IsString(v) ? str_trim(str_of(v->valuestring)) : STR("");
        double x;
        double scale = str_ends(s, "%") ? 0.01 : 1;
        if (str_ends(s, "%"))
            s = str_n(s.p, s.n - 1);
        if (str_double(s, &x) && fabs(x) * scale > LIMIT)
            return true;
    }
    return false;
}

/* odd: what the call says and is no verdict, or NULL */
static int add_item(struct result_table *t, struct texts *x, const cJSON *item, const char *word, const cJSON *odd,
                    uint64_t line, struct err *e)
{
    struct str cell[COL_COUNT];
    for (int c = 0; c < COL_COUNT; c++)
        cell[c] = STR("");
    frames_of(x, NULL);
    for (const cJSON *v = item->child; v; v = v->next) {
        enum result_column c = v->string ? result_column(str_of(v->string)) : COL_COUNT;
        if (c == COL_COUNT)
            continue;
        if (c == COL_STACK)
            frames_of(x, v);
        t->head.had[c] = true;
        cell[c] = result_json_text(&x->arena, v);
    }
    if (odd && !t->odd.n) {
        t->odd = result_json_text(&x->arena, odd);
        t->odd_for = _("true or false");
    }
    if (!str_trim(cell[COL_RESULT]).n)
        cell[COL_RESULT] = str_of(word);
    return result_add(t, cell, x->frame, x->frames, line, e);
}

/* The tool judges a call; its limit shows which rows differ. If none exceeds it, all rows get the call's verdict. */
static int add_call(struct result_table *t, struct texts *x, const cJSON *call, uint64_t *line, struct err *e)
{
    const cJSON *same = json_member(call, "is_same");
    const cJSON *items = json_member(call, "op_items");
    bool any = false;
    if (!cJSON_IsArray(items))
        return err_set(e, ERR_DATA, "%s", _("expected a list \"op_items\""));
    for (const cJSON *it = items->child; it; it = it->next)
        any = any || beyond_limit(it);
    for (const cJSON *it = items->child; it; it = it->next) {
        const char *word = !cJSON_IsBool(same) ? "" : cJSON_IsTrue(same) || (any && !beyond_limit(it)) ? "True"
                           : "False";
        if (add_item(t, x, it, word, same && !cJSON_IsNull(same) && !cJSON_IsBool(same) ? same : NULL, ++*line, e))
            return -1;
    }
    return 0;
}

static int each_member(struct result_table *t, struct err *e,
                       int (*add)(struct result_table *t, struct texts *x, struct str key, const cJSON *v,
                                  uint64_t *line, struct err *e))
{
    struct json_members j;
    struct json_member m;
    struct texts x = {0};
    uint64_t line = 0;
    int rc;
    if (json_members_open(&j, t->path, NULL, e))
        return -1;
    t->d->bytes += j.file.size;
    t->tool = TOOL_MSPROBE;
    while ((rc = json_members_next(&j, &m, e)) > 0) {
        if (m.value.n > RANK_MAX) {
            rc = err_at(e, t->path, m.offset, _("a member of more than 64 MB"));
            break;
        }
        cJSON *v = json_parse(m.value, m.special, t->path, m.offset, e);
        struct err inner;
        t->d->bytes_done = m.offset;
        if (!v) {
            rc = -1;
            break;
        }
        rc = add(t, &x, m.key, v, &line, &inner);
        if (rc && inner.code == ERR_DATA)
            err_at(e, t->path, m.offset, "%s", inner.text);
        else if (rc)
            *e = inner;
        cJSON_Delete(v);
        arena_clear(&x.arena);
        if (rc)
            break;
    }
    json_members_close(&j);
    arena_release(&x.arena);
    return rc;
}

static int one_call(struct result_table *t, struct texts *x, struct str key, const cJSON *v, uint64_t *line,
                    struct err *e)
{
    (void)key;
    return add_call(t, x, v, line, e);
}

int result_json_read(struct result_table *t, struct err *e)
{
    return each_member(t, e, one_call);
}

/* ---- diff_analyze_*.json ---- */

static int one_row(struct result_table *t, struct texts *x, const cJSON *v, uint64_t *line, struct err *e)
{
    struct str cell[COL_COUNT];
    for (int c = 0; c < COL_COUNT; c++)
        cell[c] = STR("");
    cell[COL_TARGET_NAME] = str_of(v->string);
    cell[COL_TARGET_DTYPE] = STR("torch.Tensor"); /* the type is not in the file; the figures are a tensor's */
    for (const cJSON *s = v->child; s; s = s->next) {
        enum result_column c = s->string ? result_column(str_of(s->string)) : COL_COUNT;
        if (c >= COL_TARGET_MAX && c <= COL_TARGET_NORM)
            cell[c] = result_json_text(&x->arena, s);
    }
    return result_add(t, cell, x->frame, x->frames, ++*line, e);
}

static int one_rank(struct result_table *t, struct texts *x, struct str key, const cJSON *v, uint64_t *line,
                    struct err *e)
{
    struct buf b = {0};
    int rc = 0;
    for (const cJSON *op = cJSON_IsArray(v) ? v->child : NULL; op && rc == 0; op = op->next) {
        const cJSON *name = json_member(op, "op_name");
        const cJSON *info = json_member(op, "data_info");
        frames_of(x, json_member(op, "stack_info"));
        for (const cJSON *io = info ? info->child : NULL; io && rc == 0; io = io->next)
            for (const cJSON *row = io->child; row && rc == 0; row = row->next)
                if (cJSON_IsObject(row) && row->string)
                    rc = one_row(t, x, row, line, e);
        if (cJSON_IsString(name) && t->d->warnings.n < 64) {
            buf_clear(&b);
            buf_fmt(&b, _("%.*s: reported by msprobe: %s is one of the first differing calls; the pairs are in "
                          "compare_result_rank*.json"), STR_ARG(key),
                    name->valuestring);
            dump_warn(t->d, b.p);
        }
    }
    buf_release(&b);
    return rc;
}

int result_diff_read(struct result_table *t, struct err *e)
{
    t->head.had[COL_TARGET_NAME] = true;
    return each_member(t, e, one_rank);
}
