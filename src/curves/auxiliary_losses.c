/* Losses beside the main one (load balancing, z-loss, multi-token prediction) that both logs print, compared as the
 * loss is. */
#include "curves/curves.h"

#include <math.h>

#define ROOM 0.01
#define SHARE 0.99

/* Whether two logs mean one loss: the letters and digits of its name, without "loss" and what stands before a "/". */
static size_t plain(const char *name, char *out, size_t room)
{
    const char *slash = strrchr(name, '/');
    size_t n = 0;
    for (const char *p = slash ? slash + 1 : name; *p && n + 1 < room; p++) {
        char ch = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
        if ((ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9'))
            out[n++] = ch;
    }
    if (n > 4 && memcmp(out + n - 4, "loss", 4) == 0)
        n -= 4;
    out[n] = 0;
    return n;
}

/* Words of their names; other series with "loss" in their name are metrics of a trainer. */
static bool auxiliary(const struct log_name *n)
{
    static const char *const words[] = {"balanc", "aux", "mtp", "multitoken", "router", "indexer"};
    char name[64];
    if (!n->n || strcmp(n->tag, "loss") != 0)
        return false;
    plain(n->name, name, sizeof name);
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strstr(name, words[i]))
            return true;
    return strcmp(name, "z") == 0;
}

static const struct log_name *counterpart(const struct series *s, const char *name)
{
    char wanted[64], other[64];
    plain(name, wanted, sizeof wanted);
    for (size_t i = 0; i < s->names.n; i++)
        if (auxiliary(&s->names.v[i])) {
            plain(s->names.v[i].name, other, sizeof other);
            if (strcmp(wanted, other) == 0)
                return &s->names.v[i];
        }
    return NULL;
}

static void compare(struct curves *c, const struct log_name *const name[2], const struct thresholds_curves *limits)
{
    struct auxiliary_loss a = {.name = {name[0]->name, name[1]->name}, .verdict = STAGE_PASS};
    VEC(double) t = {0};
    VEC(double) g = {0};
    for (size_t i = 0; i < c->usable.n; i++) {
        double v[2];
        size_t at = c->usable.v[i];
        if (!log_name_at(&c->run[0], name[0], curve_record(c, at, 0)->step, &v[0]) ||
            !log_name_at(&c->run[1], name[1], curve_record(c, at, 1)->step, &v[1]))
            continue;
        vec_push(&t, v[0]);
        vec_push(&g, v[1]);
        a.mean_abs += fabs(v[0] - v[1]);
        a.mean_rel += v[0] == v[1] ? 0 : fabs(v[0] - v[1]) / fabs(v[1]);
    }
    a.steps = t.n;
    if (a.steps) {
        a.mean_abs /= (double)a.steps;
        a.mean_rel /= (double)a.steps;
        a.factor = constant_factor(t.v, g.v, t.n, ROOM, SHARE, true).factor;
        if (a.factor != 0 || !(a.mean_abs < limits->mean_loss_abs || a.mean_rel < limits->mean_loss_rel))
            a.verdict = STAGE_FAIL;
        vec_push(&c->auxiliary, a);
    }
    vec_release(&t);
    vec_release(&g);
}

void auxiliary_losses_find(struct curves *c, const struct thresholds_curves *t)
{
    vec_clear(&c->auxiliary);
    for (int k = 0; k < 2; k++) {
        const struct series *s = &c->run[k], *other = &c->run[!k];
        c->auxiliary_only[k] = NULL;
        for (size_t i = 0; i < s->names.n; i++) {
            const struct log_name *n = &s->names.v[i], *twin;
            if (!auxiliary(n))
                continue;
            twin = counterpart(other, n->name);
            if (!twin)
                c->auxiliary_only[k] = n->name;
            else if (k == 0)
                compare(c, (const struct log_name *const[2]){n, twin}, t);
        }
    }
}
