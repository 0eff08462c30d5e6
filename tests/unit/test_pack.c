/* Packs: the archive's own layer, what a hostile one is refused for, and that a comparison opened from a pack is the
 * one that was packed: pairs, verdicts, figures, stacks, the first deviation and what it looks like. */
#include "support.h"

#include <math.h>
#include <sys/stat.h>

#include "base/file_write.h"
#include "base/io.h"
#include "base/tar.h"
#include "base/zstd.h"
#include "judge/verdict_text.h"
#include "diagnose/diagnose.h"
#include "judge/packed_verdicts.h"
#include "fmt/pack_read.h"
#include "report/pack_write.h"
#include "sessions.h"

/* ---- archives ---- */

static void names(void **state)
{
    static const struct {
        const char *name;
        bool ok;
    } all[] = {{"a", true},
               {"a/b.npy", true},
               {"target/000001.npy", true},
               {"", false},
               {"/a", false},
               {"../a", false},
               {"a/../b", false},
               {"a/..", false},
               {".", false},
               {"a//b", false},
               {"a\\b", false},
               {"a\nb", false},
               {"a\x1b[2J", false},
               {"\xc3\xa9", false},
               {"1/2/3/4/5/6/7/8", true},
               {"1/2/3/4/5/6/7/8/9", false},
               {"..a", true}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (tar_name_ok(all[i].name) != all[i].ok)
            fail_msg("%s", all[i].name);
}

static void headers(void **state)
{
    struct buf b = {0};
    struct tar_entry x;
    struct err e = {0};
    (void)state;
    tar_head(&b, "a/b.txt", 12345, 1700000000);
    assert_int_equal(b.n, TAR_BLOCK);
    assert_int_equal(tar_read((unsigned char *)b.p, &x, "t", 0, &e), 1);
    assert_string_equal(x.name, "a/b.txt");
    assert_int_equal(x.size, 12345);
    assert_int_equal(x.kind, TAR_FILE);
    b.p[3] ^= 1;
    assert_int_equal(tar_read((unsigned char *)b.p, &x, "t", 1024, &e), -1);
    assert_non_null(strstr(e.text, "t: byte 1024"));
    buf_clear(&b);
    tar_fill(&b, 513);
    assert_int_equal(b.n, 511);
    buf_clear(&b);
    tar_fill(&b, 1024);
    assert_int_equal(b.n, 0);
    tar_end(&b);
    assert_int_equal(tar_read((unsigned char *)b.p, &x, "t", 0, &e), 0);
    buf_release(&b);
}

static void streams(void **state)
{
    char path[300], in[5000], out[5000];
    struct out o;
    struct zst_writer w;
    struct zst_reader r;
    struct err e = {0};
    (void)state;
    snprintf(path, sizeof path, "%s/s", scratch());
    for (int compress = 0; compress <= (int)zst_there(); compress++) {
        assert_int_equal(out_file(&o, path, &e), 0);
        assert_int_equal(zst_write_begin(&w, &o, compress, &e), 0);
        for (int i = 0; i < 100; i++) {
            memset(in, i, sizeof in);
            zst_write(&w, in, sizeof in);
        }
        zst_write_end(&w);
        assert_int_equal(out_close(&o, &e), 0);
        assert_int_equal(zst_read_begin(&r, path, &e), 0);
        for (int i = 0; i < 100; i++) {
            memset(in, i, sizeof in);
            assert_int_equal(zst_read(&r, out, sizeof out, &e), 0);
            assert_memory_equal(in, out, sizeof in);
        }
        assert_int_equal(zst_read(&r, out, 1, &e), 1);
        zst_read_end(&r);
    }
    if (!zst_there())
        return;
    struct buf b = {0};
    assert_int_equal(file_slurp(path, 1 << 20, &b, &e), 0);
    assert_int_equal(file_replace(path, str_n(b.p, b.n - 3), &e), 0);
    assert_int_equal(zst_read_begin(&r, path, &e), 0);
    int rc = 0;
    while (rc == 0)
        rc = zst_read(&r, out, 4096, &e);
    assert_int_equal(rc, -1);
    assert_non_null(strstr(e.text, path));
    zst_read_end(&r);
    buf_release(&b);
}

/* ---- hostile ones ---- */

static void entry(struct buf *b, const char *name, const char *content)
{
    tar_head(b, name, strlen(content), 0);
    buf_cstr(b, content);
    tar_fill(b, strlen(content));
}

/* The newest header again, with another type or size. */
static void change(struct buf *b, size_t at, char type, const char *size)
{
    unsigned char *h = (unsigned char *)b->p + at;
    unsigned sum = 0;
    h[156] = (unsigned char)type;
    if (size)
        memcpy(h + 124, size, 12);
    memset(h + 148, ' ', 8);
    for (int i = 0; i < TAR_BLOCK; i++)
        sum += h[i];
    snprintf((char *)h + 148, 8, "%06o", sum);
}

static const char *unpacked(struct buf *b, uint64_t room, struct err *e)
{
    static char dir[300], path[400];
    snprintf(dir, sizeof dir, "%s", scratch());
    snprintf(path, sizeof path, "%s.tar", dir);
    struct err quiet;
    assert_int_equal(file_replace(path, buf_view(b), &quiet), 0);
    int rc = pack_unpack(path, dir, room, e);
    buf_clear(b);
    remove(path);
    return rc ? NULL : dir;
}

static void refuses(struct buf *b, const char *why)
{
    struct err e = {0};
    if (unpacked(b, 1 << 20, &e))
        fail_msg("taken: %s", why);
    if (!strstr(e.text, why))
        fail_msg("%s: %s", why, e.text);
}

/* Compresses it and drops its last bytes. */
static void compress_and_cut(struct buf *b, size_t cut)
{
    char path[300];
    struct out o;
    struct zst_writer w;
    struct err e = {0};
    snprintf(path, sizeof path, "%s.zst", scratch());
    assert_int_equal(out_file(&o, path, &e), 0);
    assert_int_equal(zst_write_begin(&w, &o, true, &e), 0);
    zst_write(&w, b->p, b->n);
    zst_write_end(&w);
    assert_int_equal(out_close(&o, &e), 0);
    buf_clear(b);
    assert_int_equal(file_slurp(path, 1 << 20, b, &e), 0);
    b->n -= cut;
    remove(path);
}

static void hostile(void **state)
{
    static const char *const bad[] = {"/etc/x", "../x", "a/../../x", "a\nb"};
    struct buf b = {0};
    struct err e = {0};
    struct stat st;
    char path[400];
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        entry(&b, bad[i], "x");
        tar_end(&b);
        refuses(&b, "leads outside the pack");
    }
    for (const char *t = "12346"; *t; t++) { /* links, devices, a pipe */
        entry(&b, "a", "");
        change(&b, 0, *t, NULL);
        tar_end(&b);
        refuses(&b, "is not a regular file");
    }
    entry(&b, "a", "1");
    entry(&b, "a", "2");
    tar_end(&b);
    refuses(&b, "occurs twice");
    entry(&b, "a", "1");
    refuses(&b, "the end of the archive is missing");
    entry(&b, "a", "1");
    b.n = 600;
    refuses(&b, "end of file");
    for (size_t cut = 1; zst_there() && cut <= 4; cut++) { /* of the stream's checksum */
        entry(&b, "a", "1");
        tar_end(&b);
        compress_and_cut(&b, cut);
        refuses(&b, "the compressed data ends early");
    }
    entry(&b, "a", "1");
    tar_end(&b);
    entry(&b, "b", "2");
    refuses(&b, "more bytes follow");
    entry(&b, "a", "1");
    change(&b, 0, '0', "77777777777");
    tar_end(&b);
    refuses(&b, "unpacked size above");
    entry(&b, "x", "20 path=../../evil\n");
    change(&b, 0, 'x', NULL);
    tar_end(&b);
    refuses(&b, "changes a name");
    buf_cstr(&b, "no archive at all, but long enough to be read as a block");
    while (b.n < 2 * TAR_BLOCK)
        buf_char(&b, 'x');
    refuses(&b, "tar header");
    entry(&b, "x", "20 mtime=1700000000.5\n"); /* what other tools add and does no harm */
    change(&b, 0, 'x', NULL);
    entry(&b, "./d/a", "1");
    tar_end(&b);
    const char *dir = unpacked(&b, 1 << 20, &e);
    assert_non_null(dir);
    snprintf(path, sizeof path, "%s/d/a", dir);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 077, 0);
    buf_release(&b);
}

/* ---- a comparison from a pack ---- */

struct trip {
    struct session *s, *p; /* the original, and from the pack */
    struct pack_said said;
    struct investigation inv;
    char tar[320], dir[300];
};

static void pack(struct trip *t, const char *target, const char *golden, const char *about, struct pack_options o)
{
    struct err e = {0};
    memset(t, 0, sizeof *t);
    t->s = open_paths(target, golden);
    investigation_init(&t->inv);
    t->inv.input[0] = target;
    t->inv.input[1] = golden;
    if (about)
        findings_add(&t->inv.findings, (struct finding){.number = 1,
                                                        .step = 1,
                                                        .place = 1,
                                                        .text = "in /home/li/notes/a.txt",
                                                        .author = "li",
                                                        .about = {about, ""}});
    o.inv = &t->inv;
    o.date = 1700000000;
    snprintf(t->dir, sizeof t->dir, "%s", scratch());
    snprintf(t->tar, sizeof t->tar, "%s.tar%s", t->dir, zst_there() ? ".zst" : "");
    if (pack_write(t->tar, t->s->now, &o, &t->said, &e) || pack_unpack(t->tar, t->dir, 1 << 26, &e))
        fail_msg("%s", e.text);
    char side[2][320];
    for (int d = 0; d < 2; d++)
        snprintf(side[d], sizeof side[d], "%s/%s", t->dir, d ? "golden" : "target");
    t->p = open_paths(strdup(side[0]), strdup(side[1]));
}

static void unpack(struct trip *t)
{
    free((char *)t->p->opt.of.path[0]);
    free((char *)t->p->opt.of.path[1]);
    shut(t->s);
    shut(t->p);
    pack_said_release(&t->said);
    t->inv.path = NULL;
    investigation_release(&t->inv);
}

static void name_of(const struct session *s, uint32_t line, int side, struct buf *out)
{
    uint32_t r = s->now->pairing->lines.v[line].row[side];
    buf_clear(out);
    buf_cstr(out, "");
    if (r != NONE)
        dump_row_name(&s->now->side[side].dump, r, out);
}

static void same_stack(const struct dump *a, uint32_t row_a, const struct dump *b, uint32_t row_b)
{
    uint32_t x = dump_call_stack(a, a->rows.v[row_a].call, NULL), y = dump_call_stack(b, b->rows.v[row_b].call, NULL);
    assert_int_equal(x == NONE, y == NONE);
    if (x == NONE)
        return;
    assert_int_equal(a->stacks.v[x].n, b->stacks.v[y].n);
    for (uint32_t i = 0; i < a->stacks.v[x].n; i++) {
        const struct frame *f = &a->frames.v[a->stack_frames.v[a->stacks.v[x].first + i]],
                           *g = &b->frames.v[b->stack_frames.v[b->stacks.v[y].first + i]];
        assert_int_equal(f->line, g->line);
        assert_string_equal(f->func, g->func);
        assert_string_equal(f->code, g->code);
        assert_true(str_eq(path_base(str_of(f->file)), path_base(str_of(g->file))));
    }
}

static void same_float(float a, float b)
{
    assert_memory_equal(&a, &b, isnan(a) && isnan(b) ? 0 : sizeof a);
}

/* Line k of the pack is that of the original with the same two rows. */
static void same_line(const struct trip *t, uint32_t i, uint32_t k)
{
    const struct session *s = t->s, *p = t->p;
    const struct line *x = &s->now->pairing->lines.v[i], *y = &p->now->pairing->lines.v[k];
    const struct line_judgement *a = &s->now->judged->line[i], *b = &p->now->judged->line[k];
    struct buf v = {0}, w = {0};
    assert_int_equal(a->verdict, b->verdict);
    assert_int_equal(a->rule, b->rule);
    assert_int_equal(a->flags, b->flags);
    same_float(a->error, b->error);
    same_float(a->limit, b->limit);
    same_float(a->level, b->level);
    same_float(a->kappa, b->kappa);
    assert_int_equal(a->was, b->was);
    if (x->pair != NONE) {
        const struct pair *q = &s->now->pairing->pairs.v[x->pair], *r = &p->now->pairing->pairs.v[y->pair];
        assert_int_equal(q->origin, r->origin);
        assert_int_equal(q->why, r->why);
        same_float(q->confidence, r->confidence);
    }
    const struct figures *f = s->now->measure.figures ? s->now->measure.figures[i] : NULL,
                         *g = p->now->measure.figures ? p->now->measure.figures[k] : NULL;
    assert_int_equal(f != NULL, g != NULL);
    if (f) {
        assert_int_equal(f->two, g->two);
        if (f->two)
            assert_memory_equal(&f->cosine, &g->cosine, 7 * sizeof(double));
        assert_int_equal(f->max_abs_at, g->max_abs_at);
        const struct view *m = measure_view(&s->now->measure, i), *n = measure_view(&p->now->measure, k);
        assert_int_equal(m != NULL && m->count, n != NULL && n->count);
        if (m && m->count) {
            view_write(m, &v);
            view_write(n, &w);
            assert_string_equal(v.p, w.p);
        }
    }
    buf_release(&v);
    buf_release(&w);
    for (int d = 0; d < 2; d++)
        if (x->row[d] != NONE)
            same_stack(&s->now->side[d].dump, x->row[d], &p->now->side[d].dump, y->row[d]);
}

static void same_first(const struct trip *t)
{
    const struct judgement *a = t->s->now->judged, *b = t->p->now->judged;
    struct buf x = {0}, y = {0};
    struct diagnoses l[2];
    assert_int_equal(a->first == NONE, b->first == NONE);
    if (a->first == NONE)
        return;
    for (int d = 0; d < 2; d++) {
        name_of(t->s, a->first, d, &x);
        name_of(t->p, b->first, d, &y);
        assert_string_equal(x.p, y.p);
    }
    assert_int_equal(a->first_class, b->first_class);
    assert_int_equal(a->doubtful_before, b->doubtful_before);
    assert_int_equal(a->gaps_before, b->gaps_before);
    diagnose_line(&l[0], a, &t->s->now->measure, t->s->now->flow, a->first);
    diagnose_line(&l[1], b, &t->p->now->measure, t->p->now->flow, b->first);
    assert_int_equal(l[0].n, l[1].n);
    for (int i = 0; i < l[0].n; i++) {
        buf_clear(&x);
        buf_clear(&y);
        diagnosis_text(&l[0], i, &x);
        diagnosis_text(&l[1], i, &y);
        assert_string_equal(x.p, y.p);
    }
    diagnoses_release(&l[0]);
    diagnoses_release(&l[1]);
    buf_clear(&x);
    explain_verdict(b, &t->p->now->measure, b->first, &x);
    assert_non_null(strstr(x.p, "from the pack"));
    buf_release(&x);
    buf_release(&y);
}

static const struct {
    const char *target, *golden, *about;
} pairs[] = {
    {"tt_rope/target", "tt_rope/bench", "Functional.linear.3.forward.output.0"},
    {"llama_rope/ms", "llama_rope/torch", NULL},
    {"tt_bf16/target", "tt_bf16/bench", NULL},
    {"tt_nan_mask/target", "tt_nan_mask/bench", NULL},
    {"tt_backward/target", "tt_backward/bench", NULL},
    {"clean_md5/ms", "clean_md5/torch", NULL},
    {"overflow_stat/ms", "overflow_stat/torch", NULL},
    {"llama_weight/ms", "llama_weight/torch", NULL},
};

static void all_is_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        struct trip t;
        pack(&t, sample(pairs[i].target), sample(pairs[i].golden), pairs[i].about,
             (struct pack_options){.limit = PACK_LIMIT});
        assert_int_equal(t.said.rows, t.said.of);
        assert_int_equal(t.said.left.n, 0);
        assert_int_equal(t.s->now->pairing->lines.n, t.p->now->pairing->lines.n);
        for (uint32_t k = 0; k < t.s->now->pairing->lines.n; k++)
            same_line(&t, k, k);
        same_first(&t);
        assert_memory_equal(t.s->now->judged->sum.by, t.p->now->judged->sum.by, sizeof t.s->now->judged->sum.by);
        assert_int_equal(t.s->now->judged->sum.covered[0], t.p->now->judged->sum.covered[0]);
        unpack(&t);
    }
}

/* Of a large dump what lies around: every row that is there is as it was. */
static void a_part_is_there(void **state)
{
    struct buf x = {0}, y = {0};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        struct trip t;
        pack(&t, sample(pairs[i].target), sample(pairs[i].golden), pairs[i].about,
             (struct pack_options){.limit = PACK_LIMIT, .all_rows = 1});
        if (t.s->now->judged->first == NONE) {
            assert_int_equal(t.said.rows, 0);
            unpack(&t);
            continue;
        }
        assert_true(t.said.rows < t.said.of && t.said.rows > 40);
        uint32_t at = 0, near = 0;
        for (uint32_t k = 0; k < t.p->now->pairing->lines.n; k++) {
            for (;; at++) {
                assert_true(at < t.s->now->pairing->lines.n);
                bool same = true;
                for (int d = 0; d < 2; d++) {
                    name_of(t.s, at, d, &x);
                    name_of(t.p, k, d, &y);
                    same = same && strcmp(x.p, y.p) == 0;
                }
                if (same)
                    break;
            }
            same_line(&t, at, k);
            near += at + 20 >= t.s->now->judged->first && at <= t.s->now->judged->first + 20;
        }
        uint32_t last = (uint32_t)t.s->now->pairing->lines.n - 1,
                 from = t.s->now->judged->first < 20 ? 0 : t.s->now->judged->first - 20;
        assert_int_equal(near, (t.s->now->judged->first + 20 < last ? t.s->now->judged->first + 20 : last) - from + 1);
        same_first(&t);
        if (pairs[i].about)
            assert_true(dump_find_row(&t.p->now->side[0].dump, str_of(pairs[i].about)) != NONE);
        assert_true(t.p->now->side[0].dump.warnings.n > 0);
        unpack(&t);
    }
    buf_release(&x);
    buf_release(&y);
}

/* Tensors that fit are there element by element, in their types; what does not fit is named, and its figures stay. */
static void tensors(void **state)
{
    struct trip t;
    struct err e = {0};
    (void)state;
    pack(&t, sample("tt_bf16/target"), sample("tt_bf16/bench"), NULL, (struct pack_options){.limit = PACK_LIMIT});
    uint32_t line = t.s->now->judged->first;
    for (int d = 0; d < 2; d++) {
        uint32_t r = t.s->now->pairing->lines.v[line].row[d];
        struct tensor a, b;
        struct tensor_walk wa, wb;
        double x, y;
        if (dump_tensor(&t.s->now->side[d].dump, r, &a, &e) || dump_tensor(&t.p->now->side[d].dump, r, &b, &e))
            fail_msg("%s", e.text);
        assert_int_equal(a.dtype, DTYPE_BF16);
        assert_int_equal(b.dtype, DTYPE_BF16);
        assert_int_equal(a.numel, b.numel);
        tensor_walk_init(&wa, &a);
        tensor_walk_init(&wb, &b);
        for (uint64_t i = 0; i < a.numel; i++) {
            assert_int_equal(tensor_walk_next(&wa, &x, 1, &e), 1);
            assert_int_equal(tensor_walk_next(&wb, &y, 1, &e), 1);
            assert_memory_equal(&x, &y, 2);
        }
        tensor_walk_release(&wa);
        tensor_walk_release(&wb);
        tensor_close(&a);
        tensor_close(&b);
    }
    unpack(&t);
    pack(&t, sample("tt_bf16/target"), sample("tt_bf16/bench"), NULL, (struct pack_options){.limit = 1000});
    assert_true(t.said.left.n > 0 && t.said.bytes <= 1000);
    assert_non_null(strstr(t.said.left.v[0], "Functional.linear.4"));
    same_first(&t);
    struct tensor gone;
    assert_int_equal(dump_tensor(&t.p->now->side[0].dump, t.p->now->pairing->lines.v[t.p->now->judged->first].row[0],
                                 &gone, &e),
                     -1);
    assert_non_null(strstr(e.text, "not its tensor"));
    unpack(&t);
}

/* What a person pairs otherwise since is judged by what the pack has, and nothing is taken from other pairs. */
static void another_pair(void **state)
{
    struct trip t;
    (void)state;
    pack(&t, sample("tt_rope/target"), sample("tt_rope/bench"), NULL, (struct pack_options){.limit = PACK_LIMIT});
    struct session *p = t.p;
    struct decisions d = {0};
    decisions_add(&d, (struct decision){.kind = DECIDE_MARK,
                                        .step = 1,
                                        .side = {"Torch.outer.0.forward.input.0", "Torch.outer.0.forward.input.1"},
                                        .view = ""});
    session_lock(p);
    session_decide(p, &d);
    session_unlock(p);
    struct err e;
    assert_int_equal(session_wait(p, &e), 0);
    uint32_t line =
        p->now->pairing->line_of[0][dump_find_row(&p->now->side[0].dump, STR("Torch.outer.0.forward.input.0"))];
    assert_int_equal(p->now->pairing->pairs.v[p->now->pairing->lines.v[line].pair].why, WHY_MARK);
    assert_null(packed_verdicts_line(&p->now->measure, line));
    unpack(&t);
    decisions_release(&d);
}

static void same_bytes_no_paths(void **state)
{
    struct trip t;
    struct buf a = {0}, b = {0};
    struct err e = {0};
    char again[320];
    struct pack_said said;
    (void)state;
    pack(&t, sample("tt_rope/target"), sample("tt_rope/bench"), "Functional.linear.3.forward.output.0",
         (struct pack_options){.limit = PACK_LIMIT});
    snprintf(again, sizeof again, "%s/again.tar", t.dir);
    struct pack_options o = {.inv = &t.inv, .date = 1700000000, .limit = PACK_LIMIT};
    assert_int_equal(pack_write(again, t.s->now, &o, &said, &e), 0);
    pack_said_release(&said);
    assert_int_equal(file_slurp(again, 1 << 26, &a, &e), 0);
    assert_int_equal(pack_write(again, t.s->now, &o, &said, &e), 0);
    pack_said_release(&said);
    assert_int_equal(file_slurp(again, 1 << 26, &b, &e), 0);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.p, b.p, a.n);
    char *root = realpath(sample("tt_rope"), NULL);
    assert_false(str_has(buf_view(&a), root));
    assert_false(str_has(buf_view(&a), "/home/li"));
    assert_false(str_has(buf_view(&a), "/workspace/llama"));
    assert_true(str_has(buf_view(&a), "notes/a.txt") || str_has(buf_view(&a), "a.txt"));
    free(root);
    buf_clear(&b);
    o.paths = true;
    assert_int_equal(pack_write(again, t.s->now, &o, &said, &e), 0);
    pack_said_release(&said);
    assert_int_equal(file_slurp(again, 1 << 26, &b, &e), 0);
    assert_true(str_has(buf_view(&b), "/workspace/llama"));
    assert_int_equal(pack_write("/nowhere/at/all.tar", t.s->now, &o, &said, &e), -1);
    assert_int_equal(pack_write("x.zip", t.s->now, &o, &said, &e), -1);
    unpack(&t);
    buf_release(&a);
    buf_release(&b);
}

static void rules_keep_their_numbers(void **state)
{
    (void)state;
    for (int r = RULE_NONE + 1; r < RULE_COUNT; r++) {
        uint32_t n = packed_rule_number((enum verdict_rule)r);
        if (n == 0 || n >= packed_rule_numbers())
            fail_msg("rule %d has no number in packs", r);
    }
    /* as packs written before hold them */
    assert_int_equal(packed_rule_number(RULE_ONE_SIDED), 2);
    assert_int_equal(packed_rule_number(RULE_LIMIT), 7);
    assert_int_equal(packed_rule_number(RULE_ELEMENTS), 22);
    assert_int_equal(packed_rule_number(RULE_ACCEPTED), 33);
    assert_int_equal(packed_rule_number(RULE_CONSTANT), 41);
    assert_int_equal(packed_rule_number(RULE_OTHER_VALUE), 64);
    assert_int_equal(packed_rule_number(RULE_NONE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),   cmocka_unit_test(headers),      cmocka_unit_test(streams),
        cmocka_unit_test(hostile), cmocka_unit_test(all_is_there), cmocka_unit_test(a_part_is_there),
        cmocka_unit_test(tensors), cmocka_unit_test(another_pair), cmocka_unit_test(same_bytes_no_paths),
        cmocka_unit_test(rules_keep_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
