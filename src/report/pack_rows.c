/* Writes a side's rows and the pairs of a pack as lines of JSON, with numbers of verdicts and reasons as in the
 * enums; fmt/pack_read.c reads them. */
#include <stdlib.h>

#include "base/json_write.h"
#include "fmt/pack_read.h"
#include "diagnose/diagnose.h"
#include "judge/packed_verdicts.h"
#include "report/pack_parts.h"
#include "report/row_records_write.h"

#define DIAGNOSED 256 /* lines examined beside those that are told, as in the JSON of a comparison */

static uint32_t renumber_packed(const uint32_t *number, uint32_t was)
{
    return was == NONE ? NONE : number[was];
}

static void write_clean_text(struct jsonw *w, const void *clean, const char *s)
{
    struct buf b = {0};
    sanitize_text(clean, str_of(s), SANITIZE_LINES | SANITIZE_JSON, &b);
    jw_str(w, buf_view(&b));
    buf_release(&b);
}

/* The file of a frame, shortened so that library files stay recognisable. */
static void frame_file(struct jsonw *w, const void *ctx, const char *file)
{
    const struct sanitize *clean = ctx;
    static const char *const libraries[] = {"/site-packages/", "/dist-packages/"};
    struct buf b = {0};
    for (size_t i = 0; i < ARRAY_LEN(libraries) && !clean->paths && !b.n; i++) {
        const char *at = strstr(file, libraries[i]);
        if (at)
            buf_fmt(&b, "…%s", at);
    }
    write_clean_text(w, b.n ? NULL : clean, b.n ? b.p : file);
    buf_release(&b);
}

static void write_pack_head(const struct pack_choice *c, int side, const char *id, struct buf *out)
{
    const struct dump *d = &c->s->side[side].dump;
    struct jsonw w;
    row_records_begin(&w, out);
    jw_kint(&w, "pack", PACK_VERSION);
    jw_kcstr(&w, "id", id);
    jw_kcstr(&w, "format", d->reader->name);
    row_records_head_write(&w, d);
    jw_kint(&w, "step", d->step);
    jw_kint(&w, "rank", d->rank);
    jw_kint(&w, "rows", c->rows[side]);
    jw_kint(&w, "of", (int64_t)d->rows.n);
    row_records_end(&w);
}

static void write_pack_stack(const struct dump *d, const struct stack *s, const struct sanitize *clean, struct buf *out)
{
    const struct stack_texts texts = {write_clean_text, frame_file, clean};
    struct jsonw w;
    row_records_begin(&w, out);
    row_records_stack(&w, d, s, &texts);
    row_records_end(&w);
}

static void write_pack_call(const struct pack_choice *c, int side, uint32_t call, struct buf *out)
{
    const struct dump *d = &c->s->side[side].dump;
    const struct call *x = &d->calls.v[call];
    const struct call_record_links links = {renumber_packed(c->stack[side], x->stack),
                                            renumber_packed(c->call[side], x->parent),
                                            renumber_packed(c->call[side], x->twin)};
    struct jsonw w;
    row_records_begin(&w, out);
    row_records_call(&w, d, call, &links);
    row_records_end(&w);
}

static void write_pack_row(const struct pack_choice *c, int side, uint32_t row, struct buf *out)
{
    const struct dump *d = &c->s->side[side].dump;
    const struct pack_tensor *t = pack_tensor_of(c, side, row);
    struct jsonw w;
    row_records_begin(&w, out);
    jw_karray(&w, "row");
    row_records_row(&w, d, row, c->call[side][d->rows.v[row].call]);
    jw_cstr(&w, t ? t->file : NULL);
    jw_end_array(&w);
    row_records_end(&w);
}

static void write_pack_problem(const struct pack_choice *c, int side, const struct problem *p,
                               const struct sanitize *clean, struct buf *out)
{
    uint32_t row = renumber_packed(c->row[side], p->row);
    struct jsonw w;
    if (p->row != NONE && row == NONE)
        return;
    row_records_begin(&w, out);
    jw_karray(&w, "problem");
    jw_int(&w, row == NONE ? -1 : (int64_t)row);
    jw_cstr(&w, p->kind);
    write_clean_text(&w, clean, p->text);
    jw_bool(&w, p->recorded);
    jw_end_array(&w);
    row_records_end(&w);
}

void pack_rows(const struct pack_choice *c, int side, const char *id, const struct sanitize *clean, struct buf *out)
{
    const struct dump *d = &c->s->side[side].dump;
    const uint32_t *stack = c->stack[side];
    uint32_t *was = mem_alloc((c->stacks[side] + 1) * sizeof *was);
    write_pack_head(c, side, id, out);
    for (uint32_t i = 0; i < d->stacks.n; i++) /* numbered in the order of the calls that have them */
        if (stack[i] != NONE)
            was[stack[i]] = i;
    for (uint32_t i = 0; i < c->stacks[side]; i++)
        write_pack_stack(d, &d->stacks.v[was[i]], clean, out);
    for (uint32_t i = 0; i < d->calls.n; i++)
        if (c->call[side][i] != NONE)
            write_pack_call(c, side, i, out);
    for (uint32_t i = 0; i < d->rows.n; i++)
        if (c->row[side][i] != NONE)
            write_pack_row(c, side, i, out);
    for (size_t i = 0; i < d->problems.n; i++)
        write_pack_problem(c, side, &d->problems.v[i], clean, out);
    for (size_t i = 0; i < d->warnings.n; i++) {
        struct jsonw w;
        row_records_begin(&w, out);
        jw_key(&w, "warning");
        write_clean_text(&w, clean, d->warnings.v[i]);
        row_records_end(&w);
    }
    free(was);
}

/* ---- what was found ---- */

static void write_figures(struct jsonw *w, const struct figures *f)
{
    jw_karray(w, "figures");
    jw_int(w, f->two);
    for (int i = 0; i < PACKED_NUMBERS; i++) {
        const void *at = (const char *)f + packed_numbers[i].at;
        if (packed_numbers[i].whole)
            jw_int(w, *(const int64_t *)at);
        else
            jw_num(w, f->two || i >= PACKED_OF_TWO ? *(const double *)at : 0); /* absent: not examined */
    }
    jw_end_array(w);
}

static void write_view(struct jsonw *w, const struct view *v)
{
    struct buf b = {0};
    if (v && v->count)
        view_write(v, &b);
    jw_str(w, buf_view(&b));
    buf_release(&b);
}

static void write_diagnoses(struct jsonw *w, const struct comparison *s, uint32_t line)
{
    struct diagnoses x;
    diagnose_line(&x, s->judged, &s->measure, s->flow, line);
    jw_karray(w, "diagnoses");
    for (int i = 0; i < x.n; i++) {
        jw_array(w);
        jw_cstr(w, diagnosis_name((enum diagnosis_id)x.v[i].id));
        jw_int(w, x.v[i].side);
        jw_num(w, (double)x.v[i].score);
        jw_cstr(w, x.v[i].evidence);
        if (x.v[i].advice)
            jw_cstr(w, x.v[i].advice);
        jw_end_array(w);
    }
    jw_end_array(w);
    diagnoses_release(&x);
}

static void write_line(const struct pack_choice *c, uint32_t line, bool diagnosed, struct buf *out)
{
    const struct measure *m = &c->s->measure;
    const struct line *l = &c->s->pairing->lines.v[line];
    const struct pair *p = &c->s->pairing->pairs.v[l->pair];
    const struct line_judgement *x = &c->s->judged->line[line];
    const uint32_t judged[] = {x->verdict, packed_rule_number((enum verdict_rule)x->rule), x->flags, x->was};
    struct jsonw w;
    row_records_begin(&w, out);
    jw_karray(&w, "line");
    jw_int(&w, c->row[TARGET][l->row[TARGET]]);
    jw_int(&w, c->row[GOLDEN][l->row[GOLDEN]]);
    jw_end_array(&w);
    jw_karray(&w, "pair");
    jw_int(&w, p->origin);
    jw_int(&w, p->why);
    jw_num(&w, (double)p->confidence);
    jw_int(&w, p->source == NONE ? -1 : (int64_t)p->source);
    write_view(&w, p->view == NONE ? NULL : &c->s->pairing->views.v[p->view]);
    jw_end_array(&w);
    jw_karray(&w, "judged");
    for (int i = 0; i < 4; i++)
        jw_int(&w, judged[i]);
    jw_num(&w, (double)x->error);
    jw_num(&w, (double)x->limit);
    jw_num(&w, (double)x->level);
    jw_num(&w, (double)x->kappa);
    jw_end_array(&w);
    if (m->state[line] == MEASURE_DONE) {
        write_figures(&w, m->figures[line]);
        if (measure_view(m, line)) {
            jw_key(&w, "view");
            write_view(&w, measure_view(m, line));
        }
    } else if (m->state[line] == MEASURE_FAILED) {
        jw_kcstr(&w, "failure", m->failure[line]);
    }
    if (diagnosed)
        write_diagnoses(&w, c->s, line);
    row_records_end(&w);
}

void pack_pairs(const struct pack_choice *c, struct buf *out)
{
    const struct judgement *j = c->s->judged;
    struct jsonw w;
    size_t looked = 0;
    row_records_begin(&w, out);
    jw_kint(&w, "pairs", PACK_VERSION);
    jw_kint(&w, "verdicts", VERDICT_COUNT);
    jw_kint(&w, "rules", packed_rule_numbers());
    jw_kint(&w, "whys", WHY_COUNT);
    jw_key(&w, "first");
    if (j->first == NONE) {
        jw_null(&w);
    } else {
        jw_array(&w);
        jw_int(&w, j->first_class);
        jw_int(&w, j->doubtful_before);
        jw_int(&w, j->gaps_before);
        jw_int(&w, j->unread_before);
        jw_end_array(&w);
    }
    row_records_end(&w);
    for (uint32_t i = 0; i < j->lines; i++) {
        const struct line *l = &c->s->pairing->lines.v[i];
        if (l->pair == NONE || c->row[TARGET][l->row[TARGET]] == NONE || c->row[GOLDEN][l->row[GOLDEN]] == NONE)
            continue;
        bool told = false, can = diagnose_possible(j, &c->s->measure, i);
        for (size_t k = 0; k < c->told.n; k++)
            told |= c->told.v[k] == i;
        write_line(c, i, can && (told || looked++ < DIAGNOSED), out);
    }
}

/* ---- tensors ---- */

void pack_npy_head(const struct tensor *t, struct buf *out)
{
    static const char *const descr[DTYPE_COUNT] = {
        [DTYPE_UNKNOWN] = "|u1", [DTYPE_F64] = "<f8", [DTYPE_F32] = "<f4", [DTYPE_F16] = "<f2", [DTYPE_BF16] = "<u2",
            [DTYPE_F8E4M3] = "|u1",
        [DTYPE_F8E5M2] = "|u1", [DTYPE_HIF8] = "|u1", [DTYPE_I64] = "<i8", [DTYPE_I32] = "<i4", [DTYPE_I16] = "<i2", [DTYPE_I8] = "|i1",
        [DTYPE_U64] = "<u8",
        [DTYPE_U32] = "<u4", [DTYPE_U16] = "<u2", [DTYPE_U8] = "|u1", [DTYPE_BOOL] = "|b1", [DTYPE_C64] = "<c8",
        [DTYPE_C128] = "<c16",
    };
    struct buf h = {0};
    buf_fmt(&h, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr[t->dtype]);
    for (int i = 0; i < t->ndim; i++)
        buf_fmt(&h, "%lld,%s", (long long)t->shape[i], i + 1 < t->ndim ? " " : "");
    buf_cstr(&h, "), }");
    while ((h.n + 11) % 64)
        buf_char(&h, ' ');
    buf_char(&h, '\n');
    const char magic[10] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, (char)(h.n & 255), (char)(h.n >> 8)};
    buf_add(out, magic, sizeof magic);
    buf_str(out, buf_view(&h));
    buf_release(&h);
}
