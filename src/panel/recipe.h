/* Recipes for producing inputs: snippets of data/recipes.conf, filled with the known facts of the investigation. */
#ifndef PANEL_RECIPE_H
#define PANEL_RECIPE_H

#include "base/arena.h"
#include "base/err.h"

struct recipe {
    struct str name, file;  /* NUL-terminated */
    struct str need, framework;
    struct str en, zh;
    struct str body; /* its lines, each after " | " */
};

/* Values of the placeholders. */
struct recipe_facts {
    int step, rank;          /* of a dump, from 0; -1: all */
    bool tensors;            /* task "tensor"; false: "statistics" */
    const char *list[2];     /* for each side: "\"a\", \"b\"" or "" (all) */
    const char *kernels;     /* for MindSpore Dump, in the same form */
    /* the target's first deviating forward tensor, and the golden side's file for it; NULL: none */
    const char *row, *value;
};

size_t recipe_count(void);
const struct recipe *recipe_at(size_t i);
const struct recipe *recipe_find(struct str name); /* NULL: none */
const char *recipes_bad(void); /* the first error in the data, or NULL */
struct str recipe_text(const struct recipe *r); /* its description in the current language */
/* Appends its lines with the facts of a side (0 target, 1 golden). */
void recipe_write(const struct recipe *r, const struct recipe_facts *f, int side, struct buf *out);

#endif
