/* Reads and writes the file "log-names" in the user's state folder, which stores the names given by --log-names and
 * :log-names. */
#include "ui/log_names.h"

#include "base/file_write.h"
#include "base/io.h"
#include "log/value_names.h"
#include "ui/user_folders.h"

#define MOST 65536 /* bytes of it */

static size_t kept;

void log_names_read(void)
{
    struct buf path = {0}, text = {0};
    struct err quiet;
    if (user_folder_of(&path, "XDG_STATE_HOME", ".local/state"))
        buf_cstr(&path, "/log-names");
    if (path.n && path_is_file(path.p) && file_slurp(path.p, MOST, &text, &quiet) == 0)
        value_names_learn(buf_view(&text), &quiet);
    kept = value_names_count();
    buf_release(&path);
    buf_release(&text);
}

void log_names_keep(void)
{
    struct buf path = {0}, text = {0};
    struct err quiet;
    if (value_names_count() == kept)
        return;
    kept = value_names_count();
    value_names_learned(&text);
    if (user_folder_made(&path, "XDG_STATE_HOME", ".local/state", &quiet) == 0) {
        buf_cstr(&path, "/log-names");
        file_replace(path.p, buf_view(&text), &quiet);
    }
    buf_release(&path);
    buf_release(&text);
}
