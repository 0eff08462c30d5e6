/* Saves an investigation, unless it is read-only or its file was changed by others meanwhile. */
#include <stdlib.h>

#include "base/file_write.h"
#include "base/io.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/msg.h"
#include "base/output.h"
#include "ticket/investigation.h"
#include "ticket/merge.h"

int investigation_may_change(const struct investigation *v, struct err *e)
{
    if (!v->read_only)
        return 0;
    if (v->pack)
        return err_set(e, ERR_IO, _("%s is a pack: read-only"), v->pack);
    return v->holder ? err_set(e, ERR_IO, _("%s is open in another program (%s)"), v->path, v->holder)
                     : err_set(e, ERR_IO, _("%s was written by a newer version: read-only"), v->path);
}

static int replace_file(struct investigation *v, const struct buf *text, struct err *e)
{
    if (file_replace(v->path, buf_view(text), e))
        return -1;
    v->seen = true;
    v->content = hash_bytes(text->p, text->n, 0);
    return 0;
}

/* The present content of its file; *there false: none. */
static int read_file_content(const struct investigation *v, bool *there, struct buf *text, struct err *e)
{
    enum path_what what;
    if (path_look(v->path, &what, e))
        return -1;
    *there = what != PATH_ABSENT;
    return *there ? file_slurp(v->path, INVESTIGATION_LARGEST, text, e) : 0;
}

static int prefix_changed_by_others(struct err *e)
{
    return err_prefix(e, "%s", _("changed by someone else in the meantime"));
}

static int report_conflict(const struct investigation *v, const struct merge *m, struct err *e)
{
    const struct merge_item *x = &m->conflicts.v[0];
    return err_set(e, ERR_USAGE, _("%s was changed by someone else in the meantime; conflict: %s, %s"), v->path,
                   x->what,
                   x->about);
}

/* Merges both into `mine` unless they conflict. */
static int merge_both(struct investigation *v, struct merge *m, struct investigation *mine,
                      struct investigation *theirs, struct err *e)
{
    if (theirs->read_only)
        return err_set(e, ERR_IO, _("%s was written by a newer version: read-only"), v->path);
    if (theirs->rounds.n != v->rounds.n)
        return err_set(e, ERR_USAGE, _("the rounds in %s differ from those of this investigation"), v->path);
    if (merge_investigations(m, mine, theirs, e))
        return prefix_changed_by_others(e);
    return m->conflicts.n ? report_conflict(v, m, e) : 0;
}

/* It may be opened from another folder, and saved away from the inputs, so paths become absolute. */
static void note_full_paths(struct investigation *v)
{
    for (int s = 0; s < 2; s++) {
        char *full = v->input[s] ? path_full(v->input[s]) : NULL;
        if (full && (!v->full[s] || strcmp(full, v->full[s]) != 0))
            v->full[s] = investigation_keep(v, full);
        free(full);
    }
}

/* Somebody else changed the file. */
static int merge_changed_file(struct investigation *v, struct str text, struct err *e)
{
    struct buf b = {0};
    struct merge m = {.choice = MERGE_OURS, .name = {_("this investigation"), v->path}, .author = v->author};
    struct investigation mine, theirs;
    investigation_init(&mine);
    investigation_init(&theirs);
    note_full_paths(v);
    investigation_write(v, &b);
    int rc = investigation_parse(&mine, buf_view(&b), v->path, e) || investigation_parse(&theirs, text, v->path, e)
                 ? prefix_changed_by_others(e)
                 : merge_both(v, &m, &mine, &theirs, e);
    buf_clear(&b);
    if (rc == 0) {
        investigation_write(&mine, &b);
        rc = replace_file(v, &b, e) || investigation_take(v, buf_view(&b), e) ? -1 : 0;
    }
    if (rc == 0) {
        v->merges++;
        v->taken_in = m.added.n;
    }
    merge_release(&m);
    investigation_release(&mine);
    investigation_release(&theirs);
    buf_release(&b);
    return rc;
}

int investigation_save_over(struct investigation *v, struct err *e)
{
    struct buf b = {0};
    note_full_paths(v);
    investigation_write(v, &b);
    int rc = replace_file(v, &b, e);
    buf_release(&b);
    return rc;
}

int investigation_save(struct investigation *v, struct err *e)
{
    struct buf now = {0};
    bool there;
    if (v->read_only || (!v->path && !v->unkept))
        return 0;
    if (!v->path)
        return err_set(e, ERR_OUTPUT, "%s", v->unkept);
    int rc = read_file_content(v, &there, &now, e);
    if (rc == 0 && v->seen && !there)
        rc = err_set(e, ERR_OUTPUT, _("%s was deleted or moved by someone else in the meantime"), v->path);
    else if (rc == 0 && there && (!v->seen || hash_bytes(now.p, now.n, 0) != v->content))
        rc = merge_changed_file(v, buf_view(&now), e);
    else if (rc == 0)
        rc = investigation_save_over(v, e);
    buf_release(&now);
    return rc;
}

/* A round's file that is absent or replaced was missing before: saving goes on. */
static int copy_round(const struct round_place *from, const char *to, struct err *e)
{
    enum path_what what;
    if (path_look(to, &what, e))
        return -1;
    if (what != PATH_ABSENT)
        return err_set(e, ERR_USAGE, _("%s already exists"), to);
    return round_copy(from, to, e) && (e->code == ERR_OUTPUT || e->code == ERR_RESOURCE) ? -1 : 0;
}

/* The rounds' files are beside it and have its name: makes copies with the names that `file` will give them. */
static int copy_round_files(struct investigation *v, const char *path, const char **file, struct err *e)
{
    struct buf stem = {0}, name = {0};
    struct str whole = str_of(path);
    int rc = 0;
    buf_str(&stem, str_n(whole.p, whole.n - strlen(INVESTIGATION_ENDING)));
    for (size_t i = 0; i < v->rounds.n && rc == 0; i++) {
        const struct round_left *r = &v->rounds.v[i];
        const struct round_place from = {.beside = v->path, .file = r->file, .number = r->number,
                                         .fingerprint = r->fingerprint};
        buf_clear(&name);
        buf_fmt(&name, "%s.round-%u" ROUND_ENDING, stem.p, r->number);
        rc = copy_round(&from, name.p, e);
        file[i] = investigation_keep(v, path_base(buf_view(&name)).p);
    }
    buf_release(&stem);
    buf_release(&name);
    return rc;
}

static int may_save_as(const struct investigation *v, const char *path, struct err *e)
{
    enum path_what what;
    if (v->pack || (v->read_only && !v->holder)) /* a copy would lose what this version does not know */
        return investigation_may_change(v, e);
    if (!str_ends(str_of(path), INVESTIGATION_ENDING))
        return err_set(e, ERR_USAGE, _("%s: expected a name that ends in .investigation.json"), path);
    if (path_look(path, &what, e))
        return -1;
    return what == PATH_ABSENT ? output_check(path, e) : err_set(e, ERR_USAGE, _("%s already exists"), path);
}

static void swap_files(struct investigation *v, const char **file)
{
    for (size_t i = 0; i < v->rounds.n; i++) {
        const char *was = v->rounds.v[i].file;
        v->rounds.v[i].file = file[i];
        file[i] = was;
    }
}

int investigation_save_as(struct investigation *v, const char *path, struct err *e)
{
    if (may_save_as(v, path, e))
        return -1;
    const struct investigation was = *v;
    const char **file = mem_zalloc((v->rounds.n + 1) * sizeof *file);
    int rc = copy_round_files(v, path, file, e);
    if (rc == 0) {
        swap_files(v, file);
        investigation_move(v, path);
        v->own = false;
        v->unkept = NULL;
        rc = investigation_may_change(v, e) || investigation_save(v, e) ? -1 : 0;
        if (rc) {
            swap_files(v, file);
            investigation_move(v, was.path);
            v->own = was.own;
            v->unkept = was.unkept;
            v->seen = was.seen;
            v->content = was.content;
            v->read_only = v->read_only || was.read_only;
            v->holder = v->holder ? v->holder : was.holder;
        }
    }
    free(file);
    return rc;
}
