/* Columns of other tools' results recognised by their titles; each line is split into a row of either side and the
 * tool's verdict on the pair. */
#include "fmt/result_table.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/reading.h"
#include "fmt/msprobe.h"
#include "fmt/ptdbg.h"
#include "fmt/sheet.h"
#include "dump/checksum.h"
#include "dump/family.h"
#include "dump/row_contradictions.h"

#define BATCH 512
#define LONGEST_NAME 2048
#define LONGEST_TEXT 2000
/* limit for stored texts: TIMES the file plus this; a packed file may repeat a text in few bytes */
#define SPARE_TEXT ((size_t)64 << 20)
#define TIMES 32
#define PROBLEMS 200                  /* rows reported separately; others are only counted */

/* ---- the header ---- */

static const struct title {
    const char *text;
    enum result_column column;
} titles[] = {
    {"Name", COL_NAME},
    {"NPU Name", COL_TARGET_NAME},
    {"Bench Name", COL_GOLDEN_NAME},
    {"NPU Dtype", COL_TARGET_DTYPE},
    {"Bench Dtype", COL_GOLDEN_DTYPE},
    {"NPU Tensor Dtype", COL_TARGET_DTYPE},
    {"Bench Tensor Dtype", COL_GOLDEN_DTYPE},
    {"NPU Tensor Shape", COL_TARGET_SHAPE},
    {"Bench Tensor Shape", COL_GOLDEN_SHAPE},
    {"NPU Requires_grad", COL_TARGET_NEEDS},
    {"Bench Requires_grad", COL_GOLDEN_NEEDS},
    {"Requires_grad Consistent", COL_SAME_NEEDS},
    {"Cosine", COL_COSINE},
    {"EucDist", COL_EUCLID},
    {"MaxAbsErr", COL_MAX_ABS},
    {"MaxRelativeErr", COL_MAX_REL},
    {"One Thousandth Err Ratio", COL_ONE},
    {"Five Thousandths Err Ratio", COL_FIVE},
    {"NPU max", COL_TARGET_MAX},
    {"NPU min", COL_TARGET_MIN},
    {"NPU mean", COL_TARGET_MEAN},
    {"NPU l2norm", COL_TARGET_NORM},
    {"Bench max", COL_GOLDEN_MAX},
    {"Bench min", COL_GOLDEN_MIN},
    {"Bench mean", COL_GOLDEN_MEAN},
    {"Bench l2norm", COL_GOLDEN_NORM},
    {"NPU MD5", COL_TARGET_MD5},
    {"BENCH MD5", COL_GOLDEN_MD5},
    {"Max diff", COL_MAX_DIFF},
    {"Min diff", COL_MIN_DIFF},
    {"Mean diff", COL_MEAN_DIFF},
    {"L2norm diff", COL_NORM_DIFF},
    {"MinRelativeErr", COL_MIN_REL},
    {"MeanRelativeErr", COL_MEAN_REL},
    {"NormRelativeErr", COL_NORM_REL},
    {"RMSE", COL_RMSE},
    {"Result", COL_RESULT},
    {"Accuracy Reached or Not", COL_ACCURACY},
    {"Err_message", COL_MESSAGE},
    {"NPU_Stack_Info", COL_STACK},
};

enum result_column result_column(struct str title)
{
    title = str_trim(title);
    for (size_t i = 0; i < ARRAY_LEN(titles); i++)
        if (str_ieq(title, str_of(titles[i].text)))
            return titles[i].column;
    return COL_COUNT;
}

#define TITLES_ENOUGH 6 /* with this many known titles it is a result table, whatever is missing */

static const char *title_of(enum result_column c)
{
    for (size_t i = 0; i < ARRAY_LEN(titles); i++)
        if (titles[i].column == c)
            return titles[i].text;
    return "";
}

const char *result_lacks(const struct result_head *h)
{
    static const enum result_column all[] = {COL_TARGET_NAME, COL_GOLDEN_NAME, COL_TARGET_DTYPE, COL_GOLDEN_DTYPE};
    const bool *had = h->had, one_name = had[COL_NAME] && had[COL_RMSE];
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (!had[all[i]] && !(one_name && i < 2))
            return title_of(all[i]);
    return had[COL_COSINE] || had[COL_MAX_DIFF] || had[COL_TARGET_MD5] ? NULL : title_of(COL_COSINE);
}

/* The two tools differ only in the titles of one pair of columns. */
enum result_tool result_header(const struct str *cell, size_t n, struct result_head *out)
{
    enum result_tool tool = TOOL_MSPROBE;
    *out = (struct result_head){0};
    for (size_t i = 0; i < n; i++) {
        enum result_column c = result_column(cell[i]);
        if (c != COL_COUNT && !out->had[c]) {
            out->had[c] = true;
            out->at[c] = i;
        }
        if (str_ieq(str_trim(cell[i]), STR("NPU Tensor Dtype")))
            tool = TOOL_PTDBG;
    }
    size_t known = 0;
    for (int c = 0; c < COL_COUNT; c++)
        known += out->had[c];
    return known >= TITLES_ENOUGH || !result_lacks(out) ? tool : TOOL_NONE;
}

/* ---- cells ---- */

/* Texts for missing values: msprobe N/A and None, ptdbg Nan (capitalised; "nan" is the value). */
static bool cell_is_absent(struct str s)
{
    static const char *const words[] = {"", "N/A", "None", "Nan", "unsupported", "shape unmatched", "-1.#IND"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_is(s, words[i]))
            return true;
    return false;
}

/* *odd: set to a text that is there and no number. */
static bool cell_number(struct str s, double *out, struct str *odd)
{
    s = str_trim(s);
    if (cell_is_absent(s))
        return false;
    enum reading how = reading_number(s, out);
    if (how == READING_UNREADABLE && !odd->n)
        *odd = s;
    return how == READING_VALUE;
}

/* The same of a boolean's figure. */
static bool number_or_flag(struct str s, double *out, struct str *odd)
{
    s = str_trim(s);
    if (!str_is(s, "True") && !str_is(s, "False"))
        return cell_number(s, out, odd);
    *out = str_is(s, "True");
    return true;
}

static const char *keep_cell_text(struct result_table *t, struct str s)
{
    if (!s.n)
        return "";
    if (s.n > LONGEST_TEXT)
        s.n = LONGEST_TEXT;
    uint32_t at = map_get(&t->texts, s);
    if (at != MAP_NONE)
        return t->pool.v[at];
    struct str own = arena_str(&t->d->arena, s);
    vec_push(&t->pool, own.p);
    map_add(&t->texts, own, (uint32_t)t->pool.n - 1);
    return own.p;
}

/* The next quoted text in a Python list, whatever its nesting; depth counts the open brackets. */
static bool next_text(struct str *rest, int *depth, struct buf *out)
{
    size_t i = 0;
    for (; i < rest->n && rest->p[i] != '\'' && rest->p[i] != '"'; i++)
        *depth += rest->p[i] == '[' ? 1 : rest->p[i] == ']' ? -1 : 0;
    if (i == rest->n)
        return false;
    char quote = rest->p[i++];
    buf_clear(out);
    for (; i < rest->n && rest->p[i] != quote; i++) {
        char c = rest->p[i];
        if (c == '\\' && i + 1 < rest->n) {
            c = rest->p[++i];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        }
        buf_char(out, c);
    }
    *rest = str_cut(*rest, i + 1);
    return true;
}

/* '["error: a", "warning: b"]' → "error: a; warning: b"; ptdbg's message is a plain sentence. */
static void message_text(struct str s, struct buf *out)
{
    struct buf one = {0};
    int depth = 0;
    s = str_trim(s);
    if (!str_starts(s, "[")) {
        buf_str(out, s);
        return;
    }
    while (out->n < LONGEST_TEXT && next_text(&s, &depth, &one)) {
        if (out->n)
            buf_cstr(out, "; ");
        buf_str(out, buf_view(&one));
    }
    buf_release(&one);
}

static enum result_word word_of(struct str s)
{
    static const struct {
        const char *text;
        enum result_word word;
    } words[] = {
        {"pass", WORD_PASS},     {"yes", WORD_PASS},      {"true", WORD_PASS},
        {"warning", WORD_WARNING}, {"error", WORD_ERROR}, {"no", WORD_ERROR},
        {"false", WORD_ERROR},   {"different", WORD_ERROR}, {"unmatched", WORD_UNMATCHED},
        {"fail", WORD_ERROR},    {"warn", WORD_WARNING},  {"skip", WORD_SKIP},
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_ieq(s, str_of(words[i].text)))
            return words[i].word;
    return WORD_NONE;
}

/* ---- stacks ---- */

static void result_stack(struct dump *d, uint32_t call, const char *const *frames, size_t n)
{
    struct stack s = {.first = (uint32_t)d->stack_frames.n};
    if (!n || d->calls.v[call].stack != NONE)
        return;
    for (; s.n < n; s.n++)
        vec_push(&d->stack_frames, dump_frame(d, str_of(frames[s.n])));
    vec_push(&d->stacks, s);
    d->calls.v[call].stack = (uint32_t)d->stacks.n - 1;
}

/* msprobe: ['File a.py, line 3, in f, \n code', …]; ptdbg: [['a.py', '3', 'f', 'code'], …] */
static void stack_text(struct dump *d, uint32_t call, struct str s)
{
    struct stack st = {.first = (uint32_t)d->stack_frames.n};
    struct buf one = {0}, frame = {0};
    int depth = 0, part = 0;
    if (d->calls.v[call].stack != NONE || !str_starts(str_trim(s), "["))
        return;
    while (next_text(&s, &depth, &one)) {
        static const char *const lead[] = {"File ", ", line ", ", in ", ", \n "};
        if (depth <= 1) {
            vec_push(&d->stack_frames, dump_frame(d, buf_view(&one)));
            st.n++;
            continue;
        }
        buf_cstr(&frame, lead[part]);
        buf_str(&frame, buf_view(&one));
        if (++part == 4) {
            vec_push(&d->stack_frames, dump_frame(d, buf_view(&frame)));
            st.n++;
            part = 0;
            buf_clear(&frame);
        }
    }
    buf_release(&one);
    buf_release(&frame);
    if (!st.n)
        return;
    vec_push(&d->stacks, st);
    d->calls.v[call].stack = (uint32_t)d->stacks.n - 1;
}

/* ---- names ---- */

/* "Type.api.N.forward.input.0" and "Module.path.Class.forward.N.parameters.weight": the slot begins at the
 * first such word after the direction. "….parameters_grad.N.weight" has none. */
static void split_msprobe(struct str name, struct str *call, struct str *slot)
{
    static const char *const slots[] = {"input", "output", "parameters"};
    size_t at = 0, cut = 0;
    bool direction = false, gradient = false;
    *call = name;
    *slot = STR("");
    for (struct str rest = name, word; rest.n; at += word.n + 1) {
        word = str_next(&rest, '.');
        if (gradient && at > cut) { /* after the number */
            *call = str_n(name.p, at + word.n);
            *slot = rest;
            return;
        }
        if (str_is(word, "parameters_grad")) {
            gradient = true;
            cut = at;
        } else if (str_is(word, "forward") || str_is(word, "backward")) {
            direction = true;
            cut = 0;
        } else if (direction && !cut) {
            for (size_t i = 0; i < ARRAY_LEN(slots); i++)
                if (str_is(word, slots[i]))
                    cut = at;
        }
    }
    if (direction && cut > 1) {
        *call = str_n(name.p, cut - 1);
        *slot = str_cut(name, cut);
    }
}

static uint32_t new_call(struct result_table *t, struct str name, char joint, uint64_t line)
{
    if (joint == '.')
        return msprobe_add_call(t->d, name, line);
    uint32_t c = dump_add_call(t->d, name, CALL_API, str_ends(name, "backward") ? PHASE_BACKWARD : PHASE_FORWARD);
    t->d->calls.v[c].family = (uint8_t)family_find(ptdbg_operator(name, joint));
    t->d->calls.v[c].offset = line;
    return c;
}

/* The call for a name, its newest run; a new one if the row exists already. */
static uint32_t call_for(struct result_table *t, struct str call, char joint, bool again, uint64_t line)
{
    uint32_t c = map_get(&t->calls, call);
    if (c != MAP_NONE && !again)
        return c;
    bool known = c != MAP_NONE;
    c = new_call(t, call, joint, line);
    if (known) {
        map_set(&t->calls, call, c);
    } else {
        map_add(&t->calls, arena_str(&t->d->arena, call), c);
        if (t->d->calls.v[c].kind == CALL_MODULE)
            t->modules++;
        else
            t->apis++;
    }
    return c;
}

static enum row_io io_of(const struct dump *d, uint32_t call, struct str slot)
{
    return d->calls.v[call].gradient          ? IO_GRADIENT
           : str_starts(slot, "parameters.")  ? IO_PARAMETER
           : str_starts(slot, "output")       ? IO_OUTPUT
                                              : IO_INPUT;
}

/* ---- a row ---- */

void result_odd(struct result_table *t, struct str cell, const char *expected)
{
    if (t->odd.n)
        return;
    t->odd = cell;
    t->odd_for = expected;
}

static void shape_of(struct result_table *t, struct row *r, struct str s)
{
    int64_t dim[TENSOR_DIMS];
    int n = 0;
    s = str_trim(s);
    if (cell_is_absent(s))
        return;
    if (reading_sizes(s, TENSOR_DIMS, dim, &n) != READING_VALUE) {
        result_odd(t, s, _("sizes in brackets"));
        return;
    }
    r->shape = dump_shape(t->d, dim, n);
    if (r->shape != NONE)
        r->has |= HAS_SHAPE;
}

/* Whether a row that is none by its type has sizes, as only tensors have. */
static bool shape_has_sizes(struct str shape)
{
    int64_t dim[TENSOR_DIMS];
    int n = 0;
    return reading_sizes(str_trim(shape), TENSOR_DIMS, dim, &n) == READING_VALUE && n > 0;
}

/* "<class 'int'>", "<class int>" */
static bool is_class(struct str type, const char *name)
{
    ptrdiff_t at = str_search(type, name);
    size_t end = (size_t)at + strlen(name);
    return at > 0 && end < type.n && strchr("' ", type.p[at - 1]) && strchr("'>", type.p[end]);
}

static enum row_kind kind_of_table(struct str type)
{
    if (cell_is_absent(type))
        return ROW_NULL;
    if (dtype_find(type) != DTYPE_UNKNOWN)
        return ROW_TENSOR;
    return is_class(type, "bool")    ? ROW_BOOL
           : is_class(type, "int")   ? ROW_INT
           : is_class(type, "float") ? ROW_FLOAT
           : is_class(type, "str")   ? ROW_STR
           : str_starts(type, "torch.") && !str_has(type, "Size") ? ROW_TENSOR /* a type newer than our table */
                                      : ROW_OTHER;
}

static void take_recorded_figures(struct result_table *t, struct row *r, const struct str *cell, int side)
{
    static const uint8_t bit[] = {HAS_MAX, HAS_MIN, HAS_MEAN, HAS_NORM};
    const struct str *stat = cell + (side == TARGET ? COL_TARGET_MAX : COL_GOLDEN_MAX);
    struct str md5 = str_trim(cell[side == TARGET ? COL_TARGET_MD5 : COL_GOLDEN_MD5]);
    char tmp[NUM_MAX];
    if (r->kind == ROW_TENSOR && !cell_is_absent(md5) && !checksum_is_one(md5)) {
        result_odd(t, md5, _("a checksum"));
    } else if (md5.n >= 8 && !cell_is_absent(md5) && md5.p[0] != '[') {
        r->text = keep_cell_text(t, md5);
        r->has |= HAS_CHECKSUM;
        t->d->checksums = true;
        if (r->kind != ROW_TENSOR)
            r->kind = ROW_NULL; /* a checksum is not the value, and no value is printed in this mode */
    }
    if (r->kind == ROW_TENSOR) {
        for (int i = 0; i < STAT_COUNT; i++)
            if ((r->dtype == DTYPE_BOOL ? number_or_flag : cell_number)(stat[i], &r->stat[i], &t->odd))
                r->has |= bit[i];
        return;
    }
    struct str value = str_trim(stat[STAT_MAX]);
    for (int i = STAT_MAX + 1; i < STAT_COUNT; i++) /* each figure's column repeats it */
        if (stat[i].n && !str_eq(str_trim(stat[i]), value))
            result_odd(t, stat[i], _("the value as in the other columns"));
    if (r->kind == ROW_NULL)
        return;
    if (r->kind <= ROW_BOOL) {
        if (!(r->kind == ROW_BOOL ? number_or_flag : cell_number)(value, &r->stat[STAT_MAX], &t->odd)) {
            r->kind = ROW_NULL;
            return;
        }
        r->has |= HAS_MAX;
        r->text = r->kind == ROW_BOOL ? (r->stat[STAT_MAX] != 0 ? "true" : "false")
                                      : keep_cell_text(t, str_of(num_exact(tmp, r->stat[STAT_MAX])));
    } else if (cell_is_absent(value) || str_is(value, "[]")) {
        r->kind = ROW_NULL;
    } else {
        r->text = keep_cell_text(t, value);
    }
}

/* Whether a cell is true; `known` is false where it has neither. */
static bool cell_is_true(struct result_table *t, struct str cell, bool *known)
{
    bool is = str_ieq(cell, STR("True"));
    *known = is || str_ieq(cell, STR("False"));
    if (!*known && !cell_is_absent(cell) && !reading_is_nothing(cell))
        result_odd(t, cell, _("true or false"));
    return is;
}

/* What a row says of the two sides, and whether they are the same. */
static bool take_needs(struct result_table *t, const struct str *cell, int side)
{
    bool known[3], needs[2];
    for (int s = 0; s < 2; s++)
        needs[s] = cell_is_true(t, str_trim(cell[s == TARGET ? COL_TARGET_NEEDS : COL_GOLDEN_NEEDS]), &known[s]);
    bool same = cell_is_true(t, str_trim(cell[COL_SAME_NEEDS]), &known[2]);
    if (known[0] && known[1] && known[2] && same != (needs[0] == needs[1]))
        result_odd(t, str_trim(cell[COL_SAME_NEEDS]), _("whether both sides require a gradient"));
    return needs[side];
}

static void framework_of(struct dump *d, struct str type)
{
    if (*d->framework || !type.n)
        return;
    if (str_starts(type, "torch."))
        d->framework = "pytorch";
    else if (type.p[0] >= 'A' && type.p[0] <= 'Z' && dtype_find(type) != DTYPE_UNKNOWN)
        d->framework = "mindspore";
}

static void table_complain(struct result_table *t, uint64_t line, const char *what)
{
    struct err e;
    if (t->damaged++ >= PROBLEMS)
        return;
    err_line(&e, t->path, line, "%s", what);
    dump_problem(t->d, NONE, "damaged", e.text);
}

/* Adds one side's columns as a row of the dump. NONE if there is nothing to add. */
static uint32_t add_side(struct result_table *t, const struct str *cell, struct str name, int side, uint64_t line)
{
    struct dump *d = t->d;
    struct str call, slot, type = str_trim(cell[side == TARGET ? COL_TARGET_DTYPE : COL_GOLDEN_DTYPE]);
    char joint = '.';
    uint32_t seen = map_get(&t->rows, name);
    if (seen != MAP_NONE && d->column == GOLDEN)
        return seen; /* one golden row for several target rows */
    split_msprobe(name, &call, &slot); /* ptdbg 6 uses the same names */
    if (!slot.n && t->tool == TOOL_PTDBG && !ptdbg_split(name, &call, &slot, &joint))
        call = name, slot = STR("");
    if (slot.n && !d->rows.n)
        d->joint = joint;
    else if (slot.n && joint != d->joint)
        call = name, slot = STR(""); /* a dump has one style of names: this row keeps its whole name */
    bool again = seen != MAP_NONE && map_get(&t->calls, call) == d->rows.v[seen].call;
    uint32_t c = call_for(t, call, joint, again, line);
    struct row r = {.slot = dump_slot(d, slot), .shape = NONE, .extra = NONE, .dtype = (uint8_t)dtype_find(type)};
    r.kind = (uint8_t)(t->tool == TOOL_CHECK && cell_is_absent(type) ? ROW_TENSOR : kind_of_table(type));
    r.io = (uint8_t)io_of(d, c, slot);
    struct str shape = cell[side == TARGET ? COL_TARGET_SHAPE : COL_GOLDEN_SHAPE];
    bool unnamed = r.kind == ROW_TENSOR && type.n && !cell_is_absent(type) && r.dtype == DTYPE_UNKNOWN &&
                   !str_is(type, "torch.Tensor") && !dtype_is_other(type);
    bool typeless = r.kind == ROW_NULL && t->tool != TOOL_CHECK && shape_has_sizes(shape) &&
                    !cell_is_absent(str_trim(cell[side == TARGET ? COL_TARGET_MAX : COL_GOLDEN_MAX]));
    bool open = str_starts(type, "<") && !str_ends(type, ">"); /* "<class 'int'" */
    if ((r.kind == ROW_OTHER && shape_has_sizes(shape)) || unnamed || typeless || open) { /* "flaot32" */
        result_odd(t, type.n ? type : STR("None"), _("an element type"));
        r.kind = ROW_TENSOR;
    }
    if (r.kind == ROW_TENSOR)
        shape_of(t, &r, shape);
    else if (r.kind <= ROW_STR && shape_has_sizes(shape))
        result_odd(t, str_trim(shape), _("no sizes, as the value is no tensor"));
    take_recorded_figures(t, &r, cell, side);
    r.needs_gradient = take_needs(t, cell, side);
    framework_of(d, type);
    uint32_t row = dump_add_row(d, c, r);
    if (seen == MAP_NONE)
        map_add(&t->rows, arena_str(&d->arena, name), row);
    else
        map_set(&t->rows, name, row);
    return row;
}

/* "7.2%": what the relative columns of statistics hold. */
static struct str without_percent(struct str s)
{
    s = str_trim(s);
    return str_ends(s, "%") ? str_n(s.p, s.n - 1) : s;
}

#define COSINE_ROOM 1e-3 /* of a type of 16 bits */
#define DIFFERENCE_ROOM 0.01

/* A difference of the two sides' figures that these contradict: one of the three cells is not what it was. */
static void check_difference(struct result_table *t, const struct str *cell, int column, int stat, bool relative)
{
    struct str quiet = STR("");
    double said, a, b;
    if (!cell_number(without_percent(cell[column]), &said, &t->odd) ||
        !cell_number(cell[COL_TARGET_MAX + stat], &a, &quiet) ||
        !cell_number(cell[COL_GOLDEN_MAX + stat], &b, &quiet) ||
        !isfinite(said) || !isfinite(a - b) || (relative && !str_ends(str_trim(cell[column]), "%")))
        return;
    double is = relative ? 100 * fabs(a - b) / fabs(b) : fabs(a - b);
    double room = relative ? 1 : 1e-6 * fmax(fabs(a), fabs(b)); /* printed digits */
    if (isfinite(is) && fabs(fabs(said) - is) > DIFFERENCE_ROOM * fmax(fabs(said), is) + room)
        result_odd(t, cell[column], _("the difference of both sides' figures"));
}

#define MAX_ABS_ROOM 2e-6 /* ptdbg prints six decimals */

/* The mean of `count` elements, none larger than `size`, is a sum in float32 that is rounded to its own type. */
static double mean_room(const struct result_table *t, uint32_t row, double size)
{
    if (row == NONE)
        return DIFFERENCE_ROOM * size;
    const struct dtype_info *type = &dtype_table[t->d->rows.v[row].dtype];
    double sum = (double)dump_row_numel(t->d, row) * dtype_table[DTYPE_F32].epsilon;
    return fmin(DIFFERENCE_ROOM, sum + type->epsilon) * size;
}

/* Figures of the two sides lie apart by no more than their elements do. */
static void check_largest(struct result_table *t, const struct str *cell, uint32_t row, double max_abs)
{
    double printed = t->tool == TOOL_PTDBG ? MAX_ABS_ROOM : 0;
    double v[2][STAT_COUNT], size = 0;
    bool known[STAT_COUNT];
    for (int i = 0; i < STAT_NORM; i++) {
        struct str quiet = STR("");
        known[i] = cell_number(cell[COL_TARGET_MAX + i], &v[TARGET][i], &quiet) &&
                   cell_number(cell[COL_GOLDEN_MAX + i], &v[GOLDEN][i], &quiet) &&
                   isfinite(v[TARGET][i] - v[GOLDEN][i]);
        size = known[i] ? fmax(size, fmax(fabs(v[TARGET][i]), fabs(v[GOLDEN][i]))) : size;
    }
    for (int i = 0; i < STAT_NORM; i++) {
        double room = printed + (i == STAT_MEAN ? mean_room(t, row, size) : 1e-6 * size);
        if (known[i] && fabs(v[TARGET][i] - v[GOLDEN][i]) > (1 + COSINE_ROOM) * max_abs + room)
            result_odd(t, cell[COL_TARGET_MAX + i], _("a figure within the largest error of the other side's"));
    }
}

/* Norms lie no farther apart than the two sides do. */
static void check_norms(struct result_table *t, const struct str *cell, uint32_t row, double distance)
{
    struct str quiet = STR("");
    double a, b, epsilon = row == NONE ? 0 : dtype_table[t->d->rows.v[row].dtype].epsilon;
    if (!cell_number(cell[COL_TARGET_MAX + STAT_NORM], &a, &quiet) ||
        !cell_number(cell[COL_GOLDEN_MAX + STAT_NORM], &b, &quiet) || !isfinite(a - b))
        return;
    if (fabs(a - b) > (1 + COSINE_ROOM) * distance + (COSINE_ROOM + epsilon) * fmax(fabs(a), fabs(b)) + MAX_ABS_ROOM)
        result_odd(t, cell[COL_TARGET_MAX + STAT_NORM], _("a norm within the distance of the other side's"));
}

/* What the figures of a pair say of each other: no two of equal elements differ. */
static void check_figures(struct result_table *t, const struct result_line *l, const struct str *cell)
{
    const double *f = l->figure;
    bool has[RESULT_FIGURES];
    for (int i = 0; i < RESULT_FIGURES; i++)
        has[i] = l->has & 1 << i && isfinite(f[i]);
    for (int i = RESULT_ONE_THOUSANDTH; i <= RESULT_FIVE_THOUSANDTHS; i++)
        if (has[i] && (f[i] < 0 || f[i] > 1))
            result_odd(t, cell[COL_COSINE + i], _("a share"));
    bool equal = has[RESULT_EUCLID] && f[RESULT_EUCLID] == 0;
    if (equal && has[RESULT_MAX_REL] && f[RESULT_MAX_REL] != 0)
        result_odd(t, cell[COL_MAX_REL], _("no error, as the distance is 0"));
    if (equal && has[RESULT_ONE_THOUSANDTH] && f[RESULT_ONE_THOUSANDTH] != 1)
        result_odd(t, cell[COL_ONE], _("a share of 1, as the distance is 0"));
    if (has[RESULT_EUCLID] && has[RESULT_MAX_ABS] &&
        f[RESULT_MAX_ABS] > (1 + COSINE_ROOM) * f[RESULT_EUCLID] + MAX_ABS_ROOM)
        result_odd(t, cell[COL_MAX_ABS], _("an error within the distance"));
    if (has[RESULT_EUCLID])
        check_norms(t, cell, l->row, f[RESULT_EUCLID]);
    if (has[RESULT_EUCLID] && has[RESULT_MAX_ABS] && l->row != NONE) {
        double most = sqrt((double)dump_row_numel(t->d, l->row)) * f[RESULT_MAX_ABS];
        if (f[RESULT_EUCLID] > (1 + COSINE_ROOM) * most + MAX_ABS_ROOM)
            result_odd(t, cell[COL_EUCLID], _("a distance within the largest error of all elements"));
    }
    if (has[RESULT_MAX_ABS])
        check_largest(t, cell, l->row, f[RESULT_MAX_ABS]);
}

static void take_figures(struct result_table *t, struct result_line *l, const struct str *cell)
{
    static const int relative[] = {COL_MAX_REL, COL_MIN_REL, COL_MEAN_REL, COL_NORM_REL};
    for (int i = 0; i < RESULT_FIGURES; i++) {
        /* if statistics were compared, this column is a percentage of the maxima */
        bool other = i == RESULT_MAX_REL && t->head.had[COL_MAX_DIFF];
        if (!other && cell_number(cell[COL_COSINE + i], &l->figure[i], &t->odd))
            l->has |= (uint8_t)(1 << i);
    }
    for (int i = 0; i < STAT_COUNT && t->head.had[COL_MAX_DIFF]; i++) {
        check_difference(t, cell, COL_MAX_DIFF + i, i, false);
        check_difference(t, cell, relative[i], i, true);
    }
    if (l->has & 1 << RESULT_COSINE && fabs(l->figure[RESULT_COSINE]) > 1 + COSINE_ROOM)
        result_odd(t, cell[COL_COSINE], _("a cosine"));
    check_figures(t, l, cell);
    if (t->head.had[COL_RMSE] && l->has & 1 << RESULT_COSINE)
        l->figure[RESULT_COSINE] = 2 * l->figure[RESULT_COSINE] - 1;
}

static void take_line_words(struct result_table *t, struct result_line *l, const struct str *cell)
{
    struct buf b = {0};
    struct str said = str_trim(cell[COL_RESULT].n ? cell[COL_RESULT] : cell[COL_ACCURACY]);
    l->word = (uint8_t)word_of(said);
    if (!l->word && !cell_is_absent(said))
        result_odd(t, said, _("a verdict"));
    l->said = l->word && !t->own ? keep_cell_text(t, said) : "";
    message_text(cell[COL_MESSAGE], &b);
    struct str text = str_n(b.p ? b.p : "", b.n > LONGEST_TEXT ? LONGEST_TEXT : b.n);
    l->message = keep_cell_text(t, text);
    l->nonfinite = str_ihas(text, "nan") && str_ihas(text, "inf");
    buf_release(&b);
}

/* ptdbg 2.3 spreads the letters of "Nan" over the columns if no golden row was found. */
static bool golden_missing(const struct str *cell, struct str name)
{
    return cell_is_absent(name) || (str_is(name, "N") && str_is(str_trim(cell[COL_GOLDEN_DTYPE]), "a"));
}

/* Whether other fields than stacks and messages have several lines. */
static bool runs_over(const struct str cell[COL_COUNT])
{
    for (int c = 0; c < COL_COUNT; c++)
        if (c != COL_STACK && c != COL_MESSAGE && cell[c].n && memchr(cell[c].p, '\n', cell[c].n))
            return true;
    return false;
}

void result_swallowed(struct result_table *t, uint64_t line)
{
    if (t->swallowed == line)
        return;
    t->swallowed = line;
    table_complain(t, line, _("a quote may be missing: the rows in the quoted field are not read"));
}

const struct str *result_unended(struct result_table *t, const struct str *cell, size_t n, uint64_t line,
                                 struct str *kept)
{
    if (n == t->columns && str_ends(str_trim(cell[n - 1]), "]")) /* the stack is whole */
        return cell;
    t->unended = line;
    t->cells = n;
    for (size_t i = 0; i < n; i++)
        kept[i] = i + 1 < n ? cell[i] : STR("");
    return kept;
}

/* Says that the last row is cut off, unless it is said that a quote hides its end. */
static void complain_cut(struct result_table *t)
{
    struct err e;
    if (!t->unended || t->swallowed == t->unended || t->d->column == GOLDEN)
        return;
    if (t->cells < t->columns)
        err_set(&e, ERR_DATA, _("the last row has %zu of %zu cells: the table is truncated or still being written; "
                                "later rows are missing"), t->cells, t->columns);
    else
        err_set(&e, ERR_DATA, "%s", sheet_unended());
    table_complain(t, t->unended, e.text);
}

int result_add(struct result_table *t, const struct str cell[COL_COUNT], const char *const *frames, size_t frame_count,
               uint64_t line, struct err *e)
{
    struct dump *d = t->d;
    struct str name[2] =
        {str_trim(cell[t->head.had[COL_NAME] && !t->head.had[COL_TARGET_NAME] ? COL_NAME : COL_TARGET_NAME]),
         str_trim(cell[t->head.had[COL_NAME] && !t->head.had[COL_TARGET_NAME] ? COL_NAME : COL_GOLDEN_NAME])};
    bool there[2] = {!cell_is_absent(name[TARGET]), !golden_missing(cell, name[GOLDEN])};
    struct result_line l = {.row = NONE, .said = "", .message = ""};
    if (runs_over(cell))
        result_swallowed(t, line);
    if (name[0].n > LONGEST_NAME || name[1].n > LONGEST_NAME) {
        table_complain(t, line, _("a row name of more than 2048 bytes"));
        there[0] = there[1] = false;
    } else if (!there[0] && !there[1]) {
        table_complain(t, line, _("a row without a name; expected \"NPU Name\" or \"Bench Name\""));
    }
    int side = d->column == GOLDEN || (d->column == COLUMN_ALL && !there[TARGET]) ? GOLDEN : TARGET;
    if (there[side])
        l.row = add_side(t, cell, name[side], side, line);
    if (d->column != GOLDEN) {
        take_figures(t, &l, cell);
        take_line_words(t, &l, cell);
        t->told[l.word]++;
        t->unjudged += there[0] && there[1] && l.word == WORD_NONE && t->tool != TOOL_CHECK;
        if (l.row != NONE && side == TARGET) {
            frame_count ? result_stack(d, d->rows.v[l.row].call, frames, frame_count)
                        : stack_text(d, d->rows.v[l.row].call, cell[COL_STACK]);
        }
    }
    if (t->odd.n) {
        char found[READING_FOUND];
        if (l.row != NONE)
            d->rows.v[l.row].has |= IS_UNPARSED;
        table_complain(t, line,
                       arena_fmt(&d->arena, _("expected %s, found %s"), t->odd_for ? t->odd_for : _("a number"),
                                 reading_found(found, t->odd)));
        t->odd = (struct str){0};
        t->odd_for = NULL;
    }
    if (l.row != NONE && l.row == t->result->line_of.n)
        vec_push(&t->result->line_of, (uint32_t)t->result->lines.n);
    vec_push(&t->result->lines, l);
    if (d->arena.total > SPARE_TEXT && (d->arena.total - SPARE_TEXT) / TIMES > d->bytes)
        return err_line(e, t->path, line, _("more text than the limit for a table of this size"));
    if (++t->batch == BATCH) {
        t->batch = 0;
        load_end(t->load);
        load_begin(t->load);
        if (load_cancelled(t->load))
            return err_set(e, ERR_CANCEL, "%s", _("stopped"));
    }
    return 0;
}

/* ---- begin and end ---- */

void result_begin(struct result_table *t)
{
    load_begin(t->load);
    t->result = mem_zalloc(sizeof *t->result);
    t->result->tests = t->tool == TOOL_CHECK;
    t->d->state = t->result;
    if (t->d->rank < 0)
        t->d->rank = result_rank(t->path);
}

static const char *task_of(const struct result_table *t)
{
    return t->head.had[COL_TARGET_MD5] ? "md5" : t->head.had[COL_COSINE] ? "tensor" : "statistics";
}

/* The source of the verdicts, and the tool's own. */
static void say_source(const struct result_table *t)
{
    struct buf b = {0};
    buf_cstr(&b, _("judged by the figures of the result table; compare the dumps themselves if you have them"));
    if (t->unjudged < t->result->lines.n)
        buf_fmt(&b, _(" (the table's own verdicts, in the column \"told\" and with --preset table: %zu pass, %zu "
                      "warnings, %zu errors)"),
                t->told[WORD_PASS], t->told[WORD_WARNING], t->told[WORD_ERROR] + t->told[WORD_UNMATCHED]);
    dump_warn(t->d, b.p);
    buf_release(&b);
}

int result_end(struct result_table *t, int rc, struct err *e)
{
    struct dump *d = t->d;
    struct buf b = {0};
    complain_cut(t);
    if (rc == 0 && !t->result->lines.n)
        rc = err_set(e, ERR_DATA, _("%s: a result table without rows"), t->path);
    if (rc == 0) {
        d->task = task_of(t);
        d->level = t->tool == TOOL_PTDBG ? "L1" : t->modules && t->apis ? "mix" : t->modules ? "L0" : "L1";
        dump_link_twins(d);
        if (t->tool == TOOL_MSPROBE)
            row_contradictions_find(d);
        if (t->damaged > PROBLEMS) {
            buf_fmt(&b, _("%s: %zu more damaged rows"), t->path, t->damaged - PROBLEMS);
            dump_problem(d, NONE, "damaged", b.p);
        }
        buf_clear(&b);
        if (d->column == TARGET && d->reader->table && !t->result->tests)
            say_source(t);
    }
    load_end(t->load);
    buf_release(&b);
    map_release(&t->calls);
    map_release(&t->rows);
    map_release(&t->texts);
    vec_release(&t->pool);
    return rc;
}

int result_rank(const char *path)
{
    struct str s = path_base(str_of(path));
    for (size_t i = 0; i + 4 < s.n; i++) {
        size_t n = i + 4;
        if (memcmp(s.p + i, "rank", 4) != 0)
            continue;
        while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
            n++;
        unsigned long long v;
        if (str_u64(str_n(s.p + i + 4, n - i - 4), &v) && v < INT32_MAX)
            return (int)v;
    }
    return -1;
}

const struct result *result_of(const struct dump *d)
{
    return d->reader->table ? d->state : NULL;
}

const struct result_line *result_at(const struct dump *d, uint32_t row)
{
    const struct result *r = result_of(d);
    return r && row < r->line_of.n ? &r->lines.v[r->line_of.v[row]] : NULL;
}

void result_close(struct dump *d)
{
    struct result *r = d->state;
    vec_release(&r->lines);
    vec_release(&r->line_of);
    free(r);
    d->state = NULL;
}
