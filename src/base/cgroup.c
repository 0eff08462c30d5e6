/* Walks the folders of the cgroups that a process belongs to. */
#include "base/cgroup.h"

#include "base/io.h"

#define SMALL_FILE 65536

bool cgroup_file(const char *folder, const char *name, struct buf *out)
{
    struct buf path = {0};
    buf_clear(out);
    path_join(&path, folder, name);
    buf_reserve(out, SMALL_FILE);
    struct str got = file_head(path.p, out->p, SMALL_FILE);
    buf_release(&path);
    out->n = got.n;
    return got.p != NULL;
}

static uint64_t lesser_limit(uint64_t a, uint64_t b)
{
    return !a || (b && b < a) ? b : a;
}

/* Of a group and all above it: in a container its path may be the host's, and only the root is there. */
static uint64_t least_of_group(const char *root, struct str group, uint64_t (*limit)(const char *folder))
{
    struct buf folder = {0};
    uint64_t least = 0;
    for (;;) {
        buf_clear(&folder);
        buf_cstr(&folder, root);
        buf_str(&folder, group);
        least = lesser_limit(least, limit(folder.p));
        ptrdiff_t up = str_rfind(group, '/');
        if (up < 0)
            break;
        group = str_n(group.p, (size_t)up);
    }
    buf_release(&folder);
    return least;
}

static bool lists_controller(struct str controllers, const char *controller)
{
    struct str one;
    while (controllers.n) {
        one = str_next(&controllers, ',');
        if (str_is(one, controller))
            return true;
    }
    return false;
}

uint64_t cgroup_least(struct str list, const char *root, const char *controller, uint64_t (*limit)(const char *folder))
{
    struct str line, number, controllers, group;
    struct buf below = {0};
    uint64_t least = 0;
    while (list.n) {
        line = str_next(&list, '\n');
        str_split(line, ':', &number, &group);
        controllers = str_next(&group, ':');
        if (controllers.n && !lists_controller(controllers, controller))
            continue;
        buf_clear(&below);
        buf_cstr(&below, root);
        if (controllers.n)
            buf_fmt(&below, "/%s", controller);
        least = lesser_limit(least, least_of_group(below.p, group, limit));
    }
    buf_release(&below);
    return least;
}

uint64_t cgroup_own_least(const char *controller, uint64_t (*limit)(const char *folder))
{
    struct buf list = {0};
    uint64_t n = 0;
    if (cgroup_file("/proc/self", "cgroup", &list))
        n = cgroup_least(buf_view(&list), "/sys/fs/cgroup", controller, limit);
    buf_release(&list);
    return n;
}
