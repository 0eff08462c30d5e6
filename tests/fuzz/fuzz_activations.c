/* Values of a step: a file of tensors, and behind "%%" the names of torch files in a folder, all with the one tensor of
 * $FUZZ_PT. */
#include "fuzz_dump.h"

#include <sys/stat.h>
#include <unistd.h>

#include "fmt/weights_dump.h"

static void one(const struct reader *r, const char *path)
{
    struct fuzz_dump x;
    struct err e = {0};
    if (fuzz_open(&x, r, path, &e) == 0)
        fuzz_check_dump(&x.dump);
    fuzz_close(&x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = fuzz_str(data, size), first = fuzz_part(&rest), line;
    const char *dir = fuzz_dir(), *tensor = getenv("FUZZ_PT");
    char path[600], sub[600], name[900];
    snprintf(path, sizeof path, "%s", fuzz_put(dir, "x.safetensors", first));
    one(&reader_safetensors, path);
    snprintf(sub, sizeof sub, "%s/folder", dir);
    mkdir(sub, 0777);
    char made[16][900];
    int n = 0;
    while (rest.n && n < 16 && tensor) {
        str_split(rest, '\n', &line, &rest);
        if (!line.n || line.n > 200 || memchr(line.p, '/', line.n) || memchr(line.p, 0, line.n))
            continue;
        snprintf(name, sizeof name, "%s/%.*s.pt", sub, STR_ARG(line));
        if (link(tensor, name) == 0)
            snprintf(made[n++], sizeof made[0], "%s", name);
    }
    if (n)
        one(&reader_torch, sub);
    while (n)
        unlink(made[--n]);
    rmdir(sub);
    return 0;
}
