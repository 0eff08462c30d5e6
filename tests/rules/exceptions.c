/* The program with a switch for each exception and rule of the judge: it is linked in place of the functions named here
 * (--wrap), and RULE_OFF in the environment names one that then finds nothing, or a rule that gives no verdict. With
 * RULES_SEEN, a path, the rules of all judged rows are counted there, one "name count" a line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump/cut_tensors.h"
#include "judge/attention_gradient.h"
#include "judge/cause.h"
#include "judge/channel_order.h"
#include "judge/conditioning.h"
#include "judge/container_end.h"
#include "judge/discarded.h"
#include "judge/figure_noise.h"
#include "judge/framework_difference.h"
#include "judge/fused_arguments.h"
#include "judge/fused_scale.h"
#include "judge/idle_argument.h"
#include "judge/implied_constant.h"
#include "judge/judge_summary.h"
#include "judge/kinks.h"
#include "judge/loss_scale.h"
#include "judge/masked_operand.h"
#include "judge/masked_rows.h"
#include "judge/moved_factor.h"
#include "judge/never_read.h"
#include "judge/open_results.h"
#include "judge/optimizer_noise.h"
#include "judge/other_route.h"
#include "judge/pool_ties.h"
#include "judge/recorded_mask.h"
#include "judge/reordered_rows.h"
#include "judge/solved_doubt.h"
#include "judge/summed_gradient.h"
#include "judge/routing.h"
#include "judge/row_excuse.h"
#include "judge/row_verdict.h"
#include "judge/same_figures.h"
#include "judge/taken_elements.h"
#include "judge/unrecorded_step.h"
#include "judge/wrong_partner.h"
#include "pair/repeated.h"

static const char *const rule_names[RULE_COUNT] = {
#include "rule_names.h"
};

static bool is_off(const char *name)
{
    const char *off = getenv("RULE_OFF");
    return off && strcmp(off, name) == 0;
}

/* TYPE NAME(PARAMETERS), called with ARGUMENTS; what it answers when it is off. */
#define EXCEPTION(type, name, parameters, arguments, nothing)                                                          \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        return is_off(#name) ? (nothing) : __real_##name arguments;                                                    \
    }
#define PASS(name, parameters, arguments)                                                                              \
    void __real_##name parameters;                                                                                     \
    void __wrap_##name parameters;                                                                                     \
    void __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        if (!is_off(#name))                                                                                            \
            __real_##name arguments;                                                                                   \
    }


/* what lines show together */
EXCEPTION(double, loss_scale_of, (const struct measure *m), (m), 1)
PASS(moved_factors_find,
     (struct judgement *j, const struct measure *m, const struct dataflow flow[2], const struct value_readers reads[2]),
     (j, m, flow, reads))
PASS(channel_orders_find,
     (struct judgement *j, const struct measure *m, const struct dataflow *flow, const struct thresholds *tol),
     (j, m, flow, tol))
PASS(reordered_rows_find,
     (struct judgement *j, const struct measure *m, const struct dataflow *flow, const struct value_readers reads[2]),
     (j, m, flow, reads))
PASS(solved_doubts_find, (struct judgement *j, const struct measure *m, const struct dataflow flow[2]), (j, m, flow))
PASS(other_routes_find,
     (struct judgement *j, const struct measure *m, const struct dataflow flow[2], const struct value_readers reads[2],
      const struct judge_options *o),
     (j, m, flow, reads, o))
PASS(wrong_partners_find, (struct judgement *j, const struct measure *m, const struct value_readers *reads),
     (j, m, reads))
PASS(fused_scales_find,
     (struct judgement *j, const struct measure *m, const struct dataflow flow[2], const struct thresholds *tol),
     (j, m, flow, tol))
PASS(fused_arguments_find, (struct judgement *j, const struct measure *m), (j, m))
PASS(idle_arguments_find,
     (struct judgement *j, const struct measure *m, const struct thresholds *tol, const uint8_t *misfit),
     (j, m, tol, misfit))
EXCEPTION(bool, container_ends_elsewhere,
          (const struct judgement *j, const struct measure *m, const struct dataflow flow[2], uint32_t line),
          (j, m, flow, line), false)
EXCEPTION(bool, container_gradient_elsewhere, (const struct judgement *j, const struct measure *m, uint32_t line),
          (j, m, line), false)
EXCEPTION(bool, is_masked_before, (const struct judgement *j, const struct measure *m, uint32_t line), (j, m, line),
          false)
EXCEPTION(bool, is_in_masked_rows,
          (struct masked_rows *x, const struct judgement *j, const struct measure *m, uint32_t line, double *error),
          (x, j, m, line, error), false)
EXCEPTION(bool, is_discarded,
          (const struct judgement *j, const struct measure *m, const struct value_readers reads[2], uint32_t line),
          (j, m, reads, line), false)

/* single lines */
EXCEPTION(bool, is_never_read,
          (const struct dump *const side[2], const uint32_t row[2], const struct value_readers *reads),
          (side, row, reads), false)
EXCEPTION(const char *, framework_difference_of, (const struct dump *const side[2], const uint32_t row[2]),
          (side, row), NULL)
EXCEPTION(bool, implied_constants_differ, (const struct implied_constant *t, const struct implied_constant *g), (t, g),
          false)
EXCEPTION(bool, same_figures_go_apart, (const struct measure *m, uint32_t line), (m, line), false)
EXCEPTION(double, recorded_fills, (const struct dump *d, uint32_t row), (d, row), NAN)
EXCEPTION(bool, cut_tensors_part, (const struct dump *const d[2], const uint32_t row[2], int *side), (d, row, side),
          false)
EXCEPTION(bool, repeated_view,
          (const struct dump *t, uint32_t target_row, const struct dump *g, uint32_t golden_row, struct view *v),
          (t, target_row, g, golden_row, v), false)
PASS(row_excuse, (struct judge_pass *p, struct verdict_case *k), (p, k))
PASS(row_verdict_rounded, (struct judge_pass *p, struct verdict_case *k), (p, k))

/* what amplifies noise, and steps that nobody recorded */
EXCEPTION(bool, optimizer_noise_explains, (struct judge_pass *p, const struct verdict_case *k), (p, k), false)
EXCEPTION(bool, pool_ties_explain, (const struct measure *m, uint32_t line, double limit), (m, line, limit), false)
EXCEPTION(double, kinks_bound,
          (const struct judge_pass *p, const uint32_t rows[2], const struct figures *f, double *kappa),
          (p, rows, f, kappa), 0)
EXCEPTION(bool, kinks_gated, (const struct judge_pass *p, uint32_t line), (p, line), false)
EXCEPTION(struct condition, condition_of, (const struct measure *m, const uint8_t *state, uint32_t row),
          (m, state, row), CONDITION_PLAIN)
EXCEPTION(struct condition, condition_of_product, (const struct measure *m, const uint8_t *state, uint32_t row),
          (m, state, row), CONDITION_PLAIN)
EXCEPTION(struct condition, condition_of_gradient,
          (const struct measure *m, const uint8_t *state, const uint32_t row[2], double level, double factor),
          (m, state, row, level, factor), CONDITION_PLAIN)
EXCEPTION(double, attention_gradient_held, (const struct judge_pass *p, const uint32_t rows[2], double *noise),
          (p, rows, noise), NAN)
EXCEPTION(double, attention_gradient_terms, (const struct measure *m, const uint8_t *state, int side, uint32_t row),
          (m, state, side, row), NAN)
EXCEPTION(enum routing, routing_compare, (const struct measure *m, uint32_t line, double noise), (m, line, noise),
          ROUTING_UNKNOWN)
EXCEPTION(double, routing_sorted_error, (const struct measure *m, uint32_t line), (m, line), NAN)
EXCEPTION(double, unrecorded_step_error, (const struct judge_pass *p, const uint32_t rows[2]), (p, rows), 0)
EXCEPTION(double, unrecorded_incoming_error, (const struct judge_pass *p, const struct verdict_case *k), (p, k), 0)
EXCEPTION(double, unrecorded_rounding_error, (const struct judge_pass *p, const struct verdict_case *k), (p, k), 0)
EXCEPTION(double, unrecorded_roundings_error,
          (const struct judge_pass *p, const struct verdict_case *k, double noise), (p, k, noise), 0)
EXCEPTION(uint32_t, taken_elements_from, (const struct measure *m, const struct dataflow *flow, uint32_t line),
          (m, flow, line), NONE)
EXCEPTION(bool, open_results_explain,
          (const struct judgement *j, const struct measure *m, const struct dataflow *flow, const bool *decided,
           uint32_t line),
          (j, m, flow, decided, line), false)
EXCEPTION(const struct summed_gradient *, summed_gradient_of_agreeing,
          (const struct judgement *j, const struct measure *m, const struct judge_options *o, const bool *decided,
           uint32_t line),
          (j, m, o, decided, line), NULL)
EXCEPTION(double, figure_noise_of_product, (const struct judge_pass *p, const struct verdict_case *k), (p, k), 0)
EXCEPTION(double, figure_noise_of_parts, (const struct judge_pass *p, const struct verdict_case *k), (p, k), 0)
EXCEPTION(bool, figures_show_rounding, (const struct judge_pass *p, const struct verdict_case *k), (p, k), false)

/* ---- rules ---- */

static void withhold(struct judgement *j)
{
    for (size_t i = 0; i < j->lines; i++)
        if (j->line[i].rule < RULE_COUNT && is_off(rule_names[j->line[i].rule])) {
            j->line[i].verdict = VERDICT_SKIP;
            j->line[i].rule = RULE_NONE;
        }
}

static void count(const struct judgement *j)
{
    uint32_t n[RULE_COUNT] = {0};
    const char *path = getenv("RULES_SEEN");
    FILE *f = path ? fopen(path, "w") : NULL;
    if (!f)
        return;
    for (size_t i = 0; i < j->lines; i++)
        n[j->line[i].rule]++;
    for (int i = 0; i < RULE_COUNT; i++)
        if (n[i])
            fprintf(f, "%s %u\n", rule_names[i], n[i]);
    fclose(f);
}

void __real_causes_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                        const struct judge_options *o);
void __wrap_causes_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                        const struct judge_options *o);
void __wrap_causes_find(struct judgement *j, const struct measure *m, const struct dataflow flow[2],
                        const struct judge_options *o)
{
    withhold(j);
    __real_causes_find(j, m, flow, o);
    withhold(j);
    count(j);
}
