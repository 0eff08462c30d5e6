/* What lies beside the rows of a MindSpore Dump: overflow records, the order of execution, source lines. */
#include "opened.h"

#include <math.h>
#include <unistd.h>

#include "dump/computed_figures.h"
#include "table/evidence.h"
#include "fmt/msdump.h"

#define FORMAT "mindspore-dump"

static const char npy[] =
    "\x93NUMPY\1\0\x38\0{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}\n\0\0\x80?\0\0\0@";

static const char table[] =
    "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,Min Value\n"
    "Add,Default_net-Net_Add-op0,56,563,10,input,0,4,float16,\"(2,)\",1,0,\n"
    "Add,Default_net-Net_Add-op0,56,563,10,output,0,4,float16,\"(2,)\",1,0,\n"
    "MatMul,Default_net-Net_MatMul-op0,57,563,11,input,0,4,float16,\"(2,)\",1,0,\n"
    "MatMul,Default_net-Net_MatMul-op0,57,563,11,output,0,4,float16,\"(2,)\",65504,0,\n"
    "Mul,Default_net-Net_Mul-op0,58,563,12,output,0,4,float16,\"(2,)\",1,0,\n"
    "Mul,Default_net-Net_Mul-op1,58,563,13,output,0,4,float16,\"(2,)\",1,0,\n";

/* Names as files have them, in the order their kernels ended; the order they were launched in is another. */
static void npy_files_stand_in_launch_order(void **state)
{
    static const char *const names[] = {"A-op0", "B-op0", "C-op0", "D-op0"};
    static const char *const ended[] = {"30", "10", "20", "25"};
    struct opened o;
    const char *dir = scratch();
    (void)state;
    for (int i = 0; i < 4; i++) {
        char name[200];
        snprintf(name, sizeof name, "rank_0/Net/0/0/Add.Default_net-Net_%s.0.0.%s.output.0.DefaultFormat.Float32.npy",
                 names[i], ended[i]);
        put_bytes(dir, name, npy, sizeof npy - 1);
    }
    put_text(dir, "rank_0/execution_order/ms_execution_order_graph_0.csv",
             "NodeExecutionOrder-FullNameWithScope\nDefault/net-Net/A-op0\nDefault/net-Net/B-op0\nDefault/net-Net/"
             "D-op0\n");
    assert_int_equal(open_as(&o, dir, FORMAT), 0);
    assert_int_equal(o.d.calls.n, 4);
    static const char *const want[] = {"A-op0", "B-op0", "C-op0", "D-op0"}; /* C, which is not listed, ended behind B */
    for (uint32_t c = 0; c < 4; c++)
        assert_true(str_ends(dump_call_name(&o.d, c), want[c]));
    shut_opened(&o);
}

/* Tensors alone have no figures until they are computed from the files; what was computed is marked and is no part of
 * the recording's fingerprint. */
static void figures_that_were_not_recorded(void **state)
{
    static const char nan_npy[] =
        "\x93NUMPY\1\0\x38\0{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}\n\0\0\xc0\x7f\0\0\0@";
    struct opened o;
    const char *dir = scratch();
    (void)state;
    put_bytes(dir, "rank_0/Net/0/0/Add.Default_net-Net_A-op0.0.0.1.output.0.DefaultFormat.Float32.npy", npy,
              sizeof npy - 1);
    put_bytes(dir, "rank_0/Net/0/0/Add.Default_net-Net_B-op0.0.0.2.output.0.DefaultFormat.Float32.npy", nan_npy,
              sizeof nan_npy - 1);
    put_bytes(dir, "rank_0/Net/0/0/Add.Default_net-Net_C-op0.0.0.3.output.0.DefaultFormat.Float32.npy", npy,
              70); /* cut */
    assert_int_equal(open_as(&o, dir, FORMAT), 0);
    uint64_t before = dump_fingerprint(&o.d);
    computed_figures_fill(&o.d, kern_select(NULL), 2, &o.load, NULL);
    const struct row *a = &o.d.rows.v[row_named(&o.d, "Add.Default_net-Net_A-op0.output.0")];
    const struct row *b = &o.d.rows.v[row_named(&o.d, "Add.Default_net-Net_B-op0.output.0")];
    const struct row *c = &o.d.rows.v[row_named(&o.d, "Add.Default_net-Net_C-op0.output.0")];
    assert_true(a->stat[STAT_MAX] == 2 && a->stat[STAT_MIN] == 1 && a->stat[STAT_MEAN] == 1.5 &&
                fabs(a->stat[STAT_NORM] - sqrt(5)) < 1e-12);
    assert_int_equal(a->has >> IS_COMPUTED, HAS_MAX | HAS_MIN | HAS_MEAN | HAS_NORM);
    assert_true(isnan(b->stat[STAT_NORM]) && b->extra != NONE && o.d.extras.v[b->extra].nan == 1);
    assert_int_equal(c->has & (HAS_MAX | HAS_MIN | HAS_NORM), 0);
    assert_true(dump_fingerprint(&o.d) == before);
    shut_opened(&o);
}

/* ---- overflow records ---- */

#define UNIT(name, task, status) \
    "\"" name "\": {\"model_id\": 514, \"stream_id\": 563, \"task_id\": " #task \
    ", \"task_type\": 0, \"pc_start\": \"0x1008005b0000\", " \
    "\"para_base\": \"0x0\", \"status\": " status "}"

/* As CANN's converter writes them: one unit's status is not zero. */
static const char old_record[] =
    "{" UNIT("DHA Atomic Add", 0, "0") ", " UNIT("L2 Atomic Add", 0, "0") ", " UNIT("AI Core", 57, "32") "}";

static const char new_record[] =
    "{\"magic\": \"0x5a5a5a5a\", \"version\": 1, \"acc_list\": {\"valid\": 1, \"acc_type\": \"AIV\", \"rsv\": 0,"
    "\"data_len\": 88, \"data\": {\"model_id\": 1, \"stream_id\": 563, \"task_id\": 56, \"status\": [0, 4, 0, 0]}}}";

static void an_overflow_names_its_operator(void **state)
{
    struct opened o;
    struct buf name = {0};
    const char *dir = scratch();
    (void)state;
    put_text(dir, "rank_0/Net/0/0/statistic.csv", table);
    put_text(dir, "rank_0/Net/0/0/Opdebug.Node_OpDebug.9.5.1732082705016774.output.0.json", old_record);
    put_text(dir, "rank_0/Net/0/0/Opdebug.Node_OpDebug.9.6.1732082705016775.output.0.json", new_record);
    assert_int_equal(open_as(&o, dir, FORMAT), 0);
    assert_int_equal(o.d.rows.n, 6);
    assert_int_equal(o.d.problems.n, 2);
    assert_string_equal(o.d.problems.v[0].kind, "overflow");
    assert_true(o.d.problems.v[0].recorded);
    assert_non_null(strstr(o.d.problems.v[0].text, "AI Core"));
    assert_non_null(strstr(o.d.problems.v[0].text, "status 32"));
    assert_non_null(strstr(o.d.problems.v[0].text, "MatMul.Default_net-Net_MatMul-op0"));
    dump_row_name(&o.d, o.d.problems.v[0].row, &name);
    assert_string_equal(name.p, "MatMul.Default_net-Net_MatMul-op0.output.0");
    assert_int_equal(o.d.rows.v[o.d.problems.v[0].row].has & IS_DAMAGED, 0);
    assert_non_null(strstr(o.d.problems.v[1].text, "AIV"));
    assert_non_null(strstr(o.d.problems.v[1].text, "status 4"));
    assert_int_equal(o.d.problems.v[1].row, row_named(&o.d, "Add.Default_net-Net_Add-op0.output.0"));
    buf_release(&name);
    shut_opened(&o);
}

static void records_that_lead_nowhere(void **state)
{
    static const struct {
        const char *text, *says; /* NULL: nothing is wrong */
        const char *kind;
    } cases[] = {
        {"{" UNIT("AI Core", 99, "1") "}", "no operator of this dump has that task number", "overflow"},
        {"{" UNIT("AI Core", 58, "1") "}", "several operators of this dump have that task number", "overflow"},
        {"{" UNIT("AI Core", 57, "0") "}", NULL, NULL},
        {"{\"AI Core\": {\"status\": 3}}", "no task in the record", "overflow"},
        {"{\"AI Core\": {\"status\": 3, \"task_id\": -1, \"stream_id\": 1e300}}", "no task in the record", "overflow"},
        {"{\"AI Core\": 5, \"x\": [1]}", NULL, NULL},
        {"{\"acc_list\": [{\"data\": {\"status\": 9}}, 5]}", "? overflowed", "overflow"},
        {"[]", NULL, NULL},
        {"{", "invalid JSON", "damaged"},
        {"", "invalid JSON", "damaged"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct opened o;
        const char *dir = scratch();
        put_text(dir, "statistic.csv", table);
        put_text(dir, "Opdebug.Node_OpDebug.9.5.1732082705016774.output.0.json", cases[i].text);
        assert_int_equal(open_as(&o, dir, FORMAT), 0);
        assert_int_equal(o.d.problems.n, cases[i].says != NULL);
        if (cases[i].says) {
            assert_non_null(strstr(o.d.problems.v[0].text, cases[i].says));
            assert_string_equal(o.d.problems.v[0].kind, cases[i].kind);
            assert_int_equal(o.d.problems.v[0].row, NONE);
        }
        shut_opened(&o);
    }
}

static void overflow_records_alone(void **state)
{
    struct opened o;
    const char *dir = scratch();
    (void)state;
    put_text(dir, "Opdebug.Node_OpDebug.9.5.1732082705016774.output.0.json", old_record);
    assert_int_equal(open_as(&o, dir, FORMAT), 0);
    assert_int_equal(o.d.rows.n, 0);
    assert_int_equal(o.d.problems.n, 1);
    shut_opened(&o);
}

/* A record as CANN writes it: the header's length, DumpData with one output of n bytes, those. */
static void put_record(const char *dir, const char *name, const unsigned char *bytes, size_t n)
{
    unsigned char b[4096] = {9, 0, 0, 0, 0, 0, 0, 0, 0x1a, 7, 8, 4, 16, 2, 0x30};
    b[15] = (unsigned char)(n & 127) | 128;
    b[16] = (unsigned char)(n >> 7);
    memcpy(b + 17, bytes, n);
    put_bytes(dir, name, (const char *)b, 17 + n);
}

static void set_number(unsigned char *p, size_t at, uint64_t x)
{
    for (int i = 0; i < 8; i++)
        p[at + (size_t)i] = (unsigned char)(x >> 8 * i);
}

/* The same operators are named as by the converted records. */
static void binary_records(void **state)
{
    static const char *const old_name = "Opdebug.Node_OpDebug.9.5.1732082705016774",
                             *const new_name = "Opdebug.Node_OpDebug.9.6.1732082705016775";
    unsigned char old[2048] = {0}, new[24 + 14 * 8] = {0x5a, 0x5a, 0x5a, 0x5a, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    struct opened o;
    const char *dir = scratch();
    char path[600];
    (void)state;
    put_text(dir, "statistic.csv", table);
    set_number(old, 256 + 8, 563); /* of the cores */
    set_number(old, 256 + 16, 57);
    set_number(old, 1040, 32);
    put_record(dir, old_name, old, sizeof old);
    set_number(new, 24 + 8, 563);
    set_number(new, 24 + 16, 56);
    set_number(new, 24 + 8 * 11, 4);
    put_record(dir, new_name, new, sizeof new);
    assert_int_equal(open_as(&o, dir, FORMAT), 0);
    assert_int_equal(o.d.problems.n, 2);
    assert_string_equal(o.d.problems.v[0].kind, "overflow");
    assert_non_null(strstr(o.d.problems.v[0].text,
                           "AI Core overflowed (status 32) in MatMul.Default_net-Net_MatMul-op0"));
    assert_non_null(strstr(o.d.problems.v[1].text, "AIV overflowed (status 4)"));
    assert_int_equal(o.d.problems.v[1].row, row_named(&o.d, "Add.Default_net-Net_Add-op0.output.0"));
    shut_opened(&o);
    /* a converted one beside it is the same record */
    snprintf(path, sizeof path, "%s.output.0.json", old_name);
    put_text(dir, path, old_record);
    assert_int_equal(open_as(&o, dir, FORMAT), 0);
    assert_int_equal(o.d.problems.n, 2);
    shut_opened(&o);
}

/* What is no such record is damaged, not clean. */
static void binary_records_unread(void **state)
{
    static const size_t sizes[] = {0, 1, 23, 24, 100, 2047, 2049};
    unsigned char bytes[2049];
    struct opened o;
    const char *dir = scratch();
    (void)state;
    put_text(dir, "statistic.csv", table);
    memset(bytes, 0x5a, sizeof bytes);
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        put_record(dir, "Opdebug.Node_OpDebug.9.5.1732082705016774", bytes, sizes[i]);
        assert_int_equal(open_as(&o, dir, FORMAT), 0);
        assert_int_equal(o.d.problems.n, 1);
        assert_string_equal(o.d.problems.v[0].kind, "damaged");
        shut_opened(&o);
    }
    put_text(dir, "Opdebug.Node_OpDebug.9.5.1732082705016774", "\1\2\3");
    assert_int_equal(open_as(&o, dir, FORMAT), 0);
    assert_int_equal(o.d.problems.n, 1);
    shut_opened(&o);
}

/* Kernel by kernel and asynchronous: operators in {device}/, what communicates in {device}/…/{iteration}/. */
static void parts_below_each_other(void **state)
{
    struct opened o;
    const char *dir = scratch();
    (void)state;
    put_bytes(dir, "3/20230822120819/1/Add.Default_Add-op0.57.3.7.output.0.npy", npy, sizeof npy - 1);
    put_bytes(dir, "3/20230822120819/1/Net/0/2/AllReduce.Default_AllReduce-op0.58.3.8.output.0.npy", npy,
              sizeof npy - 1);
    put_text(dir, "3/20230822120819/1/Opdebug.Node_OpDebug.9.5.1732082705016774.output.0.json", old_record);
    assert_int_equal(open_as(&o, dir, FORMAT), 0);
    assert_int_equal(o.places.n, 1);
    assert_int_equal(o.places.v[0].step, 3);
    assert_int_equal(o.places.v[0].rank, 1);
    assert_int_equal(o.d.rows.n, 2);
    row_named(&o.d, "AllReduce.Default_AllReduce-op0.output.0");
    assert_int_equal(o.d.problems.n, 1);
    shut_opened(&o);
}

/* ---- the order of execution ---- */

static void put_tensor(const char *dir, const char *op, const char *time)
{
    char name[300];
    snprintf(name, sizeof name, "rank_0/Net/2/0/%s.0.0.%s.output.0.DefaultFormat.Float32.npy", op, time);
    put_bytes(dir, name, npy, sizeof npy - 1);
}

static void files_of_one_moment(void **state)
{
    static const char *const want[] = {"Sub.Default_net-Net_Sub-op0.output.0", "Neg.Default_net-Net_Neg-op0.output.0",
                                       "Mul.Default_net-Net_Mul-op0.output.0", "Add.Default_net-Net_Add-op0.output.0",
                                       "Abs.Default_net-Net_Abs-op0.output.0"};
    struct opened o;
    struct buf name = {0};
    const char *dir = scratch();
    (void)state;
    put_tensor(dir, "Add.Default_net-Net_Add-op0", "7");
    put_tensor(dir, "Mul.Default_net-Net_Mul-op0", "7");
    put_tensor(dir, "Abs.Default_net-Net_Abs-op0", "7"); /* not in the file: behind what was written before it */
    put_tensor(dir, "Neg.Default_net-Net_Neg-op0", "8"); /* launched first, ended last */
    put_tensor(dir, "Sub.Default_net-Net_Sub-op0", "6");
    put_text(dir, "rank_0/execution_order/ms_execution_order_graph_2.csv",
             "NodeExecutionOrder-FullNameWithScope\nDefault/net-Net/Neg-op0\nDefault/net-Net/Mul-op0\nDefault/net-Net/"
             "Add-op0\n");
    put_text(dir, "rank_0/execution_order/ms_execution_order_graph_1.csv",
             "x\nDefault/net-Net/Add-op0\nDefault/net-Net/Mul-op0\n");
    assert_int_equal(open_as(&o, dir, FORMAT), 0);
    assert_int_equal(o.d.rows.n, 5);
    for (uint32_t r = 0; r < 5; r++) {
        dump_row_name(&o.d, r, &name);
        assert_string_equal(name.p, want[r]);
    }
    buf_release(&name);
    shut_opened(&o);
}

/* The dump has a Cast-op0 that the file does not list, so its Cast-op1 and Cast-op2 are others than the file's: a later
 * pass of the compiler inserted casts and numbered them anew. Casts stay behind what ended before them. */
static void operators_numbered_anew(void **state)
{
    static const char *const want[] = {"Mul-op0", "Cast-op0", "Cast-op2", "Add-op0", "Cast-op1"};
    struct opened o;
    const char *dir = scratch();
    (void)state;
    put_tensor(dir, "Mul.Default_net-Net_Mul-op0", "1");
    put_tensor(dir, "Cast.Default_net-Net_Cast-op0", "2");
    put_tensor(dir, "Cast.Default_net-Net_Cast-op2", "3");
    put_tensor(dir, "Add.Default_net-Net_Add-op0", "4");
    put_tensor(dir, "Cast.Default_net-Net_Cast-op1", "5");
    put_text(dir, "rank_0/execution_order/ms_execution_order_graph_2.csv",
             "NodeExecutionOrder-FullNameWithScope\nDefault/net-Net/Cast-op2\nDefault/net-Net/Cast-op1\n"
             "Default/net-Net/Mul-op0\nDefault/net-Net/Cast-op3\nDefault/net-Net/Add-op0\n");
    assert_int_equal(open_as(&o, dir, FORMAT), 0);
    assert_int_equal(o.d.calls.n, 5);
    for (uint32_t c = 0; c < 5; c++)
        if (!str_ends(dump_call_name(&o.d, c), want[c]))
            fail_msg("call %u is %.*s", c, STR_ARG(dump_call_name(&o.d, c)));
    shut_opened(&o);
}

/* ---- source lines ---- */

static const struct frame *frame_of(const struct dump *d, const char *row, uint32_t k)
{
    uint32_t stack = d->calls.v[d->rows.v[row_named(d, row)].call].stack;
    assert_int_not_equal(stack, NONE);
    assert_true(k < d->stacks.v[stack].n);
    return &d->frames.v[d->stack_frames.v[d->stacks.v[stack].first + k]];
}

/* The graph MindSpore 2.7.1 wrote beside its dump. */
static void a_real_graph(void **state)
{
    static const char row[] =
        "Rsqrt.Default_network-WithLossCell__backbone-Net_layers-CellList_0-Block_norm-Norm_Rsqrt-op0.output.0";
    struct opened o;
    (void)state;
    assert_int_equal(open_as(&o, sample("msdump_graph"), FORMAT), 0);
    assert_int_equal(o.d.rows.n, 97);
    assert_int_equal(o.d.stacks.n, 53);
    assert_int_equal(o.d.problems.n, 0);
    const struct frame *f = frame_of(&o.d, row, 1);
    assert_string_equal(f->file, "/workspace/train.py");
    assert_int_equal(f->line, 17);
    assert_string_equal(f->func, "construct");
    assert_string_equal(f->code, "return x * ops.rsqrt(v + 1e-5) * self.weight");
    /* an operator of the backward pass shows its forward node's lines */
    f = frame_of(&o.d,
                 "RealDiv.Gradients_Default_network-WithLossCell__loss_fn-MSELoss_Grad_ReduceMean_RealDiv-op0.output.0",
                 0);
    assert_string_equal(f->code, "x = self.reduce_mean(x, self.get_axis(x))");
    assert_string_equal(f->func, "get_loss");
    uint32_t gradient =
        row_named(&o.d, "MatMul.Gradients_Default_network-WithLossCell__backbone-Net_layers-CellList_0-Block_fc2-Dense_"
                        "Grad_MatMul_MatMul-op3.output.0");
    uint32_t twin = o.d.calls.v[o.d.rows.v[gradient].call].twin;
    assert_true(twin != NONE);
    assert_true(str_ends(dump_call_name(&o.d, twin), "_0-Block_fc2-Dense_MatMul-op0"));
    uint32_t parameter = row_named(&o.d, "Parameter.inputs0.output.0");
    assert_int_equal(o.d.calls.v[o.d.rows.v[parameter].call].stack, NONE);
    shut_opened(&o);
}

/* Lines as versions print them: with and without columns, in brackets, with remarks. */
static void forms_of_lines(void **state)
{
    static const char ir[] = "#IR entry      : @1\n"
                             "# In file no.py:1/ nobody's\n"
                             "  %0(a) = Add(%p)\n"
                             "      # fullname with scope: (Default/net-Net/Add-op0)\n"
                             "      # In file old.py(20)/        a = self.sub(x, 1)/\n"
                             "      # In file a b/c:d.py:7~9, 4~19/    def construct(self, x):/\n"
                             "      # In file a b/c:d.py:8, 2~3/  y = x / 2 / 3/<~~This line of code can be shared by "
                             "multiple nodes, and may be duplicated./\n"
                             "      # In file a b/c:d.py:8, 1~9/  y = x / 2 / 3/\n"
                             "      # In file nothing here\n"
                             "      # In file :5/\n"
                             "      # Corresponding code candidate:\n"
                             "      # - In file fused.py:3/z/\n"
                             "  %1(b) = MatMul(%0)\n"
                             "      # Fullname with scope: (Default/net-Net/MatMul-op0\n"
                             "      # In file x.py:1/lost/\n"
                             "  %2(b) = MatMul(%0)\n"
                             "      # Fullname with scope: (Default/net-Net/Mul-op1)\n"
                             "      # In file \033[31mx.py:1/\033[2J/\n"
                             "}\n";
    struct opened o;
    const char *dir = scratch();
    (void)state;
    put_text(dir, "rank_0/Net/0/0/statistic.csv", table);
    put_text(dir, "rank_0/graphs/ms_output_trace_code_graph_0.ir", ir);
    put_text(dir, "rank_0/graphs/ms_output_trace_code_graph_10.ir",
             "# Fullname with scope: (Default/net-Net/Mul-op0)\n# In file wrong.py:1/x/\n");
    assert_int_equal(open_as(&o, dir, FORMAT), 0);
    static const char row[] = "Add.Default_net-Net_Add-op0.output.0";
    assert_string_equal(frame_of(&o.d, row, 0)->file, "fused.py");
    const struct frame *f = frame_of(&o.d, row, 1);
    assert_string_equal(f->file, "a b/c:d.py");
    assert_int_equal(f->line, 8);
    assert_string_equal(f->func, "construct");
    assert_string_equal(f->code, "y = x / 2 / 3");
    f = frame_of(&o.d, row, 2);
    assert_string_equal(f->file, "old.py");
    assert_int_equal(f->line, 20);
    assert_string_equal(f->code, "a = self.sub(x, 1)");
    assert_int_equal(o.d.stacks.v[o.d.calls.v[0].stack].n, 3);
    assert_int_equal(o.d.stacks.n, 2);
    assert_int_equal(o.d.calls.v[o.d.rows.v[row_named(&o.d, "Mul.Default_net-Net_Mul-op0.output.0")].call].stack, NONE);
    shut_opened(&o);
}

/* Links out of the dump are not followed, whatever they are called. */
static void links_out_of_the_dump(void **state)
{
    struct opened o;
    char path[400], to[400];
    const char *dir = scratch(), *other = scratch();
    (void)state;
    put_text(dir, "rank_0/Net/0/0/statistic.csv", table);
    put_text(dir, "rank_0/graphs/none", "");
    put_text(other, "g.ir", "# Fullname with scope: (Default/net-Net/Add-op0)\n# In file secret.py:1/x/\n");
    put_text(other, "o.json", old_record);
    snprintf(path, sizeof path, "%s/rank_0/graphs/ms_output_trace_code_graph_0.ir", dir);
    snprintf(to, sizeof to, "%s/g.ir", other);
    assert_int_equal(symlink(to, path), 0);
    snprintf(path, sizeof path, "%s/rank_0/Net/0/0/Opdebug.Node_OpDebug.1.1.1.output.0.json", dir);
    snprintf(to, sizeof to, "%s/o.json", other);
    assert_int_equal(symlink(to, path), 0);
    assert_int_equal(open_as(&o, dir, FORMAT), 0);
    assert_int_equal(o.d.stacks.n, 0);
    assert_int_equal(o.d.problems.n, 1);
    assert_string_equal(o.d.problems.v[0].kind, "damaged");
    shut_opened(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(npy_files_stand_in_launch_order),
        cmocka_unit_test(figures_that_were_not_recorded),
        cmocka_unit_test(an_overflow_names_its_operator),
        cmocka_unit_test(records_that_lead_nowhere),
        cmocka_unit_test(overflow_records_alone),
        cmocka_unit_test(binary_records), cmocka_unit_test(binary_records_unread),
        cmocka_unit_test(parts_below_each_other),
        cmocka_unit_test(files_of_one_moment),
        cmocka_unit_test(operators_numbered_anew),
        cmocka_unit_test(a_real_graph),
        cmocka_unit_test(forms_of_lines),
        cmocka_unit_test(links_out_of_the_dump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
