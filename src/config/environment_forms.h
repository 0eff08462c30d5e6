/* The forms an environment comes in: variables as env, /proc/PID/environ, a launch script or msprobe's config_check
 * tell them; versions of packages as pip lists them; and what a log says of either. A form is a row in
 * environment_forms.c. Versions are kept beside the variables, as "version:torch". */
#ifndef CONFIG_ENVIRONMENT_FORMS_H
#define CONFIG_ENVIRONMENT_FORMS_H

#include "config/settings.h"

struct environment_form {
    const char *name, *title, *what; /* for people */
    bool (*sniff)(struct str text);
    /* Exports what it tells; env_known where what is not in it is unset. -1 only where it is none after all. */
    int (*read)(struct settings *s, struct str text, struct err *e);
};

extern const struct environment_form environment_forms[]; /* name NULL at the end; the last takes any text */

/* Reads text of any of the forms into s. -1 where nothing in it tells of an environment. */
int environment_take(struct settings *s, const char *name, struct str text, struct err *e);
/* The files of msprobe's config_check archive that tell of one. */
int environment_archive(struct settings *s, const char *path, struct err *e);

/* ---- forms with a file of their own ---- */

bool packages_sniff(struct str text);
int packages_read(struct settings *s, struct str text, struct err *e);
/* Variables of the checklist and versions of what it names, wherever a line has them; the first one counts. */
int environment_in_log(struct settings *s, struct str text, struct err *e);
/* Keeps a version unless one is known: "Torch-NPU" is "version:torch_npu". */
void version_export(struct settings *s, struct str name, struct str version, uint32_t line);
/* The version number at the beginning of the text: "2.1.0+cu121", "8.0.RC3"; empty where none stands there. */
struct str version_at(struct str text);

#endif
