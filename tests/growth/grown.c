/* grown: lists the kinds of input, each with the size to begin with, the status and the command that reads it.
 * grown KIND N FOLDER: writes one of N units, which differ (names, numbers) as those of real files do. */
#include <stdbool.h>

#include "../damage/hostile.h"

static unsigned long n; /* units */

#define PUT(p, s) (memcpy(p, s, sizeof(s) - 1), (p) += sizeof(s) - 1)

#define EACH(i) for (unsigned long i = 0; i < n; i++)

/* ---- recordings ---- */

static void msprobe_head(FILE *f)
{
    fputs("{\"task\":\"statistics\",\"level\":\"mix\",\"framework\":\"pytorch\",\"dump_data_dir\":null,\"data\":{", f);
}


#define FIGURES "\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[2,3],\"Max\":1.5,\"Min\":-0.5," \
    "\"Mean\":0.25,\"Norm\":2.5,\"requires_grad\":false"

static void msprobe_calls(void)
{
    FILE *f = create("d/dump.json");
    msprobe_head(f);
    EACH(i)
        fprintf(f, "%s\"Functional.linear.%lu.forward\":{\"input_args\":[{" FIGURES "}],\"input_kwargs\":{},"
                "\"output\":[{" FIGURES "}]}",
                i ? "," : "", i);
    fputs("}}", f);
    fclose(f);
    f = create("d/stack.json");
    fputs("{", f);
    EACH(i)
        fprintf(f, "%s\"%lu\":[[\"Functional.linear.%lu.forward\"],[\"File a.py, line %lu, in f, \\n x\"]]",
                i ? "," : "", i, i, i);
    fputs("}", f);
    fclose(f);
}

static void one_call(const char *name, bool many_outputs)
{
    FILE *f = create("d/dump.json");
    msprobe_head(f);
    fprintf(f, "\"%s\":{\"input_args\":[", name);
    if (many_outputs)
        fputs("{" FIGURES "}],\"output\":[", f);
    EACH(i)
        fprintf(f, "%s{" FIGURES "}", i ? "," : "");
    fputs(many_outputs ? "]}}}" : "],\"output\":[{" FIGURES "}]}}}", f);
    fclose(f);
}

static void msprobe_rows(void)
{
    one_call("Functional.cat.0.forward", false);
}

static void msprobe_outputs(void)
{
    one_call("Torch.split.0.forward", true);
}

/* Each module inside the one before. */
static void msprobe_modules(void)
{
    FILE *f = create("d/dump.json");
    msprobe_head(f);
    EACH(i)
        fprintf(f, "%s\"Module.m%lu.Linear.forward.0\":{\"input_args\":[{" FIGURES "}],\"output\":[{" FIGURES "}]}",
                i ? "," : "", i);
    fputs("}}", f);
    fclose(f);
    f = create("d/construct.json");
    fputs("{\"Module.m0.Linear.forward.0\":null", f);
    EACH(i)
        if (i)
            fprintf(f, ",\"Module.m%lu.Linear.forward.0\":\"Module.m%lu.Linear.forward.0\"", i, i - 1);
    fputs("}", f);
    fclose(f);
}

static void graph_rows(void)
{
    FILE *f = create("rank_0/Net/0/0/statistic.csv");
    fputs("Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,Min Value\n", f);
    EACH(i)
        fprintf(f, "Add,Default_net-Net_Add-op%lu,7,3,%lu,output,0,4,float32,\"(1,)\",%lu,1,\n", i, i + 1, i + 2);
    fclose(f);
}

static void ptdbg_lines(void)
{
    FILE *f = create("d/dump.pkl");
    EACH(i)
        fprintf(f, "[\"Functional_linear_%lu_forward_input.0\", 1, [], \"torch.float32\", [4], [%lu, 0, 1]]\n", i,
                i + 1);
    fclose(f);
}

static void torchtitan_blocks(void)
{
    FILE *f = create("rank_0_activations.log");
    fprintf(f, "Total captured activations: %lu\n\n", n);
    EACH(i)
        fprintf(f, "[layers.%lu.wq/op_%lu_mm]\n  Shape: torch.Size([2, 3]), Dtype: torch.float32\n  L2 norm: "
                "3.1e-01\n  Min: -5\n"
                   "  Max: %lu\n  Mean: 0\n  Location: a.py:3\n\n", i, i, i + 1);
    fclose(f);
}

static void debug_tree(void)
{
    FILE *f = create("M_debug_tree_SUMMARY.json");
    fputs("{\"module_path\":\"M\",\"inputs\":{\"args\":[],\"kwargs\":{}},\"children\":[", f);
    EACH(i)
        fprintf(f, "%s{\"module_path\":\"M.l%lu\",\"inputs\":{\"args\":[]},\"outputs\":{\"shape\":\"torch.Size([1, "
                "4])\",\"dtype\":\"torch.float32\","
                   "\"mean\":\"tensor(1.5)\",\"std\":\"tensor(1.)\",\"min\":\"tensor(-2.)\","
                                      "\"max\":\"tensor(%lu.)\"}}", i ? "," : "", i, i + 2);
    fputs("]}", f);
    fclose(f);
}

static void debug_mode(void)
{
    FILE *f = create("debug.txt");
    EACH(i)
        fprintf(f, "    aten::mm(t$%lu: f32[8, 8], ['t$%lu: f32[8, 8]', 2], k=1)  ->  t$%lu: f32[8, 8]  "
                "# {'input_hash': ((1.5, [%lu.5, None]), {'k': None}), 'hash': %lu.5}\n",
                i, i + 1, i + 2, i + 2, i + 3);
    fputs("    aten::cat([0", f); /* one call of many arguments */
    EACH(i)
        fprintf(f, ", 't$%lu: f32[8]'", i);
    fputs("])  ->  t: f32[8]  # {'input_hash': (([None", f);
    EACH(i)
        fprintf(f, ", %lu.5", i);
    fputs("],), {}), 'hash': 1.5}\n", f);
    fclose(f);
}

static void json_rows(void)
{
    FILE *f = create("r.jsonl");
    EACH(i)
        fprintf(f, "{\"name\":\"layers.%lu.mlp\",\"step\":1,\"rank\":0,\"max\":%lu,\"min\":-1,\"norm\":3.5,"
                "\"hash\":\"%08lx\"}\n", i, i + 1, i);
    fclose(f);
}

static void json_ranks(void)
{
    FILE *f = create("r.jsonl");
    EACH(i)
        for (int k = 0; k < 3; k++)
            fprintf(f, "{\"name\":\"layers.%d.mlp\",\"step\":1,\"rank\":%lu,\"max\":%lu,\"min\":-1,\"norm\":3.5}\n",
                    k, i, i + 1);
    fclose(f);
}

static void routing_layers(void)
{
    FILE *f = create("router_trace_rank0.jsonl");
    EACH(i)
        fprintf(f, "{\"step\": 1, \"block\": \"decoder\", \"layer\": %lu, \"num_tokens\": 2, \"topk\": 2, "
                "\"top_indices\": [[4, 0], [7, %lu]]}\n", i, i);
    fclose(f);
}

static void routing_steps(void)
{
    FILE *f = create("router_trace_rank0.jsonl");
    EACH(i)
        fprintf(f, "{\"step\": %lu, \"block\": \"decoder\", \"layer\": 1, \"num_tokens\": 2, \"topk\": 2, "
                "\"top_indices\": [[4, 0], [7, %lu]]}\n", i, i);
    fclose(f);
}

#define DIGEST_HEAD "{\"digest\":1,\"format\":\"msprobe\",\"framework\":\"pytorch\",\"level\":\"L1\"," \
    "\"task\":\"statistics\",\"digits\":17,\"joint\":\".\",\"checksums\":false,\"cut\":false}\n"

static void digest_calls(void)
{
    FILE *f = create("x.digest");
    fputs(DIGEST_HEAD, f);
    EACH(i)
        fprintf(f, "{\"call\":\"Functional.linear.%lu.forward\",\"kind\":0,\"phase\":0,\"family\":\"linear\"}\n"
                   "{\"row\":[%lu,\"input.0\",0,0,\"float32\",79,[2,8],[%lu,0,0.5,2.5],null,[1,3,0,0,0],null,"
                       "null]}\n", i, i, i + 1);
    long end = ftell(f);
    fprintf(f, "{\"places\":[[0,0,0,%ld]]}\ndigest index %020ld\n", end, end);
    fclose(f);
}

static void digest_ranks(void)
{
    FILE *f = create("x.digest");
    long *from = malloc((n + 1) * sizeof *from);
    EACH(i) {
        from[i] = ftell(f);
        fprintf(f, DIGEST_HEAD "{\"call\":\"Functional.linear.0.forward\",\"kind\":0,\"phase\":0,"
                "\"family\":\"linear\"}\n"
                "{\"row\":[0,\"input.0\",0,0,\"float32\",79,[2,8],[%lu,0,0.5,2.5],null,[1,3,0,0,0],null,null]}\n",
                    i + 1);
    }
    from[n] = ftell(f);
    fputs("{\"places\":[", f);
    EACH(i)
        fprintf(f, "%s[0,%lu,%ld,%ld]", i ? "," : "", i, from[i], from[i + 1] - from[i]);
    fprintf(f, "]}\ndigest index %020ld\n", from[n]);
    free(from);
    fclose(f);
}

/* ---- results ---- */

static void result_rows(void)
{
    FILE *f = create("compare_result_1.csv");
    fputs("NPU Name,Bench Name,NPU Dtype,Bench Dtype,NPU Tensor Shape,Bench Tensor Shape,Cosine,Result,Err_message,"
          "NPU_Stack_Info\n", f);
    EACH(i)
        fprintf(f, "F.a.%lu.forward.output.0,F.a.%lu.forward.output.0,torch.float32,torch.float32,\"[1]\",\"[1]\",1,"
                "pass,,\"['File a, line 1, in x, y']\"\n", i, i);
    fclose(f);
}

static void sheet_rows(void)
{
    static const char types[] = "<?xml version=\"1.0\"?><Types/>";
    char *sheet = malloc(1000 + n * 400), *p = sheet;
    const char *head[] = {"NPU Name", "Bench Name", "NPU Dtype", "Bench Dtype", "Cosine"};
    p += sprintf(p, "<?xml version=\"1.0\"?><worksheet "
                 "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData><row>");
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        p += sprintf(p, "<c t=\"inlineStr\"><is><t>%s</t></is></c>", head[i]);
    p += sprintf(p, "</row>");
    EACH(i)
        p += sprintf(p, "<row><c t=\"inlineStr\"><is><t>F.a.%lu.forward.output.0</t></is></c><c t=\"inlineStr\"><is>"
                     "<t>F.a.%lu.forward.output.0</t></is></c>"
                        "<c t=\"inlineStr\"><is><t>torch.float32</t></is></c><c t=\"inlineStr\"><is><t>"
                            "torch.float32</t></is></c><c><v>1</v></c></row>", i, i);
    p += sprintf(p, "</sheetData></worksheet>");
    struct member m[] = {stored("[Content_Types].xml", types, sizeof types - 1), stored("xl/worksheets/sheet1.xml",
                                sheet, (size_t)(p - sheet))};
    zip("compare_result_1.xlsx", m, 2);
    free(sheet);
}

static void result_json(void)
{
    FILE *f = create("compare_result_rank0_1.json");
    fputs("{", f);
    EACH(i)
        fprintf(f, "%s\"F.a.%lu.forward\":{\"is_same\":false,\"op_items\":[{\"NPU Name\":\"F.a.%lu.forward.output.0\","
                "\"Bench Name\":\"F.a.%lu.forward.output.0\","
                   "\"NPU Dtype\":\"torch.float32\",\"Bench Dtype\":\"torch.float32\",\"NPU max\":1,\"Bench max\":2,"
                       "\"Result\":\"\"}]}", i ? "," : "", i, i, i);
    fputs("}", f);
    fclose(f);
}

static void result_diff(void)
{
    FILE *f = create("diff_analyze_1.json");
    fputs("{\"rank_0\":[", f);
    EACH(i)
        fprintf(f, "%s{\"op_name\":\"F.a.%lu.forward\",\"data_info\":{\"output\":{\"F.a.%lu.forward.output.0\":{\"NPU "
                "max\":1,\"NPU min\":0,\"NPU mean\":0.5,\"NPU l2norm\":2}}}}", i ? "," : "", i, i);
    fputs("]}", f);
    fclose(f);
}

static void result_overflow(void)
{
    FILE *f = create("anomaly_analyze_1.json");
    fputs("{\"rank_0\":[", f);
    EACH(i)
        fprintf(f, "%s{\"op_name\":\"F.a.%lu.forward\",\"data_info\":{\"output\":[{" FIGURES "}]},"
                "\"construct_info\":[],\"stack_info\":[\"File a.py, line 1, in f, x\"]}", i ? "," : "", i);
    fputs("]}", f);
    fclose(f);
}

static void result_graph(void)
{
    FILE *f = create("compare_1.vis");
    fputs("{", f);
    for (int side = 0; side < 2; side++) {
        fprintf(f, "%s\"%s\":{\"root\":\"M\",\"node\":{\"M\":{\"id\":\"M\",\"subnodes\":[]}", side ? "," : "",
                side ? "Bench" : "NPU");
        EACH(i)
            fprintf(f, ",\"Module.a%lu.forward.0\":{\"id\":\"Module.a%lu.forward.0\","
                    "\"matched_node_link\":[\"Module.a%lu.forward.0\"],\"input_data\":{},"
                       "\"output_data\":{\"Module.a%lu.forward.0.output.0\":{\"dtype\":\"torch.float32\","
                           "\"shape\":\"[2]\",\"Max\":\"1\",\"Min\":\"0\",\"Mean\":\"0.5\",\"Norm\":\"2\"}}}", i, i,
                               i, i);
        fputs("}}", f);
    }
    fputs("}", f);
    fclose(f);
}

/* ---- weights ---- */

static void write_safetensors(void)
{
    FILE *f = create("w.safetensors");
    char *head = malloc(100 + n * 120), *p = head;
    *p++ = '{';
    EACH(i)
        p += sprintf(p, "%s\"model.layers.%lu.mlp.weight\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[%lu,"
                     "%lu]}", i ? "," : "", i, i * 8, i * 8 + 8);
    *p++ = '}';
    le(f, (uint64_t)(p - head), 8);
    fwrite(head, 1, (size_t)(p - head), f);
    fill(f, 1, n * 8);
    free(head);
    fclose(f);
}

static size_t varint(char *p, uint64_t v)
{
    size_t k = 0;
    for (; v > 127; v >>= 7)
        p[k++] = (char)(v | 128);
    p[k++] = (char)v;
    return k;
}

/* Checkpoint{value{tag, tensor{dims, type, content}}}. */
static void write_ckpt(void)
{
    FILE *f = create("w.ckpt");
    EACH(i) {
        char name[60], tensor[60], value[200];
        size_t a = (size_t)sprintf(name, "layers.%lu.mlp.weight", i), t = 0, v = 0;
        t += (size_t)sprintf(tensor, "\010\002\022\007Float32\032\010");
        memcpy(tensor + t, "\0\0\200?\0\0\0@", 8);
        t += 8;
        value[v++] = 10;
        v += varint(value + v, a);
        memcpy(value + v, name, a);
        v += a;
        value[v++] = 18;
        v += varint(value + v, t);
        memcpy(value + v, tensor, t);
        v += t;
        fputc(10, f);
        le(f, v, 1); /* short: below 128 */
        fwrite(value, 1, v, f);
    }
    fclose(f);
}

static void write_npz(void)
{
    static const char one[] = "\x93NUMPY\1\0\x46\0{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }           "
        "  \n\0\0\0";
    struct member *m = malloc((n + 1) * sizeof *m);
    char *names = malloc((n + 1) * 40);
    EACH(i) {
        sprintf(names + i * 40, "layers.%lu.weight.npy", i);
        m[i] = stored(names + i * 40, one, 84);
    }
    zip("w.npz", m, n);
    free(m);
    free(names);
}

/* A dictionary of so many tensors of one storage each, or of one that all share. */
static void torch_tensors(void)
{
    char *pickle = malloc(1000 + n * 300), *p = pickle, *names = malloc((n + 3) * 40);
    struct member *m = malloc((n + 3) * sizeof *m);
    p += sprintf(p, "\x80\x02}(");
    EACH(i) {
        char key[24], name[40];
        int k = sprintf(key, "%lu", i), l = sprintf(name, "layers.%lu.weight", i);
        *p++ = 'X';
        memcpy(p, &l, 4);
        p += 4;
        p += sprintf(p, "%sctorch._utils\n_rebuild_tensor_v2\n((X", name);
        PUT(p, "\7\0\0\0storagectorch\nFloatStorage\nX");
        memcpy(p, &k, 4);
        p += 4;
        p += sprintf(p, "%sX", key);
        PUT(p, "\3\0\0\0cpuK\4tQK\0K\4\x85K\1\x85\x89" "ccollections\nOrderedDict\n)RtR");
        sprintf(names + i * 40, "archive/data/%lu", i);
        m[i + 2] = stored(names + i * 40, "0123456789abcdef", 16);
    }
    p += sprintf(p, "u.");
    m[0] = stored("archive/data.pkl", pickle, (size_t)(p - pickle));
    m[1] = stored("archive/version", "3\n", 2);
    zip("w.pt", m, n + 2);
    free(pickle);
    free(names);
    free(m);
}

/* So many numbers, then `depth` lists, each of the list before, or with 0 of the numbers, `times` times. */
static void shared_lists(int depth, int times)
{
    static const char *const key[] = {"log_probs", "rollout_log_probs", "c", "d", "e", "f", "g", "h"};
    char *pickle = malloc(20000 + n * 9), *p = pickle;
    PUT(p, "\x80\2}(X\1\0\0\0a]q\0(");
    EACH(i)
        PUT(p, "G\xbf\xe0\0\0\0\0\0\0");
    *p++ = 'e';
    for (int k = 0; k < (depth ? depth : 2); k++) {
        int length = (int)strlen(key[k]);
        *p++ = 'X';
        memcpy(p, &length, 4);
        p += 4;
        p += sprintf(p, "%s]q", key[k]);
        *p++ = (char)(k + 1);
        *p++ = '(';
        for (int i = 0; i < times; i++) {
            *p++ = 'h';
            *p++ = (char)(depth ? k : 0);
        }
        *p++ = 'e';
    }
    PUT(p, "u.");
    struct member m[] = {stored("archive/data.pkl", pickle, (size_t)(p - pickle)), stored("archive/version", "3\n", 2)};
    zip("r.pt", m, 2);
    free(pickle);
}

static void rollout_lists(void) { shared_lists(0, 20); }
static void rollout_deep(void) { shared_lists(8, 100); } /* 10^16 times, were they read as often as they are named */

static void rollout_lines(void)
{
    for (int side = 0; side < 2; side++) {
        FILE *f = create(side ? "rollout.jsonl" : "train.jsonl");
        EACH(i)
            fprintf(f, "{\"uid\":\"%lu\",\"tokens\":[1,2,3,4],\"%s\":[-0.5,-1.25,-2,-0.%lu]}\n", i,
                    side ? "rollout_log_probs" : "log_probs", i + 1);
        fclose(f);
    }
}

/* ---- logs and settings ---- */

static void megatron_log(void)
{
    FILE *f = create("train.log");
    EACH(i)
        fprintf(f, " iteration %8lu/ %8lu | consumed samples: %lu | lm loss: %lu.5E+00 | grad norm: 1.%lu | number of "
                "nan iterations: 0 |\n", i + 1, n, i + 1, i % 7 + 1, i);
    fclose(f);
}

static void learned_log(void)
{
    FILE *f = create("train.log");
    EACH(i)
        fprintf(f, "epoch: 1 step: %lu, loss is %lu.3 and so on\n", i + 1, i % 7 + 1);
    fclose(f);
}

/* No line is like another. */
static void unlike_log(void)
{
    FILE *f = create("train.log");
    EACH(i)
        fprintf(f, "a%lub%lu c%lu loss d%lu: %lu.3 e%lu\n", i, i * 3, i * 5, i * 7, i % 7 + 1, i * 11);
    fclose(f);
}

static void trainer_state(void)
{
    FILE *f = create("trainer_state.json");
    fprintf(f, "{\"global_step\":%lu,\"log_history\":[", n);
    EACH(i)
        fprintf(f, "%s{\"step\":%lu,\"loss\":%lu.5,\"grad_norm\":1.5,\"learning_rate\":0.001,\"epoch\":0.5}",
                i ? "," : "", i + 1, i % 7 + 1);
    fputs("]}", f);
    fclose(f);
}

static void json_log(void)
{
    FILE *f = create("t.jsonl");
    EACH(i)
        fprintf(f, "{\"step\":%lu,\"train/loss\":%lu.5,\"train/grad_norm\":2.5}\n", i + 1, i % 7 + 1);
    fclose(f);
}

static void loss_numbers(void)
{
    FILE *f = create("loss.txt");
    EACH(i)
        fprintf(f, "%lu %lu.25\n", i + 1, i % 7 + 1);
    fclose(f);
}

static void loss_list(void)
{
    FILE *f = create("loss.json");
    fputs("{\"lm loss\":[", f);
    EACH(i)
        fprintf(f, "%s%lu.5", i ? "," : "", i % 7 + 1);
    fputs("]}", f);
    fclose(f);
}

static void monitor_rows(void)
{
    FILE *f = create("grad_reduced_0-0.csv");
    fputs("vpp_stage,name,step,norm\n", f);
    EACH(i)
        fprintf(f, "0,layers.%lu.weight,0,%lu.5\n", i, i + 1);
    fclose(f);
}

static void local_norms(void)
{
    FILE *f = create("norm.log");
    EACH(i)
        fprintf(f, "layers.%lu.weight norm=%lu.5\n", i, i % 7 + 1);
    fclose(f);
}

static void yaml_settings(void)
{
    FILE *f = create("c.yaml");
    fputs("model:\n  model_config:\n    num_layers: 2\n", f);
    EACH(i)
        fprintf(f, "    setting_%lu: %lu\n", i, i);
    fclose(f);
}

static void shell_settings(void)
{
    FILE *f = create("c.sh");
    fputs("torchrun pretrain_gpt.py --num-layers 2", f);
    EACH(i)
        fprintf(f, " \\\n  --setting-%lu %lu", i, i);
    fputs("\n", f);
    fclose(f);
}

static void environment(void)
{
    FILE *f = create("env.txt");
    EACH(i)
        fprintf(f, "VARIABLE_%lu=%lu\n", i, i);
    fclose(f);
    text("c.yaml", "model:\n  model_config:\n    num_layers: 2\n");
}

static void mapping(void)
{
    FILE *f = create("map.yaml");
    EACH(i)
        fprintf(f, "Functional.linear.%lu.forward: Functional.linear.%lu.forward\n", i, n - 1 - i);
    fclose(f);
    msprobe_calls();
}

/* ---- what people keep ---- */

/* of: what the units are, each written by `one` */
static void investigation(const char *of, void (*one)(FILE *f, unsigned long i))
{
    FILE *f = create("a.investigation.json");
    fprintf(f, "{\"schema\":1,\"tool\":\"diverge\",\"investigation\":{\"target\":{\"path\":\"d\"},"
            "\"golden\":{\"path\":\"d\"},\"%s\":[", of);
    EACH(i) {
        fputs(i ? "," : "", f);
        one(f, i);
    }
    fprintf(f, "],\"%s\":%lu}}\n", *of == 'd' ? "decided" : "noted", n);
    fclose(f);
    text("d/dump.json", "{\"task\":\"statistics\",\"level\":\"mix\",\"framework\":\"pytorch\","
         "\"data\":{\"Functional.linear.0.forward\":{\"output\":[{" FIGURES "}]}}}");
}

static void mark(FILE *f, unsigned long i)
{
    fprintf(f, "{\"what\":\"mark\",\"step\":%lu,\"target\":\"a%lu\",\"golden\":\"b%lu\"}", i + 1, i, i);
}

static void rule(FILE *f, unsigned long i)
{
    fprintf(f, "{\"what\":\"rule\",\"step\":%lu,\"target\":\"a%lu\",\"golden\":\"b%lu\"}", i + 1, i, i);
}

static void finding(FILE *f, unsigned long i)
{
    fprintf(f, "{\"number\":%lu,\"step\":%lu,\"place\":%lu,\"status\":\"suspected\",\"text\":\"x%lu\","
            "\"author\":\"a\",\"time\":1,\"subject\":\"row\","
               "\"target\":\"Functional.linear.0.forward.output.0\",\"golden\":\"\"}", i + 1, i + 1, i + 1, i);
}
static void marks(void) { investigation("decisions", mark); }
static void rules(void) { investigation("decisions", rule); }
static void findings(void) { investigation("findings", finding); }

static const struct kind {
    const char *name;
    unsigned long least;
    void (*write)(void);
    const char *words;
    int status; /* the highest that is expected where the input is refused, after it was read; 0: it is read */
} kinds[] = {
    {"calls of msprobe", 1800, msprobe_calls, "compare d d", 0},
    {"rows of one call", 3600, msprobe_rows, "compare d d", 0},
    {"outputs of one call", 7200, msprobe_outputs, "compare d d", 0},
    {"modules in modules", 2000, msprobe_modules, "compare d d", 0},
    {"rows of statistic.csv", 3600, graph_rows, "compare . .", 0},
    {"lines of ptdbg", 3000, ptdbg_lines, "compare d d", 0},
    {"operators of TorchTitan", 3000, torchtitan_blocks, "compare rank_0_activations.log rank_0_activations.log", 0},
    {"modules of transformers", 3000, debug_tree, "compare M_debug_tree_SUMMARY.json M_debug_tree_SUMMARY.json", 0},
    {"operators of DebugMode", 3000, debug_mode, "compare debug.txt debug.txt", 0},
    {"records in JSON lines", 3000, json_rows, "compare r.jsonl r.jsonl", 0},
    {"ranks in JSON lines", 500, json_ranks, "compare r.jsonl r.jsonl --rank all", 0},
    {"layers of a routing trace", 1800, routing_layers, "compare router_trace_rank0.jsonl router_trace_rank0.jsonl", 0},
    {"steps of a routing trace", 500, routing_steps, "compare router_trace_rank0.jsonl router_trace_rank0.jsonl "
        "--step all", 0},
    {"calls of a digest", 3000, digest_calls, "compare x.digest x.digest", 0},
    {"ranks of a digest", 1000, digest_ranks, "compare x.digest x.digest --rank all", 0},
    {"rows of a result", 3000, result_rows, "compare compare_result_1.csv", 0},
    {"rows of a spreadsheet", 3000, sheet_rows, "compare compare_result_1.xlsx", 0},
    {"calls of a result in JSON", 3000, result_json, "compare compare_result_rank0_1.json", 0},
    {"calls of diff_analyze", 3000, result_diff, "compare diff_analyze_1.json diff_analyze_1.json", 0},
    {"calls of overflow_check", 3000, result_overflow, "compare anomaly_analyze_1.json anomaly_analyze_1.json", 0},
    {"nodes of a graph", 6000, result_graph, "compare compare_1.vis", 0},
    {"tensors of safetensors", 3000, write_safetensors, "weights w.safetensors w.safetensors", 0},
    {"tensors of a ckpt", 3000, write_ckpt, "weights w.ckpt w.ckpt", 0},
    {"arrays of an npz", 3000, write_npz, "weights w.npz w.npz", 0},
    {"tensors of torch.save", 3000, torch_tensors, "weights w.pt w.pt", 0},
    {"lists of a rollout", 2000, rollout_lists, "rollout r.pt", 0},
    {"lists in lists", 20000, rollout_deep, "rollout r.pt", 3},
    {"sequences of a rollout", 1800, rollout_lines, "rollout train.jsonl rollout.jsonl", 0},
    {"lines of Megatron", 6000, megatron_log, "curves train.log train.log", 0},
    {"lines of any log", 2000, learned_log, "curves train.log train.log", 0},
    {"lines that are unlike", 2000, unlike_log, "check train.log", 3},
    {"records of Trainer", 6000, trainer_state, "curves trainer_state.json trainer_state.json", 0},
    {"JSON lines of a log", 6000, json_log, "curves t.jsonl t.jsonl", 0},
    {"columns of losses", 30000, loss_numbers, "curves loss.txt loss.txt", 0},
    {"a list of losses", 30000, loss_list, "curves loss.json loss.json", 0},
    {"weights of msprobe monitor", 3000, monitor_rows, "norms grad_reduced_0-0.csv grad_reduced_0-0.csv", 0},
    {"norms in a log", 3000, local_norms, "norms norm.log norm.log", 0},
    {"settings in YAML", 4000, yaml_settings, "config c.yaml c.yaml", 0},
    {"settings of a script", 4000, shell_settings, "config c.sh c.sh", 0},
    {"variables", 10000, environment, "config c.yaml c.yaml --target-env env.txt --golden-env env.txt", 0},
    {"rows of a mapping", 1200, mapping, "compare d d --map map.yaml", 0},
    {"marks", 3000, marks, "marks a.investigation.json", 0},
    {"rules", 3000, rules, "marks a.investigation.json", 0},
    {"findings", 1800, findings, "note a.investigation.json", 0},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct kind *k = &kinds[i];
        if (argc < 2)
            printf("%s|%lu|%d|%s\n", k->name, k->least, k->status, k->words);
        else if (argc == 4 && strcmp(argv[1], k->name) == 0) {
            n = strtoul(argv[2], NULL, 10);
            root = argv[3];
            k->write();
            return 0;
        }
    }
    return argc < 2 ? 0 : 2;
}
