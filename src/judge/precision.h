/* Modules in which the two sides use different floating types: a frequent root cause even if the numbers agree. */
#ifndef JUDGE_PRECISION_H
#define JUDGE_PRECISION_H

#include "judge/verdict.h"

struct precision {
    const char *scope; /* module path or call name, numbers replaced by '*'; " bias" behind it for its bias */
    enum dtype dtype[2];
    uint32_t rows;
    uint32_t first;    /* line */
};
typedef VEC(struct precision) precision_list;

/* In order of first appearance; strings in `a`. */
void precision_find(const struct judgement *j, const struct measure *m, struct arena *a, precision_list *out);
/* "layers.3.mlp" → "layers.*.mlp": replaces components that are numbers. */
void precision_general_name(struct str name, struct buf *out);

#endif
