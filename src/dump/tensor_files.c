/* Opens the headers of an even share of a recording's tensor files and turns what is wrong into warnings of the
 * dump. */
#include "dump/tensor_files.h"

#include "base/msg.h"

#define LOOKED_AT 2048 /* opening one takes some 30 microseconds */

bool tensor_files_type_agrees(enum dtype in_file, enum dtype recorded)
{
    return !recorded || in_file == recorded || (recorded == DTYPE_BF16 && in_file == DTYPE_F32) ||
           dtype_table[recorded].klass == CLASS_COMPLEX;
}

static void look(struct tensor_files *s, const struct dump *d, uint32_t row)
{
    struct tensor t;
    struct err e;
    s->looked++;
    if (dump_tensor(d, row, &t, &e)) {
        if (e.code == ERR_IO && s->missing++ == 0)
            s->first_missing = e;
        else if (e.code != ERR_IO && s->broken++ == 0)
            s->first_broken = e;
        return;
    }
    bool made = d->given != NULL; /* of parts: the largest of whole numbers is given as float64 */
    if (!made && !tensor_files_type_agrees(t.dtype, d->rows.v[row].dtype) && s->types++ == 0) {
        s->first_type = row;
        s->in_file = t.dtype;
    }
    tensor_close(&t);
}

static bool has_file(const struct row *r)
{
    return (r->has & HAS_FILE) && !(r->has & IS_DAMAGED);
}

void tensor_files_look(struct tensor_files *s, const struct dump *d, const atomic_bool *cancel)
{
    uint64_t nth = 0;
    *s = (struct tensor_files){.first_type = NONE};
    if (!d->reader || !d->reader->tensor || d->reader->weights) /* a checkpoint's reader has looked at every tensor */
        return;
    for (uint32_t r = 0; r < d->rows.n; r++)
        s->files += has_file(&d->rows.v[r]);
    uint64_t want = s->files < LOOKED_AT ? s->files : LOOKED_AT;
    for (uint32_t r = 0; r < d->rows.n && s->looked < want && !(cancel && atomic_load(cancel)); r++)
        if (has_file(&d->rows.v[r])) {
            /* the k-th of `want` files stands at k × files / want */
            if (nth * want / s->files >= s->looked)
                look(s, d, r);
            nth++;
        }
}

void tensor_files_warn(const struct tensor_files *s, struct dump *d)
{
    struct buf b = {0}, name = {0};
    if (!d->rows.n)
        dump_warn(d, _("empty recording: the run stopped before writing, or has not written yet"));
    if (s->missing) {
        buf_fmt(&b, _("%u of %u tensor files checked are missing; the first: %s"), s->missing, s->looked,
                s->first_missing.text);
        dump_warn(d, b.p);
    }
    if (s->broken) {
        buf_clear(&b);
        buf_fmt(&b, _("%u of %u tensor files checked are empty or damaged; the first: %s"), s->broken, s->looked,
                s->first_broken.text);
        dump_warn(d, b.p);
    }
    if (s->types) {
        dump_row_name(d, s->first_type, &name);
        buf_clear(&b);
        buf_fmt(&b, _("%u of %u tensor files checked have another type than recorded; the first: %s, recorded as %s, "
                      "found %s"),
                s->types, s->looked, name.p, dtype_table[d->rows.v[s->first_type].dtype].name,
                dtype_table[s->in_file].name);
        dump_warn(d, b.p);
    }
    buf_release(&b);
    buf_release(&name);
}
