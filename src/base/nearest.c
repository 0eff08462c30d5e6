/* The distance of two words: optimal string alignment (Damerau 1964; Levenshtein 1966). */
#include "base/nearest.h"

#define LONGEST 64

static size_t smaller_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t edit_distance(struct str a, struct str b)
{
    size_t row[3][LONGEST + 1], *two = row[0], *one = row[1], *now = row[2];
    for (size_t j = 0; j <= b.n; j++)
        one[j] = j;
    for (size_t i = 1; i <= a.n; i++) {
        now[0] = i;
        for (size_t j = 1; j <= b.n; j++) {
            bool same = a.p[i - 1] == b.p[j - 1];
            now[j] = smaller_size(smaller_size(one[j] + 1, now[j - 1] + 1), one[j - 1] + !same);
            if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1])
                now[j] = smaller_size(now[j], two[j - 2] + 1);
        }
        size_t *free = two;
        two = one;
        one = now;
        now = free;
    }
    return one[b.n];
}

void nearest_offer(struct nearest *n, const char *name)
{
    struct str x = str_of(name);
    if (n->word.n > LONGEST || x.n > LONGEST)
        return;
    size_t changes = edit_distance(n->word, x), most = n->word.n / 3 ? n->word.n / 3 : 1;
    if (changes <= most && changes < x.n && (!n->name || changes < n->changes)) {
        n->name = name;
        n->changes = changes;
    }
}
