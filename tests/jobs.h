/* Jobs of several ranks, made up: the statistics of a few calls, for tests of what looks at all of them. */
#ifndef TESTS_JOBS_H
#define TESTS_JOBS_H

#include "support.h"

static inline int job_tensor(char *out, size_t room, double scale)
{
    return snprintf(out, room,
                    "{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[4,16],\"Max\":%.6g,\"Min\":%.6g,"
                    "\"Mean\":%.6g,"
                    "\"Norm\":%.6g,\"requires_grad\":true}",
                    2.5 * scale, -2.25 * scale, 0.0125 * scale, 8.125 * scale);
}

/* One rank's: from call `from` (from 1) on its values are off; 0: never. */
static inline void job_rank(const char *dir, const char *side, int step, int rank, int calls, int from)
{
    char name[64];
    size_t room = (size_t)calls * 1024 + 256, n = 0;
    char *text = malloc(room);
    n += (size_t)snprintf(
        text, room,
        "{\"task\":\"statistics\",\"level\":\"L1\",\"framework\":\"pytorch\",\"dump_data_dir\":null,\"data\":{");
    for (int i = 1; i <= calls; i++) {
        n += (size_t)snprintf(text + n, room - n, "%s\"Functional.%s.%d.forward\":{\"input_args\":[", i > 1 ? "," : "",
                              i % 2 ? "linear" : "gelu", (i - 1) / 2);
        n += (size_t)job_tensor(text + n, room - n,
                                (1 + rank / 1024.0) * (1 + (i - 1) / 64.0) * (from && i > from ? 1.25 : 1));
        if (i % 2) {
            text[n++] = ',';
            n += (size_t)job_tensor(text + n, room - n, 0.5);
        }
        n += (size_t)snprintf(text + n, room - n, "],\"input_kwargs\":{},\"output\":[");
        n += (size_t)job_tensor(text + n, room - n,
                                (1 + rank / 1024.0) * (1 + i / 64.0) * (from && i >= from ? 1.25 : 1));
        n += (size_t)snprintf(text + n, room - n, "]}");
    }
    snprintf(text + n, room - n, "}}\n");
    snprintf(name, sizeof name, "%s/step%d/rank%d/dump.json", side, step, rank);
    put_text(dir, name, text);
    snprintf(name, sizeof name, "%s/step%d/rank%d/stack.json", side, step, rank);
    put_text(dir, name, "{}\n");
    snprintf(name, sizeof name, "%s/step%d/rank%d/construct.json", side, step, rank);
    put_text(dir, name, "{}\n");
    free(text);
}

/* Both sides, "t" and "g" in a folder of their own: rank `off` of t goes wrong at call `from` of the last step. The folder's
 * name is in a static buffer. */
static inline const char *make_job(int steps, int ranks, int calls, int off, int from)
{
    const char *dir = scratch();
    for (int step = 0; step < steps; step++)
        for (int r = 0; r < ranks; r++) {
            job_rank(dir, "t", step, r, calls, r == off && step == steps - 1 ? from : 0);
            job_rank(dir, "g", step, r, calls, 0);
        }
    return dir;
}

#endif
