/* Dumps with tensors on disk, for tests of what is computed from them. */
#ifndef TESTS_TENSORS_H
#define TESTS_TENSORS_H

#include "support.h"

#include <math.h>
#include <sys/stat.h>

/* One step of an msprobe dump that is being written: mindspore's, so that tensors are .npy files. */
struct tensor_dump {
    char dir[400];
    FILE *json;
    int calls;
    bool statistics; /* figures alone: set before the first call */
};

static inline void tensors_begin_at(struct tensor_dump *d, const char *dir)
{
    char path[600];
    snprintf(d->dir, sizeof d->dir, "%s", dir);
    snprintf(path, sizeof path, "%s/dump_tensor_data", d->dir);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/dump.json", d->dir);
    d->json = fopen(path, "w");
    d->calls = 0;
    d->statistics = false;
    fputs("{\"task\":\"tensor\",\"level\":\"L1\",\"framework\":\"mindspore\",\"dump_data_dir\":\"dump_tensor_data\",\"data\":{", d->json);
}

static inline void tensors_begin(struct tensor_dump *d)
{
    tensors_begin_at(d, scratch());
}

/* A call with one output; sizes as in "2,8". */
static inline void tensors_add(struct tensor_dump *d, const char *call, const char *sizes, const float *v, size_t n)
{
    char path[700], header[128];
    double max = -INFINITY, min = INFINITY, sum = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        max = fmax(max, (double)v[i]);
        min = fmin(min, (double)v[i]);
        sum += (double)v[i];
        square += (double)v[i] * (double)v[i];
    }
    fprintf(d->json, "%s\"%s\":{\"output\":[{\"type\":\"mindspore.Tensor\",\"dtype\":\"Float32\",\"shape\":[%s],\"Max\":%.17g,"
                     "\"Min\":%.17g,\"Mean\":%.17g,\"Norm\":%.17g",
            d->calls++ ? "," : "", call, sizes, max, min, sum / (double)n, sqrt(square));
    if (!d->statistics)
        fprintf(d->json, ",\"data_name\":\"%s.output.0.npy\"", call);
    fputs("}]}", d->json);
    if (d->statistics)
        return;
    snprintf(path, sizeof path, "%s/dump_tensor_data/%s.output.0.npy", d->dir, call);
    FILE *f = fopen(path, "wb");
    snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': (%s,), }", sizes);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f); /* 118 bytes of header */
    fprintf(f, "%-117s\n", header);
    fwrite(v, sizeof *v, n, f);
    fclose(f);
}

static inline void tensors_end(struct tensor_dump *d)
{
    fputs("}}", d->json);
    fclose(d->json);
}

#endif
