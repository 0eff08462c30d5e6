/* Arguments of two paired fused attention calls under their frameworks' own names: torch_npu.npu_fusion_attention
 * against MindSpore's flash_attention_score. Names pair no rows there, so they are compared by what they mean. */
#ifndef JUDGE_FUSED_ARGUMENTS_H
#define JUDGE_FUSED_ARGUMENTS_H

#include "judge/verdict.h"

/* Gives the unpaired rows of arguments that differ, left out ones by their defaults, a deviation (RULE_FUSED_ARGUMENT)
 * where an output of the calls differs too. */
void fused_arguments_find(struct judgement *j, const struct measure *m);
/* The sentence of RULE_FUSED_ARGUMENT for a line, appended. */
void fused_arguments_explain(const struct judgement *j, const struct measure *m, uint32_t line,
                             struct buf *out);

#endif
