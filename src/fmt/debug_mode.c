/* debug_string() of PyTorch's DebugMode:
 *   aten::mm(t$0: f32[8, 8], t$1: f32[8, 32])  ->  t$2: f32[8, 32]  # {'input_hash': ((9.5, 2.0), {}), 'hash': 124.5}
 * A line is a call with a row for each argument and result, whatever lists they lie in; in lists tensors are texts in
 * quotes. Hashes are nested as the arguments and results are, with None beside what is no tensor. */
#include "fmt/debug_mode.h"

#include "base/lines.h"
#include "base/msg.h"
#include "base/reading.h"
#include "dump/checksum.h"
#include "dump/family.h"
#include "fmt/row_lines.h"

#define LONGEST (1u << 20)
#define BATCH 4096
#define DEEPEST 32
#define PROBLEMS 200
#define ARROW "  ->  "
#define PLACEMENT "-> output: " /* of the line above, a distributed tensor's */

/* ---- lines ---- */

/* The parts of a line of one operator: "aten::mm", "t: f32[8, 8], t: f32[8, 32]", "t: f32[8, 32]", "'hash': 124.5". */
struct operator_line {
    struct str name, arguments, results, notes;
    bool whole; /* every bracket is closed */
};

/* "<method 'view' of 'torch._C.TensorBase' objects>(": what is in the first quotes. */
static bool method_name(struct str *s, struct str *name)
{
    ptrdiff_t end = str_search(*s, ">("), quote = str_find(*s, '\'');
    size_t n = quote < 0 || quote > end ? 0 : str_quoted(str_cut(*s, (size_t)quote));
    if (n < 3)
        return false;
    *name = str_n(s->p + quote + 1, n - 2);
    *s = str_cut(*s, (size_t)end + 2);
    return true;
}

/* "NAME(", "redistribute_input [implicit] ("; s moves behind the bracket. */
static bool plain_name(struct str *s, struct str *name)
{
    ptrdiff_t open = str_find(*s, '('), blank;
    if (open < 1)
        return false;
    *name = str_n(s->p, (size_t)open);
    if ((blank = str_search(*name, " [")) > 0)
        name->n = (size_t)blank;
    *s = str_cut(*s, (size_t)open + 1);
    return str_find(*name, ' ') < 0;
}

/* Takes the text up to the bracket that closes what s lies in; false: nothing closes it. */
static bool take_enclosed(struct str *s, struct str *inside)
{
    size_t n = 0;
    do
        n += str_item_end(str_cut(*s, n));
    while (n < s->n && s->p[n] == ',' && ++n);
    *inside = str_n(s->p, n);
    *s = str_cut(*s, n + 1);
    return inside->p + n < s->p;
}

/* False: the line is none of an operator. */
static bool split_operator(struct str line, struct operator_line *out)
{
    struct str s = str_trim(line);
    bool triton = str_starts(s, "[triton] "), indented = line.n && line.p[0] == ' ';
    *out = (struct operator_line){.whole = true};
    if (triton)
        s = str_cut(s, strlen("[triton] "));
    else if (s.n && strchr("[#-", s.p[0]))
        return false;
    if (!(s.n && s.p[0] == '<' ? method_name(&s, &out->name) : plain_name(&s, &out->name)) ||
        !(indented || str_has(out->name, "::") || str_starts(out->name, "torch.")))
        return false;
    out->whole = take_enclosed(&s, &out->arguments);
    ptrdiff_t note = str_search(s, "  # {");
    if (note >= 0) {
        struct str notes = str_cut(s, (size_t)note + strlen("  # {"));
        out->whole = out->whole && take_enclosed(&notes, &out->notes) && !str_trim(notes).n;
        s.n = (size_t)note;
    }
    if (str_starts(s, ARROW))
        out->results = str_cut(s, strlen(ARROW));
    out->whole = out->whole && (out->results.n || !str_trim(s).n);
    return true;
}

static bool debug_mode_probe(const char *path)
{
    struct lines l;
    struct str line;
    struct operator_line of;
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
        yes = split_operator(line, &of) && of.results.n && str_has(of.results, ": ");
        if (!yes && !strchr("[#", first.p[0]) && !str_has(first, "("))
            break;
    }
    lines_close(&l);
    return yes;
}

/* ---- values ---- */

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

struct mode_reading {
    struct dump *d;
    uint64_t line;
    uint32_t call;
    enum row_io io;
    struct buf slot;
    size_t unread; /* lines */
};

static void line_unread(struct mode_reading *x, const char *kind, const char *what)
{
    struct err e;
    if (x->unread++ >= PROBLEMS)
        return;
    err_line(&e, x->d->path, x->line, "%s", what);
    dump_problem(x->d, NONE, kind, e.text);
}

static uint32_t add_mode_row(struct mode_reading *x, struct row r)
{
    r.slot = dump_slot(x->d, buf_view(&x->slot));
    r.extra = NONE;
    r.io = (uint8_t)(x->io & 7u);
    return dump_add_row(x->d, x->call, r);
}

/* `what`: what was expected; NULL: the row could be read. */
static void row_unread(struct mode_reading *x, uint32_t row, const char *what)
{
    struct err e;
    if (!what)
        return;
    err_line(&e, x->d->path, x->line, "%s", what);
    dump_unparsed(x->d, row, arena_cstr(&x->d->arena, str_of(e.text)));
}

/* The quotes around a text or key, if it has some. */
static struct str without_quotes(struct str s)
{
    s = str_trim(s);
    bool quoted = s.n > 1 && (s.p[0] == '\'' || s.p[0] == '"') && str_quoted(s) == s.n;
    return quoted ? str_n(s.p + 1, s.n - 2) : s;
}

/* Whether s is in brackets, which *inside is then without. */
static bool is_list(struct str s, struct str *inside)
{
    s = str_trim(s);
    if (!s.n || !char_opens(s.p[0]))
        return false;
    s = str_cut(s, 1);
    return take_enclosed(&s, inside) && !s.n;
}

/* The next of the items that commas divide; false: there is none. */
static bool next_python_item(struct str *rest, struct str *item)
{
    *rest = str_trim(*rest);
    if (!rest->n)
        return false;
    size_t n = str_item_end(*rest);
    *item = str_trim(str_n(rest->p, n));
    *rest = str_cut(*rest, n + 1);
    return true;
}

/* Of "'input_hash': (…), 'hash': 1.5" or "{'scale': None}" the value of a key, empty if there is none. *odd: something
 * there has no key. */
static struct str note_of(struct str notes, struct str key, bool *odd)
{
    struct str item, name, value, found = {0};
    while (next_python_item(&notes, &item)) {
        *odd = *odd || !str_split(item, ':', &name, &value);
        if (!*odd && str_eq(without_quotes(name), key))
            found = str_trim(value);
    }
    return found;
}

/* Writes a hash so that those of one kind can be compared: integers are words that were combined by exclusive or, all
 * else (norms, texts, several hashes of one tensor) is told by its digits. False: it is no hash. */
static bool write_hash(struct str hash, struct buf *out)
{
    unsigned long long word;
    double norm;
    struct str list, one;
    if (is_list(hash, &list)) {
        while (next_python_item(&list, &one)) {
            if (is_list(one, &one) || !write_hash(one, out))
                return false;
        }
        for (size_t i = 0; i < out->n; i++)
            if (out->p[i] == 'x') /* "0x" is of a single word */
                out->p[i] = '0';
        return out->n > 0;
    }
    if (str_u64(hash, &word)) {
        buf_fmt(out, "0x%016llx", word);
        return true;
    }
    struct str text = without_quotes(hash);
    if (text.n == hash.n && reading_number(hash, &norm) != READING_VALUE)
        return false;
    checksum_write(text, out);
    return true;
}

/* "t$0: f32[8, 8]", "dt: bf16[4]{requires_grad=True}| S(0)"; false: the value is no tensor. */
static bool split_tensor(struct str s, struct str *type, struct str *sizes, struct str *rest)
{
    ptrdiff_t colon = str_search(s, ": ");
    if (colon < 1)
        return false;
    for (ptrdiff_t i = 0; i < colon; i++)
        if (!char_is_digit(s.p[i]) && s.p[i] != '$' && !(s.p[i] >= 'a' && s.p[i] <= 'z'))
            return false;
    s = str_cut(s, (size_t)colon + 2);
    ptrdiff_t open = str_find(s, '['), close = str_find(s, ']');
    *type = open < 0 ? s : str_n(s.p, (size_t)open);
    *sizes = close < open ? STR("") : str_n(s.p + open, (size_t)(close - open + 1));
    *rest = close < open ? STR("") : str_cut(s, (size_t)close + 1);
    return true;
}

static void take_mode_tensor(struct mode_reading *x, struct str type, struct str sizes, struct str rest,
                             struct str hash)
{
    struct row r = {.shape = NONE, .kind = ROW_TENSOR, .dtype = (uint8_t)short_type(type)};
    int64_t dim[TENSOR_DIMS];
    int n = 0;
    struct str attributes, place = {0};
    struct buf sum = {0};
    bool hashed = hash.n && !reading_is_nothing(hash), odd = false;
    if (reading_sizes(sizes, TENSOR_DIMS, dim, &n) == READING_VALUE)
        r.shape = dump_shape(x->d, dim, n);
    r.has |= r.shape == NONE ? 0 : HAS_SHAPE;
    if (rest.n && rest.p[0] == '{') {
        rest = str_cut(rest, 1);
        odd = !take_enclosed(&rest, &attributes);
        r.needs_gradient = !odd && str_has(attributes, "requires_grad=True");
    }
    if (str_starts(rest, "| "))
        place = str_cut(rest, 2);
    odd = odd || rest.n != (place.n ? place.n + 2 : 0);
    if (hashed && write_hash(hash, &sum)) {
        r.text = arena_cstr(&x->d->arena, buf_view(&sum));
        r.has |= HAS_CHECKSUM;
        x->d->checksums = true;
    }
    buf_release(&sum);
    row_unread(x, add_mode_row(x, r), r.shape == NONE || odd ? _("expected a shape")
                                   : r.dtype == DTYPE_UNKNOWN ? _("expected an element type")
                                   : hashed && !r.text ? _("expected a hash") : NULL);
    if (place.n) {
        buf_cstr(&x->slot, ".placement");
        add_mode_row(x, (struct row){.shape = NONE, .kind = ROW_STR, .text = arena_cstr(&x->d->arena, place)});
    }
}

/* What is no tensor: a number, a flag, a type, a text, None, or another object of Python's as it is printed. */
static void take_plain(struct mode_reading *x, struct str s, bool text)
{
    struct row r = {.shape = NONE, .kind = text ? ROW_STR : ROW_OTHER};
    const char *bad = NULL;
    double number = 0;
    bool numeric = s.n && (char_is_digit(s.p[0]) || strchr("+-.", s.p[0]) || str_is(s, "inf") || str_is(s, "nan"));
    if (text) {
        /* as it is */
    } else if (str_is(s, "None")) {
        r.kind = ROW_NULL;
    } else if (str_is(s, "True") || str_is(s, "False")) {
        r.kind = ROW_BOOL;
        number = str_is(s, "True");
    } else if (numeric && !str_ends(s, "j")) {
        bool fraction = str_has(s, ".") || str_has(s, "e") || str_has(s, "n");
        r.kind = fraction ? ROW_FLOAT : ROW_INT;
        bad = reading_number(s, &number) == READING_VALUE ? NULL : _("expected a number");
    } else if (str_starts(s, "torch.") && (r.dtype = (uint8_t)dtype_find(s)) != DTYPE_UNKNOWN) {
        r.kind = ROW_DTYPE;
    }
    if (r.kind == ROW_INT || r.kind == ROW_FLOAT || r.kind == ROW_BOOL) {
        r.stat[STAT_MAX] = number;
        r.has = HAS_MAX;
    }
    if (r.kind != ROW_NULL)
        r.text = arena_cstr(&x->d->arena, s);
    row_unread(x, add_mode_row(x, r), bad);
}

static void take_mode_value(struct mode_reading *x, struct str value, struct str hash, int depth);

static bool in_identifier(char c)
{
    return char_is_digit(c) || c == '_' || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* "scale=0.5", "'scale': 0.5"; the name is empty if there is none. */
static void split_named(struct str item, struct str *name, struct str *value)
{
    size_t n = 0;
    *name = STR("");
    *value = item;
    if (item.n && (item.p[0] == '\'' || item.p[0] == '"')) {
        n = str_quoted(item);
        if (n < 2 || n >= item.n || item.p[n] != ':')
            return;
        *name = str_n(item.p + 1, n - 2);
    } else {
        while (n < item.n && in_identifier(item.p[n]))
            n++;
        if (!n || n >= item.n || item.p[n] != '=')
            return;
        *name = str_n(item.p, n);
    }
    *value = str_trim(str_cut(item, n + 1));
}

/* Items of a list or of a call, with the hashes beside them in the same order; `named`: of those with a name. */
static void take_items(struct mode_reading *x, struct str items, struct str hashes, struct str named, int depth)
{
    struct str item, name, value, hash, key;
    size_t before = x->slot.n, k = 0;
    bool hashed = hashes.n || named.n, odd = false;
    for (; next_python_item(&items, &item); k++) {
        split_named(item, &name, &value);
        struct str *beside = name.n && named.n ? &named : &hashes;
        if (hashed && !next_python_item(beside, &item))
            odd = true;
        hash = hashed && !odd ? item : STR("");
        if (name.n && hash.n) {
            split_named(item, &key, &hash);
            odd = odd || !str_eq(key, name);
        }
        if (name.n)
            buf_fmt(&x->slot, ".%.*s", STR_ARG(name));
        else
            buf_fmt(&x->slot, ".%zu", k);
        take_mode_value(x, value, hash, depth);
        x->slot.n = before;
        x->slot.p[before] = 0;
    }
    if (!k)
        take_plain(x, STR("[]"), false);
    else if (odd || str_trim(hashes).n || str_trim(named).n)
        row_unread(x, (uint32_t)x->d->rows.n - 1, _("expected a hash"));
}

static void take_mode_value(struct mode_reading *x, struct str value, struct str hash, int depth)
{
    struct str plain = without_quotes(value), type, sizes, rest, items, hashes = {0};
    if (split_tensor(plain, &type, &sizes, &rest)) {
        take_mode_tensor(x, type, sizes, rest, hash);
    } else if (depth < DEEPEST && is_list(value, &items)) {
        if (!is_list(hash, &hashes) && !reading_is_nothing(hash))
            hashes = hash;
        take_items(x, items, hashes, STR(""), depth + 1);
    } else {
        take_plain(x, plain, plain.n != value.n);
        if (!reading_is_nothing(hash))
            row_unread(x, (uint32_t)x->d->rows.n - 1, _("expected a hash"));
    }
}

/* ---- calls ---- */

/* "aten::mul.Tensor": "aten.mul.Tensor", whose operator is "mul". */
static void add_mode_call(struct mode_reading *x, struct str name, struct str line)
{
    struct buf called = {0};
    struct str operator = name, rest;
    ptrdiff_t at = str_search(name, "::");
    if (str_starts(str_trim(line), "<"))
        buf_cstr(&called, "Tensor.");
    else if (str_starts(str_trim(line), "[triton]"))
        buf_cstr(&called, "triton.");
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] != ':')
            buf_char(&called, name.p[i]);
        else if (i && name.p[i - 1] == ':')
            buf_char(&called, '.');
    if (at >= 0)
        str_split(str_cut(name, (size_t)at + 2), '.', &operator, &rest);
    else if ((at = str_rfind(name, '.')) >= 0)
        operator = str_cut(name, (size_t)at + 1);
    x->call = dump_add_call(x->d, buf_view(&called), CALL_API, PHASE_FORWARD);
    x->d->calls.v[x->call].family = (uint8_t)family_find(operator);
    buf_release(&called);
}

static void begin_slots(struct mode_reading *x, enum row_io io)
{
    x->io = io;
    buf_clear(&x->slot);
    buf_cstr(&x->slot, io == IO_INPUT ? "input" : "output");
}

static void take_mode_operator(struct mode_reading *x, const struct operator_line *of, struct str line)
{
    struct str hashes, both, positional = {0}, named = {0}, list, rest, hash;
    bool odd = false;
    add_mode_call(x, of->name, line);
    both = note_of(of->notes, STR("input_hash"), &odd);
    hash = note_of(of->notes, STR("hash"), &odd);
    if (both.n) /* of those by position and those by name */
        odd = !is_list(both, &rest) || !next_python_item(&rest, &hashes) || !is_list(hashes, &positional) ||
              !next_python_item(&rest, &hashes) || !is_list(hashes, &named) || odd;
    begin_slots(x, IO_INPUT);
    if (of->arguments.n)
        take_items(x, of->arguments, positional, named, 0);
    begin_slots(x, IO_OUTPUT);
    if (of->results.n && is_list(of->results, &list)) {
        odd = (hash.n && !is_list(hash, &hash)) || odd;
        take_items(x, list, hash, STR(""), 1);
    } else if (of->results.n) {
        buf_cstr(&x->slot, ".0");
        take_mode_value(x, str_trim(of->results), hash, 0);
    }
    if (odd && x->d->calls.v[x->call].rows)
        row_unread(x, x->d->calls.v[x->call].last_row, _("expected a hash"));
}

/* The lines below a call: where its results lie, and the hashes of a kernel's arguments before and after it. */
static bool take_mode_notes(struct mode_reading *x, struct str line)
{
    static const struct {
        const char *begin, *slot;
        enum row_io io;
    } kinds[] = {{PLACEMENT, ".placement", IO_OUTPUT},
                 {"# pre-kernel hashes: ", ".before", IO_INPUT},
                 {"# post-kernel hashes: ", ".after", IO_OUTPUT}};
    struct str s = str_trim(line);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (!str_starts(s, kinds[i].begin) || x->call == NONE)
            continue;
        begin_slots(x, kinds[i].io);
        buf_cstr(&x->slot, kinds[i].slot);
        take_plain(x, str_cut(s, strlen(kinds[i].begin)), true);
        return true;
    }
    return s.n && strchr("[#", s.p[0]);
}

static void take_mode_line(struct mode_reading *x, struct str line)
{
    struct operator_line of;
    bool read = split_operator(line, &of);
    if (read && of.whole)
        take_mode_operator(x, &of, line);
    else if (read || (line.n && line.p[0] == ' ' && str_trim(line).n && !take_mode_notes(x, line)))
        line_unread(x, read ? "damaged" : PROBLEM_UNREAD, _("expected an operator with its arguments and results"));
}

static int debug_mode_open_dump(struct dump *d, struct load *load, struct err *e)
{
    struct mode_reading x = {.d = d, .call = NONE};
    struct map no_runs = {0};
    struct lines l;
    struct str line;
    int more = 0;
    if (lines_open(&l, d->path, LONGEST, true, e))
        return -1;
    load_begin(load);
    d->framework = "pytorch";
    d->level = "L1";
    d->joint = '.';
    while (!load_cancelled(load) && (more = lines_next(&l, &line, e)) > 0) {
        x.line = l.number;
        if (lines_unended(&l) && str_trim(line).n && !str_ends(line, "}")) {
            line_unread(&x, "damaged", _("the last line has no end: the file is truncated or still being written"));
            d->cut = true;
        } else {
            take_mode_line(&x, line);
        }
        row_lines_pause(&l, load, BATCH);
    }
    buf_release(&x.slot);
    d->task = "md5";
    if (d->rows.n && !d->checksums)
        dump_warn(d, _("no hashes in this dump, only shapes and types: record them with "
                       "DebugMode.log_tensor_hashes()"));
    load_end(load);
    return row_lines_end(&l, d, &no_runs, more, e);
}

const struct reader reader_debug_mode = {
    .name = "torch-debug-mode",
    .title = N_("text dump of PyTorch's DebugMode: every dispatched operator, with hashes if recorded"),
    .what = "*.txt, *.log: aten::mm(t$0: f32[8, 8], …)  ->  t$2: f32[8, 8]  # {'hash': …}",
    .versions = "torch 2.10 to 2.13",
    .unread = N_("names of modules, stacks, numbers of tensors, attributes other than requires_grad"),
    .probe = debug_mode_probe,
    .open = debug_mode_open_dump,
    .without = NULL,
};
