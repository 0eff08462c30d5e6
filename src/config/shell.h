/* The part of a shell a launch script needs to be read without being run: words with quotes, variables and
 * arrays assigned in the same script, ${NAME:-else}, arithmetic. What depends on anything else (positional
 * arguments, commands, variables from outside) stays as it is written and is marked open. */
#ifndef CONFIG_SHELL_H
#define CONFIG_SHELL_H

#include "config/settings.h"

#define SHELL_WORK (16u << 20) /* bytes all expansions may make together */
#define SHELL_DEEPEST 32       /* ${A:-${B:-…}} */

/* One field of an expanded word. */
struct shell_field {
    struct str text;
    bool open;   /* holds something the script does not tell */
    bool quoted; /* some part of it was */
};

typedef VEC(struct shell_field) shell_fields;

struct shell_var {
    struct str name;
    shell_fields field; /* one of a plain variable, any number of an array's */
    bool array;
    bool branch;        /* assigned inside if or case after another value */
    bool told;          /* the warning was given */
};

struct shell {
    struct settings *s;  /* whose arena texts live in */
    struct map by_name;
    VEC(struct shell_var) var;
    size_t work;
    uint32_t line;       /* of the word being expanded, for messages */
    struct err *e;
};

struct shell_var *shell_find(struct shell *sh, struct str name); /* NULL: never assigned */
struct shell_var *shell_make(struct shell *sh, struct str name);
/* Appends the fields of one raw word (as it stands in the script). `split`: unquoted expansions are cut at blanks. */
int shell_expand(struct shell *sh, struct str raw, bool split, shell_fields *out);
/* Where the word that begins at `at` ends: quotes, ${…}, $(…) and backticks are jumped over. */
size_t shell_word_end(struct str text, size_t at);
/* Of the name that s begins with; 0 when it begins with none. */
size_t shell_name(struct str s);
void shell_release(struct shell *sh);

#endif
