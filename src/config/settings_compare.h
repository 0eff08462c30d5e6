/* Two runs' settings against the checklist: one entry a check, in the checklist's order, with its state, both
 * values as their files have them, and what to do about it. A screen can draw it as it is; the writers are in
 * report/settings_output.h. */
#ifndef CONFIG_SETTINGS_COMPARE_H
#define CONFIG_SETTINGS_COMPARE_H

#include "config/checklist.h"

enum check_state { CHECK_OK, CHECK_DIFFERS, CHECK_MISSING, CHECK_UNKNOWN, CHECK_ADVICE, CHECK_WAIVED, CHECK_STATES };

/* Why a check has its state, where the values alone do not say it. */
enum check_why {
    WHY_NONE,
    WHY_NOT_APPLICABLE, /* the rest of the settings makes it meaningless */
    WHY_NOT_TOLD,       /* neither side sets it and no default is known */
    WHY_ONE_SIDED,      /* only one side's framework or files have it */
    WHY_OPEN,           /* depends on what the files do not tell */
    WHY_UNWANTED,       /* both the same, against the recommendation */
    WHY_UNWANTED_ONE,   /* one side against the recommendation, of the other nothing is known */
    WHY_MANUAL,         /* files cannot settle it */
    WHY_UNSET,          /* has to be set and is not */
};

/* How a check's values stand to what the guide advises, the same on both sides or not. */
enum check_guide {
    GUIDE_SILENT,   /* it advises nothing, or nothing here */
    GUIDE_FOLLOWED,
    GUIDE_BROKEN,
    GUIDE_UNKNOWN,  /* the files do not tell */
};

struct config_check {
    const struct check_row *row;
    enum check_state state, was; /* was: before it was waived */
    enum check_guide guide;      /* never part of the verdict */
    struct str advised;          /* "2", of the side that breaks it or cannot be told; "" of GUIDE_SILENT */
    enum check_why why;
    struct value value[2];
    const char *reason;          /* of a waiver, else NULL */
};

/* A decision of a person's: this check's difference is accepted. */
struct config_waiver {
    const char *id; /* or key */
    const char *reason;
};

/* A setting without a row that both sides have by one name, with different values. */
struct config_other {
    const struct setting *side[2];
};

struct config_compare {
    struct arena arena;
    struct settings side[2]; /* owned */
    VEC(struct config_check) checks;
    VEC(struct str) unmapped[2]; /* settings no row reads, in their file's order; a list is one */
    VEC(struct str) npu_only[2]; /* arguments only MindSpeed has */
    VEC(struct config_other) others;
    size_t count[CHECK_STATES];
    size_t guide_broken, guide_unknown; /* checks that were not waived */
    bool pass;               /* no error or warning differs or is missing */
};

/* Takes over both sides' settings (also on failure). Waivers for unknown ids are an ERR_USAGE. */
int config_compare_run(struct config_compare *c, struct settings *target, struct settings *golden,
                       const struct config_waiver *waiver,
                       size_t waivers, struct err *e);
void config_compare_release(struct config_compare *c);

const char *check_state_name(enum check_state s); /* "ok", "differs" … */
/* A sentence for why, in the language in force; NULL where there is nothing to say. */
const char *check_why_text(const struct config_check *k);
/* Whether the guide's advice on it is not followed or cannot be told, and nobody waived that. */
bool check_guide_open(const struct config_check *k);
const char *check_guide_name(enum check_guide g); /* "followed" …, NULL of GUIDE_SILENT */

/* What to mind: why it is waived or does not agree, and the checklist's advice. Appends. */
void check_advice_text(const struct config_check *k, struct buf *out);

/* A value as a table shows it: "0.1 (default)", "2816 = 2*1408", "adam (AdamW)"; "" where there is none. */
void config_value_text(struct buf *out, const struct value *v);

#endif
