/* Tensors of any size: 20 GB a side on a file system that keeps holes. */
#include "terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#define HUGE_ROWS 1310720
#define HUGE_COLUMNS 4096 /* of float32: 20 GiB */
#define TENSOR "dump_tensor_data/Functional.linear.0.forward.output.0.npy"

/* A tensor of zeros that takes no room, but for some elements; false where the file system cannot. */
static bool make_sparse(const char *path, int side)
{
    char head[128];
    int n = snprintf(head + 10, sizeof head - 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }",
                     HUGE_ROWS, HUGE_COLUMNS);
    memset(head + 10 + n, ' ', sizeof head - 10 - (size_t)n);
    memcpy(head, "\x93NUMPY\x01\0v\0", 10);
    head[127] = '\n';
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
    off_t size = 128 + (off_t)HUGE_ROWS * HUGE_COLUMNS * 4;
    struct stat st;
    bool good = fd >= 0 && ftruncate(fd, size) == 0 && pwrite(fd, head, sizeof head, 0) == sizeof head;
    for (int i = 0; i < 3 && good; i++) { /* the first element, one in the middle, the last */
        float v = (float)(i + 1) + (float)side * 0.5f;
        off_t at = i == 0 ? 0 : i == 1 ? (off_t)700000 * HUGE_COLUMNS + 123 : (off_t)HUGE_ROWS * HUGE_COLUMNS - 1;
        good = pwrite(fd, &v, 4, 128 + at * 4) == 4;
    }
    good = good && fstat(fd, &st) == 0 && st.st_blocks < 1 << 16;
    if (fd >= 0)
        close(fd);
    return good;
}

static bool make_huge(const char *dir, int side)
{
    char rows[700];
    put_text(dir, "construct.json", "{}\n");
    put_text(dir, "stack.json", "{}\n");
    snprintf(rows, sizeof rows,
             "{\"task\": \"tensor\", \"level\": \"L1\", \"framework\": \"mindspore\", \"dump_data_dir\": null, "
             "\"data\": {"
             "\"Functional.linear.0.forward\": {\"input_args\": [], \"input_kwargs\": {}, \"output\": [{\"type\": "
             "\"mindspore.Tensor\","
             " \"dtype\": \"Float32\", \"shape\": [%d, %d], \"Max\": 3.0, \"Min\": 0.0, \"Mean\": 0.0, \"Norm\": 4.0,"
             " \"requires_grad\": false, \"data_name\": \"Functional.linear.0.forward.output.0.npy\"}]}}}\n",
             HUGE_ROWS, HUGE_COLUMNS);
    put_text(dir, "dump.json", rows);
    return make_sparse(put_bytes(dir, TENSOR, "", 0), side);
}

/* The most memory the program has had, in kB. */
static long peak_of(pid_t pid)
{
    char path[64], line[200];
    long kb = -1;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *f = fopen(path, "r");
    while (f && kb < 0 && fgets(line, sizeof line, f))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kb = strtol(line + 6, NULL, 10);
    if (f)
        fclose(f);
    return kb;
}

/* What the programs started from here on may have of memory of their own; stacks and buffers of all threads count.
 * A sanitizer's own memory is no part of the program's: built with one, nothing is limited. */
static void limit_memory(rlim_t bytes)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    struct rlimit r;
    assert_int_equal(getrlimit(RLIMIT_DATA, &r), 0);
    r.rlim_cur = bytes < r.rlim_max ? bytes : r.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_DATA, &r), 0);
#else
    (void)bytes;
#endif
}

/* 20 GB a side: opened and walked through while it is read, under a limit of 512 MB. */
static void huge_tensors_are_paged(void **state)
{
    static const char *const names[] = {"target", "golden"};
    char dir[2][512];
    const char *base = scratch();
    struct tty t;
    bool sparse = true;
    (void)state;
    for (int i = 0; i < 2; i++) {
        snprintf(dir[i], sizeof dir[i], "%s/%s", base, names[i]);
        assert_int_equal(mkdir(dir[i], 0755), 0);
        sparse = make_huge(dir[i], i) && sparse;
    }
    if (sparse) {
        limit_memory((rlim_t)512 << 20);
        tty_start_on(&t, NULL, dir[0], dir[1]);
        limit_memory(RLIM_INFINITY);
        wait_text(&t, NOWHERE, "Functional.linear.0");
        wait_text(&t, 0, "compared");
        tty_send(&t, "\r");
        wait_text(&t, NOWHERE, "[1310720, 4096]");
        wait_text(&t, NOWHERE, "[0,0]  target 1  golden 1.5");
        wait_text(&t, NOWHERE, "sampled"); /* long before the end of 20 GB */
        tty_send(&t, ":at 1310719,4095\r");
        wait_text(&t, NOWHERE, "[1310719,4095]  target 3  golden 3.5");
        tty_send(&t, "++++++++++++");
        wait_text(&t, NOWHERE, "cell: one element");
        tty_send(&t, ":at 700000,123\r");
        wait_text(&t, NOWHERE, "[700000,123]  target 2  golden 2.5");
        tty_send(&t, "\x1b[6~");
        wait_text(&t, NOWHERE, "[70000"); /* a page below it */
        wait_gone(&t, NOWHERE, "sampled"); /* the page itself is whole */
        tty_send(&t, "G");
        wait_text(&t, NOWHERE, "[1310719,");
        tty_send(&t, "------------");
        wait_text(&t, NOWHERE, "sampled");
        long peak = peak_of(t.pid);
        if (peak > 512 * 1024)
            fail_msg("%ld kB", peak);
        tty_quit(&t, "qq");
    }
    for (int i = 0; i < 2; i++) {
        char path[1100];
        snprintf(path, sizeof path, "%s/%s", dir[i], TENSOR);
        unlink(path);
    }
    if (!sparse)
        skip();
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        TEST(huge_tensors_are_paged),
    };
    return terminal_ready(argc, argv) ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
