/* Ways to compare the two sides' values of a check, one named function each. */
#ifndef CONFIG_CHECK_WAYS_H
#define CONFIG_CHECK_WAYS_H

#include "config/settings_compare.h"

/* The input of such a function. */
struct check_result {
    const struct value *value[2];
    struct str want[2];            /* the wanted value of each side; "" none */
    const struct value *accept[2]; /* other accepted values, or NULL */
    bool same_hardware;            /* both sides run on NPUs, or both on GPUs */
};

struct check_way {
    const char *name;
    enum check_state (*state)(const struct check_result *j, enum check_why *why);
};

/* Whether the value is one of the alternatives ("2", "1 | true", "< 0.05"); "unset" is also one. */
bool check_wanted(const struct value *v, struct str want);

const struct check_way *check_way_find(struct str name); /* NULL: none */

#endif
