/* PCRE2 patterns: compiled with limits, matched with names, with captured groups. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/pattern.h"

#include <pcre2.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/msg.h"

#define MATCH_LIMIT 100000 /* match steps per text: enough for names */
#define PATIENCE 16         /* after this many texts with too many steps no more are tried */

struct pattern {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *context;
    atomic_int exploded; /* number of texts with too many steps, at most PATIENCE */
};

static void *pcre_allocate(PCRE2_SIZE n, void *unused)
{
    (void)unused;
    return mem_alloc(n);
}

static void pcre_free(void *p, void *unused)
{
    (void)unused;
    free(p);
}

struct pattern *pattern_compile(struct str text, int flags, struct err *e)
{
    int code;
    PCRE2_SIZE at;
    uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | (flags & PATTERN_CASELESS ? PCRE2_CASELESS : 0) |
                       (flags & PATTERN_WHOLE ? PCRE2_ANCHORED | PCRE2_ENDANCHORED : 0);
    pcre2_general_context *memory = pcre2_general_context_create(pcre_allocate, pcre_free, NULL);
    pcre2_compile_context *compiling = pcre2_compile_context_create(memory);
    pcre2_code *c = pcre2_compile((PCRE2_SPTR)text.p, text.n, options, &code, &at, compiling);
    pcre2_compile_context_free(compiling);
    if (!c) {
        unsigned char why[160] = "";
        pcre2_get_error_message(code, why, sizeof why);
        pcre2_general_context_free(memory);
        err_set(e, ERR_USAGE, _("pattern, at character %zu: %s"), at + 1, (char *)why);
        return NULL;
    }
    pcre2_jit_compile(c, PCRE2_JIT_COMPLETE);
    struct pattern *p = mem_zalloc(sizeof *p);
    p->code = c;
    p->match = pcre2_match_data_create(PATTERN_GROUPS, memory);
    p->context = pcre2_match_context_create(memory);
    pcre2_general_context_free(memory); /* the pattern has its own copy */
    pcre2_set_match_limit(p->context, MATCH_LIMIT);
    return p;
}

void pattern_free(struct pattern *p)
{
    if (!p)
        return;
    pcre2_match_context_free(p->context);
    pcre2_match_data_free(p->match);
    pcre2_code_free(p->code);
    free(p);
}

/* pcre2_match within the limits. */
static int match_within_limits(struct pattern *p, struct str text)
{
    if (p->exploded == PATIENCE)
        return PCRE2_ERROR_MATCHLIMIT;
    int rc = pcre2_match(p->code, (PCRE2_SPTR)text.p, text.n, 0, 0, p->match, p->context);
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
        rc = PCRE2_ERROR_MATCHLIMIT;
    p->exploded += rc == PCRE2_ERROR_MATCHLIMIT;
    return rc;
}

static int match_outcome(int rc)
{
    return rc >= 0 ? 1 : rc == PCRE2_ERROR_MATCHLIMIT ? -1 : 0;
}

int pattern_match(struct pattern *p, struct str text)
{
    return match_outcome(match_within_limits(p, text));
}

bool pattern_explodes(const struct pattern *p)
{
    return p->exploded > 0;
}

int pattern_groups(struct pattern *p, struct str text, struct str group[PATTERN_GROUPS])
{
    int n = match_within_limits(p, text), rc = match_outcome(n);
    const PCRE2_SIZE *at = pcre2_get_ovector_pointer(p->match);
    if (n == 0) /* more groups than space: the first ones are set */
        n = PATTERN_GROUPS;
    for (int i = 0; i < PATTERN_GROUPS; i++) {
        /* \K may set the start after the end */
        bool took = i < n && at[2 * i] != PCRE2_UNSET && at[2 * i] <= at[2 * i + 1];
        group[i] = took ? str_n(text.p + at[2 * i], at[2 * i + 1] - at[2 * i]) : STR("");
    }
    return rc;
}

int pattern_group_count(const struct pattern *p)
{
    uint32_t n = 0;
    pcre2_pattern_info(p->code, PCRE2_INFO_CAPTURECOUNT, &n);
    return (int)n;
}

int pattern_group_named(const struct pattern *p, const char *name)
{
    int n = pcre2_substring_number_from_name(p->code, (PCRE2_SPTR)name);
    return n > 0 ? n : -1;
}

void pattern_quote(struct str text, struct buf *out)
{
    for (size_t i = 0; i < text.n; i++) {
        if (strchr(".[]()^$*+?{}|\\", text.p[i]))
            buf_char(out, '\\');
        buf_char(out, text.p[i]);
    }
}
