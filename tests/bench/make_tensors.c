/* make_tensors DIR ROWS ELEMENTS SIDE [holes]: a msprobe dump of so many float32 tensors in .npy files; the sides
 * differ by rounding. With "holes" they are all zero and take no room on the disk. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *create(const char *dir, const char *name)
{
    char path[8192];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "wb");
    if (!f) {
        perror(path);
        exit(1);
    }
    return f;
}

static void write_npy(const char *dir, const char *name, const float *x, long n)
{
    FILE *f = create(dir, name);
    char head[118] = "";
    int used = snprintf(head, sizeof head, "{'descr': '<f4', 'fortran_order': False, 'shape': (%ld,), }", n);
    memset(head + used, ' ', sizeof head - 1 - (size_t)used);
    head[sizeof head - 1] = '\n';
    fwrite("\x93NUMPY\x01\x00v", 1, 10, f);
    fwrite(head, 1, sizeof head, f);
    if (x)
        fwrite(x, sizeof *x, (size_t)n, f);
    if ((!x && (fflush(f) || ftruncate(fileno(f), 10 + (off_t)sizeof head + n * (off_t)sizeof *x))) || fclose(f))
        exit(1);
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: make_tensors DIR ROWS ELEMENTS SIDE\n");
        return 2;
    }
    long rows = atol(argv[2]), n = atol(argv[3]);
    bool holes = argc > 5;
    float *x = malloc((holes ? 1 : (size_t)n + 1) * sizeof *x), scale = argv[4][0] == '0' ? 1 : 1 + 1e-5f;
    char dir[4000], name[100];
    uint64_t seed = 1;
    mkdir(argv[1], 0755);
    snprintf(dir, sizeof dir, "%s/dump_tensor_data", argv[1]);
    mkdir(dir, 0755);
    FILE *d = create(argv[1], "dump.json");
    fprintf(d, "{\"task\": \"tensor\", \"level\": \"L1\", \"framework\": \"mindspore\", \"dump_data_dir\": null, "
               "\"data\": {");
    for (long i = 0; i < rows && x; i++) {
        double max = holes ? 0 : -1, min = holes ? 0 : 1, sum = 0, squares = 0;
        for (long k = 0; k < n && !holes; k++) {
            seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
            x[k] = (float)((double)(seed >> 11) * 0x1p-53 - 0.5) * scale;
            max = x[k] > max ? x[k] : max;
            min = x[k] < min ? x[k] : min;
            sum += x[k];
            squares += (double)x[k] * x[k];
        }
        snprintf(name, sizeof name, "Mint.add.%ld.forward.output.0.npy", i);
        fprintf(d,
                "%s\"Mint.add.%ld.forward\": {\"input_args\": [], \"input_kwargs\": {}, \"output\": [{\"type\": "
                "\"mindspore.Tensor\", "
                "\"dtype\": \"Float32\", \"shape\": [%ld], \"Max\": %.9g, \"Min\": %.9g, \"Mean\": %.9g, \"Norm\": "
                "%.9g, "
                "\"requires_grad\": true, \"data_name\": \"%s\"}]}",
                i ? ",\n" : "", i, n, max, min, sum / (double)n, sqrt(squares), name);
        write_npy(dir, name, holes ? NULL : x, n);
    }
    fprintf(d, "}}\n");
    free(x);
    FILE *stack = create(argv[1], "stack.json"), *construct = create(argv[1], "construct.json");
    fputs("{}\n", stack);
    fputs("{}\n", construct);
    return fclose(d) || fclose(stack) || fclose(construct);
}
