/* Searches intervention.json, {"kind":"diverge-intervention","row":NAME,…}. */
#include "dump/intervention.h"

#include "base/io.h"
#include "base/json_read.h"
#include "base/json_tree.h"

#define NAME "intervention.json"
#define LIMIT 65536
#define LEVELS 4 /* the file's folder and three above: DUMP/stepN/rankN/dump.json, and the hook's folder */
#define LONGEST 2048

const char *intervention_of(const char *path, struct arena *a)
{
    struct buf at = {0}, file = {0};
    const char *row = NULL;
    buf_cstr(&at, path);
    for (int i = 0; i < LEVELS && !row && at.n; i++) {
        struct err quiet;
        path_join(&file, at.p, NAME);
        cJSON *v = path_is_file(file.p) ? json_load(file.p, LIMIT, &quiet) : NULL;
        const cJSON *kind = json_member(v, "kind"), *name = json_member(v, "row");
        if (cJSON_IsString(kind) && strcmp(kind->valuestring, "diverge-intervention") == 0 && cJSON_IsString(name) &&
            *name->valuestring && strlen(name->valuestring) < LONGEST)
            row = arena_cstr(a, str_of(name->valuestring));
        cJSON_Delete(v);
        struct str above = path_parent(buf_view(&at));
        if (above.n >= at.n)
            break;
        at.n = above.n;
        at.p[at.n] = 0;
    }
    buf_release(&at);
    buf_release(&file);
    return row;
}
