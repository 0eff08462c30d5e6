/* Cuts a line into numbers and the words before them, and says what a number may be by its words: a loss is only what
 * is called one with words that do not make another value of it ("train", "total", "avg", but not "aux"). */
#include "log/line_fields.h"

#include "base/mem.h"
#include "log/loss_words.h"
#include "log/python_value.h"
#include "log/series_builder.h"
#include "log/value_names.h"

static bool is_letter(char c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static bool in_word(char c)
{
    return is_letter(c) || char_is_digit(c) || c == '_' || (unsigned char)c >= 0x80;
}

/* ---- the words before a number ---- */

/* What parts of a line are divided by: the words of a number stand behind the last of these. */
static bool is_field_divider(char c)
{
    return strchr(",;|\t{}()[]=:>", c) != NULL;
}

/* Bytes of a table's bar at the end of s, with blanks and a word in front of it; 0: none. */
static size_t bar_behind(struct str s)
{
    static const char *const bars[] = {" |", " \u2502", " \u2503", " \u2551"};
    for (size_t i = 0; i < ARRAY_LEN(bars); i++)
        if (str_ends(s, bars[i]))
            return strlen(bars[i]);
    return 0;
}

/* The words between the number before and this one, without what stands directly before the number. */
static struct str words_before(struct str between)
{
    static const char *const wrapped[] = {"np.float64", "np.float32", "numpy.float32", "tensor", "Tensor",
                                          "DeviceArray", "Array"};
    static const char *const linking[] = {" is", " was", " of", " at", " ="};
    for (bool more = true; more;) {
        more = false;
        while (between.n && strchr(" \t:=[({'\"`$#@", between.p[between.n - 1])) {
            between.n--;
            more = true;
        }
        between.n -= bar_behind(between); /* "| loss | 2.5 |" */
        for (size_t i = 0; i < ARRAY_LEN(wrapped); i++)
            if (more && str_ends(between, wrapped[i])) {
                between.n -= strlen(wrapped[i]);
                break;
            }
        for (size_t i = 0; i < ARRAY_LEN(linking); i++)
            if (str_ends(between, linking[i])) {
                between.n -= strlen(linking[i]);
                more = true;
            }
    }
    struct str role; /* "Epoch(train)", "loss (train)": the words in brackets belong to it */
    ptrdiff_t open = str_ends(between, ")") ? str_rfind(between, '(') : -1;
    size_t from = open >= 0 ? (size_t)open : between.n;
    while (from && !is_field_divider(between.p[from - 1]) &&
           !(from >= 3 && between.p[from - 1] == ' ' && between.p[from - 2] == '-' && between.p[from - 3] == ' ') &&
           !(from >= 2 && between.p[from - 1] == ' ' && between.p[from - 2] == ' '))
        from--;
    role = str_cut(between, from);
    return str_trim(role);
}

/* In lower case, '_' for all that is no letter, digit or slash; of a long one the end. */
static void write_label(char out[LINE_LABEL], struct str words)
{
    size_t n = 0;
    for (size_t i = words.n > LINE_LABEL - 1 ? words.n - (LINE_LABEL - 1) : 0; i < words.n; i++) {
        char c = words.p[i];
        bool upper = c >= 'A' && c <= 'Z';
        if (in_word(c) || c == '/')
            out[n++] = upper ? (char)(c + 32) : c;
        else if (n && out[n - 1] != '_')
            out[n++] = '_';
    }
    while (n && out[n - 1] == '_')
        n--;
    out[n] = 0;
}

/* ---- numbers ---- */

/* Whether a number may begin at i: not within a word, a date or a time. Chinese has no blanks: "第10步". */
static bool may_number_begin(struct str line, size_t i)
{
    char before = i ? line.p[i - 1] : ' ', c = line.p[i];
    const bool chinese = (unsigned char)before >= 0x80;
    if ((in_word(before) && !(chinese && char_is_digit(c))) || (before == '.' && i > 1 && in_word(line.p[i - 2])))
        return false;
    if (char_is_digit(c))
        return true;
    char next = i + 1 < line.n ? line.p[i + 1] : ' ';
    if (c == '.' || c == '-' || c == '+')
        return char_is_digit(next) || (c != '.' && next == '.') ||
               (c != '.' && (next | 32) == 'i' && !is_letter(before));
    if ((c | 32) != 'n' && (c | 32) != 'i')
        return false;
    struct str rest = str_cut(line, i);
    double x;
    return scan_leading(&rest, &x, NULL) && !(rest.n && in_word(rest.p[0]));
}

/* Whether the number from..to is part of a date, a time, a version or a path: "2025-06-03", "12:30:01", "1.2.3". */
static bool of_a_date(struct str line, size_t from, size_t to)
{
    char before = from ? line.p[from - 1] : ' ', after = to < line.n ? line.p[to] : ' ';
    bool number_before = from > 1 && char_is_digit(line.p[from - 2]);
    bool number_after = to + 1 < line.n && char_is_digit(line.p[to + 1]);
    return (number_before && strchr(":-.", before)) || (number_after && strchr(":-", after)) ||
           (after == ':' && number_before && before == ':') || line.p[from] == '-' || line.p[from] == '+';
}

/* "1,024" as one number: groups of three digits, no blank between. *to: the end of its first part. */
static bool with_commas(struct str line, size_t from, size_t *to, double *x)
{
    size_t at = *to;
    double v = *x;
    if (at - from > 3)
        return false;
    while (at + 3 < line.n && line.p[at] == ',' && char_is_digit(line.p[at + 1]) && char_is_digit(line.p[at + 2]) &&
           char_is_digit(line.p[at + 3]) && !(at + 4 < line.n && char_is_digit(line.p[at + 4]))) {
        v = v * 1000 + (line.p[at + 1] - '0') * 100 + (line.p[at + 2] - '0') * 10 + (line.p[at + 3] - '0');
        at += 4;
    }
    bool more = at > *to && !(at < line.n && line.p[at] == '.');
    if (more) {
        *to = at;
        *x = v;
    }
    return more;
}

/* "/100" behind a number, blanks allowed. */
static int64_t total_behind(struct str line, size_t *to)
{
    struct str rest = str_trim(str_n(line.p + *to, line.n - *to));
    int64_t n;
    const char *end;
    if (!rest.n || rest.p[0] != '/')
        return 0;
    rest = str_cut(rest, 1);
    if (!scan_count(&rest, &n) || n >= LOG_STEP || (rest.n && rest.p[0] == '/'))
        return 0;
    end = rest.p;
    while (end > line.p && !char_is_digit(end[-1]))
        end--;
    *to = (size_t)(end - line.p);
    return n;
}

/* Whether the fraction from..to is the day of a date, as in "01/02 10:00:00". */
static bool is_day(struct str line, size_t from, size_t to)
{
    struct str rest = str_cut(line, to), time = str_trim(rest);
    return to - from == strlen("01/02") && rest.n && rest.p[0] == ' ' && time.n > strlen("10:0") &&
           char_is_digit(time.p[0]) && char_is_digit(time.p[1]) && time.p[2] == ':' && char_is_digit(time.p[3]);
}

/* ---- roles ---- */

/* Whether a word for a unit stands behind a blank: "0.3 sec". */
static bool unit_behind(struct str rest)
{
    static const char *const units[] = {"s", "sec", "secs", "seconds", "ms", "min", "mins", "minutes", "h", "hours",
                                        "it", "mb", "gb"};
    size_t n = 0;
    rest = str_trim(rest);
    while (n < rest.n && is_letter(rest.p[n]))
        n++;
    for (size_t i = 0; i < ARRAY_LEN(units); i++)
        if (str_ieq(str_n(rest.p, n), str_of(units[i])))
            return true;
    return false;
}

/* -1: no count of steps. */
static int step_rank(struct str label)
{
    static const char *const names[] = {"step", "steps", "iteration", "iterations", "iter", "iters", "update",
                                        "updates", "batch", "batches", "it", "minibatch", "第", "步数", "步骤", "迭代",
                                        "当前步数", "迭代次数", "训练步数", "轮_第", "轮第", "全局步数"};
    static const char *const not_counts[] = {"max", "total", "num", "warmup", "save", "log", "every", "per", "skipped",
                                             "accumulation", "s", "of", "micro", "last", "saving", "interval"};
    struct str rest = label, word = name_last_word(&rest);
    if (str_is(label, "num_updates") || str_is(label, "n_updates"))
        return 0;
    if (rest.n && (str_is(word, "id") || str_is(word, "idx") || str_is(word, "index"))) /* "batch_id" */
        word = name_last_word(&rest);
    if (!STR_ONE_OF(word, names))
        return -1;
    int rank = word.p[0] == 's' || word.p[0] == 'i' ? 1 : 2;
    while (rest.n) {
        word = name_last_word(&rest);
        if (STR_ONE_OF(word, not_counts))
            return -1;
        if (str_is(word, "global"))
            rank = 0;
    }
    return rank;
}

/* The value named by the label or by its last words: "INFO lr", "the grad norm". */
static bool is_value(struct str label, enum log_value *v)
{
    struct str end = label, rest = label;
    for (int words = 0; words < 3; words++) {
        struct str word = name_last_word(&rest);
        end = str_n(word.p, label.n - (size_t)(word.p - label.p));
        if (value_named(end, v) && *v != LOG_LOSS)
            return true;
        if (!rest.n)
            break;
    }
    if (str_is(label, "norm")) { /* "params norm" is another one */
        *v = LOG_NORM;
        return true;
    }
    return value_named(label, v) && *v != LOG_LOSS;
}

/* Whether the user named the words: as they stand, or the last of them. */
static bool is_named_by_user(struct str written, struct line_field *f)
{
    int as;
    for (struct str rest = str_trim(written); rest.n; rest = str_trim(rest)) {
        if (value_name_said(rest, &as)) {
            f->role = as < LOG_VALUES ? FIELD_TAKEN : FIELD_STEP;
            f->value = as < LOG_VALUES ? (enum log_value)as : LOG_LOSS;
            f->rank = -1;
            return true;
        }
        ptrdiff_t blank = str_find(rest, ' ');
        if (blank < 0)
            break;
        rest = str_cut(rest, (size_t)blank + 1);
    }
    return false;
}

/* A whole number that is not written as one: "10.0", "1e3". */
static bool whole_otherwise(const struct line_field *f)
{
    return !f->unit && !f->total && !f->signed_ && f->x >= 0 && f->x < (double)LOG_STEP &&
           f->x == (double)(int64_t)f->x;
}

static void find_role(struct line_field *f, struct str written)
{
    struct str label = str_of(f->label), rest = label, word = name_last_word(&rest);
    enum log_value v;
    bool named;
    int rank;
    if (!label.n || is_named_by_user(written, f))
        return;
    if (is_value(label, &v)) {
        f->role = FIELD_TAKEN;
        f->value = v;
    } else if (str_has(label, "loss") && name_is_judged(label)) {
        f->role = FIELD_JUDGED;
    } else if ((rank = loss_words_rank(label, &named)) >= 0 && named) {
        f->role = FIELD_TAKEN;
        f->value = LOG_LOSS;
        f->rank = rank;
    } else if (value_part(label)) { /* of the loss of reinforcement learning */
        f->role = FIELD_TAKEN;
        f->value = LOG_LOSS;
        f->rank = LOSS_MEAN - 1;
    } else if (f->whole && f->round && str_ends(label, "第")) {
        f->role = FIELD_EPOCH; /* "第1轮" */
    } else if ((f->whole || whole_otherwise(f)) && (rank = step_rank(label)) >= 0) {
        f->role = FIELD_STEP;
        f->rank = rank;
    } else if (f->whole && (str_is(word, "epoch") || str_is(word, "train") || str_is(word, "ep"))) {
        f->role = FIELD_EPOCH;
    }
}

/* "loss_ce: 2.1 loss_kl: 0.3 Total: 2.4": what is called the total only, beside losses that are none of validation. */
static void find_total(struct line_fields *f)
{
    bool losses = false, named;
    for (size_t i = 0; i < f->n; i++) {
        struct line_field *x = &f->v[i];
        struct str label = str_of(x->label);
        bool word = str_has(label, "loss") || str_has(label, "损失");
        losses = losses || (word && x->role != FIELD_JUDGED && !name_is_judged(label));
        if (losses && x->role == FIELD_OTHER && !x->unit && x->digit < 1 && loss_words_rank(label, &named) >= 0) {
            x->role = FIELD_TAKEN;
            x->value = LOG_LOSS;
            x->rank = loss_words_rank(label, &named);
        }
    }
}

/* Whether the words in front of a number say that the line is of validation: "Test: [3/79]", "Epoch(val) [1]",
 * "Eval | loss 2.5"; not those of one value among others, "train loss 2.5, val loss 2.6", nor of a path. */
static bool of_validation(struct str between, const struct line_field *x)
{
    char word[16];
    for (size_t i = 0; i < between.n;) {
        size_t n = 0, from = i;
        for (; i < between.n && is_letter(between.p[i]); i++)
            if (n < sizeof word - 1)
                word[n++] = (char)(between.p[i] | 32);
        char before = from ? between.p[from - 1] : ' ', after = i < between.n ? between.p[i] : ' ';
        if (i > from && i - from < sizeof word && word_is_judged(str_n(word, n)) && !strchr("/.-_", before) &&
            !strchr("/.-_", after))
            return x->whole || !name_is_judged(str_of(x->label));
        i += i == from;
    }
    return x->whole && name_is_judged(str_of(x->label));
}

/* Blanks for what a tensor of MindSpore has in front of its value, and for bullets and marks of Chinese text their
 * ASCII ones, so that places in the line stay. */
static struct str plain_marks(struct line_fields *f, struct str line)
{
    static const struct {
        const char *mark, *ascii;
    } marks[] = {{"\uff1a", ":  "}, {"\uff0c", ",  "}, {"\uff1b", ";  "}, {"\uff08", "(  "}, {"\uff09", ")  "},
                 {"\uff1d", "=  "}, {"\u3001", ",  "}, {"\u3002", ";  "}, {"\u3010", "[  "}, {"\u3011", "]  "},
                 {"\u2022", ";  "}};
    struct str at;
    if (line.n > sizeof f->plain || (!str_has(line, "\xef\xbc") && !str_has(line, "\xe3\x80") &&
                                     !str_has(line, "\u2022") && !str_has(line, "Tensor(shape=")))
        return line;
    memcpy(f->plain, line.p, line.n);
    line.p = f->plain;
    for (size_t i = 0; i < ARRAY_LEN(marks); i++)
        for (struct str rest = line; scan_behind(rest, marks[i].mark, &rest);)
            memcpy(f->plain + (rest.p - f->plain) - 3, marks[i].ascii, 3);
    for (struct str rest = line; scan_behind(rest, "Tensor(shape=", &rest) &&
         (scan_behind(rest, "value=", &at) || scan_behind(rest, "stop_gradient=True,", &at) ||
          scan_behind(rest, "stop_gradient=False,", &at));)
        memset(f->plain + (rest.p - f->plain) - strlen("Tensor(shape="), ' ', (size_t)(at.p - rest.p) +
               strlen("Tensor(shape="));
    return line;
}

/* Whether the number is the first of several in brackets, "[2.5, 2.25]" or "[tensor(2.5), tensor(2.25)]". */
static bool begins_list(struct str line, size_t from, size_t to)
{
    if (from && line.p[from - 1] == '(' && from > 1 && is_letter(line.p[from - 2])) {
        for (from--; from && (in_word(line.p[from - 1]) || line.p[from - 1] == '.'); from--)
            continue;
        while (to < line.n && line.p[to] != ')')
            to++;
        to += to < line.n;
    }
    struct str behind = str_cut(line, to), rest = str_trim(behind);
    const bool comma = str_starts(rest, ","), blank = behind.n > rest.n && behind.p[0] == ' ';
    rest = comma ? str_trim(str_cut(rest, 1)) : rest;
    return from && strchr("[(", line.p[from - 1]) && (comma || blank) && rest.n &&
           (char_is_digit(rest.p[0]) || (rest.n > 1 && strchr("-+.", rest.p[0]) && char_is_digit(rest.p[1])) ||
            (comma && python_value_begins(rest)));
}

/* Whether the line has the step and the loss of several steps, as a document on one line. */
static bool of_several_steps(const struct line_fields *f)
{
    bool steps = false, losses = false;
    for (size_t i = 0; i < f->n; i++)
        for (size_t k = 0; k < i; k++) {
            const struct line_field *x = &f->v[i], *y = &f->v[k];
            const bool same = x->role == y->role && strcmp(x->label, y->label) == 0;
            steps = steps || (same && x->role == FIELD_STEP && x->x > y->x);
            losses = losses || (same && x->role == FIELD_TAKEN && x->value == LOG_LOSS);
        }
    return steps && losses;
}

/* What the number at i..to says by the text between it and the number before; returns where it ends, with its
 * thousands and its total. */
static size_t read_line_field(struct line_field *x, bool first, struct str line, struct str between, size_t i,
                              size_t to)
{
    struct str written = words_before(between);
    x->signed_ = line.p[i] == '-' || line.p[i] == '+';
    const bool plain = x->digit == 1 && char_is_digit(line.p[i]) && !memchr(line.p + i, 'e', to - i);
    x->total = 0;
    x->role = FIELD_OTHER;
    x->rank = 0;
    x->whole = plain && !of_a_date(line, i, to) && x->x < (double)LOG_STEP;
    bool commas = x->whole && with_commas(line, i, &to, &x->x);
    if (x->whole && !commas)
        x->total = total_behind(line, &to);
    x->bare = true;
    for (size_t k = 0; k < between.n; k++)
        x->bare = x->bare && strchr(" \t,[]()/:", between.p[k]);
    write_label(x->label, !first && x->bare ? STR("") : written);
    bool unit = to < line.n && (is_letter(line.p[to]) || line.p[to] == '%' ||
                                (line.p[to] == '.' && to + 1 < line.n && char_is_digit(line.p[to + 1])));
    x->whole = x->whole && !unit && !(x->total && !x->label[0] && is_day(line, i, to));
    x->unit = unit || unit_behind(str_cut(line, to));
    x->round = str_starts(str_trim(str_cut(line, to)), "轮");
    if (!unit)
        find_role(x, written);
    if (x->role == FIELD_TAKEN && begins_list(line, i, to)) {
        x->role = FIELD_OTHER;
        x->label[0] = 0;
    }
    x->odd = (x->role == FIELD_TAKEN && commas) ||
             ((x->role == FIELD_TAKEN || x->role == FIELD_STEP) && scan_goes_on(str_cut(line, to)));
    return to;
}

void line_fields_read(struct line_fields *f, struct str line)
{
    line = plain_marks(f, line);
    size_t end = 0; /* of the number before */
    bool measured = false; /* a loss came: what stands behind it says nothing about the line */
    f->n = 0;
    f->judged = false;
    for (size_t i = 0; i < line.n && f->n < LINE_FIELDS;) {
        struct line_field *x = &f->v[f->n];
        struct str rest = str_cut(line, i);
        if (!may_number_begin(line, i) || !scan_leading(&rest, &x->x, &x->digit)) {
            i++;
            continue;
        }
        if (rest.n && rest.p[0] == '_') { /* a name, "0_default" */
            i = (size_t)(rest.p - line.p);
            continue;
        }
        struct str between = str_n(line.p + end, i - end);
        size_t to = read_line_field(x, f->n == 0, line, between, i, (size_t)(rest.p - line.p));
        f->judged = f->judged || (!measured && of_validation(between, x));
        measured = measured || (x->role == FIELD_TAKEN && x->value == LOG_LOSS);
        f->n++;
        i = end = to;
    }
    find_total(f);
    f->judged = f->judged || of_several_steps(f);
}

bool line_fields_count(struct str line)
{
    return str_ihas(line, "step") || str_ihas(line, "iter") || str_ihas(line, "batch") || str_ihas(line, "update") ||
           str_has(line, "步") || str_has(line, "迭代");
}

/* Where a label's words end in a text that begins with them; 0 if it does not. */
static size_t label_end(struct str s, const char *label)
{
    size_t i = 0;
    for (; *label; label++) {
        if (*label == '_' && i < s.n && s.p[i] != '_' && !in_word(s.p[i])) {
            while (i < s.n && !in_word(s.p[i]))
                i++;
            continue;
        }
        char c = i < s.n ? s.p[i] : 0;
        if ((c >= 'A' && c <= 'Z' ? (char)(c + 32) : c) != *label)
            return 0;
        i++;
    }
    return i < s.n && in_word(s.p[i]) ? 0 : i;
}

bool line_fields_odd(struct str line, const char *label, struct str *text)
{
    for (size_t i = 0; *label && i < line.n; i++) {
        size_t n = i && (in_word(line.p[i - 1]) || line.p[i - 1] == '/') ? 0 : label_end(str_cut(line, i), label);
        struct str rest, at = str_cut(line, i + n);
        if (!n)
            continue;
        while (at.n && strchr(" \t:=([{'\"`$@|", at.p[0]))
            at = str_cut(at, 1);
        if (str_starts(at, "is "))
            at = str_trim(str_cut(at, 3));
        str_split(at, ' ', text, &rest);
        if (text->n && (char_is_digit(text->p[0]) || (text->n > 1 && strchr("+-.#", text->p[0]))))
            return true;
    }
    return false;
}

bool line_fields_may(struct str line)
{
    return str_ihas(line, "loss") || str_has(line, "损失") || value_names_in(line);
}
