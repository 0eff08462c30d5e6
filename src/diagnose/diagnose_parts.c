/* Faults of models distributed over ranks: the shard of another rank, parts joined in another way, the weights of
 * another layer or expert, unscaled sums over micro-batches. Only for joined rows. */
#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "diagnose/diagnosis_case.h"
#include "ranks/joined_dump.h"
#include "ranks/part_values.h"

#define MOST (1u << 20) /* the most elements of the whole examined */
#define SIBLINGS 512    /* rows of other layers and experts examined */

/* ---- parts joined in another way ---- */

/* The reference values (the golden side's, or for golden parts the target's), and the row's distance from them. */
struct wanted {
    const double *v;
    uint64_t n;
    double off;
};

static double distance_as(const struct whole_rows *r, const struct whole_row *x, const struct wanted *w)
{
    struct tensor t;
    struct err quiet;
    uint64_t n = 0;
    if (whole_row_tensor(r, x, &t, &quiet))
        return INFINITY;
    double *v = part_tensor_values(&t, &n);
    double off = v && n == w->n ? part_distance_finite(v, w->v, n) : INFINITY;
    free(v);
    return off;
}

/* Whether at most a tenth is left. */
static bool part_explains(const struct wanted *w, double off)
{
    return off <= 0.1 * w->off;
}

/* Part i of the step is replaced by part i + by. */
static void shift_parts(const struct whole_row *x, int step, uint32_t by, struct part_row *out)
{
    size_t stride = 1;
    for (int s = 0; s < step; s++)
        stride *= x->step[s].n;
    for (size_t i = 0; i < x->parts.n; i++) {
        size_t at = i / stride % x->step[step].n, to = (at + by) % x->step[step].n;
        out[i + to * stride - at * stride] = x->parts.v[i];
    }
}

static bool other_shards(struct diagnosis_case *p, int side, const struct whole_rows *r, const struct whole_row *x,
                         int step, const struct wanted *w)
{
    struct whole_row as = *x;
    bool found = false;
    as.parts.v = mem_alloc((x->parts.n + 1) * sizeof *as.parts.v);
    for (uint32_t by = 1; by < x->step[step].n && by <= 16 && !found; by++) {
        shift_parts(x, step, by, as.parts.v);
        double off = distance_as(r, &as, w);
        found = part_explains(w, off);
        if (found)
            case_found(p, DIAGNOSIS_WRONG_SHARD, side, 0.99,
                       _("each %s rank holds the shard of rank + %u: with the shards moved back, rel L2 is %.2g "
                         "instead of %.2g"),
                       cut_name((enum cut)x->step[step].by), by, off, w->off);
    }
    free(as.parts.v);
    return found;
}

static bool cut_otherwise(struct diagnosis_case *p, int side, const struct whole_rows *r, const struct whole_row *x,
                          int step, const struct wanted *w)
{
    static const struct {
        uint8_t how;
        uint32_t blocks;
    } other[] = {{JOIN_CONCAT, 1}, {JOIN_GATED, 2}, {JOIN_GATED, 3}, {JOIN_ZIGZAG, 1}};
    const struct join_step *own = &x->step[step];
    for (size_t i = 0; i < ARRAY_LEN(other); i++) {
        struct whole_row as = *x;
        bool zigzag = own->how == JOIN_ZIGZAG || other[i].how == JOIN_ZIGZAG;
        if ((other[i].how == own->how && other[i].blocks == own->blocks) || (zigzag && own->by != CUT_CP))
            continue;
        as.step[step].how = other[i].how;
        as.step[step].blocks = other[i].blocks;
        double off = distance_as(r, &as, w);
        if (!part_explains(w, off))
            continue;
        if (own->by == CUT_CP)
            case_found(p, DIAGNOSIS_WRONG_POSITIONS, side, 0.99,
                       _("the positions on the context-parallel ranks follow the %s split, everything else the %s "
                         "split: joined this way, rel L2 is %.2g instead of %.2g"),
                       other[i].how == JOIN_ZIGZAG ? "zigzag" : "natural",
                       own->how == JOIN_ZIGZAG ? "zigzag" : "natural", off, w->off);
        else
            case_found(p, DIAGNOSIS_WRONG_SHARD, side, 0.99,
                       _("split differently than in other layers (in %u blocks, not %u): joined this way, rel L2 is "
                         "%.2g instead of %.2g"),
                       other[i].blocks, own->blocks, off, w->off);
        return true;
    }
    return false;
}

static void parts_of_side(struct diagnosis_case *p, int side)
{
    const struct whole_rows *r = joined_dump_rows(p->side[side]);
    const struct whole_row *x = joined_dump_row(p->side[side], p->row[side]);
    struct wanted w = {.n = 0};
    uint64_t n = 0;
    if (!x || !x->steps || x->open)
        return;
    double *golden = part_values(p->side[!side], p->row[!side], &w.n);
    double *own = part_values(p->side[side], p->row[side], &n);
    w.v = golden;
    w.off = golden && own && n == w.n && n <= MOST && n > 1 ? part_distance_finite(own, golden, n) : 0;
    for (int s = 0; s < x->steps && w.off > 1e-6; s++)
        if (x->step[s].axis >= 0 && x->step[s].n > 1 && x->step[s].how != JOIN_TOKENS && x->step[s].how != JOIN_VOCAB &&
            (cut_otherwise(p, side, r, x, s, &w) || other_shards(p, side, r, x, s, &w)))
            break;
    free(golden);
    free(own);
}

void detect_parts(struct diagnosis_case *p)
{
    parts_of_side(p, TARGET);
    parts_of_side(p, GOLDEN);
}

/* ---- the weights of another layer or expert ---- */

/* Whether two texts are equal except for layer and expert numbers. */
static bool names_are_siblings(const char *a, const char *b)
{
    while (*a && *b) {
        bool number = *a >= '0' && *a <= '9' && *b >= '0' && *b <= '9';
        if (!number && *a != *b)
            return false;
        if (number) {
            while (*a >= '0' && *a <= '9')
                a++;
            while (*b >= '0' && *b <= '9')
                b++;
        } else {
            a++;
            b++;
        }
    }
    return !*a && !*b;
}

/* The expert number in a path. */
static int expert_number(const char *path)
{
    size_t from, to;
    int number;
    ptrdiff_t at = str_search(str_of(path), "expert");
    return at >= 0 && path_number(str_cut(str_of(path), (size_t)at), &from, &to, &number) ? number : -1;
}

void detect_sibling(struct diagnosis_case *p)
{
    const struct whole_row *x = joined_dump_row(p->side[TARGET], p->row[TARGET]);
    const struct whole_row *y = joined_dump_row(p->side[GOLDEN], p->row[GOLDEN]);
    uint64_t n = 0, m = 0;
    if (!x || !y || x->io == IO_OUTPUT)
        return;
    const struct whole_rows *g = joined_dump_rows(p->side[GOLDEN]);
    const struct whole_call *own = &g->calls->calls.v[y->call];
    double *v = part_values(p->side[TARGET], p->row[TARGET], &n);
    size_t looked = 0;
    for (uint32_t r = 0; v && n > 1 && n <= MOST && r < p->side[GOLDEN]->rows.n && looked < SIBLINGS; r++) {
        const struct whole_row *o = joined_dump_row(p->side[GOLDEN], r);
        const struct whole_call *c = &g->calls->calls.v[o->call];
        if (o == y || o->io != y->io || o->kind != ROW_TENSOR || strcmp(o->slot, y->slot) != 0 ||
            strcmp(c->bare, own->bare) != 0 || strcmp(c->group, own->group) == 0 ||
            !names_are_siblings(c->group, own->group) ||
            dump_row_numel(p->side[GOLDEN], r) != n)
            continue;
        looked++;
        double *u = part_values(p->side[GOLDEN], r, &m);
        bool same = u && m == n && part_distance(v, u, n) <= 1e-6;
        free(u);
        if (!same)
            continue;
        bool expert = expert_number(c->group) != expert_number(own->group);
        case_found(p, expert ? DIAGNOSIS_WRONG_EXPERT : DIAGNOSIS_WRONG_LAYER, TARGET, 0.99,
                   expert ? _("the target has the value of %s here, which belongs to a different expert")
                          : _("the target has the value of %s here, which belongs to a different layer"),
                   c->group + 2);
        break;
    }
    free(v);
}

/* ---- micro-batches ---- */

void detect_micro_batches(struct diagnosis_case *p)
{
    const struct whole_rows *r[2] = {joined_dump_rows(p->side[TARGET]), joined_dump_rows(p->side[GOLDEN])};
    int micro[2];
    if (!r[0] || !r[1] || !p->spread)
        return;
    for (int s = 0; s < 2; s++)
        micro[s] = r[s]->calls->layout->size[CUT_MICRO];
    if (micro[0] == micro[1])
        return;
    double cross = 0, square = 0, left = 0, off = 0;
    for (size_t i = 0; i < p->spread->n; i++) {
        cross += p->spread->v[0][i] * p->spread->v[1][i];
        square += p->spread->v[1][i] * p->spread->v[1][i];
    }
    double k = cross / square;
    for (size_t i = 0; i < p->spread->n; i++) {
        double a = p->spread->v[0][i], b = p->spread->v[1][i];
        left += (a - k * b) * (a - k * b);
        off += (a - b) * (a - b);
    }
    for (int s = 0; s < 2 && square > 0; s++) {
        double n = micro[s], factor = s == TARGET ? n : 1 / n;
        if (micro[s] > 1 && left <= LEFT_OVER * off && fabs(k / factor - 1) <= 1e-3)
            case_found(p, DIAGNOSIS_MICRO_BATCH_SCALE, s, 0.97,
                       _("%.4g times the golden value: the %d micro-batches of the %s are summed, not averaged"), k,
                       micro[s], diagnosis_side_word(s));
    }
}
