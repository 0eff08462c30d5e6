/* Compares two runs' settings against the checklist: one entry per check, in the checklist's order, with its state,
 * both values as in their files, and advice. Ready to be drawn; writers are in report/settings_output.h. */
#ifndef CONFIG_SETTINGS_COMPARE_H
#define CONFIG_SETTINGS_COMPARE_H

#include "base/stage_verdict.h"
#include "config/checklist.h"

enum check_state { CHECK_OK, CHECK_DIFFERS, CHECK_MISSING, CHECK_UNKNOWN, CHECK_ADVICE, CHECK_WAIVED, CHECK_STATES };

/* Why a check has its state, if the values alone do not show it. */
enum check_why {
    WHY_NONE,
    WHY_NOT_APPLICABLE, /* irrelevant under the other settings */
    WHY_NOT_TOLD,       /* neither side sets it and no default is known */
    WHY_ONE_SIDED,      /* only one side's framework or files have it */
    WHY_OPEN,           /* depends on something that is not in the files */
    WHY_UNWANTED,       /* equal on both sides, but not as recommended */
    WHY_UNWANTED_ONE,   /* one side is not as recommended, the other is unknown */
    WHY_MANUAL,         /* cannot be decided from files */
    WHY_UNSET,          /* must be set and is not */
    WHY_HARDWARE,       /* differs, and the hardware does too */
};

/* Whether a check's values follow the guide's advice, equal on both sides or not. */
enum check_guide {
    GUIDE_SILENT,   /* no advice, or it does not apply */
    GUIDE_FOLLOWED,
    GUIDE_BROKEN,
    GUIDE_UNKNOWN,  /* not in the files */
};

struct config_check {
    const struct check_row *row;
    enum check_state state, was; /* was: before the waiver */
    enum check_guide guide;      /* not part of the verdict */
    struct str advised;          /* "2", for the side that does not follow it or is unknown; "" for GUIDE_SILENT */
    enum check_why why;
    struct value value[2];
    const char *reason;          /* of a waiver, otherwise NULL */
};

/* The user's decision to accept this check's difference. */
struct config_waiver {
    const char *id; /* or key */
    const char *reason;
};

/* A setting without a check that both sides have under one name, with different values. */
struct config_other {
    const struct setting *side[2];
};

struct config_compare {
    struct arena arena;
    struct settings side[2]; /* owned */
    VEC(struct config_check) checks;
    VEC(struct str) unmapped[2]; /* settings that no check reads, in file order; a list counts once */
    VEC(struct str) npu_only[2]; /* arguments only MindSpeed has */
    VEC(struct config_other) others;
    VEC(const char *) unread; /* sentences: settings that are there and cannot be read */
    struct map odd[2];       /* the names of these, by side */
    size_t count[CHECK_STATES];
    size_t guide_broken, guide_unknown; /* checks without a waiver */
    size_t open, closed;     /* config_check_open, config_check_closed */
    bool pass;               /* no check of severity error or warning differs or is missing */
    bool environments;       /* a side has no settings: only checks of the environment were made */
};

/* Takes ownership of both sides' settings (also on failure). Waivers for unknown ids are an ERR_USAGE. */
int config_compare_run(struct config_compare *c, struct settings *target, struct settings *golden,
                       const struct config_waiver *waiver,
                       size_t waivers, struct err *e);
void config_compare_release(struct config_compare *c);

/* Whether a check of severity error was not judged, though the files could have shown it or none can: the user has to
 * answer it. */
bool config_check_open(const struct config_check *k);
/* Whether a check of severity error was not judged because no file of the kind that would show it was given. */
bool config_check_closed(const struct config_check *k);
/* Unknown where none differs, but only environments were compared or a value could not be read. */
enum stage_verdict config_compare_verdict(const struct config_compare *c);

const char *check_state_name(enum check_state s); /* "ok", "differs" … */
/* A sentence for `why`, in the current language; NULL if there is nothing to say. */
const char *check_why_text(const struct config_check *k);
/* Whether the guide's advice is not followed or undecided, without a waiver. */
bool check_guide_open(const struct config_check *k);
const char *check_guide_name(enum check_guide g); /* "followed" …, NULL of GUIDE_SILENT */

/* Appends what to consider: the reason for a waiver or a difference, and the checklist's advice. */
void check_advice_text(const struct config_check *k, struct buf *out);

/* Appends a value as shown in a table: "0.1 (default)", "2816 = 2*1408", "adam (AdamW)"; nothing if there is none. */
void config_value_text(struct buf *out, const struct value *v);

#endif
