/* What produces an input: snippets of data/recipes.conf, filled with what is known of the ticket so far. */
#ifndef PANEL_RECIPE_H
#define PANEL_RECIPE_H

#include "base/arena.h"
#include "base/err.h"

struct recipe {
    struct str name, file;  /* C strings too */
    struct str need, framework;
    struct str en, zh;
    struct str body; /* its lines, each behind "  | " */
};

/* What the placeholders stand for. */
struct recipe_facts {
    int step, rank;          /* of a dump, from 0; -1: all */
    bool tensors;            /* task "tensor", else "statistics" */
    const char *list[2];     /* of each side: "\"a\", \"b\"" or "" (all) */
    const char *kernels;     /* of MindSpore Dump, likewise */
    /* the target's first deviating tensor of the forward pass, the golden side's file of it; NULL: none */
    const char *row, *value;
};

size_t recipe_count(void);
const struct recipe *recipe_at(size_t i);
const struct recipe *recipe_find(struct str name); /* NULL: none */
const char *recipes_bad(void); /* the first mistake in the data, or NULL */
struct str recipe_text(const struct recipe *r); /* what it is, in the language in force */
/* Its lines with facts of a side (0 target, 1 golden). Appends. */
void recipe_write(const struct recipe *r, const struct recipe_facts *f, int side, struct buf *out);

#endif
