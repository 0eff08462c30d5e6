/* Lines of PyTorch's DebugMode: results, their types, shapes and hashes, and what of them cannot be read. */
#include "opened.h"

#include "dump/checksum.h"

static const char *const text =
    "    aten::mm(t$0: f32[8, 8], t$1: f32[8, 32])  ->  t$2: f32[8, 32]  # {'hash': 124.5}\n"
    "    aten::add(t$0: f32[8], t$1: f32[8])  ->  t$3: f32[8]  # {'input_hash': ((1.5, 2.5), {}), 'hash': 3.25}\n"
    "    aten::var_mean(t$0: bf16[4, 8])  ->  (t$4: f32[4], t$5: f32[4])  # {'hash': (1.5, 2.75), 'depth': 2}\n"
    "    aten::sum(t$0: f32[8])  ->  t$6: f32[]  # {'hash': 7.5, 'depth': 2}\n"
    "    aten::abs(t$0: f32[8])  ->  t$7: f32[8]\n"
    "    aten::exp(t$0: f32[8])  ->  t$9: f32[8]  # {'hash': 1,5, 'depth': 2}\n"
    "    aten::neg(t$0: f32[8])  ->  t$8: g32[8]  # {'hash': 1.5}\n";

static void hash_is(const struct dump *d, const char *name, const char *hash)
{
    const struct row *r = &d->rows.v[row_named(d, name)];
    assert_int_equal((r->has & HAS_CHECKSUM) != 0, hash != NULL);
    struct buf kept = {0};
    if (hash) {
        checksum_write(str_of(hash), &kept);
        assert_true(str_is(buf_view(&kept), r->text));
    }
    buf_release(&kept);
}

static void results_with_their_hashes(void **state)
{
    struct opened o;
    (void)state;
    const char *path = put_text(scratch(), "debug_mode.txt", text);
    assert_int_equal(open_as(&o, path, "torch-debug-mode"), 0);
    hash_is(&o.d, "aten.mm.output.0", "124.5");
    hash_is(&o.d, "aten.add.output.0", "3.25");
    hash_is(&o.d, "aten.var_mean.output.0", "1.5");
    hash_is(&o.d, "aten.var_mean.output.1", "2.75");
    hash_is(&o.d, "aten.sum.output.0", "7.5");
    hash_is(&o.d, "aten.abs.output.0", NULL);
    /* no number with a comma, no type "g32" */
    assert_true(o.d.rows.v[row_named(&o.d, "aten.exp.output.0")].has & IS_UNPARSED);
    assert_true(o.d.rows.v[row_named(&o.d, "aten.neg.output.0")].has & IS_UNPARSED);
    assert_false(o.d.rows.v[row_named(&o.d, "aten.sum.output.0")].has & IS_UNPARSED);
    shut_opened(&o);
}

static const struct row *row_of(const struct dump *d, const char *name)
{
    return &d->rows.v[row_named(d, name)];
}

static const char *const arguments =
    "    aten::add.Tensor(t$0: f32[8, 8]{requires_grad=True}, dt$1: bf16[8]| S(0), alpha=0.5)  ->  t$2: f32[8]  "
    "# {'input_hash': ((9.5, 77), {'alpha': None}), 'hash': (2.5, 78)}\n"
    "    aten::cat(['t$2: f32[8]', 't$3: f32[8]'], -1)  ->  t$4: f32[16]  "
    "# {'input_hash': (([4.5, 5.5], None), {}), 'hash': 0}\n"
    "    aten::sum(t$4: f32[16], None, True, dtype=torch.float64, to=[])\n"
    "      redistribute_input [implicit] (1, S(0) -> R)\n"
    "      <method 'view' of 'torch._C.TensorBase' objects>(t$4: f32[16], 4, 4)  ->  t$5: f32[4, 4]\n"
    "    aten::gelu(t$4: f32[16], approximate=tanh)  ->  t$5: f32[16]  "
    "# {'input_hash': ((1.5,), {'approximate': None}), 'hash': 2.5}\n";

static void arguments_with_their_hashes(void **state)
{
    struct opened o;
    (void)state;
    assert_int_equal(open_as(&o, put_text(scratch(), "debug_mode.txt", arguments), "torch-debug-mode"), 0);
    assert_int_equal(o.d.problems.n, 0);
    hash_is(&o.d, "aten.add.Tensor.input.0", "9.5");
    assert_true(row_of(&o.d, "aten.add.Tensor.input.0")->needs_gradient);
    assert_string_equal(row_of(&o.d, "aten.add.Tensor.input.1")->text, "0x000000000000004d");
    assert_int_equal(row_of(&o.d, "aten.add.Tensor.input.1")->dtype, DTYPE_BF16);
    assert_string_equal(row_of(&o.d, "aten.add.Tensor.input.1.placement")->text, "S(0)");
    assert_float_equal(row_of(&o.d, "aten.add.Tensor.input.alpha")->stat[STAT_MAX], 0.5, 0);
    assert_int_equal(strlen(row_of(&o.d, "aten.add.Tensor.output.0")->text), 34); /* of two hashes */
    hash_is(&o.d, "aten.cat.input.0.1", "5.5");
    assert_int_equal(row_of(&o.d, "aten.cat.input.1")->kind, ROW_INT);
    assert_int_equal(row_of(&o.d, "aten.sum.input.1")->kind, ROW_NULL);
    assert_int_equal(row_of(&o.d, "aten.sum.input.2")->kind, ROW_BOOL);
    assert_int_equal(row_of(&o.d, "aten.sum.input.dtype")->dtype, DTYPE_F64);
    assert_string_equal(row_of(&o.d, "aten.sum.input.to")->text, "[]");
    assert_string_equal(row_of(&o.d, "redistribute_input.input.1")->text, "S(0) -> R");
    assert_float_equal(row_of(&o.d, "Tensor.view.input.2")->stat[STAT_MAX], 4, 0);
    assert_string_equal(row_of(&o.d, "aten.gelu.input.approximate")->text, "tanh");
    shut_opened(&o);
}

/* What cannot be read is unread, not a value. */
static void what_is_damaged_is_unread(void **state)
{
    static const char *const lines[] = {
        "    aten::mm(t: f32[8, 8], t: f32[8, 3x])  ->  t: f32[8, 32]  # {'hash': 124.5}\n",
        "    aten::mm(t: f32[8, 8], t: g32[8, 32])  ->  t: f32[8, 32]  # {'hash': 124.5}\n",
        "    aten::mm(t: f32[8, 8], t: f32[8, 32]  ->  t: f32[8, 32]  # {'hash': 124.5}\n",
        "    aten::mm(t: f32[8, 8], 1e-5x)  ->  t: f32[8, 32]  # {'hash': 124.5}\n",
        "    aten::mm(t: f32[8, 8])  ->  t: f32[8, 32]  # {'input_hash': ((x,), {}), 'hash': 124.5}\n",
        "    aten::mm(t: f32[8, 8])  ->  t: f32[8, 32]  # {'input_hash': ((1.5, 2.5), {}), 'hash': 124.5}\n",
        "    aten::mm(t: f32[8, 8], 4)  ->  t: f32[8, 32]  # {'input_hash': ((1.5, 2.5), {}), 'hash': 124.5}\n",
        "    aten::mm(t: f32[8, 8], n=4)  ->  t: f32[8, 32]  # {'input_hash': ((1.5,), {'m': None}), 'hash': 1.5}\n",
        "    aten::mm(t: f32[8, 8])  ->  t: f32[8, 32]  # {'input_hash': 1.5, 'hash': 124.5}\n",
        "    aten::mm(t: f32[8, 8])  ->  t: f32[8, 32]  # {'hash' 124.5}\n",
        "    something else was printed here\n",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        struct opened o;
        struct buf b = {0};
        buf_fmt(&b, "%s%s", text, lines[i]);
        assert_int_equal(open_as(&o, put_text(scratch(), "debug_mode.txt", b.p), "torch-debug-mode"), 0);
        assert_int_equal(o.d.problems.n, 3); /* two of them in `text` */
        const struct problem *p = vec_last(&o.d.problems);
        assert_true(str_has(str_of(p->text), "debug_mode.txt: line 8: expected "));
        buf_release(&b);
        shut_opened(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_with_their_hashes),
        cmocka_unit_test(arguments_with_their_hashes),
        cmocka_unit_test(what_is_damaged_is_unread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
