/* msprobe's databases: graphs, figures of dumps and of the monitor. */
#include "fuzz_dump.h"

#include "fmt/msprobe_trend.h"
#include "fmt/result_table.h"
#include "log/series.h"

static void read_all(const struct reader *reader, const char *path)
{
    place_list places = {0};
    reader->probe(path);
    reader->places(path, &places);
    for (size_t i = 0; i < places.n && i < 4; i++)
        for (uint8_t column = TARGET; column <= COLUMN_ALL; column++) {
            struct fuzz_dump x;
            struct err e = {0};
            if (fuzz_open_part(&x, reader, path, column, places.v[i].step, &e) == 0)
                fuzz_check_dump(&x.dump);
            fuzz_close(&x);
        }
    place_list_release(&places);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_put(fuzz_dir(), "x.db", fuzz_str(data, size));
    struct series s;
    struct log_options o = {0};
    struct err e = {0};
    read_all(&reader_msprobe_vis_db, path);
    read_all(&reader_msprobe_trend, path);
    series_open(&s, path, &o, &e);
    series_release(&s);
    return 0;
}
