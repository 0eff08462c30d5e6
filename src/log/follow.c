/* Follows a growing log: only the appended part is read if this gives the same result as reading the whole file. */
#include <stdlib.h>

#include "log/series_builder.h"

/* Whether an appended part can be read alone: the log is one text file with steps, without named series (whose names
 * and counted steps depend on the whole file). */
static bool can_follow(const struct series *old, const char *path)
{
    uint64_t id[2], stamp[2];
    return old && (old->tail.id[0] || old->tail.id[1]) && old->files.n == 1 && old->unread.n == (old->tail.cut != 0) &&
           old->records.n && !old->stepless && !old->in_samples && !old->names.n && !old->points.n &&
           strcmp(old->path, path) == 0 && path_identity(path, id) && id[0] == old->tail.id[0] &&
           id[1] == old->tail.id[1] && path_changed(path, stamp) &&
           stamp[1] >= old->tail.at;
}

/* Reads the part after the tail; -1 if it cannot be read. */
static int read_appended_part(struct series *part, const struct series *old, const char *path,
                              const struct log_options *o)
{
    struct file f;
    struct series_builder k;
    struct err quiet;
    if (file_open(&f, path, &quiet))
        return -1;
    part->unit = "line";
    part->format = old->format;
    part->framework = old->framework;
    part->tail = old->tail;
    struct log_file entry = old->files.v[0];
    entry.path = arena_cstr(&part->arena, str_of(path));
    vec_push(&part->files, entry);
    series_builder_init(&k, part, &f, o ? o->cancel : NULL);
    k.growing = o && o->growing;
    k.last_step = vec_last(&old->records)->step;
    int rc = log_read_lines(&k, &quiet);
    if (rc == 0 && !log_cancelled(&k))
        series_builder_end(&k);
    rc = rc || log_cancelled(&k) ? -1 : 0;
    series_builder_release(&k);
    file_close(&f);
    return rc;
}

/* Whether the part allows appending: steps increase, the format is the same, and there are no warnings. */
static bool can_append_part(const struct series *part, const struct series *old)
{
    /* a record cut off at the end is not a warning */
    if (part->notes.n || part->unread.n > (part->tail.cut != 0) || part->points.n)
        return false;
    if (!part->records.n)
        return true;
    return !part->names.n && strcmp(part->format, old->format) == 0 &&
           part->records.v[0].step > vec_last(&old->records)->step &&
           part->records.v[0].kind == old->records.v[0].kind &&
           old->records.n + part->records.n < LOG_RECORDS;
}

static void put_together(struct series *s, const struct series *old, const struct series *part, const char *path)
{
    *s = *old;
    s->arena = (struct arena){0};
    memset(&s->files, 0, sizeof s->files);
    memset(&s->records, 0, sizeof s->records);
    memset(&s->notes, 0, sizeof s->notes);
    memset(&s->unread, 0, sizeof s->unread);
    s->path = arena_cstr(&s->arena, str_of(path));
    s->tail = part->tail;
    struct log_file file = old->files.v[0];
    file.path = s->path;
    file.lines = part->files.v[0].lines;
    file.records = old->files.v[0].records + part->records.n;
    file.real_loss = file.real_loss || part->files.v[0].real_loss;
    vec_push(&s->files, file);
    for (size_t i = 0; i < old->notes.n; i++)
        vec_push(&s->notes, arena_cstr(&s->arena, str_of(old->notes.v[i])));
    for (size_t i = 0; i < part->unread.n; i++) /* the old one's record has gone on since */
        series_unread(s, part->unread.v[i].text, part->unread.v[i].rank, part->unread.v[i].whole);
    s->tail.cut = part->tail.cut ? (uint32_t)s->unread.n : 0;
    vec_reserve(&s->records, old->records.n + part->records.n);
    memcpy(s->records.v, old->records.v, old->records.n * sizeof *s->records.v);
    if (part->records.n)
        memcpy(s->records.v + old->records.n, part->records.v, part->records.n * sizeof *s->records.v);
    s->records.n = old->records.n + part->records.n;
    for (int v = 0; v < LOG_VALUES; v++)
        if (part->digit[v] > 0 && (s->digit[v] <= 0 || part->digit[v] < s->digit[v]))
            s->digit[v] = part->digit[v];
}

int series_open_after(struct series *s, const struct series *old, const char *path, const struct log_options *o,
                      struct err *e)
{
    struct series part = {0};
    bool done = false;
    if (can_follow(old, path) && read_appended_part(&part, old, path, o) == 0 && can_append_part(&part, old)) {
        put_together(s, old, &part, path);
        done = series_interval(s) == old->interval;
        if (!done)
            series_release(s);
    }
    series_release(&part);
    return done ? 0 : series_open(s, path, o, e);
}
