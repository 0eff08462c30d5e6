/* The settings of one training run as found in its files: flattened names and values as text, and the environment.
 * Nothing is interpreted here: meanings, counterparts in the other framework and defaults are data
 * (data/checklist.conf, data/settings.tsv). Values keep the digits of their file; scripts are never executed. */
#ifndef CONFIG_SETTINGS_H
#define CONFIG_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"

enum dialect { DIALECT_NONE, DIALECT_MINDFORMERS, DIALECT_MEGATRON, DIALECT_HF, DIALECTS };
enum platform { PLATFORM_GPU, PLATFORM_NPU };

static inline const char *platform_name(enum platform p)
{
    return p == PLATFORM_NPU ? "npu" : "gpu";
}

/* The parts of a dialect a file holds: a Hugging Face config.json has no optimizer settings. */
enum { SECTION_MODEL = 1, SECTION_TRAINING = 2 };

enum setting_state {
    SETTING_TEXT,
    SETTING_NULL, /* null, None, ~: explicitly nothing */
    SETTING_OPEN, /* depends on something outside the file: "$1", "$(nproc)" */
};

struct setting {
    struct str key;     /* "model.model_config.num_layers", "num_layers", "config.hidden_size" */
    struct str spelled; /* as its file has it: "--num-layers" */
    struct str value;
    uint32_t line;
    uint8_t state;      /* enum setting_state */
    bool quoted;        /* in a document: a text, whatever it looks like */
    bool dflt;          /* printed by the framework, and its default */
    bool used;          /* read by some row of the checklist */
};

struct settings {
    struct arena arena;  /* owns all texts below */
    const char *path;
    const char *kind;    /* settings_format.name: "mindformers-yaml" … */
    enum dialect dialect;
    enum platform platform;
    unsigned sections;   /* SECTION_… */
    VEC(struct setting) list;
    struct map by_key;   /* also under keys without [N] (the first element of a list counts) */
    VEC(struct setting) env;
    struct map env_by_key;
    bool env_known;      /* a script or an environment was read, so variables not in it are unset */
    bool flags;          /* named as command-line options: "--rotary-base" */
    bool partial;        /* what is not in it may have been set elsewhere: it is unknown, never a default */
    bool env_only;       /* no settings: only an environment is given */
    const char *env_path; /* of --target-env, or NULL */
    const char *elsewhere; /* a sentence: a script's settings are in a file it names; NULL: they are its own */
    VEC(const char *) warnings; /* sentences in the current language; at most SETTINGS_WARNINGS */
    size_t held;         /* total bytes of settings read, including replaced ones */
};

/* Reads a file (or the folder of a Hugging Face model). 0, or -1 with a sentence that names the file and what was
 * expected; the caller releases s in either case. */
int settings_open(struct settings *s, const char *path, struct err *e);
/* Whether it is a readable settings file other than an environment; `common`: one known by names that any program has
 * is one as well. */
bool settings_probe(const char *path, bool common);
/* Adds an environment: a file of any form in environment_forms.c, an archive of msprobe's config_check, or a folder
 * of such files. Versions are stored as variables named "version:torch". */
int settings_environment(struct settings *s, const char *path, struct err *e);
/* The same from text: the environment of a process as NAME=value lines. `name` is for messages. */
int settings_environment_text(struct settings *s, const char *name, struct str text, struct err *e);
/* An environment of a run whose settings are not given: the framework is inferred from its variables. s is empty. */
int settings_environment_only(struct settings *s, const char *path, struct err *e);
/* A side of a comparison: its settings with its environment (env NULL: not given), or, without a path, the environment
 * alone. */
int settings_side(struct settings *s, const char *path, const char *env, struct err *e);
void settings_release(struct settings *s);

const struct setting *settings_find(const struct settings *s, struct str key); /* NULL: absent */
const struct setting *settings_env(const struct settings *s, struct str name);
/* The key without list indices: "callbacks.type" for "callbacks[0].type". False if it has none. */
bool settings_plain_key(struct str key, struct buf *out);

/* ---- for readers ---- */

#define SETTINGS_MAX 20000            /* per file, with aliases expanded; the largest known file has 500 */
#define SETTINGS_HELD (32u << 20)     /* bytes of all settings, with aliases expanded */
#define SETTINGS_WARNINGS 50
#define SETTINGS_BYTES (4u << 20)     /* of a settings file */
#define SETTINGS_LOG_BYTES (32u << 20) /* the beginning of a log that is searched for arguments */
#define SETTINGS_TEXT (1u << 20)      /* of one value */

/* A later value of the same key replaces the earlier one, as options and assignments do. */
int settings_add(struct settings *s, struct str key, struct str spelled, struct str value, enum setting_state state,
                 uint32_t line, struct err *e);
/* Counts bytes that a reader copies without adding a setting; -1 above the limit. */
int settings_hold(struct settings *s, size_t bytes, uint32_t line, struct err *e);
void settings_warn(struct settings *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void settings_export(struct settings *s, struct str name, struct str value, enum setting_state state, uint32_t line);
bool settings_null(struct str value); /* null, None, ~, nothing */

/* One form of settings; a new one needs a row in settings_formats.c and its functions. */
struct settings_format {
    const char *name, *title, *what;
    enum dialect dialect;
    unsigned sections;
    /* Called with the first megabyte; the first form that accepts it reads the file. NULL: a document (YAML, JSON),
     * recognised by its keys. */
    bool (*sniff)(struct str text);
    int (*read)(struct settings *s, struct str text, struct err *e);
    bool head;          /* only the file's beginning is needed: it may be a log of any size */
    bool arguments;     /* documents whose leaves are Megatron's arguments, with - or _, at any depth */
    const char *within[4]; /* of those: the sections that count, "x."; none: all */
    const char *prefix; /* documents: prefix of each key, because Hugging Face's two files share names */
    const struct setting_rename {
        const char *from, *to;
    } *names; /* documents: keys of this form that other forms call otherwise, up to NULL */
    bool partial; /* settings.partial */
    bool common; /* its marks are names that any program has: they identify a whole file, no part of a log or script */
    const char *mark[9]; /* documents: keys of which one identifies this form; "x." is any key below x */
};

extern const struct settings_format settings_formats[]; /* ends with name NULL */

bool printed_arguments_sniff(struct str text);
int printed_arguments_read(struct settings *s, struct str text, struct err *e);
bool environment_sniff(struct str text);
int environment_read(struct settings *s, struct str text, struct err *e);
bool launch_script_sniff(struct str text);
int launch_script_read(struct settings *s, struct str text, struct err *e);
/* Flattens YAML or JSON of any content to "a.b[0].c": value; s->path is for messages. */
int settings_document_flatten(struct settings *s, struct str text, struct err *e);
/* The form of documents whose keys flattened settings have; NULL: none. */
const struct settings_format *settings_document_form(const struct settings *own);
/* The form of documents that a key identifies, of those that are `common` or of the others; NULL: none. */
const struct settings_format *settings_format_of_key(struct str key, bool common);
/* Moves flattened settings into s as their form says; sets the form. */
int settings_document_take(struct settings *s, const struct settings *own, struct err *e);
bool megatron_ci_sniff(struct str text);
int megatron_ci_read(struct settings *s, struct str text, struct err *e);
bool printed_dictionary_sniff(struct str text);
int printed_dictionary_read(struct settings *s, struct str text, struct err *e);
bool printed_object_sniff(struct str text);
int printed_object_read(struct settings *s, struct str text, struct err *e);
/* Splits "+actor.optim.lr=1e-6"; false if the word is no override of a Hydra configuration. */
bool hydra_override(struct str word, struct str *key, struct str *value);
int hydra_override_add(struct settings *own, struct str key, struct str value, bool open, struct err *e);
/* YAML or JSON; sets the form by its keys. */
int settings_document_read(struct settings *s, struct str text, struct err *e);

#endif
