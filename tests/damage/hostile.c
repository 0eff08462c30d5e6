/* Files made to do harm, one case at a time: `hostile` lists the cases, `hostile NAME FOLDER` makes one below FOLDER.
 * tests/damage/run opens them. A line of the list: NAME, what has to come of it (refuse, report, fine, any: as in run),
 * the path below FOLDER to open, and how (check, weights, compare, twice, config, map, merge, changes, since). What
 * lies in FOLDER/outside must never be read: its tensor holds 1337.25. */
#include "hostile.h"

/* ---- dumps around one hostile thing ---- */

#define TENSOR(file) \
    "{\"type\": \"mindspore.Tensor\", \"dtype\": \"Float32\", \"shape\": [4], \"Max\": 1, \"Min\": 0, \"data_name\": " \
    "\"" file "\"}"
#define HEAD(level) \
    "{\"task\": \"tensor\", \"level\": \"" level \
    "\", \"framework\": \"mindspore\", \"dump_data_dir\": \"x\", \"data\": {"

static void sides(const char *dir)
{
    char name[200];
    snprintf(name, sizeof name, "%s/stack.json", dir);
    text(name, "{}");
    snprintf(name, sizeof name, "%s/construct.json", dir);
    text(name, "{}");
    snprintf(name, sizeof name, "%s/dump_tensor_data/good.npy", dir);
    npy(name, "(4,)", 4, 1);
}

static void dump_of_file(const char *file)
{
    FILE *f = create("d/dump.json");
    fprintf(f,
            HEAD("L1") "\"Functional.a.0.forward\": {\"output\": [{\"type\": \"mindspore.Tensor\", \"dtype\": "
                       "\"Float32\", \"shape\": [4], "
                       "\"data_name\": \"%s\"}]}}}",
            file);
    fclose(f);
    sides("d");
    outside();
}

static void name_up(void) { dump_of_file("../../outside/secret.npy"); }
static void name_deep(void) { dump_of_file("x/../../../outside/secret.npy"); }
static void name_link(void)
{
    dump_of_file("link.npy");
    symlink_to("../../outside/secret.npy", "d/dump_tensor_data/link.npy");
}
static void name_absolute(void)
{
    char path[5000];
    snprintf(path, sizeof path, "%s/outside/secret.npy", root);
    dump_of_file(path);
}

static void saved_up(void)
{
    text("d/debug.json",
         HEAD("debug") "\"v.0.debug\": [" TENSOR("../../outside/secret.npy") ", " TENSOR("/outside/secret.npy") "]}}");
    sides("d");
    outside();
}
static void saved_escapes(void)
{
    text("d/debug.json", HEAD("debug") "\"\\u001b[31mv\\u0007.0.debug\": {\"\\u009b2J\": {\"type\": \"str\", "
                                       "\"value\": \"\\u001b]0;t\\u0007\"}}}}");
    sides("d");
}
static void saved_deep(void)
{
    FILE *f = create("d/debug.json");
    fputs(HEAD("debug") "\"v.0.debug\": ", f);
    fill(f, '[', DEEP);
    fclose(f);
    sides("d");
}
static void saved_many(void)
{
    FILE *f = create("d/debug.json");
    fputs(HEAD("debug") "\"w.0.debug\": 1", f);
    repeat(f, ",\"v.0.debug\":5", MANY);
    fputs("}}", f);
    fclose(f);
    sides("d");
}
static void saved_long(void)
{
    FILE *f = create("d/debug.json");
    fputs(HEAD("debug") "\"v.0.debug\": {\"type\": \"str\", \"value\": \"", f);
    fill(f, 'x', LONG);
    fputs("\"}, \"w.0.debug\": 1}}", f);
    fclose(f);
    sides("d");
}

static void dump_many(void)
{
    FILE *f = create("d/dump.json");
    fputs("{\"data\": {\"F.b.0.forward\": {}", f);
    repeat(f, ",\"F.a.0.forward\":{\"output\":[1]}", MANY);
    fputs("}}", f);
    fclose(f);
    sides("d");
}
/* Names of one hash_bytes: what two blocks of eight bytes change cancels, whatever came before. */
static void dump_colliding(void)
{
    enum { BLOCKS = 17 };
    FILE *f = create("d/dump.json");
    fputs("{\"data\": {\"F.b.0.forward\": {}", f);
    for (uint32_t i = 0; i < 1u << BLOCKS; i++) {
        fputs(",\"", f);
        for (int b = 0; b < BLOCKS; b++)
            fputs(i >> b & 1 ? "aaaaaaa\xe1" "aaaaeaa\xe1" : "aaaaaaaaaaaaaaaa", f);
        fputs("\":{\"output\":[1]}", f);
    }
    fputs("}}", f);
    fclose(f);
    sides("d");
}
static void stack_many(void)
{
    text("d/dump.json", "{\"data\": {\"F.a.0.forward\": {\"output\": [1]}}}");
    sides("d");
    FILE *f = create("d/stack.json");
    fputs("{\"1\": [[], []]", f);
    repeat(f, ",\"0\":[[\"F.a.0.forward\"],[\"File a.py, line 1, in f, x\"]]", MANY);
    fputs("}", f);
    fclose(f);
    f = create("d/construct.json");
    fputs("{\"x\": null", f);
    repeat(f, ",\"F.a.0.forward\":[\"F.a.0.forward\",1]", MANY);
    fputs("}", f);
    fclose(f);
}
static void stack_deep(void)
{
    text("d/dump.json", "{\"data\": {\"F.a.0.forward\": {\"output\": [1]}}}");
    sides("d");
    FILE *f = create("d/stack.json");
    fputs("{\"0\": ", f);
    fill(f, '[', DEEP);
    fclose(f);
    f = create("d/construct.json");
    repeat(f, "{\"a\":", DEEP);
    fclose(f);
}

/* ---- MindSpore Dump ---- */

#define TABLE "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,Min Value\n"
#define OP "Add,Default_net-Net_Add-op0,7,3,1,output,0,4,float32,\"(1,)\",1,1,\n"
#define OVERFLOW "d/rank_0/Net/0/0/Opdebug.Node_OpDebug.1.5.1732082705016774.output.0.json"

static void graph_table(void) { text("d/rank_0/Net/0/0/statistic.csv", TABLE OP); }

static void mapped_out(void)
{
    text("d/rank_0/Net/0/0/mapping.csv",
         "../../../../../outside/secret.npy,Add.Default_Add-op0.0.0.1.output.0.DefaultFormat.Float32.npy\n"
         "link.npy,Add.Default_Add-op1.0.0.1.output.0.DefaultFormat.Float32.npy\n");
    symlink_to("../../../../../outside/secret.npy", "d/rank_0/Net/0/0/link.npy");
    outside();
}
static void table_many(void)
{
    FILE *f = create("d/rank_0/Net/0/0/statistic.csv");
    fputs(TABLE, f);
    repeat(f, OP, 200000);
    fclose(f);
}
static void table_slots(void)
{
    FILE *f = create("d/rank_0/Net/0/0/statistic.csv");
    fputs(TABLE, f);
    for (int i = 0; i < 200000; i++)
        fprintf(f, "Add,Default_net-Net_Add-op0,7,3,1,output,%d,4,float32,\"(1,)\",1,1,\n", i);
    fclose(f);
}
static void counts_beyond(void)
{
    npy("d/rank_0/Net/0/0/Add.Default_Add-op0.0.0.1.output.0.DefaultFormat.Float32.npy", "(4611686018427387904,)", 1,
        1);
    npy("d/rank_0/Net/0/0/Add.Default_Add-op1.0.0.1.output.0.DefaultFormat.Float32.npy", "(65536,65536,65536,65536)", 1,
        1);
    npy("d/rank_0/Net/0/0/Add.Default_Add-op2.0.0.1.output.0.DefaultFormat.Float32.npy", "(1000000,)", 1, 1);
}
static void overflow_deep(void)
{
    graph_table();
    FILE *f = create(OVERFLOW);
    fputs("{\"AI Core\": ", f);
    fill(f, '[', 900000);
    fclose(f);
}
static void overflow_long(void)
{
    graph_table();
    FILE *f = create(OVERFLOW);
    fputs("{\"", f);
    fill(f, 'x', LONG);
    fputs("\": {\"status\": 1}}", f);
    fclose(f);
}
static void overflow_escapes(void)
{
    graph_table();
    text(OVERFLOW, "{\"\\u001b[31mAI\\u0007\": {\"status\": 1, \"task_id\": 7, \"stream_id\": 3}}");
}
static void overflow_link(void)
{
    graph_table();
    outside();
    text("outside/record.json", "{\"SECRET\": {\"status\": 1337.25}}");
    symlink_to("../../../../../outside/record.json", OVERFLOW);
}
static void ir_long(void)
{
    graph_table();
    FILE *f = create("d/rank_0/graphs/ms_output_trace_code_graph_0.ir");
    fputs("# IR entry\n# Fullname with scope: (", f);
    fill(f, '/', LONG);
    fputs(")\n# Fullname with scope: (Default/net-Net/Add-op0)\n# In file a.py:1/", f);
    fill(f, 'x', LONG);
    fputs("/\n", f);
    fclose(f);
}
static void ir_many(void)
{
    graph_table();
    FILE *f = create("d/rank_0/graphs/ms_output_trace_code_graph_0.ir");
    fputs("# Fullname with scope: (Default/net-Net/Add-op0)\n", f);
    for (int i = 0; i < MANY; i++)
        fprintf(f, "# In file a%d.py:%d/x/\n", i, i);
    repeat(f, "# Fullname with scope: (Default/net-Net/Add-op0)\n", MANY);
    fclose(f);
}
static void ir_escapes(void)
{
    graph_table();
    text("d/rank_0/graphs/ms_output_trace_code_graph_0.ir",
         "# Fullname with scope: (Default/net-Net/Add-op0)\n# In file \033[31ma.py:1/\033]0;t\007 \302\2332J/\n");
}
static void order_many(void)
{
    npy("d/rank_0/Net/0/0/Add.Default_net-Net_Add-op0.0.0.1.output.0.DefaultFormat.Float32.npy", "(1,)", 1, 1);
    FILE *f = create("d/rank_0/execution_order/ms_execution_order_graph_0.csv");
    repeat(f, "Default/net-Net/Add-op0\n", MANY);
    fill(f, 'x', LONG);
    fclose(f);
}

/* ---- ptdbg ---- */

static void pkl_names(void)
{
    text("d/dump.pkl",
         "[\"../../outside/secret_0_forward_input.0\", 1, [], \"torch.float32\", [4], [1, 0, 1]]\n"
         "[\"Functional_link_0_forward_input.0\", 1, [], \"torch.float32\", [4], [1, 0, 1]]\n"
         "[\"\\u001b[31mX\\u0007_0_forward_output\", 1, [], \"torch.float32\", [4], [1, 0, 1]]\n"
         "[\"Functional_link_0_forward_stack_info\", [[\"\\u001b[2J.py\", \"3\", \"\\u009bf\", \"\\u0007\"]]]\n");
    symlink_to("../../outside/secret.npy", "d/dump/Functional_link_0_forward_input.0.npy");
    outside();
}
static void pkl_values(void)
{
    FILE *f = create("x.pkl");
    fputs("[\"\x1b[31mFunctional_a_forward_input.0\", [1, 2], \"torch.float32\", "
          "[2]]\n[\"Functional_b_forward_output\", [",
          f);
    for (int i = 0; i < 8000000; i++)
        fputs("0,", f);
    fputs("0], \"torch.float32\", [8000001]]\n[\"Functional_c_forward_output\", [0, ", f);
    fill(f, '1', 1 << 20);
    fputs("], \"torch.float32\", [2]]\n[\"Functional_d_forward_output\", [0], \"torch.float32\", [4611686018427387904, "
          "4]]\n[\"Functional_e_forward_output\", [",
          f);
    fill(f, '0', LONG);
    fclose(f);
}
static void pkl_deep(void)
{
    FILE *f = create("d/dump.pkl");
    fputs("[\"Functional_a_0_forward_input.0\", ", f);
    fill(f, '[', DEEP);
    fputs("\n[\"Functional_b_0_forward_input.0\", 1, [], \"torch.float32\", [4], [1, 0, 1]]\n", f);
    fclose(f);
}
static void pkl_long(void)
{
    FILE *f = create("d/dump.pkl");
    fputs("[\"Functional_a_0_forward_input.0\", 1, [], \"torch.float32\", [4], [1, 0, 1]]\n[\"", f);
    fill(f, 'x', LONG);
    fputs("\"]\n", f);
    fclose(f);
}
static void pkl_many(void)
{
    FILE *f = create("d/dump.pkl");
    repeat(f, "[\"Functional_a_0_forward_input.0\", 1, [], \"int\", \"[]\", [1]]\n", 200000);
    fclose(f);
}
static void pkl_slots(void)
{
    FILE *f = create("d/dump.pkl");
    for (int i = 0; i < 300000; i++)
        fprintf(f, "[\"Functional_a_0_forward_input.%d\", 1, [], \"torch.float32\", [4], [1, 0, 1]]\n", i);
    fclose(f);
}

/* ---- results ---- */

#define RESULT \
    "NPU Name,Bench Name,NPU Dtype,Bench Dtype,NPU Tensor Shape,Bench Tensor " \
    "Shape,Cosine,Result,Err_message,NPU_Stack_Info\n"

static void result_escapes(void)
{
    text("compare_result_1.csv", RESULT
         "\033[31mF.a.0.forward.output.0,\302\2332J,torch.float32,torch.float32,\"[1]\",\"[1]\",1,\033]0;t\007,\033c,"
         "\"['File \033[2J, line 1, in \007, x']\"\n");
}
static void result_long(void)
{
    FILE *f = create("compare_result_1.csv");
    fputs(RESULT "\"", f);
    fill(f, 'x', LONG);
    fclose(f);
}
static void result_many(void)
{
    FILE *f = create("compare_result_1.csv");
    fputs(RESULT, f);
    repeat(f, "F.a.0.forward.output.0,F.a.0.forward.output.0,torch.float32,torch.float32,\"[1]\",\"[1]\",1,pass,[],\n",
           200000);
    fclose(f);
}
static void result_json_deep(void)
{
    FILE *f = create("compare_result_rank0_1.json");
    fputs("{\"F.a.0.forward\": {\"is_same\": false, \"op_items\": ", f);
    fill(f, '[', DEEP);
    fclose(f);
}
static void check_long(void)
{
    FILE *f = create("accuracy_checking_details_1.csv");
    fputs("API Name,Bench Dtype,DEVICE Dtype,Shape,Status,Message\nF.a.0.forward.output.0,a,b,\"(", f);
    fill(f, '1', 100u << 20);
    fclose(f);
}
static void checkpoints_deep(void)
{
    FILE *f = create("ckpt.json");
    fputs("{\"a\": {\"l2\": 0, \"cos\": 1, \"numel\": 1, \"shape\": ", f);
    fill(f, '[', DEEP);
    fclose(f);
}
static void anomalies_odd(void)
{
    text("anomaly.json",
         "{\"a\": {\"tag_name\": \"\", \"step\": 1e300, \"message\": \"Rule reports anomaly signal in\"}, \"b\": "
         "{\"tag_name\": \"///\", \"step\": NaN, \"message\": 7}, \"c\": {\"tag_name\": \"x\", \"step\": 3, "
         "\"message\": \"Rule \\u001b[2J "
         "reports ('', '\\u001bc') current value 1, history\"}, \"d\": [[[");
}
static void wandb_odd(void)
{
    FILE *f = create("run-1.wandb");
    fwrite(":W&B\xe1\xbe\0", 1, 7, f);
    for (int i = 0; i < 100000; i++) /* lengths beyond the block, wrong sums, kinds there are none of */
        fwrite("\1\2\3\4\xff\x7f\5\0\0\0\0\1\0\1x", 1, 15, f);
    fclose(f);
}
static void overflow_result_deep(void)
{
    FILE *f = create("anomaly_analyze_1.json");
    fputs("{\"rank_0\": ", f);
    fill(f, '[', DEEP);
    fclose(f);
}
static void overflow_result_long(void)
{
    FILE *f = create("anomaly_analyze_1.json");
    fputs("{\"rank_0\": [{\"op_name\": \"", f);
    fill(f, 'x', LONG);
    fputs("\"}]}", f);
    fclose(f);
}
static void overflow_result_escapes(void)
{
    text("anomaly_analyze_1.json",
         "{\"rank_\\u001b[31m0\": [{\"op_name\": \"F.\\u0007a.0.forward\", \"data_info\": {\"output\": [1]},"
         "\"construct_info\": [\"\\u009b2J\", \"x\"], \"stack_info\": [\"File \\u001b[2J, line 1, in \\u0007, x\"]}]}");
}

#define SHEET \
    "<?xml version=\"1.0\"?><worksheet " \
    "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>"

static void xlsx(struct member sheet)
{
    static const char types[] = "<?xml version=\"1.0\"?><Types/>";
    struct member m[] = {stored("[Content_Types].xml", types, sizeof types - 1), sheet};
    m[1].name = "xl/worksheets/sheet1.xml";
    zip("compare_result_1.xlsx", m, 2);
}
static void xlsx_bomb(void)
{
    static const char head[] = SHEET "<row><c t=\"inlineStr\"><is><t>NPU Name</t></is></c><c t=\"inlineStr\"><is><t>";
    xlsx(bomb("", head, sizeof head - 1, 'x', 1000u * MB, "</t></is></c></row></sheetData></worksheet>"));
}
static void xlsx_deep(void)
{
    static char tags[3 * DEEP + 200];
    strcpy(tags, SHEET);
    char *p = tags + strlen(tags);
    for (int i = 0; i < DEEP; i++, p += 3)
        memcpy(p, "<a>", 3);
    xlsx(stored("", tags, (size_t)(p - tags)));
}
static void xlsx_entities(void)
{
    static const char sheet[] =
        "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">"
        "<!ENTITY c SYSTEM \"../outside/secret.txt\">]>"
        "<worksheet><sheetData><row><c t=\"inlineStr\"><is><t>&b;&c;</t></is></c></row></sheetData></worksheet>";
    outside();
    xlsx(stored("", sheet, sizeof sheet - 1));
}

/* ---- weights ---- */

static void index_out(void)
{
    text("d/model.safetensors.index.json", "{\"metadata\": {}, \"weight_map\": {\"a\": \"../outside/secret.npy\", "
                                           "\"b\": \"/etc/passwd\", \"c\": \"link.safetensors\","
                                           "\"d\": \"\", \"e\": \".\", \"f\": \"\\u001b[31m.safetensors\"}}");
    symlink_to("../outside/secret.npy", "d/link.safetensors");
    outside();
}
static void index_many(void)
{
    FILE *f = create("d/model.safetensors.index.json");
    fputs("{\"weight_map\": {\"b\": \"x.safetensors\"", f);
    repeat(f, ",\"a\":\"x.safetensors\"", MANY);
    fputs("}}", f);
    fclose(f);
}
static void index_deep(void)
{
    FILE *f = create("d/model.safetensors.index.json");
    fputs("{\"weight_map\": ", f);
    repeat(f, "{\"a\":", DEEP);
    fclose(f);
}

static void safetensors(uint64_t claimed, const char *head, const char *again, size_t times, const char *tail)
{
    FILE *f = create("w.safetensors");
    uint64_t n = strlen(head) + strlen(again) * times + strlen(tail);
    le(f, claimed ? claimed : n, 8);
    fputs(head, f);
    repeat(f, again, times);
    fputs(tail, f);
    le(f, 0, 8);
    fclose(f);
}
static void st_counts(void) { safetensors(UINT64_MAX / 2, "{}", "", 0, ""); }
static void st_header(void) { safetensors(99u * MB, "{\"a\": {\"dtype\": \"F32\"", "", 0, ""); }
static void st_offsets(void)
{
    safetensors(0,
                "{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904],\"data_offsets\":[0,18446744073709551615]},"
                "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]},\"c\":{\"dtype\":\"F32\",\"shape\":["
                "1000000],\"data_offsets\":[0,4000000]},"
                "\"d\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[-4,0]}}",
                "", 0, "");
}
static void st_many(void)
{
    safetensors(0, "{\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}",
                ",\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}", MANY, "}");
}
static void st_deep(void) { safetensors(0, "{\"a\":", "[", DEEP, ""); }
static void st_escapes(void)
{
    safetensors(0,
                "{\"\\u001b[31ma\\u0007\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},\"\\u009b2J\":{"
                "\"dtype\":\"\\u001b]0;t\\u0007\",\"shape\":[1],"
                "\"data_offsets\":[4,8]}}",
                "", 0, "");
}

static void ckpt_counts(void)
{
    FILE *f = create("w.ckpt");
    fwrite("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x0a\x01" "a", 1, 13, f);
    fclose(f);
}
static void ckpt_deep(void)
{
    FILE *f = create("w.ckpt");
    for (int i = 0; i < 100000; i++) /* each record claims to hold the next */
        fwrite("\x0a\xff\xff\x03", 1, 4, f);
    fclose(f);
}

static void torch_zip(const char *pickle, size_t n, struct member data)
{
    struct member m[] = {stored("archive/data.pkl", pickle, n), data, stored("archive/version", "3\n", 2)};
    zip("w.pt", m, 3);
}
static void pt_counts(void) { torch_zip(huge, sizeof huge - 1, stored("archive/data/0", "0123456789abcdef", 16)); }
static void pt_bomb(void) { torch_zip(four, sizeof four - 1, bomb("archive/data/0", "", 0, 0, 2000u * MB, "")); }
static void pt_pickle_bomb(void)
{
    struct member m[] = {bomb("archive/data.pkl", "\x80\x02", 2, '(', 2000u * MB, "."),
                         stored("archive/data/0", "0123456789abcdef", 16)};
    zip("w.pt", m, 2);
}
static void pt_overlap(void)
{
    struct member data = stored("archive/data/0", "0123456789abcdef", 16);
    struct member m[] = {stored("archive/data.pkl", four, sizeof four - 1), data, data,
                         stored("archive/version", "3\n", 2)};
    m[2].name = "archive/data/1";
    m[1].at = -1;
    m[2].at = 8; /* inside the first member */
    zip("w.pt", m, 4);
}
static void pt_deep(void)
{
    static char pickle[2 * DEEP + 100];
    size_t n = 2;
    memcpy(pickle, "\x80\x02", 2);
    for (int i = 0; i < DEEP; i++)
        pickle[n++] = '(';
    for (int i = 0; i < DEEP; i++)
        pickle[n++] = 't';
    pickle[n++] = '.';
    torch_zip(pickle, n, stored("archive/data/0", "0123456789abcdef", 16));
}
static void pt_code(void)
{
    static const char pickle[] = "\x80\x02" "cposix\nsystem\nX\x0f\0\0\0touch ./outsideq\0\x85R.";
    torch_zip(pickle, sizeof pickle - 1, stored("archive/data/0", "0123456789abcdef", 16));
}
static void int4(FILE *f, unsigned v)
{
    for (int i = 0; i < 4; i++)
        fputc((int)(v >> (8 * i) & 255), f);
}
/* A pickle of one array under many names, its bytes as so much text. */
static void pickled(int axes, unsigned dim, const char *code, unsigned n, int names)
{
    static const char begin[] = "\x80\2}q\0U\1acnumpy.core.multiarray\n_reconstruct\n)R(K\1(";
    FILE *f = create("w.pkl");
    fwrite(begin, 1, sizeof begin - 1, f);
    for (int i = 0; i < axes; i++) {
        fputc('J', f);
        int4(f, dim);
    }
    fprintf(f, "tcnumpy\ndtype\n(U\2%s\x89\x88tR\x89" "c_codecs\nencode\n(X", code);
    int4(f, n);
    fill(f, 'x', n);
    fputs("U\6latin1tRtbq\1s", f);
    for (int i = 0; i < names; i++)
        fprintf(f, "U\b%08dh\1s", i);
    fputc('.', f);
    fclose(f);
}
static void pickled_claims(void) { pickled(3, 0x7f7f7f7f, "f4", 100, 0); }
static void pickled_large(void) { pickled(1, 30 * MB, "u1", 30 * MB, 0); }
static void pickled_long(void) { pickled(1, LONG, "u1", LONG, 0); }
static void pickled_shared(void) { pickled(1, MB, "u1", MB, 100000); }
static void pt_memo(void)
{
    static char pickle[24 * 40 + 100];
    size_t n = (size_t)sprintf(pickle, "\x80\x02]q");
    pickle[n++] = 0;
    for (int i = 0; i < 40; i++) { /* a list that holds the one before twice, forty times */
        n += (size_t)sprintf(pickle + n, "](h");
        pickle[n++] = (char)i;
        pickle[n++] = 'h';
        pickle[n++] = (char)i;
        pickle[n++] = 'e';
        pickle[n++] = 'q';
        pickle[n++] = (char)(i + 1);
    }
    pickle[n++] = '.';
    torch_zip(pickle, n, stored("archive/data/0", "0123456789abcdef", 16));
}

static void npz_bomb(void)
{
    static const char head[] =
        "\x93NUMPY\1\0\x46\0{'descr': '<f4', 'fortran_order': False, 'shape': (500000000,), }     \n";
    struct member m[] = {bomb("a.npy", head, 80, 0, 2000000000u, "")};
    zip("w.npz", m, 1);
}
static void npz_overlap(void)
{
    static const char one[] =
        "\x93NUMPY\1\0\x46\0{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }             \n\0\0\0";
    struct member m[] = {stored("a.npy", one, 84), stored("b.npy", one, 84), stored("../../outside/c.npy", one, 84)};
    m[1].at = 0;
    zip("w.npz", m, 3);
}
static void npz_names(void)
{
    static const char one[] =
        "\x93NUMPY\1\0\x46\0{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }             \n\0\0\0";
    struct member m[] = {stored("../../outside/a.npy", one, 84), stored("/etc/b.npy", one, 84),
                         stored("\033[31mc\007.npy", one, 84)};
    zip("w.npz", m, 3);
}

/* ---- logs ---- */

static void log_long(void)
{
    FILE *f = create("train.log");
    fputs(" iteration        1/      10 | consumed samples: 1 | lm loss: 1.0E+00 | number of nan iterations: 0 |\n", f);
    fill(f, 'x', LONG);
    fputs("\n iteration        2/      10 | consumed samples: 2 | lm loss: 1.0E+00 | number of nan iterations: 0 |\n",
          f);
    fclose(f);
}
static void log_many(void)
{
    FILE *f = create("train.log");
    repeat(f, " iteration        1/      10 | consumed samples: 1 | lm loss: 1.0E+00 | number of nan iterations: 0 |\n",
           300000);
    fclose(f);
}
static void log_brackets(void)
{
    FILE *f = create("train.log");
    repeat(f, "losses: [tensor([1 ", 500000);
    fclose(f);
}
static void log_norm_words(void)
{
    FILE *f = create("train.log");
    repeat(f, "norm a.weight L2 {\"", 500000);
    fclose(f);
}
static void losses_shared(void)
{
    static char pickle[24 * 40 + 100];
    size_t n = (size_t)sprintf(pickle, "\x80\x02](G?");
    memset(pickle + n, 0, 7);
    n += 7;
    n += (size_t)sprintf(pickle + n, "eq");
    pickle[n++] = 0;
    for (int i = 0; i < 40; i++) { /* a list that holds the one before twice, forty times */
        const char at[] = {']', '(', 'h', (char)i, 'h', (char)i, 'e', 'q', (char)(i + 1)};
        memcpy(pickle + n, at, sizeof at);
        n += sizeof at;
    }
    pickle[n++] = '.';
    FILE *f = create("losses.pkl");
    fwrite(pickle, 1, n, f);
    fclose(f);
}
static void log_escapes(void)
{
    text("train.log", " iteration        1/      10 | consumed samples: 1 | lm loss: 1.0E+00 | \033[31mevil\007: 1.0 | "
                      "number of nan iterations: 0 |\n");
}
static void state_deep(void)
{
    FILE *f = create("trainer_state.json");
    fputs("{\"log_history\": [{\"loss\": 1.0, \"step\": 1}, ", f);
    fill(f, '[', DEEP);
    fclose(f);
}
static void state_many(void)
{
    FILE *f = create("trainer_state.json");
    fputs("{\"global_step\": 1", f);
    repeat(f, ",\"log_history\":[{\"loss\":1.0,\"step\":1}]", MANY);
    fputs("}", f);
    fclose(f);
}
static void events_counts(void)
{
    FILE *f = create("events.out.tfevents.1.host");
    le(f, UINT64_MAX / 2, 8);
    le(f, 0, 4);
    fputs("x", f);
    fclose(f);
}
static void monitor_long(void)
{
    FILE *f = create("grad_reduced_0-0.csv");
    fputs("vpp_stage,name,step,norm\n0,", f);
    fill(f, 'x', LONG);
    fputs(",0,1.0\n", f);
    fclose(f);
}

/* ---- mappings ---- */

static void map_pair(void)
{
    text("d/dump.json", "{\"data\": {\"F.a.0.forward\": {\"output\": [{\"type\": \"int\", \"value\": 1}]}}}");
    sides("d");
}
static void map_deep(void)
{
    map_pair();
    FILE *f = create("map.yaml");
    fill(f, '[', DEEP);
    fclose(f);
}
static void map_long(void)
{
    map_pair();
    FILE *f = create("map.yaml");
    fputs("a: ", f);
    fill(f, 'x', LONG);
    fclose(f);
}
static void map_laughs(void)
{
    map_pair();
    FILE *f = create("map.yaml");
    fputs("a0: &a0 [x, x, x, x, x, x, x, x, x]\n", f);
    for (int i = 1; i < 30; i++) {
        fprintf(f, "a%d: &a%d [", i, i);
        for (int k = 0; k < 9; k++)
            fprintf(f, "%s*a%d", k ? ", " : "", i - 1);
        fputs("]\n", f);
    }
    fclose(f);
}

/* ---- settings ---- */

#define SCRIPT "#!/bin/bash\ntorchrun train.py --lr 1e-3 --num-layers 2\n"

static void script_redirections(void)
{
    FILE *f = create("train.sh");
    fputs(SCRIPT "x ", f);
    repeat(f, ">a ", MANY);
    fclose(f);
}
static void script_heredocs(void)
{
    FILE *f = create("train.sh");
    fputs(SCRIPT "x ", f);
    repeat(f, "<<A ", MANY / 2);
    fputs("\n", f);
    repeat(f, "A\n", MANY / 2);
    fclose(f);
}
static void script_doubling(void)
{
    FILE *f = create("train.sh");
    fputs("#!/bin/bash\nA=(x)\n", f);
    repeat(f, "A=(\"${A[@]}\" \"${A[@]}\")\n", 40);
    fputs("torchrun train.py --lr \"${A[@]}\"\n", f);
    fclose(f);
}

/* ---- strategy files, traces of routing, logs of activations ---- */

/* Two ranks of one weight beside the strategy file that is made next. */
static void ranks(void)
{
    static const char header[] = "{\"w\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]}}";
    for (int i = 0; i < 2; i++) {
        char name[40];
        snprintf(name, sizeof name, "d/rank_%d/a.safetensors", i);
        FILE *f = create(name);
        le(f, sizeof header - 1, 8);
        fputs(header, f);
        fill(f, 0, 16);
        fclose(f);
    }
}
static void strategy_text(const char *head, const char *unit, size_t times, const char *tail)
{
    ranks();
    FILE *f = create("d/strategy.json");
    fputs(head, f);
    repeat(f, unit, times);
    fputs(tail, f);
    fclose(f);
}
#define LAYOUTS "{\"parallel_layout_item\":{"
static void strategy_deep(void) { strategy_text(LAYOUTS "\"w\":{\"dev_matrix\":", "[", DEEP, ""); }
#define W_LAYOUT "\"w\":{\"dev_matrix\":[2],\"tensor_map\":[0,-1]}"
static void strategy_many(void) { strategy_text(LAYOUTS W_LAYOUT, "," W_LAYOUT, MANY, "}}"); }
static void strategy_long(void) { strategy_text(LAYOUTS "\"", "xxxxxxxxxxxxxxxx", LONG / 16, "\":{}}}"); }
static void strategy_ranks(void)
{
    strategy_text(LAYOUTS "\"w\":{\"dev_matrix\":[65536,65536,65536,65536,65536],\"tensor_map\":[0,1]}", "", 0, "}}");
}
static void strategy_escapes(void)
{
    strategy_text(LAYOUTS "\"\\u001b]0;t\\u0007\\u009b2J\":{\"dev_matrix\":[0]}", "", 0, "}}");
}
static void strategy_link(void)
{
    ranks();
    symlink_to("../outside/secret.json", "d/strategy.json");
    outside();
}
/* A parameter's message that says it is longer than the file, and one of 60 MB of numbers. */
static void strategy_claims(void)
{
    ranks();
    FILE *f = create("d/strategy.ckpt");
    fputs("\x1a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", f);
    fclose(f);
}
static void strategy_numbers(void)
{
    ranks();
    FILE *f = create("d/strategy.ckpt");
    fputs("\x1a\x92\x80\x80\x1e\x0a\x01w\x12\x8a\x80\x80\x1e\x0a\x85\x80\x80\x1e\x0a\x80\x80\x80\x1e", f);
    fill(f, 1, 60 << 20);
    fclose(f);
}

static void routing(const char *head, const char *unit, size_t times, const char *tail)
{
    FILE *f = create("d/router_trace_rank0.jsonl");
    fputs("{\"step\":1,\"layer\":0,\"top_indices\":[[1]]}\n", f);
    fputs(head, f);
    repeat(f, unit, times);
    fputs(tail, f);
    fclose(f);
    outside();
}
#define ROUTED "{\"step\":1,\"layer\":1,\"top_indices\":["
static void routing_lists(void) { routing(ROUTED "[]", ",[]", 20 * (size_t)MANY, "]}\n"); }
static void routing_deep(void) { routing(ROUTED, "[", DEEP, "\n"); }
static void routing_steps(void) { routing("", "{\"step\":7,\"layer\":0,\"top_indices\":[[1]]}\n", MANY / 4, ""); }
static void routing_rest(void) { routing(ROUTED "[1]],\"x\":[0", ",[]", 20 * (size_t)MANY, "]}\n"); }
static void routing_numbers(void)
{
    routing(ROUTED "[99999999999999999999]]}\n" ROUTED "[-1],[2.5]]}\n"
            "{\"step\":1,\"layer\":\"\\u001b[2J\",\"top_indices\":[[1]]}\n", "", 0, "");
}
static void routing_escapes(void)
{
    routing("{\"step\":1,\"layer\":1,\"block\":\"\\u001b]0;t\\u0007\\u202e\\u009b2J\",\"top_indices\":[[1]]}\n", "", 0,
            "");
}
static void routing_beside(void)
{
    routing("{\"step\":1,\"layer\":1,\"top_indices\":[[1]],"
            "\"hs_offset\":8000000000000000,\"hs_bytes\":16,\"hs_shape\":[4,2]}\n"
            "{\"step\":1,\"layer\":2,\"top_indices\":[[1]],"
            "\"logit_offset\":0,\"logit_bytes\":8,\"logit_shape\":[2147483647,2147483647,2147483647]}\n", "", 0, "");
    symlink_to("../outside/secret.npy", "d/hidden_states_rank0.bin");
}

static void activations(const char *head, const char *unit, size_t times)
{
    FILE *f = create("d/rank_0_activations.log");
    fputs("Total captured activations: 1\n\n", f);
    fputs(head, f);
    repeat(f, unit, times);
    fclose(f);
}
#define FIGURES "  L2 norm: 1\n  Min: 1\n  Max: 1\n  Mean: 1\n"
#define BLOCK "[a/op_0_mm]\n  Shape: torch.Size([2]), Dtype: torch.float32\n" FIGURES
static void activations_many(void) { activations("", BLOCK, 200000); }
static void activations_long(void) { activations(BLOCK "[", "xxxxxxxxxxxxxxxx", LONG / 16); }
static void activations_axes(void) { activations(BLOCK "[a/op_1_mm]\n  Shape: torch.Size([1", ", 1", MANY); }
static void activations_escapes(void)
{
    activations("[\x1b]0;t\a\x9b" "2J/op_0_mm]\n  Shape: torch.Size([2]), Dtype: \x1b[31m\n" FIGURES
                "  Location: \x1b[2J:1\n", "", 0);
}

/* ---- tensors of compiled graphs, binary dumps of CANN, JSON lines and trees ---- */

#define GRAPH "d/step0/rank0/dump_tensor_data/"

static void graph_link(void)
{
    symlink_to("../../../../outside/secret.npy", GRAPH "Aten.mm.0.output.pt");
    symlink_to("../../../../outside/secret.npy", GRAPH "Aten.mm.0.input.0.pt");
    outside();
}
static void graph_many(void)
{
    char name[200];
    for (int i = 0; i < 20000; i++) {
        snprintf(name, sizeof name, GRAPH "Aten.mm.0.input.%d.pt", i);
        text(name, "x");
    }
}
static void graph_escapes(void)
{
    text(GRAPH "Aten.\x1b]0;t\a.0.input.0.pt", "x");
    text(GRAPH "Module.\x9b" "2J.\x1b[31mC.99999999999999999999.output.pt", "x");
}

#define OPERATOR "d/Add.Default_net-Net_Add-op1.1.0.1732082705000010"
#define RECORD "d/Opdebug.Node_OpDebug.9.5.1732082705000011"

/* The header's length as it is claimed, the header, so many zeros. */
static void cann(const char *name, uint64_t claimed, const char *header, size_t n, size_t zeros)
{
    FILE *f = create(name);
    le(f, claimed, 8);
    fwrite(header, 1, n, f);
    fill(f, 0, zeros);
    fclose(f);
}
#define CANN(header, zeros) cann(OPERATOR, sizeof header - 1, header, sizeof header - 1, zeros)
static void cann_length(void) { cann(OPERATOR, UINT64_C(1) << 62, "\x1a\1\x08", 3, 100); }
static void cann_size(void) /* 2^63 bytes of 2^60 elements */
{
    static const char head[] = "\x1a\x1b\x08\1\x10\2\x1a\x0a\x08\x80\x80\x80\x80\x80\x80\x80\x80\x10"
                               "\x30\x80\x80\x80\x80\x80\x80\x80\x80\x80\1";
    CANN(head, 100);
}
static void cann_blocks(void) /* FRACTAL_NZ of 2^31 x 2^31 blocks in 64 bytes */
{
    static const char head[] = "\x1a\x26\x08\1\x10\x1d\x1a\x10\x08\x80\x80\x80\x80\x08\x08\x80\x80\x80\x80\x08"
                               "\x08\x10\x08\x10\x30\x40\x3a\x0c\x08\x80\x80\x80\x80\x08\x08\x80\x80\x80\x80\x08";
    CANN(head, 64);
}
static void cann_many(void) /* outputs without a size */
{
    FILE *f = create(OPERATOR);
    le(f, 6 * (uint64_t)MANY, 8);
    repeat(f, "\x1a\4\x08\1\x10\2", MANY);
    fclose(f);
}
static void cann_link(void)
{
    symlink_to("../outside/secret.npy", OPERATOR);
    outside();
}
static void cann_record(void)
{
    static const char head[] = "\x1a\x0f\x08\4\x10\2\x30\xff\xff\xff\xff\xff\xff\xff\xff\x7f";
    cann(OPERATOR, 9, "\x1a\7\x08\4\x10\2\x30\x80\x10", 9, 2048);
    cann(RECORD, sizeof head - 1, head, sizeof head - 1, 2048);
}

static void lines_of(const char *name, const char *head, const char *unit, size_t times, const char *tail)
{
    FILE *f = create(name);
    fputs(head, f);
    repeat(f, unit, times);
    fputs(tail, f);
    fclose(f);
}
#define TENSOR_LINE "{\"name\":\"a\",\"step\":1,\"max\":1,\"min\":0,\"norm\":1}\n"
static void records_deep(void) { lines_of("d.jsonl", TENSOR_LINE TENSOR_LINE "{\"name\":", "[", DEEP, "\n"); }
static void records_long(void)
{
    lines_of("d.jsonl", TENSOR_LINE "{\"name\":\"", "xxxxxxxxxxxxxxxx", LONG / 16, "\"}\n");
}
static void records_many(void) { lines_of("d.jsonl", "", TENSOR_LINE, 50000, ""); }
static void records_escapes(void)
{
    lines_of("d.jsonl", TENSOR_LINE "{\"name\":\"\\u001b]0;t\\u0007\\u009b2J\",\"step\":1,\"max\":\"\\u001b[2J\","
                                    "\"min\":0,\"hash\":\"\\u0000\"}\n", "", 0, "");
}
#define TREE \
    "{\"module_path\":\"M\",\"inputs\":{\"args\":[{\"shape\":\"torch.Size([2])\",\"dtype\":\"torch.float32\"}]},"
static void tree_deep(void) { lines_of("m_debug_tree_SUMMARY.json", TREE, "\"children\":[" TREE, 20000, ""); }
static void tree_escapes(void)
{
    lines_of("m_debug_tree_SUMMARY.json",
             TREE "\"children\":[{\"module_path\":\"M.\\u001b]0;t\\u0007\",\"inputs\":{\"args\":[{\"shape\":"
                  "\"torch.Size([99999999999999999999])\",\"dtype\":\"\\u001b[2J\"}]}}]}", "", 0, "");
}
#define GRAPHS "{\"NPU\":{\"root\":\"N\",\"node\":{\"N\":{}"
static void graphs_deep(void) { lines_of("compare.vis", GRAPHS ",\"Module.a.0\":", "{\"x\":", DEEP, ""); }
static void graphs_many(void)
{
    lines_of("compare.vis", GRAPHS,
             ",\"Module.a.A.forward.0\":{\"matched_node_link\":[],\"input_data\":{"
             "\"Module.a.A.forward.0.input.0\":{\"Max\":\"1\"}}}", 50000, "}}}");
}
static void losses_deep(void) { lines_of("loss.json", "{\"loss\":", "[", DEEP, ""); }
static void losses_many(void) { lines_of("run.log", "", "step 1 loss 2.5\nstep\n", MANY / 4, ""); }
static void losses_above(void) { lines_of("run.log", "", "step 1/9\n  loss=2.5\n", MANY / 4, ""); }
static void losses_escapes(void)
{
    lines_of("run.log", "", "step 1 \x1b]0;t\a\x9b" "2Jloss 2.5 \x1b[31mtotal_loss 3.5\n", 9, "");
}

/* ---- rounds ---- */

#define ROUND_HEAD "{\"schema\":1,\"kind\":\"diverge-round\",\"rows\":"

/* `head`, then `unit` so many times, packed as gzip. */
static void packed_round(const char *name, const char *head, const char *unit, size_t times)
{
    char path[4096];
    fclose(create(name));
    snprintf(path, sizeof path, "%s/%s", root, name);
    gzFile f = gzopen(path, "wb9");
    gzputs(f, head);
    for (size_t i = 0; i < times; i++)
        gzputs(f, unit);
    gzclose(f);
}

static void round_escapes(void)
{
    packed_round("t.round-1.gz", ROUND_HEAD "1,\"first\":{\"target\":\"\\u001b]0;t\\u0007\",\"order\":0}}\n",
                 "deviate\t1\t1\t0\t0\t\x1b[31mrow\x1b]0;t\a\t\x9b" "2J\n", 1);
}
static void round_bomb(void)
{
    packed_round("t.round-1.gz", ROUND_HEAD "1}\nmatch\t0\t1\t0\t0\t",
                 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", LONG / 64);
}
static void round_many(void)
{
    packed_round("t.round-1.gz", ROUND_HEAD "30000000}\n", "match\t\t\t0\t0\ta\ta\n", 30 * (size_t)MANY);
}
static void round_equal(void)
{
    packed_round("t.round-1.gz", ROUND_HEAD "1000000}\n", "deviate\t1\t1\t0\tff\ta\tb\n", MANY);
}
static void round_deep(void) { packed_round("t.round-1.gz", "", "[", DEEP); }
static void round_cut(void)
{
    FILE *f = create("t.round-1.gz");
    fputs("\x1f\x8b\x08", f);
    fclose(f);
}

static const char investigation[] =
    "{\"schema\":1,\"investigation\":{\"target\":{\"path\":\"d\"},\"golden\":{\"path\":\"d\"},\"rounds\":["
    "{\"round\":1,\"file\":\"%s\",\"fingerprint\":\"0000000000000001\"}]}}";
static void round_out(void)
{
    char body[1000];
    dump_of_file("good.npy");
    packed_round("outside/secret.round-1.gz", ROUND_HEAD "1}\n", "match\t1337.25\t1\t0\t0\ta\ta\n", 1);
    snprintf(body, sizeof body, investigation, "outside/secret.round-1.gz");
    text("t.investigation.json", body);
}

static void result_rows_deep(void)
{
    FILE *f = create("r.json");
    fputs("{\"schema\":1,\"summary\":{},\"first_deviation\":null,\"rows\":", f);
    fill(f, '[', DEEP);
    fclose(f);
}
static void result_row_long(void)
{
    FILE *f = create("r.json");
    fputs("{\"schema\":1,\"summary\":{},\"first_deviation\":null,\"rows\":[{\"target\":\"", f);
    fill(f, 'x', LONG);
    fputs("\"}]}", f);
    fclose(f);
}

/* ---- packs ---- */

/* A header of a ustar archive; type '0' is a file. */
static void tar(FILE *f, const char *name, char type, uint64_t size, const char *link)
{
    unsigned char h[512] = {0};
    unsigned sum = 0;
    snprintf((char *)h, 100, "%s", name);
    snprintf((char *)h + 100, 8, "%07o", 0644);
    snprintf((char *)h + 108, 8, "%07o", 0);
    snprintf((char *)h + 116, 8, "%07o", 0);
    snprintf((char *)h + 124, 12, "%011llo", (unsigned long long)size);
    snprintf((char *)h + 136, 12, "%011o", 0);
    memset(h + 148, ' ', 8);
    h[156] = (unsigned char)type;
    snprintf((char *)h + 157, 100, "%s", link);
    memcpy(h + 257, "ustar\00000", 8);
    for (int i = 0; i < 512; i++)
        sum += h[i];
    snprintf((char *)h + 148, 8, "%06o", sum);
    fwrite(h, 1, sizeof h, f);
}

static void tar_text(FILE *f, const char *name, const char *s)
{
    size_t n = strlen(s);
    tar(f, name, '0', n, "");
    fputs(s, f);
    fill(f, 0, (512 - n % 512) % 512);
}

static void tar_close(FILE *f)
{
    fill(f, 0, 1024);
    fclose(f);
}

static const char pack_ticket[] =
    "{\"schema\":1,\"investigation\":{\"target\":{\"path\":\"target\"},\"golden\":{\"path\":\"golden\"}}}";
static const char pack_side[] = "{\"pack\":1,\"id\":\"1\",\"framework\":\"pytorch\",\"joint\":\".\"}\n{\"call\":"
                                "\"Functional.a.0.forward\",\"family\":\"linear\"}\n";
static const char pack_row[] = "{\"row\":[0,\"output.0\",1,0,\"float32\",64,[4],[1,0,0,1],null,null,null]}\n";

/* Both sides, the target's followed by `more`, the archive left open. */
static FILE *packed(const char *more)
{
    char rows[2000];
    FILE *f = create("f.tar");
    tar_text(f, "ticket.investigation.json", pack_ticket);
    snprintf(rows, sizeof rows, "%s%s", pack_side, pack_row);
    tar_text(f, "golden/rows.jsonl", rows);
    snprintf(rows, sizeof rows, "%s%s%s", pack_side, more, *more ? "" : pack_row);
    tar_text(f, "target/rows.jsonl", rows);
    outside();
    return f;
}

static void pack_up(void)
{
    FILE *f = packed("");
    tar_text(f, "target/../../evil", "x");
    tar_close(f);
}
static void pack_absolute(void)
{
    char path[5000];
    FILE *f = packed("");
    snprintf(path, sizeof path, "%.80s/x", root);
    tar_text(f, path, "x");
    tar_close(f);
}
static void pack_link(void)
{
    FILE *f = packed("");
    tar(f, "inputs", '2', 0, "/tmp");
    tar_text(f, "inputs/evil", "x");
    tar_close(f);
}
static void pack_twice(void)
{
    FILE *f = packed("");
    tar_text(f, "target/rows.jsonl", pack_side);
    tar_close(f);
}
static void pack_claims(void)
{
    FILE *f = packed("");
    tar(f, "big", '0', 077777777777, "");
    tar_close(f);
}
static void pack_cut(void)
{
    FILE *f = packed("");
    tar(f, "half", '0', 5000, "");
    fill(f, 'x', 700);
    fclose(f);
}
static void pack_many(void)
{
    FILE *f = packed("");
    char name[40];
    for (int i = 0; i < 300000; i++) {
        snprintf(name, sizeof name, "g%d", i % 7);
        tar(f, name, '5', 0, "");
    }
    tar_close(f);
}

/* The target's rows end in so many bytes. */
static void pack_filled(const char *head, char c, size_t n)
{
    FILE *f = create("f.tar");
    size_t all = strlen(pack_side) + strlen(head) + n;
    tar_text(f, "ticket.investigation.json", pack_ticket);
    tar_text(f, "golden/rows.jsonl", pack_side);
    tar(f, "target/rows.jsonl", '0', all, "");
    fputs(pack_side, f);
    fputs(head, f);
    fill(f, c, n);
    fill(f, 0, (512 - all % 512) % 512);
    tar_close(f);
}
static void pack_long(void) { pack_filled("{\"warning\":\"", 'x', LONG); }
static void pack_deep(void) { pack_filled("{\"row\":", '[', DEEP); }
static void pack_elsewhere(void)
{
    tar_close(packed("{\"row\":[0,\"output.0\",1,0,\"float32\",64,[4],[1,0,0,1],null,null,\"../../hostile/outside/"
                     "secret.npy\"]}\n"
                     "{\"row\":[0,\"output.1\",1,0,\"float32\",64,[4],[1,0,0,1],null,null,\"/etc/passwd\"]}\n"));
}
static void pack_circle(void)
{
    tar_close(packed("{\"call\":\"Module.a.A.forward.0\",\"in\":2,\"twin\":2}\n{\"call\":\"Module.b.B.forward.0\","
                     "\"in\":1,\"twin\":1}\n"
                     "{\"row\":[1,\"output.0\",1,0,\"float32\",64,[4],[1,0,0,1],null,null,null]}\n"));
}

static void merge_deep(void)
{
    FILE *f = create("t.investigation.json");
    fputs("{\"schema\":1,\"investigation\":{\"findings\":", f);
    repeat(f, "[", DEEP);
    fclose(f);
}
static void merge_many(void)
{
    FILE *f = create("t.investigation.json");
    fputs("{\"schema\":1,\"investigation\":{\"findings\":[{\"number\":1}", f);
    for (int i = 0; i < 300000; i++)
        fprintf(f, ",{\"number\":%d}", i);
    fputs("]}}", f);
    fclose(f);
}

static const struct {
    const char *name, *expect, *open, *how;
    void (*make)(void);
} cases[] = {
    {"a data_name with ..", "report", "d", "check", name_up},
    {"a data_name with .. behind a folder", "report", "d", "check", name_deep},
    {"an absolute data_name", "report", "d", "check", name_absolute},
    {"a tensor that is a link out of the dump", "report", "d", "check", name_link},
    {"a saved value's data_name with ..", "report", "d", "check", saved_up},
    {"escapes in debug.json", "any", "d", "check", saved_escapes},
    {"deep nesting in debug.json", "any", "d", "check", saved_deep},
    {"a million equal keys in debug.json", "any", "d", "check", saved_many},
    {"a value of 100 MB in debug.json", "report", "d", "check", saved_long},
    {"a million equal keys in dump.json", "any", "d", "check", dump_many},
    {"names that were made to collide in dump.json", "any", "d", "check", dump_colliding},
    {"a million equal keys in stack.json and construct.json", "any", "d", "check", stack_many},
    {"deep nesting in stack.json and construct.json", "report", "d", "check", stack_deep},
    {"mapping.csv leads out of the dump", "report", "d", "check", mapped_out},
    {"200,000 equal rows in statistic.csv", "any", "d", "check", table_many},
    {"200,000 results of one operator in statistic.csv", "any", "d", "twice", table_slots},
    {".npy files that claim more than they hold", "report", "d", "check", counts_beyond},
    {"deep nesting in an overflow record", "report", "d", "check", overflow_deep},
    {"an overflow record of 100 MB", "report", "d", "check", overflow_long},
    {"escapes in an overflow record", "any", "d", "check", overflow_escapes},
    {"an overflow record that is a link out of the dump", "report", "d", "check", overflow_link},
    {"lines of 100 MB in a graph", "fine", "d", "check", ir_long},
    {"a million lines of one operator in a graph", "fine", "d", "check", ir_many},
    {"escapes in a graph", "fine", "d", "compare", ir_escapes},
    {"a million equal names and a line of 100 MB in the execution order", "fine", "d", "check", order_many},
    {"names of a .pkl that mean harm", "report", "d", "check", pkl_names},
    {"millions of values in a .pkl of 2022", "report", "x.pkl", "check", pkl_values},
    {"deep nesting in a .pkl", "report", "d", "check", pkl_deep},
    {"a line of 100 MB in a .pkl", "refuse", "d", "check", pkl_long},
    {"200,000 equal rows in a .pkl", "any", "d", "check", pkl_many},
    {"300,000 inputs of one call in a .pkl", "any", "d", "twice", pkl_slots},
    {"escapes in a result table", "any", "compare_result_1.csv", "compare", result_escapes},
    {"a cell of 100 MB in a result table", "refuse", "compare_result_1.csv", "check", result_long},
    {"200,000 equal rows in a result table", "any", "compare_result_1.csv", "check", result_many},
    {"a cell of 100 MB in a table of checks", "refuse", "accuracy_checking_details_1.csv", "check", check_long},
    {"deep nesting in a comparison of checkpoints", "refuse", "ckpt.json", "check", checkpoints_deep},
    {"odd pieces in a W&B file", "any", "run-1.wandb", "check", wandb_odd},
    {"odd anomalies of a monitor", "any", "anomaly.json", "check", anomalies_odd},
    {"deep nesting in a result", "refuse", "compare_result_rank0_1.json", "check", result_json_deep},
    {"a worksheet of a gigabyte in a megabyte", "refuse", "compare_result_1.xlsx", "check", xlsx_bomb},
    {"deep nesting in a worksheet", "refuse", "compare_result_1.xlsx", "check", xlsx_deep},
    {"entities in a worksheet", "refuse", "compare_result_1.xlsx", "check", xlsx_entities},
    {"deep nesting in a result of overflow_check", "refuse", "anomaly_analyze_1.json", "check", overflow_result_deep},
    {"a member of 100 MB in a result of overflow_check", "refuse", "anomaly_analyze_1.json", "check", overflow_result_long},
    {"escapes in a result of overflow_check", "any", "anomaly_analyze_1.json", "check", overflow_result_escapes},
    {"an index of weights that leads out of its folder", "any", "d", "weights", index_out},
    {"a million equal keys in an index of weights", "any", "d", "weights", index_many},
    {"deep nesting in an index of weights", "refuse", "d", "weights", index_deep},
    {"a safetensors header of 2^62 bytes", "refuse", "w.safetensors", "weights", st_counts},
    {"a safetensors header beyond the file's end", "refuse", "w.safetensors", "weights", st_header},
    {"safetensors offsets beyond the file's end", "any", "w.safetensors", "weights", st_offsets},
    {"a million equal keys in safetensors", "any", "w.safetensors", "weights", st_many},
    {"deep nesting in safetensors", "refuse", "w.safetensors", "weights", st_deep},
    {"escapes in safetensors", "any", "w.safetensors", "weights", st_escapes},
    {"a checkpoint's record of 2^62 bytes", "any", "w.ckpt", "weights", ckpt_counts},
    {"a checkpoint's records in each other", "any", "w.ckpt", "weights", ckpt_deep},
    {"a torch tensor that claims more than its storage", "any", "w.pt", "weights", pt_counts},
    {"a torch storage of 2 GB in 2 MB", "any", "w.pt", "weights", pt_bomb},
    {"a pickle of 2 GB in 2 MB", "refuse", "w.pt", "weights", pt_pickle_bomb},
    {"members of a torch archive that overlap", "refuse", "w.pt", "weights", pt_overlap},
    {"deep nesting in a pickle", "refuse", "w.pt", "weights", pt_deep},
    {"a pickle that would run a program", "any", "w.pt", "weights", pt_code},
    {"a pickle of lists that hold each other twice", "any", "w.pt", "weights", pt_memo},
    {"an array in a pickle that claims more than its bytes", "report", "w.pkl", "check", pickled_claims},
    {"an array of 30 MB in a pickle, as text", "fine", "w.pkl", "check", pickled_large},
    {"a pickle of 100 MB", "refuse", "w.pkl", "weights", pickled_long},
    {"an array of 1 MB under 100,000 names", "report", "w.pkl", "check", pickled_shared},
    {"an .npz member of 2 GB in 2 MB", "any", "w.npz", "weights", npz_bomb},
    {"members of an .npz that overlap", "refuse", "w.npz", "weights", npz_overlap},
    {"names of an .npz that mean harm", "any", "w.npz", "weights", npz_names},
    {"a line of 100 MB in a log", "fine", "train.log", "check", log_long},
    {"brackets without an end behind names of losses", "any", "train.log", "check", log_brackets},
    {"a million words of norms in a line", "refuse", "train.log", "check", log_norm_words},
    {"lists of losses that hold each other twice", "refuse", "losses.pkl", "curves", losses_shared},
    {"300,000 equal steps in a log", "any", "train.log", "check", log_many},
    {"escapes in a log", "any", "train.log", "check", log_escapes},
    {"deep nesting in trainer_state.json", "any", "trainer_state.json", "check", state_deep},
    {"a million equal keys in trainer_state.json", "any", "trainer_state.json", "check", state_many},
    {"an event of 2^62 bytes", "any", "events.out.tfevents.1.host", "check", events_counts},
    {"a cell of 100 MB in a monitor table", "any", "grad_reduced_0-0.csv", "check", monitor_long},
    {"a pack that leads up and out", "refuse", "f.tar", "compare", pack_up},
    {"a pack of an absolute name", "refuse", "f.tar", "compare", pack_absolute},
    {"a pack with a link and a file behind it", "refuse", "f.tar", "compare", pack_link},
    {"a pack that gives a name twice", "refuse", "f.tar", "compare", pack_twice},
    {"a pack that claims 8 GB", "refuse", "f.tar", "compare", pack_claims},
    {"a pack that was cut off", "refuse", "f.tar", "compare", pack_cut},
    {"a pack of a million empty files", "refuse", "f.tar", "compare", pack_many},
    {"a pack's rows, a line of 100 MB", "refuse", "f.tar", "compare", pack_long},
    {"a pack's rows, deep nesting", "refuse", "f.tar", "compare", pack_deep},
    {"a pack's tensor that is elsewhere", "any", "f.tar", "compare", pack_elsewhere},
    {"a pack's modules within each other", "any", "f.tar", "compare", pack_circle},
    {"deep nesting in two investigations", "refuse", "t.investigation.json", "merge", merge_deep},
    {"a million findings in two investigations", "refuse", "t.investigation.json", "merge", merge_many},
    {"deep nesting in a mapping", "any", "d", "map", map_deep},
    {"a line of 100 MB in a mapping", "any", "d", "map", map_long},
    {"aliases of aliases in a mapping", "any", "d", "map", map_laughs},
    {"a million redirections in a launch script", "any", "train.sh", "config", script_redirections},
    {"half a million here-documents in a launch script", "any", "train.sh", "config", script_heredocs},
    {"a launch script whose variable doubles", "refuse", "train.sh", "config", script_doubling},
    {"deep nesting in a strategy file", "refuse", "d", "weights", strategy_deep},
    {"a million equal parameters in a strategy file", "any", "d", "weights", strategy_many},
    {"a name of 100 MB in a strategy file", "refuse", "d", "weights", strategy_long},
    {"a strategy of more ranks than there are", "refuse", "d", "weights", strategy_ranks},
    {"escapes in a strategy file", "refuse", "d", "weights", strategy_escapes},
    {"a strategy file that is a link out of the folder", "any", "d", "weights", strategy_link},
    {"a strategy file whose parameter is longer than it", "refuse", "d", "weights", strategy_claims},
    {"a strategy of 60 million devices", "refuse", "d", "weights", strategy_numbers},
    {"60 MB of empty lists in a trace of routing", "any", "d", "check", routing_lists},
    {"deep nesting in a trace of routing", "report", "d", "check", routing_deep},
    {"250,000 lines of one router in a trace of routing", "any", "d", "twice", routing_steps},
    {"60 MB of other members in a trace of routing", "report", "d", "check", routing_rest},
    {"experts that are no whole numbers in a trace of routing", "report", "d", "check", routing_numbers},
    {"escapes in a trace of routing", "any", "d", "check", routing_escapes},
    {"a trace of routing whose values are elsewhere", "report", "d", "check", routing_beside},
    {"200,000 equal operators in a log of activations", "any", "d", "twice", activations_many},
    {"an operator's name of 100 MB in a log of activations", "report", "d", "check", activations_long},
    {"a shape of a million axes in a log of activations", "report", "d", "check", activations_axes},
    {"escapes in a log of activations", "any", "d", "check", activations_escapes},
    {"tensors of a graph that are links out of the folder", "refuse", "d", "check", graph_link},
    {"20,000 tensors of one call that are none", "any", "d", "check", graph_many},
    {"escapes in names of a graph's tensors", "any", "d", "check", graph_escapes},
    {"a header of CANN of 2^62 bytes", "report", "d", "check", cann_length},
    {"a tensor of CANN of 2^63 bytes", "report", "d", "check", cann_size},
    {"a matrix of CANN of 2^62 blocks", "report", "d", "check", cann_blocks},
    {"a million outputs in a header of CANN", "report", "d", "check", cann_many},
    {"a dump of CANN that is a link out of the folder", "report", "d", "check", cann_link},
    {"an overflow record of CANN of 2^63 bytes", "report", "d", "check", cann_record},
    {"deep nesting in lines of tensors", "report", "d.jsonl", "check", records_deep},
    {"a name of 100 MB in lines of tensors", "any", "d.jsonl", "check", records_long},
    {"50,000 equal lines of tensors", "any", "d.jsonl", "twice", records_many},
    {"escapes in lines of tensors", "any", "d.jsonl", "check", records_escapes},
    {"deep nesting in a tree of modules", "any", "m_debug_tree_SUMMARY.json", "check", tree_deep},
    {"escapes in a tree of modules", "any", "m_debug_tree_SUMMARY.json", "check", tree_escapes},
    {"deep nesting in msprobe's graphs", "refuse", "compare.vis", "check", graphs_deep},
    {"50,000 equal nodes in msprobe's graphs", "any", "compare.vis", "check", graphs_many},
    {"deep nesting in a list of losses", "refuse", "loss.json", "check", losses_deep},
    {"250,000 equal lines with a loss", "any", "run.log", "check", losses_many},
    {"250,000 losses below equal steps", "any", "run.log", "check", losses_above},
    {"escapes in lines with a loss", "any", "run.log", "check", losses_escapes},
    {"escapes in a round", "any", "t.round-1.gz", "changes", round_escapes},
    {"a name of 100 MB in a round of 100 kB", "refuse", "t.round-1.gz", "changes", round_bomb},
    {"thirty million rows in a round of a megabyte", "refuse", "t.round-1.gz", "changes", round_many},
    {"a million equal rows in a round", "any", "t.round-1.gz", "changes", round_equal},
    {"deep nesting in a round", "refuse", "t.round-1.gz", "changes", round_deep},
    {"a round that is not whole", "refuse", "t.round-1.gz", "changes", round_cut},
    {"an investigation whose round leads out of its folder", "refuse", "t.investigation.json", "since", round_out},
    {"deep nesting in the rows of a result", "refuse", "r.json", "changes", result_rows_deep},
    {"a row of 100 MB in a result", "refuse", "r.json", "changes", result_row_long},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc == 1)
            printf("%s\t%s\t%s\t%s\n", cases[i].name, cases[i].expect, cases[i].open, cases[i].how);
        else if (argc == 3 && strcmp(argv[1], cases[i].name) == 0) {
            root = argv[2];
            cases[i].make();
            return 0;
        }
    }
    return argc == 1 ? 0 : 2;
}
