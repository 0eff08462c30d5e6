/* Training logs: every kind's real lines, runs that were resumed, ranks, damage, and what only pretends to be a log. */
#include "support.h"
#include "written.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/json_read.h"
#include "log/log_check.h"
#include "report/log_output.h"

static struct series s;

static void load(const char *path)
{
    struct err e;
    if (series_open(&s, path, NULL, &e))
        fail_msg("%s", e.text);
}

static char dir[256];

/* A file of this test with these bytes. */
static const char *put_n(const char *name, const char *text, size_t n)
{
    if (!*dir)
        snprintf(dir, sizeof dir, "%s", scratch());
    return put_bytes(dir, name, text, n);
}

static const char *put(const char *name, const char *text)
{
    return put_n(name, text, strlen(text));
}

static void load_text(const char *text)
{
    load(put("x.log", text));
}

static double value(int64_t step, enum log_value v)
{
    const struct log_record *r = series_at(&s, step);
    if (!r || !log_has(r, v))
        fail_msg("step %lld has no value %d", (long long)step, (int)v);
    return r ? r->value[v] : 0;
}

static bool noted(const char *part)
{
    for (size_t i = 0; i < s.notes.n; i++)
        if (strstr(s.notes.v[i], part))
            return true;
    return false;
}

static bool unread(const char *part)
{
    for (size_t i = 0; i < s.unread.n; i++)
        if (strstr(s.unread.v[i].text, part))
            return true;
    return false;
}

static const struct log_point *point(const char *tag, const char *name, int64_t step)
{
    for (size_t i = 0; i < s.names.n; i++)
        if (strcmp(s.names.v[i].tag, tag) == 0 && strcmp(s.names.v[i].name, name) == 0)
            for (size_t k = 0; k < s.names.v[i].n; k++)
                if (s.points.v[s.names.v[i].first + k].step == step)
                    return &s.points.v[s.names.v[i].first + k];
    return NULL;
}

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * (1 + fabs(b))))
        fail_msg("%.17g, %.17g expected", a, b);
}

/* ---- real files ---- */

/* Each line of the collection by itself, against what was written down when it was printed. */
static void variants(void **state)
{
    struct err e;
    struct buf text = {0};
    (void)state;
    cJSON *want = json_load(sample("logs/EXPECTED.json"), 1 << 20, &e);
    assert_non_null(want);
    assert_int_equal(file_slurp(sample("logs/variants.log"), 1 << 20, &text, &e), 0);
    struct str rest = buf_view(&text), line;
    for (const cJSON *w = want->child; w; w = w->next) {
        struct buf one = {0};
        double x;
        assert_true(str_split(rest, '\n', &line, &rest));
        buf_str(&one, line);
        buf_char(&one, '\n');
        load_text(one.p);
        buf_release(&one);
        const cJSON *loss = cJSON_GetObjectItem(w, "loss"), *norm = cJSON_GetObjectItem(w, "grad_norm");
        const cJSON *name = cJSON_GetObjectItem(w, "name"), *step = cJSON_GetObjectItem(w, "step");
        if (cJSON_GetObjectItem(w, "not_training")) {
            assert_int_equal(s.records.n, 0);
            assert_non_null(point("eval", "lm loss", 400));
        } else if (name) {
            const struct log_point *p = point("local_norm", name->valuestring, 1);
            assert_non_null(p);
            assert_true(fabs(p->value - cJSON_GetObjectItem(w, "value")->valuedouble) < 1e-6);
        } else {
            const struct log_record *r = series_at(&s, (int64_t)step->valuedouble);
            assert_non_null(r);
            assert_int_equal(r->line, 1);
            assert_int_equal(log_has(r, LOG_LOSS), !cJSON_IsNull(loss));
            if (json_number(loss, &x))
                near(r->value[LOG_LOSS], x);
            else if (!cJSON_IsNull(loss))
                assert_true(isnan(r->value[LOG_LOSS]));
            if (norm)
                assert_int_equal(log_has(r, LOG_NORM), !cJSON_IsNull(norm));
            if (json_number(norm, &x))
                assert_true(fabs(r->value[LOG_NORM] - x) < 1e-6);
            assert_int_equal(log_skipped(r), cJSON_GetObjectItem(w, "skipped") != NULL);
            if (cJSON_GetObjectItem(w, "overflow"))
                assert_true(r->overflow && (r->has & LOG_HAS_OVERFLOW));
            cJSON *extra = cJSON_GetObjectItem(w, "load_balancing_loss");
            if (extra)
                near(point("loss", "load_balancing_loss", r->step)->value, extra->valuedouble);
        }
        series_release(&s);
    }
    cJSON_Delete(want);
    buf_release(&text);
}

static void step_list(const cJSON *want, const struct series *x, bool skipped)
{
    size_t n = 0, k = 0;
    for (const cJSON *w = want->child; w; w = w->next, n++) {
        const struct log_record *r = series_at(x, (int64_t)w->valuedouble);
        assert_non_null(r);
        assert_true(skipped ? log_skipped(r) : r->overflow);
    }
    for (size_t i = 0; i < x->records.n; i++)
        k += skipped ? log_skipped(&x->records.v[i]) : x->records.v[i].overflow;
    assert_int_equal(k, n);
}

/* A float16 pair with skipped steps and a NaN: the figures of the standard as independent code computed them. */
static void pair(void **state)
{
    struct err e;
    struct series g;
    double d = 0, norm = 0;
    size_t usable = 0, norms = 0;
    (void)state;
    cJSON *want = json_load(sample("logs/nan/EXPECTED.json"), 1 << 20, &e);
    load(sample("logs/nan/benchmark"));
    g = s;
    load(sample("logs/nan/mindformers"));
    assert_string_equal(g.format, "megatron-log");
    assert_true(g.lr_is_next && g.loss_is_mean && !s.lr_is_next);
    assert_string_equal(s.format, "mindformers-log");
    assert_string_equal(s.framework, "mindspore");
    near(s.digit[LOG_LOSS], 1e-6);
    near(g.digit[LOG_NORM], 1e-3);
    for (size_t i = 0; i < s.records.n; i++) {
        const struct log_record *t = &s.records.v[i], *r = series_at(&g, t->step);
        assert_non_null(r);
        if (log_has(t, LOG_LOSS) && log_has(r, LOG_LOSS) && isfinite(t->value[LOG_LOSS]) &&
            isfinite(r->value[LOG_LOSS]) && !log_skipped(r)) {
            d += fabs(t->value[LOG_LOSS] - r->value[LOG_LOSS]);
            usable++;
        }
        if (log_has(r, LOG_NORM) && isfinite(t->value[LOG_NORM]) && isfinite(r->value[LOG_NORM])) {
            norm += fabs(t->value[LOG_NORM] - r->value[LOG_NORM]) / r->value[LOG_NORM];
            norms++;
        }
    }
    assert_int_equal(s.records.n, cJSON_GetObjectItem(want, "steps_compared")->valueint);
    assert_int_equal(usable, cJSON_GetObjectItem(want, "steps_usable")->valueint);
    near(d / (double)usable, cJSON_GetObjectItem(cJSON_GetObjectItem(want, "loss"), "mean_abs")->valuedouble);
    near(norm / (double)norms, cJSON_GetObjectItem(cJSON_GetObjectItem(want, "global_norm"), "mean_rel")->valuedouble);
    step_list(cJSON_GetObjectItem(want, "skipped_benchmark"), &g, true);
    step_list(cJSON_GetObjectItem(want, "overflow_mindformers"), &s, false);
    struct log_check c;
    log_check_run(&c, &s);
    assert_true(c.problems.n > 200 && c.problems.v[0].step == 640 && strcmp(c.problems.v[0].kind, "nan") == 0);
    assert_non_null(strstr(c.problems.v[0].text, "worker_0.log, line 1282"));
    log_check_release(&c);
    cJSON_Delete(want);
    series_release(&g);
    series_release(&s);
}

/* The same run as Trainer prints it, as it saves it, and as LLaMA-Factory logs it. */
static void trainer(void **state)
{
    static const char *const name[] = {"logs/hf/trainer_state.json", "logs/hf/trainer_log.jsonl",
                                       "logs/hf/hf_stdout.log"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        load(sample(name[i]));
        assert_int_equal(s.records.n, 120);
        near(value(i == 2 ? 2 : 20, LOG_LOSS), 4.4535);
        near(value(i == 2 ? 120 : 1200, LOG_EPOCH), 2);
        assert_int_equal(s.stepless, i == 2);
        assert_int_equal(s.interval, i == 2 ? 1 : 10);
        assert_true(i == 2 || noted("mean over 10 steps"));
        assert_int_equal(log_has(&s.records.v[0], LOG_NORM), i != 1);
        near(s.digit[LOG_LOSS], 1e-4);
        series_release(&s);
    }
    load(sample("logs/hf"));
    assert_string_equal(s.format, "trainer-state");
    assert_true(noted(", not read: 2"));
    series_release(&s);
    load(sample("logs/state/trainer_state.json"));
    assert_int_equal(s.records.n, 240);
    assert_false(log_has(&s.records.v[0], LOG_NORM));
    assert_int_equal(s.records.v[0].line, 10);
    series_release(&s);
}

static void ranks(void **state)
{
    (void)state;
    load(sample("logs/ranks"));
    assert_int_equal(s.files.n, 8);
    near(value(1, LOG_LOSS), 5.622645);
    assert_true(noted("the loss is taken from rank 7") && noted("not counted: 4"));
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(s.files.v[i].used, s.files.v[i].rank == 7);
    assert_string_equal(path_base(str_of(s.files.v[s.records.v[0].file].path)).p, "worker_7.log");
    series_release(&s);
}

static void norms(void **state)
{
    (void)state;
    load(sample("logs/norms/mindspore_print_local_norm.log"));
    assert_int_equal(s.names.n, 21);
    near(point("local_norm", "lm_head.weight", 2)->value, 1.242140531539917);
    assert_true(noted("they are numbered in order"));
    series_release(&s);
    load(sample("logs/norms/wrapper_local_norm_squares.log"));
    assert_int_equal(s.names.n, 21);
    near(point("local_norm", "#1", 1)->value, 4.3856786e-03);
    assert_true(s.names.v[0].square && s.names.v[0].elements == 8192 && s.names.v[20].elements == 8192);
    series_release(&s);
    /* the lists stand before the step they belong to */
    load(sample("logs/aligned/benchmark"));
    near(point("local_norm", "#0", 1)->value, 1.3666);
    near(point("local_norm", "#0", 2)->value, 0.8771);
    assert_null(point("local_norm", "#0", 3));
    series_release(&s);
    load(sample("logs/aligned/mindformers"));
    assert_int_equal(point("local_norm", "model.tok_embeddings.embedding_weight", 1)->line, 4);
    assert_string_equal(s.format, "mindformers-log");
    assert_true(noted("tensorboard"));
    series_release(&s);
    load(sample("logs/monitor"));
    assert_string_equal(s.format, "msprobe-monitor");
    assert_true(s.names.n == 21 && s.points.n == 42 && !s.records.n);
    near(point("local_norm", "model.tok_embeddings.embedding_weight", 1)->value, 0.938271);
    series_release(&s);
    load(sample("msprobe_checks/monitor")); /* modules without a gradient have no values */
    assert_int_equal(s.names.n, 186);
    assert_null(point("actv_grad.norm", "fc1.input", 0));
    near(point("actv_grad.norm", "norm.input", 0)->value, 0.342509);
    assert_true(noted("msprobe-anomalies"));
    series_release(&s);
    load(sample("msprobe_checks/monitor_tb"));
    near(point("local_norm", "fc1.weight", 0)->value, (float)0.992166);
    near(point("actv_grad.norm", "norm.input", 0)->value, (float)0.342509);
    series_release(&s);
    load(sample("msprobe_checks/monitor/anomaly_detected/rank0"));
    assert_string_equal(s.format, "msprobe-anomalies");
    series_release(&s);
    load(sample("msprobe_checks/monitor/anomaly_detected/rank0/anomaly.json"));
    assert_string_equal(s.format, "msprobe-anomalies");
    assert_true(s.names.n == 41 && !s.records.n);
    near(point("grad_unreduced.mean", "fc1.bias", 1)->value, 8.149072527885437e-09);
    assert_true(noted("rule AnomalyTurbulence violated 107 times"));
    series_release(&s);
    load(sample("wandb/run-x3judqbi.wandb"));
    assert_string_equal(s.format, "wandb");
    assert_string_equal(s.unit, "record");
    assert_true(s.records.n == 300 && !s.unread.n);
    near(value(1, LOG_LOSS), 3); /* by the training's own step, not by W&B's counter from 0 */
    near(value(300, LOG_LR), 1e-3 * 299 / 300);
    assert_true(isnan(value(201, LOG_LOSS)));
    series_release(&s);
}

/* Appends a field of bytes as protobuf has it. */
static void put_field(struct buf *b, char tag, struct str bytes)
{
    buf_char(b, tag);
    buf_char(b, (char)bytes.n);
    buf_str(b, bytes);
}

/* One record of history in W&B's file: verl's values of step 7. */
static void wandb_of_rl(void **state)
{
    static const char *const values[][2] = {{"_step", "7"}, {"actor/pg_loss", "0.5"}, {"actor/ppo_kl", "0.0125"}};
    struct buf history = {0}, record = {0}, file = {0};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        struct buf item = {0}, json = {0};
        put_field(&item, 1 << 3 | 2, str_of(values[i][0]));
        put_field(&json, 0x01, str_of(values[i][1])); /* the tag of field 16 takes two bytes */
        buf_char(&item, (char)0x82);
        buf_str(&item, buf_view(&json));
        put_field(&history, 1 << 3 | 2, buf_view(&item));
        buf_release(&item);
        buf_release(&json);
    }
    buf_char(&record, 1); /* a whole one */
    put_field(&record, 2 << 3 | 2, buf_view(&history));
    uint32_t sum = (uint32_t)crc32(crc32(0, NULL, 0), (const Bytef *)record.p, (uInt)record.n);
    size_t n = record.n - 1;
    buf_str(&file, str_n(":W&B\xe1\xbe\0", 7));
    for (int i = 0; i < 4; i++)
        buf_char(&file, (char)(sum >> 8 * i));
    buf_char(&file, (char)n);
    buf_char(&file, (char)(n >> 8));
    buf_str(&file, buf_view(&record));
    load(put_n("run-rl.wandb", file.p, file.n));
    near(value(7, LOG_LOSS), 0.5);
    near(point("update_kl", "actor/ppo_kl", 7)->value, 0.0125);
    series_release(&s);
    buf_release(&history);
    buf_release(&record);
    buf_release(&file);
}

static void tensorboard(void **state)
{
    struct log_options o = {.tensorboard = true};
    struct err e;
    (void)state;
    assert_int_equal(series_open(&s, sample("logs/aligned/mindformers"), &o, &e), 0);
    assert_string_equal(s.format, "tensorboard");
    assert_string_equal(s.unit, "record");
    near(value(1, LOG_LOSS), 5.622645378112793);
    near(value(1, LOG_NORM), 2.631972551345825);
    near(point("local_norm", "model.tok_embeddings.embedding_weight", 1)->value, 1.1697911024093628);
    assert_true(unread("ends inside a record"));
    series_release(&s);
    load(sample("logs/tb_tensor")); /* the newer form, one float in a tensor */
    near(value(1, LOG_LOSS), 5.62275505065918);
    near(value(2, LOG_SCALE), 1);
    assert_true(s.lr_is_next);
    series_release(&s);
    struct buf b = {0};
    assert_int_equal(file_slurp(sample("logs/tb_tensor/events.out.tfevents.1748941927.node0.4021.0"), 1 << 20, &b, &e),
                     0);
    b.p[400] ^= 1; /* inside a record: it is left out */
    load(put_n("events", b.p, b.n));
    assert_true(unread("wrong checksum") || unread("is damaged"));
    series_release(&s);
    b.p[3] ^= 1; /* the first length: no event file, and no text either */
    assert_int_equal(series_open(&s, put_n("events", b.p, b.n), NULL, &e), -1);
    assert_non_null(strstr(e.text, "events"));
    series_release(&s);
    buf_release(&b);
}

/* ---- what happens to logs ---- */

#define ITER(n, loss) \
    "iteration " n "/ 100 | learning rate: 1.0E-03 | lm loss: " loss \
    " | grad norm: 1.5 | number of skipped iterations:   0 | number of nan iterations:   0 |\n"

static void resumed(void **state)
{
    (void)state;
    load_text(ITER("1", "5.0") ITER("2", "4.0") ITER("3", "3.0") "restarted\n" ITER("2", "4.5") ITER("3", "3.5")
                  ITER("4", "2.5"));
    assert_int_equal(s.records.n, 4);
    near(value(2, LOG_LOSS), 4.5);
    assert_int_equal(series_at(&s, 2)->line, 5);
    assert_true(noted("line 5: the run was resumed at step 2, after it had reached 3"));
    series_release(&s);
    /* what the first run printed beyond is not lost */
    load_text(ITER("1", "5.0") ITER("2", "4.0") ITER("3", "3.0") ITER("1", "5.5"));
    assert_int_equal(s.records.n, 3);
    near(value(1, LOG_LOSS), 5.5);
    near(value(3, LOG_LOSS), 3.0);
    series_release(&s);
    /* the same lines twice are no resumed run */
    load_text(ITER("1", "5.0") ITER("2", "4.0") ITER("1", "5.0") ITER("2", "4.0"));
    assert_false(noted("resumed"));
    assert_true(noted("2 steps are printed more than once, with the same values"));
    series_release(&s);
    /* in parts, by the time in them */
    *dir = 0; /* a folder of its own */
    put("b.log", "[2025-06-03 09:00:00] " ITER("1", "5.0") ITER("2", "4.0"));
    const char *p = put("a.log", "[2025-06-03 10:00:00] " ITER("2", "4.5") ITER("3", "3.5"));
    struct buf folder = {0};
    buf_str(&folder, path_parent(str_of(p)));
    load(folder.p);
    assert_int_equal(s.records.n, 3);
    near(value(2, LOG_LOSS), 4.5);
    assert_true(noted("a.log: the run was resumed at step 2, after it had reached 2"));
    series_release(&s);
    buf_release(&folder);
    /* without steps: by the epoch */
    load_text("{'loss': 3.0, 'epoch': 0.1}\n{'loss': 2.0, 'epoch': 0.2}\n{'loss': 1.0, 'epoch': 0.3}\n{'loss': 2.5, "
              "'epoch': 0.2}\n{'loss': 1.5, 'epoch': 0.3}\n");
    assert_int_equal(s.records.n, 3);
    near(value(2, LOG_LOSS), 2.5);
    near(value(3, LOG_LOSS), 1.5);
    assert_true(noted("resumed at step 2, after it had reached 3") && noted("no step numbers"));
    series_release(&s);
}

static void pipeline_in_one_file(void **state)
{
    (void)state;
    load_text("Epoch:[1/1], step:[1/9], loss: 5.5, lr: 0.1, overflow cond: False, loss_scale: 1.0, global_norm: [1.0]\n"
              "Epoch:[1/1], step:[1/9], loss: 0.0, lr: 0.1, overflow cond: False, loss_scale: 1.0, global_norm: [1.0]\n"
              "Epoch:[1/1], step:[2/9], loss: 0.0, lr: 0.1, overflow cond: False, loss_scale: 1.0, global_norm: [1.0]\n"
              "Epoch:[1/1], step:[2/9], loss: 4.5, lr: 0.1, overflow cond: False, loss_scale: 1.0, global_norm: "
              "[1.0]\n");
    near(value(1, LOG_LOSS), 5.5);
    near(value(2, LOG_LOSS), 4.5);
    assert_true(noted("2 steps have a zero loss beside a nonzero one"));
    series_release(&s);
}

static void wrapped(void **state)
{
    static const char line[] = "[default7]: [2025-06-03 09:28:24] " ITER("7", "5.028652E+00");
    static const char mf[] =
        "2025-06-03 09:44:41,406 - mindformers[a.py:529] - INFO - { Epoch:[  2/  2], step:[    4/ 1200], loss: 5.205, "
        "per_step_time: 283ms, lr: 0.001, "
        "overflow cond: False, loss_scale: 1.0, global_norm: [1.9597309], train_throughput_per_npu: 10.204T\n";
    (void)state;
    /* wherever a terminal may have broken the line behind its head */
    for (size_t at = 46; at + 1 < sizeof line - 1; at++) {
        struct buf b = {0};
        buf_add(&b, line, at);
        buf_char(&b, '\n');
        buf_cstr(&b, line + at);
        load_text(b.p);
        near(value(7, LOG_LOSS), 5.028652);
        near(value(7, LOG_NORM), 1.5);
        series_release(&s);
        buf_release(&b);
    }
    for (size_t at = 66; at + 1 < sizeof mf - 1; at++) {
        struct buf b = {0};
        buf_add(&b, mf, at);
        buf_char(&b, '\n');
        buf_cstr(&b, mf + at);
        buf_cstr(&b, "2025-06-03 09:44:41,406 - mindformers - INFO -    0.1% |   | 0.74243 samples/s/p  3:35:19 }\n");
        load_text(b.p);
        near(value(1204, LOG_LOSS), 5.205);
        near(value(1204, LOG_SCALE), 1);
        near(value(1204, LOG_NORM), 1.9597309);
        series_release(&s);
        buf_release(&b);
    }
    /* a record that was cut off by the next one: what is whole of it counts, half a number does not */
    load_text("iteration 1/ 9 | learning rate: 1.0E-03 | lm loss: 5.18\n" ITER("2", "4.0"));
    assert_true(log_has(series_at(&s, 1), LOG_LR));
    assert_false(log_has(series_at(&s, 1), LOG_LOSS));
    near(value(2, LOG_LOSS), 4);
    series_release(&s);
    load_text("Epoch:[1/1], step:[1/9], loss:[5.623/5.623], lr:[2.45e-06], overflow cond: True, loss_scale: 1638");
    near(value(1, LOG_LR), 2.45e-06);
    assert_true(series_at(&s, 1)->overflow);
    series_release(&s);
}

static void terminals(void **state)
{
    (void)state;
    load_text("\x1b[32m[2025-06-03 09:28:24]\x1b[0m itera\x1b]0;title\x07tion 7/ 100 | lm \x1b[1;31mloss: 5.0\x1b[0m | "
              "number of skipped iterations: 0 | number of nan iterations: 0 |\r\n"
              "  1%|#         | 1/100 [00:01<01:00]\r  2%|#         | 2/100\r" ITER("8", "4.0"));
    near(value(7, LOG_LOSS), 5);
    near(value(8, LOG_LOSS), 4);
    assert_int_equal(series_at(&s, 8)->line, 2);
    series_release(&s);
    load_text("  1%| | 1/9 [00:01<00:09]\r{'loss': '2.5', 'grad_norm': '0.5', 'learning_rate': '1e-05', 'epoch': "
              "'0.11'}   2%| | 2/9\n{'eval_loss': 2.25, 'epoch': 0.11}\n");
    near(value(1, LOG_LOSS), 2.5);
    near(point("eval", "eval_loss", 1)->value, 2.25);
    series_release(&s);
}

static void jsonl(void **state)
{
    (void)state;
    load_text("{\"loss\": 2.5, \"grad_norm\": NaN, \"global_step/max_steps\": \"10/100\", \"epoch\": "
              "0.1}\n{\"current_steps\": 20, \"loss\": 2.0, \"lr\": 1e-05}\n{\"current_steps\": 30, \"loss\":");
    assert_int_equal(s.records.n, 2);
    assert_true(isnan(value(10, LOG_NORM)));
    near(value(20, LOG_LR), 1e-5);
    series_release(&s);
}

/* Means of the difference between trainer and rollout engine, as slime, TRL and NeMo RL log them. */
static void rollout_metrics(void **state)
{
    (void)state;
    load_text("step 3: {'train/loss': 0.5, 'train/train_rollout_logprob_abs_diff': 0.25, 'train/grad_norm': 1.0}\n");
    near(point("rollout", "train/train_rollout_logprob_abs_diff", 3)->value, 0.25);
    series_release(&s);
    load_text("{'loss': '0.5', 'grad_norm': '1', 'sampling/sampling_logp_difference/mean': '0.02', 'epoch': '1'}\n");
    near(point("rollout", "sampling/sampling_logp_difference/mean", 1)->value, 0.02);
    series_release(&s);
    load_text("{\"train/token_mult_prob_error\": 1.5, \"train/loss\": 0.5, \"step\": 4}\n");
    near(point("rollout", "train/token_mult_prob_error", 4)->value, 1.5);
    series_release(&s);
    /* KL, clip fraction and advantage: of verl, of TRL, of a table of any tool */
    load_text("step:2 - actor/pg_loss:0.5 - actor/ppo_kl:np.float64(0.0125) - actor/pg_clipfrac:0.25 - "
              "actor/kl_loss:1e-3 - actor/grad_norm:1.0 - critic/advantages/mean:-0.5 - timing_s/step:2\n");
    near(point("update_kl", "actor/ppo_kl", 2)->value, 0.0125);
    near(point("clip_fraction", "actor/pg_clipfrac", 2)->value, 0.25);
    near(point("reference_kl", "actor/kl_loss", 2)->value, 1e-3);
    near(point("advantage", "critic/advantages/mean", 2)->value, -0.5);
    series_release(&s);
    load_text("{'loss': '0.5', 'kl': '0.0037', 'clip_ratio/region_mean': '0.031', 'epoch': '1'}\n");
    near(point("reference_kl", "kl", 1)->value, 0.0037);
    near(point("clip_fraction", "clip_ratio/region_mean", 1)->value, 0.031);
    series_release(&s);
    load_text("{\"actor/ppo_kl\": NaN, \"actor/pg_loss\": 0.5, \"step\": 4}\n");
    assert_true(isnan(point("update_kl", "actor/ppo_kl", 4)->value));
    series_release(&s);
}

static void monitor_v2(void **state)
{
    (void)state;
    load(put("weight_grad_step0-1.csv",
             "vpp_stage,step,module_name,scope,min,max,mean,norm,nans\n0,0,a.weight,unreduced,-1,1,0,2.5,0\n0,0,a."
             "weight,reduced,-1,1,0,1.5,0\n"
             "1,0,a.weight,reduced,-1,1,0,nan,3\n0,99999999999999999999,a.weight,reduced,1,1,1,1,1\n"));
    near(point("local_norm", "a.weight", 0)->value, 1.5);
    assert_true(isnan(point("local_norm", "vpp1:a.weight", 0)->value));
    near(point("weight_grad.norm/unreduced", "a.weight", 0)->value, 2.5);
    assert_int_equal(s.unread.n, 1);
    assert_non_null(strstr(s.unread.v[0].text, "with an invalid step"));
    series_release(&s);
    load(sample("msprobe_checks/monitor_v2")); /* stage -1, micro step 1 */
    near(point("local_norm", "fc1.weight", 0)->value, 0.9921658635139465);
    series_release(&s);
    load(put("weight_grad_step0-1.csv",
             "vpp_stage,step,module_name,scope,micro_step,norm,nans\n1,0,1:a,reduced,4,1.5,0\n"
             "0,0,a,unreduced,2,2.5,0\n0,0,b,unreduced,1,nan,nan\n"));
    near(point("local_norm", "vpp1:a", 0)->value, 1.5);
    near(point("weight_grad.norm/unreduced", "a@2", 0)->value, 2.5);
    assert_null(point("weight_grad.norm/unreduced", "b", 0));
    series_release(&s);
}

/* Its writer ends every line: a last figure without an end may be the beginning of one. */
static void monitor_cut(void **state)
{
    static const char table[] = "vpp_stage,name,step,norm\n0,a.weight,0,1.5\n0,b.weight,0,0.373847\n";
    (void)state;
    for (size_t cut = 1; cut < 8; cut++) {
        load(put_n("grad_reduced_0-0.csv", table, sizeof table - 1 - cut));
        assert_int_equal(s.points.n, 1);
        assert_true(unread("1 record is incomplete at the end of the file, line 3"));
        series_release(&s);
    }
    load(put_n("grad_reduced_0-0.csv", "vpp_stage,name,step,norm\n0,a.weight,0,1.5", 41)); /* all there is */
    assert_int_equal(s.points.n, 1);
    series_release(&s);
}

/* ---- hostile ---- */

static void hostile(void **state)
{
    struct err e;
    struct buf b = {0};
    (void)state;
    load_text(ITER("1", "nan") ITER("99999999999999999999999999", "1.0") ITER("2", "1e999")
                  ITER("3", "-inf") "Epoch:[99999999999/ 1], step:[99999999999/ 99999999999], loss: 1.0, lr: 1, "
                                    "loss_scale: 1.0, global_norm: [1]\n" ITER("4", "1.0e"));
    assert_true(isnan(value(1, LOG_LOSS)));
    assert_true(isinf(value(2, LOG_LOSS)) && value(3, LOG_LOSS) < 0);
    assert_int_equal(s.records.n, 3); /* "1.0e" is no number, and not the NaN that Megatron omits */
    assert_int_equal(s.unread.n, 2);
    assert_non_null(strstr(s.unread.v[0].text, "expected a number, found \"1.0e\""));
    assert_non_null(strstr(s.unread.v[1].text, "with an invalid step"));
    series_release(&s);
    /* a line of 20 MB, NUL bytes, then a record */
    buf_reserve(&b, 20 << 20);
    memset(b.p, 'x', 20 << 20);
    b.n = 20 << 20;
    buf_add(&b, "\n\0\0abc\n", 7);
    buf_cstr(&b, ITER("5", "1.5"));
    load(put_n("long.log", b.p, b.n));
    near(value(5, LOG_LOSS), 1.5);
    assert_int_equal(series_at(&s, 5)->line, 3);
    assert_true(noted("longer than 1 MB") && noted("NUL bytes"));
    series_release(&s);
    /* many lists that do not end, many heads that do not */
    buf_clear(&b);
    for (int i = 0; i < 60000; i++)
        buf_cstr(&b, i % 2 ? "print torch local norm:\n[tensor(1.0, dev\n"
                           : "iteration 5/ 9 | aaaaaaaaaaaaaaaaaaaaaaaaaaaa\n[[[[[[[[[[[[[[[[[[[[[[[[[\n");
    assert_int_equal(series_open(&s, put_n("open.log", b.p, b.n), NULL, &e), -1);
    assert_non_null(strstr(e.text, "open.log: line 120000: expected a record of a training log, found no step"));
    series_release(&s);
    /* deep JSON that pretends to be a Trainer's state */
    buf_clear(&b);
    buf_cstr(&b, "{\"log_history\":[");
    for (int i = 0; i < 500000; i++)
        buf_cstr(&b, "[{");
    assert_int_equal(series_open(&s, put_n("trainer_state.json", b.p, b.n), NULL, &e), -1);
    assert_non_null(strstr(e.text, "log_history"));
    series_release(&s);
    buf_release(&b);
    assert_int_equal(series_open(&s, "/nonexistent/x.log", NULL, &e), -1);
    assert_non_null(strstr(e.text, "/nonexistent/x.log"));
    series_release(&s);
    assert_false(series_probe(put("plain.txt", "hello\niteration of something\n")));
    assert_true(series_probe(sample("logs/ranks")));
    assert_false(series_probe(sample("clean_md5")));
}

/* More steps than are kept, the last first: sorted once, not for every further one. */
static void enough(void **state)
{
    struct buf b = {0};
    (void)state;
    for (int i = 1400000; i > 0; i--) {
        buf_cstr(&b, "iteration ");
        buf_count(&b, (unsigned long long)i);
        buf_cstr(&b, "/ 9 | loss: 1 | number of nan iterations: 0 |\n");
    }
    load(put_n("many.log", b.p, b.n));
    assert_true(s.records.n >= 1000000 && s.records.n < 1100000);
    assert_true(unread("more values than the limit for one log"));
    near(value(1400000, LOG_LOSS), 1);
    series_release(&s);
    buf_release(&b);
}

/* Megatron counts iterations that had NaN and prints no loss for them. */
static void a_loss_left_out(void **state)
{
    struct log_check c;
    (void)state;
    load_text(ITER("1", "2.5") "iteration 2/ 100 | learning rate: 1.0E-03 | grad norm: 1.25 | number of skipped "
                               "iterations:   0 | number of nan iterations:   1 |\n" ITER("3", "2.25"));
    log_check_run(&c, &s);
    assert_true(c.problems.n > 0 && c.problems.v[0].step == 2 && strcmp(c.problems.v[0].kind, "nan") == 0);
    assert_non_null(strstr(c.problems.v[0].text, "not printed"));
    assert_non_null(strstr(c.problems.v[0].text, "line 2"));
    log_check_release(&c);
    series_release(&s);
}

/* A run of 400 steps whose loss goes from `from` to `low` at two thirds and to `end`, with noise of 0.05; the kind that
 * the check notes, "" for none. */
static const char *course_of(double from, double low, double end)
{
    static char kind[32];
    struct buf b = {0};
    struct log_check c;
    uint32_t noise = 7;
    for (int i = 0; i < 400; i++) {
        double x = i / 266.0, loss = x < 1 ? from + (low - from) * x : low + (end - low) * (x - 1) * 2;
        noise = noise * 1664525u + 1013904223u;
        loss += 0.1 * ((noise >> 8) / 16777216.0 - 0.5);
        buf_fmt(&b, " iteration %d/ 400 | learning rate: 1.0E-03 | lm loss: %.6E | grad norm: %.3f | number of skipped "
                    "iterations:   0 | number of nan iterations:   0 |\n", i + 1, loss, 1.5 + i / 1000.0);
    }
    load_text(b.p);
    log_check_run(&c, &s);
    assert_int_equal(c.problems.n, c.notes);
    snprintf(kind, sizeof kind, "%s", c.problems.n ? vec_last(&c.problems)->kind : "");
    assert_true(strcmp(kind, "rising") != 0 || labs((long)vec_last(&c.problems)->step - 266) <= 20);
    log_check_release(&c);
    series_release(&s);
    buf_release(&b);
    return kind;
}

static void what_a_loss_does(void **state)
{
    (void)state;
    assert_string_equal(course_of(10.5, 3, 2.8), "");
    assert_string_equal(course_of(10.5, 10.48, 10.5), "not-falling");
    assert_string_equal(course_of(10.5, 3, 3.6), "rising");
    assert_string_equal(course_of(10.5, 3, 3.02), ""); /* within the noise */
    assert_string_equal(course_of(1.1, 1.1, 1.1), ""); /* fine-tuning: it had converged */
    assert_string_equal(course_of(10.5, 9.2, 9.2), ""); /* it falls for most of the run */
    assert_string_equal(course_of(4.2, 3.8, 3.8), ""); /* weights that were trained before */
}

static void written(void **state)
{
    struct log_check c;
    struct out o;
    struct err e;
    struct buf b = {0};
    (void)state;
    load_text(ITER("1", "nan") ITER("2", "2.5"));
    log_check_run(&c, &s);
    assert_int_equal(c.problems.n, 2); /* the NaN, and a norm that never moves */
    assert_int_equal(c.notes, 1);
    const char *path = put("o.json", "");
    assert_int_equal(out_file(&o, path, &e), 0);
    const struct checked_log found = {&s, &c};
    put_json(&o, log_check_json, &found);
    assert_int_equal(out_close(&o, &e), 0);
    cJSON *v = json_load(path, 1 << 20, &e);
    assert_non_null(v);
    assert_int_equal(cJSON_GetObjectItem(v, "rows")->valueint, 2);
    assert_string_equal(cJSON_GetObjectItem(v, "first_row")->valuestring, "1");
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetObjectItem(v, "problems")->child, "row")->valuestring, "1");
    cJSON_Delete(v);
    path = put("o.csv", "");
    assert_int_equal(out_file(&o, path, &e), 0);
    log_csv(&o, &found);
    assert_int_equal(out_close(&o, &e), 0);
    assert_int_equal(file_slurp(path, 1 << 20, &b, &e), 0);
    assert_non_null(strstr(b.p, "\n2,2.5,0.001,1.5,,,,0,0,\""));
    buf_release(&b);
    log_check_release(&c);
    series_release(&s);
}

/* Text as Windows' PowerShell writes it, records the end of the file cuts off, and steps far behind a file's
 * beginning. */
static void odd_files(void **state)
{
    static const char line[] = "{\"current_steps\": 1, \"loss\": 2.5, \"epoch\": 0.1}\n{\"current_steps\": 2, "
                               "\"loss\": 2.25, \"epoch\": 0.2}\n";
    struct buf b = {0};
    (void)state;
    for (int big = 0; big < 2; big++) {
        buf_clear(&b);
        buf_str(&b, str_n(big ? "\xfe\xff" : "\xff\xfe", 2));
        for (const char *p = line; *p; p++)
            buf_str(&b, str_n((char[]){big ? 0 : *p, big ? *p : 0}, 2));
        const char *path = put_n("trainer_log.jsonl", b.p, b.n);
        assert_string_equal(series_kind(path, NULL), "trainer-log");
        load(path);
        near(value(2, LOG_LOSS), 2.25);
        assert_true(noted("UTF-16"));
        assert_false(unread("cuts"));
        series_release(&s);
    }
    load(put_n("trainer_log.jsonl", line, strlen(line) - 8));
    assert_int_equal(s.records.n, 1);
    assert_true(unread("1 record is incomplete at the end of the file, line 2"));
    series_release(&s);
    load(put_n("trainer_log.jsonl", line, strlen(line) - 1)); /* whole, but for the line's end */
    assert_int_equal(s.records.n, 2);
    assert_false(unread("cuts"));
    series_release(&s);
    for (int hole = 0; hole < 2; hole++) {
        buf_clear(&b);
        for (int i = 0; i < 10 << 20; i++)
            buf_char(&b, hole ? 0 : i % 100 ? 'x' : '\n');
        buf_char(&b, '\n');
        buf_cstr(&b, line);
        const char *path = put_n("late.log", b.p, b.n);
        assert_string_equal(series_kind(path, NULL), "trainer-log"); /* named: searched to its end */
        assert_false(series_probe(path));                       /* one of many: its beginning */
        load(path);
        near(value(1, LOG_LOSS), 2.5);
        series_release(&s);
    }
    buf_release(&b);
}

/* A file of one line that never ends: it is looked at as far as any, not to its end. */
static void endless_line(void **state)
{
    (void)state;
    put("hole.dat", "");
    const char *path = path_in(dir, "hole.dat");
    assert_int_equal(truncate(path, (off_t)1 << 40), 0);
    assert_false(series_probe(path));
    unlink(path);
}

/* Of a folder's files one is a link to nothing, one a folder in a file's place that holds nothing: the first could not
 * be read. A last line that stops in a number is not believed. */
static void unread_parts(void **state)
{
    static const char line[] =
        "{\"current_steps\": 1, \"total_steps\": 2, \"loss\": 2.5, \"epoch\": 0.5, \"percentage\": 50.0}\n";
    struct err e;
    (void)state;
    put("run/worker_0.log", line);
    put("run/worker_2.log/empty", "");
    load(path_in(dir, "run"));
    assert_int_equal(s.unread.n, 0);
    series_release(&s);
    assert_int_equal(symlink("nowhere", path_in(dir, "run/worker_1.log")), 0);
    load(path_in(dir, "run"));
    assert_int_equal(s.unread.n, 1);
    assert_true(unread("worker_1.log") && s.unread.v[0].whole && s.unread.v[0].rank == 1);
    series_release(&s);
    unlink(path_in(dir, "run/worker_0.log")); /* nothing else is there: the failure is the error */
    assert_int_equal(series_open(&s, path_in(dir, "run"), NULL, &e), -1);
    assert_int_equal(e.code, ERR_IO);
    assert_non_null(strstr(e.text, "worker_1.log"));
    series_release(&s);
    load_text("local_norm step 1 a: 0.512\nlocal_norm step 1 b: 0.5");
    assert_int_equal(s.points.n, 1);
    assert_true(unread("1 record is incomplete at the end of the file, line 2") && !s.unread.v[0].whole);
    series_release(&s);
}

/* ---- trainers with a line a step, and names of any tool ---- */

static void trainers_with_a_line_a_step(void **state)
{
    (void)state;
    /* verl 0.9's concat_dict_to_str, TorchTitan 0.3's colours and alignment */
    load_text("(TaskRunner pid=11) step:1 - actor/loss:np.float64(0.5) - actor/grad_norm:0.25 - actor/lr:1e-06 - "
              "val/reward:0.1\n"
              "(TaskRunner pid=11) step:2 - actor/pg_loss:0.25 - actor/grad_norm:nan\n");
    assert_string_equal(s.format, "step-lines");
    assert_true(value(1, LOG_LOSS) == 0.5);
    assert_true(value(1, LOG_LR) == 1e-6);
    assert_true(value(2, LOG_LOSS) == 0.25);
    assert_true(isnan(value(2, LOG_NORM)));
    series_release(&s);
    load_text("[titan] 2025-06-03 09:28:24 - root - INFO - \x1b[31mstep:  1  \x1b[32mloss: 12.27210  "
              "\x1b[38;2;1;2;3mgrad_norm:  4.2031  "
              "memory:  1.50GiB(1.90%)  tps: 1,024  tflops: 1.20  mfu: 0.10%\x1b[39m\n"
              "[titan] x - root - INFO - validate step:  1  loss:  3.1000  memory:  1.50GiB(1.90%)  tps: 99\n");
    assert_int_equal(s.records.n, 1);
    assert_true(value(1, LOG_LOSS) == 12.2721);
    assert_true(value(1, LOG_NORM) == 4.2031);
    series_release(&s);
    load_text("[2023-05-03 10:00:00,1] [INFO] [logging.py:96:log_dist] [Rank 0] step=3, skipped=0, lr=[0.001, "
              "0.002], mom=[[0.9, 0.999]]\n"
              "steps: 3 loss: 5.5000 iter time (s): 0.100 samples/sec: 10.000\n");
    assert_int_equal(s.records.n, 1); /* one line has the rate, the other the loss */
    assert_true(value(3, LOG_LOSS) == 5.5);
    assert_true(value(3, LOG_LR) == 0.001);
    series_release(&s);
    /* DeepSpeed 0.19.8's own: a line when the engine is made, then two a step */
    load_text("[2026-11-28 04:55:54,029] [INFO] [logging.py:123:log_dist] [Rank 0] step=0, skipped=0, lr=[0], "
              "mom=[(0.9, 0.999)]\n"
              "[2026-11-28 04:55:54,147] [INFO] [logging.py:123:log_dist] [Rank 0] step=1, skipped=0, lr=[0.0], "
              "mom=[(0.9, 0.999)]\n"
              "steps: 1 loss: 0.9648 iter time (s): 0.083 samples/sec: 96.077\n"
              "[2026-11-28 04:55:54,181] [INFO] [logging.py:123:log_dist] [Rank 0] step=2, skipped=0, lr=[0.0005], "
              "mom=[(0.9, 0.999)]\n"
              "steps: 2 loss: 0.9357 iter time (s): 0.016 samples/sec: 495.239\n");
    assert_int_equal(s.records.n, 2);
    assert_true(value(2, LOG_LOSS) == 0.9357);
    assert_true(value(2, LOG_LR) == 0.0005);
    series_release(&s);
    load_text("Training epoch 0, iteration 7/99 | lr: 2.5e-05 | global_batch_size: 32 | global_step: 7 | "
              "reduced_train_loss: 11.03 | grad_norm: 0.5\n");
    assert_true(value(7, LOG_LOSS) == 11.03);
    assert_true(value(7, LOG_LR) == 2.5e-5);
    series_release(&s);
    load_text("Epoch 0: : 1%| | 1/100 [00:10<01:00, reduced_train_loss=10.30, global_step=1.000, lr=1e-5]\r"
              "Epoch 0: : 2%| | 2/100 [00:10<01:00, reduced_train_loss=10.20, global_step=2.000, lr=1e-5]\r");
    assert_true(value(2, LOG_LOSS) == 10.2);
    series_release(&s);
    load_text("(pid=9) step 4: {'train/loss': 0.125, 'train/grad_norm': 0.5, 'train/lr-pg_0': 1e-06, 'train/step': "
              "4}\n");
    assert_true(value(4, LOG_NORM) == 0.5);
    series_release(&s);
}

/* MindSpore 2: str() of the tuple that TrainOneStepWithLossScaleCell returns */
static void outputs_of_a_mindspore_step(void **state)
{
    (void)state;
    load_text("epoch: 1, current epoch percent: 0.500, step: 1, outputs are (Tensor(shape=[], dtype=Float32, value= "
              "10.25), Tensor(shape=[], dtype=Bool, value= False), Tensor(shape=[], dtype=Float32, value= 65536))\n"
              "epoch: 1, current epoch percent: 1.000, step: 2, outputs are (Tensor(shape=[], dtype=Float32, value= "
              "nan), Tensor(shape=[], dtype=Bool, value= True), Tensor(shape=[], dtype=Float32, value= 32768))\n"
              "epoch: 2, current epoch percent: 0.500, step: 3, outputs are (Tensor(shape=[], dtype=Float32, value= "
              "9,75), Tensor(shape=[], dtype=Bool, value= maybe), Tensor(shape=[], dtype=Float32, value= 16384))\n"
              "epoch: 2, current epoch percent: 1.000, step: 4e1, outputs are (Tensor(shape=[], dtype=Float32, value= "
              "5))\n");
    assert_string_equal(s.format, "mindspore-outputs");
    assert_string_equal(s.framework, "mindspore");
    assert_true(value(1, LOG_LOSS) == 10.25);
    assert_true(value(1, LOG_SCALE) == 65536);
    assert_true(isnan(value(2, LOG_LOSS)));
    assert_int_equal(s.records.n, 3); /* the fourth has no step */
    assert_true(value(3, LOG_SCALE) == 16384);
    assert_false(log_has(series_at(&s, 3), LOG_LOSS));
    assert_true(s.records.v[1].overflow && !s.records.v[0].overflow);
    assert_int_equal(s.unread.n, 1);
    series_release(&s);
}

static void values_of_any_tool(void **state)
{
    (void)state;
    load_text("{\"_step\": 0, \"train/loss\": 5.25, \"val/loss\": 9, \"train/grad_norm\": 1.5}\n{\"_step\": 1, "
              "\"train/loss\": \"5.125\", \"train/grad_norm\": NaN}\n");
    assert_string_equal(s.format, "json-lines");
    assert_true(value(0, LOG_LOSS) == 5.25);
    assert_true(value(1, LOG_LOSS) == 5.125);
    assert_true(isnan(value(1, LOG_NORM)));
    series_release(&s);
    load(put("metrics.csv",
             "epoch,step,train_loss_step,val_loss,lr\n0,0,5.25,,\n0,1,5.125,,1e-3\n0,1,,6.0,\n0,x,1,,\n0,2,5"));
    assert_string_equal(s.format, "value-table");
    assert_int_equal(s.records.n, 2); /* a last row without an end may go on */
    assert_true(value(1, LOG_LOSS) == 5.125);
    assert_true(value(1, LOG_LR) == 1e-3);
    assert_true(unread("") || s.notes.n);
    series_release(&s);
    /* names in quotes with a comma in them, which a reader by commas takes for two */
    load(put("quoted.csv", "\"note, long\",\"step\",\"train loss\"\n\"a, b\",3,5.5\n"));
    assert_true(value(3, LOG_LOSS) == 5.5);
    series_release(&s);
    /* verl's file logger, and a name as json.dumps escapes it */
    load_text("{\"step\": 7, \"data\": {\"actor\\/pg_loss\": 0.5, \"critic\": {\"value\": 9}}}\n");
    assert_true(value(7, LOG_LOSS) == 0.5);
    series_release(&s);
    char sub[512];
    snprintf(sub, sizeof sub, "%s/metrics", dir);
    mkdir(sub, 0777);
    put("metrics/loss", "1700000000000 5.25 0 train d1g3st\n1700000000100 5.125 1\n");
    put("metrics/lr", "1700000000000 0.001 0\nword\n1700000000100 0.001 1\n");
    load(sub);
    assert_string_equal(s.format, "mlflow");
    assert_true(value(1, LOG_LOSS) == 5.125);
    assert_true(value(1, LOG_LR) == 0.001);
    series_release(&s);
}

/* The error of a log in which nothing is recognised has the line that looks like a record, or the last one. */
static void the_line_that_was_looked_at(void **state)
{
    static const struct {
        const char *name, *text, *says;
    } cases[] = {
        {"a.log", "start\n\x1b[1mEpoch 1: average Loss is 0.5\x1b[0m\nend\n",
         "a.log: line 2: expected a record of a training log, found \"Epoch 1: average Loss is 0.5\""},
        {"b.log", "start\nnothing\n", "b.log: line 2: expected a record of a training log, found no step"},
        {"c.csv", "it,\"objective, mean\",gn\n1,2.5,3\n", "line 1: no name is known as the step, or none as a loss or norm; "
                                                        "found it, objective, mean, gn"},
        {"d.jsonl", "{\"\\u635f\": 2.5, \"n\": 1}\n", "found \xe6\x8d\x9f, n"},
        {"mlflow.db", "SQLite format 3", "database of MLflow"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err e = {0};
        assert_int_equal(series_open(&s, put(cases[i].name, cases[i].text), NULL, &e), -1);
        if (!strstr(e.text, cases[i].says))
            fail_msg("%s", e.text);
        series_release(&s);
    }
}

/* A table or an object that tells no step, or nothing of it, is no log. */
static void no_names_that_are_known(void **state)
{
    (void)state;
    static const char *const none[] = {
        "a,b,c\n1,2,3\n", "step,name\n1,x\n", "{\"step\": 1, \"reward\": 2}\n", "{\"loss\": 1.5}\n",
            "step:1 of - nothing/else\n", "{\"step\": -1, \"loss\": 2}\n",
            "{\"lr\": 1e-3, \"step\": 1}\n", "step,lr\n1,2\n",
        "{\"step\": 1e30, \"loss\": 2}\n",
    };
    for (size_t i = 0; i < ARRAY_LEN(none); i++) {
        struct err e = {0};
        assert_int_equal(series_open(&s, put("none.log", none[i]), NULL, &e), -1);
        assert_non_null(strstr(e.text, "none.log"));
        series_release(&s);
    }
}

/* DeepSpeed's monitor numbers by samples: the engine the loss by those before the step, its pipeline engine by those
 * after it; another batch size on the way leaves nothing to divide by. */
static void samples_are_steps(void **state)
{
    static const struct {
        const char *text;
        int64_t first, each;
        bool lr_is_next;
        const char *note;
    } each[] = {
        {"{\"step\":0,\"Train/Samples/train_loss\":5.5}\n{\"step\":16,\"Train/Samples/lr\":0.1,"
         "\"Train/Samples/train_loss\":5.25}\n{\"step\":32,\"Train/Samples/train_loss\":5,\"Train/Samples/lr\":0.1}\n",
         1, 16, false, "16 per step"},
        {"{\"step\":16,\"Train/Samples/train_loss\":5.5,\"Train/Samples/lr\":0.1}\n"
         "{\"step\":32,\"Train/Samples/train_loss\":5.25,\"Train/Samples/lr\":0.1}\n"
         "{\"step\":48,\"Train/Samples/train_loss\":5,\"Train/Samples/lr\":0.1}\n",
         1, 16, true, "16 per step"},
        {"{\"step\":16,\"Train/Samples/train_loss\":5.5}\n{\"step\":40,\"Train/Samples/train_loss\":5.25}\n"
         "{\"step\":64,\"Train/Samples/train_loss\":5}\n",
         16, 0, false, "are not converted"},
        {"{\"step\":16,\"train_loss\":5.5}\n{\"step\":32,\"train_loss\":5.25}\n{\"step\":48,\"train_loss\":5}\n",
         16, 0, false, "one step in 16 is logged"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(each); i++) {
        load_text(each[i].text);
        assert_int_equal(s.records.n, 3);
        assert_int_equal(s.records.v[0].step, each[i].first);
        assert_int_equal(s.samples_each, each[i].each);
        assert_int_equal(s.lr_is_next, each[i].lr_is_next);
        assert_non_null(strstr(*vec_last(&s.notes), each[i].note));
        series_release(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants),
        cmocka_unit_test(trainers_with_a_line_a_step), cmocka_unit_test(outputs_of_a_mindspore_step),
            cmocka_unit_test(values_of_any_tool),
            cmocka_unit_test(the_line_that_was_looked_at), cmocka_unit_test(no_names_that_are_known),
                cmocka_unit_test(pair), cmocka_unit_test(trainer),
                cmocka_unit_test(ranks),
        cmocka_unit_test(samples_are_steps),
        cmocka_unit_test(norms), cmocka_unit_test(tensorboard), cmocka_unit_test(resumed),
        cmocka_unit_test(pipeline_in_one_file), cmocka_unit_test(wrapped), cmocka_unit_test(terminals),
        cmocka_unit_test(jsonl), cmocka_unit_test(monitor_v2), cmocka_unit_test(rollout_metrics),
        cmocka_unit_test(wandb_of_rl),
        cmocka_unit_test(monitor_cut),
            cmocka_unit_test(endless_line), cmocka_unit_test(hostile), cmocka_unit_test(enough),
        cmocka_unit_test(a_loss_left_out), cmocka_unit_test(what_a_loss_does), cmocka_unit_test(written),
        cmocka_unit_test(odd_files), cmocka_unit_test(unread_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
