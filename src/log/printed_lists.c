/* Finds lists of numbers in a text by the names before them. */
#include "log/printed_lists.h"

#include "base/mem.h"
#include "base/vec.h"
#include "log/log_format.h"
#include "log/loss_words.h"
#include "log/python_value.h"
#include "log/series_builder.h"

#define NAME 64
#define LISTS 4096
#define FAILED_MOST 16 /* values that are cut off or something else; each may have been read to the end of the text */

static struct str skip_list_blanks(struct str s)
{
    while (s.n && strchr(" \t\r\n", s.p[0]))
        s = str_cut(s, 1);
    return s;
}

bool printed_document(struct str text, struct buf *json)
{
    struct str s = text;
    size_t n = 0;
    if (python_value(&s, json) && !skip_list_blanks(s).n)
        return true;
    buf_clear(json);
    for (s = text; (s = skip_list_blanks(s)).n; n++) {
        struct str line = str_next(&s, '\n'), rest;
        buf_char(json, n ? ',' : '[');
        rest = line = str_trim(line);
        if (str_starts(line, "{") || !python_value(&rest, json) || (str_trim(rest).n && !str_is(str_trim(rest), ",")))
            return false;
    }
    buf_char(json, ']');
    return n > 1;
}

/* ---- names ---- */

static bool is_counting_word(struct str word)
{
    static const char *const words[] = {"step", "iter", "iteration", "epoch", "batch", "micro"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_ieq(word, str_of(words[i])))
            return true;
    return false;
}

/* Words that say nothing of a series: levels of messages, "all losses". */
static bool is_empty_word(struct str word)
{
    static const char *const words[] = {"info", "debug", "warning", "all", "the", "final", "recorded", "collected",
                                        "-"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_ieq(word, str_of(words[i])))
            return true;
    return false;
}

/* The words before a list as a name, "Train losses" as "train_losses"; empty where they are of validation or of one
 * step, or nothing divides them from the list. */
static struct str list_name_before(struct str before, char out[NAME])
{
    struct str words = before, word, name = STR("");
    while (words.n && strchr(" \t:=", words.p[words.n - 1]))
        words.n--;
    if (words.n == before.n)
        return STR("");
    size_t from = words.n;
    while (from && !strchr(",;|{}()[]>\t\"'", words.p[from - 1]) && !str_ends(str_n(words.p, from), "  ") &&
           !str_ends(str_n(words.p, from), ". "))
        from--;
    words = str_cut(words, from);
    bool counted = false;
    for (size_t n = 0; words.n;) {
        str_split(words, ' ', &word, &words);
        bool digits = false;
        for (size_t i = 0; i < word.n; i++)
            digits = digits || (word.p[i] >= '0' && word.p[i] <= '9');
        if (word_is_judged(word) || (counted && digits))
            return STR("");
        counted = is_counting_word(word);
        if (digits || (!n && is_empty_word(word))) {
            n = 0;
            continue;
        }
        if (n + word.n + 1 >= NAME)
            return STR("");
        if (n && word.n)
            out[n++] = '_';
        for (size_t i = 0; i < word.n; i++)
            out[n++] = word.p[i] >= 'A' && word.p[i] <= 'Z' ? (char)(word.p[i] + 32) : word.p[i];
        name = str_n(out, n);
    }
    return name;
}

static bool may_name(struct str name)
{
    return name.n && (str_has(name, "loss") || str_has(name, "损失") || str_has(name, "step") || str_has(name, "iter") ||
           str_has(name, "norm") || str_has(name, "lr") || str_has(name, "rate") || str_is(name, "history"));
}

/* ---- lists ---- */

struct named_list {
    char name[NAME];
    struct buf json;
    uint16_t rank; /* as log_rank_in */
    bool again;    /* named so once more */
};

typedef VEC(struct named_list) named_lists;

static void add_named_list(named_lists *v, struct str name, struct buf *json, uint16_t rank)
{
    for (size_t i = 0; i < v->n; i++) {
        struct named_list *x = &v->v[i];
        if (!str_is(name, x->name))
            continue;
        if (rank < x->rank) {
            buf_release(&x->json);
            x->json = *json;
            x->rank = rank;
            x->again = false;
            *json = (struct buf){0};
        } else if (rank == x->rank) {
            x->again = true;
        }
        return;
    }
    if (v->n == LISTS)
        return;
    struct named_list x = {.json = *json, .rank = rank};
    memcpy(x.name, name.p, name.n);
    vec_push(v, x);
    *json = (struct buf){0};
}

/* Takes the lists of the line at the front of *s, which may go on below; *s is then what follows. */
static void take_lists_of_line(named_lists *v, struct str *s, size_t *failed)
{
    const char *begin = s->p;
    char text[NAME];
    while (s->n && s->p[0] != '\n') {
        const bool within = s->p > begin && ((s->p[-1] | 32) >= 'a' && (s->p[-1] | 32) <= 'z');
        struct str before = str_n(begin, (size_t)(s->p - begin)), name, rest = *s;
        struct buf json = {0};
        if (within || *failed == FAILED_MOST || !python_value_begins(*s) ||
            !may_name(name = list_name_before(before, text))) {
            *s = str_cut(*s, 1);
            continue;
        }
        if (python_value(&rest, &json)) {
            add_named_list(v, name, &json, log_rank_in(before));
            begin = rest.p;
            *s = rest;
        } else {
            *s = str_cut(*s, 1);
            ++*failed;
        }
        buf_release(&json);
    }
    *s = str_cut(*s, 1);
}

bool printed_lists(struct str text, struct buf *json)
{
    named_lists v = {0};
    size_t failed = 0, n = 0;
    while (text.n) {
        struct str line = str_n(text.p, text.n);
        ptrdiff_t end = str_find(text, '\n');
        line.n = end < 0 ? text.n : (size_t)end;
        if (str_ihas(line, "loss") || str_ihas(line, "step") || str_ihas(line, "iter") || str_ihas(line, "norm") ||
            str_ihas(line, "lr") || str_has(line, "损失") || str_ihas(line, "history") || str_ihas(line, "rate"))
            take_lists_of_line(&v, &text, &failed);
        else
            text = str_cut(text, line.n + 1);
    }
    for (size_t i = 0; i < v.n; i++) {
        if (!v.v[i].again)
            buf_fmt(json, "%c\"%s\":%.*s", n++ ? ',' : '{', v.v[i].name, (int)v.v[i].json.n, v.v[i].json.p);
        buf_release(&v.v[i].json);
    }
    buf_cstr(json, n ? "}" : "");
    vec_release(&v);
    return n > 0;
}

bool printed_lists_shortened(struct str text)
{
    static const char *const marks[] = {"..., ", " ... ", " ...,", ", ...]", "\u2026,"};
    while (text.n) {
        struct str line = str_next(&text, '\n');
        for (size_t i = 0; i < ARRAY_LEN(marks) && str_find(line, '[') >= 0; i++)
            if (str_has(line, marks[i]))
                return true;
    }
    return false;
}
