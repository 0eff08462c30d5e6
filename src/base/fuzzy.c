/* Scores how well a text matches typed words: word starts, then insides of words, then characters in order. */
#include "base/fuzzy.h"

#include <ctype.h>

enum { IN_ORDER = 1, INSIDE = 2, BEGINS = 3 };

static int lower_char(char c)
{
    return tolower((unsigned char)c);
}

static bool word_stands_at(struct str text, size_t from, struct str word)
{
    if (text.n - from < word.n)
        return false;
    for (size_t i = 0; i < word.n; i++)
        if (lower_char(text.p[from + i]) != lower_char(word.p[i]))
            return false;
    return true;
}

static bool has_characters_in_order(struct str text, struct str word)
{
    size_t k = 0;
    for (size_t i = 0; i < text.n && k < word.n; i++)
        k += lower_char(text.p[i]) == lower_char(word.p[k]);
    return k == word.n;
}

static int score_word(struct str text, struct str word)
{
    int best = -1;
    for (size_t i = 0; i + word.n <= text.n && best < BEGINS; i++)
        if (word_stands_at(text, i, word))
            best = i == 0 || !isalnum((unsigned char)text.p[i - 1]) ? BEGINS : INSIDE;
    return best < 0 && has_characters_in_order(text, word) ? IN_ORDER : best;
}

/* The next non-empty word; false: none. */
static bool next_typed_word(struct str *words, struct str *word)
{
    do {
        if (!words->n)
            return false;
        str_split(*words, ' ', word, words);
    } while (!word->n);
    return true;
}

int fuzzy_score(struct str text, struct str words)
{
    int total = 0;
    struct str word;
    while (next_typed_word(&words, &word)) {
        int score = score_word(text, word);
        if (score < 0)
            return -1;
        total += score;
    }
    return total;
}

bool fuzzy_inside(struct str text, struct str words)
{
    struct str word;
    while (next_typed_word(&words, &word))
        if (score_word(text, word) < INSIDE)
            return false;
    return true;
}
