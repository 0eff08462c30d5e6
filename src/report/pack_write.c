/* Writes a pack: investigation, rows, tensors, report and replay scripts in one archive. */
#include "report/pack_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/checksum_range.h"
#include "base/json_write.h"
#include "base/msg.h"
#include "base/tar.h"
#include "base/tool.h"
#include "base/zstd.h"
#include "fmt/pack_read.h"
#include "report/formats.h"
#include "report/pack_parts.h"
#include "report/replay_script.h"
#include "ticket/named_paths.h"

#define CHUNK (1u << 20)

static const char *const side_folder[] = {"target", "golden"};

/* A file of the pack, for the lists of checksums. */
struct pack_written {
    char *name; /* owned */
    uint64_t size;
    uint32_t crc;
};

struct pack_writing {
    const struct comparison *s;
    const struct pack_options *o;
    struct pack_said *said;
    struct pack_choice choice;
    pack_input_list inputs;
    struct sanitize clean;
    struct zst_writer zst;
    struct buf b;     /* of the file being made */
    struct buf head;
    const struct procedure *guide; /* the panels for the report, or NULL */
    char id[20];
    VEC(struct pack_written) written;
};

static void begin_file(struct pack_writing *p, const char *name, uint64_t size)
{
    struct pack_written x = {.name = mem_strdup(name), .size = size};
    vec_push(&p->written, x);
    buf_clear(&p->head);
    tar_head(&p->head, name, size, p->o->date);
    zst_write(&p->zst, p->head.p, p->head.n);
}

static void pack_bytes(struct pack_writing *p, const void *bytes, size_t n)
{
    struct pack_written *x = vec_last(&p->written);
    x->crc = crc_of(x->crc, bytes, n);
    zst_write(&p->zst, bytes, n);
}

static void end_file(struct pack_writing *p)
{
    buf_clear(&p->head);
    tar_fill(&p->head, vec_last(&p->written)->size);
    zst_write(&p->zst, p->head.p, p->head.n);
}

static void pack_file(struct pack_writing *p, const char *name, struct str content)
{
    begin_file(p, name, content.n);
    pack_bytes(p, content.p, content.n);
    end_file(p);
}

/* What has gathered in p->b. */
static void add_text(struct pack_writing *p, const char *name)
{
    pack_file(p, name, buf_view(&p->b));
    buf_clear(&p->b);
}

static int add_report(struct pack_writing *p, const char *name, struct err *e)
{
    struct report_options ro = {.rows = ROWS_NONE, .inv = p->o->inv, .guide = p->guide,
                                .date = p->o->date, .paths = p->o->paths};
    struct out out;
    out_memory(&out);
    writer_for(name)->report(&out, p->s, &ro);
    buf_str(&p->b, buf_view(&out.buf));
    if (out_close(&out, e))
        return -1;
    add_text(p, name);
    return 0;
}

/* A list of its contents, for people and for programs that do not open it. */
static void pack_contents_list(struct pack_writing *p)
{
    const struct pack_said *x = p->said;
    struct jsonw w;
    jw_init(&w, &p->b, true);
    jw_object(&w);
    jw_kint(&w, "pack", PACK_VERSION);
    jw_kcstr(&w, "tool", TOOL);
    jw_kint(&w, "date", p->o->date);
    jw_kcstr(&w, "id", p->id);
    jw_kint(&w, "rows", (int64_t)x->rows);
    jw_kint(&w, "of", (int64_t)x->of);
    jw_karray(&w, "tensors");
    struct buf name = {0};
    for (size_t i = 0; i < p->choice.tensors.n; i++) {
        const struct pack_tensor *t = &p->choice.tensors.v[i];
        dump_row_name(&p->s->side[t->side].dump, t->row, &name);
        jw_object(&w);
        jw_kcstr(&w, "side", side_folder[t->side]);
        jw_kstr(&w, "row", buf_view(&name));
        jw_kcstr(&w, "file", t->file);
        jw_kint(&w, "bytes", (int64_t)t->bytes);
        jw_end_object(&w);
    }
    buf_release(&name);
    jw_end_array(&w);
    jw_karray(&w, "files");
    for (size_t i = 0; i < p->inputs.n; i++) {
        jw_object(&w);
        jw_kcstr(&w, "file", p->inputs.v[i].file);
        jw_kcstr(&w, "as", p->inputs.v[i].what);
        jw_end_object(&w);
    }
    jw_end_array(&w);
    jw_kcstrs(&w, "left_out", x->left.v, x->left.n);
    jw_end_object(&w);
    buf_char(&p->b, '\n');
    add_text(p, "pack.json");
}

static int pack_add_tensor(struct pack_writing *p, const struct pack_tensor *x, struct err *e)
{
    struct tensor t;
    struct tensor_walk walk;
    struct buf name = {0};
    if (dump_tensor(&p->s->side[x->side].dump, x->row, &t, e))
        return -1;
    size_t each = dtype_table[t.dtype].size, n = CHUNK / each;
    uint64_t done = 0, data = t.numel * each;
    char *room = mem_alloc(CHUNK);
    long got;
    buf_fmt(&name, "%s/%s", side_folder[x->side], x->file);
    pack_npy_head(&t, &p->b);
    begin_file(p, name.p, p->b.n + data);
    pack_bytes(p, p->b.p, p->b.n);
    tensor_walk_init(&walk, &t);
    while ((got = tensor_walk_next(&walk, room, n, e)) > 0) {
        pack_bytes(p, room, (size_t)got * each);
        done += (uint64_t)got * each;
    }
    tensor_walk_release(&walk);
    if (got == 0 && done != data)
        got = err_set(e, ERR_DATA, _("%s: the file has fewer elements than the shape"), t.file.name);
    end_file(p);
    buf_clear(&p->b);
    tensor_close(&t);
    buf_release(&name);
    free(room);
    return got < 0 ? -1 : 0;
}

static int add_inputs(struct pack_writing *p, struct err *e)
{
    for (size_t i = 0; i < p->inputs.n; i++) {
        if (file_slurp(p->inputs.v[i].path, SIZE_MAX / 4, &p->b, e))
            return -1;
        add_text(p, p->inputs.v[i].file);
    }
    return 0;
}

/* From replay/ the tensors lie one folder up. */
static const char *pack_tensor_path(void *ctx, int side, uint32_t row, struct arena *a)
{
    const struct pack_tensor *t = pack_tensor_of(ctx, side, row);
    return t ? arena_fmt(a, "../%s/%s", side_folder[side], t->file) : NULL;
}

/* One script a call, however many findings are about it. */
static void add_replays(struct pack_writing *p)
{
    const struct pairing *all = p->s->pairing;
    struct replay_options o = {.file = pack_tensor_path, .ctx = &p->choice, .framework = REPLAY_TORCH};
    struct nmap seen = {0};
    struct buf name = {0};
    for (size_t i = 0; i < p->choice.told.n; i++) {
        const struct line *l = &all->lines.v[p->choice.told.v[i]];
        int side = l->row[TARGET] == NONE ? GOLDEN : TARGET;
        uint64_t key = (uint64_t)side << 32 | p->s->side[side].dump.rows.v[l->row[side]].call;
        if (nmap_get(&seen, key) != MAP_NONE)
            continue;
        nmap_set(&seen, key, 1);
        replay_script(p->s, p->choice.told.v[i], &o, &p->b);
        buf_clear(&name);
        buf_fmt(&name, "replay/%03zu.py", ++p->said->scripts);
        add_text(p, name.p);
    }
    nmap_release(&seen);
    buf_release(&name);
}

/* The files that are taken, for people. */
static void list_packed_inputs(struct pack_writing *p)
{
    for (size_t i = 0; i < p->inputs.n; i++)
        vec_push(&p->said->files, arena_fmt(&p->said->arena, _("%s, given as %s: %s"), p->inputs.v[i].path,
                                            p->inputs.v[i].what, p->inputs.v[i].file));
}

/* Whether the panels' pages hold something of files that the investigation's user did not name. */
static bool pages_of_others(const struct pack_options *o)
{
    struct buf at = {0};
    bool is = false;
    for (size_t i = 0; i < o->inv->given.n && o->guide; i++) {
        investigation_locate(o->inv, o->inv->given.v[i].text, &at);
        is = is || ((path_is_file(at.p) || path_is_dir(at.p)) && !named_paths_allow(o->inv, at.p));
    }
    buf_release(&at);
    return is;
}

/* The part of a name behind a side's folder; NULL if it does not lie in it. */
static const char *path_in_folder(const char *name, const char *folder)
{
    size_t n = strlen(folder);
    return strncmp(name, folder, n) == 0 && name[n] == '/' ? name + n + 1 : NULL;
}

/* The list of one side's files, or (side 2) of those that lie in neither. */
static void add_checksums(struct pack_writing *p, int side)
{
    struct buf name = {0};
    size_t n = p->written.n;
    for (size_t i = 0; i < n; i++) {
        const struct pack_written *x = &p->written.v[i];
        const char *in[] = {path_in_folder(x->name, side_folder[0]), path_in_folder(x->name, side_folder[1])};
        const char *own = side < 2 ? in[side] : in[0] || in[1] ? NULL : x->name;
        if (own)
            buf_fmt(&p->b, "%08" PRIx32 " %llu %s\n", x->crc, (unsigned long long)x->size, own);
    }
    buf_fmt(&p->b, "end %08" PRIx32 "\n", crc_of(0, p->b.p, p->b.n));
    if (side < 2)
        buf_fmt(&name, "%s/", side_folder[side]);
    buf_cstr(&name, PACK_CHECKSUMS);
    add_text(p, name.p);
    buf_release(&name);
}

static int pack_everything(struct pack_writing *p, struct err *e)
{
    struct buf ticket = {0}, name = {0};
    struct arena a = {0};
    const struct pack_writing_of of = {p->s, p->o->inv, &p->clean, p->o->paths};
    pack_ticket(&of, &a, &p->inputs, p->said, &ticket);
    list_packed_inputs(p);
    pack_contents_list(p);
    pack_file(p, "ticket.investigation.json", buf_view(&ticket));
    int rc = add_report(p, "report.html", e) || add_report(p, "report.md", e);
    for (int d = 0; rc == 0 && d < 2; d++) {
        pack_rows(&p->choice, d, p->id, &p->clean, &p->b);
        buf_clear(&name);
        buf_fmt(&name, "%s/%s", side_folder[d], PACK_ROWS);
        add_text(p, name.p);
        if (d == TARGET) {
            pack_pairs(&p->choice, &p->b);
            add_text(p, "target/" PACK_PAIRS);
        }
        for (size_t i = 0; rc == 0 && i < p->choice.tensors.n; i++)
            if (p->choice.tensors.v[i].side == d)
                rc = pack_add_tensor(p, &p->choice.tensors.v[i], e);
    }
    if (rc == 0) {
        add_replays(p);
        rc = add_inputs(p, e);
    }
    for (int s = 0; rc == 0 && s <= 2; s++)
        add_checksums(p, s);
    buf_release(&ticket);
    buf_release(&name);
    vec_release(&p->inputs);
    arena_release(&a);
    return rc ? -1 : 0;
}

static int check_packable(const char *path, const struct comparison *s, struct err *e)
{
    if (s->single || !s->judged)
        return err_set(e, ERR_USAGE, "%s", _("one side only: a pack needs a comparison of two sides"));
    if (s->tabled)
        return err_set(e, ERR_USAGE, "%s", _("a result table cannot be packed: send the file itself"));
    if (str_ends(str_of(path), ".tar") || (str_ends(str_of(path), ".tar.zst") && zst_there()))
        return 0;
    return err_set(e, ERR_USAGE, zst_there() ? _("%s: expected a name that ends in .tar.zst or .tar")
                                             : _("%s: built without zstd: expected a name that ends in .tar"), path);
}

int pack_write(const char *path, const struct comparison *s, const struct pack_options *o, struct pack_said *said,
               struct err *e)
{
    struct pack_writing p = {.s = s, .o = o, .said = said};
    struct out out;
    *said = (struct pack_said){0};
    if (check_packable(path, s, e) || out_file(&out, path, e))
        return -1;
    p.guide = pages_of_others(o) ? NULL : o->guide;
    if (o->guide && !p.guide)
        vec_push(&said->left, arena_cstr(&said->arena, str_of(_("the panels' pages: they show files that were not "
                                                                "named on this machine"))));
    snprintf(p.id, sizeof p.id, "%016llx",
             (unsigned long long)(dump_fingerprint(&s->side[0].dump) * 31 + dump_fingerprint(&s->side[1].dump)));
    sanitize_init(&p.clean, s->side[TARGET].dump.path, s->side[GOLDEN].dump.path, o->paths);
    int rc = zst_write_begin(&p.zst, &out, str_ends(str_of(path), ".zst"), e);
    if (rc == 0) {
        pack_choose(&p.choice, s, o, said);
        rc = pack_everything(&p, e);
        buf_clear(&p.head);
        tar_end(&p.head);
        zst_write(&p.zst, p.head.p, p.head.n);
        zst_write_end(&p.zst);
        pack_choice_release(&p.choice);
    }
    if (rc)
        out.err = *e; /* nothing of it stays */
    rc = out_close(&out, e);
    sanitize_release(&p.clean);
    for (size_t i = 0; i < p.written.n; i++)
        free(p.written.v[i].name);
    vec_release(&p.written);
    buf_release(&p.b);
    buf_release(&p.head);
    return rc;
}

void pack_files(const struct comparison *s, const struct investigation *inv, struct pack_said *said)
{
    struct pack_writing p = {.s = s, .said = said};
    struct buf unused = {0};
    struct arena a = {0};
    *said = (struct pack_said){0};
    sanitize_init(&p.clean, s->side[TARGET].dump.path, s->side[GOLDEN].dump.path, true);
    pack_ticket(&(const struct pack_writing_of){s, inv, &p.clean, true}, &a, &p.inputs, said, &unused);
    list_packed_inputs(&p);
    sanitize_release(&p.clean);
    vec_release(&p.inputs);
    arena_release(&a);
    buf_release(&unused);
}

void pack_said_release(struct pack_said *said)
{
    vec_release(&said->files);
    vec_release(&said->left);
    arena_release(&said->arena);
}
