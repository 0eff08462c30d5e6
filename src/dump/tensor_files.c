/* Opens the headers of an evenly spread sample of a recording's tensor files and adds warnings to the dump. */
#include "dump/tensor_files.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/msg.h"
#include "base/threads.h"
#include "base/vec.h"

#define LOOKED_AT 2048 /* opening a file takes about 30 microseconds */

bool tensor_file_open(struct tensor_file *f, const struct dump *d, uint32_t row, struct tensor *t)
{
    struct err e;
    *f = (struct tensor_file){.tried = true};
    if (dump_tensor(d, row, t, &e)) {
        f->failed = mem_alloc(sizeof e);
        *f->failed = e;
        return false;
    }
    return true;
}

void tensor_file_release(struct tensor_file *f)
{
    free(f->failed);
    f->failed = NULL;
}

struct looking {
    const struct dump *d;
    uint32_t row[LOOKED_AT];
    struct tensor_file file[LOOKED_AT];
};

static void look_at_tensor_file(void *ctx, size_t i)
{
    struct looking *l = ctx;
    struct tensor t;
    if (tensor_file_open(&l->file[i], l->d, l->row[i], &t))
        tensor_close(&t);
}

void tensor_files_count(struct tensor_files *s, uint32_t row, const struct tensor_file *f)
{
    if (!f->tried)
        return;
    s->looked++;
    if (f->failed && f->failed->code == ERR_IO && s->missing++ == 0)
        s->first_missing = *f->failed;
    else if (f->failed && f->failed->code != ERR_IO)
        vec_push(&s->broken, ((struct broken_file){row, mem_strdup(f->failed->text)}));
}

void tensor_files_look(struct tensor_files *s, const struct dump *d,
                       bool (*opened)(const struct dump *d, uint32_t row), const atomic_bool *cancel)
{
    VEC(uint32_t) files = {0};
    *s = (struct tensor_files){0};
    if (!d->reader || !d->reader->tensor || d->reader->weights) /* the reader of a checkpoint has examined every
                                                                 * tensor */
        return;
    for (uint32_t r = 0; r < d->rows.n; r++)
        if ((d->rows.v[r].has & HAS_FILE) && !(d->rows.v[r].has & IS_DAMAGED) && !(opened && opened(d, r)))
            vec_push(&files, r);
    size_t n = files.n < LOOKED_AT ? files.n : LOOKED_AT;
    if (n) {
        struct looking *l = mem_zalloc(sizeof *l);
        l->d = d;
        for (size_t i = 0; i < n; i++)
            l->row[i] = files.v[(i * files.n + n - 1) / n];
        s->far = threads_each(n, cancel, look_at_tensor_file, l) >= TENSOR_FILES_FAR;
        for (size_t i = 0; i < n && !(cancel && atomic_load(cancel)); i++)
            tensor_files_count(s, l->row[i], &l->file[i]);
        for (size_t i = 0; i < n; i++)
            tensor_file_release(&l->file[i]);
        free(l);
    }
    vec_release(&files);
}

void tensor_files_warn(const struct tensor_files *s, struct dump *d)
{
    struct buf b = {0};
    if (!d->rows.n)
        dump_warn(d, _("empty recording: the run stopped before writing, or has not written yet"));
    if (s->missing) {
        buf_fmt(&b, _("%u of %u tensor files checked are missing; the first: %s"), s->missing, s->looked,
                s->first_missing.text);
        dump_warn(d, b.p);
    }
    if (s->broken.n) {
        buf_clear(&b);
        buf_fmt(&b, _("%zu of %u tensor files checked are empty or damaged; the first: %s"), s->broken.n, s->looked,
                s->broken.v[0].why);
        dump_warn(d, b.p);
    }
    tensor_files_tell(s, d);
    buf_release(&b);
}

void tensor_files_tell(const struct tensor_files *s, struct dump *d)
{
    for (size_t i = 0; i < s->broken.n; i++)
        dump_problem(d, s->broken.v[i].row, "damaged", s->broken.v[i].why);
}

void tensor_files_release(struct tensor_files *s)
{
    for (size_t i = 0; i < s->broken.n; i++)
        free(s->broken.v[i].why);
    vec_release(&s->broken);
}
