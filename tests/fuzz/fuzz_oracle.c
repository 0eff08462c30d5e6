/* One recorded call and its gradients, made of bytes: an operator or class by its number, arguments of all kinds,
 * shapes with axes of no element and of very many, any values; computed anew as the program does it. */
#include "fuzz_dump.h"

#include "oracle/operators.h"
#include "oracle/oracle_text.h"

enum { VALUES = 1 << 12, DEEP = 3 };

struct bytes {
    const uint8_t *p, *end;
};

static unsigned next(struct bytes *b)
{
    return b->p < b->end ? *b->p++ : 0;
}

static const struct operator *const tables[] = {
    operators_product,   operators_convolution, operators_elementwise, operators_move,    operators_index,
    operators_reduce,    operators_pool,        operators_activation,  operators_dropout, operators_norm,
    operators_softmax,   operators_attention,   operators_rotary,      operators_loss,    operators_norm_class,
    operators_product_class, operators_convolution_class, operators_activation_class, operators_move_class,
    operators_index_class, operators_pool_class, operators_dropout_class,
};

/* The operator of those bytes: one of its names, "*" left out. */
static void operator_name(struct bytes *b, char *out, size_t room)
{
    const struct operator *table = tables[next(b) % (sizeof tables / sizeof *tables)];
    unsigned rows = 0, words = 1, n = 0;
    while (table[rows].names)
        rows++;
    const char *names = table[next(b) % rows].names;
    for (const char *p = names; *p; p++)
        words += *p == ' ';
    for (unsigned skip = next(b) % words; skip; names++)
        skip -= *names == ' ';
    for (; *names && *names != ' ' && n + 1 < room; names++)
        if (*names != '*')
            out[n++] = *names;
    out[n] = 0;
}

/* ---- tensors: all rows read the same file, as many of its values as they have elements ---- */

static char values[1024];

static int tensor_of(const struct dump *d, uint32_t row, struct tensor *t, struct err *e)
{
    const struct shape *s = dump_row_shape(d, row);
    memset(t, 0, sizeof *t);
    if (!s || s->numel > VALUES || file_open(&t->file, values, e))
        return err_set(e, ERR_DATA, "no tensor");
    t->dtype = (enum dtype)d->rows.v[row].dtype;
    t->ndim = s->ndim;
    memcpy(t->shape, s->dim, (size_t)s->ndim * sizeof *s->dim);
    t->offset = (uint64_t)(row % 7) * 8;
    if (tensor_pack(t, values, e) || tensor_check(t, 0, t->file.size, e)) {
        tensor_close(t);
        return -1;
    }
    return 0;
}

static int nothing_to_open(struct dump *d, struct load *load, struct err *e)
{
    (void)d, (void)load, (void)e;
    return 0;
}

static struct reader reader = {.name = "bytes", .open = nothing_to_open, .tensor = tensor_of};

/* ---- rows ---- */

static uint32_t add_row(struct dump *d, uint32_t call, enum row_io io, const char *slot, struct row r)
{
    r.io = io;
    r.slot = dump_slot(d, str_of(slot));
    r.extra = NONE;
    return dump_add_row(d, call, r);
}

static uint32_t shape_of(struct bytes *b, struct dump *d)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 0, 5, 6, 8, 12, 16, 1 << 20, INT64_C(1) << 40};
    unsigned how = next(b);
    if (how >= 128 && d->shapes.n)
        return how % (uint32_t)d->shapes.n; /* that of a tensor before */
    int64_t dim[9];
    int n = (int)(how % 9);
    for (int i = 0; i < n; i++)
        dim[i] = sizes[next(b) % (sizeof sizes / sizeof *sizes)];
    return dump_shape(d, dim, n);
}

static struct row tensor_row(struct bytes *b, struct dump *d)
{
    static const enum dtype types[] = {DTYPE_F32, DTYPE_F32, DTYPE_BF16, DTYPE_F16, DTYPE_F64, DTYPE_I64, DTYPE_BOOL};
    enum dtype type = types[next(b) % (sizeof types / sizeof *types)];
    uint32_t shape = shape_of(b, d);
    return (struct row){.kind = ROW_TENSOR, .dtype = (uint8_t)type, .has = HAS_FILE | HAS_SHAPE, .shape = shape};
}

static struct row number_row(enum row_kind kind, double x)
{
    struct row r = {.kind = (uint8_t)kind, .shape = NONE};
    r.stat[STAT_MAX] = x;
    return r;
}

static double number_of(struct bytes *b)
{
    static const double some[] = {0, 1, -1, 2, 3, 0.5, -2, 1e-5, 1e300, -1e300, NAN, INFINITY, 2147483648., 4, 7, 100};
    unsigned n = next(b);
    return n < 64 ? some[n % (sizeof some / sizeof *some)] : (double)(int8_t)n;
}

static struct row text_row(struct bytes *b, enum row_kind kind)
{
    static const char *const texts[] = {
        "mean", "none", "sum", "same", "reflect", "circular", "replicate", "tanh", "ij,jk->ik", "bij,bkj->bik",
        "ab,bc->az", "ii->i", "BSH", "BNSD", "SBND", "bilinear", "nearest", "[0,null,2]", "[null,-1,1]", "[1,2,3]",
        "...", "[-9e99,1e99,1e30]",
    };
    return (struct row){.kind = (uint8_t)kind, .shape = NONE, .text = texts[next(b) % (sizeof texts / sizeof *texts)]};
}

static void add_argument(struct bytes *b, struct dump *d, uint32_t call, const char *slot, int deep)
{
    char inner[256];
    switch (next(b) % 8) {
    case 0: case 1: add_row(d, call, IO_INPUT, slot, tensor_row(b, d)); break;
    case 2: add_row(d, call, IO_INPUT, slot, number_row(ROW_INT, number_of(b))); break;
    case 3: add_row(d, call, IO_INPUT, slot, number_row(ROW_FLOAT, number_of(b))); break;
    case 4: add_row(d, call, IO_INPUT, slot, number_row(ROW_BOOL, next(b) & 1)); break;
    case 5: add_row(d, call, IO_INPUT, slot, text_row(b, next(b) & 1 ? ROW_OTHER : ROW_STR)); break;
    case 6: add_row(d, call, IO_INPUT, slot, number_row(ROW_NULL, 0)); break;
    default:
        for (unsigned i = 0, n = next(b) % 5; i < n && deep < DEEP; i++) {
            snprintf(inner, sizeof inner, "%s.%u", slot, i);
            add_argument(b, d, call, inner, deep + 1);
        }
    }
}

static void add_arguments(struct bytes *b, struct dump *d, uint32_t call, bool module)
{
    static const char *const names[] = {"dim", "axis", "eps", "reduction", "mode", "stride", "padding", "dilation",
        "bias", "keepdim", "alpha", "beta", "value", "k", "scale", "approximate", "is_causal", "equation"};
    char slot[64];
    for (unsigned i = 0, n = next(b) % 10; i < n; i++) {
        unsigned how = next(b);
        if (how > 200) {
            snprintf(slot, sizeof slot, "input.%s", names[how % (sizeof names / sizeof *names)]);
        } else {
            snprintf(slot, sizeof slot, "input.%u", i);
        }
        add_argument(b, d, call, slot, 0);
    }
    if (module) {
        add_row(d, call, IO_PARAMETER, "parameters.weight", tensor_row(b, d));
        if (next(b) & 1)
            add_row(d, call, IO_PARAMETER, "parameters.bias", tensor_row(b, d));
    }
}

static void add_tensors(struct bytes *b, struct dump *d, uint32_t call, enum row_io io)
{
    char slot[32];
    for (unsigned i = 0, n = 1 + next(b) % 3; i < n; i++) {
        snprintf(slot, sizeof slot, "%s.%u", io == IO_INPUT ? "input" : "output", i);
        add_row(d, call, io, slot, tensor_row(b, d));
    }
}

static void make(struct bytes *b, struct dump *d)
{
    char name[128], word[64];
    unsigned how = next(b);
    bool module = how & 1;
    d->framework = how & 2 ? "mindspore" : "pytorch";
    reader.arguments = !(how & 4);
    operator_name(b, word, sizeof word);
    for (int backward = 0; backward < (how & 8 ? 2 : 1); backward++) {
        const char *phase = backward ? "backward" : "forward";
        if (module)
            snprintf(name, sizeof name, "Module.m.%s.%s.0", word, phase);
        else
            snprintf(name, sizeof name, "Functional.%s.0.%s", word, phase);
        uint32_t call = dump_add_call(d, str_of(name), module ? CALL_MODULE : CALL_API,
                                      backward ? PHASE_BACKWARD : PHASE_FORWARD);
        if (backward)
            add_tensors(b, d, call, IO_INPUT);
        else
            add_arguments(b, d, call, module);
        add_tensors(b, d, call, IO_OUTPUT);
    }
    dump_link_twins(d);
    d->complete = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes b = {data, data + size};
    struct dump d;
    struct buf text = {0};
    bool sampled = size && *data & 16; /* within few operations: rows, vectors, calls left out */
    struct oracle_options of = {
        .mode = sampled ? ORACLE_AUTO : ORACLE_ALL, .budget = sampled ? 5000 : ORACLE_BUDGET, .workers = 1};
    if (!*values) {
        uint64_t x = 1;
        double v[VALUES];
        for (int i = 0; i < VALUES; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            v[i] = i % 97 == 96 ? NAN : (double)(int64_t)x * 0x1p-62;
        }
        snprintf(values, sizeof values, "%s", fuzz_put(fuzz_dir(), "values", str_n((const char *)v, sizeof v)));
    }
    dump_init(&d);
    d.reader = &reader;
    make(&b, &d);
    struct oracle *o = oracle_run_alone(&d, &of, NULL);
    assert(o);
    for (uint32_t r = 0; r < d.rows.n; r++)
        oracle_line_text(o, (const uint32_t[]){r, NONE}, &text);
    oracle_cover_text(&o->side[0], &text);
    oracle_free(o);
    buf_release(&text);
    dump_release(&d);
    return 0;
}
