/* Arguments of a run saved by torch.save: training_args.bin of Hugging Face's trainer, and the argparse.Namespace
 * that a Megatron checkpoint stores as "args". The pickle is read as data (fmt/pickle.h): its classes are not needed,
 * and nothing in it is executed. */
#include "base/msg.h"
#include "base/num.h"
#include "config/settings_archive.h"
#include "fmt/pickle.h"

/* The text of a plain value; "IntervalStrategy('steps')" is steps. False for lists, dictionaries and objects. */
static bool pickled_value_text(const struct pickle *p, struct buf *out, enum setting_state *state)
{
    char number[NUM_MAX];
    *state = SETTING_TEXT;
    buf_clear(out);
    switch (p->kind) {
    case PICKLE_NONE:
        *state = SETTING_NULL;
        buf_cstr(out, "None");
        return true;
    case PICKLE_BOOL:
        buf_cstr(out, p->i ? "True" : "False");
        return true;
    case PICKLE_INT:
        buf_fmt(out, "%lld", (long long)p->i);
        return true;
    case PICKLE_FLOAT:
        buf_cstr(out, num_exact(number, p->f));
        return true;
    case PICKLE_TEXT:
        buf_str(out, p->text);
        return true;
    case PICKLE_GLOBAL: /* torch.bfloat16 */
        buf_str(out, p->text);
        for (size_t i = 0; i < out->n; i++)
            out->p[i] = out->p[i] == ' ' ? '.' : out->p[i];
        return true;
    case PICKLE_CALL:
        return p->n == 2 && p->item[0]->kind == PICKLE_GLOBAL && p->item[1]->kind == PICKLE_TUPLE &&
               p->item[1]->n == 1 && p->item[1]->item[0]->kind == PICKLE_TEXT &&
               pickled_value_text(p->item[1]->item[0], out, state);
    default:
        return false;
    }
}

static int take_state(struct settings *s, const struct pickle *state, const char *prefix, struct err *e)
{
    struct buf key = {0}, value = {0};
    int rc = 0;
    for (uint32_t i = 0; i + 1 < state->n && rc == 0; i += 2) {
        const struct pickle *name = state->item[i];
        enum setting_state is;
        if (name->kind != PICKLE_TEXT || str_starts(name->text, "_") || name->text.n > 200 ||
            !pickled_value_text(state->item[i + 1], &value, &is) || value.n > SETTINGS_TEXT)
            continue;
        buf_clear(&key);
        buf_fmt(&key, "%s%.*s", prefix, STR_ARG(name->text));
        rc = settings_add(s, buf_view(&key), name->text, buf_view(&value), is, 0, e);
    }
    buf_release(&key);
    buf_release(&value);
    return rc;
}

static int none_in(const char *path, struct err *e)
{
    return err_set(e, ERR_DATA, _("%s: expected training arguments (training_args.bin, or a checkpoint with Megatron's "
                                  "args) in this archive"), path);
}

static int take_saved_object(struct settings *s, const char *path, const struct pickle *root, struct err *e)
{
    const struct pickle *args = root->kind == PICKLE_DICT ? pickle_get(root, "args") : root;
    bool object = args && args->kind == PICKLE_CALL && args->n >= 3 && args->item[0]->kind == PICKLE_GLOBAL &&
                  args->item[2]->kind == PICKLE_DICT;
    if (object && pickle_is_global(args->item[0], "argparse Namespace")) {
        s->kind = "megatron-args";
        s->dialect = DIALECT_MEGATRON;
        s->sections |= SECTION_MODEL | SECTION_TRAINING;
        return take_state(s, args->item[2], "", e);
    }
    if (object && pickle_get(args->item[2], "per_device_train_batch_size")) {
        s->kind = "training-args";
        s->dialect = DIALECT_HF;
        s->sections |= SECTION_TRAINING;
        return take_state(s, args->item[2], "args.", e);
    }
    return none_in(path, e);
}

int saved_arguments_read(struct settings *s, struct settings_archive *z, struct err *e)
{
    struct arena a = {0};
    struct buf text = {0};
    const char *path = z->f.name;
    int there = settings_archive_text_ending(z, "data.pkl", &text, e);
    int rc = there == 0 ? none_in(path, e) : there < 0 ? -1 : 0;
    const struct pickle *root = rc == 0 ? pickle_parse(buf_view(&text), &a, path, NULL, e) : NULL;
    rc = root ? take_saved_object(s, path, root, e) : -1;
    buf_release(&text);
    arena_release(&a);
    return rc;
}
