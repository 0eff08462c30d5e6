/* Overrides of a Hydra configuration on a command line, "actor.optim.lr=1e-6 +trainer.x=[1,2]", as a document with
 * these values. */
#include "base/msg.h"
#include "config/settings.h"

/* The length of "a.b@c.d[0]" at the front of s; 0: something else begins there. */
static size_t key_length(struct str s)
{
    size_t i = 0;
    while (i < s.n && ((s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= 'A' && s.p[i] <= 'Z') || s.p[i] == '_' ||
                       (i && ((s.p[i] >= '0' && s.p[i] <= '9') || strchr(".@/[]-", s.p[i])))))
        i++;
    return i;
}

bool hydra_override(struct str word, struct str *key, struct str *value)
{
    while (word.n && word.p[0] == '+')
        word = str_cut(word, 1);
    size_t n = key_length(word);
    if (!n || n >= word.n || word.p[n] != '=')
        return false;
    *key = str_n(word.p, n);
    *value = str_cut(word, n + 1);
    return true;
}

/* The value as YAML reads it; one that is none is a text. */
static int add_override_value(struct settings *own, struct str key, struct str value, struct err *e)
{
    struct settings one = {.path = own->path};
    struct buf text = {0};
    struct err quiet;
    buf_fmt(&text, "%.*s: %.*s", STR_ARG(key), STR_ARG(value));
    int rc = 0;
    if (settings_document_flatten(&one, buf_view(&text), &quiet) || !one.list.n) {
        rc = settings_add(own, key, key, value, SETTING_TEXT, 0, e);
    } else {
        for (size_t i = 0; rc == 0 && i < one.list.n; i++) {
            const struct setting *x = &one.list.v[i];
            rc = settings_add(own, x->key, x->key, x->value, (enum setting_state)x->state, 0, e);
        }
    }
    settings_release(&one);
    buf_release(&text);
    return rc;
}

int hydra_override_add(struct settings *own, struct str key, struct str value, bool open, struct err *e)
{
    if (open || str_has(value, "${"))
        return settings_add(own, key, key, value, SETTING_OPEN, 0, e);
    return add_override_value(own, key, value, e);
}
