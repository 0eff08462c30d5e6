/* Hugging Face Trainer on standard output, a Python dictionary a record:
 *   {'loss': 4.9031, 'grad_norm': 1.5, 'learning_rate': 1e-05, 'epoch': 0.02}
 * (transformers 5 puts the numbers in quotes), and JSON lines that carry steps: LLaMA-Factory's
 * trainer_log.jsonl, ms-swift's logging.jsonl. trainer_state.json has the same records in a list. */
#include "base/msg.h"
#include "log/series_builder.h"
#include "log/value_names.h"

static bool trainer_read_number(struct str v, double *x, double *digit)
{
    if (v.n >= 2 && (v.p[0] == '"' || v.p[0] == '\'') && v.p[v.n - 1] == v.p[0])
        v = str_n(v.p + 1, v.n - 2);
    return scan_number(v, x, digit);
}

/* "10/1200", as ms-swift writes its step */
static bool read_step_fraction(struct str v, double *x)
{
    struct str a, b;
    double total;
    if (v.n < 2 || !strchr("\"'", v.p[0]) || !str_split(str_n(v.p + 1, v.n - 2), '/', &a, &b))
        return false;
    return scan_number(a, x, NULL) && scan_number(b, &total, NULL);
}

/* null, or a list or dictionary of values: what is read is a number or a text in quotes. */
static bool is_nothing(struct str v)
{
    bool quoted = v.n >= 2 && (v.p[0] == '"' || v.p[0] == '\'');
    return reading_is_nothing(quoted ? str_n(v.p + 1, v.n - 2) : v) || v.p[0] == '{' || v.p[0] == '[';
}

/* The members of one dictionary; s follows its '{'. Whether it was whole; *odd: a value that could not be read;
 * *judged: its values are of validation. */
static bool trainer_read_members(struct series_builder *k, struct str s, struct log_record *r, bool *stepped,
                                 double *eval, struct extra_values *rl, struct str *odd, bool *judged)
{
    static const struct {
        const char *key;
        enum log_value v;
    } known[] = {
        {"loss", LOG_LOSS}, {"learning_rate", LOG_LR}, {"lr", LOG_LR}, {"grad_norm", LOG_NORM}, {"epoch", LOG_EPOCH},
    };
    static const char *const step[] = {"step", "current_steps", "global_step", "global_step/max_steps"};
    struct str key, value;
    double x, digit;
    int rc;
    while ((rc = scan_member(&s, &key, &value)) == 1) {
        for (size_t i = 0; i < ARRAY_LEN(step); i++)
            if (str_is(key, step[i]) && !is_nothing(value)) {
                bool whole = (trainer_read_number(value, &x, NULL) || read_step_fraction(value, &x)) && x >= 0 &&
                             x < (double)LOG_STEP && x == (double)(int64_t)x;
                *stepped = true;
                r->step = whole ? (int64_t)x : LOG_STEP;
            }
        if (!trainer_read_number(value, &x, &digit)) {
            *judged = *judged || (value_is_split(key) && value.n > 2 &&
                                  value_split_judged(str_n(value.p + 1, value.n - 2)));
            for (size_t i = 0; i < ARRAY_LEN(known); i++)
                if (str_is(key, known[i].key) && !is_nothing(value))
                    *odd = value.p[0] == '"' || value.p[0] == '\'' ? str_n(value.p + 1, value.n - 2) : value;
            continue;
        }
        for (size_t i = 0; i < ARRAY_LEN(known); i++)
            if (str_is(key, known[i].key))
                log_set(k, r, known[i].v, x, digit);
        if (str_is(key, "eval_loss"))
            *eval = x;
        extra_value_take(rl, key, x);
    }
    return rc == 0;
}

/* A record, or an evaluation, into the series. */
static enum log_take trainer_take_record(struct series_builder *k, struct str s, bool with_step)
{
    struct log_record r = {0};
    double none = -1e300, eval = none;
    struct extra_values rl = {0};
    bool stepped = false;
    struct str odd = {0};
    bool judged = false, whole = trainer_read_members(k, s, &r, &stepped, &eval, &rl, &odd, &judged);
    if (!whole && str_ends(str_trim(s), "}") && (stepped || !with_step)) { /* {'loss': 4,985, …} */
        log_odd_value(k, s);
        k->last_step += !with_step;
        return TAKE_DONE;
    }
    if (!whole || stepped != with_step)
        return TAKE_NOT;
    if (judged)
        return TAKE_DONE;
    if (odd.n)
        log_odd_value(k, odd);
    if (with_step && r.step >= LOG_STEP) {
        log_odd(k, ODD_STEP);
        return TAKE_DONE;
    }
    if (with_step && log_has(&r, LOG_LOSS) && log_has(&r, LOG_EPOCH))
        log_join_epoch(k, &r, r.value[LOG_EPOCH]);
    if (!with_step)
        r.step = k->last_step + 1; /* counted; evaluations belong to the record before */
    if (eval > none || eval != eval)
        log_point(k, "eval", STR("eval_loss"), false, with_step ? r.step : k->last_step, eval);
    if (!log_has(&r, LOG_LOSS)) {
        k->last_step += odd.n && !with_step; /* its place is kept */
        return TAKE_DONE;
    }
    log_extra_values(k, r.step, &rl);
    log_add(k, &r);
    return TAKE_DONE;
}

/* 'step' or "global_step/max_steps" as a key. */
static bool line_has_step_key(struct str line)
{
    return scan_has(line, "'step'") || scan_has(line, "'global_step") || scan_has(line, "'current_steps'") ||
           scan_has(line, "\"current_steps\"") || scan_has(line, "\"global_step") || scan_has(line, "\"step\"");
}

bool trainer_words(struct str line)
{
    struct str s;
    return scan_behind(line, "{'", &s) && !line_has_step_key(line) &&
           (scan_has(line, "'epoch'") || scan_has(line, "'learning_rate'")) &&
           (scan_has(line, "'loss'") || scan_has(line, "'eval_loss'"));
}

enum log_take trainer_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    struct str s;
    (void)fresh;
    if (!scan_behind(line, "{'", &s))
        return TAKE_NOT;
    s = str_n(s.p - 1, s.n + 1);
    if (!last && str_find(s, '}') < 0)
        return TAKE_MORE;
    return trainer_take_record(k, s, false);
}

bool trainer_jsonl_words(struct str line)
{
    struct str s = str_trim(line);
    return s.n > 2 && s.p[0] == '{' &&
           (scan_has(s, "\"loss\":") || scan_has(s, "\"loss\" :") || scan_has(s, "'loss':")) &&
           !scan_has(s, "\"total_loss\"") && !scan_has(s, "'total_loss'") && line_has_step_key(s);
}

enum log_take trainer_jsonl_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    struct str s = str_trim(line);
    (void)fresh;
    (void)last;
    return trainer_take_record(k, str_cut(s, 1), true);
}

/* ---- trainer_state.json ---- */

bool trainer_state_sniff(struct str head, const char *path)
{
    struct str s = str_trim(head);
    (void)path;
    if (str_starts(s, "\xef\xbb\xbf"))
        s = str_cut(s, 3);
    return s.n && s.p[0] == '{' &&
           (scan_has(s, "\"log_history\"") || (scan_has(s, "\"best_metric\"") && scan_has(s, "\"global_step\"")));
}

#define CHUNK (1u << 18)
#define RECORD (1u << 16) /* bytes of one record; Trainer writes a few hundred */

/* Where the list is looked for and how deep we stand in it. */
struct history_walk {
    int depth;       /* of braces and brackets */
    bool text, back; /* inside quotes; after a backslash */
    bool history;    /* inside "log_history": [ … ] */
    struct buf word; /* the last text in quotes at depth 1 */
    struct buf record;
    bool keeping, spoiled;
    uint32_t line, record_line;
    size_t records;
};

static void end_record(struct series_builder *k, struct history_walk *w)
{
    k->line = w->record_line;
    if (w->spoiled)
        log_odd(k, ODD_LONG);
    else
        trainer_take_record(k, buf_view(&w->record), true);
    w->keeping = false;
    w->records++;
}

static void history_take_char(struct series_builder *k, struct history_walk *w, char c)
{
    if (c == '\n')
        w->line += w->line < UINT32_MAX;
    if (w->keeping) {
        if (w->record.n < RECORD)
            buf_char(&w->record, c);
        else
            w->spoiled = true;
    }
    if (w->text) {
        if (w->back)
            w->back = false;
        else if (c == '\\')
            w->back = true;
        else if (c == '"')
            w->text = false;
        else if (w->depth == 1 && w->word.n < 64)
            buf_char(&w->word, c);
        return;
    }
    switch (c) {
    case '"':
        w->text = true;
        if (w->depth == 1)
            buf_clear(&w->word);
        break;
    case '{':
    case '[':
        if (w->depth == 1 && c == '[' && str_is(buf_view(&w->word), "log_history"))
            w->history = true;
        if (w->depth == 2 && c == '{' && w->history) {
            buf_clear(&w->record);
            w->keeping = true;
            w->spoiled = false;
            w->record_line = w->line;
        }
        w->depth += w->depth < INT32_MAX;
        break;
    case '}':
    case ']':
        w->depth -= w->depth > 0;
        if (w->depth == 2 && w->keeping)
            end_record(k, w);
        if (w->depth == 1)
            w->history = false;
        break;
    default:
        break;
    }
}

int trainer_state_read(struct series_builder *k, struct err *e)
{
    struct history_walk w = {.line = 1};
    char *chunk = mem_alloc(CHUNK);
    uint64_t at = 0;
    long n = 0;
    while (!log_cancelled(k) && (n = file_read_some(k->file, at, chunk, CHUNK, e)) > 0) {
        at += (uint64_t)n;
        for (long i = 0; i < n; i++)
            history_take_char(k, &w, chunk[i]);
    }
    int rc = n < 0 ? -1 : 0;
    if (rc == 0 && !w.records)
        rc = err_line(e, k->file->name, w.line, _("expected records in \"log_history\", found the end of the file"));
    else if (rc == 0 && w.depth)
        log_unread_end(k,
                       arena_fmt(&k->s->arena,
                                 _("%s: line %u: the file ends inside a record: it is truncated or still being "
                                   "written"),
                                 k->file->name, w.line));
    vec_last(&k->s->files)->lines = w.line;
    buf_release(&w.word);
    buf_release(&w.record);
    free(chunk);
    return rc;
}
