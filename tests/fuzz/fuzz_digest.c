/* A digest: found, each of its places opened, and its sketches held against each other. */
#include "fuzz_dump.h"

#include "fmt/digest.h"
#include "fmt/find_recordings.h"
#include "num/sketch.h"

static void open_place(const struct place *p)
{
    struct fuzz_dump x = {.part = {p->paths.v[0]}};
    struct err e = {0};
    dump_init(&x.dump);
    pthread_mutex_init(&x.lock, NULL);
    x.load.lock = &x.lock;
    x.dump.reader = p->reader;
    x.dump.path = p->paths.v[0];
    x.dump.step = p->step;
    x.dump.rank = p->rank;
    if (x.dump.reader->open(&x.dump, &x.load, &e) == 0) {
        x.dump.complete = true;
        fuzz_check_dump(&x.dump);
        digest_precision(&x.dump);
        for (size_t i = 0; i + 1 < x.dump.rows.n; i++)
            sketch_distance(x.dump.sketch + i * SKETCH_NUMBERS, x.dump.sketch + (i + 1) * SKETCH_NUMBERS);
    }
    fuzz_close(&x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    place_list l = {0};
    struct err e = {0};
    struct buf path = {0};
    fuzz_put(fuzz_dir(), "a.digest", fuzz_str(data, size));
    path_join(&path, fuzz_dir(), "a.digest");
    if (find_recordings(path.p, &l, &e) == 0)
        for (size_t i = 0; i < l.n && i < 8; i++)
            if (l.v[i].reader == &reader_digest)
                open_place(&l.v[i]);
    place_list_release(&l);
    buf_release(&path);
    return 0;
}
