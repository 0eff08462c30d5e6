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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_with_their_hashes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
