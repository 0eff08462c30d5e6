/* A zip that holds settings: msprobe's config_check archive, or what torch.save wrote. Opened once, its files are read
 * by name. */
#ifndef CONFIG_SETTINGS_ARCHIVE_H
#define CONFIG_SETTINGS_ARCHIVE_H

#include "base/io.h"
#include "config/settings.h"

struct settings_archive {
    struct file f;
    struct zip *z;
};

int settings_archive_open(struct settings_archive *a, const char *path, struct err *e);
void settings_archive_close(struct settings_archive *a);
/* The text of a file; replaces `text`. 1, 0 if the archive lacks it, -1 if it is damaged. */
int settings_archive_text(struct settings_archive *a, const char *name, struct buf *text, struct err *e);
/* The same of the first file whose name ends so. */
int settings_archive_text_ending(struct settings_archive *a, const char *ending, struct buf *text, struct err *e);

/* Arguments that torch.save wrote; sets the form by them. */
int saved_arguments_read(struct settings *s, struct settings_archive *a, struct err *e);
/* Reads the files of msprobe's config_check archive that contain an environment. */
int environment_archive(struct settings *s, struct settings_archive *a, struct err *e);

#endif
