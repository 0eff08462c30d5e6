/* Reads calls, rows and stacks from lines of JSON. */
#include "fmt/row_records.h"

#include <math.h>

#include "base/json_tree.h"
#include "base/msg.h"
#include "base/record.h"
#include "dump/family.h"

#define DEEPEST 1000 /* the deepest nesting of modules */
#define HAS_MOST (2 * IS_UNPARSED) /* bits of a row are below */

double json_line_number(const cJSON *v)
{
    if (cJSON_IsNumber(v))
        return v->valuedouble;
    if (cJSON_IsString(v) && strcmp(v->valuestring, "Inf") == 0)
        return INFINITY;
    if (cJSON_IsString(v) && strcmp(v->valuestring, "-Inf") == 0)
        return -INFINITY;
    return NAN;
}

/* An integer below `most`; `otherwise` for anything else. */
uint64_t json_line_whole(const cJSON *v, uint64_t most, uint64_t otherwise)
{
    double x = cJSON_IsNumber(v) ? v->valuedouble : -1;
    return x >= 0 && x < (double)most ? (uint64_t)x : otherwise;
}

static bool is_of_kind(const cJSON *v, char kind)
{
    switch (kind) {
    case 'w':
    case 'i':
        return cJSON_IsNumber(v) && v->valuedouble == floor(v->valuedouble) && (kind == 'i' || v->valuedouble >= 0);
    case 'n':
        return cJSON_IsNumber(v) || !isnan(json_line_number(v)) ||
               (cJSON_IsString(v) && strcmp(v->valuestring, "NaN") == 0);
    case 's':
        return cJSON_IsString(v);
    case 'l':
        return cJSON_IsArray(v);
    default:
        return cJSON_IsNull(v) || is_of_kind(v, (char)(kind - 'A' + 'a'));
    }
}

bool json_line_fits(const cJSON *list, const char *kinds)
{
    const cJSON *it = cJSON_IsArray(list) ? list->child : NULL;
    if (!cJSON_IsArray(list))
        return false;
    for (; *kinds && kinds[1] != '*'; kinds++, it = it->next)
        if (!it || !is_of_kind(it, *kinds))
            return false;
    for (; *kinds && it; it = it->next)
        if (!is_of_kind(it, *kinds))
            return false;
    return true;
}

int json_line_damaged(const char *path, uint64_t line, struct err *e)
{
    return err_line(e, path, line, "%s", _("expected a record as diverge writes it"));
}

const char *json_line_text(struct dump *d, const cJSON *v, const char *otherwise)
{
    return cJSON_IsString(v) ? arena_cstr(&d->arena, str_of(v->valuestring)) : otherwise;
}

int row_records_head(struct dump *d, const cJSON *o, const char *path, struct err *e)
{
    static const struct member types[] = {
        {.key = "id", .kind = MEMBER_TEXT}, {.key = "format", .kind = MEMBER_TEXT},
        {.key = "framework", .kind = MEMBER_TEXT}, {.key = "level", .kind = MEMBER_TEXT},
        {.key = "task", .kind = MEMBER_TEXT}, {.key = "digits", .kind = MEMBER_INT},
        {.key = "joint", .kind = MEMBER_TEXT}, {.key = "checksums", .kind = MEMBER_FLAG},
        {.key = "step", .kind = MEMBER_INT}, {.key = "rank", .kind = MEMBER_INT}, {.key = "of", .kind = MEMBER_INT},
        {.key = "cut", .kind = MEMBER_FLAG}, {.key = NULL},
    };
    if (record_check(types, o, path, e))
        return -1;
    d->framework = json_line_text(d, json_member(o, "framework"), "");
    d->level = json_line_text(d, json_member(o, "level"), "");
    d->task = json_line_text(d, json_member(o, "task"), "");
    d->digits = (int)json_line_whole(json_member(o, "digits"), 18, 17);
    d->joint = *json_line_text(d, json_member(o, "joint"), ".");
    d->checksums = cJSON_IsTrue(json_member(o, "checksums"));
    return 0;
}

static int add_stack(struct dump *d, const cJSON *list, const char *path, uint64_t line, struct err *e)
{
    struct stack s = {(uint32_t)d->stack_frames.n, 0};
    const cJSON *it;
    cJSON_ArrayForEach(it, list) {
        if (!cJSON_IsString(it) && !json_line_fits(it, "swss"))
            return json_line_damaged(path, line, e);
        struct frame f = {.file = "", .func = "", .code = ""};
        if (cJSON_IsString(it)) {
            f.raw = json_line_text(d, it, "");
        } else {
            f.file = json_line_text(d, cJSON_GetArrayItem(it, 0), "");
            f.line = (uint32_t)json_line_whole(cJSON_GetArrayItem(it, 1), UINT32_MAX, 0);
            f.func = json_line_text(d, cJSON_GetArrayItem(it, 2), "");
            f.code = json_line_text(d, cJSON_GetArrayItem(it, 3), "");
        }
        vec_push(&d->frames, f);
        vec_push(&d->stack_frames, (uint32_t)d->frames.n - 1);
        s.n++;
    }
    vec_push(&d->stacks, s);
    return 0;
}

static enum family family_named(const char *name)
{
    for (int f = 0; f < FAMILY_COUNT; f++)
        if (strcmp(family_name((enum family)f), name) == 0)
            return (enum family)f;
    return FAMILY_OTHER;
}

static int add_call(struct dump *d, struct row_records *all, const cJSON *o, const char *path, struct err *e)
{
    static const struct member types[] = {
        {.key = "call", .kind = MEMBER_TEXT}, {.key = "kind", .kind = MEMBER_INT},
        {.key = "phase", .kind = MEMBER_INT}, {.key = "family", .kind = MEMBER_TEXT},
        {.key = "scope", .kind = MEMBER_TEXT}, {.key = "stack", .kind = MEMBER_INT},
        {.key = "in", .kind = MEMBER_INT}, {.key = "twin", .kind = MEMBER_INT},
        {.key = "gradient", .kind = MEMBER_FLAG}, {.key = NULL},
    };
    if (record_check(types, o, path, e))
        return -1;
    const char *name = json_line_text(d, json_member(o, "call"), ""),
               *scope = json_line_text(d, json_member(o, "scope"), NULL);
    uint32_t c = dump_add_call(
        d, str_of(name), (enum call_kind)json_line_whole(json_member(o, "kind"), CALL_OPERATOR + 1, CALL_API),
        (enum call_phase)json_line_whole(json_member(o, "phase"), PHASE_COUNT, PHASE_FORWARD));
    struct call *x = &d->calls.v[c];
    x->family = (uint8_t)family_named(json_line_text(d, json_member(o, "family"), ""));
    x->stack = (uint32_t)json_line_whole(json_member(o, "stack"), d->stacks.n, NONE);
    x->gradient = cJSON_IsTrue(json_member(o, "gradient"));
    if (scope)
        d->calls.v[c].scope = dump_scope(d, str_of(scope));
    vec_push(&all->parent, (uint32_t)json_line_whole(json_member(o, "in"), NONE, NONE));
    vec_push(&all->twin, (uint32_t)json_line_whole(json_member(o, "twin"), NONE, NONE));
    return 0;
}

static uint32_t shape_of(struct dump *d, const cJSON *list)
{
    int64_t dim[TENSOR_DIMS];
    int n = 0;
    const cJSON *it;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > TENSOR_DIMS)
        return NONE;
    cJSON_ArrayForEach(it, list)
        dim[n++] = (int64_t)json_line_whole(it, INT64_MAX, 0);
    return dump_shape(d, dim, n);
}

static uint32_t extra_of(struct dump *d, const cJSON *counts, const cJSON *file)
{
    if (!cJSON_IsArray(counts) && !cJSON_IsString(file))
        return NONE;
    struct row_extra x =
        {.file = json_line_text(d, file, NULL), .counts = (uint8_t)json_line_whole(cJSON_GetArrayItem(counts, 0), 16, 0)};
    uint64_t *const at[] = {&x.nan, &x.neg_inf, &x.pos_inf, &x.zero};
    for (int i = 0; i < 4; i++)
        *at[i] = json_line_whole(cJSON_GetArrayItem(counts, i + 1), UINT64_MAX, 0);
    vec_push(&d->extras, x);
    return (uint32_t)d->extras.n - 1;
}

/* [call, slot, io, kind, type, has, shape, [max, min, mean, norm], text, [counts], file] */
static int row_records_add_row(struct dump *d, const cJSON *a, const char *path, uint64_t line, struct err *e)
{
    const cJSON *at[11] = {NULL};
    size_t n = 0;
    for (const cJSON *it = a->child; it && n < ARRAY_LEN(at); it = it->next)
        at[n++] = it;
    uint32_t call = json_line_fits(a, "wswwswLlSLS") ? (uint32_t)json_line_whole(at[0], d->calls.n, NONE) : NONE;
    if (call == NONE || d->rows.n >= NONE - 1)
        return err_line(e, path, line, _("expected a row of 11 values, the first the number of a call above"));
    if (!json_line_fits(at[7], "nnnn") || (cJSON_IsArray(at[6]) && !json_line_fits(at[6], "w*")) ||
        (cJSON_IsArray(at[9]) && !json_line_fits(at[9], "wwwww")) ||
        json_line_whole(at[2], IO_COUNT, NONE) == NONE || json_line_whole(at[3], ROW_NULL + 1, NONE) == NONE ||
        json_line_whole(at[5], HAS_MOST, NONE) == NONE)
        return json_line_damaged(path, line, e);
    struct row r = {
        .slot = dump_slot(d, str_of(json_line_text(d, at[1], ""))),
        .io = (uint8_t)json_line_whole(at[2], IO_COUNT, IO_INPUT),
        .kind = (uint8_t)json_line_whole(at[3], ROW_NULL + 1, ROW_NULL),
        .dtype = (uint8_t)dtype_find(str_of(json_line_text(d, at[4], ""))),
        .has = (uint16_t)(json_line_whole(at[5], HAS_MOST, 0) & ~(uint64_t)(HAS_FILE | IS_DAMAGED)),
        .shape = shape_of(d, at[6]),
        .text = json_line_text(d, at[8], NULL),
        .extra = extra_of(d, at[9], at[10]),
    };
    for (int i = 0; i < STAT_COUNT; i++)
        r.stat[i] = json_line_number(cJSON_GetArrayItem(at[7], i));
    if (r.shape == NONE)
        r.has &= (uint16_t)~HAS_SHAPE;
    if (cJSON_IsString(at[10]))
        r.has |= HAS_FILE;
    if ((r.kind != ROW_TENSOR || r.has & HAS_CHECKSUM) && !r.text)
        r.text = "";
    dump_add_row(d, call, r);
    return 0;
}

static int add_problem(struct dump *d, const cJSON *a, const char *path, uint64_t line, struct err *e)
{
    if (!json_line_fits(a, "Iss"))
        return json_line_damaged(path, line, e);
    uint32_t row = (uint32_t)json_line_whole(cJSON_GetArrayItem(a, 0), d->rows.n, NONE);
    const char *kind = json_line_text(d, cJSON_GetArrayItem(a, 1), ""),
               *text = json_line_text(d, cJSON_GetArrayItem(a, 2), "");
    if (*kind && *text)
        (cJSON_IsTrue(cJSON_GetArrayItem(a, 3)) ? dump_recorded : dump_problem)(d, row, kind, text);
    return 0;
}

int row_records_take(struct row_records *all, struct dump *d, const cJSON *o, const char *path, uint64_t line,
                     struct err *e)
{
    const cJSON *v;
    if ((v = json_member(o, "row")))
        return row_records_add_row(d, v, path, line, e);
    if (json_member(o, "call"))
        return add_call(d, all, o, path, e);
    if ((v = json_member(o, "stack")))
        return cJSON_IsArray(v) ? add_stack(d, v, path, line, e) : json_line_damaged(path, line, e);
    if ((v = json_member(o, "problem")))
        return add_problem(d, v, path, line, e);
    if ((v = json_member(o, "warning")) && !cJSON_IsString(v))
        return json_line_damaged(path, line, e);
    if (v && *v->valuestring)
        dump_warn(d, json_line_text(d, v, ""));
    return 0;
}

/* Links twins that name each other, and parents without cycles. */
void row_records_tie(const struct row_records *all, struct dump *d)
{
    for (uint32_t c = 0; c < d->calls.n; c++) {
        uint32_t twin = all->twin.v[c], up = all->parent.v[c];
        if (twin < d->calls.n && twin != c && all->twin.v[twin] == c)
            d->calls.v[c].twin = twin;
        int depth = 0;
        while (up < d->calls.n && depth++ < DEEPEST)
            up = all->parent.v[up];
        if (all->parent.v[c] < d->calls.n && depth < DEEPEST)
            d->calls.v[c].parent = all->parent.v[c];
    }
}

void row_records_release(struct row_records *all)
{
    vec_release(&all->parent);
    vec_release(&all->twin);
}
