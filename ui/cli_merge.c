/* diverge merge: merges two people's investigations of the same inputs. */
#include <stdlib.h>

#include "base/file_write.h"
#include "base/json_write.h"
#include "base/io.h"
#include "base/msg.h"
#include "base/output.h"
#include "ui/cli.h"
#include "ticket/merge.h"
#include "ui/open_investigation.h"

static void put_json(const struct merge *m, const struct options *o, struct buf *b)
{
    static const char *const choices[] = {"ask", "ours", "theirs"};
    struct jsonw w;
    jw_init(&w, b, true);
    jw_result(&w);
    jw_kcstr(&w, "ours", o->arg[0]);
    jw_kcstr(&w, "theirs", o->arg[1]);
    jw_kcstr(&w, "written", o->output);
    jw_kcstr(&w, "choice", choices[m->choice]);
    jw_kint(&w, "same", (int64_t)m->same);
    jw_karray(&w, "added");
    for (size_t i = 0; i < m->added.n; i++) {
        jw_object(&w);
        jw_kcstr(&w, "what", m->added.v[i].what);
        jw_kcstr(&w, "about", m->added.v[i].about);
        jw_kcstr(&w, "text", m->added.v[i].side[1]);
        jw_end_object(&w);
    }
    jw_end_array(&w);
    jw_karray(&w, "conflicts");
    for (size_t i = 0; i < m->conflicts.n; i++) {
        jw_object(&w);
        jw_kcstr(&w, "what", m->conflicts.v[i].what);
        jw_kcstr(&w, "about", m->conflicts.v[i].about);
        jw_kcstr(&w, "ours", m->conflicts.v[i].side[0]);
        jw_kcstr(&w, "theirs", m->conflicts.v[i].side[1]);
        jw_kcstr(&w, "taken", m->choice == MERGE_THEIRS ? "theirs" : "ours");
        jw_end_object(&w);
    }
    jw_end_array(&w);
    jw_end_object(&w);
    buf_char(b, '\n');
}

static void put_merge_text(const struct merge *m, const struct options *o, struct buf *b)
{
    for (size_t i = 0; i < m->added.n; i++)
        buf_fmt(b, "+ %-15s %s%s%s\n", m->added.v[i].what, m->added.v[i].about, *m->added.v[i].side[1] ? ": " : "",
                m->added.v[i].side[1]);
    for (size_t i = 0; i < m->conflicts.n; i++) {
        const struct merge_item *c = &m->conflicts.v[i];
        bool theirs = m->choice == MERGE_THEIRS;
        buf_fmt(b, "! %-15s %s\n", c->what, c->about);
        for (int s = 0; s < 2; s++)
            buf_fmt(b, "    %s %s: %s\n", theirs == s ? "*" : " ", o->arg[s], c->side[s]);
    }
    buf_fmt(b, _("added: %zu, equal: %zu, conflicts: %zu\n"), m->added.n, m->same, m->conflicts.n);
    if (!o->output)
        buf_cstr(b, _("nothing was written: use -o FILE\n"));
    else if (m->conflicts.n && m->choice == MERGE_ASK)
        buf_cstr(b, _("* is kept; the other text is added as a finding with the tag #conflict. --ours or --theirs "
                      "resolves conflicts\n"));
}

/* The rounds' files go with it, named after it. One that is not there any more, or not the one, is reported: what was
 * judged in that round is lost then, the rest is not. -1 if one cannot be written. */
static int carry_merged_rounds(const struct merge *m, const struct options *o, const char *name, struct err *why)
{
    int rc = 0;
    struct buf dir = {0}, file = {0}, to = {0};
    buf_str(&dir, path_folder(str_of(o->output)));
    for (size_t i = 0; i < m->rounds.n && rc == 0; i++) {
        const struct merge_round *r = &m->rounds.v[i];
        const struct round_place from = {.beside = o->arg[r->side], .file = r->file, .number = (uint32_t)i + 1,
                                         .fingerprint = r->fingerprint};
        struct err e = {0};
        buf_clear(&file);
        buf_fmt(&file, "%s.round-%zu" ROUND_ENDING, name, i + 1);
        path_join(&to, dir.p, file.p);
        if (round_copy(&from, to.p, &e) == 0)
            continue;
        if (e.code == ERR_OUTPUT || e.code == ERR_RESOURCE) {
            *why = e;
            rc = -1;
        } else {
            cli_fail(&e);
        }
    }
    buf_release(&dir);
    buf_release(&file);
    buf_release(&to);
    return rc;
}

/* Rounds' files are called NAME.round-N.gz in the file, as they lie beside it. */
static void name_rounds(struct investigation *v, const char *name)
{
    for (size_t i = 0; i < v->rounds.n; i++)
        v->rounds.v[i].file = arena_fmt(&v->arena, "%s.round-%zu" ROUND_ENDING, name, i + 1);
}

static int write_merged(const struct merge *m, struct investigation *v, const struct options *o, struct err *e)
{
    struct str base = path_base(str_of(o->output));
    char *name = str_dup(str_n(base.p, base.n - strlen(INVESTIGATION_ENDING)));
    struct buf b = {0};
    name_rounds(v, name);
    investigation_write(v, &b);
    int rc = carry_merged_rounds(m, o, name, e) || file_replace(o->output, buf_view(&b), e) ? -1 : 0;
    free(name);
    buf_release(&b);
    return rc;
}

static int load_investigation(struct investigation *v, const char *path, struct err *e)
{
    if (!investigation_is(path))
        return err_set(e, path_is_file(path) ? ERR_DATA : ERR_IO, _("%s: expected an investigation, a file "
                                                                    "NAME.investigation.json; compare --investigation "
                                                                    "writes one"), path);
    if (investigation_load(v, path, e))
        return -1;
    return v->read_only ? err_set(e, ERR_IO, _("%s was written by a newer version: read-only"), path) : 0;
}

/* Locks the output file before the two are read, because it may be one of them. */
static int claim_output(struct investigation *v, const struct options *o, struct err *e)
{
    if (!o->output)
        return 0;
    if (!str_ends(str_of(o->output), INVESTIGATION_ENDING))
        return err_set(e, ERR_USAGE, _("%s: expected a name that ends in .investigation.json"),
                       o->output);
    if (!path_same(o->output, o->arg[0]) && !path_same(o->output, o->arg[1]) && output_check(o->output, e))
        return -1;
    v->path = o->output;
    investigation_claim(v);
    return investigation_may_change(v, e);
}

int cli_merge(const struct options *o)
{
    struct investigation who;
    struct merge m = {.choice = o->choice, .force = o->force, .name = {o->arg[0], o->arg[1]}};
    struct buf b = {0};
    struct err e = {0};
    struct investigation file[2];
    investigation_init(&who);
    investigation_init(&file[0]);
    investigation_init(&file[1]);
    int rc = claim_output(&who, o, &e);
    for (int s = 0; s < 2 && rc == 0; s++)
        rc = load_investigation(&file[s], o->arg[s], &e);
    if (rc == 0) {
        open_investigation_sign(&who);
        m.author = who.author;
        m.time = investigation_date(&who);
        rc = merge_investigations(&m, &file[0], &file[1], &e);
    }
    if (rc == 0 && o->output)
        rc = write_merged(&m, &file[0], o, &e);
    if (rc == 0) {
        (o->json ? put_json : put_merge_text)(&m, o, &b);
        o->json ? cli_print(&b) : cli_print_clean(&b);
    }
    int status = rc ? cli_fail(&e) : m.conflicts.n && m.choice == MERGE_ASK ? EXIT_DEVIATES : EXIT_ALIGNED;
    merge_release(&m);
    investigation_release(&who);
    buf_release(&b);
    investigation_release(&file[0]);
    investigation_release(&file[1]);
    return status;
}
