/* ladder FAULT SIZE ROW...: enters one fault into a recording, in place, for tests/accuracy/ladder.
 * FAULT is scale (by 1 + SIZE), half (the last half of the last axis by 1 + SIZE), add (SIZE to every value), zero
 * (the last share SIZE of the last axis), shift (in the first share SIZE of the rows of a causal mask, or of scores
 * under it, one place more is seen), bfloat16 or float16 (a share SIZE of the values rounded to it). ROW is a
 * float32 tensor's file (.npy; .pt, whose dump.json lies one folder up), or dump.json:CALL:output:0 where only
 * figures were recorded. What was recorded later with the same bits or the same figures gets the same fault, and
 * the figures recorded beside a tensor follow it. Files are written anew, so the copy may be one of hard links.
 * Exits 3 where SIZE is less than one value. */
#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_MOST = 4096, FIGURES = 4 };

struct fault {
    const char *kind;
    double size;
};

/* a file in memory; `text` ends in a zero that is not counted */
struct bytes {
    char *text;
    size_t size;
};

struct tensor {
    char path[PATH_MOST];
    struct bytes file;
    size_t at, numel, row; /* where the values begin, how many, how many of them make a row (the last axis) */
};

/* an object { ... } of dump.json */
struct span {
    size_t from, to;
};

static const char *const figure_keys[FIGURES] = {"\"Max\": ", "\"Min\": ", "\"Mean\": ", "\"Norm\": "};

static void stop(const char *what, const char *where)
{
    fprintf(stderr, "ladder: %s: %s\n", what, where);
    exit(2);
}

static void *memory(size_t size)
{
    void *p = malloc(size);
    if (!p)
        stop("no memory", "");
    return p;
}

static struct bytes load(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END))
        stop("cannot be read", path);
    struct bytes b = {.size = (size_t)ftell(f)};
    rewind(f);
    b.text = memory(b.size + 1);
    if (fread(b.text, 1, b.size, f) != b.size)
        stop("cannot be read", path);
    b.text[b.size] = 0;
    fclose(f);
    return b;
}

static void save(const char *path, const struct bytes *b)
{
    unlink(path); /* the other link keeps what it had */
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(b->text, 1, b->size, f) != b->size || fclose(f))
        stop("cannot be written", path);
}

/* ---- dump.json as text ---- */

static size_t find(const struct bytes *b, size_t from, const char *what)
{
    const char *p = from < b->size ? strstr(b->text + from, what) : NULL;
    return p ? (size_t)(p - b->text) : SIZE_MAX;
}

static struct span object_at(const struct bytes *json, size_t at)
{
    struct span o = {at, at};
    while (o.from > 0 && json->text[o.from] != '{')
        o.from--;
    while (o.to < json->size && json->text[o.to] != '}')
        o.to++;
    return o;
}

/* Reads the four figures; says whether the object has them as numbers. */
static int figures_of(const struct bytes *json, struct span o, double figures[FIGURES])
{
    for (int i = 0; i < FIGURES; i++) {
        size_t at = find(json, o.from, figure_keys[i]);
        if (at > o.to)
            return 0;
        const char *number = json->text + at + strlen(figure_keys[i]);
        char *end;
        figures[i] = strtod(number, &end);
        if (end == number)
            return 0;
    }
    return 1;
}

static void replace(struct bytes *b, size_t from, size_t to, const char *by)
{
    size_t n = strlen(by), size = b->size - (to - from) + n;
    char *text = memory(size + 1);
    memcpy(text, b->text, from);
    memcpy(text + from, by, n);
    memcpy(text + from + n, b->text + to, b->size - to + 1);
    free(b->text);
    *b = (struct bytes){text, size};
}

static void write_figures(struct bytes *json, size_t object, const double figures[FIGURES])
{
    for (int i = 0; i < FIGURES; i++) {
        size_t from = find(json, object, figure_keys[i]) + strlen(figure_keys[i]);
        char number[40];
        snprintf(number, sizeof number, "%.17g", figures[i]);
        replace(json, from, from + strcspn(json->text + from, ",\n}"), number);
    }
}

/* how many values an object's tensor has, and how many make a row */
static size_t values_of(const struct bytes *json, struct span o, size_t *row)
{
    size_t at = find(json, o.from, "\"shape\": ["), numel = 1;
    if (at > o.to)
        stop("no shape", "dump.json");
    *row = 1;
    for (char *p = json->text + at + strlen("\"shape\": ["); *p && *p != ']';) {
        char *end;
        size_t axis = strtoul(p, &end, 10);
        if (end == p) {
            p++;
            continue;
        }
        *row = axis;
        numel *= axis;
        p = end;
    }
    return numel;
}

/* ---- the faults ---- */

static size_t share(const struct fault *f, size_t of)
{
    size_t n = (size_t)(f->size * (double)of);
    if (n < 1)
        exit(3);
    return n < of ? n : of;
}

/* to so many significant bits, as numbers whose exponent (frexp) is not less than `least` have them */
static double rounded(double x, int bits, int least)
{
    int e;
    frexp(x, &e);
    double unit = ldexp(1, (e > least ? e : least) - bits);
    return rint(x / unit) * unit;
}

static void cast_low(const struct fault *f, float *x, size_t n)
{
    int brain = strcmp(f->kind, "bfloat16") == 0;
    size_t every = n / share(f, n);
    for (size_t i = 0; i < n; i += every)
        x[i] = (float)(brain ? rounded((double)x[i], 8, -125) : rounded((double)x[i], 11, -13));
}

static void scale_half(const struct fault *f, float *x, size_t n, size_t row)
{
    for (size_t i = 0; i < n; i++)
        if (i % row >= row / 2)
            x[i] = (float)((double)x[i] * (1 + f->size));
}

static void zero_columns(const struct fault *f, float *x, size_t n, size_t row)
{
    size_t columns = share(f, row);
    for (size_t i = 0; i < n; i++)
        if (i % row >= row - columns)
            x[i] = 0;
}

/* the last place of the first row is masked: a value like it is a masked one (scores are small beside it) */
static int masked(const float *x, size_t row, size_t at)
{
    return fabsf(x[at] - x[row - 1]) < fabsf(x[row - 1]) / 2;
}

static void shift_rows(const struct fault *f, float *x, size_t n, size_t row)
{
    size_t rows = share(f, row), last = row - 1;
    for (size_t r = n / row; r-- > 0;) {
        size_t place = r * row + 1, end = r * row + last;
        while (place < end && !masked(x, row, place))
            place++;
        if (r % row < rows && masked(x, row, place) && place != last)
            x[place] = x[place - 1];
    }
}

static void spoil_values(const struct fault *f, float *x, size_t n, size_t row)
{
    if (strcmp(f->kind, "zero") == 0)
        zero_columns(f, x, n, row);
    else if (strcmp(f->kind, "shift") == 0)
        shift_rows(f, x, n, row);
    else if (strcmp(f->kind, "half") == 0)
        scale_half(f, x, n, row);
    else if (strcmp(f->kind, "scale") == 0 || strcmp(f->kind, "add") == 0)
        for (size_t i = 0; i < n; i++)
            x[i] = (float)(*f->kind == 's' ? (double)x[i] * (1 + f->size) : (double)x[i] + f->size);
    else
        cast_low(f, x, n);
}

/* What the fault does to max, min, mean and norm. A slice lost takes its share of sum and squares; of a mask, and of
 * scores under it, the masked places alone count, and each shifted row has one of those less. */
static void spoil_figures(const struct fault *f, double v[FIGURES], size_t n, size_t row)
{
    double count = (double)n;
    if (strcmp(f->kind, "scale") == 0) {
        for (int i = 0; i < FIGURES; i++)
            v[i] *= 1 + f->size;
    } else if (strcmp(f->kind, "add") == 0) {
        v[3] = sqrt(v[3] * v[3] + count * f->size * (2 * v[2] + f->size));
        for (int i = 0; i < 3; i++)
            v[i] += f->size;
    } else if (strcmp(f->kind, "zero") == 0) {
        double left = 1 - (double)share(f, row) / (double)row;
        v[2] *= left;
        v[3] *= sqrt(left);
        if (left <= 0)
            v[0] = v[1] = 0;
    } else if (strcmp(f->kind, "shift") == 0) {
        double places = rint(count * v[2] / (v[2] < 0 ? v[1] : v[0]));
        double left = 1 - (double)share(f, row) * count / (double)(row * row) / places;
        v[2] *= left;
        v[3] *= sqrt(left);
    } else {
        stop("needs the values", f->kind);
    }
}

/* ---- tensors in files ---- */

static uint32_t crc(const uint8_t *p, size_t n)
{
    uint32_t c = 0xffffffff;
    for (size_t i = 0; i < n; i++) {
        c ^= p[i];
        for (int k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
    }
    return ~c;
}

static uint32_t little(const char *p, int bytes)
{
    uint32_t v = 0;
    for (int i = bytes; i-- > 0;)
        v = v << 8 | (uint8_t)p[i];
    return v;
}

/* the entry of the zip's directory that holds the values of a torch file: NAME/data/0; or NULL */
static char *pt_entry(const struct bytes *b)
{
    for (size_t i = 0; i + 46 < b->size; i++) {
        char *e = b->text + i;
        if (memcmp(e, "PK\1\2", 4) != 0)
            continue;
        size_t name = little(e + 28, 2);
        if (name > 7 && i + 46 + name <= b->size && memcmp(e + 46 + name - 7, "/data/0", 7) == 0)
            return e;
    }
    return NULL;
}

static void locate_pt(struct tensor *t)
{
    char *e = pt_entry(&t->file);
    if (!e)
        stop("no values", t->path);
    size_t local = little(e + 42, 4);
    t->at = local + 30 + little(t->file.text + local + 26, 2) + little(t->file.text + local + 28, 2);
    t->numel = little(e + 20, 4) / sizeof(float);
}

static void locate_npy(struct tensor *t)
{
    const char *text = t->file.text;
    t->at = 10 + little(text + 8, 2);
    t->numel = (t->file.size - t->at) / sizeof(float);
    t->row = 1;
    const char *p = strstr(text + 10, "'shape': ("), *end = p ? strchr(p, ')') : NULL;
    while (p && p < end) {
        size_t n = strcspn(p, "0123456789)");
        p += n;
        if (p < end)
            t->row = strtoul(p, (char **)&p, 10);
    }
}

static int is_pt(const char *path)
{
    size_t n = strlen(path);
    return n > 3 && strcmp(path + n - 3, ".pt") == 0;
}

static int is_tensor(const char *path)
{
    size_t n = strlen(path);
    return is_pt(path) || (n > 4 && strcmp(path + n - 4, ".npy") == 0);
}

static struct tensor open_tensor(const char *path)
{
    struct tensor t = {.file = load(path)};
    snprintf(t.path, sizeof t.path, "%s", path);
    if (is_pt(path))
        locate_pt(&t);
    else
        locate_npy(&t);
    return t;
}

static void write_values(struct tensor *t, const float *x)
{
    memcpy(t->file.text + t->at, x, t->numel * sizeof *x);
    if (is_pt(t->path)) {
        char *e = pt_entry(&t->file), *local = t->file.text + little(e + 42, 4);
        uint32_t sum = crc((const uint8_t *)x, t->numel * sizeof *x);
        char *after = t->file.text + t->at + t->numel * sizeof *x;
        memcpy(e + 16, &sum, 4);
        memcpy(local + 14, &sum, 4);
        if (little(local + 6, 2) & 8 && memcmp(after, "PK\7\10", 4) == 0)
            memcpy(after + 4, &sum, 4);
    }
    save(t->path, &t->file);
}

static void measure(const float *x, size_t n, double v[FIGURES])
{
    double sum = 0, squares = 0;
    v[0] = v[1] = (double)x[0];
    for (size_t i = 0; i < n; i++) {
        double a = (double)x[i];
        v[0] = fmax(v[0], a);
        v[1] = fmin(v[1], a);
        sum += a;
        squares += a * a;
    }
    v[2] = sum / (double)n;
    v[3] = sqrt(squares);
}

/* where dump.json names a tensor's file; SIZE_MAX: nowhere */
static size_t named_at(const struct bytes *json, const char *file)
{
    char name[PATH_MOST];
    snprintf(name, sizeof name, "\"data_name\": \"%s\"", file);
    return find(json, 0, name);
}

/* when it was recorded: the place in dump.json, or the time that MindSpore writes into the name, before the slot */
static unsigned long long when(const struct bytes *json, const char *file)
{
    if (is_pt(file))
        return named_at(json, file);
    const char *slot = strstr(file, ".output.");
    slot = slot ? slot : strstr(file, ".input.");
    while (slot && slot > file && slot[-1] != '.')
        slot--;
    return slot ? strtoull(slot, NULL, 10) : 0;
}

static void follow_figures(struct bytes *json, const char *file, const float *x, size_t n)
{
    double v[FIGURES];
    size_t at = named_at(json, file);
    if (at == SIZE_MAX)
        return;
    struct span o = object_at(json, at);
    if (!figures_of(json, o, v))
        return;
    measure(x, n, v);
    write_figures(json, o.from, v);
}

static void spoil_tensor(const struct fault *f, const char *path)
{
    char folder[PATH_MOST], listing[PATH_MOST + 16];
    snprintf(folder, sizeof folder, "%s", path);
    char *file = strrchr(folder, '/');
    if (!file)
        stop("no folder", path);
    *file++ = 0;
    snprintf(listing, sizeof listing, "%s/../dump.json", folder);
    struct bytes json = is_pt(path) ? load(listing) : (struct bytes){0};
    struct tensor t = open_tensor(path);
    if (is_pt(path) && values_of(&json, object_at(&json, named_at(&json, file)), &t.row) != t.numel)
        stop("not a float32 tensor by itself", path);

    size_t size = t.numel * sizeof(float);
    float *was = memory(size), *is = memory(size);
    memcpy(was, t.file.text + t.at, size);
    memcpy(is, was, size);
    spoil_values(f, is, t.numel, t.row);

    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char other[PATH_MOST + 300];
        if (!is_tensor(e->d_name) || when(&json, e->d_name) < when(&json, file))
            continue;
        snprintf(other, sizeof other, "%s/%s", folder, e->d_name);
        struct tensor c = open_tensor(other);
        if (c.numel == t.numel && memcmp(c.file.text + c.at, was, size) == 0) {
            write_values(&c, is);
            if (is_pt(path))
                follow_figures(&json, e->d_name, is, t.numel);
        }
        free(c.file.text);
    }
    if (d)
        closedir(d);
    if (is_pt(path))
        save(listing, &json);
    free(json.text);
    free(t.file.text);
    free(was);
    free(is);
}

/* ---- figures without tensors ---- */

/* the object of CALL, "input" or "output", number: "forward" keeps inputs under input_args, "backward" under input */
static size_t row_at(const struct bytes *json, const char *call, const char *way, int number)
{
    char key[PATH_MOST];
    snprintf(key, sizeof key, "\"%s\": {", call);
    size_t at = find(json, 0, key);
    snprintf(key, sizeof key, "\"%s", way);
    at = at == SIZE_MAX ? at : find(json, at, key);
    for (int i = 0; i <= number && at != SIZE_MAX; i++)
        at = find(json, at + 1, "{");
    if (at == SIZE_MAX)
        stop("not recorded", call);
    return at;
}

static void spoil_recorded(const struct fault *f, char *path)
{
    char *call = strchr(path, ':'), *way = call ? strchr(call + 1, ':') : NULL;
    char *number = way ? strchr(way + 1, ':') : NULL;
    if (!number)
        stop("not FILE:CALL:WAY:NUMBER", path);
    *call++ = *way++ = *number++ = 0;
    struct bytes json = load(path);
    double was[FIGURES], is[FIGURES], v[FIGURES];
    size_t row, other_row, at = row_at(&json, call, way, atoi(number));
    struct span o = object_at(&json, at + 1);
    if (!figures_of(&json, o, was))
        stop("no figures", call);
    size_t n = values_of(&json, o, &row);
    memcpy(is, was, sizeof is);
    spoil_figures(f, is, n, row);
    for (at = find(&json, o.from, figure_keys[0]); at != SIZE_MAX; at = find(&json, at + 1, figure_keys[0])) {
        o = object_at(&json, at);
        if (figures_of(&json, o, v) && memcmp(v, was, sizeof v) == 0 && values_of(&json, o, &other_row) == n)
            write_figures(&json, o.from, is);
    }
    save(path, &json);
    free(json.text);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fputs("usage: ladder FAULT SIZE ROW...\n", stderr);
        return 2;
    }
    struct fault f = {argv[1], strtod(argv[2], NULL)};
    for (int i = 3; i < argc; i++) {
        if (strchr(argv[i], ':'))
            spoil_recorded(&f, argv[i]);
        else
            spoil_tensor(&f, argv[i]);
    }
    return 0;
}
