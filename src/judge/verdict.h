/* Verdicts of lines and the judgement that holds them: a judgement is made as a whole (judge.h) and read-only
 * afterwards. */
#ifndef JUDGE_VERDICT_H
#define JUDGE_VERDICT_H

#include "dump/dataflow.h"
#include "measure/measure.h"
#include "judge/thresholds.h"

/* Packs store the numbers of verdicts and rules: append new ones. */
enum verdict {
    VERDICT_PENDING, /* its figures are not computed yet */
    VERDICT_MATCH,
    VERDICT_DRIFT,
    VERDICT_DEVIATE,
    VERDICT_NONFINITE,
    VERDICT_SHAPE,
    VERDICT_DTYPE,
    VERDICT_ONLY,
    VERDICT_SKIP,
    VERDICT_INHERITED, /* deviates, and depends on an earlier start; "deviate" in files, beside its cause */
    VERDICT_IN_DOUBT,  /* differs, and may be of different values: no start; "deviate" in files, beside its cause */
    VERDICT_COUNT
};

/* The rule that gave the verdict. The sentences are in verdict_text.c. */
enum verdict_rule {
    RULE_NONE,
    RULE_ONE_SIDED,
    RULE_EQUAL,         /* no element differs */
    RULE_WITHIN,        /* below the drift limit or floor */
    RULE_LEVEL,         /* above it, but within the local noise level */
    RULE_DRIFT,
    RULE_LIMIT,         /* above the deviate limit */
    RULE_JUMP,          /* far above the local noise level and above the floor */
    RULE_SOURCE,        /* an input without a recorded producer: no noise allowance */
    RULE_PARAMETER,     /* beyond the rounding of its dtype */
    RULE_SAME_STATS,    /* recorded figures agree; elements are not available */
    RULE_SCALAR_SAME,
    RULE_SCALAR_DIFFERS,
    RULE_INTEGERS_DIFFER,
    RULE_CHECKSUM_SAME,
    RULE_CHECKSUM_DIFFERS,
    RULE_CHECKSUM_SAYS_NOTHING,
    RULE_NONFINITE,
    RULE_NONFINITE_ALIKE, /* recorded figures are non-finite on both sides */
    RULE_PART,          /* one of several parts of a fused tensor: needs a view */
    RULE_PART_SAME,     /* the same, but all parts together have its figures */
    RULE_ELEMENTS,      /* element counts differ */
    RULE_KINDS,         /* such as int against float */
    RULE_ABSENT,        /* recorded as null */
    RULE_EMPTY,         /* zero elements */
    RULE_NO_FIGURES,
    RULE_FRAMEWORK,        /* a known difference in what frameworks record (framework_difference.h) */
    RULE_REORDERED,     /* same figures in another order: the pair needs a view */
    RULE_EXACT,         /* --exact: some bits differ */
    RULE_PRESET,        /* the rule of another tool */
    RULE_TABLE,         /* the result table's verdict */
    RULE_ILL,           /* no more than an ill-conditioned operator makes of noise (conditioning.h): doubtful */
    RULE_ACCEPTED,         /* a difference the team has accepted (accepted.h) */
    RULE_NESTED,        /* recorded twice: the enclosing or inner call holds the same tensors and is paired */
    RULE_FACTOR,        /* a constant factor that the other side applies at another place (moved_factor.h) */
    RULE_RECOMPUTED,    /* only one side repeats this forward call (dump/recomputed.h) */
    RULE_IDLE_ARGUMENT, /* an argument differs, but the call's outputs agree (idle_argument.h) */
    RULE_CONTAINER,     /* a container that ends at another place on the other side (container_end.h) */
    RULE_DISCARDED,     /* differs only where the next step discards it (discarded.h) */
    RULE_MASKED_BEFORE, /* masked earlier on one side, here on the other (masked_operand.h) */
    RULE_CONSTANT,      /* figures: the call adds or multiplies by another number (implied_constant.h) */
    RULE_MASK_COUNTS,   /* figures of masked tensors: different numbers of fills (recorded_mask.h) */
    RULE_MASK_UNCOUNTED, /* figures of two masks that do not tell how many elements are filled */
    RULE_FILLS,         /* two fill values for minus infinity, each the lowest of a floating type */
    /* written-out attention with another scale than the other side's (fused_scale.h) */
    RULE_FUSED_SCALE,
    RULE_FUSED_MASK,    /* a mask without a partner that masks another share of the scores (fused_scale.h) */
    RULE_ROUNDED,       /* a float32 output is exact in a coarser type on one side only; its inputs are not */
    /* above the noise level, but within a product's noise, and the preceding product could not be read */
    RULE_BEHIND_UNREAD,
    RULE_BEHIND_CHOICE, /* depends on a choice that noise turned at a tie, and cannot be recomputed */
    RULE_SAME_PICKS,    /* a router's choices, or sorted values: the same set for every token (routing.h) */
    RULE_SAME_ROWS,     /* the same rows in another order, or transposed (reordered_rows.h) */
    RULE_CHANNELS,      /* the same values with rotary channels in another order (channel_order.h) */
    RULE_BEFORE_SCORES, /* between such weights and the scores, which agree: another quantity of the rotation */
    RULE_MASKED_ROWS,   /* differs only for queries without any key (masked_rows.h) */
    RULE_CHECKSUM_OTHER,
    RULE_NEVER_READ,    /* not read by the call, or left unwritten and not read (never_read.h) */
    RULE_UNPARSED,      /* a recorded value of it could not be parsed */
    RULE_NO_BITS,       /* --exact: what was recorded does not show whether bits are equal (equal_bits.h) */
    RULE_CUT,           /* one side was cut before it was recorded (dump/cut_tensors.h): the parts may be others */
    RULE_FUSED_ARGUMENT, /* of two fused attention calls, under another name on each side (fused_arguments.h) */
    RULE_SAME_FUNCTION, /* both calls are one function and what goes in agrees (cause.h) */
    RULE_OTHER_FUNCTION, /* the target's output is not what the golden call makes of the target's inputs */
    RULE_OTHER_ELEMENTS, /* other figures from the same ones, element by element (same_figures.h) */
    RULE_INHERITED,     /* differs, and depends on an earlier start */
    RULE_OTHER_VALUE,   /* its rows hold different values (wrong_partner.h, other_route.h) */
    RULE_ANGLES,        /* figures: the sines of angles that one side holds in 16 bits; those do not show how far off */
    RULE_CONTRADICTS,   /* contradicts what else was recorded of its call */
    RULE_MISSING,       /* no partner: the other side recorded its call, and this value is not in it (open_ends.h) */
    RULE_OPEN_END,      /* no partner: an operator without a formula at the end of the step (open_ends.h) */
    RULE_UNLINKED,      /* no partner: no other operator made or reads this value of a backward pass (open_ends.h) */
    RULE_LOST_GRADIENT, /* one side alone hands a gradient back: the other one's input was detached (lost_gradient.h) */
    RULE_OTHER_SHAPE,   /* figures: the same ones in a shape that nothing else of the call explains (other_shape.h) */
    RULE_PART_ROLE,     /* a part of a fused product: of two halves, another one feeds the activation (part_role.h) */
    RULE_COUNT
};

/* Whether a row has no partner because one side recorded the value twice. */
static inline bool rule_sets_aside(uint8_t rule)
{
    return rule == RULE_NESTED || rule == RULE_RECOMPUTED;
}

/* Whether a row has no partner, and nothing else shows what it holds. */
static inline bool rule_leaves_open(uint8_t rule)
{
    return rule == RULE_MISSING || rule == RULE_OPEN_END || rule == RULE_UNLINKED;
}

enum {
    LINE_DTYPE_DIFF = 1, /* both floating, not the same type */
    LINE_DOUBTFUL = 2,   /* confidence of the pair below the limit, or RULE_ILL */
    LINE_STATISTICS = 4, /* judged by recorded figures */
    LINE_SOURCE = 8,     /* an input without a recorded producer */
    LINE_UNREAD = 16,    /* a tensor could not be read */
    LINE_BAND = 32,      /* its noise level is the difference of two golden runs */
    LINE_MASKED = 128,   /* its error excludes elements filled by a mask (num/masked.h) */
    LINE_ILL = 64,       /* the operator amplifies its inputs' error: the level was raised, or RULE_ILL */
};

/* Why a row is as it is (cause.h). */
enum cause { CAUSE_UNKNOWN, CAUSE_AGREES, CAUSE_STARTS, CAUSE_INHERITED, CAUSE_COUNT };
/* What a cause rests on. */
enum cause_basis {
    BASIS_NONE,
    BASIS_BITS,       /* no bit differs */
    BASIS_SOURCE,     /* a value that no earlier row of its side holds */
    BASIS_RECOMPUTED, /* the crossed residual */
    BASIS_LEVEL,      /* the noise of earlier rows, the limits of its type */
    BASIS_FIGURES,    /* the same, of recorded figures alone */
    BASIS_FLOW,       /* it depends on a start */
};

struct line_judgement {
    uint8_t verdict, rule, flags;
    uint8_t cause, basis;
    /* RULE_ACCEPTED: the accepted verdict; RULE_ILL: the operator's enum condition_kind */
    uint8_t was;
    float residual; /* the crossed residual, in units of the bound; NaN: none */
    uint32_t from;  /* the line it inherits from; NONE */
    float error; /* the judged error: rel_l2, or the largest relative difference of the statistics; NaN: none */
    float limit; /* the limit it was compared with */
    float level; /* local noise level: errors accepted before */
    float kappa; /* RULE_ILL: the operator's amplification of noise (conditioning.h); otherwise 0 */
};

/* A line at which a deviation starts. */
struct start {
    uint32_t line, inherit; /* inherit: number of lines that inherit from it */
    uint32_t group;         /* index in `start_groups` */
};

/* Starts in calls whose names differ by numbers alone: a fault that every layer has is one. */
struct start_group {
    uint32_t line;          /* the earliest of its starts */
    uint32_t starts, inherit;
};

enum first_class { FIRST_INPUT, FIRST_OUTPUT, FIRST_GAP, FIRST_SHAPE, FIRST_NONFINITE };

/* Parts of a step that a dump may leave out. */
enum region {
    REGION_FORWARD,
    REGION_BACKWARD,
    REGION_OPTIMIZER,
    REGION_COLLECTIVES,
    REGION_WEIGHT_GRADIENTS,
    REGION_COUNT
};

struct judge_summary {
    uint32_t by[VERDICT_COUNT];  /* number of lines with each verdict */
    uint32_t pairs, only[2], dtype_diff, doubtful, unread;
    uint32_t without_bits;       /* --exact: pairs of which equality of bits is unknown */
    uint32_t figures_only;       /* pairs that agree by recorded figures, whose elements were not compared */
    uint32_t idle;               /* arguments that differ while every output of their call agrees */
    uint32_t other_sums;         /* those of them whose checksums differ: evidence beside the figures */
    uint32_t other_types;        /* pairs that agree although their element types differ */
    uint32_t other_shapes;       /* the same of their shapes, in recordings of one framework */
    uint32_t other_needs;        /* pairs of which one side's alone was recorded as requiring a gradient */
    uint32_t unread_files;       /* on both sides: files, or ends of files, that exist and could not be read */
    const char *first_unread;    /* what is said of the first of these rows and files, a dump's; NULL: nothing */
    uint32_t ill;                /* RULE_ILL, among the doubtful */
    uint32_t in_doubt;           /* pairs that differ and may be of different values: nothing is "aligned" over them */
    const char *first_in_doubt;  /* the call of the first of them, a dump's */
    uint32_t contradicting;      /* RULE_CONTRADICTS: nothing is "aligned" over them */
    const char *first_contradicting; /* the call of the first of them, a dump's */
    uint32_t unanswered;         /* rule_leaves_open; RULE_PART of weights: nothing is "aligned" over them */
    bool of_weights;             /* both sides are checkpoints */
    const char *first_unanswered; /* the call of the first of them, a dump's */
    uint32_t causes[CAUSE_COUNT]; /* number of lines with each cause */
    uint32_t calls_starting;     /* calls at which a deviation starts; those that differ by numbers alone count once */
    uint32_t known;              /* accepted differences: counted as pairs, without a verdict */
    uint32_t compute[2], covered[2]; /* number of calls (with map_only: of listed rows) */
    uint32_t judged;             /* compute calls of the target with an output judged match or drift */
    uint32_t enclosed;           /* of the others, those without a partner between calls that agree */
    double coverage[2];          /* covered / compute */
    uint32_t experts_alone;      /* of both sides' products with weights of all experts, those without a partner */
    uint32_t paired_by[WHY_COUNT]; /* pairs by evidence */
    uint8_t missing[2];          /* bits 1 << region: recorded by the other side only */
    uint32_t left_out[2];        /* rows of such regions, on the side that has them: no partner is expected */
};

struct accepted_hit {
    uint32_t line, entry;
};

struct judgement {
    uint64_t serial;             /* unique in the session, because addresses are reused */
    struct line_judgement *line;
    size_t lines;
    struct judge_summary sum;
    uint32_t first;              /* line of the first deviation, or NONE */
    enum first_class first_class;
    uint8_t arithmetic;          /* the coarser type of both sides' results in most products; DTYPE_UNKNOWN: none */
    bool unsaid;                 /* float32 values were judged as bfloat16: nothing tells their arithmetic */
    double loss_scale;           /* gradients of the target over those of the golden side; judged without it; 1: none */
    uint8_t preset;              /* the preset of its verdicts (tool_rules.h) */
    /* ill_before: those of the doubtful that are at ill-conditioned operators */
    uint32_t doubtful_before, ill_before, gaps_before, unread_before, pending_before, contradicting_before;
    VEC(struct start) starts;    /* most inheriting lines first */
    VEC(struct start_group) start_groups; /* likewise: "what starts here" */
    const struct accepted_list *known;   /* accepted differences, or NULL */
    VEC(struct accepted_hit) known_hits; /* in line order */
};

struct judge_options {
    const struct thresholds *tol;
    bool map_only, exact, strict_gaps;
    bool strict; /* a pair that agrees by recorded figures alone is not enough */
    int preset; /* whose rules: 0 our own (tool_rules.h) */
    const struct accepted_list *known; /* accepted differences, or NULL */
    const float *residual; /* per line: the crossed residual of an output (oracle/crossed.h); NaN: none; or NULL */
    /* per line: that residual is of the values that are paired (oracle/crossed_rows.h); or NULL */
    const bool *by_rows;
    /* per line: by how much, relative, one side's output is not what its own call makes of its own inputs, where the
     * other side's call is not known to be wrong (a line without a pair: oracle.h); else 0; or NULL */
    const float *own_wrong;
    /* per line, 1 << side: what was recorded of that side's call contradicts itself (oracle/misfits.h); or NULL */
    const uint8_t *misfit;
    const struct summed_gradient *sums; /* in the order of their lines; or NULL */
    size_t summed;                      /* number of these */
    const float *band; /* per golden row: the difference of two golden runs; NaN if unknown; or NULL */
};

void judgement_release(struct judgement *j);
const char *region_name(enum region r); /* "weight gradients": for files; _() translates it */
const char *verdict_name(enum verdict v);
static inline bool verdict_is_bad(enum verdict v) /* may be a first deviation */
{
    return v == VERDICT_DEVIATE || v == VERDICT_NONFINITE || v == VERDICT_SHAPE || v == VERDICT_INHERITED ||
        v == VERDICT_IN_DOUBT;
}
static inline uint32_t judge_summary_bad(const struct judge_summary *s) /* number of lines of such verdicts */
{
    return s->by[VERDICT_DEVIATE] + s->by[VERDICT_NONFINITE] + s->by[VERDICT_SHAPE] + s->by[VERDICT_INHERITED] +
        s->by[VERDICT_IN_DOUBT];
}
/* Lines whose verdict is "deviate" in files. */
static inline uint32_t verdicts_deviate(const uint32_t by[VERDICT_COUNT])
{
    return by[VERDICT_DEVIATE] + by[VERDICT_INHERITED] + by[VERDICT_IN_DOUBT];
}
static inline bool verdict_is_accepted(enum verdict v) /* compared and within its limit */
{
    return v == VERDICT_MATCH || v == VERDICT_DRIFT;
}
static inline bool line_is_bad(const struct line_judgement *l) /* and not set aside as doubtful */
{
    return verdict_is_bad((enum verdict)l->verdict) && !(l->flags & LINE_DOUBTFUL);
}
/* Whether what both sides recorded differs, and this does not show that the values do: checksums of different kinds or
 * of two frameworks, values of different kinds. */
static inline bool line_is_incomparable(const struct line_judgement *l)
{
    return l->flags & LINE_DOUBTFUL &&
           (l->rule == RULE_CHECKSUM_OTHER || l->rule == RULE_CHECKSUM_SAYS_NOTHING || l->rule == RULE_KINDS ||
            l->rule == RULE_CUT);
}
/* They differ, and may be of different values; not what an ill-conditioned operator makes of noise, nor the same values
 * in another order. */
static inline bool line_is_in_doubt(const struct line_judgement *l)
{
    return (verdict_is_bad((enum verdict)l->verdict) && l->flags & LINE_DOUBTFUL && l->rule != RULE_ILL &&
            l->rule != RULE_REORDERED) || line_is_incomparable(l);
}
/* Both sides' values were compared and agree. False if elements could not be read: recorded figures alone do not
 * excuse another line. */
static inline bool line_agrees(const struct line_judgement *l)
{
    return verdict_is_accepted((enum verdict)l->verdict) && !(l->flags & LINE_UNREAD);
}
/* Why a comparison without a first deviation is not "aligned", the first that holds. */
enum unjudged {
    UNJUDGED_NOT,
    UNJUDGED_UNREAD,
    UNJUDGED_NO_BITS,
    UNJUDGED_IN_DOUBT,
    UNJUDGED_CONTRADICTS,
    UNJUDGED_UNANSWERED,
    UNJUDGED_FIGURES, /* --strict: the elements were not compared */
    UNJUDGED_FEW,     /* too little was compared */
};
enum unjudged judgement_unjudged(const struct judgement *j, const struct judge_options *o);
/* Exit status of a finished comparison: 0 aligned, 1 deviates, 5 could not be judged. */
int judgement_status(const struct judgement *j, const struct judge_options *o);

#endif
