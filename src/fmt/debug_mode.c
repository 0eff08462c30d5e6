/* debug_string() of PyTorch's DebugMode:
 *   aten::mm(t$0: f32[8, 8], t$1: f32[8, 32])  ->  t$2: f32[8, 32]  # {'hash': 124.5}
 * One row for each result; lines without one (modules, redistributions) give no row. */
#include "fmt/debug_mode.h"

#include "base/lines.h"
#include "base/msg.h"
#include "base/reading.h"
#include "dump/checksum.h"
#include "dump/family.h"
#include "fmt/row_lines.h"

#define LONGEST (1u << 20)
#define BATCH 4096
#define ARROW "  ->  "

/* Whether a line is one of an operator: "NAMESPACE::NAME(…" or "torch.NAME(…", with a type behind a name. */
static bool is_operator(struct str line, struct str *name)
{
    struct str s = str_trim(line);
    ptrdiff_t open = str_find(s, '(');
    if (open < 1)
        return false;
    *name = str_n(s.p, (size_t)open);
    return str_find(*name, ' ') < 0 && (str_has(*name, "::") || str_starts(*name, "torch."));
}

static bool debug_mode_probe(const char *path)
{
    struct lines l;
    struct str line, name;
    struct err quiet;
    char head[4096];
    bool yes = false;
    struct str s = file_head(path, head, sizeof head);
    if (!str_has(s, "::") || !str_has(s, ARROW) || !path_is_file(path) || lines_open(&l, path, LONGEST, true, &quiet))
        return false;
    for (int i = 0; i < 64 && !yes && lines_next(&l, &line, &quiet) > 0; i++) {
        struct str first = str_trim(line);
        if (!first.n)
            continue;
        if (!is_operator(line, &name) && first.p[0] != '[' && !str_has(first, "("))
            break;
        yes = is_operator(line, &name) && str_has(line, ARROW) && str_has(line, ": ");
    }
    lines_close(&l);
    return yes;
}

/* "f32", "bf16", "i64", "b8": torch's short names. */
static enum dtype short_type(struct str s)
{
    static const struct {
        const char *name;
        enum dtype type;
    } names[] = {
        {"f64", DTYPE_F64}, {"f32", DTYPE_F32}, {"f16", DTYPE_F16}, {"bf16", DTYPE_BF16},   {"f8e4m3fn", DTYPE_F8E4M3},
        {"f8e5m2", DTYPE_F8E5M2}, {"i64", DTYPE_I64}, {"i32", DTYPE_I32}, {"i16", DTYPE_I16}, {"i8", DTYPE_I8},
        {"u64", DTYPE_U64}, {"u32", DTYPE_U32}, {"u16", DTYPE_U16}, {"u8", DTYPE_U8}, {"b8", DTYPE_BOOL},
        {"c64", DTYPE_C64}, {"c128", DTYPE_C128},
    };
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(s, names[i].name))
            return names[i].type;
    return DTYPE_UNKNOWN;
}

/* The next "t$6: f32[8, 32]" in s, which moves behind it; false if there is none. */
static bool next_tensor(struct str *s, struct str *type, struct str *sizes)
{
    ptrdiff_t colon;
    while ((colon = str_search(*s, ": ")) >= 0) {
        *s = str_cut(*s, (size_t)colon + 2);
        ptrdiff_t open = str_find(*s, '['), close = str_find(*s, ']');
        if (open < 1 || close < open || open > 12)
            continue;
        *type = str_n(s->p, (size_t)open);
        *sizes = str_n(s->p + open, (size_t)(close - open + 1));
        *s = str_cut(*s, (size_t)close + 1);
        return true;
    }
    return false;
}

/* The hashes of the results in "{'input_hash': …, 'hash': (1.5, 2.5)}", without brackets; empty if there are none. */
static struct str hashes_in(struct str meta)
{
    ptrdiff_t at = str_search(meta, "'hash': ");
    struct str s = at < 0 ? STR("") : str_cut(meta, (size_t)at + strlen("'hash': "));
    size_t depth = 0, i;
    for (i = 0; i < s.n; i++) {
        char c = s.p[i];
        depth += c == '(' || c == '[' || c == '{';
        if ((c == ')' || c == ']' || c == '}') && !depth--)
            break;
        if (c == ',' && !depth && !(i + 1 < s.n && s.p[i + 1] >= '0' && s.p[i + 1] <= '9')) /* no decimal comma */
            break;
    }
    s.n = i;
    while (s.n && strchr("([ ", s.p[0]))
        s = str_cut(s, 1);
    while (s.n && strchr(")] ,", s.p[s.n - 1]))
        s.n--;
    return s;
}

struct mode_reading {
    struct dump *d;
    struct map runs;
};

static void debug_mode_take_line(struct mode_reading *x, struct str name, struct str line, uint64_t number)
{
    struct dump *d = x->d;
    struct str result, type, sizes, meta = STR(""), hash;
    struct buf called = {0}, slot = {0};
    ptrdiff_t arrow = str_search(line, ARROW);
    double sum_of;
    if (arrow < 0)
        return;
    result = str_cut(line, (size_t)arrow + strlen(ARROW));
    ptrdiff_t note = str_search(result, "  # {");
    if (note >= 0) {
        meta = str_cut(result, (size_t)note);
        result.n = (size_t)note;
    }
    hash = hashes_in(meta);
    for (size_t i = 0; i < name.n; i++) /* "aten::mm" */
        if (name.p[i] != ':')
            buf_char(&called, name.p[i]);
        else if (i && name.p[i - 1] == ':')
            buf_char(&called, '.');
    ptrdiff_t dot = str_rfind(buf_view(&called), '.');
    uint32_t call = NONE;
    for (size_t k = 0; next_tensor(&result, &type, &sizes); k++) {
        struct row r = {.shape = NONE, .extra = NONE, .io = IO_OUTPUT, .kind = ROW_TENSOR,
                        .dtype = (uint8_t)short_type(type)};
        int64_t dim[TENSOR_DIMS];
        int n = 0;
        bool fresh, whole = reading_sizes(sizes, TENSOR_DIMS, dim, &n) == READING_VALUE;
        struct str one = str_trim(str_next(&hash, ','));
        bool hashed = one.n && !reading_is_nothing(one);
        enum reading number_in = hashed ? reading_number(one, &sum_of) : READING_ABSENT;
        r.shape = whole ? dump_shape(d, dim, n) : NONE;
        r.has |= r.shape == NONE ? 0 : HAS_SHAPE;
        if (hashed && (number_in == READING_VALUE || checksum_is_one(one))) {
            struct buf sum = {0};
            checksum_write(one, &sum);
            r.text = arena_cstr(&d->arena, buf_view(&sum));
            buf_release(&sum);
            r.has |= HAS_CHECKSUM;
            d->checksums = true;
        }
        buf_clear(&slot);
        buf_fmt(&slot, "output.%zu", k);
        r.slot = dump_slot(d, buf_view(&slot));
        if (call == NONE) {
            call = dump_run(d, &x->runs, buf_view(&called), r.slot, CALL_API, PHASE_FORWARD, &fresh);
            d->calls.v[call].family =
                (uint8_t)family_find(dot < 0 ? buf_view(&called) : str_cut(buf_view(&called), (size_t)dot + 1));
        }
        uint32_t row = dump_add_row(d, call, r);
        struct str behind = result, no_type, no_sizes;
        bool more = hash.n && !next_tensor(&behind, &no_type, &no_sizes); /* hashes than results */
        bool odd = more || (hashed && !(r.has & HAS_CHECKSUM));
        if (r.shape == NONE || r.dtype == DTYPE_UNKNOWN || odd) {
            struct err e;
            err_line(&e, d->path, number, "%s", r.shape == NONE ? _("expected a shape")
                     : odd ? _("expected a hash") : _("expected an element type"));
            dump_unparsed(d, row, arena_cstr(&d->arena, str_of(e.text)));
        }
    }
    buf_release(&called);
    buf_release(&slot);
}

static int debug_mode_open_dump(struct dump *d, struct load *load, struct err *e)
{
    struct mode_reading x = {.d = d};
    struct lines l;
    struct str line, name;
    int more = 0;
    if (lines_open(&l, d->path, LONGEST, true, e))
        return -1;
    load_begin(load);
    d->framework = "pytorch";
    d->level = "L1";
    d->joint = '.';
    while (!load_cancelled(load) && (more = lines_next(&l, &line, e)) > 0) {
        if (lines_unended(&l) && str_trim(line).n && !str_ends(line, "}")) {
            struct err cut;
            err_line(&cut, d->path, l.number, _("the last line has no end: the file is truncated or still being "
                                                "written"));
            dump_problem(d, NONE, "damaged", cut.text);
            d->cut = true;
        } else if (is_operator(line, &name)) {
            debug_mode_take_line(&x, name, line, l.number);
        }
        row_lines_pause(&l, load, BATCH);
    }
    d->task = "md5";
    if (d->rows.n && !d->checksums)
        dump_warn(d, _("no hashes in this dump, only shapes and types: record them with "
                       "DebugMode.log_tensor_hashes()"));
    load_end(load);
    return row_lines_end(&l, d, &x.runs, more, e);
}

const struct reader reader_debug_mode = {
    .name = "torch-debug-mode",
    .title = N_("text dump of PyTorch's DebugMode: every dispatched operator, with hashes if recorded"),
    .what = "*.txt, *.log: aten::mm(t$0: f32[8, 8], …)  ->  t$2: f32[8, 8]  # {'hash': …}",
    .versions = "torch 2.10",
    .unread = N_("hashes of inputs, placements, modules, redistributions"),
    .probe = debug_mode_probe,
    .open = debug_mode_open_dump,
    .without = NULL,
};
