/* A rule pairs rows of every layer alike: a PCRE2 pattern that a target row's address (address.h) has to match as a
 * whole, and a template of the golden row's, in which \1 … \9 stand for what the groups took, and \ before any other
 * sign for that sign.
 *
 *   layers.(\d+).attention.wq/MatMul@0/forward.output.0   ↔
 * layers.\1.self_attention.linear_qkv/linear@0/forward.output.0
 *   attention.py:88/MatMul@<2+4i>/forward.output.0        ↔   attention.py:31/linear@<0+1i>/forward.output.0
 *
 * <A+Bi> stands for the numbers A, A+B, A+2B … ; i is the same on both sides. In the pattern it is a group. */
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

/* -1 with what is wrong with the pattern or the template. The template must live as long. */
int pair_rule_compile(struct pair_rule_match *m, const char *pattern, const char *template, struct err *e);
void pair_rule_release(struct pair_rule_match *m);
/* The golden address for a target one, replacing what is in out; false where the rule does not speak of it, and for
 * every address once the pattern explodes (pattern_explodes): nothing more is tried then. */
bool pair_rule_apply(struct pair_rule_match *m, struct str address, struct buf *out);
/* The rule two rows make when their layer, expert or call numbers are left open. False where nothing in them could be:
 * the rule then speaks of these two alone. */
bool pair_rule_propose(const struct addresses *target, uint32_t t, const struct addresses *golden, uint32_t g,
                       struct buf *pattern,
                       struct buf *template);

#endif
