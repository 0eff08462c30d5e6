/* What lies beside the rows of a MindSpore Dump, cut apart at lines of "%%": a graph (.ir), an overflow record
 * (.json) and an order of execution. The rows are always the same. */
#include "fuzz_dump.h"

#include "fmt/msdump.h"

static const char table[] = "Op Type,Op Name,Task ID,Stream ID,IO,Slot\n"
                            "Add,Default_a-A_Add-op0,1,2,output,0\nMul,Default_a-A_Mul-op0,3,2,output,0\n"
                            "Mul,Default_a-A_Mul-op0,4,2,output,0\nSub,Default_Sub-op1,3,2,input,0\n";
static const char npy[] = "\x93NUMPY\1\0\x36\0{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}\n\0\0\x80?";

/* …/rank_0/Net/0/0 with its rows, made once. */
static const char *part(const char **graphs, const char **order)
{
    static char rank[600], dir[700], ir[700], csv[700];
    if (!*dir) {
        snprintf(rank, sizeof rank, "%s/rank_0", fuzz_dir());
        snprintf(dir, sizeof dir, "%s/Net", rank);
        if (mkdir(rank, 0755) || mkdir(dir, 0755))
            abort();
        strcat(dir, "/0");
        mkdir(dir, 0755);
        strcat(dir, "/0");
        mkdir(dir, 0755);
        snprintf(ir, sizeof ir, "%s/graphs", rank);
        snprintf(csv, sizeof csv, "%s/execution_order", rank);
        mkdir(ir, 0755);
        mkdir(csv, 0755);
        fuzz_put(dir, "statistic.csv", str_of(table));
        fuzz_put(dir, "Add.Default_a-A_Add-op0.1.2.7.output.0.DefaultFormat.Float32.npy", str_n(npy, sizeof npy - 1));
        fuzz_put(dir, "Abs.Default_a-A_Abs-op0.5.2.7.output.0.DefaultFormat.Float32.npy", str_n(npy, sizeof npy - 1));
    }
    *graphs = ir;
    *order = csv;
    return dir;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_dump x;
    struct str rest = fuzz_str(data, size);
    struct err e = {0};
    const char *graphs, *order, *dir = part(&graphs, &order);
    fuzz_put(graphs, "ms_output_trace_code_graph_0.ir", fuzz_part(&rest));
    fuzz_put(dir, "Opdebug.Node_OpDebug.1.2.3.output.0.json", fuzz_part(&rest));
    fuzz_put(order, "ms_execution_order_graph_0.csv", rest);
    if (fuzz_open(&x, &reader_msdump, dir, &e))
        abort(); /* nothing of this may keep the rows from being read */
    assert(x.dump.rows.n == 5);
    fuzz_check_dump(&x.dump);
    fuzz_close(&x);
    return 0;
}
