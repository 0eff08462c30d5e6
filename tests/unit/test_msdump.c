/* MindSpore's own dump: statistic.csv of every version, .npy files beside it or alone, names and scopes,
 * graphs in parts, and damage. What the framework counted is compared with what the tensors hold. */
#include "opened.h"

#include <math.h>
#include <unistd.h>

#include "base/file_write.h"
#include "dump/family.h"
#include "num/figures.h"

/* ---- opening ---- */

static int open_path(struct opened *o, const char *path)
{
    int rc = open_as(o, path, "mindspore-dump");
    assert_int_equal(o->places.n, 1);
    return rc;
}

static const char *table_of(const char *csv)
{
    const char *dir = scratch();
    put_bytes(dir, "statistic.csv", csv, strlen(csv));
    return dir;
}

#define HEAD "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,"

/* ---- the samples ---- */

static void counts_of_the_samples(void **state)
{
    static const struct {
        const char *path, *task;
        uint32_t rows;
    } samples[] = {
        {"msdump_samples/dtypes_2.7.1", "tensor", 27}, /* 25 lines and 2 parameters without one */
        {"msdump_samples/tiny_2.7.1/rank_0/Llama/0/0", "tensor", 120},
        {"msdump_samples/tiny_2.10.0/rank_0/Llama/0/0", "tensor", 120},
        {"msdump_samples/tiny_2.10.0/rank_0/Llama/0/1", "tensor", 120}, /* tensors alone */
        {"msdump_samples/tiny_2.10.0_hash", "statistics", 105},
        {"msdump_samples/longnames_2.7.1", "tensor", 15},
        {"msdump/ms/statistic/rank_0/Llama/0/1", "statistics", 2305},
        {"msdump/ms/statistic/rank_0/Llama/0/0/statistic.csv", "statistics", 2305},
        {"msdump/ms/tensor", "tensor", 32},
    };
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct opened o;
        if (open_path(&o, sample(samples[i].path)))
            fail_msg("%s", o.e.text);
        uint32_t rows = (uint32_t)o.d.rows.n;
        assert_int_equal(rows, samples[i].rows);
        assert_string_equal(o.d.task, samples[i].task);
        assert_string_equal(o.d.framework, "mindspore");
        bool printed = o.d.rows.v[0].has & HAS_MAX; /* by statistic.csv: tensors alone have all digits */
        assert_int_equal(o.d.digits, printed ? 6 : 17);
        assert_int_equal(o.d.problems.n, 0);
        for (uint32_t r = 0; r < rows; r++)
            assert_true((o.d.rows.v[r].has & HAS_SHAPE) && o.d.rows.v[r].dtype != DTYPE_UNKNOWN);
        shut_opened(&o);
    }
}

static void near6(double got, double printed)
{
    if (isnan(printed))
        assert_true(isnan(got));
    else if (!(fabs(got - printed) <= 6e-6 * fabs(printed)))
        fail_msg("%.9g, printed as %.9g", got, printed);
}

/* The framework's own figures of each tensor against ours. */
static void figures_are_the_frameworks(void **state)
{
    static const char *const paths[] = {"msdump_samples/dtypes_2.7.1", "msdump_samples/tiny_2.7.1/rank_0/Llama/0/0",
                                        "msdump_samples/tiny_2.10.0/rank_0/Llama/0/0"};
    uint32_t compared = 0;
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct opened o;
        assert_int_equal(open_path(&o, sample(paths[i])), 0);
        for (uint32_t r = 0; r < o.d.rows.n; r++) {
            const struct row *x = &o.d.rows.v[r];
            struct tensor t;
            struct side_figures f;
            assert_true(x->has & HAS_FILE);
            assert_int_equal(dump_tensor(&o.d, r, &t, &o.e), 0);
            assert_int_equal(figures_one(&kern_scalar, &t, &f, NULL, &o.e), 0);
            assert_int_equal(f.count, dump_row_numel(&o.d, r));
            if (x->has & HAS_MAX) {
                const struct row_extra *e = &o.d.extras.v[x->extra];
                assert_int_equal(e->counts, COUNT_NAN | COUNT_NEG_INF | COUNT_POS_INF | COUNT_ZERO);
                assert_int_equal(f.nan, e->nan);
                assert_int_equal(f.inf, e->pos_inf + e->neg_inf);
                assert_int_equal(f.zero, e->zero);
                if (!f.nan) { /* a NaN makes all of its figures nan */
                    near6(f.max, x->stat[STAT_MAX]);
                    near6(f.min, x->stat[STAT_MIN]);
                }
                if (x->dtype != DTYPE_I8) /* summed in int8 there */
                    near6(f.norm, x->stat[STAT_NORM]);
                compared++;
            }
            tensor_close(&t);
        }
        shut_opened(&o);
    }
    assert_int_equal(compared, 25 + 105 + 105);
}

static void rows_of_the_dtypes_sample(void **state)
{
    struct opened o;
    struct tensor t;
    (void)state;
    assert_int_equal(open_path(&o, sample("msdump_samples/dtypes_2.7.1")), 0);
    uint32_t r = row_named(&o.d, "Div.Default_Div-op0.output.0");
    const struct row_extra *e = &o.d.extras.v[o.d.rows.v[r].extra];
    assert_true(e->nan == 2 && e->neg_inf == 5 && e->pos_inf == 5 && e->zero == 0);
    assert_true(isnan(o.d.rows.v[r].stat[STAT_MAX]));
    assert_string_equal(o.d.rows.v[r].text, "bbf31e156be46d5c32e707e651dcf958");
    r = row_named(&o.d, "Cast.Default_Cast-op0.output.0"); /* '<E2' in the file */
    assert_int_equal(o.d.rows.v[r].dtype, DTYPE_BF16);
    assert_int_equal(dump_tensor(&o.d, r, &t, &o.e), 0);
    assert_true(t.dtype == DTYPE_BF16 && t.numel == 12);
    tensor_close(&t);
    r = row_named(&o.d, "Greater.Default_Greater-op0.output.0");
    assert_true(o.d.rows.v[r].dtype == DTYPE_BOOL && o.d.rows.v[r].io == IO_OUTPUT);
    r = row_named(&o.d, "Parameter.x.output.0"); /* a file without a line */
    assert_int_equal(o.d.rows.v[r].dtype, DTYPE_F32);
    assert_false(o.d.rows.v[r].has & HAS_MAX);
    shut_opened(&o);
}

static void long_names(void **state)
{
    struct opened o;
    uint32_t longest = 0;
    (void)state;
    assert_int_equal(open_path(&o, sample("msdump_samples/longnames_2.7.1")), 0);
    struct buf name = {0};
    uint32_t mapped = 0;
    for (uint32_t r = 0; r < o.d.rows.n; r++) {
        struct tensor t;
        dump_row_name(&o.d, r, &name);
        longest = name.n > longest ? (uint32_t)name.n : longest;
        mapped += strlen(o.d.extras.v[o.d.rows.v[r].extra].file) < 20;
        assert_int_equal(dump_tensor(&o.d, r, &t, &o.e), 0);
        tensor_close(&t);
    }
    assert_int_equal(mapped, 12);
    assert_true(longest > 180);
    buf_release(&name);
    shut_opened(&o);
}

/* ---- tables ---- */

static void columns_of_all_versions(void **state)
{
    static const struct {
        const char *csv;
        bool norm, counts, sum;
    } tables[] = {
        {HEAD
         "Max Value,Min Value,Avg Value,Count,Negative Zero Count,Positive Zero Count,NaN Count,Negative Inf Count,"
         "Positive Inf Count,Zero "
         "Count\nAdd,Default/Add-op1,0,0,12,output,0,8,float32,\"(2,)\",2,-1,0.5,2,1,1,0,0,0,0\n",
         false, true, false},
        {HEAD "Max Value,Min Value,Avg Value,L2Norm "
              "Value,Count\nAdd,Default/Add-op1,0,0,12,output,0,8,float32,\"(2,)\",2,-1,0.5,2.5,2\n",
         true, false, false},
        {HEAD "Max Value,Min Value,Avg Value,Nan Count,L2 "
              "Value,MD5\nAdd,Default/Add-op1,0,0,12,output,0,8,float32,\"[2]\",2,-1,0.5,0,2.5,abcd,\n",
         true, true, true},
        {"Op Type,Op Name,Task ID,Stream ID,Timestamp,Input/Output,Slot,Data Size,Data Type,Format,Shape,Max Value,Min "
         "Value,Avg Value,"
         "L2Norm Value\nAdd,Default/Add-op1,0,0,12,output,0,8,float32,ND,\"[2]\",2,-1,0.5,2.5\n",
         true, false, false},
        {HEAD "Max Value,Min Value,Avg "
              "Value,SHA1\r\nAdd,Default/Add-op1,0,0,12,output,0,8,float32,\"[2]\",2,-1,0.5,abcd,\r\n",
         false, false, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct opened o;
        if (open_path(&o, table_of(tables[i].csv)))
            fail_msg("%s", o.e.text);
        assert_int_equal(o.d.rows.n, 1);
        const struct row *r = &o.d.rows.v[0];
        assert_true(r->stat[STAT_MAX] == 2 && r->stat[STAT_MIN] == -1 && r->stat[STAT_MEAN] == 0.5);
        assert_int_equal((r->has & HAS_NORM) != 0, tables[i].norm);
        assert_int_equal((r->has & HAS_CHECKSUM) != 0, tables[i].sum);
        assert_int_equal(o.d.checksums, tables[i].sum);
        assert_int_equal(r->extra != NONE, tables[i].counts);
        assert_int_equal(dump_row_numel(&o.d, 0), 2);
        assert_true(r->dtype == DTYPE_F32 && r->io == IO_OUTPUT);
        row_named(&o.d, "Add.Default/Add-op1.output.0");
        shut_opened(&o);
    }
}

static void shapes_and_values(void **state)
{
    struct opened o;
    (void)state;
    assert_int_equal(open_path(&o, table_of(HEAD "Max Value,Min Value,L2Norm Value\n"
                                                 "A,x,0,0,1,input,0,4,float32,\"()\",1,1,1\n"
                                                 "A,x,0,0,1,input,1,4,float32,\"[]\",nan,-nan,inf\n"
                                                 "A,x,0,0,1,input,2,0,float32,\"(0, 3)\",null,null,0\n"
                                                 "A,x,0,0,1,input,3,4,unsupported(44),\"[x]\",-inf,1e-05,-0\n"
                                                 "A,x,0,0,1,input,4,4,float32,\"[99999999999999999999]\",,,\n")), 0);
    const struct dump *d = &o.d;
    assert_int_equal(d->rows.n, 5);
    assert_true(dump_row_shape(d, 0)->ndim == 0 && dump_row_numel(d, 0) == 1);
    assert_true(dump_row_shape(d, 1)->ndim == 0);
    assert_true(isnan(d->rows.v[1].stat[STAT_MAX]) && isnan(d->rows.v[1].stat[STAT_MIN]) &&
                isinf(d->rows.v[1].stat[STAT_NORM]));
    assert_int_equal(dump_row_numel(d, 2), 0);
    assert_int_equal(d->rows.v[2].has & (HAS_MAX | HAS_MIN | HAS_NORM), HAS_NORM); /* null: not recorded */
    assert_true(d->rows.v[3].dtype == DTYPE_UNKNOWN && d->rows.v[3].stat[STAT_MAX] == -INFINITY);
    assert_null(dump_row_shape(d, 3));
    assert_null(dump_row_shape(d, 4));
    assert_int_equal(d->rows.v[4].has & (HAS_MAX | HAS_MIN | HAS_NORM), 0);
    shut_opened(&o);
}

static void repeated_operators(void **state)
{
    struct opened o;
    (void)state;
    assert_int_equal(open_path(&o, table_of(HEAD "Max Value\n"
                                                 "A,x,0,0,1,input,0,4,float32,[1],1\n"
                                                 "A,x,0,0,1,output,0,4,float32,[1],2\n"
                                                 "B,x,0,0,1,output,0,4,float32,[1],9\n"
                                                 "A,x,0,0,2,input,0,4,float32,[1],3\n"
                                                 "A,x,0,0,2,output,0,4,float32,[1],4\n"
                                                 "A,x,0,0,3,output,0,4,float32,[1],5\n")), 0);
    assert_int_equal(o.d.calls.n, 4);
    assert_true(o.d.rows.v[row_named(&o.d, "A.x.output.0")].stat[STAT_MAX] == 2);
    assert_true(o.d.rows.v[row_named(&o.d, "A.x#2.input.0")].stat[STAT_MAX] == 3);
    assert_true(o.d.rows.v[row_named(&o.d, "A.x#2.output.0")].stat[STAT_MAX] == 4);
    assert_true(o.d.rows.v[row_named(&o.d, "A.x#3.output.0")].stat[STAT_MAX] == 5);
    assert_true(o.d.rows.v[row_named(&o.d, "B.x.output.0")].stat[STAT_MAX] == 9);
    shut_opened(&o);
}

static void phases_scopes_and_families(void **state)
{
    static const struct {
        const char *type, *op, *scope;
        enum call_phase phase;
        enum family family;
    } ops[] = {
        {"MatMul", "Default_network-LlamaForCausalLM_model-LlamaModel_layers-CellList_0-Layer_attention-Attn_wq-Linear_MatMul-op0",
         "network.model.layers.0.attention.wq", PHASE_FORWARD, FAMILY_LINEAR},
        {"Mul", "Gradients_Default_network-Net_Grad_Mul_Mul-op3", "network", PHASE_BACKWARD, FAMILY_MUL},
        {"Mul", "Default_optimizer-AdamW_Mul-op3", "optimizer", PHASE_OPTIMIZER, FAMILY_MUL},
        {"AdamWeightDecay", "Default_AdamWeightDecay-op0", NULL, PHASE_OPTIMIZER, FAMILY_OPTIMIZER},
        {"Neg", "Default_Neg-op0", NULL, PHASE_FORWARD, FAMILY_ELEMENTWISE},
        {"Add", "Default_network-Net_tok_embeddings-Emb_Add-op1", "network.tok_embeddings", PHASE_FORWARD, FAMILY_ADD},
    };
    (void)state;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        struct opened o;
        struct buf b = {0};
        buf_fmt(&b, HEAD "Max Value\n%s,%s,0,0,1,output,0,4,float32,[1],1\n", ops[i].type, ops[i].op);
        assert_int_equal(open_path(&o, table_of(b.p)), 0);
        const struct call *c = &o.d.calls.v[0];
        assert_int_equal(c->phase, ops[i].phase);
        assert_int_equal(c->family, ops[i].family);
        if (ops[i].scope)
            assert_string_equal(o.d.scopes.v[c->scope], ops[i].scope);
        else
            assert_int_equal(c->scope, NONE);
        buf_release(&b);
        shut_opened(&o);
    }
}

static void damaged_tables(void **state)
{
    static const struct {
        const char *csv, *why;
    } bad[] = {
        {"", "empty"},
        {"a,b,c\n1,2,3\n", "Op Type"},
        {"Op Type,Op Name,IO\n", "Slot"},
        {"Op Type,Slot,IO\n", "Op Name"},
    };
    struct opened o;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(open_path(&o, table_of(bad[i].csv)), -1);
        assert_int_equal(o.e.code, ERR_DATA);
        assert_non_null(strstr(o.e.text, bad[i].why));
        assert_non_null(strstr(o.e.text, "statistic.csv: line 1"));
        shut_opened(&o);
    }
    assert_int_equal(open_path(&o, table_of(HEAD "Max Value\n")), -1); /* a header and nothing else */
    assert_non_null(strstr(o.e.text, "expected rows in statistic.csv or .npy files"));
    shut_opened(&o);
}

/* A cell that is not what its column holds is told with the column and its text; an empty one is absent. */
static void cells_that_cannot_be_read_are_told(void **state)
{
    static const struct {
        const char *row, *told; /* NULL: nothing */
    } cases[] = {
        {"Add,x,7,0,1,output,0,16,float32,\"(2,2)\",1.5", NULL},
        {"Add,x,7,0,1,output,0,16,float32,\"(2,2)\",", NULL},
        {"Add,x,7,0,1,output,0,16,float32,\"(2,2)\",much", "column \"Max Value\": expected a number, found \"much\""},
        {"Add,x,7,0,1,output,0,16,flaot32,\"(2,2)\",1.5", "column \"Data Type\": expected an element type"},
        {"Add,x,7,0,1,output,0,16,float32,\"(2;2)\",1.5", "column \"Shape\": expected sizes in brackets"},
        {"Add,x,7,0,1,sideways,0,16,float32,\"(2,2)\",1.5", "column \"IO\": expected input or output"},
        {"Add,x,seven,0,1,output,0,16,float32,\"(2,2)\",1.5", "column \"Task ID\": expected a number"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf b = {0};
        struct opened o;
        buf_fmt(&b, HEAD "Max Value\n%s\n", cases[i].row);
        assert_int_equal(open_path(&o, table_of(b.p)), 0);
        assert_int_equal(o.d.rows.n, 1);
        assert_int_equal(o.d.problems.n, cases[i].told != NULL);
        if (cases[i].told && !strstr(o.d.problems.v[0].text, cases[i].told))
            fail_msg("\"%s\" expected in \"%s\"", cases[i].told, o.d.problems.v[0].text);
        shut_opened(&o);
        buf_release(&b);
    }
}

/* Without its columns no row of the table has a name: none may be taken for one. */
static void a_header_that_lacks_a_column(void **state)
{
    struct opened o;
    (void)state;
    int rc = open_path(&o, table_of("Op Type,Op Name,IO\nA,x,output\n"));
    assert_int_equal(o.d.rows.n, 0);
    assert_int_equal(rc, -1);
    shut_opened(&o);
}

static void cut_lines(void **state)
{
    struct opened o;
    (void)state;
    assert_int_equal(open_path(&o, table_of(HEAD "Max Value\n"
                                                 "A,x,0,0,1,input,0,4,float32,[1],1\n"
                                                 "\n"
                                                 "A,x,0,0,1,input,1,4,float\n"
                                                 "A,x,0,0,1,output,0,4,float32,[1],7\n"
                                                 "A,x,0,0,1,outp")), 0);
    assert_int_equal(o.d.problems.n, 2);
    assert_string_equal(o.d.problems.v[0].kind, "damaged");
    assert_non_null(strstr(o.d.problems.v[0].text, "expected 11 fields, found 9"));
    uint32_t r = o.d.problems.v[0].row;
    assert_true(o.d.rows.v[r].has == IS_DAMAGED);
    assert_true(o.d.rows.v[row_named(&o.d, "A.x.output.0")].stat[STAT_MAX] == 7);
    shut_opened(&o);
}

/* A quote that is not closed swallows rows up to the next one: it is said where, and how many lines are in it. */
static void rows_swallowed_by_a_quote(void **state)
{
    static const char *const ends[] = {"", "Add,A-op4,output,0,float32,\"(2,)\",1\n",
                                       "Sub,\"D-op3,output,0,float32,(),2\nDiv,E-op4,output,0,float32,(),3\n"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        struct opened o;
        struct buf b = {0};
        buf_fmt(&b, "Op Type,Op Name,IO,Slot,Data Type,Shape,Max Value\nAdd,A-op0,output,0,float32,(),1\n"
                    "Mul,\"B-op1,output,0,float32,(),1\nSub,C-op2,output,0,float32,(),1\n%s", ends[i]);
        assert_int_equal(open_path(&o, table_of(b.p)), 0);
        bool said = false;
        for (size_t k = 0; k < o.d.problems.n; k++)
            said = said || (strstr(o.d.problems.v[k].text, "a quote may be missing") &&
                            strstr(o.d.problems.v[k].text, "statistic.csv: line 3"));
        assert_true(said);
        buf_release(&b);
        shut_opened(&o);
    }
}

static void missing_columns_are_said(void **state)
{
    static const struct {
        const char *table, *says;
    } cases[] = {
        {"Op Type,Op Name,IO,Slot,Shape,Max Value\nAdd,A-op0,output,0,(),1\n", "\"Data Type\""},
        {"Op Type,Op Name,IO,Slot,Data Type,Max Value\nAdd,A-op0,output,0,float32,1\n", "\"Shape\""},
        {"Op Type,Op Name,IO,Slot,Data Type,Shape\nAdd,A-op0,output,0,float32,()\n", "no column of statistics"},
        {"Op Type,Op Name,IO,Slot,Data Type,Shape,MD5\nAdd,A-op0,output,0,float32,(),0a\n", NULL},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct opened o;
        assert_int_equal(open_path(&o, table_of(cases[i].table)), 0);
        assert_int_equal(o.d.warnings.n, cases[i].says != NULL);
        if (cases[i].says && (!strstr(o.d.warnings.v[0], cases[i].says) || !strstr(o.d.warnings.v[0], "statistic.csv")))
            fail_msg("%s", o.d.warnings.v[0]);
        shut_opened(&o);
    }
}

static void every_cut_of_a_table(void **state)
{
    struct buf whole = {0};
    struct err e;
    char path[600];
    const char *dir = scratch();
    (void)state;
    assert_int_equal(file_slurp(sample("msdump_samples/tiny_2.10.0_hash/statistic.csv"), 1 << 20, &whole, &e), 0);
    snprintf(path, sizeof path, "%s/statistic.csv", dir);
    for (size_t n = 0; n < whole.n; n += n < 700 ? 1 : 331) {
        struct opened o;
        assert_int_equal(file_replace(path, str_n(whole.p, n), &e), 0);
        if (open_path(&o, dir) == 0) {
            assert_true(o.d.rows.n >= 1 && o.d.rows.n <= 105);
            assert_true(o.d.problems.n <= 1);
        } else {
            assert_int_equal(o.e.code, ERR_DATA);
            assert_true(n < 400);
        }
        shut_opened(&o);
    }
    buf_release(&whole);
}

/* ---- files ---- */

static const char npy2[] =
    "\x93NUMPY\1\0\x36\0{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}\n\0\0\x80?\0\0\0@";
#define NPY2 npy2, sizeof npy2 - 1

static void names_of_files(void **state)
{
    const char *dir = scratch();
    struct opened o;
    (void)state;
    put_bytes(dir, "MatMul.Default_MatMul-op1.0.0.30.output.0.DefaultFormat.Float32.npy", NPY2);
    put_bytes(dir, "MatMul.Default_MatMul-op1.0.0.20.input.1.DefaultFormat.npy", NPY2);
    put_bytes(dir, "MatMul.Default_MatMul-op1.0.0.40.output.0.DefaultFormat.npy", NPY2);        /* it ran again */
    put_bytes(dir, "Default_aclnn-op7.aclnnAdd.65535.65535.10.input.0.ND.float32.npy",
              NPY2); /* name and type swapped */
    put_bytes(dir, "Add.a.b.c.1.2.50.output.3.NCHW.npy", NPY2);                                 /* dots in the name */
    put_bytes(dir, "readme.npy", NPY2);
    put_bytes(dir, "MatMul.x.0.0.50.inout.3.NCHW.npy", NPY2);
    assert_int_equal(open_path(&o, dir), 0);
    assert_int_equal(o.d.rows.n, 5);
    assert_int_equal(row_named(&o.d, "aclnnAdd.Default_aclnn-op7.input.0"), 0); /* in the order of time stamps */
    assert_int_equal(row_named(&o.d, "MatMul.Default_MatMul-op1.input.1"), 1);
    assert_int_equal(row_named(&o.d, "MatMul.Default_MatMul-op1.output.0"), 2);
    assert_int_equal(row_named(&o.d, "MatMul.Default_MatMul-op1#2.output.0"), 3);
    assert_int_equal(row_named(&o.d, "Add.a.b.c.output.3"), 4);
    for (uint32_t r = 0; r < 5; r++)
        assert_true(o.d.rows.v[r].dtype == DTYPE_F32 && dump_row_numel(&o.d, r) == 2);
    shut_opened(&o);
}

static void files_that_do_not_read(void **state)
{
    const char *dir = scratch();
    struct opened o;
    struct tensor t;
    (void)state;
    put_bytes(dir, "A.x.0.0.1.output.0.ND.npy", NPY2);
    put_bytes(dir, "A.y.0.0.2.output.0.ND.npy", "no npy", 6);
    put_bytes(dir, "A.z.0.0.3.output.0.ND.npy", npy2, 40);
    put_bytes(dir, "A.w.0.0.4.output.0.ND.npy", NPY2);
    char path[600];
    snprintf(path, sizeof path, "%s/A.w.0.0.4.output.0.ND.npy", dir);
    unlink(path);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    assert_int_equal(open_path(&o, dir), 0);
    assert_int_equal(o.d.rows.n, 4);
    assert_int_equal(o.d.problems.n, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(o.d.rows.v[o.d.problems.v[i].row].has & IS_DAMAGED);
    assert_false(o.d.rows.v[row_named(&o.d, "A.x.output.0")].has & IS_DAMAGED);
    assert_int_equal(dump_tensor(&o.d, row_named(&o.d, "A.w.output.0"), &t, &o.e), -1);
    assert_non_null(strstr(o.e.text, "link to a place outside the dump"));
    shut_opened(&o);
}

static void mapped_names(void **state)
{
    static const char map[] = "123.npy,Add.Default_long-Name_Add-op1.0.0.5.output.0.DefaultFormat.Float32.npy\n"
                              "../../etc/passwd,Add.evil.0.0.6.output.0.ND.npy\n"
                              "124.npy,Add.Default_long-Name_Add-op2.0.0.8.output.0.ND.npy\n"
                              "nonsense\n77.npy,also nonsense\r\n"
                              "\"9.npy\",\"Mul.Default_a,b_Mul-op2.0.0.7.output.0.ND.npy\"";
    const char *dir = scratch();
    struct opened o;
    struct tensor t;
    (void)state;
    put_bytes(dir, "mapping.csv", map, strlen(map));
    put_bytes(dir, "123.npy", NPY2);
    put_bytes(dir, "55.npy", NPY2);
    put_bytes(dir, "9.npy", NPY2);
    assert_int_equal(open_path(&o, dir), 0);
    assert_int_equal(o.d.rows.n, 3);
    row_named(&o.d, "Mul.Default_a,b_Mul-op2.output.0");
    assert_true(o.d.problems.n >= 1);
    assert_non_null(strstr(o.d.problems.v[0].text, "mapping.csv: line 4: expected 2 fields, found 1"));
    assert_int_equal(o.d.warnings.n, 2);
    assert_non_null(strstr(o.d.warnings.v[0], "1 of the 4 files that it names are not in the folder"));
    assert_non_null(strstr(o.d.warnings.v[0], "the first is 124.npy"));
    assert_non_null(strstr(o.d.warnings.v[1], "2 .npy files skipped: no operator"));
    uint32_t r = row_named(&o.d, "Add.Default_long-Name_Add-op1.output.0");
    assert_int_equal(dump_tensor(&o.d, r, &t, &o.e), 0);
    tensor_close(&t);
    r = row_named(&o.d, "Add.evil.output.0");
    assert_int_equal(dump_tensor(&o.d, r, &t, &o.e), -1);
    assert_non_null(strstr(o.e.text, "not a file name inside"));
    shut_opened(&o);
}

static void files_beside_a_table(void **state)
{
    struct opened o;
    const char *dir = table_of(HEAD "Max Value\n"
                                    "A,x,0,0,1,output,0,8,float32,[2],1\n"
                                    "A,x,0,0,2,output,0,8,float32,[2],2\n"
                                    "A,y,0,0,3,output,0,8,float32,[2],3\n");
    (void)state;
    put_bytes(dir, "A.x.0.0.2.output.0.ND.npy", NPY2);
    put_bytes(dir, "A.x.0.0.1.output.0.ND.npy", NPY2);
    put_bytes(dir, "A.x.0.0.9.output.0.ND.npy", NPY2); /* a third run, of which the table knows nothing */
    assert_int_equal(open_path(&o, dir), 0);
    assert_int_equal(o.d.rows.n, 4);
    const struct dump *d = &o.d;
    uint32_t one = row_named(d, "A.x.output.0"), two = row_named(d, "A.x#2.output.0");
    assert_string_equal(d->extras.v[d->rows.v[one].extra].file, "A.x.0.0.1.output.0.ND.npy");
    assert_string_equal(d->extras.v[d->rows.v[two].extra].file, "A.x.0.0.2.output.0.ND.npy");
    assert_false(d->rows.v[row_named(d, "A.y.output.0")].has & HAS_FILE);
    shut_opened(&o);
}

static void graphs_are_parts(void **state)
{
    const char *root = scratch();
    struct opened o;
    char path[600];
    (void)state;
    for (int g = 0; g < 2; g++) {
        static const char *const folders[2][5] = {
            {"/rank_3", "/rank_3/Net", "/rank_3/Net/0", "/rank_3/Net/0/7", NULL},
            {"/rank_3/Net/1", "/rank_3/Net/1/7", NULL},
        };
        for (const char *const *sub = folders[g]; *sub; sub++) {
            snprintf(path, sizeof path, "%s%s", root, *sub);
            mkdir(path, 0755);
        }
        char csv[300];
        snprintf(csv, sizeof csv, HEAD "Max Value\nA,g%d,0,0,1,output,0,8,float32,[2],%d\n", g, g);
        put_bytes(path, "statistic.csv", csv, strlen(csv));
        snprintf(csv, sizeof csv, "A.g%d.0.0.1.output.0.ND.npy", g);
        put_bytes(path, csv, NPY2);
    }
    assert_int_equal(open_path(&o, root), 0);
    assert_int_equal(o.places.v[0].step, 7);
    assert_int_equal(o.places.v[0].rank, 3);
    assert_int_equal(o.places.v[0].paths.n, 2);
    assert_int_equal(o.d.rows.n, 2);
    for (uint32_t r = 0; r < 2; r++) {
        struct tensor t;
        assert_int_equal(dump_tensor(&o.d, r, &t, &o.e), 0); /* each in its own folder */
        tensor_close(&t);
    }
    shut_opened(&o);
}

/* An operator that two graphs have is one call in each, with its input and its output. */
static void graphs_share_names(void **state)
{
    const char *root = scratch();
    struct opened o;
    (void)state;
    for (int g = 0; g < 2; g++) {
        char path[100];
        snprintf(path, sizeof path, "rank_0/Net/%d/1/statistic.csv", g);
        put_text(root, path, HEAD "Max Value\nA,x,0,0,1,input,0,8,float32,[2],1\nA,x,0,0,2,output,0,8,float32,[2],2\n");
        snprintf(path, sizeof path, "rank_0/Net/%d/1/A.x.0.0.2.output.0.ND.npy", g);
        put_bytes(root, path, NPY2);
    }
    assert_int_equal(open_path(&o, root), 0);
    assert_int_equal(o.d.rows.n, 4);
    assert_int_equal(o.d.calls.n, 2);
    uint32_t in = row_named(&o.d, "A.x#2.input.0"), out = row_named(&o.d, "A.x#2.output.0");
    assert_int_equal(o.d.rows.v[in].call, o.d.rows.v[out].call);
    assert_true(o.d.rows.v[out].has & HAS_FILE);
    shut_opened(&o);
}

/* ---- runs of the program that wrote into one folder ---- */

struct written {
    const char *op;
    unsigned ms; /* since the first one */
};

/* A folder of tensors and one with the same as a table; `root` is where both are made. */
static void write_runs(const char *root, const struct written *v, size_t n)
{
    struct buf csv = {0};
    buf_cstr(&csv, HEAD "Max Value\n");
    for (size_t i = 0; i < n; i++) {
        char path[120];
        unsigned long long time = 1796078039650566 + 1000ULL * v[i].ms;
        snprintf(path, sizeof path, "files/Mul.%s.0.0.%llu.output.0.ND.Float32.npy", v[i].op, time);
        put_bytes(root, path, NPY2);
        buf_fmt(&csv, "Mul,%s,0,0,%llu,output,0,8,float32,\"(2,)\",%zu\n", v[i].op, time, i);
    }
    put_bytes(root, "table/statistic.csv", csv.p, csv.n);
    buf_release(&csv);
}

/* Opens both and counts their rows; a warning stands where some were left out. */
static size_t rows_of_runs(const char *root, bool *warned, double *first)
{
    static const char *const folders[] = {"files", "table"};
    size_t rows[2];
    for (int i = 0; i < 2; i++) {
        struct opened o;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", root, folders[i]);
        assert_int_equal(open_path(&o, path), 0);
        rows[i] = o.d.rows.n;
        *warned = o.d.warnings.n > 0;
        *first = o.d.rows.v[0].stat[STAT_MAX];
        assert_true(!*warned || strstr(o.d.warnings.v[0], "earlier runs"));
        shut_opened(&o);
    }
    assert_int_equal(rows[0], rows[1]);
    return rows[0];
}

static void the_last_of_several_runs_is_read(void **state)
{
    /* the third run lacks "b" and has "d" */
    static const struct written runs[] = {{"a", 0}, {"b", 20}, {"c", 30}, {"a", 7000}, {"b", 7030}, {"c", 7040},
                                          {"a", 20000}, {"d", 20010}, {"c", 20020}};
    bool warned;
    double first;
    const char *root = scratch();
    (void)state;
    write_runs(root, runs, ARRAY_LEN(runs));
    assert_int_equal(rows_of_runs(root, &warned, &first), 3);
    assert_true(warned);
    assert_true(first == 6);
}

/* What runs again within one run: micro-batches, a loop, one kernel behind a long wait. */
static void what_runs_again_is_no_other_run(void **state)
{
    static const struct written batches[] = {{"a", 0}, {"b", 200}, {"a", 400}, {"b", 600}},
                                slow[] = {{"a", 0}, {"b", 900}, {"a", 2500}, {"b", 3200}},
                                loop[] = {{"x", 0}, {"y", 1}, {"z", 2}, {"a", 3}, {"b", 4}, {"a", 3000}, {"b", 3001}},
                                last[] = {{"x", 0}, {"y", 1}, {"z", 2}, {"x", 3000}};
    static const struct {
        const struct written *v;
        size_t n;
    } cases[] = {{batches, 4}, {slow, 4}, {loop, 7}, {last, 4}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        bool warned;
        double first;
        const char *root = scratch();
        write_runs(root, cases[i].v, cases[i].n);
        assert_int_equal(rows_of_runs(root, &warned, &first), cases[i].n);
        assert_false(warned);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_the_samples),
        cmocka_unit_test(figures_are_the_frameworks),
        cmocka_unit_test(rows_of_the_dtypes_sample),
        cmocka_unit_test(long_names),
        cmocka_unit_test(columns_of_all_versions),
        cmocka_unit_test(shapes_and_values),
        cmocka_unit_test(repeated_operators),
        cmocka_unit_test(phases_scopes_and_families),
        cmocka_unit_test(damaged_tables),
        cmocka_unit_test(cells_that_cannot_be_read_are_told),
        cmocka_unit_test(a_header_that_lacks_a_column),
        cmocka_unit_test(cut_lines),
        cmocka_unit_test(rows_swallowed_by_a_quote),
        cmocka_unit_test(missing_columns_are_said),
        cmocka_unit_test(every_cut_of_a_table),
        cmocka_unit_test(names_of_files),
        cmocka_unit_test(files_that_do_not_read),
        cmocka_unit_test(mapped_names),
        cmocka_unit_test(files_beside_a_table),
        cmocka_unit_test(graphs_are_parts),
        cmocka_unit_test(graphs_share_names),
        cmocka_unit_test(the_last_of_several_runs_is_read),
        cmocka_unit_test(what_runs_again_is_no_other_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
