/* Dumps of torch_npu's hooks in 2022, before ptdbg_ascend wrote separate tensor files: one text file with a row per
 * line that contains the values: ["7_Functional_conv2d_forward_input.0", [0.5, …], "torch.float32", [2, 3]]. In
 * sampled runs (then the default) a row has the first ten values, the maximum, the minimum and the mean. */
#include "fmt/ptdbg.h"

#include <stdlib.h>

#include "base/msg.h"
#include "base/reading.h"
#include "fmt/json_row.h"
#include "dump/family.h"

#define LONGEST (64u << 20) /* limit for one row; a longer one damages only itself */
#define SAMPLED 10 /* number of first values in a sampled row */
#define FIGURES 3  /* number of figures after them */
#define PIECE 65536 /* bytes of values per read */

/* The text between a row's brackets. */
struct values {
    uint64_t at, size;
};

struct ptdbg_text_state {
    VEC(struct values) list;
    struct nmap of_row;      /* row → index of list */
    VEC(uint32_t) either;    /* rows whose number of values leaves it open */
    struct map runs;         /* name → its newest call */
    size_t whole, sampled;   /* number of rows that are certainly whole, certainly sampled */
};

/* ---- one line ---- */

struct text_row {
    struct str name, values, rest; /* rest: what follows the values, ", \"torch.float32\", [2, 3]]" */
};

/* Splits a line without reading the values, of which there may be millions. */
static bool cut_line(struct str line, struct text_row *r)
{
    if (!str_starts(line, "[\""))
        return false;
    struct str s = str_cut(line, 2);
    ptrdiff_t end = str_find(s, '"');
    if (end < 1)
        return false;
    r->name = str_n(s.p, (size_t)end);
    s = str_trim(str_cut(s, (size_t)end + 1));
    if (!str_starts(s, ","))
        return false;
    s = str_trim(str_cut(s, 1));
    if (!str_starts(s, "["))
        return false;
    s = str_cut(s, 1);
    end = str_find(s, ']');
    r->values = str_trim(str_n(s.p, end < 0 ? s.n : (size_t)end));
    r->rest = end < 0 ? (struct str){0} : str_cut(s, (size_t)end + 1);
    return !str_starts(r->values, "[") && !str_starts(r->values, "\"");
}

bool ptdbg_is_text_row(struct str line)
{
    struct text_row r;
    return cut_line(line, &r) && (str_has(r.name, "_forward") || str_has(r.name, "_backward")) &&
           !str_ends(r.name, "stack_info");
}

static bool ptdbg_text_probe(const char *path)
{
    char head[4096];
    return path_is_file(path) && ptdbg_is_text_row(str_trim(file_head(path, head, sizeof head)));
}

/* The next number of a list, including NaN and Infinity as Python writes them; false at the end or for anything else.
 */
static bool next_value(struct str *list, double *out)
{
    struct str word, rest;
    if (!list->n)
        return false;
    if (!str_split(*list, ',', &word, &rest)) {
        word = *list;
        rest = (struct str){0};
    }
    *list = rest;
    return reading_number(word, out) == READING_VALUE;
}

static uint64_t count_values(struct str list)
{
    uint64_t n = list.n > 0;
    for (const char *p = list.p, *end = list.p + list.n; p < end && (p = memchr(p, ',', (size_t)(end - p))); p++)
        n++;
    return n;
}

/* Reads the last three values, a sampled row's figures. */
static bool last_figures(struct row *r, struct str list)
{
    static const int stat[FIGURES] = {STAT_MEAN, STAT_MIN, STAT_MAX};
    for (int i = 0; i < FIGURES; i++) {
        ptrdiff_t comma = str_rfind(list, ',');
        struct str word = comma < 0 ? list : str_cut(list, (size_t)comma + 1);
        if (reading_number(word, &r->stat[stat[i]]) != READING_VALUE)
            return false;
        list = str_n(list.p, comma < 0 ? 0 : (size_t)comma);
    }
    return true;
}

static uint32_t call_for(struct dump *d, struct str name, uint32_t slot, char joint, uint64_t offset)
{
    struct ptdbg_text_state *st = d->state;
    bool fresh;
    uint32_t c = dump_run(d, &st->runs, name, slot, CALL_API,
                          str_ends(name, "backward") ? PHASE_BACKWARD : PHASE_FORWARD, &fresh);
    if (fresh) {
        d->calls.v[c].family = (uint8_t)family_find(ptdbg_operator(name, joint));
        d->calls.v[c].offset = offset;
    }
    return c;
}

/* Removes the running number of rows, which is not part of the call's name. */
static struct str without_number(struct str name)
{
    size_t n = 0;
    while (n < name.n && name.p[n] >= '0' && name.p[n] <= '9')
        n++;
    return n && n < name.n && name.p[n] == '_' ? str_cut(name, n + 1) : name;
}

/* Reads ", \"torch.float32\", [2, 3]]" after the values. False: the type could not be read. */
static bool read_rest(struct dump *d, struct row *r, struct str rest, const char *path, uint64_t offset)
{
    struct buf b = {0};
    struct err quiet;
    buf_cstr(&b, "[0");
    buf_str(&b, rest);
    cJSON *v = json_parse(buf_view(&b), true, path, offset, &quiet);
    const cJSON *dtype = cJSON_GetArrayItem(v, 1), *shape = cJSON_GetArrayItem(v, 2);
    struct str type = cJSON_IsString(dtype) ? str_of(dtype->valuestring) : STR("");
    r->dtype = (uint8_t)dtype_find(type);
    if (cJSON_IsArray(shape))
        json_row_shape(d, r, shape);
    buf_release(&b);
    return r->dtype != DTYPE_UNKNOWN || dtype_is_other(type) || str_starts(type, "<class");
}

static void ptdbg_text_read_line(void *ctx, struct str line, uint64_t offset)
{
    struct dump *d = ctx;
    struct ptdbg_text_state *st = d->state;
    struct text_row t;
    struct str call, slot;
    struct err e;
    char joint;
    if (!cut_line(line, &t) || !ptdbg_split(without_number(t.name), &call, &slot, &joint)) {
        err_at(&e, d->path, offset, _("expected a row [\"NAME_input.0\", [values], \"TYPE\", [shape]]"));
        dump_problem(d, NONE, "damaged", e.text);
        return;
    }
    d->joint = joint;
    struct row r = {.slot = dump_slot(d, slot), .shape = NONE, .extra = NONE, .kind = ROW_TENSOR};
    r.io = str_starts(slot, "output") ? IO_OUTPUT : IO_INPUT;
    bool typed = read_rest(d, &r, t.rest, d->path, offset);
    uint64_t n = count_values(t.values), numel = r.shape == NONE ? 0 : d->shapes.v[r.shape]->numel;
    bool whole = r.shape != NONE && n == numel,
         sampled = r.shape != NONE && n == (numel < SAMPLED ? numel : SAMPLED) + FIGURES;
    sampled = sampled && last_figures(&r, t.values);
    if (sampled && !whole)
        r.has |= HAS_MAX | HAS_MIN | HAS_MEAN;
    uint32_t row = dump_add_row(d, call_for(d, call, r.slot, joint, offset), r);
    if (whole) {
        struct values x = {offset + (uint64_t)(t.values.p - line.p), t.values.n};
        nmap_add(&st->of_row, row, (uint32_t)st->list.n);
        vec_push(&st->list, x);
        d->rows.v[row].has |= HAS_FILE;
    }
    if (whole && sampled)
        vec_push(&st->either, row);
    if (!typed && r.shape != NONE) {
        err_at(&e, d->path, offset, _("expected %s behind the values"), _("an element type"));
        dump_unparsed(d, row, e.text);
    }
    st->whole += whole && !sampled;
    st->sampled += sampled && !whole;
    if (!whole && !sampled) {
        if (r.shape == NONE)
            err_at(&e, d->path, offset, "%s", _("expected a type and a shape after the values: the row is truncated, "
                                                "or longer than 64 MB"));
        else if (n == (numel < SAMPLED ? numel : SAMPLED) + FIGURES)
            err_at(&e, d->path, offset, "%s", _("expected numbers at the end of the values"));
        else
            err_at(&e, d->path, offset, _("expected %2$llu values by the shape, found %1$llu"), (unsigned long long)n,
                   (unsigned long long)numel);
        dump_unparsed(d, row, e.text);
    }
}

/* ---- the reader ---- */

static void ptdbg_text_close_dump(struct dump *d)
{
    struct ptdbg_text_state *st = d->state;
    vec_release(&st->list);
    nmap_release(&st->of_row);
    vec_release(&st->either);
    map_release(&st->runs);
    free(st);
    d->state = NULL;
}

static int ptdbg_text_open_dump(struct dump *d, struct load *load, struct err *e)
{
    struct ptdbg_text_state *st = mem_zalloc(sizeof *st);
    load_begin(load);
    d->state = st;
    d->framework = "pytorch";
    d->level = "L1";
    d->task = "statistics";
    load_end(load);
    int rc = json_row_lines(d, d->path, LONGEST, true, ptdbg_text_read_line, d, load, e);
    if (rc == 0 && !d->rows.n)
        rc = err_set(e, ERR_DATA, _("%s: no row in this file"), d->path);
    if (rc)
        return rc;
    load_begin(load);
    bool sampled = st->sampled && !st->whole;
    for (size_t i = 0; sampled && i < st->either.n; i++) {
        struct row *r = &d->rows.v[st->either.v[i]];
        r->has = (uint16_t)((r->has & ~HAS_FILE) | HAS_MAX | HAS_MIN | HAS_MEAN);
    }
    if (!sampled && st->list.n)
        d->task = "tensor";
    if (st->sampled)
        dump_warn(d, _("sampled dump: only max, min and mean of most tensors were recorded (register_hook with "
                       "sample=False records all)"));
    dump_link_twins(d);
    load_end(load);
    return 0;
}

/* Values were converted to float32 before writing, whatever the tensor's type. The text is read in pieces that end at
 * a comma. */
static int parse_values(const struct values *x, const struct file *f, float *out, uint64_t numel, struct err *e)
{
    char piece[PIECE];
    struct str list = {0};
    uint64_t at = x->at, end = x->at + x->size;
    double v;
    for (uint64_t i = 0; i < numel; i++) {
        if (at < end && (!list.n || str_find(list, ',') < 0)) {
            size_t kept = list.n, more = end - at < PIECE - kept ? (size_t)(end - at) : PIECE - kept;
            if (kept)
                memmove(piece, list.p, kept);
            if (!more)
                return err_at(e, f->name, at - kept, "%s", _("expected a number"));
            if (file_read(f, at, piece + kept, more, e))
                return -1;
            at += more;
            list = str_n(piece, kept + more);
        }
        uint64_t here = at - list.n;
        if (!next_value(&list, &v))
            return err_at(e, f->name, here, "%s", _("expected a number"));
        out[i] = (float)v;
    }
    return 0;
}

static int ptdbg_text_open_tensor(const struct dump *d, uint32_t row, struct tensor *t, struct err *e)
{
    const struct ptdbg_text_state *st = d->state;
    uint32_t at = nmap_get(&st->of_row, row);
    const struct values *x = at == MAP_NONE ? NULL : &st->list.v[at];
    const struct shape *s = dump_row_shape(d, row);
    uint64_t numel = s ? s->numel : 0;
    if (!x || !s || s->ndim > TENSOR_DIMS)
        return err_set(e, ERR_DATA, _("%s: no values for this row"), d->path);
    struct file f;
    if (file_open(&f, d->path, e))
        return -1;
    float *out = mem_resize_array(NULL, numel + 1, sizeof *out);
    int rc = parse_values(x, &f, out, numel, e);
    file_close(&f);
    if (rc) {
        free(out);
        return -1;
    }
    struct file_span span = {.fd = -1, .size = numel * sizeof *out, .memory = (char *)out};
    *t = (struct tensor){.dtype = DTYPE_F32, .ndim = s->ndim};
    file_join(&t->file, d->path, &span, 1);
    memcpy(t->shape, s->dim, (size_t)s->ndim * sizeof *t->shape);
    if (tensor_pack(t, d->path, e)) {
        file_close(&t->file);
        return -1;
    }
    return 0;
}

const struct reader reader_ptdbg_text = {
    .name = "ptdbg-text",
    .title = N_("dumps of the torch_npu hooks of 2022: all values in one text file"),
    .what = "[\"NAME\", [values], \"TYPE\", [shape]]",
    .versions = "torch_npu 1.8, 1.11; ptdbg_ascend 1",
    .unread = N_("rows of more than 64 MB; the first ten values of a sampled row"),
    .untyped = true,
    .probe = ptdbg_text_probe,
    .open = ptdbg_text_open_dump,
    .tensor = ptdbg_text_open_tensor,
    .close = ptdbg_text_close_dump,
};
