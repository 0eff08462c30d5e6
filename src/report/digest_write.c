/* Writes a recording's calls and rows as lines of JSON, each tensor with its sketch; fmt/digest.c reads them. */
#include "report/digest_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/checksum_range.h"
#include "base/json_write.h"
#include "fmt/digest.h"
#include "num/sketch.h"
#include "report/row_records_write.h"

/* One line is done: what has gathered may go. */
static void end_digest_line(struct digest_writing *x, struct jsonw *w)
{
    row_records_end(w);
    size_t before = x->out->buf.n;
    x->crc = crc_of(x->crc, x->out->buf.p + x->summed, before - x->summed);
    out_flow(x->out);
    x->summed = x->out->buf.n;
    x->written += before - x->summed;
}

static void write_digest_head(struct digest_writing *x, const struct dump *d)
{
    struct jsonw w;
    row_records_begin(&w, &x->out->buf);
    jw_kint(&w, "digest", DIGEST_VERSION);
    jw_kcstr(&w, "format", dump_format(d)->name);
    row_records_head_write(&w, d);
    jw_kbool(&w, "cut", d->cut);
    end_digest_line(x, &w);
}

static void write_digest_stack(struct digest_writing *x, const struct dump *d, const struct stack *s)
{
    struct jsonw w;
    row_records_begin(&w, &x->out->buf);
    row_records_stack(&w, d, s, NULL);
    end_digest_line(x, &w);
}

static void write_digest_call(struct digest_writing *x, const struct dump *d, uint32_t call)
{
    const struct call *c = &d->calls.v[call];
    const struct call_record_links links = {c->stack, c->parent, c->twin};
    struct jsonw w;
    row_records_begin(&w, &x->out->buf);
    row_records_call(&w, d, call, &links);
    end_digest_line(x, &w);
}

static void write_sketch(struct jsonw *w, const double *sum)
{
    char text[SKETCH_NUMBERS * 16 + 1] = "";
    if (!sum || isnan(sum[0])) {
        jw_null(w);
        return;
    }
    for (int j = 0; j < SKETCH_NUMBERS; j++) {
        uint64_t bits;
        memcpy(&bits, &sum[j], sizeof bits);
        snprintf(text + j * 16, 17, "%016" PRIx64, bits);
    }
    jw_cstr(w, text);
}

static void write_digest_row(struct digest_writing *x, const struct dump *d, uint32_t row)
{
    struct jsonw w;
    row_records_begin(&w, &x->out->buf);
    jw_karray(&w, "row");
    row_records_row(&w, d, row, d->rows.v[row].call);
    jw_null(&w);
    write_sketch(&w, d->sketch ? d->sketch + (size_t)row * SKETCH_NUMBERS : NULL);
    jw_end_array(&w);
    end_digest_line(x, &w);
}

static void write_group(struct digest_writing *x, const struct call_group *g)
{
    struct jsonw w;
    row_records_begin(&w, &x->out->buf);
    jw_karray(&w, "group");
    jw_int(&w, g->call);
    jw_cstr(&w, g->ranks);
    jw_end_array(&w);
    end_digest_line(x, &w);
}

static void write_digest_problem(struct digest_writing *x, const struct problem *p)
{
    struct jsonw w;
    row_records_begin(&w, &x->out->buf);
    jw_karray(&w, "problem");
    if (p->row == NONE)
        jw_null(&w);
    else
        jw_int(&w, p->row);
    jw_cstr(&w, p->kind);
    jw_cstr(&w, p->text);
    jw_bool(&w, p->recorded);
    jw_end_array(&w);
    end_digest_line(x, &w);
}

void digest_begin(struct digest_writing *x, struct out *out)
{
    *x = (struct digest_writing){.out = out, .summed = out->buf.n};
}

void digest_add(struct digest_writing *x, const struct dump *d)
{
    struct digest_place p = {.step = d->step, .rank = d->rank, .from = x->written + x->out->buf.n};
    x->crc = 0;
    write_digest_head(x, d);
    for (size_t i = 0; i < d->stacks.n; i++)
        write_digest_stack(x, d, &d->stacks.v[i]);
    for (uint32_t c = 0; c < d->calls.n; c++)
        write_digest_call(x, d, c);
    for (uint32_t r = 0; r < d->rows.n; r++)
        write_digest_row(x, d, r);
    for (size_t i = 0; i < d->groups.n; i++)
        write_group(x, &d->groups.v[i]);
    for (size_t i = 0; i < d->problems.n; i++)
        write_digest_problem(x, &d->problems.v[i]);
    p.bytes = x->written + x->out->buf.n - p.from;
    p.crc = x->crc;
    vec_push(&x->places, p);
}

void digest_end(struct digest_writing *x)
{
    uint64_t at = x->written + x->out->buf.n;
    struct jsonw w;
    x->crc = 0;
    row_records_begin(&w, &x->out->buf);
    jw_karray(&w, "places");
    for (size_t i = 0; i < x->places.n; i++) {
        const struct digest_place *p = &x->places.v[i];
        jw_array(&w);
        jw_int(&w, p->step);
        jw_int(&w, p->rank);
        jw_int(&w, (int64_t)p->from);
        jw_int(&w, (int64_t)p->bytes);
        jw_int(&w, p->crc);
        jw_end_array(&w);
    }
    jw_end_array(&w);
    end_digest_line(x, &w);
    buf_fmt(&x->out->buf, DIGEST_INDEX "%020llu %08" PRIx32 "\n", (unsigned long long)at, x->crc);
    vec_release(&x->places);
}
