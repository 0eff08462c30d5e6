/* Runs of lines without a partner: positions and lines are each other's inverse whatever is open, and what was open
 * stays so when lines are numbered anew. */
#include "support.h"

#include "table/row_folds.h"

#define MOST 40

struct table {
    struct pairing p;
    struct line line[MOST];
    uint32_t of[2][MOST];
};

/* One line a character: '=' both sides, 't' target alone, 'g' golden alone. */
static void make(struct table *x, const char *kinds)
{
    uint32_t n[2] = {0, 0}, i = 0;
    memset(x, 0, sizeof *x);
    for (; kinds[i]; i++)
        for (int s = 0; s < 2; s++) {
            bool has = kinds[i] == '=' || kinds[i] == "tg"[s];
            x->line[i].row[s] = has ? n[s] : NONE;
            if (has)
                x->of[s][n[s]++] = i;
        }
    x->p.lines.v = x->line;
    x->p.lines.n = i;
    x->p.line_of[0] = x->of[0];
    x->p.line_of[1] = x->of[1];
}

static void assert_shown(const struct row_folds *f, const struct table *x, const char *lines)
{
    uint32_t pos = 0;
    for (uint32_t i = 0; i < x->p.lines.n; i++) {
        if (lines[i] == '+') {
            assert_int_equal(row_folds_line(f, pos), i);
            assert_int_equal(row_folds_pos(f, i), pos);
            pos++;
        } else {
            assert_int_equal(row_folds_pos(f, i), pos - 1);
        }
    }
    assert_int_equal(pos, x->p.lines.n - f->hidden);
}

static void runs_are_one_line(void **state)
{
    struct row_folds f = {0};
    struct table x;
    (void)state;
    make(&x, "tttt==ttgggg=tt=ggg");
    row_folds_find(&f, &x.p);
    assert_shown(&f, &x, "+---+++-----++-++--");
    assert_null(row_folds_at(&f, 4));
    assert_int_equal(row_folds_at(&f, 13)->n, 2); /* both rows of one move */
    assert_int_equal(row_folds_at(&f, 10)->n, 6);
    assert_true(row_folds_at(&f, 10)->has[TARGET] && row_folds_at(&f, 10)->has[GOLDEN]);
    assert_true(row_folds_at(&f, 0)->has[TARGET] && !row_folds_at(&f, 0)->has[GOLDEN]);
    row_folds_open(&f, row_folds_at(&f, 10), true);
    assert_shown(&f, &x, "+---+++++++++" "+-++--");
    row_folds_open_all(&f, true);
    assert_shown(&f, &x, "+++++++++++++++++++");
    row_folds_open_all(&f, false);
    assert_shown(&f, &x, "+---+++-----++-++--");
    row_folds_release(&f);
}

static void stays_open_by_its_first_row(void **state)
{
    struct row_folds f = {0};
    struct table x;
    (void)state;
    make(&x, "===tttt==ggg");
    row_folds_find(&f, &x.p);
    row_folds_open(&f, row_folds_at(&f, 3), true);
    make(&x, "=g==tttt=ggg"); /* a row of the golden side came before it */
    row_folds_find(&f, &x.p);
    assert_shown(&f, &x, "++++++++++--");
    make(&x, "============");
    row_folds_find(&f, &x.p);
    assert_shown(&f, &x, "++++++++++++");
    row_folds_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_one_line),
        cmocka_unit_test(stays_open_by_its_first_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
