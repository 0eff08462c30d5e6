/* How a stage of the procedure ended; each stage's command has it as "verdict" and as its exit status. */
#ifndef BASE_STAGE_VERDICT_H
#define BASE_STAGE_VERDICT_H

enum stage_verdict { STAGE_PASS, STAGE_FAIL, STAGE_UNKNOWN };

static inline const char *stage_name(enum stage_verdict v)
{
    return v == STAGE_PASS ? "pass" : v == STAGE_FAIL ? "fail" : "unknown";
}

#endif
