/* A small Python script that makes one recorded call again, from its tensors, and holds what comes out against what
 * both sides recorded. What is called stands in data/replay.tsv; a call that is not known there is left to be filled
 * in, the script then says so and ends with status 2. Names from dumps stand in it as quoted text only. */
#ifndef REPORT_REPLAY_SCRIPT_H
#define REPORT_REPLAY_SCRIPT_H

#include "compare/comparison.h"

enum replay_framework { REPLAY_TORCH, REPLAY_MINDSPORE };

struct replay_options {
    enum replay_framework framework;
    /* The file that holds a row's tensor, as seen from the script's folder, a .npy or .pt; NULL: there is none. */
    const char *(*file)(void *ctx, int side, uint32_t row, struct arena *a);
    void *ctx;
};

/* The script for the call of a line, appended; the session paired. False where the call is left to be filled in. */
bool replay_script(const struct comparison *s, uint32_t line, const struct replay_options *o, struct buf *out);
/* For replay_options.file, ctx the session: where the dump itself has it. */
const char *replay_own_file(void *ctx, int side, uint32_t row, struct arena *a);
int replay_framework_find(const char *name); /* torch, mindspore; or -1 */

#endif
