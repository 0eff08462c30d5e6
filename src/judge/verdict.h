/* Verdicts of lines and the judgement that holds them: a judgement is made whole (judge.h) and then only read. */
#ifndef JUDGE_VERDICT_H
#define JUDGE_VERDICT_H

#include "dump/dataflow.h"
#include "measure/measure.h"
#include "judge/thresholds.h"

/* Packs keep the numbers of verdicts and rules: new ones go to the end. */
enum verdict {
    VERDICT_PENDING, /* its figures are still to come */
    VERDICT_MATCH,
    VERDICT_DRIFT,
    VERDICT_DEVIATE,
    VERDICT_NONFINITE,
    VERDICT_SHAPE,
    VERDICT_DTYPE,
    VERDICT_ONLY,
    VERDICT_SKIP,
    VERDICT_COUNT
};

/* Why: the rule that gave the verdict. The sentences are in verdict_text.c. */
enum verdict_rule {
    RULE_NONE,
    RULE_PENDING,
    RULE_ONE_SIDED,
    RULE_EQUAL,         /* no element differs */
    RULE_WITHIN,        /* below the drift limit or floor */
    RULE_LEVEL,         /* above it, but so is the noise here */
    RULE_DRIFT,
    RULE_LIMIT,         /* above the deviate limit */
    RULE_JUMP,          /* far above the noise here, and above the floor */
    RULE_SOURCE,        /* an input nothing produced, so nothing excuses it */
    RULE_PARAMETER,     /* beyond the rounding of its dtype */
    RULE_SAME_STATS,    /* recorded figures agree; elements are unknown */
    RULE_SCALAR_SAME,
    RULE_SCALAR_DIFFERS,
    RULE_INTEGERS_DIFFER,
    RULE_CHECKSUM_SAME,
    RULE_CHECKSUM_DIFFERS,
    RULE_CHECKSUM_SAYS_NOTHING,
    RULE_NONFINITE,
    RULE_NONFINITE_ALIKE, /* recorded figures are non-finite on both sides */
    RULE_PART,          /* one of several parts of a fused tensor: needs a view */
    RULE_PART_SAME,     /* the same, and all parts together have its figures */
    RULE_ELEMENTS,      /* element counts differ */
    RULE_KINDS,         /* int against float and the like */
    RULE_ABSENT,        /* recorded as null */
    RULE_EMPTY,         /* zero elements */
    RULE_NO_FIGURES,
    RULE_FRAMEWORK,        /* a known difference of what is recorded (framework_difference.h) */
    RULE_REORDERED,     /* same figures, other order: the pair needs a view */
    RULE_EXACT,         /* --exact: not every bit agrees */
    RULE_PRESET,        /* the rule of another tool */
    RULE_TABLE,         /* the verdict the result table gives */
    RULE_ILL,           /* no more than an ill-conditioned operator makes of noise (conditioning.h): doubtful */
    RULE_ACCEPTED,         /* a difference the team has accepted (accepted.h) */
    RULE_NESTED,        /* recorded twice: the call around or inside it holds the same tensors and is paired */
    RULE_FACTOR,        /* a constant factor that the other side applies elsewhere (moved_factor.h) */
    RULE_RECOMPUTED,    /* one side alone computes this forward call a second time (dump/recomputed.h) */
    RULE_IDLE_ARGUMENT, /* an argument differs, the call's outputs agree (idle_argument.h) */
    RULE_CONTAINER,     /* a container that the other side ends elsewhere (container_end.h) */
    RULE_DISCARDED,     /* it differs only where what comes next drops it (discarded.h) */
    RULE_MASKED_BEFORE, /* one side has masked it already, the other masks it here (masked_operand.h) */
    RULE_FILLS,         /* two numbers that stand for minus infinity, each the lowest of a floating type */
    /* attention written out on one side with another scale than the other's fused call (fused_scale.h) */
    RULE_FUSED_SCALE,
    RULE_ROUNDED,       /* a float32 output of one side holds a coarser type's numbers only; what went in does not */
    /* more than the noise here, no more than a product leaves: the product before could not be read */
    RULE_BEHIND_UNREAD,
    RULE_SAME_PICKS,    /* a router's choices, or values in their order: the same of every token (routing.h) */
    RULE_MASKED_ROWS,   /* it differs only for queries that may see no key (masked_rows.h) */
    RULE_CHECKSUM_OTHER,
    RULE_NEVER_READ,    /* what the call never reads, or leaves unwritten for nobody (never_read.h) */
    RULE_COUNT
};

/* One side recorded a value twice: its row has no partner and needs none. */
static inline bool rule_sets_aside(uint8_t rule)
{
    return rule == RULE_NESTED || rule == RULE_RECOMPUTED;
}

enum {
    LINE_DTYPE_DIFF = 1, /* both floating, not the same type */
    LINE_DOUBTFUL = 2,   /* its pair's confidence is below the limit, or RULE_ILL */
    LINE_STATISTICS = 4, /* judged by recorded figures */
    LINE_SOURCE = 8,     /* an input nothing recorded produced */
    LINE_UNREAD = 16,    /* a tensor of it could not be read */
    LINE_BAND = 32,      /* its level is the difference of two golden runs */
    LINE_MASKED = 128,   /* its error is that of the elements no mask fills (num/masked.h) */
    LINE_ILL = 64,       /* the operator magnifies its inputs' error: the level was raised for it, or RULE_ILL */
};

struct line_judgement {
    uint8_t verdict, rule, flags;
    /* of RULE_ACCEPTED: the verdict that was accepted; of RULE_ILL: the enum condition_kind of its operator */
    uint8_t was;
    float error; /* what was judged: rel_l2, or the largest relative difference of the statistics; NaN: none */
    float limit; /* what it was compared with */
    float level; /* noise here: error already accepted around it */
    float kappa; /* of RULE_ILL: how much the operator magnifies noise (conditioning.h); 0 elsewhere */
};

struct suspect {
    uint32_t call; /* of the target */
    uint32_t line; /* its first deviating output */
    double score;  /* 0 … 1, by how much larger the error came out than it went in */
    double in, out;
};

enum entry_point_kind { ENTRY_POINT_OUTPUT, ENTRY_POINT_INPUT, ENTRY_POINT_GAP };

/* Where a deviation enters along the data flow. */
struct entry_point {
    uint32_t call, line;   /* of the target; its first deviating line */
    enum entry_point_kind kind;
    double downstream;     /* share of the deviating lines behind the first deviation that depend on it */
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
    uint32_t by[VERDICT_COUNT];  /* lines of each verdict */
    uint32_t pairs, only[2], dtype_diff, doubtful, unread;
    uint32_t unread_files;       /* of both sides: files, or ends of them, that are there and could not be read */
    uint32_t ill;                /* of the doubtful: RULE_ILL */
    uint32_t known;              /* accepted differences: pairs, but of no verdict */
    uint32_t compute[2], covered[2]; /* calls (rows listed, with map_only) */
    uint32_t judged;             /* of the target's compute calls: an output judged match or drift */
    double coverage[2];          /* covered / compute */
    uint32_t paired_by[WHY_COUNT]; /* of the pairs: what they rest on */
    uint8_t missing[2];          /* bits 1 << region: a side recorded nothing of it while the other one did */
    uint32_t left_out[2];        /* rows of such regions, on the side that has them: no partner is to be expected */
};

struct accepted_hit {
    uint32_t line, entry;
};

struct judgement {
    uint64_t serial;             /* tells it from every other of the session: addresses come again */
    struct line_judgement *line;
    size_t lines;
    struct judge_summary sum;
    uint32_t first;              /* line of the first deviation, or NONE */
    enum first_class first_class;
    uint8_t preset;              /* the rule its verdicts are by (tool_rules.h) */
    /* ill: of the doubtful, at ill-conditioned operators */
    uint32_t doubtful_before, ill_before, gaps_before, unread_before, pending_before;
    VEC(struct suspect) suspects; /* the one that magnifies its error most first */
    VEC(struct entry_point) frontier;   /* the one most depends on first */
    const struct accepted_list *known;   /* what was accepted, or NULL */
    VEC(struct accepted_hit) known_hits; /* in the order of lines */
};

struct judge_options {
    const struct thresholds *tol;
    bool map_only, exact, strict_gaps;
    int preset; /* whose rule: 0 our own (tool_rules.h) */
    const struct accepted_list *known; /* accepted differences, or NULL */
    const float *band; /* per golden row: how far two golden runs are apart; NaN where it is not known; or NULL */
};

void judgement_release(struct judgement *j);
const char *region_name(enum region r); /* "weight gradients": for files; _() of it for people */
const char *verdict_name(enum verdict v);
static inline bool verdict_is_bad(enum verdict v) /* what a first deviation can be */
{
    return v == VERDICT_DEVIATE || v == VERDICT_NONFINITE || v == VERDICT_SHAPE;
}
static inline bool verdict_is_accepted(enum verdict v) /* compared, and within its limit */
{
    return v == VERDICT_MATCH || v == VERDICT_DRIFT;
}
static inline bool line_is_bad(const struct line_judgement *l) /* and not held apart as doubtful */
{
    return verdict_is_bad((enum verdict)l->verdict) && !(l->flags & LINE_DOUBTFUL);
}
/* Both sides' values were compared with each other, and agree: figures recorded beside elements that could not be read
 * are no reason to excuse another line. */
static inline bool line_agrees(const struct line_judgement *l)
{
    return verdict_is_accepted((enum verdict)l->verdict) && !(l->flags & LINE_UNREAD);
}
/* Exit status of a finished comparison: 0 aligned, 1 deviates, 5 could not be judged. */
int judgement_status(const struct judgement *j, const struct judge_options *o);

#endif
