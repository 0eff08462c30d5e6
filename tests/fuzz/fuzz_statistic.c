/* A folder of MindSpore Dump: statistic.csv, mapping.csv, and names of .npy files, one a line, all of
 * which hold the fourth part; cut apart at lines of "%%". */
#include "fuzz_dump.h"

#include "fmt/msdump.h"

#define FILES 6

static bool usable(struct str name)
{
    return name.n && name.n < 200 && str_find(name, '/') < 0 && str_find(name, 0) < 0 && !str_is(name, ".") &&
           !str_is(name, "..") && !str_ends(name, ".csv");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_dump x;
    struct str rest = fuzz_str(data, size), names, line;
    struct err e = {0};
    const char *dir = fuzz_dir();
    char made[FILES][1024];
    int n = 0;
    fuzz_put(dir, "statistic.csv", fuzz_part(&rest));
    fuzz_put(dir, "mapping.csv", fuzz_part(&rest));
    names = fuzz_part(&rest);
    while (names.n && n < FILES) {
        char name[256];
        str_split(names, '\n', &line, &names);
        if (!usable(line))
            continue;
        memcpy(name, line.p, line.n);
        name[line.n] = 0;
        snprintf(made[n++], sizeof made[0], "%s", fuzz_put(dir, name, rest));
    }
    if (fuzz_open(&x, &reader_msdump, dir, &e) == 0)
        fuzz_check_dump(&x.dump);
    fuzz_close(&x);
    while (n > 0)
        unlink(made[--n]);
    return 0;
}
