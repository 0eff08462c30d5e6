/* Writes the investigation of a pack: its files are included under names of the pack, and every path is removed. */
#include <stdlib.h>

#include "base/io.h"
#include "base/msg.h"
#include "base/num.h"
#include "panel/panel_inputs.h"
#include "report/pack_parts.h"
#include "ticket/investigation_members.h"
#include "ticket/named_paths.h"

#define INPUT_MOST (4u << 20) /* bytes of a file the panels were given */
#define NAME_MOST 60

static void put_safe_name(struct buf *out, struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     (c && strchr("._-", c));
        buf_char(out, plain ? c : '_');
    }
}

/* The name of a file in the pack: its purpose, then its own name without unsafe characters. */
static const char *packed_input_name(struct arena *a, const char *what, size_t nth, const char *path)
{
    struct buf b = {0};
    struct str base = path_base(str_of(path));
    buf_fmt(&b, "inputs/%zu-", nth);
    put_safe_name(&b, str_n(what, strlen(what) > 20 ? 20 : strlen(what)));
    buf_char(&b, '-');
    put_safe_name(&b, str_cut(base, base.n > NAME_MOST ? base.n - NAME_MOST : 0));
    const char *kept = arena_cstr(a, buf_view(&b));
    buf_release(&b);
    return kept;
}

struct ticket {
    const struct pack_writing_of *of;
    struct arena *a;
    pack_input_list *inputs;
    struct pack_said *said;
};

static bool in_recording(const struct comparison *s, const char *path)
{
    char *full = path_resolve(path);
    bool is = false;
    for (int d = 0; d < 2 && full; d++) {
        const char *at = s->side[d].dump.path;
        char *own = at && path_is_dir(at) ? path_resolve(at) : NULL;
        is = is || (own && path_lies_in(str_of(full), str_of(own)));
        free(own);
    }
    free(full);
    return is;
}

/* Why the file at this path is not taken, or NULL; the size is put into `n` where it is the reason. */
static const char *input_refusal(const struct ticket *t, const char *path, char n[NUM_MAX])
{
    struct err why;
    struct file f;
    if (!named_paths_allow(t->of->inv, path) && !in_recording(t->of->s, path))
        return _("outside of the investigation's folder and not named on this machine; --allow-paths takes it");
    if (path_is_dir(path))
        return _("a folder, not packed");
    if (file_open(&f, path, &why))
        return _("cannot be read");
    bool large = f.size > INPUT_MOST;
    num_bytes(n, f.size);
    file_close(&f);
    return large ? _("too large") : NULL;
}

/* The name of the file in the pack, or NULL if it is left out, which is reported. */
static const char *pack_input_file(struct ticket *t, const char *what, const char *path)
{
    struct buf at = {0}, shown = {0};
    char n[NUM_MAX] = "";
    struct pack_input x = {NULL, NULL, NULL};
    investigation_locate(t->of->inv, path, &at);
    sanitize_path(t->of->clean, path, &shown);
    const char *why = input_refusal(t, at.p, n);
    if (why)
        vec_push(&t->said->left,
                 arena_fmt(&t->said->arena, *n ? _("%s, given as %s: %s (%s)") : _("%s, given as %s: %s"), shown.p,
                           what, why, n));
    else
        x = (struct pack_input){arena_cstr(t->a, buf_view(&at)), arena_cstr(t->a, str_of(what)),
                                packed_input_name(t->a, what, t->inputs->n + 1, path)};
    if (x.file)
        vec_push(t->inputs, x);
    buf_release(&at);
    buf_release(&shown);
    return x.file;
}

static void pack_mapping_files(struct ticket *t, struct investigation *v)
{
    size_t kept = 0;
    for (size_t i = 0; i < v->maps.n; i++) {
        const char *file = pack_input_file(t, "map", v->maps.v[i]);
        if (file)
            v->maps.v[kept++] = file;
    }
    v->maps.n = kept;
    v->known_path = v->known_path ? pack_input_file(t, "known", v->known_path) : NULL;
}

static void pack_panel_inputs(struct ticket *t, struct investigation *v)
{
    size_t kept = 0;
    for (size_t i = 0; i < v->given.n; i++) {
        struct named_text x = v->given.v[i];
        bool known = panel_input_find(str_of(x.name)) != PANEL_INPUT_COUNT;
        if (!known)
            vec_push(&t->said->left, arena_fmt(&t->said->arena, _("%s: no input of this version; its file is not read"),
                                               x.name));
        x.text = known ? pack_input_file(t, x.name, x.text) : NULL;
        if (x.text)
            v->given.v[kept++] = x;
    }
    v->given.n = kept;
}

/* Members written by a newer version are left out, because they may contain paths. */
static void drop_unknown_member(void *ctx, const struct member *m, void *x)
{
    (void)ctx;
    if (m->kind == MEMBER_REST)
        *(const char **)member_at(x, m) = NULL;
}

/* A text without the paths in it; evidence is shared with the investigation, and copied first. */
static void clean_member_paths(void *ctx, const struct member *m, void *x)
{
    const struct ticket *t = ctx;
    struct buf b = {0};
    const char **text = member_at(x, m);
    if (m->kind == MEMBER_ARRAY)
        member_copy_array(x, m, t->a);
    if (m->kind != MEMBER_TEXT || !*text)
        return;
    sanitize_text(t->of->clean, str_of(*text), SANITIZE_LINES, &b);
    *text = arena_cstr(t->a, buf_view(&b));
    buf_release(&b);
}

static void clean_texts(struct ticket *t, struct investigation *v)
{
    static const char *const keys[] = {"findings", "waived", "answers"};
    record_each(investigation_members, v, drop_unknown_member, NULL);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        const struct member one[] = {*record_member(investigation_members, keys[i]), {.key = NULL}};
        record_each(one, v, clean_member_paths, t);
    }
    v->remaps.n = 0;
}

/* A side is the folder with its name; stamps of the original files are removed. */
static void set_packed_side(struct investigation *v, int side)
{
    v->input[side] = side == GOLDEN ? "golden" : "target";
    v->full[side] = NULL;
    v->step[side] = v->rank[side] = -1;
    v->state[side] = (struct file_stamp){0};
}

void pack_ticket(const struct pack_writing_of *of, struct arena *a, pack_input_list *inputs, struct pack_said *said,
                 struct buf *out)
{
    struct ticket t = {of, a, inputs, said};
    struct investigation v;
    investigation_look(&v, of->inv);
    set_packed_side(&v, TARGET);
    set_packed_side(&v, GOLDEN);
    if (v.rounds.n)
        vec_push(&said->left, arena_cstr(&said->arena, str_of(_("earlier rounds: only the last one is packed"))));
    v.rounds.n = 0;
    pack_mapping_files(&t, &v);
    pack_panel_inputs(&t, &v);
    if (!of->paths)
        clean_texts(&t, &v);
    investigation_write(&v, out);
    investigation_look_end(&v);
    said->inputs = inputs->n;
}
