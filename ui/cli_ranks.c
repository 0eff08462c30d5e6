/* One comparison after the other, for every step and rank both sides have: what a job of many cards is
 * asked first is where it parts first. */
#include "ui/cli.h"

#include <unistd.h>

#include "base/msg.h"
#include "base/num.h"
#include "judge/verdict_text.h"
#include "report/formats.h"
#include "ui/open_investigation.h"
#include "fmt/find_recordings.h"

/* The places of both sides that go together: same step and rank, or numbers where one side has none. */
struct twin {
    int step[2], rank[2];
};
typedef VEC(struct twin) twin_list;

static bool fits(int have, int want, bool all)
{
    return all || want < 0 || have == want;
}

static int find_twins(const struct investigation *v, const struct options *o, twin_list *out, struct err *e)
{
    place_list l[2] = {{0}, {0}};
    int rc = 0;
    for (int i = 0; i < 2 && rc == 0; i++)
        /* one path: a result table, its own golden side */
        rc = find_recordings(v->input[v->input[i] ? i : 0], &l[i], e);
    for (size_t t = 0; rc == 0 && t < l[0].n; t++)
        for (size_t g = 0; g < l[1].n; g++) {
            const struct place *a = &l[0].v[t], *b = &l[1].v[g];
            if (a->step != b->step || a->rank != b->rank || !fits(a->step, v->step[0], o->all_steps) ||
                !fits(a->rank, v->rank[0], o->all_ranks))
                continue;
            struct twin x = {{a->step, b->step}, {a->rank, b->rank}};
            vec_push(out, x);
            break;
        }
    if (rc == 0 && !out->n)
        rc = err_set(e, ERR_USAGE, _("no step and rank that both %s and %s have"), v->input[0], v->input[1]);
    place_list_release(&l[0]);
    place_list_release(&l[1]);
    return rc;
}

struct ranks_run {
    struct out out;
    struct jsonw w;
    const struct options *o;
    bool json, any;
    struct buf first; /* JSON of the first deviation of all: its step, rank and row */
    int status;
};

static void number(struct jsonw *w, const char *key, int v)
{
    jw_key(w, key);
    v < 0 ? jw_null(w) : jw_int(w, v);
}

static void tell_json(struct ranks_run *r, const struct comparison *s)
{
    const struct dump *d = &s->side[TARGET].dump;
    compare_json_brief(&r->w, s);
    if (s->judged->first != NONE && !r->first.n) {
        struct jsonw w;
        jw_init(&w, &r->first, false);
        jw_object(&w);
        number(&w, "step", d->step);
        number(&w, "rank", d->rank);
        jw_key(&w, "row");
        compare_json_row(&w, s, s->judged->first);
        jw_end_object(&w);
    }
    out_flow(&r->out);
}

static void tell_text(struct ranks_run *r, const struct comparison *s)
{
    const struct dump *d = &s->side[TARGET].dump;
    struct judge_options jo = comparison_judge_options(s);
    struct buf *b = &r->out.buf, name = {0};
    char n[NUM_MAX];
    buf_fmt(b, _("step %d rank %d  "), d->step, d->rank);
    explain_outcome(s->judged, &jo, b);
    if (s->judged->first != NONE) {
        const struct line *l = &s->pairing->lines.v[s->judged->first];
        int side = l->row[TARGET] == NONE ? GOLDEN : TARGET;
        dump_row_name(&s->side[side].dump, l->row[side], &name);
        buf_fmt(b, _("; row %s, %s: %s"), num_count(n, s->judged->first + 1), first_class_label(s->judged->first_class),
                name.p);
    }
    buf_char(b, '\n');
    buf_release(&name);
    out_flow(&r->out);
}

/* 1 outweighs 5 outweighs 0: a deviation anywhere is one. */
static void merge(struct ranks_run *r, int status)
{
    if (r->status != EXIT_DEVIATES && status != EXIT_ALIGNED)
        r->status = status;
}

static int one(struct ranks_run *r, const struct investigation *v, const struct twin *x, struct err *e)
{
    struct session s;
    struct session_options so;
    open_investigation_session(v, r->o, &so);
    so.before = (struct round_place){.file = NULL}; /* it is of one step and rank */
    for (int i = 0; i < 2; i++) {
        so.of.step[i] = x->step[i];
        so.of.rank[i] = x->rank[i];
    }
    if (session_start(&s, &so, e))
        return -1;
    int rc = cli_wait(&s, r->o, e);
    if (rc == 0) {
        struct judge_options jo = comparison_judge_options(s.now);
        merge(r, cli_fail_on(r->o, s.now, judgement_status(s.now->judged, &jo)));
        if (r->json)
            tell_json(r, s.now);
        else if (!r->o->summary)
            tell_text(r, s.now);
    }
    session_stop(&s);
    return rc;
}

int cli_compare_all(const struct investigation *v, const struct options *o)
{
    struct ranks_run r = {.o = o, .json = o->json || o->output};
    struct err e = {0};
    twin_list twins = {0};
    bool file = o->output && strcmp(o->output, "-") != 0;
    int rc = find_twins(v, o, &twins, &e);
    if (rc == 0 && file && !str_ends(str_of(o->output), ".json"))
        rc = err_set(&e, ERR_USAGE, _("%s: several steps or ranks are written as .json"), o->output);
    if (rc == 0 && file)
        rc = out_file(&r.out, o->output, &e);
    else if (rc == 0)
        out_fd(&r.out, STDOUT_FILENO);
    if (rc) {
        vec_release(&twins);
        return cli_fail(&e);
    }
    jw_init(&r.w, &r.out.buf, false);
    if (r.json) {
        jw_object(&r.w);
        jw_kint(&r.w, "schema", 1);
        jw_kcstr(&r.w, "tool", TOOL);
        jw_key(&r.w, "ranks");
        jw_array(&r.w);
    }
    for (size_t i = 0; i < twins.n && rc == 0; i++)
        rc = one(&r, v, &twins.v[i], &e);
    if (r.json) {
        jw_end_array(&r.w);
        jw_key(&r.w, "first");
        r.first.n ? jw_raw(&r.w, buf_view(&r.first)) : jw_null(&r.w);
        jw_end_object(&r.w);
        buf_char(&r.out.buf, '\n');
    }
    if (rc)
        r.out.err = e; /* half a result is none: out_close takes it away */
    rc = out_close(&r.out, &e);
    vec_release(&twins);
    buf_release(&r.first);
    return rc ? cli_fail(&e) : r.status;
}
