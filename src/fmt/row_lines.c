/* Batches and the end of reading a text file of rows. */
#include "fmt/row_lines.h"

#include "base/msg.h"

void row_lines_pause(const struct lines *l, struct load *load, unsigned batch)
{
    if (l->number % batch == 0) {
        load_end(load);
        load_begin(load);
    }
}

int row_lines_end(struct lines *l, const struct dump *d, struct map *runs, int more, struct err *e)
{
    if (more == 0 && !d->rows.n)
        more = err_set(e, ERR_DATA, _("%s: no row in this file"), d->path);
    lines_close(l);
    map_release(runs);
    return more < 0 ? -1 : 0;
}
