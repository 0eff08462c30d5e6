/* Megatron-LM's router_trace_rankN.jsonl (--moe-routing-trace-path) and tokens_per_expert/rankN.jsonl, one object per
 * line: {"step", "block", "layer", "num_tokens", "topk", "top_indices": [[expert …] …]} and {"iter", "block",
 * "layer", "tpe": [[tokens of each expert] …]}. Beside a trace there may be hidden_states_rankN.bin and
 * logits_rankN.bin of bfloat16, at the offsets hs_offset and logit_offset of a line. Each router is a call; expert
 * numbers are compared as integers. */
#include "fmt/routing_trace.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/msg.h"
#include "base/json_read.h"
#include "base/json_tree.h"
#include "base/reading.h"
#include "fmt/row_lines.h"
#include "fmt/shared_file.h"

#define LONGEST (64u << 20)
#define REST (1u << 20) /* of a line, besides its table */
#define STEPS 100000 /* of a file */

/* Where a row's values are: a table at `at` in the trace, or in a file beside it. */
struct values {
    uint64_t at, size;
    bool beside;
    const char *file; /* the name, if it is in a file of its own */
};

struct trace {
    VEC(struct values) of_row;
};

static bool is_line(struct str line)
{
    return str_starts(line, "{") && str_has(line, "\"layer\"") &&
           (str_has(line, "\"top_indices\"") || str_has(line, "\"tpe\""));
}

static bool routing_trace_probe(const char *path)
{
    struct lines l;
    struct str line;
    struct err quiet;
    bool yes = false;
    if (!str_ends(str_of(path), ".jsonl") || !path_is_file(path) || lines_open(&l, path, LONGEST, false, &quiet))
        return false;
    yes = lines_next(&l, &line, &quiet) > 0 && is_line(line);
    lines_close(&l);
    return yes;
}

/* The value of a member near the line's beginning, without parsing the line as JSON; -1 if absent. */
static int member_number(struct str line, const char *name)
{
    unsigned long long v;
    size_t n = 0;
    ptrdiff_t at = str_search(str_n(line.p, line.n < 512 ? line.n : 512), name);
    if (at < 0)
        return -1;
    struct str s = str_trim(str_cut(line, (size_t)at + strlen(name)));
    while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
        n++;
    if (n < s.n && s.p[n] != ',' && s.p[n] != '}' && s.p[n] != ' ')
        return -1; /* "1.5" */
    return str_u64(str_n(s.p, n), &v) && v < (1u << 30) ? (int)v : -1;
}

static int step_of_trace(struct str line)
{
    int step = member_number(line, "\"step\":");
    return step < 0 ? member_number(line, "\"iter\":") : step;
}

/* The N of "…rankN.jsonl". */
static int rank_of(const char *path)
{
    struct str name = path_base(str_of(path));
    ptrdiff_t at = str_search(name, "rank");
    unsigned long long n;
    if (at < 0 || name.n < (size_t)at + 4 + strlen(".jsonl"))
        return -1;
    name = str_cut(name, (size_t)at + 4);
    return str_u64(str_n(name.p, name.n - strlen(".jsonl")), &n) && n < (1u << 20) ? (int)n : -1;
}

static void routing_trace_places(const char *path, place_list *out)
{
    struct lines l;
    struct str line;
    struct err quiet;
    struct shared_file x = {.reader = &reader_routing_trace, .path = path, .most = STEPS, .out = out};
    int rank = rank_of(path);
    if (lines_open(&l, path, LONGEST, true, &quiet))
        return;
    while (lines_next(&l, &line, &quiet) > 0) {
        int step = step_of_trace(line);
        if (step >= 0)
            shared_file_line(&x, &l, step, rank);
        else
            shared_file_damaged(&x, &l);
    }
    nmap_release(&x.seen);
    lines_close(&l);
}

/* ---- rows ---- */

static void add_values(struct dump *d, uint32_t call, const char *slot, enum row_io io, enum dtype type,
                       const int64_t *dim, int ndim, struct values v)
{
    struct trace *t = d->state;
    struct row r = {.slot = dump_slot(d, str_of(slot)), .shape = dump_shape(d, dim, ndim), .extra = NONE,
                    .kind = ROW_TENSOR, .dtype = (uint8_t)type};
    r.io = (unsigned)io & 7u;
    r.has = r.shape == NONE ? 0 : HAS_SHAPE | HAS_FILE;
    dump_add_row(d, call, r);
    vec_push(&t->of_row, v);
}

/* ---- a line's table ---- */

static bool take_char(struct str *s, char c)
{
    while (s->n && (s->p[0] == ' ' || s->p[0] == '\t'))
        *s = str_cut(*s, 1);
    bool yes = s->n && s->p[0] == c;
    if (yes)
        *s = str_cut(*s, 1);
    return yes;
}

static bool take_whole(struct str *s, int32_t *out)
{
    int64_t v = 0;
    size_t n = 0;
    bool minus = take_char(s, '-');
    while (n < s->n && n < 11 && s->p[n] >= '0' && s->p[n] <= '9')
        v = v * 10 + (s->p[n++] - '0');
    *s = str_cut(*s, n);
    *out = (int32_t)(minus ? -v : v);
    return n && v <= INT32_MAX;
}

/* Takes lists of whole numbers of one length, "[[4, 0], [7, 5]]", from the beginning of s; into out, which has room for
 * so many, unless it is NULL. False where they are no table. A tree of them would be twenty times as large. */
static bool take_table(struct str *s, int64_t *dim, int32_t *out, uint64_t room)
{
    dim[0] = dim[1] = 0;
    if (!take_char(s, '['))
        return false;
    do {
        int64_t n = 0;
        int32_t v;
        if (!take_char(s, '['))
            return false;
        if (!take_char(s, ']')) {
            do {
                if (!take_whole(s, &v) || (out && !room--))
                    return false;
                if (out)
                    *out++ = v;
                n++;
            } while (take_char(s, ','));
            if (!take_char(s, ']'))
                return false;
        }
        if (dim[0]++ && n != dim[1])
            return false;
        dim[1] = n;
    } while (take_char(s, ','));
    return take_char(s, ']');
}

/* The place of a table by its name in a line's text, and what else the line says, the table's place taken by a zero. */
static bool split_line(struct str line, const char *name, int64_t *dim, struct str *table, struct buf *rest)
{
    ptrdiff_t at = str_search(line, name);
    if (at < 0)
        return false;
    struct str behind = str_cut(line, (size_t)at + strlen(name));
    if (!take_char(&behind, ':'))
        return false;
    struct str from = behind;
    if (!take_table(&behind, dim, NULL, 0) || line.n - (from.n - behind.n) > REST)
        return false;
    *table = str_n(from.p, from.n - behind.n);
    buf_clear(rest);
    buf_str(rest, str_n(line.p, (size_t)(from.p - line.p)));
    buf_char(rest, '0');
    buf_str(rest, behind);
    return true;
}

static bool is_whole(const cJSON *x)
{
    return cJSON_IsNumber(x) && x->valuedouble == (double)x->valueint;
}

/* ---- a line's rows ---- */

/* hs_offset, hs_bytes, hs_shape of a line: a tensor in a file beside the trace. False where they are no such thing. */
static bool add_beside(struct dump *d, uint32_t call, const cJSON *o, const char *prefix, const char *file,
                       const char *slot, enum row_io io)
{
    char name[32];
    int64_t dim[TENSOR_DIMS];
    int n = 0;
    snprintf(name, sizeof name, "%s_offset", prefix);
    const cJSON *at = json_member(o, name);
    snprintf(name, sizeof name, "%s_bytes", prefix);
    const cJSON *size = json_member(o, name);
    snprintf(name, sizeof name, "%s_shape", prefix);
    const cJSON *shape = json_member(o, name);
    if ((!at || cJSON_IsNull(at)) && (!size || cJSON_IsNull(size)))
        return true;
    if (!cJSON_IsNumber(at) || !cJSON_IsNumber(size) || !cJSON_IsArray(shape) || at->valuedouble < 0 ||
        at->valuedouble > 9e15 || size->valuedouble < 0 || size->valuedouble > 9e15)
        return false;
    for (const cJSON *x = shape->child; x; x = x->next) {
        if (n == TENSOR_DIMS || !is_whole(x) || x->valueint < 0)
            return false;
        dim[n++] = x->valueint;
    }
    struct values v = {.at = (uint64_t)at->valuedouble, .size = (uint64_t)size->valuedouble, .beside = true};
    v.file = arena_fmt(&d->arena, "%s_rank%d.bin", file, d->rank);
    add_values(d, call, slot, io, DTYPE_BF16, dim, n, v);
    return true;
}

/* Whether a count that the line states of its table is that of the table, where it is there. */
static bool line_states_count(const cJSON *o, const char *key, int64_t count)
{
    double n;
    enum reading found = reading_json_number(json_member(o, key), &n);
    return found == READING_ABSENT || (found == READING_VALUE && n == (double)count);
}

static bool routing_trace_read_line(struct dump *d, struct map *runs, struct str line, uint64_t offset)
{
    struct err quiet;
    struct buf name = {0}, rest = {0};
    struct str table = {0};
    int64_t dim[2];
    bool fresh, routed = split_line(line, "\"top_indices\"", dim, &table, &rest);
    bool good = routed || split_line(line, "\"tpe\"", dim, &table, &rest);
    cJSON *o = good ? json_parse(buf_view(&rest), false, d->path, offset, &quiet) : NULL;
    const cJSON *layer = json_member(o, "layer"), *block = json_member(o, "block"), *head = json_member(o, "mtp_idx");
    good = good && (!routed || (line_states_count(o, "num_tokens", dim[0]) && line_states_count(o, "topk", dim[1])));
    good = good && is_whole(layer) && (!head || cJSON_IsNull(head) || is_whole(head));
    if (good) {
        buf_fmt(&name, "%s.", cJSON_IsString(block) ? block->valuestring : "decoder");
        if (is_whole(head))
            buf_fmt(&name, "%d.", head->valueint);
        buf_fmt(&name, "layers.%d.mlp.%s", layer->valueint, routed ? "router" : "experts");
        const char *slot = routed ? "output.top_indices" : "input.tokens_per_expert";
        uint32_t c = dump_run(d, runs, buf_view(&name), dump_slot(d, str_of(slot)), CALL_MODULE, PHASE_FORWARD, &fresh);
        d->calls.v[c].offset = offset;
        good = add_beside(d, c, o, "hs", "hidden_states", "input.0", IO_INPUT);
        good = add_beside(d, c, o, "logit", "logits", "output.logits", IO_OUTPUT) && good;
        struct values v = {.at = offset + (uint64_t)(table.p - line.p), .size = table.n};
        add_values(d, c, slot, routed ? IO_OUTPUT : IO_INPUT, DTYPE_I32, dim, 2, v);
    }
    buf_release(&name);
    buf_release(&rest);
    cJSON_Delete(o);
    return good;
}

static int routing_trace_open_dump(struct dump *d, struct load *load, struct err *e)
{
    struct lines l;
    struct str line;
    struct map runs = {0};
    int more = 0;
    if (shared_file_open(&l, d, LONGEST, e))
        return -1;
    load_begin(load);
    d->state = mem_zalloc(sizeof(struct trace));
    d->framework = "pytorch";
    d->task = "tensor";
    d->joint = '.';
    load_end(load);
    while (!load_cancelled(load) && (more = lines_next(&l, &line, e)) > 0) {
        int step = step_of_trace(line);
        if (!str_trim(line).n || (d->step >= 0 && step >= 0 && step != d->step))
            continue;
        load_begin(load);
        if ((d->step >= 0 && step < 0) || !routing_trace_read_line(d, &runs, line, l.offset)) {
            struct err what;
            err_at(&what, d->path, l.offset, "%s", _("expected a layer and the experts of its tokens"));
            dump_problem(d, NONE, "damaged", what.text);
        }
        load_end(load);
    }
    return row_lines_end(&l, d, &runs, more, e);
}

/* ---- values ---- */

/* Reads the numbers of a line's table. */
static int parse_table(const char *path, const struct values *v, int32_t *out, uint64_t numel, struct err *e)
{
    struct file f;
    struct buf text = {0};
    int64_t dim[2];
    if (file_open(&f, path, e))
        return -1;
    buf_reserve(&text, (size_t)v->size + 1);
    int rc = file_read(&f, v->at, text.p, (size_t)v->size, e);
    text.n = (size_t)v->size;
    file_close(&f);
    struct str s = buf_view(&text);
    if (rc == 0 && (!take_table(&s, dim, out, numel) || (uint64_t)dim[0] * (uint64_t)dim[1] != numel))
        rc = err_at(e, path, v->at, "%s", _("expected a layer and the experts of its tokens"));
    buf_release(&text);
    return rc;
}

static int open_beside(const struct dump *d, const struct values *v, struct tensor *t, struct err *e)
{
    struct str folder = path_parent(str_of(d->path));
    char *dir = folder.n ? str_dup(folder) : mem_strdup(".");
    int rc = file_open_inside(&t->file, dir, v->file, e);
    free(dir);
    if (rc)
        return -1;
    t->offset = v->at;
    if (tensor_pack(t, t->file.name, e) || t->numel * dtype_table[t->dtype].size != v->size) {
        err_set(e, ERR_DATA, _("%s: the size of the values of this row does not match their shape"), d->path);
        rc = -1;
    } else {
        rc = tensor_check(t, 0, t->file.size, e);
    }
    if (rc)
        file_close(&t->file);
    return rc;
}

static int routing_trace_open_tensor(const struct dump *d, uint32_t row, struct tensor *t, struct err *e)
{
    const struct trace *x = d->state;
    const struct values *v = &x->of_row.v[row];
    const struct shape *s = dump_row_shape(d, row);
    if (!s || s->ndim > TENSOR_DIMS)
        return err_set(e, ERR_DATA, _("%s: no values for this row"), d->path);
    *t = (struct tensor){.dtype = (enum dtype)d->rows.v[row].dtype, .ndim = s->ndim};
    memcpy(t->shape, s->dim, (size_t)s->ndim * sizeof *t->shape);
    if (v->beside)
        return open_beside(d, v, t, e);
    int32_t *out = mem_resize_array(NULL, s->numel + 1, sizeof *out);
    if (parse_table(d->path, v, out, s->numel, e)) {
        free(out);
        return -1;
    }
    struct file_span span = {.fd = -1, .size = s->numel * sizeof *out, .memory = (char *)out};
    file_join(&t->file, d->path, &span, 1);
    if (tensor_pack(t, d->path, e)) {
        file_close(&t->file);
        return -1;
    }
    return 0;
}

static void routing_trace_close_dump(struct dump *d)
{
    struct trace *t = d->state;
    if (t)
        vec_release(&t->of_row);
    free(t);
    d->state = NULL;
}

const struct reader reader_routing_trace = {
    .name = "megatron-routing",
    .title = N_("routing traces of Megatron-LM: experts of every token, or token counts of every expert"),
    .what = "router_trace_rankN.jsonl tokens_per_expert/rankN.jsonl",
    .versions = "Megatron-LM, August 2026",
    .unread = N_("lines of more than 64 MB; the state of the routers (router_state_rankN.pt)"),
    .probe = routing_trace_probe,
    .places = routing_trace_places,
    .open = routing_trace_open_dump,
    .tensor = routing_trace_open_tensor,
    .close = routing_trace_close_dump,
};
