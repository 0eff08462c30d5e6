/* Finds the formats whose words stand in a line, once for lines that differ in digits alone. */
#include "log/line_kinds.h"

#include "base/mem.h"
#include "log/log_format.h"

#define LONGEST 4096 /* longer lines are not remembered */

typedef uint8_t bytes __attribute__((vector_size(16)));

#define PART sizeof(bytes)

/* Ones where a and b are equal or both digits. */
static bytes equal_or_digits(const char *a, const char *b)
{
    bytes x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (bytes)((x == y) | ((x - '0' < 10) & (y - '0' < 10)));
}

static bool all_ones(bytes x)
{
    uint64_t half[2];
    memcpy(half, &x, sizeof half);
    return (half[0] & half[1]) == UINT64_MAX;
}

/* Whether n bytes at a and b differ only where both are digits. */
static bool same_but_digits(const char *a, const char *b, size_t n)
{
    size_t i = 0;
    if (n < PART) {
        char x[PART] = {0}, y[PART] = {0};
        memcpy(x, a, n);
        memcpy(y, b, n);
        return all_ones(equal_or_digits(x, y));
    }
    for (; i + 4 * PART <= n; i += 4 * PART) {
        bytes same = equal_or_digits(a + i, b + i);
        for (size_t k = 1; k < 4; k++)
            same &= equal_or_digits(a + i + k * PART, b + i + k * PART);
        if (!all_ones(same))
            return false;
    }
    bytes same = equal_or_digits(a + n - PART, b + n - PART); /* the last ones overlap those before */
    for (; i + PART < n; i += PART)
        same &= equal_or_digits(a + i, b + i);
    return all_ones(same);
}

static uint32_t words_of(struct str line)
{
    uint32_t may = 0;
    for (int i = 0; log_formats[i].name; i++)
        if (log_formats[i].words && log_formats[i].words(line))
            may |= 1u << i;
    return may;
}

static uint32_t formats_that_may_begin(struct line_kinds *l, struct str line)
{
    if (!line.n || line.n > LONGEST)
        return line.n ? words_of(line) : 0;
    for (size_t i = 1; i <= ARRAY_LEN(l->seen); i++) { /* the newest first: steps and counts grow */
        const size_t k = (l->next - i) % ARRAY_LEN(l->seen);
        if (l->seen[k].line.n == line.n && same_but_digits(l->seen[k].line.p, line.p, line.n))
            return l->seen[k].may;
    }
    const size_t at = l->next++ % ARRAY_LEN(l->seen);
    buf_clear(&l->seen[at].line);
    buf_str(&l->seen[at].line, line);
    l->seen[at].may = words_of(line);
    return l->seen[at].may;
}

int line_kind(struct line_kinds *l, struct str line)
{
    const uint32_t may = formats_that_may_begin(l, line);
    for (int i = 0; may >> i; i++)
        if ((may >> i & 1) && (!log_formats[i].starts || log_formats[i].starts(line)))
            return i;
    return -1;
}

void line_kinds_release(struct line_kinds *l)
{
    for (size_t i = 0; i < ARRAY_LEN(l->seen); i++)
        buf_release(&l->seen[i].line);
}
