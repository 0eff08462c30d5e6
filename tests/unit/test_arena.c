/* Memory that dies together, and growing arrays: nothing moves or overlaps, and clearing keeps the room. */
#include "support.h"

#include "base/arena.h"
#include "base/vec.h"

static uint32_t step(uint32_t *s)
{
    *s = *s * 1664525u + 1013904223u;
    return *s >> 8;
}

static void pieces_are_apart_and_aligned(void **state)
{
    enum { N = 4000 };
    static unsigned char *piece[N];
    static size_t size[N];
    struct arena a = {0};
    uint32_t seed = 1;
    (void)state;
    for (int i = 0; i < N; i++) {
        /* now and then more than a block holds */
        size[i] = i % 97 == 0 ? 20000 + step(&seed) % 100000 : step(&seed) % 300;
        piece[i] = arena_alloc(&a, size[i]);
        assert_int_equal((uintptr_t)piece[i] % 16, 0);
        memset(piece[i], i & 0xff, size[i]);
    }
    for (int i = 0; i < N; i++) /* what came later wrote over nothing */
        for (size_t k = 0; k < size[i]; k++)
            assert_int_equal(piece[i][k], i & 0xff);
    arena_release(&a);
    assert_null(a.head);
    assert_int_equal(a.total, 0);
    arena_release(&a);
}

static void zeroed(void **state)
{
    struct arena a = {0};
    (void)state;
    memset(arena_alloc(&a, 1000), 0xff, 1000);
    arena_clear(&a);
    const unsigned char *p = arena_zalloc(&a, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(p[i], 0);
    arena_release(&a);
}

static void copies_text(void **state)
{
    struct arena a = {0};
    char source[] = "layers.0.mlp";
    (void)state;
    struct str s = arena_str(&a, str_n(source, 8));
    const char *c = arena_cstr(&a, STR(""));
    const char *f = arena_fmt(&a, "%s#%d", source, 2);
    memset(source, 'x', sizeof source - 1);
    assert_true(str_is(s, "layers.0"));
    assert_int_equal(s.p[s.n], 0);
    assert_string_equal(c, "");
    assert_string_equal(f, "layers.0.mlp#2");
    assert_int_equal(arena_str(&a, (struct str){NULL, 0}).n, 0);
    arena_release(&a);
}

/* The next round of the same pieces allocates nothing. */
static void clear_keeps_the_blocks(void **state)
{
    struct arena a = {0};
    (void)state;
    arena_clear(&a); /* of an empty one */
    assert_int_equal(a.total, 0);
    for (int i = 0; i < 1000; i++)
        arena_alloc(&a, i % 100 ? 1000 : 1000000);
    size_t total = a.total;
    assert_true(total >= 1000 * 1000 + 10 * 1000000);
    for (int round = 0; round < 3; round++) {
        arena_clear(&a);
        assert_int_equal(a.total, total);
        for (int i = 0; i < 1000; i++)
            memset(arena_alloc(&a, i % 100 ? 1000 : 1000000), i, 1000);
        assert_int_equal(a.total, total);
    }
    arena_release(&a);
}

/* What was there before stays, what came since is used again. */
static void rewinds_to_a_mark(void **state)
{
    struct arena a = {0};
    (void)state;
    struct arena_mark start = arena_mark(&a);
    char *kept = memset(arena_alloc(&a, 1000), 'k', 1000);
    struct arena_mark here = arena_mark(&a);
    char *small = arena_alloc(&a, 16), *large = arena_alloc(&a, 1 << 20);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 1000; i++)
            memset(arena_alloc(&a, 300), 'x', 300);
        arena_rewind(&a, here);
        assert_ptr_equal(arena_alloc(&a, 16), small);
        assert_ptr_equal(arena_alloc(&a, 1 << 20), large);
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(kept[i], 'k');
    arena_rewind(&a, start);
    assert_null(a.head);
    arena_release(&a);
}

static void reserves_one_block_for_all(void **state)
{
    struct arena a = {0};
    (void)state;
    arena_reserve(&a, 3 << 20);
    char *first = arena_alloc(&a, 1 << 20);
    assert_ptr_equal(arena_alloc(&a, 1 << 20), first + (1 << 20));
    assert_int_equal(a.total, 3 << 20);
    assert_true((char *)arena_alloc(&a, 2 << 20) != NULL); /* does not fit it */
    assert_ptr_equal(arena_alloc(&a, 16), first + (2 << 20));
    arena_release(&a);
}

/* A large piece must not strand the room that is left in the current block. */
static void large_pieces_go_behind(void **state)
{
    struct arena a = {0};
    (void)state;
    char *small = arena_alloc(&a, 16);
    arena_alloc(&a, 1 << 20);
    char *next = arena_alloc(&a, 16);
    assert_ptr_equal(next, small + 16);
    arena_release(&a);
}

static void vectors_grow(void **state)
{
    VEC(uint32_t) v = {0};
    (void)state;
    for (uint32_t i = 0; i < 100000; i++)
        vec_push(&v, i * 3);
    assert_int_equal(v.n, 100000);
    assert_true(v.cap >= v.n);
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(v.v[i], i * 3);
    assert_int_equal(*vec_last(&v), 99999 * 3);
    uint32_t *was = v.v;
    vec_clear(&v);
    assert_int_equal(v.n, 0);
    vec_push(&v, 9);
    assert_ptr_equal(v.v, was);
    vec_reserve(&v, 1000000);
    assert_true(v.cap >= 1000001);
    assert_int_equal(v.v[0], 9);
    vec_release(&v);
    assert_null(v.v);
    assert_int_equal(v.cap, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_apart_and_aligned), cmocka_unit_test(zeroed),
        cmocka_unit_test(copies_text),                  cmocka_unit_test(clear_keeps_the_blocks),
        cmocka_unit_test(rewinds_to_a_mark),
        cmocka_unit_test(reserves_one_block_for_all),
        cmocka_unit_test(large_pieces_go_behind),       cmocka_unit_test(vectors_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
