/* Leaves the wrappers of data-parallel, sharded, compiled and recomputed modules out of their paths. */
#include "dump/module_path.h"

#include "base/mem.h"

/* In front, `module` may stand several times: wrappers of other kinds (float16, engines) use the same name. */
static bool is_wrapper(struct str part, bool in_front)
{
    static const char *const names[] = {"_fsdp_wrapped_module", "_orig_mod", "_checkpoint_wrapped_module",
                                        "_forward_module"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(part, names[i]))
            return true;
    return in_front && str_is(part, "module");
}

void module_path_plain(struct str path, struct buf *out)
{
    bool in_front = true;
    buf_clear(out);
    while (path.n) {
        struct str part = str_next(&path, '.');
        bool wrapper = is_wrapper(part, in_front);
        in_front = in_front && wrapper;
        if (!wrapper)
            buf_fmt(out, "%s%.*s", out->n ? "." : "", STR_ARG(part));
    }
}
