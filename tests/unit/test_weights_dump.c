/* Weight files as recordings: what is said about elements that are listed and not read, or that are not what they
 * seem. */
#include "opened.h"

#include <sys/stat.h>

static bool warned(const struct dump *d, const char *part)
{
    for (size_t i = 0; i < d->warnings.n; i++)
        if (strstr(d->warnings.v[i], part))
            return true;
    return false;
}

/* A file of this header and so many bytes of data in the folder. */
static void put_safetensors(const char *dir, const char *header, size_t data)
{
    struct buf b = {0};
    size_t n = strlen(header);
    for (int i = 0; i < 8; i++)
        buf_char(&b, (char)(n >> (8 * i)));
    buf_cstr(&b, header);
    for (size_t i = 0; i < data; i++)
        buf_char(&b, 1);
    put_bytes(dir, "x.safetensors", b.p, b.n);
    buf_release(&b);
}

static void safetensors(struct opened *o, const char *header, size_t data)
{
    const char *dir = scratch();
    char path[500];
    put_safetensors(dir, header, data);
    snprintf(path, sizeof path, "%s/x.safetensors", dir);
    if (open_as(o, path, "safetensors"))
        fail_msg("%s", o->e.text);
}

static void packed(void **state)
{
    static const struct {
        const char *header;
        bool packed;
    } cases[] = {
        {"{\"a.qweight\":{\"dtype\":\"I32\",\"shape\":[4],\"data_offsets\":[0,16]}}", true},
        {"{\"a.weight_packed\":{\"dtype\":\"I32\",\"shape\":[4],\"data_offsets\":[0,16]}}", true},
        {"{\"a.qweight\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}", false},
        {"{\"a.weight\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]},"
         "\"a.weight.quant_state.bitsandbytes__nf4\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[8,16]}}", true},
        {"{\"a.weight\":{\"dtype\":\"U8\",\"shape\":[16],\"data_offsets\":[0,16]}}", false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct opened o;
        safetensors(&o, cases[i].header, 16);
        if (warned(&o.d, "1 tensors hold packed low-bit integers") != cases[i].packed)
            fail_msg("%s", cases[i].header);
        shut_opened(&o);
    }
}

static void unread(void **state)
{
    struct opened o;
    (void)state;
    safetensors(&o, "{\"a\":{\"dtype\":\"F4\",\"shape\":[32],\"data_offsets\":[0,16]}}", 16);
    assert_int_equal(o.d.problems.n, 1);
    assert_int_equal(o.d.problems.v[0].row, 0);
    assert_string_equal(o.d.problems.v[0].kind, PROBLEM_UNREAD);
    assert_non_null(strstr(o.d.problems.v[0].text, "elements of type F4 are listed, not read"));
    shut_opened(&o);
}

/* Values of a step or a model's weights, by names and shapes; tensors of two axes are either. */
static void values_or_weights(void **state)
{
    static const struct {
        const char *names[5];
        int shape[5][2]; /* 0: no such axis */
        bool values;
    } cases[] = {
        {{"model.embed_tokens", "model.layers.0.mlp.down_proj", "lm_head"}, {{7, 4}, {7, 4}, {7, 9}}, true},
        {{"layer1", "layer2", "logits"}, {{7, 4}, {7, 8}, {7, 4}}, true},
        {{"old_log_probs", "response_mask", "rewards"}, {{7, 4}, {7, 4}, {7, 4}}, false},
        {{"layers.0.input_layernorm", "layers.1.input_layernorm", "layers.1.x"}, {{4, 4}, {4, 4}, {4, 4}}, true},
        {{"logits"}, {{3, 9}}, true},
        {{"emb_npu"}, {{3, 9}}, true},
        /* a width that is the first axis of some and the last of others */
        {{"q", "k", "down", "up", "b"}, {{4, 4}, {4, 4}, {4, 8}, {8, 4}, {4, 0}}, false},
        {{"a.weight", "b.weight", "c.weight"}, {{7, 4}, {7, 4}, {7, 4}}, false},
        {{"embedding_weight"}, {{3, 9}}, false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct opened o;
        struct buf head = {0};
        size_t data = 0;
        for (size_t k = 0; k < 5 && cases[i].names[k]; k++) {
            const int *n = cases[i].shape[k];
            size_t from = data;
            data += 4 * (size_t)n[0] * (size_t)(n[1] ? n[1] : 1);
            buf_fmt(&head, "%c\"%s\":{\"dtype\":\"F32\",\"shape\":[%d", k ? ',' : '{', cases[i].names[k], n[0]);
            if (n[1])
                buf_fmt(&head, ",%d", n[1]);
            buf_fmt(&head, "],\"data_offsets\":[%zu,%zu]}", from, data);
        }
        buf_char(&head, '}');
        safetensors(&o, head.p, data);
        if ((strcmp(o.d.reader->name, "activations") == 0) != cases[i].values)
            fail_msg("%s: %s", cases[i].names[0], o.d.reader->name);
        shut_opened(&o);
        buf_release(&head);
    }
}

static size_t tellings;

static void count_telling(void *ctx)
{
    (void)ctx;
    tellings++;
}

/* Copies on other ranks are read whole: the share that was read says so, and progress is told meanwhile. */
static void copies_are_told(void **state)
{
    struct opened o = {.load = {.lock = NULL}};
    char rank[500];
    const char *dir = scratch();
    size_t numel = 8u << 20;
    struct buf head = {0};
    (void)state;
    buf_fmt(&head, "{\"model.norm.weight\":{\"dtype\":\"F32\",\"shape\":[%zu],\"data_offsets\":[0,%zu]}}", numel,
            4 * numel);
    for (int r = 0; r < 2; r++) {
        snprintf(rank, sizeof rank, "%s/mp_rank_%02d", dir, r);
        mkdir(rank, 0755);
        put_safetensors(rank, head.p, 4 * numel);
    }
    if (find_recordings(dir, &o.places, &o.e))
        fail_msg("%s", o.e.text);
    dump_init(&o.d);
    place_set(&o.d, &o.places.v[0]);
    o.load.progress = count_telling;
    assert_int_equal(o.places.v[0].reader->open(&o.d, &o.load, &o.e), 0);
    assert_int_equal(o.d.bytes, 2 * 4 * numel);
    assert_int_equal(o.d.bytes_done, o.d.bytes);
    assert_true(tellings >= 4);
    dump_release(&o.d);
    place_list_release(&o.places);
    buf_release(&head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(packed), cmocka_unit_test(unread),
                                       cmocka_unit_test(values_or_weights), cmocka_unit_test(copies_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
