/* One comparison after the other, for every step and rank both sides have: what a job of many cards is
 * asked first is where it parts first. */
#include "ui/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/utf8.h"
#include "judge/verdict_text.h"
#include "report/formats.h"
#include "ui/open_investigation.h"
#include "fmt/find_recordings.h"

/* A place of each side that are compared: same step and rank, or different numbers if a side has no number. */
struct twin {
    int step[2], rank[2];
};
typedef VEC(struct twin) twin_list;

static bool fits(int have, int want, bool all)
{
    return all || want < 0 || have == want;
}

/* The number on the other side: the same one, or the one given with T:G. */
static int other_number(const int want[2], int side, int have, bool all)
{
    return !all && want[TARGET] >= 0 && want[GOLDEN] >= 0 ? want[!side] : have;
}

/* Whether the place of a side is compared, and with which one of the other side. */
static bool chosen(const struct investigation *v, const struct options *o, int side, const struct place *p,
                   struct place *other)
{
    int of = v->step[GOLDEN] >= 0 && side == GOLDEN, of_rank = v->rank[GOLDEN] >= 0 && side == GOLDEN;
    *other = (struct place){.step = other_number(v->step, side, p->step, o->all_steps),
                            .rank = other_number(v->rank, side, p->rank, o->all_ranks)};
    return fits(p->step, v->step[of], o->all_steps) && fits(p->rank, v->rank[of_rank], o->all_ranks);
}

/* Prints what concerns the whole run: places only one side has, and unreadable data. */
struct left_out {
    place_list alone[2];
    read_failures failed;
};

static int by_number(const void *x, const void *y)
{
    const struct place *a = x, *b = y;
    return a->step != b->step ? (a->step < b->step ? -1 : 1) : (a->rank > b->rank) - (a->rank < b->rank);
}

/* Of a list sorted by step and rank. */
static bool has_place(const place_list *l, const struct place *p)
{
    return l->n && bsearch(p, l->v, l->n, sizeof *l->v, by_number);
}

static void note_alone(struct left_out *x, const struct investigation *v, const struct options *o,
                       const place_list l[2])
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < l[side].n; i++) {
            const struct place *p = &l[side].v[i];
            struct place alone = {.step = p->step, .rank = p->rank}, other;
            bool again = x->alone[side].n && by_number(vec_last(&x->alone[side]), p) == 0;
            if (chosen(v, o, side, p, &other) && !again && !has_place(&l[!side], &other))
                vec_push(&x->alone[side], alone);
        }
}

static void left_out_release(struct left_out *x)
{
    read_failures_release(&x->failed);
    for (int side = 0; side < 2; side++)
        vec_release(&x->alone[side]);
}

static int find_twins(const struct investigation *v, const struct options *o, struct found_trees *found,
                      struct left_out *left, twin_list *out, struct err *e)
{
    place_list l[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++)
        /* one path: a result table, its own golden side */
        if (found_trees_below(found, v->input[v->input[i] ? i : 0], NULL, &l[i], &left->failed, e))
            return -1;
    note_alone(left, v, o, l);
    for (size_t i = 0; i < l[TARGET].n; i++) {
        const struct place *a = &l[TARGET].v[i];
        struct place b;
        if (!chosen(v, o, TARGET, a, &b) || !has_place(&l[GOLDEN], &b))
            continue;
        struct twin x = {{a->step, b.step}, {a->rank, b.rank}};
        vec_push(out, x);
    }
    if (!out->n && left->failed.n)
        return read_failures_error(&left->failed, e);
    return out->n ? 0 : err_set(e, ERR_USAGE, _("%s and %s have no common step and rank"), v->input[0], v->input[1]);
}

struct ranks_run {
    struct found_trees *found;
    struct out out;
    struct jsonw w;
    const struct options *o;
    bool json, *joined;
    struct left_out left;
    size_t compared;
    struct buf first; /* JSON of the first deviation of all: its step, rank and row */
    int status;
};

static void tell_json(struct ranks_run *r, const struct comparison *s)
{
    const struct dump *d = &s->side[TARGET].dump;
    compare_json_brief(&r->w, s);
    if (s->judged->first != NONE && !r->first.n) {
        struct jsonw w;
        jw_init(&w, &r->first, false);
        jw_object(&w);
        jw_kint_if(&w, "step", d->step >= 0, d->step);
        jw_kint_if(&w, "rank", d->rank >= 0, d->rank);
        jw_key(&w, "row");
        compare_json_row(&w, s, s->judged->first);
        jw_end_object(&w);
    }
    out_flow(&r->out);
}

void cli_rank_outcome(const struct comparison *c, struct buf *b)
{
    struct judge_options jo = comparison_judge_options(c);
    uint32_t first = c->judged->first;
    struct buf name = {0};
    char n[NUM_MAX];
    explain_outcome(c->judged, &jo, b);
    if (first == NONE)
        return;
    const struct line *l = &c->pairing->lines.v[first];
    int side = l->row[TARGET] == NONE ? GOLDEN : TARGET;
    dump_row_name(&c->side[side].dump, l->row[side], &name);
    buf_fmt(b, _("; row %s, %s: %s"), num_count(n, first + 1), first_class_label(c->judged->first_class), name.p);
    buf_release(&name);
}

/* N, or T:G where the sides' numbers differ. */
static void numbers(char out[NUM_MAX], int target, int golden)
{
    if (golden < 0 || golden == target)
        snprintf(out, NUM_MAX, "%d", target);
    else
        snprintf(out, NUM_MAX, "%d:%d", target, golden);
}

static void tell_text(struct ranks_run *r, const struct comparison *s)
{
    const struct dump *t = &s->side[TARGET].dump, *g = &s->side[GOLDEN].dump;
    struct buf text = {0};
    char step[NUM_MAX], rank[NUM_MAX];
    numbers(step, t->step, g->step);
    numbers(rank, t->rank, g->rank);
    buf_fmt(&text, _("step %s rank %s  "), step, rank);
    cli_rank_outcome(s, &text);
    utf8_clean_lines(&r->out.buf, text.p ? buf_view(&text) : STR("")); /* names come from the dump */
    buf_release(&text);
    out_flow(&r->out);
}

static void alone_text(struct buf *b, const place_list *l, const char *path)
{
    for (size_t i = 0; i < l->n && i < 16; i++)
        buf_fmt(b, _("step %d rank %d  only in %s: not compared\n"), l->v[i].step, l->v[i].rank, path);
    if (l->n > 16)
        buf_fmt(b, _("and %zu more only in %s\n"), l->n - 16, path);
}

static void alone_json(struct jsonw *w, const char *key, const place_list *l)
{
    jw_karray(w, key);
    for (size_t i = 0; i < l->n; i++) {
        jw_object(w);
        jw_kint_if(w, "step", l->v[i].step >= 0, l->v[i].step);
        jw_kint_if(w, "rank", l->v[i].rank >= 0, l->v[i].rank);
        jw_end_object(w);
    }
    jw_end_array(w);
}

/* Printed before the first comparison: places that are not compared. */
static void tell_left_out(struct ranks_run *r, const struct investigation *v)
{
    struct buf *b = &r->out.buf;
    if (r->json || r->o->summary)
        return;
    for (size_t i = 0; i < r->left.failed.n; i++)
        buf_fmt(b, _("not read: %s\n"), r->left.failed.v[i].text);
    for (int side = 0; side < 2; side++)
        alone_text(b, &r->left.alone[side], v->input[side] ? v->input[side] : v->input[0]);
}

static void tell_left_out_json(struct ranks_run *r)
{
    alone_json(&r->w, "target_only", &r->left.alone[TARGET]);
    alone_json(&r->w, "golden_only", &r->left.alone[GOLDEN]);
    jw_karray(&r->w, "unread");
    for (size_t i = 0; i < r->left.failed.n; i++)
        jw_cstr(&r->w, r->left.failed.v[i].text);
    jw_end_array(&r->w);
}

static void note_unread(read_failures *l, int step, int rank, const struct err *e)
{
    struct buf b = {0};
    buf_fmt(&b, _("step %d rank %d  not read: %s"), step, rank, e->text);
    struct read_failure f = {.path = mem_strdup(""), .text = b.p};
    vec_push(l, f);
}

static void tell_unread(struct ranks_run *r, const struct twin *x, const struct err *e)
{
    note_unread(&r->left.failed, x->step[0], x->rank[0], e);
    if (!r->json && !r->o->summary)
        buf_fmt(&r->out.buf, "%s\n", vec_last(&r->left.failed)->text);
}

int cli_worse_status(int a, int b)
{
    return a != EXIT_DEVIATES && b != EXIT_ALIGNED ? b : a;
}

static void merge(struct ranks_run *r, int status)
{
    r->status = cli_worse_status(r->status, status);
}

/* Compares one pair of places. */
static int one(struct ranks_run *r, const struct investigation *v, const struct twin *x, struct err *e)
{
    struct session s;
    struct session_options so;
    open_investigation_session(v, r->o, &so);
    so.before = (struct round_place){.file = NULL}; /* it is of one step and rank */
    so.of.found = r->found;
    for (int i = 0; i < 2; i++) {
        so.of.step[i] = x->step[i];
        so.of.rank[i] = x->rank[i];
    }
    if (session_start(&s, &so, e))
        return -1;
    int rc = cli_wait(&s, r->o, e);
    if (rc == 0 && r->joined && !r->compared && cli_job_of_micro_batches(s.now)) {
        *r->joined = true;
        session_stop(&s);
        return 0;
    }
    if (rc == 0) {
        struct judge_options jo = comparison_judge_options(s.now);
        merge(r, cli_fail_on(r->o, s.now, judgement_status(s.now->judged, &jo)));
        if (r->json)
            tell_json(r, s.now);
        else if (!r->o->summary)
            tell_text(r, s.now);
        r->compared++;
    } else if (e->code == ERR_IO || e->code == ERR_DATA) {
        tell_unread(r, x, e);
        rc = 0;
    }
    session_stop(&s);
    return rc;
}

int cli_compare_all(const struct investigation *v, const struct options *o, struct found_trees *found, bool *joined)
{
    struct ranks_run r = {.o = o, .found = found, .json = o->json || o->output, .joined = joined};
    struct err e = {0};
    twin_list twins = {0};
    bool file = o->output && strcmp(o->output, "-") != 0;
    int rc = find_twins(v, o, found, &r.left, &twins, &e);
    if (rc == 0 && file && !str_ends(str_of(o->output), ".json"))
        rc = err_set(&e, ERR_USAGE, _("%s: several steps or ranks can only be written as .json"), o->output);
    if (rc == 0 && file)
        rc = out_file(&r.out, o->output, &e);
    else if (rc == 0)
        out_fd(&r.out, STDOUT_FILENO);
    if (rc) {
        vec_release(&twins);
        left_out_release(&r.left);
        return cli_fail(&e);
    }
    jw_init(&r.w, &r.out.buf, false);
    if (r.json) {
        jw_result(&r.w);
        jw_karray(&r.w, "ranks");
    }
    tell_left_out(&r, v);
    for (size_t i = 0; i < twins.n && rc == 0 && !(joined && *joined); i++)
        rc = one(&r, v, &twins.v[i], &e);
    if (joined && *joined) /* nothing was written yet, and nothing will be */
        rc = err_set(&e, ERR_CANCEL, "%s", "");
    else if (rc == 0 && !r.compared)
        rc = -1;
    if (r.left.failed.n && !(o->policy.given && !o->policy.kinds))
        merge(&r, EXIT_UNJUDGED);
    if (r.json) {
        jw_end_array(&r.w);
        jw_key(&r.w, "first");
        r.first.n ? jw_raw(&r.w, buf_view(&r.first)) : jw_null(&r.w);
        tell_left_out_json(&r);
        jw_end_object(&r.w);
        buf_char(&r.out.buf, '\n');
    }
    if (rc)
        r.out.err = e; /* out_close removes an incomplete result */
    rc = out_close(&r.out, &e);
    vec_release(&twins);
    buf_release(&r.first);
    left_out_release(&r.left);
    return joined && *joined ? EXIT_ALIGNED : rc ? cli_fail(&e) : r.status;
}
