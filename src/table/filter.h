/* Expressions over a line's fields: rel_l2 > 1e-2 && family == linear && !(name ~ "layers.0.")
 *
 *   expression  or, and, not by || && ! and parentheses
 *   comparison  FIELD < <= > >= == != VALUE, numbers by size, texts by equality (case ignored)
 *   pattern     FIELD ~ PATTERN, !~; `name` is either side's row name, `dtype` either side's type
 *   a word      a verdict's name (deviate), "bad", "forward", "backward", "target", "golden", a family or
 *               a flag (precision, doubtful …); any other word or /pattern/ searches the names
 *
 * A comparison with an absent figure is false, and so is its negation by != : what was not computed is
 * neither small nor large. */
#ifndef TABLE_FILTER_H
#define TABLE_FILTER_H

#include "base/io.h"
#include "table/field.h"

struct filter; /* owned by the caller of filter_compile */

/* NULL with e that says where and what was expected. */
struct filter *filter_compile(struct str text, struct err *e);
void filter_free(struct filter *f);
/* Completions of the last word of a filter being typed: operands, operators after a field, values of a field with few
 * values. Returns the number of bytes before that word. */
size_t filter_suggest(struct str text, name_list *out);
bool filter_match(struct filter *f, const struct field_line *l);

#endif
