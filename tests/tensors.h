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

static inline void tensors_begin_of(struct tensor_dump *d, const char *dir, const char *framework)
{
    char path[600];
    assert_true(strlen(dir) < sizeof d->dir);
    strcpy(d->dir, dir);
    snprintf(path, sizeof path, "%.399s/dump_tensor_data", d->dir);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%.399s/dump.json", d->dir);
    d->json = fopen(path, "w");
    d->calls = 0;
    d->statistics = false;
    fprintf(d->json, "{\"task\":\"tensor\",\"level\":\"L1\",\"framework\":\"%s\",\"dump_data_dir\":\"dump_tensor_data\",\"data\":{", framework);
}

static inline void tensors_begin_at(struct tensor_dump *d, const char *dir)
{
    tensors_begin_of(d, dir, "mindspore");
}

static inline void tensors_begin(struct tensor_dump *d)
{
    tensors_begin_at(d, scratch());
}

/* The record of one tensor of a call, and its file. */
static inline void tensors_row(struct tensor_dump *d, const char *call, const char *slot, const char *sizes, const float *v, size_t n)
{
    char path[900], header[128];
    double max = -INFINITY, min = INFINITY, sum = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        max = fmax(max, (double)v[i]);
        min = fmin(min, (double)v[i]);
        sum += (double)v[i];
        square += (double)v[i] * (double)v[i];
    }
    const double figure[] = {isnan(sum) ? NAN : max, isnan(sum) ? NAN : min, sum / (double)n, sqrt(square)};
    static const char *const name[] = {"Max", "Min", "Mean", "Norm"};
    fprintf(d->json, "{\"type\":\"mindspore.Tensor\",\"dtype\":\"Float32\",\"shape\":[%s]", sizes);
    for (int i = 0; i < 4; i++)
        if (isfinite(figure[i]))
            fprintf(d->json, ",\"%s\":%.17g", name[i], figure[i]);
        else
            fprintf(d->json, ",\"%s\":%s", name[i], isnan(figure[i]) ? "NaN" : figure[i] > 0 ? "Infinity" : "-Infinity");
    if (!d->statistics)
        fprintf(d->json, ",\"data_name\":\"%s.%s.npy\"", call, slot);
    fputs("}", d->json);
    if (d->statistics)
        return;
    snprintf(path, sizeof path, "%s/dump_tensor_data/%s.%s.npy", d->dir, call, slot);
    FILE *f = fopen(path, "wb");
    snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': (%s,), }", sizes);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f); /* 118 bytes of header */
    fprintf(f, "%-117s\n", header);
    fwrite(v, sizeof *v, n, f);
    fclose(f);
}

/* A call with one output, and unless NULL one input of the same sizes, as in "2,8". */
static inline void tensors_pass(struct tensor_dump *d, const char *call, const char *sizes, const float *in, const float *out, size_t n)
{
    fprintf(d->json, "%s\"%s\":{", d->calls++ ? "," : "", call);
    if (in) {
        fputs("\"input_args\":[", d->json);
        tensors_row(d, call, "input.0", sizes, in, n);
        fputs("],\"input_kwargs\":{},", d->json);
    }
    fputs("\"output\":[", d->json);
    tensors_row(d, call, "output.0", sizes, out, n);
    fputs("]}", d->json);
}

/* A call with one output. */
static inline void tensors_add(struct tensor_dump *d, const char *call, const char *sizes, const float *v, size_t n)
{
    tensors_pass(d, call, sizes, NULL, v, n);
}

struct tensor_of {
    const char *sizes;
    const float *v;
    size_t n;
};

/* A call with two inputs, the second of which may be absent (v NULL). */
static inline void tensors_call(struct tensor_dump *d, const char *call, struct tensor_of a, struct tensor_of b, struct tensor_of out)
{
    fprintf(d->json, "%s\"%s\":{\"input_args\":[", d->calls++ ? "," : "", call);
    tensors_row(d, call, "input.0", a.sizes, a.v, a.n);
    if (b.v) {
        fputs(",", d->json);
        tensors_row(d, call, "input.1", b.sizes, b.v, b.n);
    }
    fputs("],\"input_kwargs\":{},\"output\":[", d->json);
    tensors_row(d, call, "output.0", out.sizes, out.v, out.n);
    fputs("]}", d->json);
}

static inline void tensors_end(struct tensor_dump *d)
{
    fputs("}}", d->json);
    fclose(d->json);
}

#endif
