/* Local norms as lines of text that carry no name, no step or neither:
 *   dump local norm:  NAME VALUE                  MindSpore's graph; roots, no step
 *   local_norm step N NAME: VALUE                 a patch of Megatron
 *   embedding_local_norm: VALUE                   MindFormers
 *   print torch local norm:⏎[tensor(1.3662, …), …]   the guide's patch of Megatron; squares, no names
 *    norm_size: (…)⏎local_norm:⏎[…⏎…]             MindFormers' wrapper; squares, no names
 *   rank 0 step 3 layers.0.wq.weight norm=293.06  a loop over the parameters, printed by hand; roots
 *   norm 293.06 layers.0.wq.weight   layers.0.wq.weight L2: 293.06   layers.0.wq.weight 梯度范数：293.06 */
#include "log/python_value.h"
#include "log/series_builder.h"

#define LIST_BYTES (1u << 20)

/* Text that all these lines contain and most other lines of a log do not. */
static bool names_norms(struct str line)
{
    return scan_has(line, "norm");
}

bool norm_line_words(struct str line)
{
    return names_norms(line) && (scan_has(line, "dump local norm:") || scan_has(line, "local_norm step ") ||
                                 scan_has(line, "embedding_local_norm:"));
}

enum log_take norm_line_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    struct str at, name, value;
    int64_t step;
    double x;
    (void)fresh;
    (void)last;
    if (scan_behind(line, "dump local norm:", &at)) {
        at = str_trim(at);
        if (!str_split(at, ' ', &name, &value) || log_number(k, value, &x, NULL) != READING_VALUE)
            return TAKE_NOT;
        log_norm(k, "local_norm", name, false, x);
    } else if (scan_behind(line, "local_norm step ", &at)) {
        struct str count, behind;
        str_split(str_trim(at), ' ', &count, &behind);
        if (!scan_count(&at, &step) || step >= LOG_STEP || at.p < count.p + count.n) {
            log_odd_value(k, count);
            return TAKE_DONE;
        }
        if (!str_split(at, ':', &name, &value) || log_number(k, value, &x, NULL) != READING_VALUE)
            return TAKE_NOT;
        log_point(k, "local_norm", str_trim(name), false, step, x);
    } else {
        scan_behind(line, "embedding_local_norm:", &at);
        struct str text = at;
        if (!scan_leading(&at, &x, NULL) || scan_goes_on(at)) {
            if (!reading_is_nothing(text))
                log_odd_value(k, text);
            return TAKE_NOT;
        }
        log_norm(k, "embedding_local_norm", STR(""), false, x);
    }
    return TAKE_DONE;
}

static bool find_norm_marker(struct str line, struct str *rest)
{
    if (scan_behind(line, "torch local norm:", rest))
        return true;
    struct str at;
    /* not "embedding_local_norm:", not "…/local_norm:" */
    while (scan_behind(line, "local_norm:", &at)) {
        size_t before = (size_t)(at.p - line.p) - strlen("local_norm:");
        if (!before || line.p[before - 1] == ' ' || line.p[before - 1] == ')') {
            *rest = at;
            return true;
        }
        line = at;
    }
    return false;
}

bool norm_list_words(struct str line)
{
    struct str rest;
    if (!names_norms(line) ||
        (!scan_has(line, "l norm") && !scan_has(line, "l_norm") && !scan_has(line, "norm_size")))
        return false;
    if (scan_has(line, "norm_size: ("))
        return true;
    return find_norm_marker(line, &rest) && (!str_trim(rest).n || str_trim(rest).p[0] == '[');
}

/* The text between '[' and its ']'; false if either is missing. */
static bool list_in_brackets(struct str s, struct str *inside)
{
    ptrdiff_t open = str_find(s, '[');
    size_t depth = 0;
    if (open < 0)
        return false;
    for (size_t i = (size_t)open; i < s.n; i++) {
        if (s.p[i] == '[')
            depth++;
        else if (s.p[i] == ']' && --depth == 0) {
            *inside = str_n(s.p + open + 1, i - (size_t)open - 1);
            return true;
        }
    }
    return false;
}

/* The next value of a list; *text: its text. ABSENT at the end. */
static enum reading next_number(struct str *s, bool tensors, double *x, struct str *text)
{
    static const char between[] = "[]() ,\t\r\n";
    if (tensors && !scan_behind(*s, "tensor(", s))
        return READING_ABSENT;
    while (s->n && strchr(between, s->p[0]))
        *s = str_cut(*s, 1);
    if (!s->n)
        return READING_ABSENT;
    *text = *s;
    bool read = scan_leading(s, x, NULL) && !scan_goes_on(*s);
    while (!tensors && s->n && (!strchr(between, s->p[0]) || (s->p[0] == ',' && scan_goes_on(*s))))
        *s = str_cut(*s, 1);
    text->n -= s->n;
    return read ? READING_VALUE : READING_UNREADABLE;
}

static struct str behind_comma(struct str s)
{
    struct str own, rest;
    return str_split(s, ',', &own, &rest) && !str_has(own, ")") ? rest : STR("");
}

enum log_take norm_list_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    struct str rest, list, text, own, others, sizes = STR("");
    enum reading found;
    char name[24];
    double x, size;
    if (line.n > LIST_BYTES || last)
        return TAKE_NOT; /* a list without its end cannot be counted */
    /* only a line with a bracket can end it; searching the whole text at each line would take quadratic time */
    if (fresh && str_find(str_cut(line, fresh), ']') < 0)
        return TAKE_MORE;
    if (!find_norm_marker(line, &rest) || !list_in_brackets(rest, &list))
        return TAKE_MORE;
    bool tensors = scan_has(list, "tensor(");
    if (!scan_behind(line, "norm_size: (", &sizes) || sizes.p > rest.p)
        sizes = STR("");
    log_norm_group(k);
    for (uint32_t i = 0; (found = next_number(&list, tensors, &x, &text)) != READING_ABSENT; i++) {
        if (found == READING_UNREADABLE) {
            log_odd_value(k, text.n ? text : list);
            sizes = behind_comma(sizes);
            continue; /* its number is kept */
        }
        struct buf b = {0};
        buf_fmt(&b, "#%u", i);
        memcpy(name, b.p, b.n + 1);
        buf_release(&b);
        log_norm(k, "local_norm", str_of(name), true, x);
        uint32_t id;
        str_split(sizes, ',', &own, &others);
        if (sizes.n && str_has(own, ")"))
            str_split(own, ')', &own, &others);
        if (sizes.n && log_number(k, own, &size, NULL) == READING_VALUE &&
            (id = log_name(k, "local_norm", str_of(name), true)) != MAP_NONE &&
            size >= 0 && size < 1e18)
            k->s->names.v[id].elements = (uint64_t)size;
        sizes = behind_comma(sizes);
    }
    if (sizes.n) {
        str_split(sizes, ')', &own, &others);
        log_odd_value(k, own); /* of more values than there are */
    }
    return TAKE_DONE;
}

/* ---- printed by hand: a parameter's name, then the word norm and a number, with step and rank anywhere ---- */

static bool ends_name(char c)
{
    return strchr(" \t,;:=|()[]{}\"'", c) != NULL;
}

/* Whether the word is the name of a parameter: a path whose last part is what parameters are called. */
bool log_is_parameter(struct str word)
{
    static const char *const last[] = {"weight", "bias", "gamma", "beta", "embedding_table", "embedding_weight",
                                       "lora_A", "lora_B", "in_proj_weight", "in_proj_bias"};
    ptrdiff_t dot = str_rfind(word, '.');
    if (dot < 1 || str_find(word, '/') >= 0)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(last); i++)
        if (str_is(str_cut(word, (size_t)dot + 1), last[i]))
            return true;
    return false;
}

/* The word before the end of s, and what stands before it. ".grad" and ".grad.norm()" do not belong to a name. */
static struct str last_weight_name(struct str s)
{
    while (s.n) {
        size_t to = s.n, from;
        while (to && ends_name(s.p[to - 1]))
            to--;
        for (from = to; from && !ends_name(s.p[from - 1]); from--)
            continue;
        struct str word = str_n(s.p + from, to - from);
        if (str_ends(word, "."))
            word.n--;
        if (str_ends(word, ".grad"))
            word.n -= strlen(".grad");
        if (log_is_parameter(word))
            return word;
        s.n = from;
    }
    return STR("");
}

/* A number behind the word norm and what joins them: "norm=1", "norm: 1", "norm() 1", "norm is 1". ABSENT where
 * something else stands there. */
static enum reading norm_value(struct str at, double *x, struct str *text)
{
    struct str rest;
    const bool member = at.n > 1 && strchr("\"'", at.p[0]) && at.p[1] == ':'; /* of JSON: a value must stand there */
    if (str_starts(at, "()"))
        at = str_cut(at, 2);
    while (at.n && (strchr(" \t=:\"'", at.p[0]) || str_starts(at, "\uff1a")))
        at = str_cut(at, str_starts(at, "\uff1a") ? 3 : 1);
    if (str_starts(at, "is "))
        at = str_cut(at, 3);
    if (str_starts(at, "tensor("))
        at = str_cut(at, strlen("tensor("));
    str_split(at, ' ', text, &rest);
    if (scan_leading(&at, x, NULL))
        return at.n && (at.p[0] == '/' || at.p[0] == '_') ? READING_ABSENT
               : scan_goes_on(at)                         ? READING_UNREADABLE : READING_VALUE;
    return (at.n > 1 && strchr("#+-.", at.p[0])) || (member && !reading_is_nothing(*text)) ? READING_UNREADABLE
                                                                                          : READING_ABSENT;
}

/* The words of a norm of a gradient: not of a weight's own norm ("weight norm: 9.0"), of all of them, or of a layer
 * called so. *grad: it is called a gradient's. */
static bool norm_word(struct str line, struct str rest, bool *grad)
{
    static const char *const others[] = {"weight", "weights", "param", "parameter", "data", "activation", "act",
                                         "update"};
    static const char *const words[] = {"norm", "grad_norm", "gradnorm", "gnorm", "l2_norm", "l2norm", "local_norm",
                                        "norm2", "grad.norm", "l2", "范数", "梯度范数", "梯度的范数", "L2范数"};
    static const char *const chinese[] = {"权重", "参数", "激活", "更新"};
    size_t to = (size_t)(rest.p - line.p), from = to;
    while (from && !ends_name(line.p[from - 1]))
        from--;
    struct str word = str_n(line.p + from, to - from), before = str_trim(str_n(line.p, from));
    size_t begins = before.n;
    while (begins && !ends_name(before.p[begins - 1]))
        begins--;
    before = str_cut(before, begins);
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (str_ieq(before, str_of(others[i])) || str_ieq(word, str_of(others[i])))
            return false;
    for (size_t i = 0; i < ARRAY_LEN(chinese); i++)
        if (str_has(word, chinese[i]) || str_ends(before, chinese[i]))
            return false;
    *grad = str_ihas(word, "grad") || str_ihas(before, "grad") || str_is(word, "gnorm") || str_has(word, "梯度");
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_ieq(word, str_of(words[i])))
            return true;
    return str_ends(word, ".grad.norm") || str_ends(word, ".norm");
}

/* "norm of layers.0.wq.weight = 2.5", behind the word: the parameter's name, and the value behind it. */
static enum reading named_behind(struct str at, struct str *name, double *x, struct str *text)
{
    static const char *const joined[] = {"of ", "for "};
    struct str rest;
    at = str_trim(at);
    for (size_t i = 0; i < ARRAY_LEN(joined); i++)
        if (str_starts(at, joined[i]))
            at = str_trim(str_cut(at, strlen(joined[i])));
    size_t n = 0;
    while (n < at.n && !ends_name(at.p[n]))
        n++;
    *name = str_n(at.p, n);
    rest = str_cut(at, n);
    return log_is_parameter(*name) ? norm_value(rest, x, text) : READING_ABSENT;
}

/* The next word that may be a norm's; *rest: what follows. */
static bool next_norm_word(struct str *rest, size_t *length)
{
    static const char *const words[] = {"norm", "Norm", "NORM", "L2", "l2", "范数"};
    for (struct str at = *rest; at.n; at = str_cut(at, 1))
        for (size_t i = 0; i < ARRAY_LEN(words) && strchr("nNLl\xe8", at.p[0]); i++)
            if (str_starts(at, words[i])) {
                *length = strlen(words[i]);
                *rest = str_cut(at, *length);
                return true;
            }
    return false;
}

/* The parameter directly behind a norm: "2.5 layers.0.wq.weight", "2.5 (name=layers.0.wq.weight)". */
static struct str name_behind(struct str at)
{
    static const char *const words[] = {"name", "param", "parameter", "weight", "of", "for", "in"};
    size_t from = 0, n;
    for (bool more = true; more && from < at.n;) {
        while (from < at.n && ends_name(at.p[from]))
            from++;
        for (n = from; n < at.n && !ends_name(at.p[n]); n++)
            continue;
        struct str word = str_n(at.p + from, n - from);
        if (log_is_parameter(word))
            return word;
        more = STR_ONE_OF(word, words);
        from = n;
    }
    return STR("");
}

/* A norm in a line and its parameter, named before it or behind the word; *text: the norm's. Of several the first that
 * is called a gradient's, otherwise the first. */
static enum reading printed_norm(struct str line, struct str *name, double *x, struct str *text)
{
    enum reading first = READING_ABSENT;
    bool grad = false;
    size_t length = 0;
    for (struct str rest = line; next_norm_word(&rest, &length);) {
        struct str own, own_text;
        double v = 0;
        if (!norm_word(line, rest, &grad) || (first != READING_ABSENT && !grad))
            continue;
        enum reading found = named_behind(rest, &own, &v, &own_text);
        if (found == READING_ABSENT && (found = norm_value(rest, &v, &own_text)) != READING_ABSENT)
            own = last_weight_name(str_n(line.p, (size_t)(rest.p - line.p) - length));
        if (found != READING_ABSENT && !own.n) /* "norm 2.5 layers.0.wq.weight" */
            own = name_behind(str_n(own_text.p + own_text.n, (size_t)(line.p + line.n - own_text.p) - own_text.n));
        if (found == READING_ABSENT || !own.n)
            continue;
        first = found;
        *name = own;
        *x = v;
        *text = own_text;
        if (grad)
            break;
    }
    return first;
}

static const char *const step_words[] = {"step", "iteration", "iter", "\u6b65\u6570", "\u8fed\u4ee3"};
static const char *const rank_words[] = {"rank"};

/* The count behind one of the words, which begins a word: "step 3", "iter=3", "[rank1]"; *text: what stands there. */
static enum reading count_behind(struct str line, const char *const *words, size_t n, int64_t *v, struct str *text)
{
    struct str behind;
    for (size_t i = 0; i < n; i++)
        for (struct str rest = line; scan_behind(rest, words[i], &rest);) {
            size_t before = (size_t)(rest.p - line.p) - strlen(words[i]);
            struct str at = rest;
            if (before && !ends_name(line.p[before - 1]) && line.p[before - 1] != '_')
                continue;
            const bool member = at.n > 1 && strchr("\"'", at.p[0]) && at.p[1] == ':';
            while (at.n && strchr(" \t=:_[\"'", at.p[0]))
                at = str_cut(at, 1);
            str_split(at, ' ', text, &behind);
            at = *text;
            if (scan_count(&at, v))
                return *v < LOG_STEP && !scan_goes_on(at) ? READING_VALUE : READING_UNREADABLE;
            if ((at.n > 1 && at.p[0] == '#') || (member && !reading_is_nothing(*text)))
                return READING_UNREADABLE;
        }
    return READING_ABSENT;
}

uint16_t log_rank_in(struct str line)
{
    static const char *const words[] = {"rank", "RANK", "Rank", "default"};
    struct str text;
    int64_t rank;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        for (struct str rest = line; scan_behind(rest, words[i], &rest);) {
            size_t before = (size_t)(rest.p - line.p) - strlen(words[i]);
            bool global = before >= 7 && str_ends(str_n(line.p, before), "global_");
            if (!global && before && !ends_name(line.p[before - 1]))
                continue;
            if (count_behind(str_n(rest.p - strlen(words[i]), line.n - before), &words[i], 1, &rank, &text) ==
                READING_VALUE)
                return log_rank_said(rank);
        }
    return 0;
}

bool log_names_parameters(struct str text)
{
    return scan_has(text, ".weight") || scan_has(text, ".bias") || scan_has(text, ".gamma") ||
           scan_has(text, ".beta") || scan_has(text, ".embedding_") || scan_has(text, ".lora_") ||
           scan_has(text, ".in_proj_");
}

bool norm_printed_words(struct str line)
{
    return log_names_parameters(line) && (names_norms(line) || scan_has(line, "Norm") || scan_has(line, "NORM") ||
                                          scan_has(line, "L2") || scan_has(line, "l2") || scan_has(line, "范数"));
}

/* ASCII marks for those of Chinese text, in `b`: they end names and values. */
static struct str ascii_marks(struct str line, struct buf *b)
{
    static const struct {
        const char *mark, *ascii;
    } marks[] = {{"\uff0c", ", "}, {"\uff1a", ": "}, {"\uff1b", "; "}, {"\uff08", " ("}, {"\uff09", ") "},
                 {"\uff1d", "="}, {"\u3001", ", "}, {"\u3010", "["}, {"\u3011", "]"}};
    if (!str_has(line, "\xef\xbc") && !str_has(line, "\u3001") && !str_has(line, "\u7b2c"))
        return line;
    for (size_t i = 0, k; i < line.n; i++) {
        struct str step = str_cut(line, i + 3);
        int64_t n;
        if (str_starts(str_cut(line, i), "\u7b2c") && scan_count(&step, &n) && str_starts(step, "\u6b65")) {
            buf_cstr(b, " step ");
            i += 2;
            continue;
        }
        k = (unsigned char)line.p[i] < 0xe3 ? ARRAY_LEN(marks) : 0;
        for (; k < ARRAY_LEN(marks) && !str_starts(str_cut(line, i), marks[k].mark); k++)
            continue;
        if (k < ARRAY_LEN(marks))
            buf_cstr(b, marks[k].ascii);
        else
            buf_char(b, line.p[i]);
        i += k < ARRAY_LEN(marks) ? 2 : 0;
    }
    return buf_view(b);
}

bool norm_printed_starts(struct str line)
{
    struct str name, text;
    struct buf plain = {0};
    double x;
    bool yes = printed_norm(ascii_marks(line, &plain), &name, &x, &text) != READING_ABSENT;
    buf_release(&plain);
    return yes;
}

/* The norms so far were of a higher rank: they are replicas of the lowest one's, which are read as the weights'. */
static void move_norms(struct series_builder *k)
{
    struct series *s = k->s;
    size_t n = 0;
    for (size_t i = 0; i < s->points.n; i++) {
        const struct log_point p = s->points.v[i];
        const struct log_name *who = &s->names.v[p.name];
        if (log_is_norm(who))
            series_replica(s, str_of(who->name), who->square, (int)k->norm_rank - 1, p.step, p.value);
        else
            s->points.v[n++] = p;
    }
    s->points.n = n;
    for (size_t i = 0; i < k->pending.n; i++)
        log_odd(k, ODD_RANKS);
    vec_clear(&k->pending);
    log_norm_group(k);
    k->groups = 0;
}

void log_printed_norm(struct series_builder *k, struct str name, int64_t rank, bool stepped, int64_t step, double x)
{
    if (rank >= 0) {
        if (k->norm_rank && rank + 1 < k->norm_rank)
            move_norms(k); /* which rank prints first is chance */
        if (!k->norm_rank || rank + 1 < k->norm_rank)
            k->norm_rank = rank + 1;
        if (k->norm_rank != rank + 1) {
            if (stepped)
                series_replica(k->s, name, false, (int)rank, step, x);
            else
                log_odd(k, ODD_RANKS);
            return;
        }
    }
    if (stepped)
        log_point(k, "local_norm", name, false, step, x);
    else
        log_norm(k, "local_norm", name, false, x);
}

static enum log_take take_printed(struct series_builder *k, struct str line)
{
    struct str name, text, counted;
    int64_t step = 0, rank = 0;
    double x;
    enum reading found = printed_norm(line, &name, &x, &text);
    if (found == READING_ABSENT)
        return TAKE_NOT;
    enum reading ranked = count_behind(line, rank_words, ARRAY_LEN(rank_words), &rank, &counted);
    enum reading stepped = ranked == READING_UNREADABLE
                               ? ranked : count_behind(line, step_words, ARRAY_LEN(step_words), &step, &counted);
    if (found == READING_UNREADABLE || stepped == READING_UNREADABLE) {
        log_odd_value(k, found == READING_UNREADABLE ? text : counted);
        return TAKE_DONE;
    }
    log_printed_norm(k, name, ranked == READING_VALUE ? rank : -1, stepped == READING_VALUE, step, x);
    return TAKE_DONE;
}

enum log_take norm_printed_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    struct buf plain = {0};
    (void)fresh;
    (void)last;
    enum log_take t = take_printed(k, ascii_marks(line, &plain));
    buf_release(&plain);
    return t;
}

/* ---- a dictionary in a line: "step 1 grad norms: {'layers.0.wq.weight': 2.5, …}" ---- */

bool norm_dictionary_words(struct str line)
{
    return log_names_parameters(line) && (names_norms(line) || scan_has(line, "Norm")) &&
           (scan_has(line, "{'") || scan_has(line, "{\""));
}

/* What stands before the dictionary, and the dictionary as JSON. ABSENT: it is none of norms. */
static enum reading read_norm_dictionary(struct str line, struct str *before, struct buf *json)
{
    ptrdiff_t open = str_find(line, '{');
    struct str rest = str_cut(line, open < 0 ? line.n : (size_t)open);
    *before = str_n(line.p, line.n - rest.n);
    if (!str_ihas(*before, "norm"))
        return READING_ABSENT;
    if (!python_value(&rest, json))
        return READING_UNREADABLE;
    return log_norms_of_object(NULL, buf_view(json), -1, false, 0) ? READING_VALUE : READING_ABSENT;
}

bool norm_dictionary_starts(struct str line)
{
    struct buf json = {0};
    struct str before;
    enum reading found = read_norm_dictionary(line, &before, &json);
    buf_release(&json);
    return found != READING_ABSENT;
}

enum log_take norm_dictionary_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    struct buf json = {0};
    struct str before, text = line;
    int64_t step = 0, rank = 0;
    (void)fresh;
    (void)last;
    enum reading found = read_norm_dictionary(line, &before, &json), ranked = READING_ABSENT, stepped = READING_ABSENT;
    if (found == READING_VALUE)
        ranked = count_behind(before, rank_words, ARRAY_LEN(rank_words), &rank, &text);
    if (found == READING_VALUE && ranked != READING_UNREADABLE)
        stepped = count_behind(before, step_words, ARRAY_LEN(step_words), &step, &text);
    if (found == READING_UNREADABLE || ranked == READING_UNREADABLE || stepped == READING_UNREADABLE)
        log_odd_value(k, text);
    else if (found == READING_VALUE)
        log_norms_of_object(k, buf_view(&json), ranked == READING_VALUE ? rank : -1, stepped == READING_VALUE, step);
    buf_release(&json);
    return found != READING_ABSENT ? TAKE_DONE : TAKE_NOT;
}
