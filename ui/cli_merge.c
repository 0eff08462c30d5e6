/* diverge merge: two people's investigations of one ticket. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json_write.h"
#include "base/msg.h"
#include "base/json_read.h"
#include "ui/cli.h"
#include "ui/open_investigation.h"

#define LARGEST (256u << 20)
#define ENDING ".investigation.json"

static void put_json(const struct merge *m, const struct options *o, struct buf *b)
{
    static const char *const choices[] = {"ask", "ours", "theirs"};
    struct jsonw w;
    jw_init(&w, b, true);
    jw_object(&w);
    jw_kint(&w, "schema", 1);
    jw_kcstr(&w, "tool", TOOL);
    jw_kcstr(&w, "ours", o->arg[0]);
    jw_kcstr(&w, "theirs", o->arg[1]);
    jw_kcstr(&w, "written", o->output);
    jw_kcstr(&w, "choice", choices[m->choice]);
    jw_kint(&w, "same", (int64_t)m->same);
    jw_key(&w, "added");
    jw_array(&w);
    for (size_t i = 0; i < m->added.n; i++) {
        jw_object(&w);
        jw_kcstr(&w, "what", m->added.v[i].what);
        jw_kcstr(&w, "about", m->added.v[i].about);
        jw_kcstr(&w, "text", m->added.v[i].side[1]);
        jw_end_object(&w);
    }
    jw_end_array(&w);
    jw_key(&w, "conflicts");
    jw_array(&w);
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

static void put_text(const struct merge *m, const struct options *o, struct buf *b)
{
    for (size_t i = 0; i < m->added.n; i++)
        buf_fmt(b, "+ %-15s %s%s%s\n", m->added.v[i].what, m->added.v[i].about, *m->added.v[i].side[1] ? ": " : "", m->added.v[i].side[1]);
    for (size_t i = 0; i < m->conflicts.n; i++) {
        const struct merge_item *c = &m->conflicts.v[i];
        bool theirs = m->choice == MERGE_THEIRS;
        buf_fmt(b, "! %-15s %s\n", c->what, c->about);
        for (int s = 0; s < 2; s++)
            buf_fmt(b, "    %s %s: %s\n", theirs == s ? "*" : " ", o->arg[s], c->side[s]);
    }
    buf_fmt(b, _("added %zu, the same %zu, conflicts %zu\n"), m->added.n, m->same, m->conflicts.n);
    if (!o->output)
        buf_cstr(b, _("nothing is written without -o FILE\n"));
    else if (m->conflicts.n && m->choice == MERGE_ASK)
        buf_cstr(b, _("what is marked * is kept; the other side is noted as a finding tagged #conflict. --ours or --theirs decides\n"));
}

/* The rounds' files go with it, named after it. One that is not there any more, or not the one, is told of: what was judged
 * in that round is lost then, the rest is not. */
static void carry_rounds(const struct merge *m, const struct options *o, const char *name)
{
    struct str folder = path_parent(str_of(o->output));
    struct buf dir = {0}, file = {0}, to = {0};
    buf_str(&dir, folder.n ? folder : o->output[0] == '/' ? STR("/") : STR("."));
    for (size_t i = 0; i < m->rounds.n; i++) {
        const struct merge_round *r = &m->rounds.v[i];
        struct round_place from = {.beside = o->arg[r->side], .file = r->file, .number = (uint32_t)i + 1};
        unsigned long long fingerprint = 0;
        struct err e = {0};
        sscanf(r->fingerprint, "%16llx", &fingerprint);
        from.fingerprint = fingerprint;
        buf_clear(&file);
        buf_fmt(&file, "%s.round-%zu" ROUND_ENDING, name, i + 1);
        path_join(&to, dir.p, file.p);
        if (round_copy(&from, to.p, &e))
            cli_fail(&e);
    }
    buf_release(&dir);
    buf_release(&file);
    buf_release(&to);
}

/* Into the file named with -o, unless somebody has it open. */
static int write_merged(const struct merge *m, cJSON *root, const struct options *o, struct err *e)
{
    const char *path = o->output;
    struct str base = path_base(str_of(path));
    char *name = str_dup(str_n(base.p, base.n - strlen(ENDING)));
    struct investigation claim;
    investigation_init(&claim);
    claim.path = path;
    investigation_claim(&claim);
    merge_name_rounds(root, name);
    char *text = cJSON_Print(root);
    struct buf b = {0};
    buf_cstr(&b, text ? text : "");
    buf_char(&b, '\n');
    int rc = open_investigation_writable(&claim, e);
    if (rc == 0)
        carry_rounds(m, o, name);
    rc = rc || file_replace(path, buf_view(&b), e) ? -1 : 0;
    cJSON_free(text);
    free(name);
    buf_release(&b);
    investigation_release(&claim);
    return rc;
}

static cJSON *load(const char *path, struct err *e)
{
    if (!investigation_is(path)) {
        err_set(e, path_is_file(path) ? ERR_DATA : ERR_IO, _("%s: an investigation was expected, a file NAME.investigation.json; compare --investigation writes one"), path);
        return NULL;
    }
    cJSON *root = json_load(path, LARGEST, e);
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(root, "schema");
    if (root && cJSON_IsNumber(schema) && schema->valueint > 1) {
        err_set(e, ERR_IO, _("%s was written by a newer version: it is not changed"), path);
        cJSON_Delete(root);
        return NULL;
    }
    return root;
}

int cli_merge(const struct options *o)
{
    struct investigation who = {.lock = -1};
    struct merge m = {.choice = o->choice, .force = o->force, .name = {o->arg[0], o->arg[1]}};
    struct buf b = {0};
    struct err e = {0};
    cJSON *file[2] = {NULL, NULL};
    int rc = 0;
    if (o->output && !str_ends(str_of(o->output), ENDING))
        rc = err_set(&e, ERR_USAGE, _("%s: an investigation's name ends in .investigation.json"), o->output);
    for (int s = 0; s < 2 && rc == 0; s++)
        rc = (file[s] = load(o->arg[s], &e)) ? 0 : -1;
    if (rc == 0) {
        investigation_init(&who);
        open_investigation_sign(&who);
        m.author = who.author;
        m.time = investigation_date(&who);
        rc = merge_investigations(&m, file[0], file[1], &e);
    }
    if (rc == 0 && o->output)
        rc = write_merged(&m, file[0], o, &e);
    if (rc == 0) {
        (o->json ? put_json : put_text)(&m, o, &b);
        o->json ? cli_print(&b) : cli_print_clean(&b);
    }
    int status = rc ? cli_fail(&e) : m.conflicts.n && m.choice == MERGE_ASK ? EXIT_DEVIATES : EXIT_ALIGNED;
    merge_release(&m);
    investigation_release(&who);
    buf_release(&b);
    cJSON_Delete(file[0]);
    cJSON_Delete(file[1]);
    return status;
}
