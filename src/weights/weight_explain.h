/* Explains why two weights differ, and how they were made comparable, as sentences. */
#ifndef WEIGHTS_WEIGHT_EXPLAIN_H
#define WEIGHTS_WEIGHT_EXPLAIN_H

#include "weights/weight_attempt.h"

/* A sentence that lasts as long as the comparison; any worker may call it. */
const char *weight_say(struct weights_running *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Sets p->why of values that differ: other layouts under which they would be equal, a factor, or the difference. */
void weight_explain_values(struct weights_running *x, struct weight_pair *p, const struct weight_layout a[2],
                           const struct weight_outcome *o);
/* Of two stacks: adds to p->why which experts differ, if not all do. */
void weight_explain_experts(struct weights_running *x, struct weight_pair *p, const struct weight_layout a[2]);
/* Sets the verdict and reason of shapes that differ. */
void weight_explain_shape(struct weights_running *x, struct weight_pair *p, const struct weight_layout a[2]);
const char *weight_order_text(enum weight_fusion f, enum weight_order o);
/* How the sides were made comparable; NULL: as they are. */
const char *weight_view_text(struct weights_running *x, const struct weight_pair *p, const struct weight_attempt *y,
                             const enum weight_order order[2]);

#endif
