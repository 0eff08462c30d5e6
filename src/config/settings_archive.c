/* The files of a zip that holds settings, and msprobe's archive of an environment. */
#include "config/settings_archive.h"

#include "base/msg.h"
#include "config/environment_forms.h"
#include "fmt/zip.h"

int settings_archive_open(struct settings_archive *a, const char *path, struct err *e)
{
    a->z = NULL;
    if (file_open(&a->f, path, e))
        return -1;
    a->z = zip_open(&a->f, e);
    if (a->z)
        return 0;
    file_close(&a->f);
    return -1;
}

void settings_archive_close(struct settings_archive *a)
{
    zip_close(a->z);
    file_close(&a->f);
}

static int read_member(struct settings_archive *a, int there, const struct zip_member *m, struct buf *text,
                       struct err *e)
{
    buf_clear(text);
    return there == 1 && zip_read(&a->f, m, SETTINGS_BYTES, text, e) ? -1 : there;
}

int settings_archive_text(struct settings_archive *a, const char *name, struct buf *text, struct err *e)
{
    struct zip_member m;
    int there = zip_find(a->z, name, &m, e);
    return read_member(a, there, &m, text, e);
}

int settings_archive_text_ending(struct settings_archive *a, const char *ending, struct buf *text, struct err *e)
{
    struct zip_member m;
    int there = zip_find_suffix(a->z, ending, &m, NULL, e);
    return read_member(a, there, &m, text, e);
}

int environment_archive(struct settings *s, struct settings_archive *a, struct err *e)
{
    static const char *const members[] = {"env", "pip"};
    const char *path = a->f.name;
    struct buf text = {0};
    int found = 0, rc = 0;
    for (size_t i = 0; i < ARRAY_LEN(members) && rc == 0; i++) {
        int there = settings_archive_text(a, members[i], &text, e);
        found += there == 1;
        rc = there < 0 ? -1 : there ? environment_take(s, path, buf_view(&text), e) : 0;
    }
    if (rc == 0 && !found)
        rc = err_set(e, ERR_DATA, _("%s: no env and pip in this archive: not written by msprobe config_check"), path);
    buf_release(&text);
    return rc;
}
