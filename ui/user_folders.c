/* Finds the user's folder of a kind (configuration, state, cache): from its XDG variable, otherwise below HOME. */
#include "ui/user_folders.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/msg.h"

bool user_folder_of(struct buf *out, const char *variable, const char *otherwise)
{
    const char *base = getenv(variable), *home = getenv("HOME");
    buf_clear(out);
    if (base && *base == '/')
        buf_fmt(out, "%s/diverge", base);
    else if (home && *home == '/')
        buf_fmt(out, "%s/%s/diverge", home, otherwise);
    return out->n > 0;
}

int user_folder_made(struct buf *out, const char *variable, const char *otherwise, struct err *e)
{
    if (!user_folder_of(out, variable, otherwise))
        return err_set(e, ERR_IO, _("no folder: set %s or HOME"), variable);
    return path_make(out->p) || access(out->p, W_OK) ? err_system(e, out->p) : 0;
}
