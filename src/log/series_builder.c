/* Builds a series from the records of a reader: assigns steps to norms without one, sorts, keeps each step once, and
 * adds warnings. */
#include <math.h>
#include <stdlib.h>

#include "base/msg.h"
#include "log/series_builder.h"
#include "log/value_names.h"

#define THIN (1u << 19)    /* records gathered before doubles are looked for */
#define PENDING (1u << 20) /* norms kept back for a record that tells their step */

bool log_cancelled(const struct series_builder *k)
{
    return k->cancel && atomic_load_explicit(k->cancel, memory_order_relaxed);
}

void log_odd(struct series_builder *k, enum log_oddity o)
{
    if (!k->counted[o]++)
        k->odd_line[o] = k->line;
}

void log_odd_value(struct series_builder *k, struct str text)
{
    if (!k->counted[ODD_VALUE])
        reading_found(k->odd_value, str_trim(text));
    log_odd(k, ODD_VALUE);
}

enum reading log_number(struct series_builder *k, struct str text, double *v, double *digit)
{
    text = str_trim(text);
    if (scan_number(text, v, digit))
        return READING_VALUE;
    if (reading_is_nothing(text) || str_is(text, "unavailable"))
        return READING_ABSENT;
    log_odd_value(k, text);
    return READING_UNREADABLE;
}

uint16_t log_rank_said(int64_t rank)
{
    return rank >= 0 && rank < UINT16_MAX - 1 ? (uint16_t)(rank + 1) : 0;
}

void log_set(struct series_builder *k, struct log_record *r, enum log_value v, double x, double digit)
{
    double *finest = &k->s->digit[v];
    r->value[v] = x;
    r->has |= (uint16_t)(1u << v);
    if (digit > 0 && (*finest == 0 || digit < *finest))
        *finest = digit;
}

void series_builder_init(struct series_builder *k, struct series *s, const struct file *f, atomic_bool *cancel)
{
    *k = (struct series_builder){.s = s, .file = f, .cancel = cancel, .limit = THIN};
    k->file_index = (uint16_t)(s->files.n - 1);
    k->group_open = false;
}

void series_builder_release(struct series_builder *k)
{
    map_release(&k->names);
    map_release(&k->seen);
    vec_release(&k->pending);
}

/* ---- named series ---- */

uint32_t log_name(struct series_builder *k, const char *tag, struct str name, bool square)
{
    struct buf key = {0};
    if (name.n > LOG_NAME_BYTES)
        name.n = LOG_NAME_BYTES;
    buf_fmt(&key, "%s%c", tag, square ? '\1' : '\n');
    buf_str(&key, name);
    uint32_t id = map_get(&k->names, buf_view(&key));
    if (id == MAP_NONE && k->s->names.n < LOG_NAMES) {
        struct log_name n =
            {.tag = arena_cstr(&k->s->arena, str_of(tag)), .name = arena_cstr(&k->s->arena, name), .square = square};
        id = (uint32_t)k->s->names.n;
        vec_push(&k->s->names, n);
        map_add(&k->names, arena_str(&k->s->arena, buf_view(&key)), id);
    }
    buf_release(&key);
    return id;
}

static void put_point(struct series_builder *k, uint32_t name, int64_t step, double v, uint32_t line)
{
    struct log_point p = {.step = step, .value = v, .name = name, .line = line, .file = k->file_index};
    if (k->s->points.n == LOG_POINTS) {
        log_odd(k, ODD_FULL);
        return;
    }
    vec_push(&k->s->points, p);
}

void log_point(struct series_builder *k, const char *tag, struct str name, bool square, int64_t step, double v)
{
    if (k->replica) {
        if (strcmp(tag, "local_norm") == 0)
            series_replica(k->s, name, square, k->replica - 1, step, v);
        return;
    }
    uint32_t id = log_name(k, tag, name, square);
    if (id == MAP_NONE)
        log_odd(k, ODD_FULL);
    else
        put_point(k, id, step, v, k->line);
}

void log_join_epoch(struct series_builder *k, struct log_record *r, double epoch)
{
    if (!(epoch >= 0 && epoch < (double)LOG_STEP) || epoch != floor(epoch) || r->step < 0 || r->step >= LOG_STEP)
        return;
    if (k->epochs.begun && (int64_t)epoch > k->epochs.epoch && r->step <= k->epochs.last) {
        int64_t each = k->epochs.highest + (r->step ? 0 : k->epochs.apart);
        k->epochs.offset = k->epochs.offset < LOG_STEP ? k->epochs.offset + each : LOG_STEP;
        k->epochs.highest = 0;
        if (!k->epochs.told)
            vec_push(&k->s->notes,
                     arena_fmt(&k->s->arena,
                               _("%s: the steps begin anew with the epochs: counted on from the last one printed "
                                 "before"), k->file->name));
        k->epochs.told = true;
    }
    if (r->step > k->epochs.highest || !k->epochs.begun) {
        k->epochs.apart = k->epochs.begun ? r->step - k->epochs.highest : 1;
        k->epochs.highest = r->step;
    }
    k->epochs.begun = true;
    k->epochs.epoch = (int64_t)epoch;
    k->epochs.last = r->step;
    r->step = k->epochs.offset < LOG_STEP ? r->step + k->epochs.offset : LOG_STEP;
}

void log_loss_taken(struct series_builder *k, struct str name)
{
    if (!k->total_told)
        vec_push(&k->s->notes,
                 arena_fmt(&k->s->arena, _("%s: of several losses \"%.*s\" is taken; say otherwise by --log-names"),
                           k->file->name, STR_ARG(name)));
    k->total_told = true;
}

void log_total_taken(struct series_builder *k, const struct values_taken *t)
{
    if (value_total_taken(t))
        log_loss_taken(k, str_of(t->loss));
}

void log_extra_values(struct series_builder *k, int64_t step, const struct extra_values *x)
{
    const struct rl_metric *m;
    for (size_t i = 0; (m = rl_metric_at(i)) != NULL; i++)
        if (x->has >> i & 1)
            log_point(k, m->tag, str_of(m->name), false, step, x->value[i]);
    for (size_t i = 0; i < x->losses; i++)
        log_point(k, "loss", str_of(x->loss[i].name), false, step, x->loss[i].value);
}

/* Assigns the pending norms, one group per step, to the steps up to `step`; `room`: the number of these steps. */
static void settle_pending_norms(struct series_builder *k, int64_t step, int64_t room)
{
    if ((int64_t)k->groups > room && k->groups > 1)
        log_odd(k, ODD_GROUPS);
    for (size_t i = 0; i < k->pending.n; i++) {
        struct series_pending *p = &k->pending.v[i];
        int64_t back = (int64_t)k->groups - 1 - p->group;
        if (back < room || back == 0)
            put_point(k, p->name, step - back, p->value, p->line);
    }
    vec_clear(&k->pending);
    map_release(&k->seen);
    k->groups = 0;
    k->group_open = false;
}

/* Without a record: counted on. */
static void settle_counted(struct series_builder *k)
{
    if (!k->pending.n)
        return;
    int64_t from = k->last_step > k->norm_step ? k->last_step : k->norm_step;
    k->norm_step = from + k->groups;
    log_odd(k, ODD_NO_STEP);
    settle_pending_norms(k, k->norm_step, k->groups);
}

void log_norm_group(struct series_builder *k)
{
    k->group_open = false;
    map_release(&k->seen);
}

void log_norm(struct series_builder *k, const char *tag, struct str name, bool square, double v)
{
    uint32_t id = log_name(k, tag, name, square);
    if (id == MAP_NONE) {
        log_odd(k, ODD_FULL);
        return;
    }
    struct log_name *n = &k->s->names.v[id];
    /* the same name with another tag is another value of the same step */
    struct str key = {(const char *)n->name, strlen(n->name)};
    bool again = strcmp(tag, "local_norm") == 0 && map_get(&k->seen, key) != MAP_NONE;
    if (k->pending.n >= PENDING && (again || !k->group_open))
        settle_counted(k);
    if (k->pending.n >= 2 * PENDING) { /* one group of that many */
        log_odd(k, ODD_FULL);
        return;
    }
    if (again || !k->group_open || !k->groups) {
        map_release(&k->seen);
        k->groups++;
        k->group_open = true;
    }
    if (strcmp(tag, "local_norm") == 0)
        map_add(&k->seen, key, id);
    struct series_pending p = {.name = id, .group = k->groups - 1, .line = k->line, .value = v};
    vec_push(&k->pending, p);
}

static int by_name_step(const void *a, const void *b)
{
    const struct log_point *x = a, *y = b;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return x->step < y->step ? -1 : x->step > y->step;
}

/* Within one name, whose number holds the order meanwhile. */
static int by_step_name(const void *a, const void *b)
{
    const struct log_point *x = a, *y = b;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static bool same_or_both_nan(double a, double b)
{
    return a == b || (a != a && b != b);
}

void log_points_end(struct series *s)
{
    size_t n = 0, count = s->points.n;
    struct log_point *p = s->points.v;
    /* values of one step stay in the order they came, so that the last wins */
    bool sorted = true;
    for (size_t i = 1; i < count && sorted; i++)
        sorted = by_name_step(&p[i - 1], &p[i]) <= 0;
    if (!sorted) { /* by name, the order kept */
        size_t *start = mem_zalloc((s->names.n + 1) * sizeof *start);
        struct log_point *out = mem_alloc(count * sizeof *out);
        for (size_t i = 0; i < count; i++)
            start[p[i].name + 1]++;
        for (size_t i = 0; i < s->names.n; i++)
            start[i + 1] += start[i];
        for (size_t i = 0; i < count; i++)
            out[start[p[i].name]++] = p[i];
        memcpy(p, out, count * sizeof *out);
        free(out);
        free(start);
    }
    for (size_t i = 0; i < count;) { /* a stretch of one name */
        size_t end = i + 1;
        bool rising = true;
        for (; end < count && p[end].name == p[i].name; end++)
            rising = rising && p[end].step > p[end - 1].step;
        if (!rising) {
            uint32_t name = p[i].name;
            for (size_t j = i; j < end; j++) /* the order for the time of sorting */
                p[j].name = (uint32_t)(j - i);
            struct log_point *from = p + i;
            size_t m = end - i;
            qsort(from, m, sizeof *from, by_step_name);
            for (size_t j = i; j < end; j++)
                p[j].name = name;
        }
        struct log_name *who = &s->names.v[p[i].name];
        who->first = n;
        for (; i < end; i++) {
            if (n > who->first && p[n - 1].step == p[i].step)
                p[n - 1] = p[i];
            else
                p[n++] = p[i];
        }
        who->n = n - who->first;
    }
    s->points.n = n;
}

/* ---- records ---- */

static int by_record_step(const void *a, const void *b)
{
    const struct log_record *x = a, *y = b;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return 0;
}

/* A stable sort: records come in long rising runs, which are merged. */
static void sort_records(struct log_record *r, size_t n)
{
    VEC(size_t) run = {0};
    vec_push(&run, 0);
    for (size_t i = 1; i < n; i++)
        if (by_record_step(&r[i - 1], &r[i]) > 0)
            vec_push(&run, i);
    vec_push(&run, n);
    struct log_record *tmp = run.n > 2 ? mem_alloc(n * sizeof *tmp) : NULL;
    while (run.n > 2) {
        size_t out = 0, k;
        for (k = 0; k + 2 < run.n; k += 2) {
            size_t a = run.v[k], am = run.v[k + 1], b = am, be = run.v[k + 2], at = a;
            while (a < am || b < be)
                tmp[at++] = b == be || (a < am && by_record_step(&r[a], &r[b]) <= 0) ? r[a++] : r[b++];
            run.v[out++] = run.v[k];
        }
        if (k + 2 == run.n) {
            memcpy(tmp + run.v[k], r + run.v[k], (run.v[k + 1] - run.v[k]) * sizeof *r);
            run.v[out++] = run.v[k];
        }
        run.v[out++] = n;
        run.n = out;
        memcpy(r, tmp, n * sizeof *r);
    }
    free(tmp);
    vec_release(&run);
}

static void overlay_record(struct log_record *old, const struct log_record *new)
{
    for (int v = 0; v < LOG_VALUES; v++)
        if (new->has >> v & 1) {
            old->value[v] = new->value[v];
            if (v == LOG_LOSS)
                old->line = new->line;
        }
    old->has |= new->has;
    if (new->seconds > 0)
        old->seconds = new->seconds;
}

static bool records_equal(const struct log_record *a, const struct log_record *b)
{
    if (a->has != b->has || a->overflow != b->overflow || a->skipped != b->skipped)
        return false;
    for (int v = 0; v < LOG_VALUES; v++)
        if ((a->has >> v & 1) && !same_or_both_nan(a->value[v], b->value[v]))
            return false;
    return true;
}

/* A pipeline's other stages print a loss of zero: it must not replace a real one. */
static bool zero_beside(const struct log_record *zero, const struct log_record *real)
{
    return log_has(zero, LOG_LOSS) && zero->value[LOG_LOSS] == 0 && log_has(real, LOG_LOSS) &&
           real->value[LOG_LOSS] != 0;
}

/* Where records of one step are of several ranks, those of the lowest one that has a loss are the run. */
static void keep_records_of_one_rank(struct series_builder *k)
{
    struct log_record *r = k->s->records.v;
    size_t n = 0;
    bool many = k->one_rank > 0;
    uint16_t lowest = UINT16_MAX;
    for (size_t i = 0; i < k->s->records.n; i++) {
        bool real = log_has(&r[i], LOG_LOSS) && (r[i].value[LOG_LOSS] < 0 || !(r[i].value[LOG_LOSS] <= 0));
        many = many || (i && r[i].step == r[i - 1].step && r[i].rank && r[i - 1].rank && r[i].rank != r[i - 1].rank);
        lowest = r[i].rank && r[i].rank < lowest && real ? r[i].rank : lowest;
    }
    if (!many || lowest == UINT16_MAX)
        return;
    k->one_rank = k->one_rank ? k->one_rank : lowest;
    for (size_t i = 0; i < k->s->records.n; i++)
        if (r[i].rank && r[i].rank != k->one_rank)
            k->other_ranks++;
        else
            r[n++] = r[i];
    k->s->records.n = n;
}

/* Each step once. */
static void keep_steps_once(struct series_builder *k)
{
    struct log_record *r = k->s->records.v;
    size_t n = 0;
    if (!k->s->records.n)
        return;
    sort_records(r, k->s->records.n);
    keep_records_of_one_rank(k);
    for (size_t i = 0; i < k->s->records.n; i++) {
        if (!n || r[n - 1].step != r[i].step) {
            r[n++] = r[i];
            continue;
        }
        if (log_formats[r[i].kind].overlay && r[n - 1].kind == r[i].kind) {
            overlay_record(&r[n - 1], &r[i]);
            continue;
        }
        k->repeated++;
        if (records_equal(&r[n - 1], &r[i]))
            continue;
        k->differing++;
        if (zero_beside(&r[i], &r[n - 1])) {
            k->zeroes++;
            continue;
        }
        k->zeroes += zero_beside(&r[n - 1], &r[i]);
        r[n - 1] = r[i];
    }
    k->s->records.n = n;
}

static void note_resume(struct series_builder *k, int64_t step, int64_t reached)
{
    if (k->resumes < ARRAY_LEN(k->resume)) {
        k->resume[k->resumes].line = k->line;
        k->resume[k->resumes].step = step;
        k->resume[k->resumes].reached = reached;
    }
    k->resumes++;
}

/* A log without steps goes back in its epochs: what the resumed run prints again is removed, and the
 * numbering goes on from there. */
static void resume_counted(struct series_builder *k, struct log_record *r)
{
    struct log_record *v = k->s->records.v;
    size_t n = k->s->records.n;
    if (!n || !log_has(r, LOG_EPOCH) || !log_has(&v[n - 1], LOG_EPOCH) || v[n - 1].kind != r->kind ||
        !(r->value[LOG_EPOCH] < v[n - 1].value[LOG_EPOCH]))
        return;
    int64_t reached = v[n - 1].step;
    while (n && v[n - 1].kind == r->kind && v[n - 1].value[LOG_EPOCH] >= r->value[LOG_EPOCH])
        n--;
    k->s->records.n = n;
    r->step = n ? v[n - 1].step + 1 : 1;
    k->last_step = r->step - 1;
    k->repeated += (size_t)(reached - k->last_step);
    k->differing++;
    note_resume(k, r->step, reached);
}

void log_add(struct series_builder *k, struct log_record *r)
{
    const struct log_format *kind = &log_formats[k->kind];
    r->file = k->file_index;
    r->kind = (uint8_t)k->kind;
    r->line = k->line;
    if (!r->rank)
        r->rank = k->line_rank;
    if (r->step < 0 || r->step >= LOG_STEP) {
        log_odd(k, ODD_STEP);
        return;
    }
    if (kind->stepless)
        resume_counted(k, r);
    bool leads = !kind->overlay || log_has(r, LOG_LOSS);
    if (leads) {
        if (r->step < k->last_step && !kind->stepless)
            note_resume(k, r->step, k->last_step);
        if (k->pending.n)
            settle_pending_norms(k, r->step, r->step > k->last_step ? r->step - k->last_step : 1);
        k->last_step = r->step;
    }
    vec_last(&k->s->files)->records += leads;
    if (log_has(r, LOG_LOSS) && r->value[LOG_LOSS] != 0)
        vec_last(&k->s->files)->real_loss = true;
    if (kind->overlay && k->s->records.n && vec_last(&k->s->records)->step == r->step &&
        vec_last(&k->s->records)->kind == r->kind && vec_last(&k->s->records)->rank == r->rank) {
        overlay_record(vec_last(&k->s->records), r);
        return;
    }
    if (k->full) { /* sorting again for every further one would take forever */
        log_odd(k, ODD_FULL);
        return;
    }
    if (k->s->records.n >= k->limit) {
        keep_steps_once(k);
        k->full = k->s->records.n > LOG_RECORDS - LOG_RECORDS / 8;
        k->limit = 2 * k->s->records.n > THIN ? 2 * k->s->records.n : THIN;
        if (k->limit > LOG_RECORDS)
            k->limit = LOG_RECORDS;
    }
    vec_push(&k->s->records, *r);
}

/* Of several kinds in one file the one with most records is the run; two rows of one name are one kind. */
static void choose_kind(struct series_builder *k)
{
    size_t count[64] = {0}, best = 0, n = 0, other = 0;
    bool any = false;
    for (size_t i = 0; i < k->s->records.n; i++)
        count[k->s->records.v[i].kind]++;
    for (size_t i = 0; log_formats[i].name; i++)
        if (count[i] > (any ? count[best] : 0)) {
            best = i;
            any = true;
        }
    if (!any) {
        for (size_t i = 0; i < k->s->points.n; i++) /* norms only */
            any = true;
        for (best = 0; any && log_formats[best].name && (int)best != k->kind; best++)
            continue;
    }
    if (!any || !log_formats[best].name)
        return;
    for (size_t i = 0; i < k->s->records.n; i++) {
        if (k->s->records.v[i].kind == best)
            k->s->records.v[n++] = k->s->records.v[i];
        else if (!other++)
            vec_push(&k->s->notes,
                     arena_fmt(&k->s->arena, _("%s: the file has records of %s and of %s; those of %s are used"),
                               k->file->name, log_formats[best].name, log_formats[k->s->records.v[i].kind].name,
                               log_formats[best].name));
    }
    k->s->records.n = n;
    k->s->format = log_formats[best].name;
    k->s->framework = log_formats[best].framework ? log_formats[best].framework : "";
    k->s->stepless = k->stepless || log_formats[best].stepless;
    k->s->lr_is_next = k->s->lr_is_next || log_formats[best].lr_is_next;
    k->s->loss_is_mean = log_formats[best].loss_is_mean || k->mean_lines;
    k->s->unit = log_formats[best].overlay && log_formats[best].read ? N_("record") : N_("line");
}

/* file, how many, the first line */
#define SAY(oddity, text)                                                                          \
    if (k->counted[oddity])                                                                        \
    vec_push(&s->notes, arena_fmt(&s->arena, _(text), name, k->counted[oddity], k->odd_line[oddity]))

#define UNREAD(oddity, text)                                                                       \
    if (k->counted[oddity])                                                                        \
    log_unread_end(k, arena_fmt(&s->arena, _(text), name, k->counted[oddity], k->odd_line[oddity]))

static void note_odd_lines(struct series_builder *k)
{
    struct series *s = k->s;
    const char *name = k->file->name;
    SAY(ODD_QUOTE,
        N_("%s: %zu rows span several lines: a quote may be missing; the rows in them are not read, first in line %u"));
    SAY(ODD_LONG, N_("%s: %zu lines are longer than 1 MB; only their start was read, first line %u"));
    SAY(ODD_NO_LOSS, N_("%s: %zu steps were executed, but have no printed loss (Megatron omits NaN), first in line "
                        "%u"));
    SAY(ODD_BINARY, N_("%s: NUL bytes removed from %zu lines, first line %u"));
    SAY(ODD_UTF16, N_("%s: UTF-16 text: only the ASCII part of %zu lines was read, first line %u"));
    SAY(ODD_GROUPS, N_("%s: %zu more lists of local norms than steps; the last list is used, first in line %u"));
    SAY(ODD_RANKS, N_("%s: %zu norms of other ranks in the same file are not read, first in line %u; give each rank "
                      "its own file"));
    if (k->counted[ODD_NO_STEP])
        vec_push(&s->notes, arena_fmt(&s->arena, _("%s: local norms are printed without a step; they are numbered in "
                                                   "order"), name));
    if (k->differing == 0 && k->repeated)
        vec_push(&s->notes,
                 arena_fmt(&s->arena, _("%s: %zu steps are printed more than once, with the same values"), name,
                           k->repeated));
    if (k->differing && k->resumes > ARRAY_LEN(k->resume)) {
        vec_push(&s->notes,
                 arena_fmt(&s->arena,
                           _("%s: step numbers go backwards %zu times, first in line %u; several processes may write "
                             "to this file; the later values are used"),
                           name, k->resumes, k->resume[0].line));
    } else if (k->differing) {
        for (size_t i = 0; i < k->resumes; i++)
            vec_push(&s->notes,
                     arena_fmt(&s->arena,
                               _("%s: line %u: the run was resumed at step %lld, after it had reached %lld; the later "
                                 "values are used"),
                               name, k->resume[i].line, (long long)k->resume[i].step, (long long)k->resume[i].reached));
        if (!k->resumes)
            vec_push(&s->notes,
                     arena_fmt(&s->arena,
                               _("%s: %zu steps are printed more than once with different values (several ranks in one "
                                 "file?); the later ones are used"),
                               name, k->differing));
    }
    if (k->other_ranks)
        vec_push(&s->notes,
                 arena_fmt(&s->arena, _("%s: the file has records of several ranks; those of rank %d are read, %zu "
                                        "others are not"), name, k->one_rank - 1, k->other_ranks));
    if (k->zeroes)
        vec_push(&s->notes, arena_fmt(&s->arena, _("%s: %zu steps have a zero loss beside a nonzero one (from another "
                                                   "pipeline stage); the zeros are ignored"),
                                      name, k->zeroes));
    if (k->counted[ODD_VALUE])
        log_unread_end(k, arena_fmt(&s->arena, _("%s: %zu values could not be read, first in line %u: expected a "
                                                 "number, found %s"), name, k->counted[ODD_VALUE],
                                    k->odd_line[ODD_VALUE], k->odd_value));
    UNREAD(ODD_STEP, N_("%s: %zu records with an invalid step were ignored, first in line %u: expected a whole "
                        "number"));
    UNREAD(ODD_FULL, N_("%s: more values than the limit for one log; %zu values were ignored, first in line %u"));
    UNREAD(ODD_CRC, N_("%s: %zu records with a wrong checksum were ignored, first record %u"));
    UNREAD(ODD_CUT, N_("%s: %zu record is incomplete at the end of the file, line %u: the file is truncated or still "
                       "being written; the missing part is not counted"));
    s->tail.cut = k->counted[ODD_CUT] ? (uint32_t)s->unread.n : 0;
}

void log_unread_end(struct series_builder *k, const char *text)
{
    series_unread(k->s, text, k->s->files.v[k->file_index].rank, false);
}

void log_unread_inside_record(struct series_builder *k)
{
    struct buf b = {0};
    buf_fmt(&b, "%s: %s", k->file->name, _("ends inside a record: the file is truncated or still being written"));
    log_unread_end(k, b.p);
    buf_release(&b);
}

void series_builder_end(struct series_builder *k)
{
    settle_counted(k);
    keep_steps_once(k);
    choose_kind(k);
    log_points_end(k->s);
    note_odd_lines(k);
    if (log_cancelled(k))
        vec_push(&k->s->notes,
                 arena_fmt(&k->s->arena, _("%s: reading was stopped; only the start was read"), k->file->name));
}

/* ---- several files ---- */

static void merge_files(struct series *dst, const struct series *src, bool used)
{
    for (size_t i = 0; i < src->files.n; i++) {
        struct log_file f = src->files.v[i];
        f.path = arena_cstr(&dst->arena, str_of(f.path));
        f.used = f.used && used;
        vec_push(&dst->files, f);
    }
}

static void merge_notes(struct series *dst, const struct series *src)
{
    for (size_t i = 0; i < src->unread.n; i++)
        series_unread(dst, src->unread.v[i].text, src->unread.v[i].rank, src->unread.v[i].whole);
    for (size_t i = 0; i < src->replicas.n; i++) {
        const struct log_replica *r = &src->replicas.v[i];
        series_replica(dst, str_of(r->name), r->square, r->rank, r->step, r->value);
    }
    for (size_t i = 0; i < src->notes.n; i++)
        vec_push(&dst->notes, arena_cstr(&dst->arena, str_of(src->notes.v[i])));
}

static struct str name_key(const struct log_name *who, struct buf *key)
{
    buf_clear(key);
    buf_fmt(key, "%s%c%s", who->tag, who->square ? '\1' : '\n', who->name);
    return buf_view(key);
}

/* The number in dst of each of src's names, which are added; MAP_NONE: there are too many. Owned by the caller. */
static uint32_t *merge_names(struct series *dst, const struct series *src)
{
    struct map at = {0};
    struct buf key = {0};
    uint32_t *to = mem_alloc((src->names.n + 1) * sizeof *to);
    for (size_t i = 0; i < dst->names.n; i++)
        map_add(&at, arena_str(&dst->arena, name_key(&dst->names.v[i], &key)), (uint32_t)i);
    for (size_t i = 0; i < src->names.n; i++) {
        struct log_name who = src->names.v[i];
        struct str own = name_key(&who, &key);
        to[i] = map_get(&at, own);
        if (to[i] != MAP_NONE || dst->names.n == LOG_NAMES)
            continue;
        to[i] = (uint32_t)dst->names.n;
        who.tag = arena_cstr(&dst->arena, str_of(who.tag));
        who.name = arena_cstr(&dst->arena, str_of(who.name));
        vec_push(&dst->names, who);
        map_add(&at, arena_str(&dst->arena, own), to[i]);
    }
    map_release(&at);
    buf_release(&key);
    return to;
}

static void merge_points(struct series *dst, const struct series *src, size_t files)
{
    uint32_t *to = merge_names(dst, src);
    for (size_t i = 0; i < src->points.n && dst->points.n < LOG_POINTS; i++) {
        struct log_point p = src->points.v[i];
        p.name = to[p.name];
        p.file = (uint16_t)(p.file + files);
        if (p.name != MAP_NONE)
            vec_push(&dst->points, p);
    }
    free(to);
}

/* The later of two records of one step counts: a run that was resumed went back. */
static void merge_records(struct series *dst, const struct series *src, size_t files)
{
    struct series_builder k = {.s = dst};
    const size_t had = dst->records.n;
    const int64_t reached = had ? dst->records.v[had - 1].step : 0, from = src->records.n ? src->records.v[0].step : 0;
    for (size_t i = 0; i < src->records.n && dst->records.n < LOG_RECORDS; i++) {
        struct log_record r = src->records.v[i];
        r.file = (uint16_t)(r.file + files);
        vec_push(&dst->records, r);
    }
    keep_steps_once(&k);
    if (k.differing && had)
        vec_push(&dst->notes,
                 arena_fmt(&dst->arena,
                           _("%s: the run was resumed at step %lld, after it had reached %lld; the later values "
                             "are used"),
                           dst->files.v[files].path, (long long)from, (long long)reached));
    for (int v = 0; v < LOG_VALUES; v++)
        if (src->digit[v] > 0 && (dst->digit[v] == 0 || src->digit[v] < dst->digit[v]))
            dst->digit[v] = src->digit[v];
    dst->in_samples |= src->in_samples;
    if (had)
        return;
    dst->format = src->format;
    dst->framework = src->framework;
    dst->unit = src->unit;
    dst->stepless = src->stepless;
    dst->lr_is_next = src->lr_is_next;
    dst->loss_is_mean = src->loss_is_mean;
}

void log_merge(struct series *dst, struct series *src, bool records)
{
    const size_t files = dst->files.n;
    merge_files(dst, src, records);
    merge_notes(dst, src);
    merge_points(dst, src, files);
    if (records)
        merge_records(dst, src, files);
    series_release(src);
}
