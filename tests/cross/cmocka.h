/* As much of cmocka as the tests use that are run on another machine under an emulator, where the library is not
 * at hand. The first failure ends the program. */
#ifndef TESTS_CROSS_CMOCKA_H
#define TESTS_CROSS_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};

#define cmocka_unit_test(f) {#f, f}
#define fail_msg(...) (printf("%s:%d: ", __FILE__, __LINE__), printf(__VA_ARGS__), puts(""), exit(1))
#define assert_true(c) ((c) ? (void)0 : fail_msg("%s", #c))
#define assert_false(c) assert_true(!(c))
#define assert_int_equal(a, b) assert_true((long long)(a) == (long long)(b))
#define assert_ptr_equal(a, b) assert_true((const void *)(a) == (const void *)(b))
#define assert_null(p) assert_true(!(p))
#define assert_non_null(p) assert_true(p)
#define assert_string_equal(a, b) assert_true(strcmp(a, b) == 0)
#define assert_memory_equal(a, b, n) assert_true(memcmp(a, b, n) == 0)

static inline int run_tests(const struct CMUnitTest *t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        t[i].run(NULL);
        printf("  ok     %s\n", t[i].name);
    }
    return 0;
}
#define cmocka_run_group_tests(t, up, down) run_tests(t, sizeof(t) / sizeof *(t))

#endif
