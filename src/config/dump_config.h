/* Checks configurations of dumping tools before a run is spent on them: what will be written, in how many parts, and
 * what would be missing for a comparison. A tool is a row in dump_config.c and a file of its own. */
#ifndef CONFIG_DUMP_CONFIG_H
#define CONFIG_DUMP_CONFIG_H

#include "config/settings.h"

enum dump_remark_weight { REMARK_NOTE, REMARK_ADVICE, REMARK_BAD };

struct dump_remark {
    enum dump_remark_weight weight;
    const char *key;  /* key of the configuration; "": the whole */
    const char *text; /* a sentence in the language in force */
};

struct dump_config {
    struct settings s;
    const char *tool;     /* "mindspore-dump" */
    uint64_t steps, ranks; /* to be written; 0: all */
    bool tensors, statistics; /* whether values and statistics are written */
    VEC(struct dump_remark) remarks;
    uint64_t bytes;       /* size of one recording of all calls, if a dump of the model was given; 0: unknown */
    size_t bad;
};

bool dump_config_probe(const char *path);
/* 0, or -1 with a sentence; release c in either case. */
int dump_config_open(struct dump_config *c, const char *path, struct err *e);
void dump_config_release(struct dump_config *c);
const char *dump_remark_name(enum dump_remark_weight w); /* "note", "advice", "bad" */

/* ---- for the tools ---- */

struct dump_tool {
    const char *name;
    bool (*sniff)(const struct settings *s);
    void (*lint)(struct dump_config *c);
};

enum dump_field_type {
    DUMP_TEXT,
    DUMP_NUMBER,
    DUMP_BOOL,
    DUMP_LIST, /* of texts and numbers */
    DUMP_TEXTS,
    DUMP_NUMBERS,
    DUMP_GROUP, /* an object whose fields stand in the table too */
    DUMP_CALL,  /* a function of a script: its arguments stand in the table too */
    DUMP_ANY,   /* and all that is in it */
};

struct dump_field {
    const char *key; /* "tensor.scope"; NULL behind the last */
    enum dump_field_type type;
    const char *words; /* what the text, or each of the list, may be: "high|low"; NULL: anything */
};

/* Says which fields of the configuration the tool does not have, and which are of another type. */
void dump_config_fields(struct dump_config *c, const struct dump_field *fields);
/* The value of a key, "" if absent. */
struct str dump_config_value(const struct dump_config *c, const char *key);
/* Number of elements of a list. */
size_t dump_config_count(const struct dump_config *c, const char *key);
/* The i-th element of a list as text. */
struct str dump_config_element(const struct dump_config *c, const char *key, size_t i);
void dump_config_say(struct dump_config *c, enum dump_remark_weight w, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Whether such a list of steps and ranges has a step. */
bool dump_config_has_step(struct str text, char between, int64_t step);
/* The number of steps in "0|5-8|100-120"; -1 for another form. "all" and "" give 0. */
int64_t dump_config_steps(struct str text, char between);

bool mindspore_dump_sniff(const struct settings *s);
void mindspore_dump_lint(struct dump_config *c);
bool msprobe_config_sniff(const struct settings *s);
void msprobe_config_lint(struct dump_config *c);
bool ptdbg_script_sniff(const struct settings *s);
void ptdbg_script_lint(struct dump_config *c);

#endif
