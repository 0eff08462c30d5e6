/* The forms of an environment: variables from env, /proc/PID/environ, a launch script or msprobe's config_check;
 * package versions from pip; both in one file, and as found in a log. A form is a row in environment_forms.c. Versions
 * are stored as variables named "version:torch". */
#ifndef CONFIG_ENVIRONMENT_FORMS_H
#define CONFIG_ENVIRONMENT_FORMS_H

#include "config/settings.h"

struct environment_form {
    const char *name, *title, *what; /* for people */
    bool (*sniff)(struct str text);
    /* Adds its variables; sets env_known if a missing variable is known to be unset. -1 only if the text does not
     * have this form. */
    int (*read)(struct settings *s, struct str text, struct err *e);
};

extern const struct environment_form environment_forms[]; /* ends with name NULL; the last accepts any text */

/* Reads text of any form into s. -1 if it contains no environment. */
int environment_take(struct settings *s, const char *name, struct str text, struct err *e);

/* ---- forms with a file of their own ---- */

bool packages_sniff(struct str text);
int packages_read(struct settings *s, struct str text, struct err *e);
/* "torch-npu==2.1.0", as pip freeze has it: stores the version. False if the line is none of these. */
bool package_pinned(struct settings *s, struct str line, uint32_t n);
/* "NAME=value", as env has it, and bash's `declare -x`: stores the variable. False if the line is none of these. */
bool environment_line(struct settings *s, struct str line, uint32_t n);
/* Variables of the checklist and versions of its packages, found anywhere in a log; the first occurrence counts. */
int environment_in_log(struct settings *s, struct str text, struct err *e);
/* Stores a version unless one is known: "Torch-NPU" becomes "version:torch_npu". */
void version_export(struct settings *s, struct str name, struct str version, uint32_t line);
/* The version number at the beginning of the text: "2.1.0+cu121", "8.0.RC3"; empty if there is none. */
struct str version_at(struct str text);

#endif
