/* frames TARGET GOLDEN: from a key to the finished frame, on the largest dumps there are. Prints the
 * median, the 99th percentile and the worst of many keys, in milliseconds; and how long the first frame
 * took, drawn before anything is read. Between two keys the work of an idle moment is done to its end; a key may have
 * to wait for a piece of it: the longest is printed too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ui/screen.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static const char *const keys[] = {"j",    "j", "j", "PgDn", "k",   "C-d", "e", "p", "G",
                                       "PgUp", "g", "F", "s",    "Tab", "Tab", "w", "n"};
    enum { ROUNDS = 60 };
    static double took[ROUNDS * 17];
    struct screen s = {0};
    struct options o = {.step = {-1, -1}, .rank = {-1, -1}};
    struct err e;
    if (argc < 3)
        return 2;
    o.arg[0] = argv[1];
    o.arg[1] = argv[2];
    o.args = 2;
    double at = now();
    if (screen_start(&s, &o, NULL, &e)) {
        fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    screen_size(&s, 50, 180);
    screen_draw(&s);
    printf("first_frame_ms %.2f\n", now() - at);
    screen_settle(&s);
    screen_command(&s, "search layers.30\\d\\.");
    screen_settle(&s);
    int n = 0;
    double piece = 0;
    for (int r = 0; r < ROUNDS; r++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            at = now();
            screen_key(&s, keys[k]);
            screen_draw(&s);
            took[n++] = now() - at;
            for (bool left = true; left;) {
                at = now();
                left = screen_idle(&s);
                piece = now() - at > piece ? now() - at : piece;
            }
        }
    qsort(took, (size_t)n, sizeof *took, by_size);
    printf("key_median_ms %.2f\nkey_p99_ms %.2f\nkey_worst_ms %.2f\nidle_piece_ms %.2f\n", took[n / 2],
           took[n * 99 / 100], took[n - 1], piece);
    screen_stop(&s);
    return 0;
}
