/* Figures kept from one session to the next: found again for the same files only, and a damaged, foreign or
 * oversized cache only means that they are computed. */
#include "support.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/measure.h"
#include "measure/figures_cache.h"
#include "session/session.h"

static const char *const dumps[2] = {"/tmp/target", "/tmp/golden"};

static char *folder(const char *below)
{
    struct buf b = {0};
    path_join(&b, scratch(), below);
    return b.p;
}

/* The only file in a folder. */
static char *file_in(const char *dir)
{
    name_list l = {0};
    struct buf b = {0};
    struct err e;
    assert_int_equal(dir_list(dir, 10, &l, &e), 0);
    assert_int_equal(l.n, 1);
    path_join(&b, dir, l.v[0]);
    name_list_release(&l);
    return b.p;
}

static void write_file(const char *path, const void *p, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Long ago: what was changed just now has no identity. */
static void age(const char *path, long seconds)
{
    struct timespec t[2] = {{.tv_sec = 1000000000 - seconds}, {.tv_sec = 1000000000 - seconds}};
    assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
}

/* ---- records ---- */

static void kept_and_found(void **state)
{
    char *dir = folder("a/b"), got[40], value[40];
    (void)state;
    struct cache *c = cache_open(dir, dumps, sizeof value, 1);
    for (uint64_t i = 0; i < 1000; i++) {
        memset(value, (int)i, sizeof value);
        cache_put(c, &(struct cache_key){{i, i * 3}}, value);
    }
    assert_true(cache_get(c, &(struct cache_key){{7, 21}}, got) && got[39] == 7);
    assert_false(cache_get(c, &(struct cache_key){{7, 22}}, got)); /* both halves count */
    cache_close(c); /* makes the folders */
    c = cache_open(dir, dumps, sizeof value, 1);
    for (uint64_t i = 0; i < 1000; i++) {
        memset(value, (int)i, sizeof value);
        assert_true(cache_get(c, &(struct cache_key){{i, i * 3}}, got));
        assert_memory_equal(got, value, sizeof got);
    }
    cache_close(c);
    static const char *const others[2] = {"/tmp/target", "/tmp/other"};
    struct {
        const char *const *dump;
        size_t size;
        uint32_t version;
    } foreign[] = {{dumps, 40, 2}, {dumps, 39, 1}, {others, 40, 1}};
    for (size_t i = 0; i < ARRAY_LEN(foreign); i++) {
        c = cache_open(dir, foreign[i].dump, foreign[i].size, foreign[i].version);
        assert_false(cache_get(c, &(struct cache_key){{7, 21}}, got));
        cache_close(c);
    }
    free(dir);
}

/* Any byte changed, and any length: a record is the one that was kept, or it is not there. */
static void damage_is_not_believed(void **state)
{
    char *dir = folder("c"), value[24] = "figures of one tensor", got[24];
    struct cache_key k[3] = {{{1, 2}}, {{3, 4}}, {{5, 6}}};
    struct buf whole = {0};
    struct err e;
    (void)state;
    struct cache *c = cache_open(dir, dumps, sizeof value, 1);
    for (int i = 0; i < 3; i++)
        cache_put(c, &k[i], value);
    cache_close(c);
    char *path = file_in(dir);
    assert_int_equal(file_slurp(path, 1 << 20, &whole, &e), 0);
    for (size_t at = 0; at < 2 * whole.n; at++) {
        char *bytes = malloc(whole.n);
        size_t n = at < whole.n ? whole.n : at - whole.n, found = 0;
        memcpy(bytes, whole.p, whole.n);
        if (at < whole.n)
            bytes[at] ^= 0x11;
        write_file(path, bytes, n);
        c = cache_open(dir, dumps, sizeof value, 1);
        for (int i = 0; i < 3; i++)
            if (cache_get(c, &k[i], got)) {
                assert_memory_equal(got, value, sizeof got);
                found++;
            }
        assert_true(found < 3);
        assert_true(at >= whole.n || at < 24 || found == 2); /* the others are still good */
        cache_close(c);
        free(bytes);
    }
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0); /* not even a file */
    c = cache_open(dir, dumps, sizeof value, 1);
    cache_put(c, &k[0], value);
    cache_close(c);
    assert_int_equal(rmdir(path), 0);
    buf_release(&whole);
    free(path);
    free(dir);
}

static void the_folder_is_bounded(void **state)
{
    char *dir = folder("d"), name[64], value[16] = "x";
    struct buf path = {0};
    (void)state;
    path_make(dir);
    for (int i = 0; i < 5; i++) { /* 80 MB without a byte on the disk */
        snprintf(name, sizeof name, "%016x.figures", i);
        path_join(&path, dir, name);
        write_file(path.p, "", 0);
        assert_int_equal(truncate(path.p, 16 << 20), 0);
        age(path.p, i == 2 ? 500 : 100 - i);
    }
    path_join(&path, dir, "0000000000000009.figures.tmp77"); /* of a program that was killed */
    write_file(path.p, "x", 1);
    age(path.p, 0);
    path_join(&path, dir, "somebody.else");
    write_file(path.p, "x", 1);
    age(path.p, 9999);
    struct cache *c = cache_open(dir, dumps, sizeof value, 1);
    cache_put(c, &(struct cache_key){{1, 1}}, value);
    cache_close(c);
    static const bool stays[] = {false, true, false, true, true}; /* the oldest two went */
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "%016x.figures", i);
        path_join(&path, dir, name);
        assert_int_equal(path_is_file(path.p), stays[i]);
    }
    path_join(&path, dir, "0000000000000009.figures.tmp77");
    assert_false(path_is_file(path.p));
    path_join(&path, dir, "somebody.else");
    assert_true(path_is_file(path.p));
    buf_release(&path);
    free(dir);
}

/* ---- keys ---- */

#define N (64 * 1024)

static void open_tensor(struct tensor *t, const char *path)
{
    struct err e;
    *t = (struct tensor){.dtype = DTYPE_F32, .ndim = 2, .shape = {4, N / 4}};
    assert_int_equal(tensor_pack(t, path, &e), 0);
    assert_int_equal(file_open(&t->file, path, &e), 0);
}

static void keys_tell_files_and_places_apart(void **state)
{
    static char zeros[N * 4 + 64];
    char *path[2] = {folder("t"), folder("g")};
    struct tensor t[2];
    struct cache_key was, k;
    struct str none = {0};
    (void)state;
    for (int s = 0; s < 2; s++) {
        write_file(path[s], zeros, sizeof zeros);
        age(path[s], 0);
        open_tensor(&t[s], path[s]);
    }
    assert_false(cache_key(t, none, &was)); /* utimensat changed them just now */
    sleep(4); /* no clock is waited for elsewhere: the inode's own time cannot be set */
    assert_true(cache_key(t, none, &was));
    assert_true(cache_key(t, none, &k) && memcmp(&k, &was, sizeof k) == 0);
    struct tensor other[2] = {t[1], t[0]};
    assert_true(cache_key(other, none, &k) && memcmp(&k, &was, sizeof k) != 0);
    for (int what = 0; what < 5; what++) {
        memcpy(other, t, sizeof t);
        other[1].offset += what == 0 ? 4 : 0;
        other[1].dtype = what == 1 ? DTYPE_I32 : DTYPE_F32;
        other[1].swap = what == 2;
        if (what == 3)
            tensor_permute(&other[1], (const int[]){1, 0});
        assert_true(cache_key(other, what == 4 ? str_of("golden transpose") : none, &k));
        assert_true(k.half[0] != was.half[0] && k.half[1] != was.half[1]);
    }
    memcpy(other, t, sizeof t);
    other[0].numel = other[1].numel = 100;
    assert_false(cache_key(other, none, &k)); /* sooner computed */
    struct file_span span = {.fd = -1, .size = 8, .memory = calloc(1, 8)};
    struct tensor joined[2] = {t[0], t[1]};
    file_join(&joined[1].file, "joined", &span, 1);
    assert_false(cache_key(joined, none, &k));
    file_close(&joined[1].file);
    write_file(path[1], zeros, sizeof zeros); /* the same bytes, written anew */
    assert_false(cache_key(t, none, &k));
    for (int s = 0; s < 2; s++) {
        tensor_close(&t[s]);
        free(path[s]);
    }
}

/* ---- what a record holds ---- */

static void figures_come_back(void **state)
{
    char *dir = folder("e");
    struct figures f = {.two = true, .cosine = 0.5, .max_abs = 3, .side = {{.norm = 2}, {.count = 9}}}, got;
    struct view v, back;
    struct err e;
    bool viewed;
    (void)state;
    assert_int_equal(view_parse(&v, str_of("target permute 1,0,2"), &e), 0);
    struct figures_cache r = {.cache = figures_cache_open(dir, dumps), .key = {{1, 1}}};
    assert_false(figures_cache_get(&r, &got, &back, &viewed));
    figures_cache_keep(&r, &f, &v, true);
    r.key.half[0] = 2;
    figures_cache_keep(&r, &f, NULL, false);
    r.key.half[0] = 3;
    figures_cache_keep(&r, &f, &(struct view){.side = GOLDEN}, true); /* reshaped: no steps */
    cache_close(r.cache);
    r.cache = figures_cache_open(dir, dumps);
    for (uint64_t k = 1; k <= 3; k++) {
        r.key.half[0] = k;
        assert_true(figures_cache_get(&r, &got, &back, &viewed));
        assert_memory_equal(&got, &f, sizeof f);
        assert_int_equal(viewed, k != 2);
        assert_true(k != 1 || (back.side == TARGET && back.count == 1 && back.step[0].v[0] == 1));
        assert_true(k != 3 || (back.side == GOLDEN && back.count == 0));
    }
    cache_close(r.cache);
    r = (struct figures_cache){0}; /* without a cache nothing is known */
    figures_cache_keep(&r, &f, NULL, false);
    assert_false(figures_cache_get(&r, &got, &back, &viewed));
    assert_null(figures_cache_open(NULL, dumps));
    free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_and_found),
        cmocka_unit_test(damage_is_not_believed),
        cmocka_unit_test(the_folder_is_bounded),
        cmocka_unit_test(keys_tell_files_and_places_apart),
        cmocka_unit_test(figures_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
