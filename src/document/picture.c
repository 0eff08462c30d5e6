/* Reduces curves, planes and counts to what a picture can show; ticks, shades, and the picture as JSON. picture_svg.c
 * and picture_text.c draw it. */
#include "document/picture.h"

#include <math.h>

#define LOG_FROM 100 /* ratio of largest to smallest value from which an axis is logarithmic */
#define HALF_DECADES 2 /* shades per order of magnitude */

void picture_lines(struct picture *p, const char *id, const char *title, double from, double to)
{
    double steps = to - from + 1;
    *p = (struct picture){.kind = DRAWN_LINES, .id = id, .title = title, .text = "", .from = from, .to = to};
    p->columns = steps < PICTURE_COLUMNS ? steps < 1 ? 1 : (uint32_t)steps : PICTURE_COLUMNS;
}

struct picture_series *picture_series(struct picture *p, struct arena *a, const char *id, const char *name,
                                      enum picture_style look)
{
    struct picture_series *s = &p->series[p->count++];
    size_t n = p->kind == DRAWN_LINES ? p->columns : 0;
    double *v = arena_alloc(a, (3 * n + 1) * sizeof *v);
    *s = (struct picture_series){id, name, (uint8_t)look, v, v + n, v + 2 * n, arena_zalloc(a, (n + 1) * sizeof *s->n)};
    for (size_t i = 0; i < 3 * n; i++)
        v[i] = NAN;
    return s;
}

double picture_along(const struct picture *p, double x)
{
    return p->to > p->from ? (x - p->from) / (p->to - p->from) : 0.5;
}

void picture_point(struct picture *p, struct picture_series *s, double x, double y)
{
    double share = picture_along(p, x);
    if (!isfinite(y) || !(share >= 0 && share <= 1))
        return;
    uint32_t i = p->columns > 1 ? (uint32_t)lround(share * (p->columns - 1)) : 0;
    s->low[i] = fmin(s->low[i], y); /* fmin ignores NaN */
    s->high[i] = fmax(s->high[i], y);
    s->n[i]++;
    s->mean[i] = s->n[i] == 1 ? y : s->mean[i] + (y - s->mean[i]) / s->n[i];
}

void picture_rule(struct picture *p, const char *name, double at, bool upright, bool bad)
{
    if (p->rules < PICTURE_RULES && isfinite(at))
        p->rule[p->rules++] = (struct picture_rule){name, at, upright, bad};
}

bool picture_fit(struct picture *p)
{
    double low = INFINITY, high = -INFINITY;
    for (uint32_t k = 0; k < p->count; k++)
        for (uint32_t i = 0; i < p->columns; i++) {
            low = fmin(low, p->series[k].low[i]);
            high = fmax(high, p->series[k].high[i]);
        }
    if (!(low <= high))
        return false;
    p->log = low > 0 && high / low > LOG_FROM;
    double room = (high - low) * 3 + fmax(fabs(high), fabs(low)) * 1e-9;
    for (uint32_t i = 0; i < p->rules && !p->log; i++)
        if (!p->rule[i].upright && p->rule[i].at > low - room && p->rule[i].at < high + room) {
            low = fmin(low, p->rule[i].at);
            high = fmax(high, p->rule[i].at);
        }
    double pad = p->log ? pow(high / low, 0.04) : high > low ? (high - low) * 0.06 : fabs(high) * 0.05 + 1e-9;
    p->low = p->log ? low / pad : low - pad;
    p->high = p->log ? high * pad : high + pad;
    return isfinite(p->high - p->low);
}

double picture_up(const struct picture *p, double y)
{
    if (p->log)
        return y > 0 ? log(y / p->low) / log(p->high / p->low) : 0;
    return (y - p->low) / (p->high - p->low);
}

/* About `parts` ticks in steps of 1, 2 or 5 times a power of ten. */
static int even_ticks(double low, double high, int parts, double out[PICTURE_TICKS])
{
    double raw = (high - low) / parts, power = pow(10, floor(log10(raw))), m = raw / power;
    double step = (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10) * power;
    int n = 0;
    for (double i = ceil(low / step); i * step <= high && n < PICTURE_TICKS; i++)
        out[n++] = i * step;
    return n;
}

int picture_ticks(double low, double high, int parts, bool log, double out[PICTURE_TICKS])
{
    int n = 0;
    if (!(high > low))
        return 0;
    if (!log)
        return even_ticks(low, high, parts, out);
    int first = (int)ceil(log10(low)), last = (int)floor(log10(high)), each = (last - first) / parts + 1;
    for (int i = first; i <= last && n < PICTURE_TICKS; i += each)
        out[n++] = pow(10, i);
    return n;
}

int picture_level(const struct picture *p, double v)
{
    if (isnan(v))
        return -2;
    if (!isfinite(v))
        return -1;
    if (v == 0 || !(p->most > 0))
        return 0;
    int n = PICTURE_LEVELS + (int)ceil(log10(fabs(v) / p->most) * HALF_DECADES - 1e-9);
    return n < 1 ? 1 : n > PICTURE_LEVELS ? PICTURE_LEVELS : n;
}

double picture_level_top(const struct picture *p, int level)
{
    return p->most * pow(10, (double)(level - PICTURE_LEVELS) / HALF_DECADES);
}

uint64_t picture_most(const struct picture *p)
{
    uint64_t most = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        most = p->zero[k] > most ? p->zero[k] : most;
        for (int i = 0; i < p->bins; i++)
            most = p->bin[k][i] > most ? p->bin[k][i] : most;
    }
    return most;
}

/* ---- JSON ---- */

static void write_picture_numbers(struct jsonw *w, const char *key, const double *v, uint32_t n)
{
    jw_karray(w, key);
    for (uint32_t i = 0; i < n; i++)
        isnan(v[i]) ? jw_null(w) : jw_num(w, v[i]);
    jw_end_array(w);
}

static void write_picture_bins(struct jsonw *w, const struct picture *p, uint32_t k)
{
    jw_kint(w, "zero", (int64_t)p->zero[k]);
    jw_karray(w, "bins");
    for (int i = 0; i < p->bins; i++)
        jw_int(w, (int64_t)p->bin[k][i]);
    jw_end_array(w);
}

static void series_json(struct jsonw *w, const struct picture *p)
{
    jw_karray(w, "series");
    for (uint32_t k = 0; k < p->count; k++) {
        jw_object(w);
        jw_kcstr(w, "id", p->series[k].id);
        if (p->kind == DRAWN_LINES) {
            write_picture_numbers(w, "low", p->series[k].low, p->columns);
            write_picture_numbers(w, "high", p->series[k].high, p->columns);
            write_picture_numbers(w, "mean", p->series[k].mean, p->columns);
        } else {
            write_picture_bins(w, p, k);
        }
        jw_end_object(w);
    }
    jw_end_array(w);
}

void picture_json(struct jsonw *w, const struct picture *p)
{
    static const char *const kinds[] = {"lines", "cells", "counts"};
    jw_object(w);
    jw_kcstr(w, "id", p->id);
    jw_kcstr(w, "kind", kinds[p->kind]);
    if (p->kind == DRAWN_CELLS) {
        jw_kint(w, "rows", p->rows);
        jw_kint(w, "columns", p->cells);
        jw_knum(w, "most", p->most);
        write_picture_numbers(w, "cells", p->value, (uint32_t)(p->rows * p->cells));
        jw_end_object(w);
        return;
    }
    if (p->kind == DRAWN_LINES) {
        jw_knum(w, "from", p->from);
        jw_knum(w, "to", p->to);
        jw_kint(w, "columns", p->columns);
        jw_kbool(w, "log", p->log);
    } else {
        jw_kint(w, "first_power", p->first);
    }
    series_json(w, p);
    jw_end_object(w);
}
