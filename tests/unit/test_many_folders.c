/* Trees of many steps and ranks: each folder is read once, however many recordings of the tree are opened. Counted, not
 * timed. */
#include "sessions.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "fmt/find_recordings.h"

enum { STEPS = 5, RANKS = 40, FOLDERS = 1 + STEPS + STEPS * RANKS };

static int listed; /* folders that were read */

/* In the place of libc's: every listing of a folder goes through it. */
DIR *opendir(const char *path);
DIR *opendir(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    listed++;
    return fd < 0 ? NULL : fdopendir(fd);
}

/* step0/rank0 … of a dump with one value each; the folder, to be freed. */
static char *tree(void)
{
    static const char dump[] =
        "{\"task\":\"statistics\",\"level\":\"L1\",\"framework\":\"pytorch\",\"data\":{\"Torch.mul.0.forward\":{"
        "\"input_args\":[{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[2],\"Max\":2,\"Min\":1,"
        "\"Mean\":1.5,\"Norm\":2.25}],"
        "\"output\":[{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[2],\"Max\":4,\"Min\":1,\"Mean\":"
        "2.5,\"Norm\":4.25}]}}}";
    char name[100], *dir = strdup(scratch());
    for (int step = 0; step < STEPS; step++)
        for (int rank = 0; rank < RANKS; rank++) {
            snprintf(name, sizeof name, "step%d/rank%d/dump.json", step, rank);
            put_text(dir, name, dump);
        }
    return dir;
}

static void each_folder_is_read_once(void **state)
{
    place_list l = {0};
    struct err e;
    char *dir = tree();
    (void)state;
    listed = 0;
    assert_int_equal(find_recordings(dir, &l, &e), 0);
    assert_int_equal(l.n, STEPS * RANKS);
    assert_int_equal(listed, FOLDERS);
    place_list_release(&l);
    free(dir);
}

static void links_are_read_once_more(void **state)
{
    place_list l = {0};
    struct err e;
    char *dir = tree();
    (void)state;
    assert_int_equal(symlink("step1", path_in(dir, "latest")), 0);
    assert_int_equal(symlink("..", path_in(dir, "step2/up")), 0);
    listed = 0;
    assert_int_equal(find_recordings(dir, &l, &e), 0);
    assert_int_equal(l.n, STEPS * RANKS);
    assert_int_equal(listed, FOLDERS + 2);
    place_list_release(&l);
    free(dir);
}

/* As `compare --rank all` does: one comparison after the other. */
static void compare_ranks(const char *target, const char *golden, struct found_trees *found, int ranks)
{
    for (int rank = 0; rank < ranks; rank++) {
        struct comparison_options o = {.path = {target, golden}, .step = {0, 0}, .rank = {rank, rank}, .found = found};
        const struct comparison *c = NULL;
        struct err e;
        thresholds_init(&o.tol);
        if (session_compare(&o, 1, &c, &e))
            fail_msg("%s", e.text);
        assert_int_equal(c->side[TARGET].dump.rank, rank);
        assert_int_equal(c->side[GOLDEN].places.n, STEPS * RANKS);
        comparison_drop(c);
    }
}

static void trees_are_walked_once_for_all(void **state)
{
    struct found_trees found = {0};
    char *target = tree(), *golden = tree();
    (void)state;
    listed = 0;
    compare_ranks(target, golden, &found, 1);
    int first = listed;
    assert_in_range(first, 2 * FOLDERS, 2 * FOLDERS + 4); /* and those of the recordings themselves */
    compare_ranks(target, golden, &found, RANKS);
    assert_in_range(listed - first, 0, 4 * RANKS);
    found_trees_release(&found);
    free(target);
    free(golden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_folder_is_read_once),
        cmocka_unit_test(links_are_read_once_more),
        cmocka_unit_test(trees_are_walked_once_for_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
