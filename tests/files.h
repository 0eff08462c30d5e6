/* What is in a folder and in a file, for tests of what writes them. */
#ifndef TESTS_FILES_H
#define TESTS_FILES_H

#include "support.h"

#include "base/io.h"

static inline size_t entries(const char *dir)
{
    name_list l = {0};
    struct err e;
    assert_int_equal(dir_list(dir, 100, &l, &e), 0);
    size_t n = l.n;
    name_list_release(&l);
    return n;
}

static inline void check_content(const char *path, const char *text)
{
    struct buf b = {0};
    struct err e;
    assert_int_equal(file_slurp(path, 1 << 24, &b, &e), 0);
    assert_string_equal(b.p ? b.p : "", text);
    buf_release(&b);
}

#endif
