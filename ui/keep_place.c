/* Finds the folder of an investigation without a given file: the user's folder, otherwise the working folder, never a
 * dump. */
#include "ui/keep_place.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/inputs.h"
#include "base/io.h"
#include "base/mem.h"
#include "ui/user_folders.h"

void keep_place_look(struct keep_place *p)
{
    struct buf own = {0};
    struct err e;
    *p = (struct keep_place){.here = access(".", W_OK) ? NULL : "."};
    if (user_folder_made(&own, "XDG_STATE_HOME", ".local/state", &e))
        p->reason = mem_strdup(e.text);
    else
        p->own = mem_strdup(own.p);
    buf_release(&own);
}

void keep_place_release(struct keep_place *p)
{
    free(p->own);
    free(p->reason);
    *p = (struct keep_place){0};
}

static bool path_has_input_part(struct str path)
{
    struct str name;
    bool found = false;
    while (path.n && !found) {
        name = str_next(&path, '/');
        found = inputs_part(name);
    }
    return found;
}

static bool is_dump_of(struct str here, const char *input)
{
    char *full = realpath(input, NULL);
    struct str dump = str_of(full ? full : "");
    if (full && !path_is_dir(full))
        dump = path_parent(dump);
    bool is = full && inputs_belongs(here, dump);
    free(full);
    return is;
}

bool keep_place_is_dump(const char *folder, const char *const input[2])
{
    char *here = realpath(folder, NULL);
    bool is = !here || path_has_input_part(str_of(here));
    for (int i = 0; i < 2 && !is; i++)
        is = input[i] && is_dump_of(str_of(here), input[i]);
    free(here);
    return is;
}
