/* Reads the lines around a given one of a text file in a job; of several requests the last is read next. */
#include "base/file_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/msg.h"

#define LARGEST (8u << 20) /* the largest source file read, in bytes */

static int read_lines_around(struct job *j, void *ctx, struct err *e)
{
    struct file_lines *f = ctx;
    struct buf all = {0};
    struct str rest, line;
    uint32_t n = 0;
    (void)j;
    buf_clear(&f->text);
    f->first = f->reading_line > FILE_LINES_AROUND ? f->reading_line - FILE_LINES_AROUND : 1;
    if (!path_is_file(f->reading) || file_slurp(f->reading, LARGEST, &all, e)) {
        buf_release(&all);
        return err_set(e, ERR_DATA, "%s", _("the file is missing or cannot be read"));
    }
    for (rest = buf_view(&all); rest.n && n < f->reading_line + FILE_LINES_AROUND;) {
        line = str_next(&rest, '\n');
        if (++n < f->first)
            continue;
        buf_str(&f->text, line);
        buf_char(&f->text, '\n');
    }
    buf_release(&all);
    return n < f->reading_line ? err_set(e, ERR_DATA, "%s", _("the file has fewer lines")) : 0;
}

void file_lines_init(struct file_lines *f, void (*notify)(void *ctx), void *ctx)
{
    *f = (struct file_lines){.line = 0};
    job_init(&f->job, notify, ctx);
}

void file_lines_release(struct file_lines *f)
{
    job_release(&f->job);
    free(f->path);
    free(f->reading);
    buf_release(&f->text);
}

static bool is_request_read(const struct file_lines *f)
{
    return f->reading && f->path && f->reading_line == f->line && strcmp(f->reading, f->path) == 0;
}

/* Takes a finished result, and starts the next request. */
static void start_next_request(struct file_lines *f)
{
    if (job_busy(&f->job))
        return;
    enum job_state end = job_take(&f->job);
    if (end != JOB_IDLE)
        f->state = end == JOB_DONE ? FILE_LINES_HERE : FILE_LINES_ABSENT;
    if (!f->path || is_request_read(f))
        return;
    free(f->reading);
    f->reading = mem_strdup(f->path);
    f->reading_line = f->line;
    f->state = FILE_LINES_READING;
    if (job_start(&f->job, read_lines_around, f))
        f->state = FILE_LINES_ABSENT;
}

enum file_lines_state file_lines_ask(struct file_lines *f, const char *path, uint32_t line)
{
    if (!f->path || f->line != line || strcmp(f->path, path) != 0) {
        free(f->path);
        f->path = mem_strdup(path);
        f->line = line;
    }
    start_next_request(f);
    return is_request_read(f) ? f->state : FILE_LINES_READING;
}

bool file_lines_at(const struct file_lines *f, uint32_t number, struct str *out)
{
    struct str rest = buf_view(&f->text);
    if (f->state != FILE_LINES_HERE || !is_request_read(f) || number < f->first)
        return false;
    for (uint32_t n = f->first; rest.n; n++) {
        str_split(rest, '\n', out, &rest);
        if (n == number)
            return true;
    }
    return false;
}

void file_lines_wait(struct file_lines *f)
{
    job_wait(&f->job, NULL, NULL, 0);
    start_next_request(f);
    job_wait(&f->job, NULL, NULL, 0);
    start_next_request(f);
}
