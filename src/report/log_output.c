/* Writes the check of one training log as JSON, and its series as CSV. */
#include "report/log_output.h"

#include <stdio.h>

#include "base/json_write.h"
#include "base/num.h"
#include "report/formats.h"

static const struct {
    const char *name;
    enum log_value v;
} column[] = {{"loss", LOG_LOSS}, {"learning_rate", LOG_LR}, {"global_norm", LOG_NORM}, {"loss_scale", LOG_SCALE},
              {"epoch", LOG_EPOCH}};

static void write_step_name(struct jsonw *w, const struct log_record *r)
{
    struct buf b = {0};
    buf_fmt(&b, "%lld", (long long)r->step);
    jw_str(w, buf_view(&b));
    buf_release(&b);
}

static void series_list(struct jsonw *w, const struct series *s)
{
    jw_karray(w, "series");
    for (size_t i = 0; i < ARRAY_LEN(column); i++) {
        const struct log_record *first = NULL, *last = NULL;
        int64_t n = 0;
        for (size_t k = 0; k < s->records.n; k++)
            if (log_has(&s->records.v[k], column[i].v)) {
                last = &s->records.v[k];
                first = first ? first : last;
                n++;
            }
        if (!n)
            continue;
        jw_object(w);
        jw_kcstr(w, "tag", column[i].name);
        jw_knull(w, "name");
        jw_kint(w, "values", n);
        jw_kint(w, "first_step", first->step);
        jw_kint(w, "last_step", last->step);
        jw_knum(w, "first", first->value[column[i].v]);
        jw_knum(w, "last", last->value[column[i].v]);
        jw_end_object(w);
    }
    for (size_t i = 0; i < s->names.n; i++) {
        const struct log_name *n = &s->names.v[i];
        if (!n->n)
            continue;
        const struct log_point *first = &s->points.v[n->first], *last = first + n->n - 1;
        jw_object(w);
        jw_kcstr(w, "tag", n->tag);
        jw_kcstr(w, "name", n->name);
        jw_kint(w, "values", (int64_t)n->n);
        jw_kint(w, "first_step", first->step);
        jw_kint(w, "last_step", last->step);
        jw_knum(w, "first", first->value);
        jw_knum(w, "last", last->value);
        jw_kbool(w, "square", n->square);
        jw_end_object(w);
    }
    jw_end_array(w);
}

void log_check_json(struct jsonw *w, struct out *o, const void *result)
{
    const struct checked_log *x = result;
    const struct series *s = x->s;
    const struct log_check *c = x->c;
    (void)o;
    int rank = series_rank(s);
    jw_result(w);
    jw_kcstr(w, "path", s->path);
    jw_kcstr(w, "format", s->format);
    jw_kcstr(w, "framework", s->framework);
    jw_knull(w, "level");
    jw_kcstr(w, "task", "log");
    jw_knull(w, "step");
    jw_kint_if(w, "rank", rank >= 0, rank);
    jw_kint(w, "rows", (int64_t)s->records.n);
    jw_kint(w, "apis", 0);
    jw_kint(w, "stacks", 0);
    jw_key(w, "first_row");
    s->records.n ? write_step_name(w, &s->records.v[0]) : jw_null(w);
    jw_key(w, "last_row");
    s->records.n ? write_step_name(w, &s->records.v[s->records.n - 1]) : jw_null(w);
    jw_karray(w, "files");
    for (size_t i = 0; i < s->files.n; i++) {
        const struct log_file *f = &s->files.v[i];
        jw_object(w);
        jw_kcstr(w, "path", f->path);
        jw_kint_if(w, "rank", f->rank >= 0, f->rank);
        jw_kint(w, "records", (int64_t)f->records);
        jw_kbool(w, "used", f->used);
        jw_end_object(w);
    }
    jw_end_array(w);
    series_list(w, s);
    jw_karray(w, "unread");
    for (size_t i = 0; i < s->unread.n; i++)
        jw_cstr(w, s->unread.v[i].text);
    jw_end_array(w);
    jw_kcstrs(w, "warnings", s->notes.v, s->notes.n);
    jw_karray(w, "problems");
    for (size_t i = 0; i < c->problems.n; i++) {
        const struct log_problem *p = &c->problems.v[i];
        char step[24] = "";
        if (p->step >= 0)
            snprintf(step, sizeof step, "%lld", (long long)p->step);
        json_problem(w, str_of(step), p->kind, p->text);
        out_flow(o);
    }
    jw_end_array(w);
    jw_end_object(w);
}

static void csv_quote_text(struct buf *b, const char *s)
{
    buf_char(b, '"');
    for (; *s; s++) {
        if (*s == '"')
            buf_char(b, '"');
        buf_char(b, *s);
    }
    buf_char(b, '"');
}

void log_csv(struct out *o, const void *result)
{
    const struct series *s = ((const struct checked_log *)result)->s;
    char n[NUM_MAX];
    struct buf *b = &o->buf;
    buf_cstr(b, "step");
    for (size_t i = 0; i < ARRAY_LEN(column); i++)
        buf_fmt(b, ",%s", column[i].name);
    buf_cstr(b, ",overflow,skipped,nan_iterations,file,line\n");
    for (size_t i = 0; i < s->records.n; i++) {
        const struct log_record *r = &s->records.v[i];
        buf_fmt(b, "%lld", (long long)r->step);
        for (size_t k = 0; k < ARRAY_LEN(column); k++)
            buf_fmt(b, ",%s", log_has(r, column[k].v) ? num_exact(n, r->value[column[k].v]) : "");
        buf_fmt(b, ",%s,", r->has & LOG_HAS_OVERFLOW ? (r->overflow ? "True" : "False") : "");
        if (r->has & LOG_HAS_SKIPPED)
            buf_count(b, r->skipped);
        buf_char(b, ',');
        if (r->has & LOG_HAS_NANS)
            buf_count(b, r->nans);
        buf_char(b, ',');
        csv_quote_text(b, r->file < s->files.n ? s->files.v[r->file].path : "");
        buf_fmt(b, ",%u\n", r->line);
        out_flow(o);
    }
}
