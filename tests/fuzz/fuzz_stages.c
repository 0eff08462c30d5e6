/* Two or three logs, each a part of the input, held against each other: curves, then the norms they print. What is
 * joined is joined once, figures are of the points that count, and every writer takes whatever came out. */
#include "fuzz.h"

#include <math.h>

#include "report/curves_output.h"
#include "curves/curves_section.h"
#include "document/write.h"
#include "norms/norms_section.h"
#include "report/norms_output.h"
#include "written.h"

static int null = -1;

static void put_away(struct out *o)
{
    struct err e;
    assert(out_close(o, &e) == 0);
}

static void curves(const char *const *path, size_t n, const struct thresholds *tol)
{
    struct curves c;
    struct err e = {0};
    struct buf text = {0};
    struct out o;
    if (curves_open(&c, path, n, NULL, &e)) {
        assert(e.text[0]);
        curves_release(&c);
        return;
    }
    curves_judge(&c, &tol->curves);
    for (size_t i = 0; i < c.points.n; i++) {
        assert(c.points.v[i].at[0] < c.run[0].records.n && c.points.v[i].at[1] < c.run[1].records.n);
        if (i)
            assert(c.points.v[i].at[0] > c.points.v[i - 1].at[0] && c.points.v[i].at[1] > c.points.v[i - 1].at[1]);
    }
    assert(c.usable.n == c.diff.n && c.usable.n <= c.points.n);
    for (size_t i = 0; i < c.spikes.n; i++)
        assert(c.spikes.v[i].run < 2 && (!i || c.spikes.v[i].step >= c.spikes.v[i - 1].step));
    curves_judge(&c, &tol->curves); /* again, as when a limit moves */
    out_fd(&o, null);
    put_json(&o, curves_json, &c);
    curves_csv(&o, &c);
    put_away(&o);
    struct document d;
    document_begin(&d);
    curves_section(&d, &c);
    curves_first_section(&d, &c);
    write_text_end(&text, &d);
    buf_release(&text);
    curves_release(&c);
}

static void norms(const char *t, const char *g, const struct thresholds *tol)
{
    struct norms n;
    struct err e = {0};
    struct buf text = {0};
    struct out o;
    const struct norm_options opt = {.step = {-1, -1}, .rank = -1, .workers = 1, .kern = kern_select(NULL)};
    if (norms_open(&n, t, g, &opt, &e)) {
        assert(e.text[0]);
        norms_release(&n);
        return;
    }
    norms_judge(&n, &tol->norms);
    for (size_t i = 0; i < n.pairs.n; i++) {
        const struct norm_pair *p = &n.pairs.v[i];
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < p->parts[s]; k++)
                assert(p->part[s][k] < n.side[s].values.n);
        assert(!i || isnan(n.pairs.v[i - 1].rel) || p->rel <= n.pairs.v[i - 1].rel);
    }
    out_fd(&o, null);
    put_json(&o, norms_json, &n);
    norms_csv(&o, &n);
    put_away(&o);
    struct document d;
    document_begin(&d);
    norms_section(&d, &n, 9);
    write_text_end(&text, &d);
    buf_release(&text);
    norms_release(&n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"t.log", "g.log", "h.log"};
    struct str rest = fuzz_str(data, size);
    char path[3][600];
    const char *paths[3] = {path[0], path[1], path[2]};
    struct thresholds tol;
    size_t n = 0;
    if (null < 0)
        null = open("/dev/null", O_WRONLY);
    thresholds_init(&tol);
    for (; n < 3 && (n < 2 || rest.n); n++)
        snprintf(path[n], sizeof path[n], "%s", fuzz_put(fuzz_dir(), names[n], fuzz_part(&rest)));
    curves(paths, n, &tol);
    norms(path[0], path[1], &tol);
    return 0;
}
