/* Reads losses from one JSON document of lists or dictionaries of numbers, whichever tool wrote it. */
#include "log/loss_document.h"

#include "base/msg.h"
#include "log/printed_lists.h"
#include "log/python_value.h"
#include "log/value_names.h"

#define DOCUMENT_BYTES (32u << 20)
#define DEEPEST 4 /* objects within each other that are looked into */
#define LOOKED_AT 16 /* first values that tell what a list or an object is */

/* ---- walking ---- */

/* Also behind a byte order mark. */
static struct str skip_document_blanks(struct str s)
{
    if (str_starts(s, "\xef\xbb\xbf"))
        s = str_cut(s, 3);
    while (s.n && strchr(" \t\r\n", s.p[0]))
        s = str_cut(s, 1);
    return s;
}

/* The end of the value at the front of s, which is followed by ',' or a closing bracket; 0: it is cut off. */
static size_t value_end(struct str s)
{
    size_t depth = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '"') {
            for (i++; i < s.n && s.p[i] != '"'; i++)
                i += s.p[i] == '\\';
        } else if (c == '[' || c == '{') {
            depth++;
        } else if (c == ']' || c == '}') {
            if (!depth)
                return i;
            depth--;
        } else if (c == ',' && !depth) {
            return i;
        }
    }
    return 0;
}

/* The next item of a list; s begins after its '['. 1: an item, 0: the ']', -1: neither. */
static int next_item(struct str *s, struct str *value)
{
    struct str at = skip_document_blanks(*s);
    if (at.n && at.p[0] == ',')
        at = skip_document_blanks(str_cut(at, 1));
    if (at.n && at.p[0] == ']') {
        *s = str_cut(at, 1);
        return 0;
    }
    size_t n = value_end(at);
    if (!n)
        return -1;
    *value = str_trim(str_n(at.p, n));
    *s = str_cut(at, n);
    return 1;
}

static bool is_list_text(struct str v)
{
    return v.n > 1 && v.p[0] == '[' && v.p[v.n - 1] == ']';
}

static bool is_object_text(struct str v)
{
    return v.n > 1 && v.p[0] == '{' && v.p[v.n - 1] == '}';
}

static bool is_number_text(struct str v)
{
    double x;
    return scan_number(scan_unquoted(v), &x, NULL);
}

/* Also "10.0" and "10.", as arrays of floats have it. */
static bool document_count(struct str v, int64_t *out)
{
    struct str s = scan_unquoted(v);
    if (!scan_count(&s, out) || *out >= LOG_STEP)
        return false;
    while (str_starts(s, ".") && s.n > 1 && s.p[s.n - 1] == '0')
        s.n--;
    return !s.n || str_is(s, ".");
}

/* A key that is a step: "10", "step_10", "iteration 10". */
static bool step_key(struct str key, int64_t *step)
{
    size_t n = 0;
    while (n < key.n && !(key.p[n] >= '0' && key.p[n] <= '9'))
        n++;
    struct str word = str_n(key.p, n);
    while (word.n && strchr(" _-:", word.p[word.n - 1]))
        word.n--;
    return (!word.n || value_is_step(word)) && document_count(str_cut(key, n), step);
}

/* ---- one series of numbers ---- */

/* How the numbers of a list are numbered: by their places, by another list, from a first number by a distance. */
struct numbering {
    struct str steps; /* a list; empty: none */
    int64_t first, each;
    bool counted;     /* nothing says the steps */
};

struct document_reading {
    struct series_builder *k;
    size_t numbers;  /* found so far, of losses or norms */
    bool counted;    /* the steps of some of them are only counted */
    bool bad;
};

static void take_document_number(struct document_reading *d, enum log_value v, int64_t step, struct str text)
{
    struct log_record r = {.step = step};
    double x, digit;
    d->k->line++;
    if (log_number(d->k, scan_unquoted(text), &x, &digit) != READING_VALUE)
        return;
    d->numbers += v == LOG_LOSS || v == LOG_NORM;
    log_set(d->k, &r, v, x, digit);
    log_add(d->k, &r);
}

/* A list of numbers, of [value], of [step, value] or of [time, step, value]; the first ones may be unreadable. */
static bool list_begins_right(struct str list)
{
    struct str s = str_cut(list, 1), item;
    for (int i = 0; i < LOOKED_AT && next_item(&s, &item) == 1 && !is_object_text(item); i++) {
        if (is_number_text(item))
            return true;
        struct str in = str_cut(item, 1), x;
        size_t n = 0;
        while (is_list_text(item) && next_item(&in, &x) == 1)
            n = is_number_text(x) ? n + 1 : 100;
        if (n >= 1 && n <= 3)
            return true;
    }
    return false;
}

static void take_pair(struct document_reading *d, enum log_value v, struct str item)
{
    struct str s = str_cut(item, 1), part[3];
    size_t n = 0;
    int64_t step;
    while (n < 3 && next_item(&s, &part[n]) == 1)
        n++;
    if (n >= 2 && document_count(part[n - 2], &step))
        take_document_number(d, v, step, part[n - 1]);
    else
        log_odd_value(d->k, item);
}

/* The first item of a list; empty: it has none. */
static struct str first_item(struct str list)
{
    struct str s = str_cut(list, 1), item;
    return next_item(&s, &item) == 1 ? item : STR("");
}

/* What a list of one item holds; empty: it has more. */
static struct str lone_item(struct str list)
{
    struct str s = str_cut(list, 1), item, other;
    return next_item(&s, &item) == 1 && next_item(&s, &other) == 0 ? item : STR("");
}

static void take_document_list(struct document_reading *d, enum log_value v, struct str list,
                               const struct numbering *by)
{
    struct str s = str_cut(list, 1), steps = by->steps.n ? str_cut(by->steps, 1) : STR(""), item, number;
    int64_t step = by->first;
    int rc;
    while ((rc = next_item(&s, &item)) == 1) {
        if (by->steps.n && next_item(&steps, &number) != 1)
            break;
        if (by->steps.n && !document_count(number, &step)) {
            log_odd_value(d->k, number);
            continue;
        }
        struct str lone = is_list_text(item) ? lone_item(item) : item;
        if (!lone.n) {
            take_pair(d, v, item);
        } else {
            take_document_number(d, v, step, lone);
            d->counted = d->counted || by->counted;
        }
        step += by->steps.n ? 0 : by->each;
        if (step >= LOG_STEP)
            break;
    }
    d->bad = d->bad || rc != 0;
}

/* {"1": 10.2, "2": 9.8}: the keys are the steps. */
static bool numbered_by_keys(struct str object)
{
    struct str s = str_cut(object, 1), key, value;
    int64_t step;
    for (int i = 0; i < LOOKED_AT && scan_member(&s, &key, &value) == 1 && !is_object_text(value); i++)
        if (step_key(key, &step) && is_number_text(value))
            return true;
    return false;
}

/* {"0": 10, "1": 20} beside {"0": 2.5, "1": 2.25}: the steps by the rows that both number. */
static void take_numbered_rows(struct document_reading *d, enum log_value v, struct str object, struct str steps)
{
    struct str s = str_cut(object, 1), of = str_cut(steps, 1), key, value, row, number;
    int64_t step;
    while (scan_member(&s, &key, &value) == 1 && scan_member(&of, &row, &number) == 1)
        if (str_eq(key, row) && document_count(number, &step))
            take_document_number(d, v, step, value);
        else
            log_odd_value(d->k, number);
}

static void take_numbered(struct document_reading *d, enum log_value v, struct str object)
{
    struct str s = str_cut(object, 1), key, value;
    int64_t step;
    int rc;
    while ((rc = scan_member(&s, &key, &value)) == 1)
        if (step_key(key, &step))
            take_document_number(d, v, step, value);
        else if (is_number_text(value))
            log_odd_value(d->k, key);
    d->bad = d->bad || rc != 0;
}

static bool is_step_list(struct str key)
{
    return value_is_step(key) || (str_ends(key, "s") && value_is_step(str_n(key.p, key.n - 1)));
}

/* Megatron's {"start_step": 0, "end_step": 50, "step_interval": 5, "values": [10.2, …] or {"1": 10.2, …}}, and lists of
 * both: {"steps": [1, 2], "values": [10.2, 9.8]}, ClearML's {"x": [1, 2], "y": [10.2, 9.8]}. */
static bool take_interval(struct document_reading *d, enum log_value v, struct str object)
{
    struct numbering by = {.first = -1, .each = 1};
    struct str s = str_cut(object, 1), key, value, values = STR("");
    while (scan_member(&s, &key, &value) == 1) {
        if (is_list_text(value) && (is_step_list(key) || str_is(key, "x")))
            by.steps = value;
        if (is_list_text(value) && str_is(key, "y"))
            values = value;
        if (str_is(key, "start_step") && !document_count(value, &by.first))
            by.first = -1;
        if (str_is(key, "step_interval") && !document_count(value, &by.each))
            by.each = 0;
        if (str_is(key, "values"))
            values = value;
    }
    if (is_object_text(values) && numbered_by_keys(values))
        take_numbered(d, v, values);
    else if (is_list_text(values) && list_begins_right(values) && (by.steps.n || (by.first >= 0 && by.each > 0)))
        take_document_list(d, v, values, &by);
    else
        return false;
    return true;
}

/* ---- an object of named values ---- */

/* As value_loss_rank and value_named; also "loss_list", which names what it holds. rank: of a loss, otherwise -1. */
static bool series_named(struct str key, enum log_value *v, int *rank)
{
    static const char *const ends[] = {"_list", "_history", "_values", "_curve", " list", "es", "s"};
    for (size_t i = 0; i <= ARRAY_LEN(ends); i++) {
        struct str name = key;
        if (i && !str_ends(key, ends[i - 1]))
            continue;
        name.n -= i ? strlen(ends[i - 1]) : 0;
        *rank = value_loss_rank(name);
        *v = LOG_LOSS;
        if (*rank >= 0 || value_named(name, v))
            return true;
    }
    return false;
}

/* The steps of an object's lists: a list, or an object whose keys those of the losses share. */
static struct str steps_beside(struct str object, bool as_list)
{
    struct str s = str_cut(object, 1), key, value;
    while (scan_member(&s, &key, &value) == 1)
        if (is_step_list(key) && (as_list ? is_list_text(value) : is_object_text(value)))
            return value;
    return STR("");
}

/* Names of objects that hold a run's values; other nested objects are something else. */
static bool document_key_holds_values(struct str key)
{
    static const char *const names[] = {"data", "metrics", "train", "training", "log", "logs", "scalars", "history",
                                        "results", "values", "records", "steps", "log_history", "entries", "run",
                                        "rows", "iterations"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(key, names[i]))
            return true;
    return false;
}

/* The member of an object that can hold a run's values: one of such a name, the only one, or of those of ranks the
 * lowest. Empty: there is none. */
static struct str values_held_in(struct str object)
{
    struct str s = str_cut(object, 1), key, value, found = STR(""), named = STR("");
    int64_t rank, lowest = INT64_MAX;
    size_t n = 0;
    for (; scan_member(&s, &key, &value) == 1; n++) {
        bool holds = is_object_text(value) || (is_list_text(value) && is_object_text(first_item(value)));
        if (holds && document_key_holds_values(key) && !named.n)
            named = value;
        struct str number = str_starts(key, "rank") ? str_cut(key, 4) : STR("");
        while (number.n && strchr(" _-", number.p[0]))
            number = str_cut(number, 1);
        bool ranked = holds && document_count(number, &rank);
        if (holds && ((!n && lowest == INT64_MAX) || (ranked && rank < lowest)))
            found = value;
        lowest = ranked && rank < lowest ? rank : lowest;
    }
    return named.n ? named : n == 1 || lowest < INT64_MAX ? found : STR("");
}

static void take_steps(struct document_reading *d, struct str list, struct str name);
static void take_steps_by_key(struct document_reading *d, struct str object);

static bool take_step(struct document_reading *d, struct str object, int64_t step, bool keyed, struct str name);

/* Whether a list has objects of a step and a value: [{"step": 1, "value": 10.2}, …]. */
static bool of_steps_and_values(struct str list)
{
    struct str object = first_item(list), s = str_cut(object, 1), key, value;
    bool step = false, number = false;
    while (is_object_text(object) && scan_member(&s, &key, &value) == 1) {
        step = step || value_is_step(key);
        number = number || value_says_value(key);
    }
    return step && number;
}

/* Whether something can be read from the value of a series' name. */
static bool holds_series(struct str value)
{
    return (is_list_text(value) && (list_begins_right(value) || of_steps_and_values(value))) || is_object_text(value);
}

/* Of {"train": {…}, "val": {…}} below a series' name the series of training. */
static struct str of_training(struct str object)
{
    struct str s = str_cut(object, 1), key, value;
    while (scan_member(&s, &key, &value) == 1)
        if ((is_object_text(value) || is_list_text(value)) && (str_is(key, "train") || str_is(key, "training")))
            return value;
    return STR("");
}

static void take_series(struct document_reading *d, struct str object, enum log_value v, struct str name,
                        struct str value)
{
    struct str training = is_object_text(value) ? of_training(value) : STR("");
    if (training.n)
        value = training;
    struct numbering by = {.steps = steps_beside(object, true), .first = 1, .each = 1};
    struct str rows = steps_beside(object, false);
    by.counted = !by.steps.n;
    if (is_list_text(value) && of_steps_and_values(value))
        take_steps(d, value, name);
    else if (is_list_text(value))
        take_document_list(d, v, value, &by);
    else if (rows.n && numbered_by_keys(value))
        take_numbered_rows(d, v, value, rows);
    else if (numbered_by_keys(value))
        take_numbered(d, v, value);
    else
        take_interval(d, v, value);
}

static void take_document_object(struct document_reading *d, struct str object, int depth)
{
    struct str s = str_cut(object, 1), key, value, best[LOG_VALUES] = {0}, names[LOG_VALUES] = {0},
               name = STR("");
    int rank, highest = -1;
    bool many = false;
    enum log_value v;
    int64_t step;
    if (numbered_by_keys(object)) {
        take_numbered(d, LOG_LOSS, object);
        return;
    }
    if (scan_member(&s, &key, &value) == 1 && step_key(key, &step) && is_object_text(value)) {
        take_steps_by_key(d, object);
        return;
    }
    for (s = str_cut(object, 1); scan_member(&s, &key, &value) == 1;)
        if (series_named(key, &v, &rank) && holds_series(value)) {
            many = many || (v == LOG_LOSS && best[v].n);
            if (best[v].n && (v != LOG_LOSS || rank <= highest))
                continue;
            best[v] = value;
            names[v] = key;
            highest = v == LOG_LOSS ? rank : highest;
            name = v == LOG_LOSS ? key : name;
        }
    for (int i = 0; i < LOG_VALUES; i++)
        if (best[i].n)
            take_series(d, object, (enum log_value)i, names[i], best[i]);
    if (d->numbers && many)
        log_loss_taken(d->k, name);
    struct str inner = d->numbers || depth == DEEPEST ? STR("") : values_held_in(object);
    if (is_object_text(inner))
        take_document_object(d, inner, depth + 1);
    else if (inner.n)
        take_steps(d, inner, STR(""));
    else if (!d->numbers && best[LOG_LOSS].n && is_list_text(best[LOG_LOSS]))
        take_steps(d, best[LOG_LOSS], STR(""));
}

struct step_members {
    struct log_record r;
    struct values_taken taken;
    struct str odd, lone, name; /* a value that cannot be read; of an object of one value, the value and its name */
    bool numbered, odd_step, judged;
};

static void take_step_member(struct document_reading *d, struct step_members *m, struct str key, struct str value)
{
    struct str own = scan_unquoted(value);
    double x, digit;
    int64_t rank;
    enum log_value v;
    if (value_says_name(key))
        m->name = own;
    if (value_says_value(key))
        m->lone = own;
    m->judged = m->judged || (value_is_split(key) && value_split_judged(own));
    if (value_is_rank(key) && document_count(value, &rank))
        m->r.rank = log_rank_said(rank);
    bool steps = !m->numbered && value_is_step(key);
    if (!scan_number(own, &x, &digit) || (steps && !document_count(value, &m->r.step))) {
        if ((steps || value_named(key, &v)) && !is_list_text(value) && !is_object_text(value) &&
            !reading_is_nothing(own))
            m->odd = own;
        m->odd_step = m->odd_step || (steps && m->odd.n);
    } else if (steps) {
        m->numbered = true;
    } else if (value_taken(&m->taken, key, &v)) {
        log_set(d->k, &m->r, v, x, digit);
    }
}

static void take_lone_value(struct document_reading *d, struct step_members *m)
{
    double x, digit;
    enum log_value v;
    if (m->taken.has || !m->lone.n || !m->name.n || !value_taken(&m->taken, m->name, &v))
        return;
    if (scan_number(m->lone, &x, &digit))
        log_set(d->k, &m->r, v, x, digit);
    else if (!reading_is_nothing(m->lone))
        m->odd = m->lone;
}

/* [{"step": 1, "loss": 10.2}, …] and {"1": {"loss": 10.2}, …}: an object a step. keyed: its key says the step, where
 * it has none of its own ({"0": {"step": 10, …}}: the key numbers a row). {"step": 1, "name": "loss", "value": 10.2}
 * has one value; name: its name where the list has it. */
static bool take_step(struct document_reading *d, struct str object, int64_t step, bool keyed, struct str name)
{
    struct str s = str_cut(object, 1), outer = STR(""), key, value;
    struct step_members m = {.r = {.step = step}, .odd = STR(""), .lone = STR(""), .name = name};
    int rc;
    while ((rc = scan_member(&s, &key, &value)) == 1 || outer.n) {
        if (rc != 1) {
            s = outer;
            outer = STR("");
            continue;
        }
        /* {"step": 1, "metrics": {"loss": 2.3}} */
        if (is_object_text(value) && document_key_holds_values(key) && !outer.n) {
            outer = s;
            s = str_cut(value, 1);
            continue;
        }
        take_step_member(d, &m, key, value);
    }
    if (m.judged)
        return true;
    take_lone_value(d, &m);
    if (m.odd.n)
        log_odd_value(d->k, m.odd);
    if (m.odd_step || (!log_has(&m.r, LOG_LOSS) && !log_has(&m.r, LOG_NORM)))
        return m.odd.n > 0;
    log_total_taken(d->k, &m.taken);
    d->counted = d->counted || !(m.numbered || keyed);
    d->numbers++;
    d->k->line++;
    log_add(d->k, &m.r);
    return true;
}

static void take_steps(struct document_reading *d, struct str list, struct str name)
{
    struct str s = str_cut(list, 1), item;
    int64_t n = 0;
    while (next_item(&s, &item) == 1)
        if (is_object_text(item) && take_step(d, item, n + 1, false, name))
            n++;
}

static void take_steps_by_key(struct document_reading *d, struct str object)
{
    struct str s = str_cut(object, 1), key, value;
    int64_t step;
    while (scan_member(&s, &key, &value) == 1)
        if (step_key(key, &step) && is_object_text(value))
            take_step(d, value, step, true, STR(""));
}

/* pandas' {"columns": ["step", "loss"], "index": [0, 1], "data": [[10, 2.5], [20, 2.25]]}, of a series "name" and
 * values alone; a table of W&B has no index. False: it is none. */
static bool take_frame(struct document_reading *d, struct str object)
{
    struct str s = str_cut(object, 1), columns = STR(""), index = STR(""), data = STR(""), name = STR(""), key, value;
    while (scan_member(&s, &key, &value) == 1) {
        columns = str_is(key, "columns") ? value : columns;
        index = str_is(key, "index") ? value : index;
        data = str_is(key, "data") ? value : data;
        name = str_is(key, "name") ? value : name;
    }
    if (!is_list_text(data) || !(is_list_text(columns) || (name.n && is_list_text(index))))
        return false;
    struct str rows = str_cut(data, 1), numbers = str_cut(index, 1), row, number = STR("");
    struct buf made = {0};
    for (int64_t n = 1; next_item(&rows, &row) == 1 && (!index.n || next_item(&numbers, &number) == 1); n++) {
        struct str names = is_list_text(columns) ? str_cut(columns, 1) : STR(""), cells = str_cut(row, 1), own, cell;
        int64_t step = n;
        buf_clear(&made);
        if (!is_list_text(columns))
            buf_fmt(&made, "{%.*s:%.*s", STR_ARG(name), STR_ARG(row));
        while (is_list_text(row) && next_item(&names, &own) == 1 && next_item(&cells, &cell) == 1)
            buf_fmt(&made, "%c%.*s:%.*s", made.n ? ',' : '{', STR_ARG(own), STR_ARG(cell));
        buf_char(&made, '}');
        bool indexed = document_count(number, &step);
        take_step(d, buf_view(&made), step, indexed, STR(""));
    }
    buf_release(&made);
    return true;
}

/* What the first item of a list or the first member of an object is. */
static void take_document(struct document_reading *d, struct str text)
{
    struct numbering by = {.first = 1, .each = 1, .counted = true};
    if (is_list_text(text)) {
        if (list_begins_right(text))
            take_document_list(d, LOG_LOSS, text, &by);
        else
            take_steps(d, text, STR(""));
    } else if (is_object_text(text) && !take_frame(d, text)) {
        take_document_object(d, text, 0);
    }
}

/* ---- the file ---- */

/* Text with a list or dictionary of numbers at its front, or with a name of a loss before one. */
static bool may_be_losses(struct str head)
{
    struct str s = skip_document_blanks(head), item;
    double x;
    if (!python_value_begins(s))
        return false;
    if (s.p[0] != '[' && s.p[0] != '{')
        return true;
    if (str_ihas(s, "loss") || value_names_in(s))
        return true;
    struct str items = str_cut(s, 1);
    for (int i = 0; s.p[0] == '[' && i < LOOKED_AT && next_item(&items, &item) == 1; i++)
        if (is_number_text(item))
            return true;
    item = skip_document_blanks(str_cut(s, 1));
    if (s.p[0] == '[' && item.n && item.p[0] == '(')
        return true;
    while (s.p[0] == '[' && item.n && strchr("[(", item.p[0]))
        item = skip_document_blanks(str_cut(item, 1));
    if (item.n && strchr("\"'", item.p[0]))
        item = str_cut(item, 1);
    if (str_starts(item, "step") || str_starts(item, "iter")) /* {"step_1": 2.5} */
        while (item.n && !(item.p[0] >= '0' && item.p[0] <= '9') && item.p[0] != '"')
            item = str_cut(item, 1);
    return scan_leading(&item, &x, NULL) || python_value_begins(item);
}

static void read_as(struct document_reading *d, struct str text, bool (*json_of)(struct str text, struct buf *json))
{
    struct buf json = {0};
    if (json_of(skip_document_blanks(text), &json))
        take_document(d, buf_view(&json));
    else
        d->bad = true;
    buf_release(&json);
}

static void read_printed_document(struct document_reading *d, struct str text)
{
    read_as(d, text, printed_document);
}

static void read_lists_of_document(struct document_reading *d, struct str text)
{
    read_as(d, text, printed_lists);
}

/* Whether a document holds losses, read into a series of its own. */
static bool holds_losses(const char *path, struct str text, void (*read)(struct document_reading *d, struct str text))
{
    struct series s = {0};
    struct series_builder k;
    struct file f = {.name = (char *)(uintptr_t)path};
    struct log_file entry = {.path = path};
    struct document_reading d = {.k = &k};
    vec_push(&s.files, entry);
    series_builder_init(&k, &s, &f, NULL);
    k.kind = log_kind_named("loss-document");
    read(&d, text);
    series_builder_release(&k);
    series_release(&s);
    return d.numbers > 1 && !d.bad;
}

bool loss_document_take(struct series_builder *k, struct str json)
{
    struct document_reading d = {.k = k};
    if (!holds_losses(k->file->name, json, take_document))
        return false;
    take_document(&d, json);
    k->stepless = d.counted;
    return true;
}

static bool has_losses(const char *path, void (*read)(struct document_reading *d, struct str text))
{
    struct buf text = {0};
    struct err quiet;
    bool yes = file_slurp(path, DOCUMENT_BYTES, &text, &quiet) == 0 && holds_losses(path, buf_view(&text), read);
    buf_release(&text);
    return yes;
}

bool loss_document_sniff(struct str head, const char *path)
{
    return may_be_losses(head) && has_losses(path, read_printed_document);
}

bool printed_lists_shortened_in(const char *path)
{
    struct buf text = {0};
    struct err quiet;
    bool yes = file_slurp(path, DOCUMENT_BYTES, &text, &quiet) == 0 && printed_lists_shortened(buf_view(&text));
    buf_release(&text);
    return yes;
}

bool printed_lists_sniff(const char *path)
{
    return has_losses(path, read_lists_of_document);
}

static int read_document_file(struct series_builder *k, void (*read)(struct document_reading *d, struct str text),
                              struct err *e)
{
    struct buf text = {0};
    struct document_reading d = {.k = k};
    if (file_slurp(k->file->name, DOCUMENT_BYTES, &text, e)) {
        buf_release(&text);
        return -1;
    }
    read(&d, buf_view(&text));
    vec_last(&k->s->files)->lines = k->line;
    k->stepless = d.counted;
    buf_release(&text);
    return 0;
}

int loss_document_read(struct series_builder *k, struct err *e)
{
    return read_document_file(k, read_printed_document, e);
}

int printed_lists_read(struct series_builder *k, struct err *e)
{
    return read_document_file(k, read_lists_of_document, e);
}

/* ---- columns ---- */

#define COLUMNS 16

struct columns {
    int step; /* of a column; -1: none */
    int as[COLUMNS]; /* enum log_value, -1: another */
    size_t n;
    bool named; /* a line of names came first */
    bool epoch; /* the step is the epoch */
};

/* The parts of a line, divided by blanks, bars, commas, semicolons or a colon before a blank. More than COLUMNS: their
 * count alone. */
static size_t cut_column_line(struct str line, struct str part[COLUMNS])
{
    size_t n = 0;
    while (line.n) {
        size_t i = 0, from;
        while (i < line.n && strchr(" \t,;|\r", line.p[i]))
            i++;
        for (from = i; i < line.n && !strchr(" \t,;|\r", line.p[i]); i++)
            continue;
        if (i == from)
            break;
        const bool colon = !n && i - from > 1 && i < line.n && line.p[i] == ' ' && line.p[i - 1] == ':';
        if (n < COLUMNS)
            part[n] = str_n(line.p + from, i - from - colon);
        n++;
        line = str_cut(line, i);
    }
    return n;
}

static bool all_numbers(const struct str *part, size_t n)
{
    double x;
    for (size_t i = 0; i < n; i++)
        if (!scan_number(part[i], &x, NULL))
            return false;
    return n > 0;
}

static bool name_document_columns(struct columns *c, const struct str *part, size_t n)
{
    struct values_taken taken = {0};
    enum log_value v;
    *c = (struct columns){.step = -1, .n = n, .named = true};
    for (size_t i = 0; i < n; i++) {
        c->as[i] = -1;
        if ((c->step < 0 || c->epoch) && value_is_step(part[i])) {
            c->step = (int)i;
            c->epoch = false;
        } else if (c->step < 0 && str_ieq(part[i], STR("epoch"))) {
            c->step = (int)i;
            c->epoch = true;
        } else if (value_taken(&taken, part[i], &v)) {
            for (size_t k = 0; k < i; k++) /* a part of it */
                c->as[k] = c->as[k] == (int)v ? -1 : c->as[k];
            c->as[i] = (int)v;
        }
    }
    return taken.has & (1u << LOG_LOSS | 1u << LOG_NORM);
}

/* Below the names pandas prints a row's number first, which has none; it is the step where no column is. */
static void add_index(struct columns *c)
{
    for (size_t i = c->n; i > 0; i--)
        c->as[i] = c->as[i - 1];
    c->as[0] = -1;
    c->n++;
    c->step = c->step < 0 || c->epoch ? 0 : c->step + 1;
    c->epoch = false;
}

/* What pandas prints around its rows: the name of their numbers, "Name: loss, dtype: float64", "[3 rows x 2
 * columns]". */
static bool beside_rows(struct str line, const struct str *part, size_t n)
{
    return (n == 1 && value_is_step(part[0])) || (str_starts(line, "Name: ") && str_has(line, ", dtype: ")) ||
           (str_starts(line, "[") && str_has(line, " rows x ") && str_ends(line, " columns]"));
}

/* Whether the parts of a line are a row of these columns; begun: a row or the names came. */
static bool is_column_row(const struct columns *c, const struct str *part, size_t n, bool begun)
{
    return n <= COLUMNS && all_numbers(part, n) && (!begun || n == c->n);
}

/* Whether a line before the first row names the columns; c has them then. */
static bool take_column_names(struct columns *c, const struct str *part, size_t n)
{
    struct columns names = {0};
    if (n > COLUMNS || c->named || !name_document_columns(&names, part, n))
        return false;
    *c = names;
    return true;
}

/* Whether a row's step can be read; without names it has to grow, and of epochs only one that grows is the step. */
static bool does_step_fit(struct columns *c, struct str text, int64_t *last)
{
    int64_t step = *last;
    bool fits = document_count(text, &step) && (c->named || step > *last);
    if (c->epoch && step <= *last)
        c->step = -1;
    *last = step;
    return fits;
}

/* A line of names may be a comment: "# step loss". */
static struct str without_hash(struct str line)
{
    while (line.n && (line.p[0] == '#' || line.p[0] == ' '))
        line = str_cut(line, 1);
    return line;
}

/* Whether the first lines are columns of numbers we can tell apart. */
static bool find_columns(const struct file *f, struct columns *c)
{
    struct log_lines l = {.file = f, .most = 65536};
    struct str line, part[COLUMNS];
    struct err quiet;
    int64_t last = -1;
    size_t rows = 0, odd = 0;
    bool yes = true;
    *c = (struct columns){.step = -1};
    while (yes && rows < 1000 && log_line_next(&l, &line, &quiet) == 1) {
        line = without_hash(line);
        size_t n = cut_column_line(line, part);
        if (!n || (l.end && !l.newline && f->size > 65536) || beside_rows(str_trim(line), part, n))
            continue;
        const bool gaps = str_find(line, ',') < 0 && str_find(line, ';') < 0;
        if (!rows && gaps && c->named && n == c->n + 1 && n < COLUMNS && all_numbers(part, n))
            add_index(c);
        if (!is_column_row(c, part, n, rows || c->named)) {
            odd += rows || !take_column_names(c, part, n);
            continue;
        }
        if (!rows && !c->named && n > 2) {
            odd++;
            continue;
        }
        if (!rows && !c->named)
            *c = (struct columns){.step = n == 2 ? 0 : -1, .as = {n == 2 ? -1 : LOG_LOSS, LOG_LOSS}, .n = n};
        rows++;
        if (c->step >= 0)
            yes = does_step_fit(c, part[c->step], &last);
    }
    log_line_close(&l);
    return yes && rows > 1 && odd <= rows / 2; /* some rows may be unreadable */
}

size_t loss_columns_unnamed(struct str head)
{
    struct str line, rest, part[COLUMNS];
    double x;
    str_split(head, '\n', &line, &rest);
    for (size_t i = 0; i < line.n; i++)
        if (!strchr("0123456789+-.eEnaif:,;|/T \t\r", line.p[i]))
            return 0;
    size_t n = cut_column_line(line, part);
    return n > 2 && n <= COLUMNS && scan_number(part[0], &x, NULL) && scan_number(part[n - 1], &x, NULL) ? n : 0;
}

bool loss_columns_sniff(const struct file *f)
{
    struct columns c;
    return find_columns(f, &c);
}

/* A row's values as the record of step n, or of the step that the row names. */
static void take_column_row(struct series_builder *k, const struct columns *c, const struct str *part, int64_t n)
{
    struct log_record r = {.step = n};
    double x, digit;
    if (c->step >= 0 && !document_count(part[c->step], &r.step)) {
        log_odd_value(k, part[c->step]);
        return;
    }
    for (size_t i = 0; i < c->n; i++)
        if (c->as[i] >= 0 && scan_number(part[i], &x, &digit))
            log_set(k, &r, (enum log_value)c->as[i], x, digit);
    if (r.has)
        log_add(k, &r);
}

int loss_columns_read(struct series_builder *k, struct err *e)
{
    struct log_lines l = {.file = k->file, .cancel = k->cancel};
    struct str line, part[COLUMNS];
    struct columns c;
    int64_t n = 0;
    bool begun = false; /* behind the names, if there are any */
    int rc;
    if (!find_columns(k->file, &c))
        return err_line(e, k->file->name, 1, _("expected columns of numbers: a loss, or a growing step and a loss"));
    while ((rc = log_line_next(&l, &line, e)) == 1 && !log_cancelled(k)) {
        k->line = l.line < UINT32_MAX ? (uint32_t)l.line : UINT32_MAX;
        size_t parts = cut_column_line(line, part);
        if (l.end && !l.newline && k->growing)
            break;
        if (log_line_unended(&l) && parts && line.p[0] != '#') {
            log_odd(k, ODD_CUT);
            continue;
        }
        if (parts != c.n || !all_numbers(part, c.n)) {
            struct columns names;
            if (!begun && c.named && parts <= COLUMNS && name_document_columns(&names, part, parts)) {
                begun = true;
                continue;
            }
            bool note = line.n && ((line.p[0] == '#' && !str_ends(part[0], "!")) /* "#NUM!" is none */ ||
                                   beside_rows(str_trim(line), part, parts));
            if (parts && !note && (n || begun || !c.named)) {
                log_odd_value(k, line);
                n++; /* its place is kept */
            }
            continue;
        }
        take_column_row(k, &c, part, ++n);
    }
    k->stepless = c.step < 0;
    vec_last(&k->s->files)->lines = l.line;
    log_line_close(&l);
    return rc < 0 ? -1 : 0;
}
