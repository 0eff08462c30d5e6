/* Tensors of compiled graphs: names of files, a line each, all with the one tensor of $FUZZ_PT, those behind "%%" with
 * bytes of their own. */
#include "fuzz_dump.h"

#include "base/folder.h"
#include "fmt/aclgraph.h"

#define FILES 16

static bool usable(struct str name)
{
    return name.n && name.n <= 200 && !memchr(name.p, '/', name.n) && !memchr(name.p, 0, name.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = fuzz_str(data, size), names = fuzz_part(&rest), line;
    const char *tensor = getenv("FUZZ_PT");
    char step[600], folder[700], made[FILES][1000];
    struct fuzz_dump x;
    struct err e = {0};
    int n = 0;
    snprintf(step, sizeof step, "%s/step0", fuzz_dir());
    snprintf(folder, sizeof folder, "%s/dump_tensor_data", step);
    mkdir(step, 0777);
    mkdir(folder, 0777);
    while (names.n && n < FILES) {
        str_split(names, '\n', &line, &names);
        if (!usable(line))
            continue;
        snprintf(made[n], sizeof made[0], "%s/%.*s.pt", folder, STR_ARG(line));
        if (tensor && (!rest.n || n % 4) && link(tensor, made[n]) == 0)
            n++;
        else if (access(made[n], F_OK) != 0) {
            struct str base = path_base(str_of(made[n]));
            fuzz_put(folder, base.p, rest);
            n++;
        }
    }
    struct folder f = {0};
    if (folder_read(&f, step, 1000, &e) == 0)
        reader_aclgraph.probe_folder(&f);
    folder_release(&f);
    if (fuzz_open(&x, &reader_aclgraph, step, &e) == 0)
        fuzz_check_dump(&x.dump);
    fuzz_close(&x);
    while (n)
        unlink(made[--n]);
    rmdir(folder);
    rmdir(step);
    return 0;
}
