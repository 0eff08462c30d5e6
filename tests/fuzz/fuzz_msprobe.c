/* A msprobe folder: dump.json, stack.json and construct.json, cut apart at lines of "%%". Rows whose
 * data_name is x.npy or x.pt find a whole tensor, y.npy and y.pt the input's fourth part. */
#include "fuzz_dump.h"

#include "fmt/msprobe.h"

/* A float32 tensor of four elements. */
static const char npy[] = "\x93NUMPY\1\0\x36\0{'descr': '<f4', 'fortran_order': False, 'shape': (4,)}"
                          "\0\0\x80\x3f\0\0\xc0\x7f\0\0\x80\x7f\0\0\0";

static const char *folder(void)
{
    static char dir[600];
    if (*dir)
        return dir;
    snprintf(dir, sizeof dir, "%s/dump_tensor_data", fuzz_dir());
    if (mkdir(dir, 0755))
        abort();
    fuzz_put(dir, "x.npy", str_n(npy, sizeof npy));
    const char *pt = getenv("FUZZ_PT");
    struct buf b = {0};
    struct err e;
    if (pt && file_slurp(pt, 1 << 20, &b, &e) == 0)
        fuzz_put(dir, "x.pt", buf_view(&b));
    buf_release(&b);
    return dir;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_dump x;
    struct str rest = fuzz_str(data, size);
    struct err e = {0};
    const char *tensors = folder(), *dir = fuzz_dir();
    fuzz_put(dir, "dump.json", fuzz_part(&rest));
    fuzz_put(dir, "stack.json", fuzz_part(&rest));
    fuzz_put(dir, "construct.json", fuzz_part(&rest));
    fuzz_put(tensors, "y.npy", rest);
    fuzz_put(tensors, "y.pt", rest);
    if (fuzz_open(&x, &reader_msprobe, dir, &e) == 0)
        fuzz_check_dump(&x.dump);
    fuzz_close(&x);
    return 0;
}
