/* Writes a statistics dump as msprobe does, of any number of rows: make_dump DIR ROWS SIDE.
 * SIDE 0 and 1 hold the same model; side 0 deviates from three quarters of the calls on. Numbers differ
 * between the sides by honest rounding. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static double draw(uint64_t *s)
{
    *s = *s * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*s >> 11) / 9007199254740992.0;
}

static FILE *create(const char *dir, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    if (!f) {
        perror(path);
        exit(1);
    }
    return f;
}

static void tensor(FILE *f, const char *indent, double max, double min, double mean, double norm, int last)
{
    fprintf(f,
            "%s{\n%s \"type\": \"torch.Tensor\",\n%s \"dtype\": \"torch.float32\",\n%s \"shape\": [\n%s  4096,\n%s  "
            "1,\n%s  8192\n%s ],\n"
            "%s \"Max\": %.17g,\n%s \"Min\": %.17g,\n%s \"Mean\": %.17g,\n%s \"Norm\": %.17g,\n%s \"requires_grad\": "
            "true\n%s}%s\n",
            indent, indent, indent, indent, indent, indent, indent, indent, indent, max, indent, min, indent, mean,
            indent, norm, indent, indent, last ? "" : ",");
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: make_dump DIR ROWS SIDE\n");
        return 2;
    }
    long rows = atol(argv[2]), calls = rows / 4;
    int side = atoi(argv[3]);
    uint64_t value = 42, noise = (uint64_t)side + 7;
    static const char *const ops[] = {"linear", "layer_norm", "silu", "softmax", "add", "mul", "matmul", "dropout"};
    mkdir(argv[1], 0755);
    FILE *d = create(argv[1], "dump.json"), *s = create(argv[1], "stack.json"), *c = create(argv[1], "construct.json");
    fprintf(d, "{\n \"task\": \"statistics\",\n \"level\": \"mix\",\n \"framework\": \"pytorch\",\n \"dump_data_dir\": "
               "null,\n \"data\": {\n");
    fprintf(s, "{\n");
    fprintf(c, "{\n");
    for (long i = 0; i < calls; i++) {
        long layer = i / 40, op = i % 40;
        char name[200];
        if (op == 39)
            snprintf(name, sizeof name, "Module.module.decoder.layers.%ld.TransformerLayer.forward.0", layer);
        else
            snprintf(name, sizeof name, "Functional.%s.%ld.forward", ops[op % 8], i / 8);
        fprintf(d, "%s  \"%s\": {\n   \"input_args\": [\n", i ? ",\n" : "", name);
        for (int k = 0; k < 4; k++) {
            double m = 1 + draw(&value), e = (draw(&noise) - 0.5) * 1e-3;
            if (side == 0 && i >= calls * 3 / 4 && k == 3)
                e += 0.5;
            if (k == 3)
                fprintf(d, "   ],\n   \"input_kwargs\": {},\n   \"output\": [\n");
            tensor(d, "    ", m * (1 + e), -m * (1 + e), m * 1e-3, m * 100 * (1 + e), k >= 2);
        }
        fprintf(d, "   ]\n  }");
        if (op % 4 == 0) {
            fprintf(s, "%s \"%ld\": [\n  [\n   \"%s\"\n  ],\n  [\n", i ? ",\n" : "", i / 4, name);
            for (int k = 0; k < 8; k++)
                fprintf(s,
                        "   \"File /workspace/megatron/core/transformer/part%d.py, line %ld, in forward, \\n x = "
                        "self.part%d(x)\"%s\n",
                        k, 10 + op, k, k < 7 ? "," : "");
            fprintf(s, "  ]\n ]");
        }
        fprintf(c, "%s \"%s\": %s%s%s", i ? ",\n" : "", name, op == 39 ? "null" : "\"Module.module.decoder.layers.",
                op == 39 ? "" : "", "");
        if (op != 39)
            fprintf(c, "%ld.TransformerLayer.forward.0\"", layer);
    }
    fprintf(d, "\n }\n}");
    fprintf(s, "\n}");
    fprintf(c, "\n}");
    return fclose(d) || fclose(s) || fclose(c);
}
