/* Compares recorded figures with those of the file. */
#include "dump/contradiction.h"

#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "dump/family.h"
#include "dump/reader.h"
#include "dump/recorded_figures.h"

#define OF_EXTREME 1e-6 /* tools convert float64 and integers to float32 */
#define LEAST_ROOT 0x1p-63 /* the root of float32's smallest normal number */
#define OF_SUM 0.05     /* the most of any sum */
#define ALL_DIGITS 17

static const struct {
    int stat;
    const char *name;
} figure[] = {{STAT_MAX, N_("max")}, {STAT_MIN, N_("min")}, {STAT_NORM, N_("norm")}, {STAT_MEAN, N_("mean")}};

/* The relative difference that a type and its printed digits explain. */
static double room_of(const struct dump *d, const struct row *r)
{
    double room = d->digits && d->digits < ALL_DIGITS ? pow(10, 1 - d->digits) : 0;
    double type = dtype_table[r->dtype].size == 1 ? dtype_table[r->dtype].epsilon : 0;
    return fmax(fmax(room, type), OF_EXTREME);
}

/* Sums are made in the tensor's own type or in float32, in any order: each addition rounds. */
static double room_of_sum(const struct row *r, double count)
{
    return fmin(OF_SUM, count * fmax(dtype_table[r->dtype].epsilon, dtype_table[DTYPE_F32].epsilon));
}

/* Of elements that are not finite: their counts, where they were recorded; otherwise sums, which they make not finite,
 * unless the tool leaves such elements out. */
static bool nonfinite_contradicts(const struct dump *d, uint32_t row, const struct side_figures *f, const char *file,
                                  struct err *e)
{
    const struct row *r = &d->rows.v[row];
    uint64_t nan, inf;
    int counts = recorded_counts(d, r, &nan, &inf);
    bool both = counts & COUNT_POS_INF && counts & COUNT_NEG_INF;
    if ((counts & COUNT_NAN && nan != f->nan) || (both && inf != f->inf)) {
        err_set(e, ERR_DATA, _("%s contradicts its recording: %llu NaN and %llu infinite elements were recorded, the "
                               "file has %llu and %llu"), file, (unsigned long long)nan, (unsigned long long)inf,
                (unsigned long long)f->nan, (unsigned long long)f->inf);
        return true;
    }
    if ((!f->nan && !f->inf) || counts || !dump_format(d) || dump_format(d)->finite_only)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(figure); i++) {
        int bit = HAS_MAX << figure[i].stat;
        char said[NUM_MAX];
        bool sum = figure[i].stat == STAT_NORM || figure[i].stat == STAT_MEAN;
        if (!sum || !(r->has & bit) || r->has & bit << IS_COMPUTED || !isfinite(r->stat[figure[i].stat]))
            continue;
        err_set(e, ERR_DATA, _("%s contradicts its recording: %s %s was recorded, the file has %llu NaN and %llu "
                               "infinite elements"), file, _(figure[i].name), num_exact(said, r->stat[figure[i].stat]),
                (unsigned long long)f->nan, (unsigned long long)f->inf);
        return true;
    }
    return false;
}

/* The first recorded figure of a row that is not `is`, of which `has` are known, for all its elements, but for
 * a rounding; -1. */
static int first_contradiction(const struct dump *d, uint32_t row, const double is[STAT_COUNT], unsigned has,
                               double rounded)
{
    const struct row *r = &d->rows.v[row];
    double count = (double)dump_row_numel(d, row), room = fmax(rounded, room_of(d, r));
    double sum = room + room_of_sum(r, count);
    double rms = has & HAS_NORM ? fabs(is[STAT_NORM]) / sqrt(count) : fmax(fabs(is[STAT_MAX]), fabs(is[STAT_MIN]));
    has &= recorded_figures(r);
    for (size_t i = 0; i < ARRAY_LEN(figure); i++) {
        int stat = figure[i].stat;
        double a = r->stat[stat], b = is[stat];
        if (stat == STAT_NORM) { /* of a tensor without dimensions tools record the value */
            a = fabs(a);
            b = fabs(b);
        }
        /* a norm is the root of a sum of squares in float32, below whose least number small ones vanish */
        double most = stat == STAT_NORM   ? sum * fabs(b) + sqrt(count) * LEAST_ROOT + dtype_table[r->dtype].least
                      : stat == STAT_MEAN ? sum * rms + dtype_table[r->dtype].least
                                          : room * fmax(fabs(a), fabs(b));
        if (has & HAS_MAX << stat && isfinite(a) && fabs(a - b) > most)
            return (int)i;
    }
    return -1;
}

/* Of joined recordings figures are their parts'; of complex tensors tools record magnitudes. */
static bool has_own_figures(const struct dump *d, uint32_t row)
{
    enum dtype_class klass = dtype_table[d->rows.v[row].dtype].klass;
    return !d->given && dump_row_numel(d, row) && klass != CLASS_COMPLEX && klass != CLASS_UNKNOWN;
}

bool figures_contradict(const struct dump *d, uint32_t row, const struct side_figures *f, const char *file,
                        struct err *e)
{
    const double is[STAT_COUNT] =
        {[STAT_MAX] = f->max, [STAT_MIN] = f->min, [STAT_MEAN] = f->mean, [STAT_NORM] = f->norm};
    char said[NUM_MAX], found[NUM_MAX];
    if (!has_own_figures(d, row) || f->count != dump_row_numel(d, row))
        return false;
    if (nonfinite_contradicts(d, row, f, file, e))
        return true;
    int i = f->nan || f->inf ? -1 : first_contradiction(d, row, is, HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM, 0);
    if (i < 0)
        return false;
    err_set(e, ERR_DATA, _("%s contradicts its recording: %s %s was recorded, the file has %s"), file,
            _(figure[i].name), num_exact(said, d->rows.v[row].stat[figure[i].stat]),
            num_exact(found, is[figure[i].stat]));
    return true;
}

bool moved_figures_contradict(const struct dump *d, uint32_t row)
{
    const struct row *mine = &d->rows.v[row];
    const struct call *c = &d->calls.v[mine->call];
    uint32_t end[2] = {NONE, NONE}, ends[2] = {0, 0};
    if (c->kind == CALL_MODULE || !family_hands_on((enum family)c->family) || !has_own_figures(d, row))
        return false;
    EACH_ROW(d, mine->call, r)
        if (d->rows.v[r].kind == ROW_TENSOR) {
            bool out = d->rows.v[r].io == IO_OUTPUT;
            end[out] = r;
            ends[out]++;
        }
    if (ends[0] != 1 || ends[1] != 1 || dump_row_numel(d, end[0]) != dump_row_numel(d, end[1]))
        return false;
    /* a call that returns what it was given has no gradient of its own: a tool may record the sum of later ones */
    if (c->kind == CALL_API && c->phase == PHASE_BACKWARD && d->rows.v[end[0]].shape == d->rows.v[end[1]].shape)
        return false;
    const struct row *other = &d->rows.v[end[end[0] == row]];
    unsigned has = recorded_figures(other), extremes = HAS_MAX | HAS_MIN;
    bool finite = true;
    for (int i = 0; i < STAT_COUNT; i++)
        finite &= !(has & HAS_MAX << i) || isfinite(other->stat[i]);
    /* what a type of 16 bits names may lie in a buffer of float32 before it is cast to that type */
    double rounded = c->family == FAMILY_CAST ? dtype_table[mine->dtype].epsilon : 0;
    return finite && (has & extremes) == extremes && mine->dtype == other->dtype &&
           first_contradiction(d, row, other->stat, has, rounded) >= 0;
}

/* MindSpore and NumPy save what NumPy has no type for as float32, a torch file does not; HiFloat8 also goes by the type
 * it stands for. */
static bool type_fits(const struct dump *d, enum dtype recorded, const struct tensor *t)
{
    bool narrow = recorded == DTYPE_BF16 || dtype_table[recorded].size == 1;
    bool widened = narrow && t->dtype == DTYPE_F32 && !str_ends(str_of(t->file.name), ".pt");
    return !recorded || d->reader->untyped || t->dtype == recorded || dtype_table[recorded].klass == CLASS_COMPLEX ||
           (dtype_is_float(recorded) && (widened || t->dtype == DTYPE_HIF8));
}

bool header_contradicts(const struct dump *d, uint32_t row, const struct tensor *t, struct err *e)
{
    const struct shape *said = dump_row_shape(d, row);
    enum dtype type = d->rows.v[row].dtype;
    if (d->given) /* joined from parts: the maximum of integers is stored as float64 */
        return false;
    if (!type_fits(d, type, t)) {
        err_set(e, ERR_DATA, _("%s contradicts its recording: type %s was recorded, the file has %s"), t->file.name,
                dtype_table[type].name, dtype_table[t->dtype].name);
        return true;
    }
    if (!said || dtype_table[type].klass == CLASS_COMPLEX)
        return false;
    bool differs = said->ndim != t->ndim;
    for (int i = 0; i < t->ndim && !differs; i++)
        differs = said->dim[i] != t->shape[i];
    if (!differs)
        return false;
    struct buf recorded = {0}, found = {0};
    sizes_text(said->dim, said->ndim, &recorded);
    sizes_text(t->shape, t->ndim, &found);
    err_set(e, ERR_DATA, _("%s contradicts its recording: shape %s was recorded, the file has %s"), t->file.name,
            recorded.p, found.p);
    buf_release(&recorded);
    buf_release(&found);
    return true;
}
