/* Writes a Python script that repeats one recorded call with its tensors and compares the result with what both sides
 * recorded. data/replay.tsv says how calls are made; an unknown call is left to be filled in, and the script says so
 * and exits with status 2. Names from dumps occur only as quoted text. */
#ifndef REPORT_REPLAY_SCRIPT_H
#define REPORT_REPLAY_SCRIPT_H

#include "compare/comparison.h"

enum replay_framework { REPLAY_TORCH, REPLAY_MINDSPORE };

struct replay_options {
    enum replay_framework framework;
    /* The path of a row's tensor file relative to the script's folder, a .npy or .pt; NULL: there is none. */
    const char *(*file)(void *ctx, int side, uint32_t row, struct arena *a);
    void *ctx;
};

/* Appends the script for a line's call; the comparison is paired. False if the call has to be filled in. */
bool replay_script(const struct comparison *s, uint32_t line, const struct replay_options *o, struct buf *out);
/* For replay_options.file, ctx is the comparison: the dump's own file. */
const char *replay_own_file(void *ctx, int side, uint32_t row, struct arena *a);
/* Appends s as a quoted Python string: printable ASCII unchanged, everything else by code point. */
void replay_quote(struct buf *out, struct str s);
int replay_framework_find(const char *name); /* torch, mindspore; or -1 */

#endif
