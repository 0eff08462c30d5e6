/* rank_N_activations.log of TorchTitan (agent_tooling/numerics_debugging): a header, then one block per operator,
 * "[layers.0.attention.wq/op_3_mm]" with indented lines about its result. Figures have seven digits; norm and mean
 * come from a float64 sum. In-place operators have no figures and no row. */
#include "fmt/op_statistics.h"

#include "base/lines.h"
#include "base/msg.h"
#include "base/reading.h"
#include "dump/family.h"
#include "dump/lacking_figures.h"
#include "fmt/row_lines.h"

#define HEAD "Total captured activations:"
#define LONGEST (1u << 20)
#define DIGITS 7
#define BATCH 8192 /* lines per batch, after which the lock is released */
#define FIGURES (HAS_NORM | HAS_MIN | HAS_MAX | HAS_MEAN)

/* One operator's block. */
struct block {
    struct buf key, place;
    struct row r;
    bool figures, backward;
    const char *odd;     /* what could not be read in it, in the dump's arena; NULL: nothing */
    unsigned named;      /* HAS_… of the figures it names, readable or not */
    uint64_t offset;
};

static bool op_statistics_probe(const char *path)
{
    char head[256];
    return path_is_file(path) && str_starts(file_head(path, head, sizeof head), HEAD);
}

/* The N of "rank_N_activations.log"; -1 for another name. */
static int rank_of(const char *path)
{
    struct str name = path_base(str_of(path));
    unsigned long long n;
    if (!str_starts(name, "rank_") || !str_ends(name, "_activations.log"))
        return -1;
    name = str_n(name.p + strlen("rank_"), name.n - strlen("rank_") - strlen("_activations.log"));
    return str_u64(name, &n) && n < (1u << 20) ? (int)n : -1;
}

static void op_statistics_places(const char *path, place_list *out)
{
    place_list_add(out, &reader_op_statistics, path, -1, rank_of(path));
}

/* "attn/op_12_mm" → "mm" */
static struct str operator_of(struct str key)
{
    ptrdiff_t slash = str_rfind(key, '/');
    struct str op = slash < 0 ? key : str_cut(key, (size_t)slash + 1), number, rest;
    if (!str_starts(op, "op_") || !str_split(str_cut(op, strlen("op_")), '_', &number, &rest))
        return op;
    return rest;
}

static void block_damaged(struct dump *d, uint64_t offset, const char *what)
{
    struct err e;
    err_at(&e, d->path, offset, "%s", what);
    dump_problem(d, NONE, "damaged", e.text);
}

/* Notes a value of the block that could not be read; only the first one is told. */
static void note_odd_value(struct dump *d, struct block *b, uint64_t offset, const char *expected, struct str value)
{
    struct err e;
    char found[READING_FOUND];
    err_at(&e, d->path, offset, _("expected %s, found %s"), expected, reading_found(found, value));
    if (!b->odd)
        b->odd = arena_cstr(&d->arena, str_of(e.text));
}

static void op_statistics_add_row(struct dump *d, struct map *runs, struct block *b)
{
    bool fresh;
    struct buf name = {0};
    struct str key = buf_view(&b->key);
    ptrdiff_t slash = str_rfind(key, '/');
    buf_fmt(&name, "%.*s.%s", STR_ARG(key), b->backward ? "backward" : "forward");
    b->r.slot = dump_slot(d, STR("output"));
    if (!(b->r.has & HAS_SHAPE)) /* each operator has one */
        note_odd_value(d, b, b->offset, _("a shape"), STR(""));
    uint32_t c = dump_run(d, runs, buf_view(&name), b->r.slot, CALL_API, b->backward ? PHASE_BACKWARD : PHASE_FORWARD,
                          &fresh);
    if (fresh) {
        struct call *call = &d->calls.v[c];
        call->family = (uint8_t)family_find(operator_of(key));
        call->offset = b->offset;
        if (slash > 0)
            call->scope = dump_scope(d, str_n(key.p, (size_t)slash));
        if (b->place.n) {
            struct stack s = {.first = (uint32_t)d->stack_frames.n, .n = 1};
            vec_push(&d->stack_frames, dump_frame(d, buf_view(&b->place)));
            d->calls.v[c].stack = (uint32_t)d->stacks.n;
            vec_push(&d->stacks, s);
        }
    }
    uint32_t row = dump_add_row(d, c, b->r);
    if (b->odd)
        dump_unparsed(d, row, b->odd);
    buf_release(&name);
}

/* Begins a block of this name. */
static void block_start(struct block *b, struct str key, uint64_t offset)
{
    buf_clear(&b->key);
    buf_clear(&b->place);
    buf_str(&b->key, key);
    b->r = (struct row){.shape = NONE, .extra = NONE, .io = IO_OUTPUT, .kind = ROW_TENSOR};
    b->figures = b->backward = false;
    b->named = 0;
    b->odd = NULL;
    b->offset = offset;
}

/* "torch.Size([2, 24, 64]), Dtype: torch.float32" */
static void take_shape(struct dump *d, struct block *b, struct str value, uint64_t offset)
{
    int64_t dim[TENSOR_DIMS];
    int n = 0;
    struct row *r = &b->r;
    ptrdiff_t open = str_find(value, '['), close = str_find(value, ']'), at = str_search(value, "Dtype:");
    struct str type = at < 0 ? STR("") : str_trim(str_cut(value, (size_t)at + strlen("Dtype:")));
    struct str sizes = open < 0 || close < open ? STR("") : str_n(value.p + open, (size_t)(close - open + 1));
    r->dtype = (uint8_t)dtype_find(type);
    r->shape = reading_sizes(sizes, TENSOR_DIMS, dim, &n) == READING_VALUE ? dump_shape(d, dim, n) : NONE;
    r->has |= r->shape == NONE ? 0 : HAS_SHAPE;
    if (r->shape == NONE)
        note_odd_value(d, b, offset, _("a shape"), value);
    else if (r->dtype == DTYPE_UNKNOWN && !dtype_is_other(type))
        note_odd_value(d, b, offset, _("an element type"), type);
}

static void op_statistics_take_line(struct dump *d, struct block *b, struct str line, uint64_t offset)
{
    static const struct {
        const char *name;
        int stat;
        unsigned has;
    } figure[] = {{"L2 norm", STAT_NORM, HAS_NORM}, {"Min", STAT_MIN, HAS_MIN}, {"Max", STAT_MAX, HAS_MAX},
                  {"Mean", STAT_MEAN, HAS_MEAN}};
    struct str name, value;
    if (!b->key.n || !str_starts(line, "  ") || !str_split(line, ':', &name, &value))
        return;
    name = str_trim(name);
    value = str_trim(value);
    if (str_is(name, "Shape")) {
        b->figures = true;
        take_shape(d, b, value, offset);
    } else if (str_is(name, "Phase")) {
        b->backward = str_is(value, "backward");
        if (!b->backward && !str_is(value, "forward"))
            note_odd_value(d, b, offset, _("forward or backward"), value);
    } else if (str_is(name, "Output hash") && value.n) {
        b->r.text = arena_cstr(&d->arena, value);
        b->r.has |= HAS_CHECKSUM;
    } else if (str_is(name, "Location")) {
        ptrdiff_t colon = str_rfind(value, ':');
        buf_clear(&b->place);
        if (colon > 0)
            buf_fmt(&b->place, "File %.*s, line %.*s, in , \n ", (int)colon, value.p,
                    STR_ARG(str_cut(value, (size_t)colon + 1)));
    }
    for (size_t i = 0; i < ARRAY_LEN(figure); i++) {
        if (!str_is(name, figure[i].name))
            continue;
        b->named |= figure[i].has;
        b->figures = true;
        if (reading_number(value, &b->r.stat[figure[i].stat]) == READING_VALUE)
            b->r.has = (uint16_t)(b->r.has | figure[i].has);
        else
            note_odd_value(d, b, offset, _("a number"), value);
    }
}

/* The file ends inside the last block: in a line, or before figures that every other block has. */
static bool is_incomplete(const struct block *b, bool in_line, uint32_t incomplete_before)
{
    return in_line || (b->figures && b->named != FIGURES && !incomplete_before);
}

static int op_statistics_open_dump(struct dump *d, struct load *load, struct err *e)
{
    struct lines l;
    struct str line;
    struct block b = {0};
    struct map runs = {0};
    uint64_t expected = 0, found = 0;
    uint32_t incomplete = 0; /* blocks that lack a figure */
    bool in_line = false;
    int more = 0;
    if (lines_open(&l, d->path, LONGEST, true, e))
        return -1;
    load_begin(load);
    d->framework = "pytorch";
    d->level = "L1";
    d->task = "statistics";
    d->digits = DIGITS;
    d->joint = '.';
    while (!load_cancelled(load) && (more = lines_next(&l, &line, e)) > 0) {
        unsigned long long n;
        struct str head = str_trim(line);
        in_line = !l.newline;
        if (str_starts(line, HEAD) && str_u64(str_trim(str_cut(line, strlen(HEAD))), &n))
            expected = n;
        if (str_starts(line, "[")) {
            bool whole = head.n > 2 && str_ends(head, "]");
            if (b.figures)
                op_statistics_add_row(d, &runs, &b);
            incomplete += b.figures && b.named != FIGURES;
            block_start(&b, whole ? str_n(head.p + 1, head.n - 2) : (struct str){0}, l.offset);
            found++;
            if (!whole && l.newline)
                block_damaged(d, l.offset, _("expected a name"));
        } else {
            op_statistics_take_line(d, &b, line, l.offset);
        }
        row_lines_pause(&l, load, BATCH);
    }
    bool partial = is_incomplete(&b, in_line, incomplete);
    if (b.figures && !partial)
        op_statistics_add_row(d, &runs, &b);
    if (found > expected)
        expected = found;
    found -= partial && found;
    dump_link_twins(d);
    lacking_figures_find(d);
    if (more == 0 && found < expected) {
        struct err cut;
        err_set(&cut, ERR_DATA, _("%s: truncated file: it has %llu of %llu operators"), d->path,
                (unsigned long long)found, (unsigned long long)expected);
        dump_problem(d, NONE, "damaged", cut.text);
        d->cut = true;
    }
    load_end(load);
    buf_release(&b.key);
    buf_release(&b.place);
    return row_lines_end(&l, d, &runs, more, e);
}

const struct reader reader_op_statistics = {
    .name = "torchtitan",
    .title = N_("activations recorded by the TorchTitan tracer: statistics of the result of every operator in a step"),
    .what = "rank_N_activations.log",
    .versions = "TorchTitan, August 2026",
    .unread = N_("hashes of inputs; in-place operators"),
    .probe = op_statistics_probe,
    .places = op_statistics_places,
    .open = op_statistics_open_dump,
    .without = NULL,
};
