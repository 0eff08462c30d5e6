/* Starts the next round: checks that the inputs are unchanged since the comparison, writes the round's file, and sets
 * the new inputs; also the reverse. */
#include "panel/round_leave.h"

#include "base/io.h"
#include "base/msg.h"
#include "compare/round_freeze.h"
#include "fmt/find_recordings.h"

static void add_findings(struct round *r, const struct investigation *v)
{
    finding_list l = {0};
    findings_read(&v->findings, &l);
    for (size_t i = 0; i < l.n; i++) {
        const struct finding *x = &l.v[i];
        struct round_finding f = {
            x->number,
            finding_status_name((enum finding_status)x->status),
            arena_cstr(&r->arena, str_of(x->text)),
            {arena_cstr(&r->arena, str_of(x->about[0])), arena_cstr(&r->arena, str_of(x->about[1]))}};
        vec_push(&r->findings, f);
    }
    vec_release(&l);
}

static void add_panels(struct round *r, const struct procedure *g)
{
    for (int i = 0; i < procedure_panels(g); i++) {
        struct round_panel p = {panels[i].name, panel_state_name(g->page[i].state),
                                arena_cstr(&r->arena, str_of(g->page[i].summary))};
        vec_push(&r->panels, p);
    }
}

void round_of(struct round *r, const struct comparison *s, const struct investigation *v, const struct procedure *g)
{
    round_freeze(r, s, s->judged);
    round_freeze_addresses(r, s, NULL);
    r->number = (uint32_t)v->rounds.n + 1;
    r->author = arena_cstr(&r->arena, str_of(v->author));
    r->date = investigation_date(v);
    add_findings(r, v);
    if (g && g->written)
        add_panels(r, g);
}

static bool same_state(const struct file_stamp *a, const struct file_stamp *b)
{
    return a->bytes == b->bytes && a->files == b->files && a->time == b->time;
}

/* The stored round must be what was compared: a dump overwritten since then is a different one. */
static int check_old(const struct investigation *v, const struct comparison *s, struct err *e)
{
    for (int i = 0; i < 2; i++)
        if (v->state[i].bytes && s->side[i].now.bytes && !same_state(&v->state[i], &s->side[i].now))
            return err_set(e, ERR_USAGE, _("%s has changed since round %zu was compared, so that round cannot be "
                                           "frozen; write each new dump to a separate folder"),
                           v->input[i], v->rounds.n + 1);
    return 0;
}

static int check_recording(const char *path, struct err *e)
{
    place_list found = {0};
    if (!path_is_dir(path) && !path_is_file(path))
        return err_set(e, ERR_IO, _("%s: no such file or folder"), path);
    int rc = find_recordings(path, &found, e);
    if (rc == 0 && !found.n)
        rc = err_set(e, ERR_DATA, _("%s: expected a recording of a supported format in this folder or below, found "
                                    "none; see `diverge formats`"), path);
    place_list_release(&found);
    return rc;
}

static int check_new(const struct comparison *s, const char *const path[2], struct err *e)
{
    bool other = false;
    for (int i = 0; i < 2; i++) {
        if (!path[i])
            continue;
        if (check_recording(path[i], e))
            return -1;
        struct file_stamp now = file_stamp_of(s->side[i].dump.path); /* the folder may have been written again */
        other = other || !s->side[i].path || !path_same(s->side[i].path, path[i]) || !same_state(&now, &s->side[i].now);
    }
    return other ? 0 : err_set(e, ERR_USAGE, _("%s is already compared in this round"), path[TARGET]);
}

/* Beside the investigation, named after it: NAME.round-N.gz. */
static void round_file_name(const struct investigation *v, struct buf *path)
{
    struct str whole = str_of(v->path);
    const char *ending = INVESTIGATION_ENDING;
    buf_clear(path);
    buf_str(path, str_ends(whole, ending) ? str_n(whole.p, whole.n - strlen(ending)) : whole);
    buf_fmt(path, ".round-%zu" ROUND_ENDING, v->rounds.n + 1);
}

static int write_round(const struct investigation *v, const struct comparison *s, const struct procedure *g,
                       struct buf *path, struct round_left *left, struct err *e)
{
    struct round r;
    round_init(&r);
    round_of(&r, s, v, g);
    round_file_name(v, path);
    int rc = round_write(&r, path->p, &left->fingerprint, e);
    left->date = r.date;
    round_release(&r);
    return rc;
}

/* The round that was just left is open again. */
static void undo_round_left(struct investigation *v)
{
    struct round_undone u = {.answers = {0}};
    investigation_last_round(v, &u);
    vec_release(&u.answers);
}

int round_leave(struct investigation *v, const struct comparison *s, const struct procedure *g, const char *target,
                const char *golden, const char *path, struct err *e)
{
    const char *const next[2] = {target, golden};
    struct buf file = {0};
    struct round_left left = {.author = v->author};
    if (s->single || !s->judged || !s->complete)
        return err_set(e, ERR_USAGE, "%s", _("the comparison of this round is not finished"));
    if (!v->path)
        return err_set(e, ERR_USAGE, "%s", _("rounds are saved in the folder of the investigation file: set one with "
                                             "--investigation FILE"));
    if (investigation_may_change(v, e))
        return -1;
    if (v->shown)
        return err_set(e, ERR_USAGE, _("round %u is open; the next round follows the newest, round %zu"), v->shown,
                       v->rounds.n + 1);
    if (check_old(v, s, e) || check_new(s, next, e))
        return -1;
    if (write_round(v, s, g, &file, &left, e)) {
        buf_release(&file);
        return -1;
    }
    left.file = investigation_keep(v, path_base(buf_view(&file)).p);
    buf_release(&file);
    const char *was = v->path;
    bool seen = v->seen;
    for (int i = 0; i < 2; i++)
        v->state[i] = s->side[i].now;
    investigation_next_round(v, left, target, golden);
    if (path)
        investigation_move(v, path);
    if (investigation_save(v, e) == 0)
        return 0;
    if (path) {
        investigation_move(v, was);
        v->seen = seen;
    }
    undo_round_left(v);
    return -1;
}

/* Whether a finding is about these rows, or about the call of one. */
static bool is_about(const struct finding *x, const char *const row[2])
{
    for (int i = 0; i < 2; i++) {
        const char *name = x->about[i];
        size_t n = strlen(name);
        bool whole = strcmp(name, row[i]) == 0;
        bool call = (x->subject == SUBJECT_CALL || x->subject == SUBJECT_RANK_CALL) && strlen(row[i]) > n &&
                    row[i][n] == '.';
        if (n && (whole || (call && strncmp(name, row[i], n) == 0)))
            return true;
    }
    return false;
}

/* Whether its status was set in any version. */
static bool was_told(const struct findings *f, uint32_t number)
{
    for (size_t i = 0; i < f->now; i++)
        if (f->log.v[i].number == number && f->log.v[i].status != FINDING_SUSPECTED)
            return true;
    return false;
}

/* Whether a finding is about a row where a deviation started in the round before, which agrees now. */
static bool is_fixed(const struct comparison *s, const struct finding *x)
{
    uint32_t line = x->subject == SUBJECT_PAIR || x->subject == SUBJECT_ELEMENT ? round_since_find(s, x->about) : NONE;
    const struct round_row *was = line == NONE ? NULL : round_since_row(&s->since, line);
    return was && was->flags & ROUND_STARTS && round_since_change(s, line) == CHANGE_FIXED;
}

unsigned round_confirm(struct investigation *v, const struct comparison *s)
{
    finding_list l = {0};
    unsigned n = 0;
    uint32_t step = findings_step(&v->findings);
    const struct changes *c = &s->since.changes;
    if (!s->since.told || !c->nothing_new || v->read_only)
        return 0;
    findings_read(&v->findings, &l);
    for (size_t i = 0; i < l.n; i++) {
        struct finding x = l.v[i];
        bool first = c->confirmed && is_about(&x, s->since.before->first);
        if ((!first && !is_fixed(s, &x)) || was_told(&v->findings, x.number))
            continue;
        x.status = FINDING_ROOT_CAUSE;
        x.step = step;
        x.author = v->author;
        x.time = investigation_date(v);
        findings_add(&v->findings, x);
        n++;
    }
    vec_release(&l);
    return n;
}

int round_return(struct investigation *v, struct err *e)
{
    struct round_undone u = {.answers = {0}};
    if (investigation_may_change(v, e))
        return -1;
    if (!investigation_last_round(v, &u))
        return err_set(e, ERR_USAGE, _("%s is in its first round"), v->path);
    int rc = investigation_save(v, e);
    if (rc) /* the state shown, and the next save, are those of the file */
        investigation_round_again(v, &u);
    vec_release(&u.answers);
    return rc;
}
