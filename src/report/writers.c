#include "report/compare.h"
#include "report/formats.h"

const struct writer writers[] = {
    {".json", "json", compare_json},
    {".csv", "csv", compare_csv},
    {0},
};

const struct writer *writer_for(const char *path)
{
    for (const struct writer *w = writers; w->ext; w++)
        if (str_ends(str_of(path), w->ext))
            return w;
    return NULL;
}
