/* The rounds of an investigation: inputs are replaced after a fix, decisions and findings are kept. */
#include "ticket/investigation.h"

#include "base/io.h"

#include <stdlib.h>

struct round_place investigation_before(const struct investigation *v)
{
    uint32_t number = investigation_round(v);
    if (number < 2 || !v->path)
        return (struct round_place){.file = NULL};
    const struct round_left *r = &v->rounds.v[number - 2];
    return (struct round_place){v->path, r->file, r->fingerprint, r->number};
}

/* Answers about the deviation of one round: stored under another name while a later round is open, and restored. */
static void turn_answers(struct investigation *v, uint32_t round, bool back)
{
    static const char *const names[] = {"first-deviation", "confirmed"};
    struct buf aside = {0};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        buf_clear(&aside);
        buf_fmt(&aside, "%s@%u", names[i], round);
        const char *from = back ? aside.p : names[i], *to = back ? names[i] : aside.p,
                   *text = investigation_text(&v->answers, from);
        if (text) {
            investigation_tell(v, &v->answers, str_of(to), str_of(text));
            investigation_tell(v, &v->answers, str_of(from), STR(""));
        }
    }
    buf_release(&aside);
}

void investigation_age_answers(struct investigation *v, uint32_t round)
{
    turn_answers(v, round, false);
}

void investigation_next_round(struct investigation *v, struct round_left left, const char *target, const char *golden)
{
    investigation_show_round(v, 0);
    left.number = (uint32_t)v->rounds.n + 1;
    for (int i = 0; i < 2; i++) {
        const char *next = i ? golden : target;
        left.input[i] = v->input[i];
        char *full = v->input[i] ? path_full(v->input[i]) : NULL;
        left.full[i] = full ? investigation_keep(v, full) : v->full[i];
        free(full);
        left.step[i] = v->step[i];
        left.rank[i] = v->rank[i];
        left.state[i] = v->state[i];
        if (next) {
            v->input[i] = investigation_keep(v, next);
            v->full[i] = NULL;
            v->state[i] = (struct file_stamp){0};
        }
    }
    vec_push(&v->rounds, left);
    turn_answers(v, left.number, false);
}

/* Exchanges the inputs with those stored in a round. */
static void trade_inputs(struct investigation *v, struct round_left *r)
{
    struct round_left was = *r;
    for (int i = 0; i < 2; i++) {
        r->input[i] = v->input[i];
        r->full[i] = v->full[i];
        r->step[i] = v->step[i];
        r->rank[i] = v->rank[i];
        r->state[i] = v->state[i];
        v->input[i] = was.input[i];
        v->full[i] = was.full[i];
        v->step[i] = was.step[i];
        v->rank[i] = was.rank[i];
        v->state[i] = was.state[i];
    }
}

void investigation_show_round(struct investigation *v, uint32_t n)
{
    if (v->shown)
        trade_inputs(v, &v->newest);
    v->shown = n && n <= v->rounds.n ? n : 0;
    if (!v->shown)
        return;
    v->newest = v->rounds.v[n - 1];
    for (int i = 0; i < 2; i++) { /* where it lies, if that is known and it is there still */
        const char *full = v->newest.full[i];
        if (full && (path_is_dir(full) || path_is_file(full)))
            v->newest.input[i] = full;
    }
    trade_inputs(v, &v->newest);
}

uint32_t investigation_round(const struct investigation *v)
{
    return v->shown ? v->shown : (uint32_t)v->rounds.n + 1;
}

static bool same_path(const char *given, const char *kept, const char *full)
{
    if (!given || !kept)
        return !given && !kept;
    char *is = path_full(given);
    bool same = strcmp(given, kept) == 0 || (is && full && strcmp(is, full) == 0);
    free(is);
    return same;
}

uint32_t investigation_round_of(const struct investigation *v, const char *const input[2])
{
    const struct round_left now = {.input = {v->input[0], v->input[1]}, .full = {v->full[0], v->full[1]}};
    for (uint32_t n = (uint32_t)v->rounds.n + 1; n >= 1; n--) {
        const struct round_left *r = n <= v->rounds.n ? &v->rounds.v[n - 1] : v->shown ? &v->newest : &now;
        if (same_path(input[0], r->input[0], r->full[0]) && same_path(input[1], r->input[1], r->full[1]))
            return n;
    }
    return 0;
}

bool investigation_last_round(struct investigation *v, struct round_undone *u)
{
    if (!v->rounds.n)
        return false;
    investigation_show_round(v, 0);
    u->left = *vec_last(&v->rounds);
    trade_inputs(v, &u->left);
    v->rounds.n--;
    vec_clear(&u->answers);
    for (size_t i = 0; i < v->answers.n; i++)
        vec_push(&u->answers, v->answers.v[i]);
    turn_answers(v, u->left.number, true);
    return true;
}

void investigation_round_again(struct investigation *v, struct round_undone *u)
{
    text_list back = v->answers;
    trade_inputs(v, &u->left);
    vec_push(&v->rounds, u->left);
    v->answers = u->answers;
    u->answers = back;
}
