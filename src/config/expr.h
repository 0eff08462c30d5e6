/* The expression language of data/checklist.conf: how a setting's value is derived from a run's files.
 *
 *   model_config.num_heads      a setting's value; env:NAME a variable of the environment
 *   version:torch               the version of a package, from the environment's files or the log
 *   'text'  2.5                 a value that is a default
 *   @hidden_size                the value of another entry of the checklist, same side
 *   a | b                       the first that is set, else the first that has a default
 *   product(a, b)               one of the functions in functions.c
 *
 * Expressions are the program's own data: an error in them is a bug, which the unit tests find. */
#ifndef CONFIG_EXPR_H
#define CONFIG_EXPR_H

#include "config/settings.h"

enum value_state {
    VALUE_NONE,   /* not set, and no default is known */
    VALUE_ABSENT, /* this framework has no such setting */
    VALUE_CLOSED, /* not in files of this kind: config.json has no optimizer settings */
    VALUE_OPEN,   /* set, but depends on something that is not in the files */
    VALUE_SET,
};

struct value {
    enum value_state state;
    bool dflt;       /* nobody set it: a framework's default, or what follows from others */
    bool number;
    bool twofold;    /* one side gives two numbers for it that differ: "256 / 128" */
    double num;
    struct str text; /* as the source has it where it comes from one setting */
    struct str key;  /* the settings it comes from, ", " between them */
    struct str how;  /* of a computed one: "2*1408"; of a renamed one its own text */
};

enum node_kind { NODE_PATH, NODE_ENV, NODE_LITERAL, NODE_ENTRY, NODE_FIRST, NODE_CALL };

struct node {
    enum node_kind kind;
    struct str text;          /* path, literal, the entry's name */
    const struct expr_function *fn;
    struct node *child, *next;
};

/* Whose settings, and what the entries of the checklist are. */
struct scope {
    const struct settings *side[2];
    int at;              /* the side being evaluated: 0 target, 1 golden */
    struct arena *arena; /* of texts that are made */
    /* The value of the named entry on side `at`; VALUE_NONE for a name nobody has. */
    struct value (*entry)(struct scope *s, struct str name);
    void *ctx;
};

/* NULL and where the mistake is when the text is no expression. */
struct node *expr_parse(struct arena *a, struct str text, size_t *bad);
struct value expr_value(struct scope *s, const struct node *n); /* NULL: VALUE_ABSENT */

/* ---- for functions ---- */

struct expr_function {
    const char *name;
    int min, max; /* arguments; max -1: any number */
    struct value (*call)(struct scope *s, const struct node *args);
};

extern const struct expr_function expr_functions[]; /* name NULL at the end */

struct value value_of_text(struct str text);  /* a default */
struct value value_number(struct scope *s, double v);
struct value value_bool(bool v);
/* Whether it counts as yes: True, on, a number other than 0, a list with something in it. */
bool value_true(const struct value *v);
/* numbers to 1e-9 of their size, else text without case */
bool value_equal(const struct value *a, const struct value *b);
struct str value_unquoted(struct str text); /* without Python's or YAML's quotes */

#endif
