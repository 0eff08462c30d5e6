/* What is remembered of a line's words must not change what kind the next one is: each is asked beside lines that look
 * like it, and alone. */
#include "support.h"

#include "base/mem.h"
#include "log/line_kinds.h"
#include "log/log_format.h"

static const char *const lines[] = {
    "step: 12  loss: 12.27210  grad_norm:  4.2031  memory: 0.9GiB  tps: 1,024",
    "step: 1.2 loss: 12.27210  grad_norm:  4.2031  memory: 0.9GiB  tps: 1,024",
    "step:1 - actor/loss:0.1 - actor/grad_norm:np.float64(0.3)",
    "step:1 - train/lr(1e-3):0.1 - other/value:3",
    "step:1 - train/lr(1e-4):0.1 - other/value:3",
    "step:1 - other/value:0.1 - another/value:3",
    "steps: 10 loss: 5.1234 iter time (s): 1.0",
    "step=10, skipped=0, lr=[0.001], mom=[0.9]",
    "lr: 2e-05 | global_step: 9 | reduced_train_loss: 11.0",
    "step 0: {'train/loss': 0.01, 'train/grad_norm': 0.5}",
    " iteration        5/      12 | consumed samples: 40 | lm loss: 5.1E+00 | number of nan iterations:   0 |",
    " iteration        5/      1",
    " iteration        5 of    12 | consumed samples: 40 |",
    "validation loss at iteration 400 | lm loss value: 9.153210E-01 |",
    "INFO - { Epoch:[  1/  1], step:[    4/ 1200], loss: 5.205, per_step_time: 283ms, lr: 0.001",
    "INFO -    0.1% |      | 1.62661 samples/s/p  1:38:16 }",
    "{'loss': 4.9031, 'grad_norm': 1.5, 'learning_rate': 1e-05, 'epoch': 0.02}",
    "{\"current_steps\": 1, \"loss\": 2.5, \"epoch\": 0.5}",
    "{\"step\": 10, \"train/loss\": 2.5}",
    "{\"step\": 1.5, \"train/loss\": 2}",
    "{\"stop\": 10, \"train/loss\": 2.5}",
    "dump local norm:  layer.0.weight 1.25",
    "print torch local norm:",
    "norm_size: (16)",
    "grad norm 5", "5", "", "a 16 byte line 1", "a 16 byte line a",
};

static int alone(struct str line)
{
    struct line_kinds k = {0};
    int kind = line_kind(&k, line);
    line_kinds_release(&k);
    return kind;
}

static const char *name_of(int kind)
{
    return kind < 0 ? "none" : log_formats[kind].name;
}

static void same_beside_others(void **state)
{
    struct line_kinds k = {0};
    uint32_t random = 1;
    size_t records = 0;
    (void)state;
    for (size_t i = 0; i < 60000; i++) {
        char text[128];
        random = random * 1664525 + 1013904223;
        /* a few lines in turn, so that most are remembered, and other ones now and then */
        size_t from = i / 1000 * 3, which = (random >> 28 ? from + (random >> 8) % 4 : random >> 8) % ARRAY_LEN(lines);
        size_t n = strlen(lines[which]);
        for (size_t c = 0; c < n; c++) {
            random = random * 1664525 + 1013904223;
            bool digit = lines[which][c] >= '0' && lines[which][c] <= '9';
            text[c] = digit ? (char)('0' + (random >> 16) % 10) : lines[which][c];
            if (random >> 20 == 0) /* sometimes another character */
                text[c] = " ,:{|/'"[(random >> 8) % 7];
        }
        struct str line = str_n(text, n);
        int expected = alone(line), kind = line_kind(&k, line);
        if (kind != expected)
            fail_msg("\"%.*s\": %s, beside others %s", STR_ARG(line), name_of(expected), name_of(kind));
        records += kind >= 0;
    }
    line_kinds_release(&k);
    assert_true(records > 20000 && records < 59000);
}

/* The words are the same, the step's number is none: a line of text is no record, one of JSON says what is wrong. */
static void numbers_are_asked(void **state)
{
    struct line_kinds k = {0};
    (void)state;
    assert_string_equal(name_of(line_kind(&k, STR("{\"iter\": 1.0, \"loss\": 2}"))), "json-lines");
    assert_string_equal(name_of(line_kind(&k, STR("{\"iter\": 1.5, \"loss\": 2}"))), "json-lines");
    assert_string_equal(name_of(line_kind(&k, STR("step: 1.0 loss: 2.5 tps: 3"))), "step-lines");
    assert_string_equal(name_of(line_kind(&k, STR("step: 1.5 loss: 2.5 tps: 3"))), "none");
    line_kinds_release(&k);
}

static void long_lines(void **state)
{
    struct line_kinds k = {0};
    struct buf b = {0};
    (void)state;
    for (int i = 0; i < 5000; i++)
        buf_char(&b, '7');
    assert_int_equal(line_kind(&k, buf_view(&b)), -1);
    buf_cstr(&b, "step: 1 loss: 2.5 tps: 3");
    assert_string_equal(name_of(line_kind(&k, buf_view(&b))), "step-lines");
    buf_release(&b);
    line_kinds_release(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_beside_others),
        cmocka_unit_test(numbers_are_asked),
        cmocka_unit_test(long_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
