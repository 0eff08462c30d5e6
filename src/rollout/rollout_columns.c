/* Column names of verl, slime, NeMo RL, TRL and ms-swift, and access to the cells of a file as rows. */
#include "rollout/rollout_columns.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/msg.h"
#include "fmt/zip.h"
#include "rollout/rollout.h"

#define NUMBERS_MOST (1ull << 28) /* of one file: 2 GB */
#define OTHERS_MOST 12
#define PROBED (1u << 20) /* bytes of a pickle examined for names */

/* In a role the preferred name first. */
static const struct {
    const char *name;
    enum rollout_role role;
} names[] = {
    {"old_log_probs", ROLLOUT_ROLE_TRAIN},          /* verl: the actor's own forward pass over the rollout */
    {"old_log_prob", ROLLOUT_ROLE_TRAIN},
    {"train_log_probs", ROLLOUT_ROLE_TRAIN},        /* slime's loss */
    {"action_log_probs", ROLLOUT_ROLE_TRAIN},       /* OpenRLHF's Experience */
    {"prev_logprobs", ROLLOUT_ROLE_TRAIN},          /* NeMo RL */
    {"old_per_token_logps", ROLLOUT_ROLE_TRAIN},    /* TRL, ms-swift */
    {"rollout_log_probs", ROLLOUT_ROLE_ENGINE},     /* verl, slime */
    {"rollout_log_prob", ROLLOUT_ROLE_ENGINE},
    {"rollout_logprobs", ROLLOUT_ROLE_ENGINE},      /* ms-swift's rollout server */
    {"generation_logprobs", ROLLOUT_ROLE_ENGINE},   /* NeMo RL */
    {"rollout_per_token_logps", ROLLOUT_ROLE_ENGINE}, /* ms-swift */
    {"sampling_per_token_logps", ROLLOUT_ROLE_ENGINE}, /* TRL */
    {"log_probs", ROLLOUT_ROLE_EITHER},             /* slime's trainer, verl's workers */
    {"log_prob", ROLLOUT_ROLE_EITHER},
    {"logprobs", ROLLOUT_ROLE_EITHER},
    {"logprob", ROLLOUT_ROLE_EITHER},
    {"token_logprobs", ROLLOUT_ROLE_EITHER},
    {"per_token_logps", ROLLOUT_ROLE_EITHER},       /* ms-swift's workers */
    {"tensor", ROLLOUT_ROLE_EITHER},                /* a file of one tensor */
    {"responses", ROLLOUT_ROLE_TOKENS},             /* verl */
    {"response_ids", ROLLOUT_ROLE_TOKENS},
    {"response_token_ids", ROLLOUT_ROLE_TOKENS},    /* ms-swift */
    {"completion_ids", ROLLOUT_ROLE_TOKENS},        /* TRL */
    {"output_ids", ROLLOUT_ROLE_TOKENS},
    {"tokens", ROLLOUT_ROLE_TOKENS},                /* slime: after those of the prompt */
    {"input_ids", ROLLOUT_ROLE_TOKENS},
    {"token_ids", ROLLOUT_ROLE_TOKENS},             /* NeMo RL's lines: with the prompt */
    {"response_mask", ROLLOUT_ROLE_MASK},
    {"loss_mask", ROLLOUT_ROLE_MASK},
    {"loss_masks", ROLLOUT_ROLE_MASK},
    {"completion_mask", ROLLOUT_ROLE_MASK},
    {"response_loss_mask", ROLLOUT_ROLE_MASK},      /* ms-swift */
    {"token_mask", ROLLOUT_ROLE_MASK},              /* NeMo RL's batch */
    {"token_loss_mask", ROLLOUT_ROLE_MASK},         /* NeMo RL's lines */
    {"action_mask", ROLLOUT_ROLE_MASK},             /* OpenRLHF */
    {"attention_mask", ROLLOUT_ROLE_ATTENTION},
    {"response_length", ROLLOUT_ROLE_LENGTH},
    {"response_lengths", ROLLOUT_ROLE_LENGTH},
    {"sample_index", ROLLOUT_ROLE_INDEX},
    {"sample_indices", ROLLOUT_ROLE_INDEX},
    {"index", ROLLOUT_ROLE_INDEX},
    {"turn_ids", ROLLOUT_ROLE_ROUND},
    {"rollout_routed_experts", ROLLOUT_ROLE_EXPERTS}, /* slime */
    {"routed_experts", ROLLOUT_ROLE_EXPERTS},         /* verl, vLLM */
};

/* A word of digits. */
static bool is_word_of_digits(struct str s)
{
    unsigned long long n;
    return str_u64(s, &n);
}

/* The last component of a path that is not a number is its name, the first number the row. */
enum rollout_role rollout_role_of(struct str path, struct str *name, int64_t *row)
{
    unsigned long long n;
    *name = STR("");
    *row = -1;
    while (path.n) {
        struct str word, rest;
        if (!str_split(path, '.', &word, &rest))
            rest = STR("");
        if (!is_word_of_digits(word))
            *name = word;
        else if (*row < 0 && str_u64(word, &n) && n < UINT32_MAX)
            *row = (int64_t)n;
        path = rest;
    }
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(*name, names[i].name))
            return names[i].role;
    return ROLLOUT_ROLE_NONE;
}

void rollout_unread(struct rollout_columns *c, const char *text)
{
    vec_push(&c->unread, arena_cstr(&c->arena, str_of(text)));
}

/* The index in `names`; called only with known ones. */
static size_t column_name_index(struct str name)
{
    size_t i = 0;
    while (i + 1 < ARRAY_LEN(names) && !str_is(name, names[i].name))
        i++;
    return i;
}

static uint64_t rollout_cell_key(const char *name, int64_t row)
{
    return (uint64_t)column_name_index(str_of(name)) << 40 | (uint64_t)(row + 1);
}

static void note_other(struct rollout_columns *c, struct str name)
{
    if (!name.n || c->others.n >= OTHERS_MOST)
        return;
    for (size_t i = 0; i < c->others.n; i++)
        if (str_is(name, c->others.v[i]))
            return;
    vec_push(&c->others, arena_cstr(&c->arena, name));
}

struct rollout_cell *rollout_cell_add(struct rollout_columns *c, struct str path, int axes, const size_t *shape)
{
    struct str name;
    struct rollout_cell x = {.axes = axes, .n = 1};
    x.role = rollout_role_of(path, &name, &x.row);
    if (str_starts(path_base(str_of(c->path)), "prob_diff") && x.role == ROLLOUT_ROLE_EITHER)
        x.role = ROLLOUT_ROLE_SIZE;
    if (x.role == ROLLOUT_ROLE_NONE || axes > ROLLOUT_CELL_AXES) {
        note_other(c, name);
        return NULL;
    }
    for (int i = 0; i < axes; i++) {
        x.shape[i] = shape[i];
        x.n = shape[i] && x.n > NUMBERS_MOST / shape[i] ? NUMBERS_MOST + 1 : x.n * shape[i];
    }
    if (x.n > NUMBERS_MOST - c->held) {
        struct err e;
        err_set(&e, ERR_DATA,
                _("%s: %.*s: more than %llu million numbers, the limit for one file; give fewer sequences"),
                c->path,
                STR_ARG(name), NUMBERS_MOST >> 20);
        rollout_unread(c, e.text);
        return NULL;
    }
    x.name = names[column_name_index(name)].name;
    x.v = mem_resize_array(NULL, x.n ? x.n : 1, sizeof *x.v);
    c->held += x.n;
    for (size_t i = 0; i < x.n; i++)
        x.v[i] = 0;
    nmap_add(&c->index, rollout_cell_key(x.name, x.row), (uint32_t)c->cells.n);
    vec_push(&c->cells, x);
    return vec_last(&c->cells);
}

void rollout_cell_drop(struct rollout_columns *c)
{
    struct rollout_cell *x = vec_last(&c->cells);
    free(x->v);
    x->v = NULL;
    x->n = 0;
    memset(x->shape, 0, sizeof x->shape);
    x->role = ROLLOUT_ROLE_NONE;
    x->name = "";
}

int rollout_columns_open(struct rollout_columns *c, const char *path, const atomic_bool *cancel, struct err *e)
{
    *c = (struct rollout_columns){0};
    c->path = arena_cstr(&c->arena, str_of(path));
    c->format = "";
    int rc = rollout_read_json(c, cancel, e);
    if (rc == 0) {
        int tensors = rollout_read_tensors(c, cancel, e);
        rc = tensors < 0 ? -1 : rollout_read_pickle(c, cancel, e);
        rc = rc < 0 ? -1 : rc | tensors;
    }
    if (rc == 0 && c->why.text[0]) {
        *e = c->why;
        return -1;
    }
    if (rc == 0)
        return err_set(e, ERR_DATA,
                       _("%s: expected log-probabilities of tokens: torch.save, .npz, .npy, .safetensors or "
                         "JSON lines"),
                       path);
    return rc < 0 ? -1 : 0;
}

void rollout_columns_release(struct rollout_columns *c)
{
    for (size_t i = 0; i < c->cells.n; i++)
        free(c->cells.v[i].v);
    vec_release(&c->cells);
    nmap_release(&c->index);
    vec_release(&c->others);
    vec_release(&c->unread);
    arena_release(&c->arena);
}

/* ---- what a file is, by its names alone ---- */

/* Whether text contains names of log-probabilities of a trainer or an engine; no checkpoint contains such names. */
static bool names_some(struct str text)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (names[i].role >= ROLLOUT_ROLE_TRAIN && names[i].role <= ROLLOUT_ROLE_EITHER && strlen(names[i].name) > 6 &&
            str_has(text, names[i].name))
            return true;
    return false;
}

/* The same for JSON, where each must be a list: a log may have a mean of that name. */
static bool lists_some(struct str text)
{
    bool yes = false;
    for (size_t i = 0; i < ARRAY_LEN(names) && !yes; i++) {
        char key[64];
        if (names[i].role < ROLLOUT_ROLE_TRAIN || names[i].role > ROLLOUT_ROLE_EITHER)
            continue;
        snprintf(key, sizeof key, "\"%s\": [", names[i].name);
        yes = str_has(text, key);
        snprintf(key, sizeof key, "\"%s\":[", names[i].name);
        yes |= str_has(text, key);
    }
    return yes;
}

bool rollout_probe(const char *path)
{
    char head[4096];
    struct str start = str_trim(file_head(path, head, sizeof head)), name = path_base(str_of(path));
    struct err quiet;
    struct file f;
    struct zip_member m;
    bool yes = false;
    if (!start.n || path_is_dir(path))
        return false;
    if (start.p[0] == '{' || start.p[0] == '[')
        return lists_some(start);
    if (str_starts(name, "prob_diff") && str_ends(name, ".npy"))
        return true;
    if (str_ends(name, ".safetensors"))
        return names_some(start);
    if (!str_starts(start, "PK") || file_open(&f, path, &quiet))
        return false;
    struct zip *z = zip_open(&f, &quiet);
    if (z && zip_find_suffix(z, "data.pkl", &m, NULL, &quiet) == 1) {
        char *text = mem_alloc(PROBED);
        long n = zip_head(&f, &m, text, PROBED, &quiet);
        yes = n > 0 && names_some(str_n(text, (size_t)n));
        free(text);
    }
    for (size_t i = 0; z && i < ARRAY_LEN(names) && !yes; i++) {
        char member[64];
        snprintf(member, sizeof member, "%s.npy", names[i].name);
        yes = names_some(str_of(names[i].name)) && zip_find(z, member, &m, &quiet) == 1;
    }
    zip_close(z);
    file_close(&f);
    return yes;
}

/* ---- rows ---- */

static const struct rollout_cell *find_rollout_cell(const struct rollout_columns *c, const char *name, int64_t row)
{
    uint32_t at = nmap_get(&c->index, rollout_cell_key(name, row));
    return at == MAP_NONE ? NULL : &c->cells.v[at];
}

const char *rollout_column(const struct rollout_columns *c, enum rollout_role role)
{
    for (size_t k = 0; k < ARRAY_LEN(names); k++)
        for (size_t i = 0; i < c->cells.n && names[k].role == role; i++)
            if (c->cells.v[i].name == names[k].name)
                return names[k].name;
    for (size_t i = 0; i < c->cells.n; i++)
        if (c->cells.v[i].role == role)
            return c->cells.v[i].name;
    return NULL;
}

/* A tensor of all rows: with one axis it is one sequence, except in columns with one number per row (lengths,
 * numbers). */
static bool one_sequence(const struct rollout_cell *x)
{
    return x->axes <= 1 && x->role != ROLLOUT_ROLE_LENGTH && x->role != ROLLOUT_ROLE_INDEX;
}

size_t rollout_column_rows(const struct rollout_columns *c, const char *name)
{
    size_t rows = 0;
    for (size_t i = 0; i < c->cells.n; i++) {
        const struct rollout_cell *x = &c->cells.v[i];
        if (x->name != name)
            continue;
        size_t n = x->row >= 0 ? (size_t)x->row + 1 : one_sequence(x) || !x->axes ? 1 : x->shape[0];
        rows = n > rows ? n : rows;
    }
    return rows;
}

struct rollout_row rollout_column_row(const struct rollout_columns *c, const char *name, size_t row)
{
    struct rollout_row out = {.width = 1};
    const struct rollout_cell *x = find_rollout_cell(c, name, (int64_t)row);
    if (x) {
        /* NeMo RL's lines are batches of one: [[…]] */
        int first = x->axes == 2 && x->shape[0] == 1 && x->role != ROLLOUT_ROLE_EXPERTS;
        out.v = x->v;
        out.n = x->axes ? x->shape[first] : 1;
        out.width = out.n ? x->n / out.n : 1;
        out.there = true;
    } else if ((x = find_rollout_cell(c, name, -1)) != NULL && row < rollout_column_rows(c, name)) {
        size_t axis = one_sequence(x) ? 0 : 1, each = axis && x->shape[0] ? x->n / x->shape[0] : x->n;
        out.v = x->v + (axis ? row * each : 0);
        out.n = (int)axis < x->axes ? x->shape[axis] : 1;
        out.width = out.n ? each / out.n : 1;
        out.there = true;
    }
    return out;
}

size_t rollout_column_inner(const struct rollout_columns *c, const char *name, size_t row)
{
    const struct rollout_cell *x = find_rollout_cell(c, name, (int64_t)row);
    x = x ? x : find_rollout_cell(c, name, -1);
    return !x ? 0 : x->axes < (x->row >= 0 ? 2 : 3) ? 1 : x->shape[x->axes - 1];
}

void rollout_cell_take(struct rollout_columns *c, struct rollout_cell *x, const char *name)
{
    size_t at = column_name_index(str_of(name));
    struct rollout_cell own = *x;
    own.name = names[at].name;
    own.role = names[at].role;
    x->v = NULL;
    nmap_add(&c->index, rollout_cell_key(own.name, own.row), (uint32_t)c->cells.n);
    vec_push(&c->cells, own);
}
