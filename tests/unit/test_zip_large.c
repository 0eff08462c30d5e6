/* Archives that need zip64's fields: members above 2 and 4 GiB, members that begin behind 4 GiB, more than 65,535 of
 * them. The files are nearly all hole; where the file system has none the tests are skipped. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "fmt/pt.h"
#include "fmt/weights.h"
#include "fmt/zip.h"

#define GIB (1ull << 30)

static char path[400];

static void little(struct buf *b, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        buf_char(b, (char)(v >> (8 * i)));
}

/* ---- an archive with holes ---- */

struct archive {
    int fd;
    bool no_room;
    uint64_t at;
    struct buf directory;
    uint64_t members;
};

static void begin(struct archive *z, const char *name)
{
    snprintf(path, sizeof path, "%s/%s", scratch(), name);
    *z = (struct archive){.fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600)};
    assert_true(z->fd >= 0);
}

static void put_at(struct archive *z, uint64_t at, const void *p, size_t n)
{
    if (pwrite(z->fd, p, n, (off_t)at) != (ssize_t)n)
        z->no_room = true;
}

static void put(struct archive *z, const struct buf *b)
{
    put_at(z, z->at, b->p, b->n);
    z->at += b->n;
}

/* What local header and directory say alike; sizes are in the zip64 field wherever `wide`. */
static void sizes_and_name(struct buf *b, uint64_t size, bool wide, const char *name, size_t extra)
{
    little(b, 0, 2); /* stored */
    little(b, 0, 4);
    little(b, 0, 4);
    little(b, wide ? 0xffffffff : size, 4);
    little(b, wide ? 0xffffffff : size, 4);
    little(b, strlen(name), 2);
    little(b, extra, 2);
}

/* A member of `size` bytes: `head`, a hole, and the number 7 as float32 at its end where there is more than the
 * head. */
static void member(struct archive *z, const char *name, struct str head, uint64_t size)
{
    bool wide = size > 2 * GIB, far = z->at >= 0xffffffff; /* writers begin early: torch does at 2 GiB */
    uint64_t at = z->at;
    struct buf b = {0}, *d = &z->directory;
    little(&b, 0x04034b50, 4);
    little(&b, 45, 2);
    little(&b, 0, 2);
    sizes_and_name(&b, size, wide, name, wide ? 20 : 0);
    buf_cstr(&b, name);
    if (wide) {
        little(&b, 1, 2);
        little(&b, 16, 2);
        little(&b, size, 8);
        little(&b, size, 8);
    }
    put(z, &b);
    put_at(z, z->at, head.p, head.n);
    if (size > head.n)
        put_at(z, z->at + size - 4, "\0\0\xe0\x40", 4);
    z->at += size;
    little(d, 0x02014b50, 4);
    little(d, 45, 2);
    little(d, 45, 2);
    little(d, 0, 2);
    size_t fields = (wide ? 16u : 0u) + (far ? 8u : 0u);
    sizes_and_name(d, size, wide, name, 6 + (fields ? 4 + fields : 0));
    little(d, 0, 8); /* comment, disk, attributes */
    little(d, 0, 2);
    little(d, far ? 0xffffffff : at, 4);
    buf_cstr(d, name);
    little(d, 0x4250, 2); /* another extra field in front */
    little(d, 2, 2);
    little(d, 0, 2);
    if (fields) {
        little(d, 1, 2);
        little(d, fields, 2);
    }
    if (wide) {
        little(d, size, 8);
        little(d, size, 8);
    }
    if (far)
        little(d, at, 8);
    z->members++;
    buf_release(&b);
}

/* Skips the test where the holes took room, or there is none. */
static void finish(struct archive *z)
{
    uint64_t at = z->at, size = z->directory.n;
    struct buf b = {0};
    struct stat st;
    put(z, &z->directory);
    uint64_t end = z->at;
    little(&b, 0x06064b50, 4);
    little(&b, 44, 8);
    little(&b, 45, 2);
    little(&b, 45, 2);
    little(&b, 0, 8);
    little(&b, z->members, 8);
    little(&b, z->members, 8);
    little(&b, size, 8);
    little(&b, at, 8);
    little(&b, 0x07064b50, 4);
    little(&b, 0, 4);
    little(&b, end, 8);
    little(&b, 1, 4);
    little(&b, 0x06054b50, 4);
    little(&b, 0, 4);
    little(&b, 0xffff, 2);
    little(&b, 0xffff, 2);
    little(&b, 0xffffffff, 4);
    little(&b, 0xffffffff, 4);
    little(&b, 0, 2);
    put(z, &b);
    bool holes = fstat(z->fd, &st) == 0 && (st.st_size < 1 << 26 || st.st_blocks * 512 < st.st_size / 8);
    close(z->fd);
    buf_release(&b);
    buf_release(&z->directory);
    if (z->no_room || !holes) {
        unlink(path);
        skip();
    }
}

static int removed(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

/* ---- numpy ---- */

static void npy_header(struct buf *b, uint64_t count)
{
    buf_add(b, "\x93NUMPY\1\0\x76\0", 10);
    buf_fmt(b, "{'descr': '<f4', 'fortran_order': False, 'shape': (%llu,), }", (unsigned long long)count);
    while (b->n < 127)
        buf_char(b, ' ');
    buf_char(b, '\n');
}

static void array(struct archive *z, const char *name, uint64_t count)
{
    struct buf b = {0};
    npy_header(&b, count);
    member(z, name, buf_view(&b), b.n + 4 * count);
    buf_release(&b);
}

/* Opens the file and wants `count` float32 of this weight, the last one 7. */
static void check_last(const struct weights *w, const char *name, int64_t count)
{
    struct tensor t = {0};
    struct err e = {0};
    float last = 0;
    uint32_t i = weights_find(w, str_of(name));
    assert_int_not_equal(i, UINT32_MAX);
    if (weights_tensor(w, i, &t, &e))
        fail_msg("%s: %s", name, e.text);
    assert_int_equal(t.numel, count);
    assert_int_equal(file_read(&t.file, t.offset + 4 * (uint64_t)(count - 1), &last, sizeof last, &e), 0);
    assert_true(last == 7.0f);
    tensor_close(&t);
}

static void check_weights(const char *const *name, const int64_t *count, size_t n)
{
    struct weights w;
    struct err e = {0};
    if (weights_open(&w, path, &e))
        fail_msg("%s", e.text);
    assert_int_equal(w.list.n, n);
    assert_int_equal(w.problems.n, 0);
    for (size_t i = 0; i < n; i++)
        check_last(&w, name[i], count[i]);
    weights_release(&w);
}

static void arrays_of_numpy(void **state)
{
    static const char *const name[] = {"above_2_gib", "above_4_gib", "behind"};
    static const int64_t count[] = {600 << 20, 1100 << 20, 3};
    struct archive z;
    (void)state;
    begin(&z, "w.npz");
    array(&z, "above_2_gib.npy", (uint64_t)count[0]);
    array(&z, "above_4_gib.npy", (uint64_t)count[1]);
    array(&z, "behind.npy", (uint64_t)count[2]);
    finish(&z);
    check_weights(name, count, ARRAY_LEN(name));
}

/* ---- torch ---- */

static void text(struct buf *b, const char *s)
{
    buf_char(b, 'X');
    little(b, strlen(s), 4);
    buf_cstr(b, s);
}

static void number(struct buf *b, int64_t v)
{
    buf_add(b, "\x8a\x08", 2);
    little(b, (uint64_t)v, 8);
}

static void pickled(struct buf *b, const char *key, int64_t count)
{
    buf_cstr(b, "ctorch._utils\n_rebuild_tensor_v2\n((");
    text(b, "storage");
    buf_cstr(b, "ctorch\nFloatStorage\n");
    text(b, key);
    text(b, "cpu");
    number(b, count);
    buf_cstr(b, "tQK");
    buf_char(b, 0);
    buf_char(b, '(');
    number(b, count);
    buf_cstr(b, "t(K\1t\x89"
                "ccollections\nOrderedDict\n)RtR");
}

static void checkpoint_of_torch(void **state)
{
    static const char *const name[] = {"above_2_gib", "above_4_gib", "behind"};
    static const int64_t count[] = {600 << 20, 1100 << 20, 3};
    struct archive z;
    struct buf b = {0};
    char key[2] = "0", stored[20];
    (void)state;
    buf_cstr(&b, "\x80\x02}(");
    for (size_t i = 0; i < ARRAY_LEN(name); i++, key[0]++) {
        text(&b, name[i]);
        pickled(&b, key, count[i]);
    }
    buf_cstr(&b, "u.");
    begin(&z, "w.pt");
    member(&z, "archive/data.pkl", buf_view(&b), b.n);
    for (size_t i = 0; i < ARRAY_LEN(name); i++) {
        snprintf(stored, sizeof stored, "archive/data/%zu", i);
        member(&z, stored, STR(""), 4 * (uint64_t)count[i]);
    }
    finish(&z);
    buf_release(&b);
    check_weights(name, count, ARRAY_LEN(name));
}

/* A tensor of a dump: its storage lies in front of what tells its form. */
static void tensor_of_torch(void **state)
{
    const int64_t count = 1100 << 20;
    struct archive z;
    struct buf b = {0};
    struct tensor t = {0};
    struct err e = {0};
    float last;
    (void)state;
    buf_cstr(&b, "\x80\x02");
    pickled(&b, "0", count);
    buf_char(&b, '.');
    begin(&z, "x.pt");
    member(&z, "x/data/0", STR(""), 4 * (uint64_t)count);
    member(&z, "x/data.pkl", buf_view(&b), b.n);
    finish(&z);
    buf_release(&b);
    assert_int_equal(file_open(&t.file, path, &e), 0);
    if (pt_open(&t, &e))
        fail_msg("%s", e.text);
    assert_int_equal(t.numel, count);
    assert_int_equal(file_read(&t.file, t.offset + 4 * (uint64_t)(count - 1), &last, sizeof last, &e), 0);
    assert_true(last == 7.0f);
    tensor_close(&t);
}

/* ---- the directory ---- */

static void many_members(void **state)
{
    enum { MANY = 70000 };
    struct archive z;
    struct file f;
    struct err e = {0};
    struct zip_member m;
    struct arena a = {0};
    zip_list all = {0};
    char name[20];
    (void)state;
    begin(&z, "x.zip");
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "x/data/%d", i);
        member(&z, name, STR("12"), 2);
    }
    finish(&z);
    assert_int_equal(file_open(&f, path, &e), 0);
    struct zip *read = zip_open(&f, &e);
    assert_non_null(read);
    assert_int_equal(zip_find(read, "x/data/69999", &m, &e), 1);
    assert_int_equal(m.size, 2);
    assert_int_equal(zip_all(read, MANY, &a, &all, &e), 0);
    assert_int_equal(all.n, MANY);
    zip_close(read);
    vec_release(&all);
    arena_release(&a);
    file_close(&f);
}

/* Directories that lie about sizes and places; none is believed, none crashes. */
static void fields_that_lie(void **state)
{
    struct archive z;
    struct file f;
    struct err e;
    (void)state;
    begin(&z, "x.zip");
    member(&z, "a", STR(""), 5 * GIB);
    member(&z, "b", STR("x"), 1);
    finish(&z);
    int fd = open(path, O_RDWR);
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    enum { TAIL = 260 };
    unsigned char kept[TAIL], changed[TAIL];
    off_t from = st.st_size - TAIL;
    assert_int_equal(pread(fd, kept, TAIL, from), TAIL);
    for (size_t i = 0; i < TAIL; i++)
        for (int how = 0; how < 2; how++) {
            memcpy(changed, kept, TAIL);
            changed[i] = (unsigned char)(how ? 0xff : kept[i] ^ 0x80);
            assert_int_equal(pwrite(fd, changed, TAIL, from), TAIL);
            assert_int_equal(file_open(&f, path, &e), 0);
            struct zip *read = zip_open(&f, &e);
            struct arena a = {0};
            zip_list all = {0};
            if (read && zip_all(read, 10, &a, &all, &e) == 0)
                for (size_t k = 0; k < all.n; k++)
                    assert_true(all.v[k].m.offset <= f.size && all.v[k].m.packed <= f.size - all.v[k].m.offset);
            zip_close(read);
            vec_release(&all);
            arena_release(&a);
            file_close(&f);
        }
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(arrays_of_numpy, removed),
        cmocka_unit_test_teardown(checkpoint_of_torch, removed),
        cmocka_unit_test_teardown(tensor_of_torch, removed),
        cmocka_unit_test_teardown(many_members, removed),
        cmocka_unit_test_teardown(fields_that_lie, removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
