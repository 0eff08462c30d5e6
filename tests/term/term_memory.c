/* The memory a whole process takes where --memory bounds it: less than without, for the same bytes; a bound that
 * nothing fits in is an error with a sentence. */
#include "terminal.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tensors.h"

#define RANKS 8
#define ELEMENTS (3u << 17)
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1
#define BOUND "2G" /* a sanitizer's own memory is resident too: only the bytes are compared */
#else
#define SANITIZED 0
#define BOUND "64M"
#endif

/* Data-parallel ranks that reduce one large tensor: 8 MB a member as it is computed. */
static const char *make_reduction(void)
{
    const char *dir = scratch();
    float *in = malloc(ELEMENTS * sizeof *in), *out = malloc(ELEMENTS * sizeof *out);
    char sizes[20], rank[300];
    snprintf(sizes, sizeof sizes, "%u", ELEMENTS);
    for (unsigned i = 0; i < ELEMENTS; i++) {
        in[i] = (float)(i % 1000) / 8;
        out[i] = RANKS * in[i] + (i == 12345 ? 30000 : 0); /* wrong in one place */
    }
    for (int r = 0; r < RANKS; r++) {
        struct tensor_dump d;
        snprintf(rank, sizeof rank, "step0/rank%d/stack.json", r);
        put_text(dir, rank, "{}");
        snprintf(rank, sizeof rank, "step0/rank%d/construct.json", r);
        put_text(dir, rank, "{}");
        snprintf(rank, sizeof rank, "%s/step0/rank%d", dir, r);
        tensors_begin_at(&d, rank);
        tensors_pass(&d, "Distributed.all_reduce.0.forward", sizes, in, out, ELEMENTS);
        tensors_end(&d);
    }
    free(in);
    free(out);
    return dir;
}

/* Peak in KiB of a comparison of the job with itself; its exit status. */
static long run(const char *dir, const char *memory, const char *output, int *status)
{
    struct rusage use;
    char log[1300];
    snprintf(log, sizeof log, "%s.log", output);
    pid_t child = fork();
    if (child == 0) {
        int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(fd, 2);
        execl(program, program, "compare", dir, dir, "--layout-target", "dp=8", "--layout-golden", "dp=8",
              "--workers", "1", "--no-cache", "-q", "-o", output, memory ? "--memory" : NULL, memory, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(wait4(child, status, 0, &use), child);
    *status = WEXITSTATUS(*status);
    return use.ru_maxrss;
}

static void less_is_held_for_the_same_result(void **state)
{
    char path[2][400], dir[300];
    snprintf(dir, sizeof dir, "%s", make_reduction());
    const char *out = scratch(); /* nothing is written into a recording */
    int status[2];
    (void)state;
    snprintf(path[0], sizeof path[0], "%s/free.ranks.json", out);
    snprintf(path[1], sizeof path[1], "%s/bound.ranks.json", out);
    long all = run(dir, "4G", path[0], &status[0]), bound = run(dir, BOUND, path[1], &status[1]);
    assert_int_equal(status[0], 1);
    assert_int_equal(status[1], 1);
    char *x = contents(out, "free.ranks.json"), *y = contents(out, "bound.ranks.json");
    assert_non_null(strstr(x, "\"kind\":\"collective\""));
    assert_string_equal(x, y);
    free(x);
    free(y);
    assert_true(SANITIZED || bound < 64 * 1024);
    assert_true(SANITIZED || all > 2 * bound - 16 * 1024);
    run(dir, "100K", path[1], &status[1]);
    assert_int_equal(status[1], 6);
    x = contents(out, "bound.ranks.json.log");
    assert_non_null(strstr(x, "more memory is needed than the limit of 102 kB"));
    free(x);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {TEST(less_is_held_for_the_same_result)};
    return terminal_ready(argc, argv) ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
