/* A rule pairs rows in all layers at once: a PCRE2 pattern that must match the whole address of a target row
 * (address.h), and a template of the golden row's address, in which \1 … \9 are the captured groups and \ quotes any
 * other character.
 *
 *   layers.(\d+).attention.wq/MatMul@0/forward.output.0 ↔ layers.\1.self_attention.linear_qkv/linear@0/forward.output.0
 *   attention.py:88/MatMul@<2+4i>/forward.output.0      ↔ attention.py:31/linear@<0+1i>/forward.output.0
 *
 * <A+Bi> stands for the numbers A, A+B, A+2B … ; i is the same on both sides. In the pattern it counts as a group. */
#ifndef PAIR_PAIR_RULE_H
#define PAIR_PAIR_RULE_H

#include "base/pattern.h"
#include "pair/address.h"

struct pair_rule_match {
    struct pattern *pattern;
    const char *template;
    struct pair_rule_series {
        int group; /* of the pattern */
        uint32_t from, step;
    } series[PATTERN_GROUPS];
    int count;
};

/* -1 with the error in the pattern or the template. The template must outlive m. */
int pair_rule_compile(struct pair_rule_match *m, const char *pattern, const char *template, struct err *e);
void pair_rule_release(struct pair_rule_match *m);
/* Replaces out by the golden address for a target address; false if the pattern does not match, and for every address
 * once a match has taken too many steps (pattern_explodes). */
bool pair_rule_apply(struct pair_rule_match *m, struct str address, struct buf *out);
/* The rule that generalises two rows by leaving layer, expert or call numbers open. False if they have no such
 * number: the rule then applies to these two only. */
bool pair_rule_propose(const struct addresses *target, uint32_t t, const struct addresses *golden, uint32_t g,
                       struct buf *pattern,
                       struct buf *template);

#endif
