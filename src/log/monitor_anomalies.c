/* msprobe monitor's anomaly files: anomaly.json of a rank and anomaly_analyse.json,
 *   {"0:fc1.bias/rank0/acc_grad_step_1_call_4": {"rank", "step", "tag_name": "0:fc1.bias/rank0/acc_grad", "message":
 *    "Rule R reports anomaly signal in ('0:fc1.bias/rank0/acc_grad', 'mean') at step 1, current value V, history mean
 * H."}} The values that broke a rule, as points; which rules how often, and the first by step, as notes. The tool
 * keeps one message of a tag, step and call: the last of its figures that broke a rule. */
#include "base/json_read.h"
#include "base/json_tree.h"
#include "base/msg.h"
#include "log/series_builder.h"

#define RULES 16 /* of the tool: two */

struct anomalies {
    struct series_builder *k;
    struct {
        char name[64];
        size_t n;
    } rule[RULES];
    size_t rules, damaged;
    int64_t first; /* step */
    struct buf message;
};

bool monitor_anomalies_sniff(struct str head, const char *path)
{
    struct str name = path_base(str_of(path));
    return str_starts(name, "anomaly") && str_ends(name, ".json") && str_starts(str_trim(head), "{") &&
           scan_has(head, "\"tag_name\"") && scan_has(head, "reports anomaly signal in");
}

/* The names of these tags' gradients in the monitor's tables. */
static struct str gradient_table_of_tag(struct str tag)
{
    return str_is(tag, "acc_grad") || str_is(tag, "pre_grad")    ? STR("grad_unreduced")
           : str_is(tag, "post_grad") || str_is(tag, "reduced") ? STR("grad_reduced")
                                                               : tag;
}

static void count_rule(struct anomalies *a, struct str rule)
{
    size_t i = 0;
    while (i < a->rules && !str_is(rule, a->rule[i].name))
        i++;
    if (i == a->rules) {
        if (a->rules == RULES || rule.n >= sizeof a->rule[i].name)
            return;
        memcpy(a->rule[i].name, rule.p, rule.n);
        a->rules++;
    }
    a->rule[i].n++;
}

/* The text between two others; false if they are absent. */
static bool text_between(struct str s, const char *before, const char *after, struct str *out)
{
    struct str rest, behind;
    if (!scan_behind(s, before, &rest) || !scan_behind(rest, after, &behind))
        return false;
    *out = str_n(rest.p, (size_t)(behind.p - rest.p) - strlen(after));
    return true;
}

static bool take_anomaly(struct anomalies *a, const cJSON *v)
{
    const cJSON *tag = json_member(v, "tag_name");
    const cJSON *step = json_member(v, "step");
    const cJSON *message = json_member(v, "message");
    struct str rule, op, value, name, kind, rest;
    struct buf what = {0};
    double at, x, digit;
    if (!cJSON_IsString(tag) || !cJSON_IsString(message) || !step)
        return false;
    struct str s = str_of(message->valuestring);
    if (!text_between(s, "Rule ", " reports", &rule) || !text_between(s, "', '", "')", &op) ||
        !text_between(s, "current value ", ", history", &value))
        return false;
    if (!json_number(step, &at) || !(at >= 0) || at >= (double)LOG_STEP) {
        log_odd_value(a->k, cJSON_IsString(step) ? str_of(step->valuestring) : STR("step"));
        return true;
    }
    if (!scan_number(value, &x, &digit)) {
        log_odd_value(a->k, value);
        return true;
    }
    name = str_of(tag->valuestring);
    ptrdiff_t last = str_rfind(name, '/');
    kind = last < 0 ? name : str_cut(name, (size_t)last + 1);
    str_split(name, '/', &name, &rest);
    if (str_starts(name, "0:"))
        name = str_cut(name, 2);
    if (str_ends(name, ":0")) /* the first micro step, which the tables have in a column */
        name.n -= 2;
    buf_fmt(&what, "%.*s.%.*s", STR_ARG(gradient_table_of_tag(kind)), STR_ARG(op));
    log_point(a->k, what.p, name, false, (int64_t)at, x);
    count_rule(a, rule);
    if (a->first < 0 || (int64_t)at < a->first) {
        a->first = (int64_t)at;
        buf_clear(&a->message);
        buf_str(&a->message, s);
    }
    buf_release(&what);
    return true;
}

static void note_anomalies(struct anomalies *a)
{
    struct series *s = a->k->s;
    const char *name = a->k->file->name;
    for (size_t i = 0; i < a->rules; i++)
        vec_push(&s->notes, arena_fmt(&s->arena, _("%s: msprobe rule %s violated %zu times"), name,
                                      a->rule[i].name, a->rule[i].n));
    if (a->message.n)
        vec_push(&s->notes, arena_fmt(&s->arena, _("%s: the first: %.300s"), name, a->message.p));
    if (a->damaged) {
        struct buf b = {0};
        buf_fmt(&b, _("%s: %zu members are not anomaly records of msprobe"), name, a->damaged);
        log_unread_end(a->k, b.p);
        buf_release(&b);
    }
}

int monitor_anomalies_read(struct series_builder *k, struct err *e)
{
    struct anomalies a = {.k = k, .first = -1};
    struct json_members j;
    struct json_member m;
    struct json_pool pool;
    int rc = json_members_open(&j, k->file->name, NULL, e);
    if (rc)
        return -1;
    json_pool_enter(&pool);
    while (!log_cancelled(k) && (rc = json_members_next(&j, &m, e)) == 1) {
        struct err why;
        cJSON *v = m.too_long ? NULL : json_parse(m.value, m.special, k->file->name, m.offset, &why);
        if (!take_anomaly(&a, v))
            a.damaged++;
        json_pool_clear(&pool);
    }
    json_pool_leave(&pool);
    json_members_close(&j);
    note_anomalies(&a);
    buf_release(&a.message);
    if (rc < 0 && k->s->points.n) { /* what stands before counts */
        log_unread_end(k, e->text);
        rc = 0;
    }
    return rc < 0 ? -1 : 0;
}
