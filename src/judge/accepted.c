/* Reads the file of accepted differences, finds the entry for a deviating line, and warns of entries that have
 * expired or are no longer needed. */
#include "judge/accepted.h"

#include <cjson/cJSON.h>

#include "base/msg.h"
#include "base/json_read.h"
#include "base/json_tree.h"

#define LARGEST (16u << 20)
#define ACCEPTABLE                                                                                 \
    (1u << VERDICT_DRIFT | 1u << VERDICT_DEVIATE | 1u << VERDICT_NONFINITE | 1u << VERDICT_SHAPE | 1u << VERDICT_DTYPE)

static const char *accepted_text(const cJSON *o, const char *key)
{
    const cJSON *x = json_member(o, key);
    return cJSON_IsString(x) ? x->valuestring : "";
}

static bool is_date(const char *s)
{
    static const char like[] = "dddd-dd-dd";
    for (size_t i = 0; i < sizeof like - 1; i++)
        if (like[i] == 'd' ? s[i] < '0' || s[i] > '9' : s[i] != like[i])
            return false;
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int month = (s[5] - '0') * 10 + s[6] - '0', day = (s[8] - '0') * 10 + s[9] - '0';
    return !s[sizeof like - 1] && month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1];
}

/* 0 for an unknown word. */
static uint32_t kinds_of(const char *word)
{
    if (!*word || strcmp(word, "any") == 0)
        return ACCEPTABLE;
    for (int v = 0; v < VERDICT_COUNT; v++)
        if (ACCEPTABLE & 1u << v && strcmp(word, verdict_name((enum verdict)v)) == 0)
            return 1u << v;
    return 0;
}

static int load_entry(struct accepted_list *l, const char *path, const cJSON *o, const char *today, struct err *e)
{
    size_t number = l->entries.n + 1;
    struct accepted x = {
        .text = arena_cstr(&l->arena, str_of(accepted_text(o, "row"))),
        .reason = arena_cstr(&l->arena, str_of(accepted_text(o, "reason"))),
        .until = arena_cstr(&l->arena, str_of(accepted_text(o, "until"))),
        .kinds = kinds_of(accepted_text(o, "kind")),
    };
    if (!*x.text || !*x.reason)
        return err_set(e, ERR_DATA, _("%s: entry %zu: expected \"row\" (a pattern of row names) and \"reason\""), path,
                       number);
    if (!x.kinds)
        return err_set(e, ERR_DATA, _("%s: entry %zu: \"kind\": expected drift, deviate, nonfinite, shape, dtype or "
                                      "any, found \"%s\""), path, number, accepted_text(o, "kind"));
    if (*x.until && !is_date(x.until))
        return err_set(e, ERR_DATA, _("%s: entry %zu: \"until\": expected a day such as 2026-12-31, found \"%s\""),
                       path, number, x.until);
    x.over = *x.until && strcmp(x.until, today) < 0;
    x.row = pattern_compile(str_of(x.text), PATTERN_WHOLE, e);
    if (!x.row)
        return err_prefix(e, _("%s: entry %zu"), path, number);
    vec_push(&l->entries, x);
    return 0;
}

int accepted_load(struct accepted_list *l, const char *path, const char *today, struct err *e)
{
    cJSON *root = json_load(path, LARGEST, e);
    if (!root)
        return -1;
    const cJSON *list = json_member(root, "known"), *it;
    int rc = cJSON_IsArray(list) ? 0 : err_set(e, ERR_DATA, _("%s: expected a list \"known\""), path);
    cJSON_ArrayForEach(it, list) {
        if (rc == 0)
            rc = load_entry(l, path, it, today, e);
    }
    cJSON_Delete(root);
    return rc;
}

void accepted_release(struct accepted_list *l)
{
    for (size_t i = 0; i < l->entries.n; i++)
        pattern_free(l->entries.v[i].row);
    vec_release(&l->entries);
    arena_release(&l->arena);
}

static uint32_t find_accepted(const struct accepted_list *l, const struct measure *m, uint32_t line, enum verdict v,
                              struct buf *name)
{
    for (int s = 0; s < 2; s++) {
        uint32_t r = m->pairing->lines.v[line].row[s];
        if (r == NONE)
            continue;
        dump_row_name(m->side[s], r, name);
        for (uint32_t i = 0; i < l->entries.n; i++)
            if (!l->entries.v[i].over && l->entries.v[i].kinds & 1u << v &&
                pattern_match(l->entries.v[i].row, buf_view(name)) == 1)
                return i;
    }
    return NONE;
}

bool accepted_line(struct judgement *j, const struct measure *m, const struct accepted_list *l, uint32_t line,
                   enum verdict v)
{
    struct buf name = {0};
    uint32_t at = l && ACCEPTABLE & 1u << v ? find_accepted(l, m, line, v, &name) : NONE;
    buf_release(&name);
    if (at == NONE)
        return false;
    struct accepted_hit hit = {line, at};
    struct line_judgement *x = &j->line[line];
    vec_push(&j->known_hits, hit);
    x->was = (uint8_t)v;
    x->verdict = VERDICT_SKIP;
    x->rule = RULE_ACCEPTED;
    return true;
}

void accepted_apply(struct judgement *j, const struct measure *m, const struct accepted_list *l)
{
    j->known = l;
    for (uint32_t i = 0; l && i < j->lines; i++)
        accepted_line(j, m, l, i, (enum verdict)j->line[i].verdict);
}

static int by_line(const void *a, const void *b)
{
    const struct accepted_hit *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

void accepted_order(struct judgement *j)
{
    vec_sort(&j->known_hits, by_line);
}

const struct accepted *accepted_of(const struct judgement *j, uint32_t line)
{
    struct accepted_hit key = {line, 0};
    const struct accepted_hit *x = j->known_hits.n
                                       ? bsearch(&key, j->known_hits.v, j->known_hits.n, sizeof key, by_line)
                                       : NULL;
    return x ? &j->known->entries.v[x->entry] : NULL;
}

const char *accepted_warning(const struct judgement *j, size_t i, struct arena *a)
{
    for (uint32_t k = 0; j->known && k < j->known->entries.n; k++) {
        const struct accepted *x = &j->known->entries.v[k];
        bool needed = false;
        for (size_t h = 0; h < j->known_hits.n && !needed; h++)
            needed = j->known_hits.v[h].entry == k;
        bool explodes = pattern_explodes(x->row);
        if ((needed && !explodes) || i-- > 0)
            continue;
        if (explodes)
            return arena_fmt(a, _("accepted difference: matching its pattern exceeds the step limit on some rows; "
                                  "these rows are not accepted: %s (%s)"), x->text, x->reason);
        return x->over ? arena_fmt(a, _("accepted difference expired on %s: %s (%s)"), x->until, x->text, x->reason)
                       : arena_fmt(a, _("accepted difference no longer occurs: %s (%s)"), x->text, x->reason);
    }
    return NULL;
}
