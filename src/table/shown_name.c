/* Row names as the table shows them. */
#include "table/shown_name.h"

#include <string.h>

#include "base/mem.h"

/* "Functional.linear.0.forward.input.1" → "Functional.linear.0.fwd.in.1": the words every name has give
 * way to the ones that tell it from others. */
static void shorten_joined(struct str name, struct buf *out)
{
    static const struct {
        const char *word, *twin;
    } words[] = {{"_forward", "_fwd"}, {"_backward", "_bwd"}, {"_input", "_in"}, {"_output", "_out"}};
    for (size_t i = 0; i < name.n;) {
        struct str rest = str_cut(name, i);
        size_t k = 0;
        while (k < ARRAY_LEN(words) && !str_starts(rest, words[k].word))
            k++;
        if (k < ARRAY_LEN(words)) {
            buf_cstr(out, words[k].twin);
            i += strlen(words[k].word);
        } else {
            buf_char(out, name.p[i++]);
        }
    }
}

void shown_name(struct str name, struct buf *out)
{
    /* ptdbg's names; # where one came again */
    static const char *const joined[] = {"_forward_", "_backward_", "_forward#", "_backward#"};
    for (size_t i = 0; i < ARRAY_LEN(joined); i++)
        if (str_has(name, joined[i])) {
            shorten_joined(name, out);
            return;
        }
    static const struct {
        const char *word, *twin;
    } words[] = {
        {"forward", "fwd"}, {"backward", "bwd"}, {"input", "in"}, {"output", "out"}, {"parameters", "par"}, {"parameters_grad", "grad"},
    };
    struct str rest = name, part;
    for (bool again = true, first = true; again; first = false) {
        again = str_split(rest, '.', &part, &rest);
        const char *twin = NULL;
        for (size_t i = 0; i < ARRAY_LEN(words); i++)
            if (str_is(part, words[i].word))
                twin = words[i].twin;
        if (!first)
            buf_char(out, '.');
        if (twin)
            buf_cstr(out, twin);
        else
            buf_str(out, part);
    }
}
