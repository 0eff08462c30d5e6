/* Scores how well a text matches typed words: word starts, then insides of words, then characters in order. */
#include "base/fuzzy.h"

#include <ctype.h>

enum { IN_ORDER = 1, INSIDE = 2, BEGINS = 3 };

static int lower(char c)
{
    return tolower((unsigned char)c);
}

static bool at(struct str text, size_t from, struct str word)
{
    if (text.n - from < word.n)
        return false;
    for (size_t i = 0; i < word.n; i++)
        if (lower(text.p[from + i]) != lower(word.p[i]))
            return false;
    return true;
}

static bool in_order(struct str text, struct str word)
{
    size_t k = 0;
    for (size_t i = 0; i < text.n && k < word.n; i++)
        k += lower(text.p[i]) == lower(word.p[k]);
    return k == word.n;
}

static int score_word(struct str text, struct str word)
{
    int best = -1;
    for (size_t i = 0; i + word.n <= text.n && best < BEGINS; i++)
        if (at(text, i, word))
            best = i == 0 || !isalnum((unsigned char)text.p[i - 1]) ? BEGINS : INSIDE;
    return best < 0 && in_order(text, word) ? IN_ORDER : best;
}

/* The next non-empty word; false: none. */
static bool next_word(struct str *words, struct str *word)
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
    while (next_word(&words, &word)) {
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
    while (next_word(&words, &word))
        if (score_word(text, word) < INSIDE)
            return false;
    return true;
}
