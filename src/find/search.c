#define PCRE2_CODE_UNIT_WIDTH 8
#include "find/search.h"

#include <pcre2.h>
#include <stdlib.h>

#include "base/msg.h"

#define MATCH_LIMIT 100000 /* steps a row: enough for names, soon over for a pattern that explodes */

struct pattern_code {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *context;
};

void search_release(struct search *s)
{
    if (s->code) {
        pcre2_match_context_free(s->code->context);
        pcre2_match_data_free(s->code->match);
        pcre2_code_free(s->code->code);
        free(s->code);
    }
    free(s->text);
    *s = (struct search){0};
}

static bool has_upper(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '\\')
            i++; /* \D, \S … are no letters */
        else if (s.p[i] >= 'A' && s.p[i] <= 'Z')
            return true;
    return false;
}

int search_set(struct search *s, struct str pattern, struct err *e)
{
    int code;
    PCRE2_SIZE at;
    uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | (has_upper(pattern) ? 0 : PCRE2_CASELESS);
    pcre2_code *c = pcre2_compile((PCRE2_SPTR)pattern.p, pattern.n, options, &code, &at, NULL);
    if (!c) {
        unsigned char why[160] = "";
        pcre2_get_error_message(code, why, sizeof why);
        return err_set(e, ERR_USAGE, _("pattern, at character %zu: %s"), at + 1, (char *)why);
    }
    pcre2_jit_compile(c, PCRE2_JIT_COMPLETE);
    search_release(s);
    s->code = mem_alloc(sizeof *s->code);
    s->code->code = c;
    s->code->match = pcre2_match_data_create_from_pattern(c, NULL);
    s->code->context = pcre2_match_context_create(NULL);
    pcre2_set_match_limit(s->code->context, MATCH_LIMIT);
    s->text = str_dup(pattern);
    return 0;
}

bool search_name(struct search *s, struct str name)
{
    int rc = pcre2_match(s->code->code, (PCRE2_SPTR)name.p, name.n, 0, 0, s->code->match, s->code->context);
    if (rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_JIT_STACKLIMIT)
        s->limit = true;
    return rc >= 0;
}

static bool same_name(const struct dump *const side[2], const struct line *l)
{
    const struct row *t = &side[0]->rows.v[l->row[0]], *g = &side[1]->rows.v[l->row[1]];
    return strcmp(side[0]->slots.v[t->slot], side[1]->slots.v[g->slot]) == 0 &&
           str_eq(dump_call_name(side[0], t->call), dump_call_name(side[1], g->call));
}

static bool either_side(struct search *s, const struct dump *const side[2], const struct line *l, struct buf *name)
{
    for (int i = 0; i < 2; i++) {
        if (l->row[i] == NONE || (i && l->row[0] != NONE && same_name(side, l)))
            continue;
        dump_row_name(side[i], l->row[i], name);
        if (search_name(s, buf_view(name)))
            return true;
    }
    return false;
}

bool search_line(struct search *s, const struct dump *const side[2], const struct line *l)
{
    struct buf name = {0};
    bool hit = either_side(s, side, l, &name);
    buf_release(&name);
    return hit;
}

bool search_count(struct search *s, const struct dump *const side[2], const struct pairing *p, uint32_t lines)
{
    struct buf name = {0};
    if (!s->code || s->complete)
        return false;
    for (; lines && s->counted < p->lines.n; lines--, s->counted++)
        s->hits += either_side(s, side, &p->lines.v[s->counted], &name);
    s->complete = s->counted >= p->lines.n;
    buf_release(&name);
    return !s->complete;
}
