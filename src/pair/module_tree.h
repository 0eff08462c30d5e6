/* The tree that msprobe's layer mapping is applied to: a module stands at its path, an operator
 * below the module that called it under its own name, a backward call where its forward call
 * stands. Only msprobe's names have such places. */
#ifndef PAIR_MODULE_TREE_H
#define PAIR_MODULE_TREE_H

#include "dump/dump.h"

struct tree {
    struct arena arena;
    struct map paths; /* path → index */
    VEC(struct str) path;
    struct map classes; /* path of a module → index of class_names */
    VEC(struct str) class_names;
    uint32_t *of_call; /* index of path, or NONE */
};

/* A dump without modules has no places. */
void tree_build(struct tree *p, const struct dump *d);
void tree_release(struct tree *p);
struct str tree_class(const struct tree *p, struct str path); /* of a path without a module: its last part */

#endif
