/* The tree to which msprobe's layer mapping applies: a module is at its path, an operator below its calling module
 * under its own name, a backward call where its forward call is. Only msprobe's names have such positions. */
#ifndef PAIR_MODULE_TREE_H
#define PAIR_MODULE_TREE_H

#include "dump/dump.h"

struct module_tree {
    struct arena arena;
    struct map paths; /* path → index */
    VEC(struct str) path;
    struct map classes; /* path of a module → index of class_names */
    VEC(struct str) class_names;
    uint32_t *of_call; /* index of path, or NONE */
};

/* Empty for a dump without modules. */
void module_tree_build(struct module_tree *p, const struct dump *d);
void module_tree_release(struct module_tree *p);
/* for a path without a module: its last component */
struct str module_tree_class(const struct module_tree *p, struct str path);

#endif
