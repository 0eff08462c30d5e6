/* Finds runs of the program that wrote into one folder: the time is part of every file's name and statistic.csv is
 * appended to, so nothing is overwritten. A run is told by the pause before it, in which the program starts. */
#include "fmt/msdump.h"

#include "base/lines.h"
#include "base/msg.h"

#define PAUSE_LEAST 1000000 /* microseconds that a start takes at least */
#define PAUSE_TIMES 4       /* and how many times longer it is than any wait within the run */
#define LONGEST_LINE 4096   /* bytes: the names of a row stand at its beginning */

/* Where what was written behind the longest pause begins, from `from` on; n: the pause is not that of a start. */
static size_t behind_pause(const struct tensor_written *v, size_t n, size_t from)
{
    uint64_t longest = 0, within = 0;
    size_t at = n;
    for (size_t i = from; i < n; i++) {
        uint64_t pause = v[i].time > v[i - 1].time ? v[i].time - v[i - 1].time : 0;
        if (pause >= longest) {
            longest = pause;
            within = 0;
            at = i;
        } else if (pause > within) {
            within = pause;
        }
    }
    return longest >= PAUSE_LEAST && longest / PAUSE_TIMES >= within ? at : n;
}

/* Whether most tensors of both parts are those of the other one, too: what runs again is the program, and not a loop
 * in it. */
static bool are_alike(const struct tensor_written *v, size_t n, size_t at)
{
    struct nmap before = {0};
    size_t again = 0;
    for (size_t i = 0; i < at; i++)
        nmap_add(&before, v[i].key, 0);
    for (size_t i = at; i < n; i++)
        again += nmap_get(&before, v[i].key) != MAP_NONE;
    bool alike = 2 * again > n - at && 2 * again > before.n;
    nmap_release(&before);
    return alike;
}

size_t msdump_last_run(const struct tensor_written *v, size_t n)
{
    struct nmap behind = {0};
    size_t from = n, at = n;
    for (; from; from--) {
        nmap_add(&behind, v[from - 1].key, 0);
        if (behind.n < n - from + 1)
            break;
    }
    nmap_release(&behind);
    if (from)
        at = behind_pause(v, n, from);
    return at < n && are_alike(v, n, at) ? at : 0;
}

/* The tensor of a table's row by its names, which are the first columns of all versions; false: none of these. */
static bool row_written(struct str line, struct tensor_written *x)
{
    enum { TYPE, OP, TASK, STREAM, TIME, IO, SLOT, NAMES };
    static const int names[] = {TYPE, OP, IO, SLOT};
    struct str cell[NAMES], rest = line;
    unsigned long long time;
    for (int i = 0; i < NAMES; i++)
        if (!str_split(rest, ',', &cell[i], &rest))
            return false;
    if (!str_u64(cell[TIME], &time))
        return false;
    *x = (struct tensor_written){.time = time};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        x->key = hash_bytes(cell[names[i]].p, cell[names[i]].n, x->key);
    return true;
}

struct earlier_runs msdump_earlier_rows(const char *path)
{
    struct earlier_runs out = {0};
    struct lines l;
    struct str line;
    struct err quiet;
    VEC(struct tensor_written) rows = {0};
    VEC(uint64_t) begins = {0};
    if (lines_open(&l, path, LONGEST_LINE, true, &quiet))
        return out;
    bool read = lines_next(&l, &line, &quiet) == 1; /* the header */
    while (read && lines_next(&l, &line, &quiet) == 1) {
        struct tensor_written x;
        read = row_written(line, &x); /* of a row that cannot be read, the table's reader speaks */
        vec_push(&rows, x);
        vec_push(&begins, l.offset);
    }
    out.rows = read && rows.n ? msdump_last_run(rows.v, rows.n) : 0;
    if (out.rows) {
        out.begin = begins.v[0];
        out.end = begins.v[out.rows];
    }
    vec_release(&rows);
    vec_release(&begins);
    lines_close(&l);
    return out;
}

void msdump_tell_earlier(struct dump *d, const char *path, size_t values)
{
    dump_warn(d, arena_fmt(&d->arena, _("%s: the program was run again with this path; %zu values of its earlier runs "
                                        "are not read"), path, values));
}
