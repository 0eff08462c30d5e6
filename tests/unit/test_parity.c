/* Our figures against what msprobe's own compare wrote for the same dumps (compare_result_*.csv beside
 * them), every row and every figure that both give. */
#include "sessions.h"

#include <csv.h>
#include <dirent.h>
#include <float.h>
#include <math.h>

#include "base/io.h"

enum column {
    NAME,
    BENCH,
    COSINE,
    EUCLID,
    MAX_ABS,
    MAX_REL,
    ONE,
    FIVE,
    T_MAX,
    T_MIN,
    T_MEAN,
    T_NORM,
    G_MAX,
    G_MIN,
    G_MEAN,
    G_NORM,
    COLUMNS
};

static const char *const heads[COLUMNS] = {
    "NPU Name",
    "Bench Name",
    "Cosine",
    "EucDist",
    "MaxAbsErr",
    "MaxRelativeErr",
    "One Thousandth Err Ratio",
    "Five Thousandths Err Ratio",
    "NPU max",
    "NPU min",
    "NPU mean",
    "NPU l2norm",
    "Bench max",
    "Bench min",
    "Bench mean",
    "Bench l2norm",
};

struct table {
    const struct session *s;
    int at[COLUMNS], field, line;
    char cell[COLUMNS][512];
    double sums; /* relative error of msprobe's means and norms: in the tensor's own type */
    size_t rows, compared[COLUMNS];
};

static double number(const char *text)
{
    char *end;
    double v = strtod(text, &end);
    return end != text && *end == 0 ? v : NAN;
}

static void agree(struct table *t, enum column c, double ours, double rel, double abs)
{
    double theirs = number(t->cell[c]);
    if (isnan(theirs))
        return;
    t->compared[c]++;
    if (!(fabs(ours - theirs) <= rel * fabs(theirs) + abs) && !(isinf(ours) && ours == theirs))
        fail_msg("%s, %s: %.9g, msprobe %.9g", t->cell[NAME], heads[c], ours, theirs);
}

static void compare_row(struct table *t)
{
    const struct session *s = t->s;
    uint32_t r[2] = {dump_find_row(&s->now->side[0].dump, str_of(t->cell[NAME])),
                     dump_find_row(&s->now->side[1].dump, str_of(t->cell[BENCH]))};
    if (strcmp(t->cell[NAME], "N/A") == 0 || strcmp(t->cell[BENCH], "N/A") == 0)
        return;
    if (r[0] == NONE || r[1] == NONE)
        fail_msg("no row %s", t->cell[NAME]);
    uint32_t line = s->now->pairing->line_of[0][r[0]];
    assert_int_equal(line, s->now->pairing->line_of[1][r[1]]);
    const struct figures *f = s->now->measure.figures[line];
    t->rows++;
    if (!f)
        return;
    for (int side = 0; side < 2; side++) {
        const struct side_figures *x = &f->side[side];
        double scale = fmax(fabs(x->max), fabs(x->min));
        enum column c = side ? G_MAX : T_MAX;
        agree(t, c, x->max, 1e-6, 0);
        agree(t, c + 1, x->min, 1e-6, 0);
        agree(t, c + 2, x->mean, t->sums, 1e-6 * scale);
        agree(t, c + 3, x->norm, t->sums, 0);
    }
    if (!f->two)
        return;
    agree(t, COSINE, f->cosine, 0, 2e-6);
    agree(t, EUCLID, f->euclid, 1e-4, 1e-12);
    agree(t, MAX_ABS, f->max_abs, 1e-5, 0);
    agree(t, MAX_REL, f->max_rel, 1e-4, 1e-7); /* theirs divides in float32 */
    agree(t, ONE, f->one_thousandth, 0, 1e-6);
    agree(t, FIVE, f->five_thousandths, 0, 1e-6);
}

static void on_field(void *p, size_t n, void *ctx)
{
    struct table *t = ctx;
    for (int c = 0; c < COLUMNS; c++) {
        if (t->line == 0 && n == strlen(heads[c]) && memcmp(p, heads[c], n) == 0)
            t->at[c] = t->field;
        if (t->line && t->at[c] == t->field)
            snprintf(t->cell[c], sizeof t->cell[c], "%.*s", (int)n, (const char *)p);
    }
    t->field++;
}

static void on_line(int end, void *ctx)
{
    struct table *t = ctx;
    (void)end;
    if (t->line++)
        compare_row(t);
    t->field = 0;
}

static const char *result_in(const char *dir)
{
    static char path[1400];
    DIR *d = opendir(dir);
    path[0] = 0;
    assert_non_null(d);
    for (struct dirent *x; (x = readdir(d));)
        if (strncmp(x->d_name, "compare_result_", 15) == 0)
            snprintf(path, sizeof path, "%s/%s", dir, x->d_name);
    closedir(d);
    return path;
}

static void against(const char *name, size_t rows, double sums)
{
    char target[1100], golden[1100];
    struct csv_parser csv;
    struct buf text = {0};
    struct err e;
    snprintf(target, sizeof target, "%s/target", sample(name));
    snprintf(golden, sizeof golden, "%s/bench", sample(name));
    struct session *s = open_paths(target, golden);
    struct table t = {.s = s, .sums = sums};
    if (file_slurp(result_in(sample(name)), 1 << 26, &text, &e))
        fail_msg("%s", e.text);
    csv_init(&csv, 0);
    for (int c = 0; c < COLUMNS; c++)
        t.at[c] = -1;
    assert_int_equal(csv_parse(&csv, text.p, text.n, on_field, on_line, &t), text.n);
    csv_fini(&csv, on_field, on_line, &t);
    csv_free(&csv);
    assert_true(t.rows >= rows);
    for (int c = COSINE; c < COLUMNS; c++)
        if (t.compared[c] < rows / 3)
            fail_msg("%s: only %zu cells of %s were compared", name, t.compared[c], heads[c]);
    buf_release(&text);
    shut(s);
}

static void rotary_frequencies(void **state)
{
    (void)state;
    against("tt_rope", 600, 1e-5);
}

static void a_mask_of_nan(void **state)
{
    (void)state;
    against("tt_nan_mask", 420, 1e-5);
}

static void bfloat16(void **state)
{
    (void)state;
    against("tt_bf16", 600, 8e-3);
}

static void dropout(void **state)
{
    (void)state;
    against("tt_dropout", 420, 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotary_frequencies),
        cmocka_unit_test(a_mask_of_nan),
        cmocka_unit_test(bfloat16),
        cmocka_unit_test(dropout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
