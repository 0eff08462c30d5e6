/* The hash maps: many keys, keys that collide, growth, empty keys. */
#include "support.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"

static void many_keys(void **state)
{
    enum { N = 200000 };
    struct map m = {0};
    struct arena a = {0};
    (void)state;
    assert_int_equal(map_get(&m, STR("a")), MAP_NONE); /* of an empty map */
    for (uint32_t i = 0; i < N; i++) {
        const char *key = arena_fmt(&a, "Functional.linear.%u.forward", i);
        assert_int_equal(map_add(&m, str_of(key), i), i);
    }
    assert_int_equal(m.n, N);
    char key[64];
    for (uint32_t i = 0; i < N; i++) {
        int n = snprintf(key, sizeof key, "Functional.linear.%u.forward", i);
        assert_int_equal(map_get(&m, str_n(key, (size_t)n)), i);
        assert_int_equal(map_get(&m, str_n(key, (size_t)n - 1)), MAP_NONE);
    }
    map_release(&m);
    assert_int_equal(map_get(&m, STR("a")), MAP_NONE);
    arena_release(&a);
}

static void add_keeps_and_set_replaces(void **state)
{
    struct map m = {0};
    (void)state;
    assert_int_equal(map_add(&m, STR("k"), 1), 1);
    assert_int_equal(map_add(&m, STR("k"), 2), 1);
    assert_int_equal(map_get(&m, STR("k")), 1);
    map_set(&m, STR("k"), 3);
    assert_int_equal(map_get(&m, STR("k")), 3);
    map_set(&m, STR("fresh"), 4);
    assert_int_equal(map_get(&m, STR("fresh")), 4);
    assert_int_equal(m.n, 2);
    map_release(&m);
}

/* Keys are bytes: embedded NULs, the empty key with and without an address. */
static void odd_keys(void **state)
{
    struct map m = {0};
    struct str none = {NULL, 0};
    (void)state;
    map_add(&m, str_n("a\0b", 3), 1);
    map_add(&m, str_n("a\0c", 3), 2);
    map_add(&m, STR("a"), 3);
    map_add(&m, STR(""), 4);
    assert_int_equal(map_get(&m, str_n("a\0b", 3)), 1);
    assert_int_equal(map_get(&m, str_n("a\0c", 3)), 2);
    assert_int_equal(map_get(&m, STR("a")), 3);
    assert_int_equal(map_get(&m, STR("")), 4);
    assert_int_equal(map_get(&m, none), 4);
    assert_int_equal(map_add(&m, none, 5), 4);
    assert_int_equal(m.n, 4);
    map_release(&m);
}

/* All keys of one slot: a map of 16 slots is walked round its end. */
static void colliding_keys(void **state)
{
    static char text[12][16];
    struct str key[12];
    struct map m = {0};
    int n = 0;
    (void)state;
    for (int i = 0; n < 11; i++) {
        int len = snprintf(text[n], sizeof text[n], "k%d", i);
        if ((map_hash(str_n(text[n], (size_t)len)) & 15) != 14)
            continue;
        key[n] = str_n(text[n], (size_t)len);
        n++;
    }
    for (int i = 0; i < 11; i++)
        map_add(&m, key[i], (uint32_t)i);
    assert_int_equal(m.cap, 16);
    for (int i = 0; i < 11; i++)
        assert_int_equal(map_get(&m, key[i]), i);
    assert_int_equal(map_get(&m, STR("absent")), MAP_NONE);
    map_release(&m);
}

/* Two blocks of eight bytes whose differences cancel, whatever came before: as many texts of one hash_bytes as anybody
 * wants. The maps' hash is another. */
static void made_to_collide(void **state)
{
    enum { BLOCKS = 12 };
    static char text[1 << BLOCKS][16 * BLOCKS];
    struct map m = {0};
    size_t n = 16 * BLOCKS, same = 0;
    (void)state;
    for (uint32_t i = 0; i < 1 << BLOCKS; i++) {
        for (int b = 0; b < BLOCKS; b++) {
            uint64_t w[2] = {0x6161616161616161, 0x6161616161616161};
            if (i >> b & 1) {
                w[0] ^= (uint64_t)1 << 63;
                w[1] ^= (uint64_t)1 << 63 | (uint64_t)1 << 34;
            }
            memcpy(text[i] + 16 * b, w, sizeof w);
        }
        assert_true(hash_bytes(text[i], n, 0) == hash_bytes(text[0], n, 0));
        same += (map_hash(str_n(text[i], n)) & 1023) == (map_hash(str_n(text[0], n)) & 1023);
        map_add(&m, str_n(text[i], n), i);
    }
    assert_int_equal(m.n, 1 << BLOCKS);
    assert_in_range(same, 1, 40); /* four are to be expected */
    for (uint32_t i = 0; i < 1 << BLOCKS; i++)
        assert_int_equal(map_get(&m, str_n(text[i], n)), i);
    map_release(&m);
}

static void reserve_grows_once(void **state)
{
    struct map m = {0};
    struct arena a = {0};
    (void)state;
    map_reserve(&m, 1000);
    size_t cap = m.cap;
    for (uint32_t i = 0; i < 1000; i++)
        map_add(&m, str_of(arena_fmt(&a, "%u", i)), i);
    assert_int_equal(m.cap, cap);
    map_release(&m);
    arena_release(&a);
}

static void hashes_tell_apart(void **state)
{
    unsigned char zero[24] = {0};
    (void)state;
    /* lengths of zeros, one changed bit, the seed */
    for (size_t n = 1; n < sizeof zero; n++)
        assert_true(hash_bytes(zero, n, 0) != hash_bytes(zero, n - 1, 0));
    for (size_t i = 0; i < sizeof zero * 8; i++) {
        unsigned char one[24] = {0};
        one[i / 8] = (unsigned char)(1u << (i % 8));
        assert_true(hash_bytes(one, sizeof one, 0) != hash_bytes(zero, sizeof zero, 0));
    }
    assert_true(hash_bytes("x", 1, 1) != hash_bytes("x", 1, 2));
    assert_true(hash_bytes("x", 1, 1) == hash_bytes("x", 1, 1));
}

static void number_keys(void **state)
{
    enum { N = 100000 };
    struct nmap m = {0};
    (void)state;
    assert_int_equal(nmap_get(&m, 0), MAP_NONE);
    for (uint64_t i = 0; i < N; i++) /* numel * 64 + family: low bits alike */
        assert_int_equal(nmap_add(&m, i << 20, (uint32_t)i), i);
    for (uint64_t i = 0; i < N; i++) {
        assert_int_equal(nmap_get(&m, i << 20), i);
        assert_int_equal(nmap_get(&m, (i << 20) + 1), MAP_NONE);
    }
    assert_int_equal(nmap_add(&m, 0, 9), 0); /* key 0 is one like any other */
    nmap_set(&m, 0, 9);
    nmap_set(&m, UINT64_MAX, 8);
    assert_int_equal(nmap_get(&m, 0), 9);
    assert_int_equal(nmap_get(&m, UINT64_MAX), 8);
    assert_int_equal(m.n, N + 1);
    nmap_release(&m);
    assert_int_equal(nmap_get(&m, 0), MAP_NONE);
}

static void elements_with_keys(void **state)
{
    enum { N = 100000 };
    struct element {
        uint32_t other;
        uint64_t key;
    } *all = mem_alloc(N * sizeof *all);
    struct key_index x;
    (void)state;
    key_index_make(&x, N);
    for (uint32_t i = 0; i < N; i++) {
        uint64_t key = (uint64_t)i << 20;
        key_index_expect(&x, key);
        uint32_t *slot = key_index_slot(&x, key, &all->key, sizeof *all);
        assert_int_equal(*slot, MAP_NONE);
        *slot = i;
        all[i].key = key;
    }
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(*key_index_slot(&x, (uint64_t)i << 20, &all->key, sizeof *all), i);
        assert_int_equal(*key_index_slot(&x, ((uint64_t)i << 20) + 1, &all->key, sizeof *all), MAP_NONE);
    }
    key_index_release(&x);
    key_index_make(&x, 0);
    assert_int_equal(*key_index_slot(&x, 0, NULL, sizeof *all), MAP_NONE);
    key_index_release(&x);
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_keys),          cmocka_unit_test(add_keeps_and_set_replaces),
        cmocka_unit_test(odd_keys),           cmocka_unit_test(colliding_keys),
        cmocka_unit_test(reserve_grows_once), cmocka_unit_test(hashes_tell_apart),
        cmocka_unit_test(number_keys),        cmocka_unit_test(made_to_collide),
        cmocka_unit_test(elements_with_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
