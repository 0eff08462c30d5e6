/* The table of files that are recognised but not read: how each is recognised, and advice for its owner. */
#include "fmt/unreadable.h"

#include "base/folder.h"
#include "base/msg.h"
#include "base/utf8.h"
#include "fmt/cann_dump.h"
#include "fmt/find_recordings.h"
#include "fmt/msdump.h"

#define DEPTH 10
#define ENTRIES 2000000
#define LOOKED_AT 5000 /* the most files examined: such a tree shows its signs in every folder */

/* ---- signs ---- */

static bool starts_with(const char *path, const char *magic)
{
    char head[64];
    return str_starts(file_head(path, head, sizeof head), magic);
}

static bool head_has(const char *path, const char *a, const char *b)
{
    char head[4096];
    struct str s = file_head(path, head, sizeof head);
    return str_has(s, a) && str_has(s, b);
}

static bool is_kernel_config(const char *path, struct str name)
{
    (void)path;
    return str_starts(name, "kernel_config_") && str_ends(name, ".json");
}

static bool is_cann_overflow(const char *path, struct str name)
{
    (void)path;
    return cann_name(name) && msdump_is_overflow(name);
}

static bool is_atb(const char *path, struct str name)
{
    return str_ends(name, ".bin") && starts_with(path, "$Version=");
}

static bool is_torchair(const char *path, struct str name)
{
    (void)path;
    return str_starts(name, "dynamo_original_graph_") && str_ends(name, ".txt");
}

static bool is_single(const char *path, struct str name)
{
    return str_ends(name, ".json") && starts_with(path, "{\n    \"data\": ") && head_has(path, "\"max\":", "\"norm\":");
}

static bool is_mlflow(const char *path, struct str name)
{
    return str_is(name, "mlflow.db") && starts_with(path, "SQLite format 3");
}

static bool is_database(const char *path, struct str name)
{
    return str_ends(name, ".db") && !str_is(name, "mlflow.db") && starts_with(path, "SQLite format 3");
}

static bool is_graph(const char *path, struct str name)
{
    return str_ends(name, ".ir") && (starts_with(path, "# IR entry") || starts_with(path, "#IR entry"));
}

static bool is_distcp(const char *path, struct str name)
{
    (void)path;
    return str_ends(name, ".distcp");
}

static bool is_troubleshooter(const char *path, struct str name)
{
    return str_ends(name, ".csv") && starts_with(path, "\"orig array name\"");
}

static bool is_dump_tensor(const char *path, struct str name)
{
    return str_ends(name, ".pt") && str_is(path_base(path_parent(str_of(path))), "dump_tensor_data");
}

static bool is_dump_part(const char *path, struct str name)
{
    static const char *const names[] = {"stack.json", "construct.json", "mapping.csv"};
    (void)path;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(name, names[i]))
            return true;
    return false;
}

static bool is_summary(const char *path, struct str name)
{
    (void)path;
    return str_starts(name, "multi_ranks_compare_merge");
}

static bool is_model(const char *path, struct str name)
{
    static const char *const ends[] = {".gguf", ".onnx", ".h5", ".hdf5", ".mindir", ".air", ".om", ".pt2"};
    (void)path;
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_ends(name, ends[i]))
            return true;
    return false;
}

static bool is_utf16(const char *path, struct str name)
{
    char head[2];
    (void)name;
    return utf16_marked(file_head(path, head, sizeof head));
}

/* A real pickle with the name of ptdbg's text file; as weights it would be accepted as any kind of file. */
static bool is_binary_dump(const char *path, struct str name)
{
    return str_ends(name, "dump.pkl") && starts_with(path, "\x80");
}

/* msprobe config_check writes the environment first. */
static bool is_config_check(const char *path, struct str name)
{
    char head[64];
    struct str h = file_head(path, head, sizeof head);
    (void)name;
    return str_starts(h, "PK\3\4") && h.n > 33 && h.p[26] == 3 && !h.p[27] && str_starts(str_cut(h, 30), "env");
}

static bool is_spreadsheet(const char *path, struct str name)
{
    return str_ends(name, ".xlsx") && starts_with(path, "PK\3\4");
}

static bool is_compressed(const char *path, struct str name)
{
    static const char *const starts[] = {"\x1f\x8b", "\x28\xb5\x2f\xfd", "\xfd\x37zXZ", "BZh", "PK\3\4", "7z\xbc\xaf"};
    for (size_t i = 0; i < ARRAY_LEN(starts); i++)
        if (starts_with(path, starts[i]))
            return true;
    return str_ends(name, ".tar");
}

/* A file that is read if given directly, found in a folder of several. */
static bool is_read_alone(const char *path, struct str name)
{
    (void)name;
    return find_reader(path) != NULL;
}

const struct unreadable unreadable_formats[] = {
    {"cann-overflow", N_("overflow records of CANN without the operators"), "Opdebug.Node_OpDebug.TASK.STREAM.TIME",
     N_("such a record names only a task and a stream: open the folder that holds the operators' dumps of the same run "
        "(TYPE.NAME.TASK.STREAM.TIME) beside it"),
     is_cann_overflow, false, false},
    {"msprobe-l2", N_("settings of a dump of msprobe's level L2, without the operators"), "stepN/kernel_config_PID.json",
     N_("open the folder that CANN wrote the operators to (TIME/DEVICE/…/TYPE.NAME.TASK.STREAM.TIME): they are read as "
        "they are"), is_kernel_config, false, false},
    {"atb-dump", N_("tensors of ATB (MindIE, vLLM on Ascend)"), "*.bin",
     N_("convert them with msprobe parse -d FILE -t npy, or dump with level L0 or L1 instead"), is_atb, false, false},
    {"torchair-dump", N_("TorchAir graph dumps"), "worldsizeN_globalrankN/… dynamo_original_graph_*.txt",
     N_("open the folder of the operators below it (TYPE.NAME.TASK.STREAM.TIME): they are read as they are"),
     is_torchair, false, false},
    {"msprobe-single", N_("msprobe SingleSave"), "data/TAG/stepN/rankN/TAG.{json,npy}",
     N_("save with PrecisionDebugger.save at level debug instead: its debug.json is read"), is_single, false, false},
    {"mlflow-db", N_("database of MLflow"), "mlflow.db",
     N_("write the metric histories to a table with columns step and loss (MlflowClient().get_metric_history), "
        "then open that"), is_mlflow, true, false},
    {"database", N_("a database of another program"), "*.db",
     N_("write the metric or the tensors' figures as a table or as JSON lines, then open that"), is_database, true,
     false},
    {"mindspore-ir", N_("graphs of MindSpore"), "*.ir",
     N_("open the dump in the same folder: the source lines of the graph are added to its "
        "stacks"), is_graph, false, false},
    {"torch-distcp-part", N_("chunks of a distributed checkpoint of torch"), "*.distcp without .metadata",
     N_("its content is described in .metadata: open the folder that contains both"), is_distcp, false, false},
    {"troubleshooter", N_("comparisons of TroubleShooter"), "compare_npy_dir.csv …",
     N_("the table has the shares of close elements, but no errors: open the dumps that were compared"),
     is_troubleshooter, false, false},
    {"dump-tensors", N_("the tensors of an msprobe dump"), "dump_tensor_data/*.pt",
     N_("the calls of these tensors are listed in dump.json: open the folder that contains "
        "it"), is_dump_tensor, false, false},
    {"dump-part", N_("one file of a dump"), "stack.json construct.json mapping.csv", N_("open the folder that contains it"), is_dump_part, true, false},
    {"result-summary", N_("statistics of several ranks side by side (merge_result), without the "
                          "pairs"), "multi_ranks_compare_merge*.xlsx",
     N_("open the compare_result_rankN files it was made from"), is_summary, false, false},
    {"other-models", N_("models of other formats: GGUF, ONNX, HDF5, MindIR, torch.export"), "*.gguf *.onnx *.h5 *.mindir *.air *.om *.pt2",
     N_("save the weights with torch.save, mindspore.save_checkpoint or as safetensors, then open those"), is_model,
     false, false},
    {"utf-16", N_("UTF-16 text"), "*.csv *.json",
     N_("UTF-16 is read in training logs only; convert it first: iconv -f UTF-16 -t UTF-8 FILE > OUT, then open OUT"),
     is_utf16, true, false},
    {"config-check", N_("settings and environment packed by msprobe config_check"), "config_check_pack.zip",
     N_("diverge config compares two of them"), is_config_check, false, false},
    {"spreadsheet", N_("a spreadsheet without a readable table of pairs"), "*.xlsx",
     N_("open what it was made from; msprobe config_check makes one of two archives, which diverge config compares"),
     is_spreadsheet, true, false},
    {"compressed", N_("a compressed file or an archive"), "*.gz *.xz *.zst *.bz2 *.zip *.7z *.tar",
     N_("unpack it, then open its content"), is_compressed, true, false},
    {"ptdbg-pickle", N_("expected the text format of ptdbg, found a binary pickle"), "*dump.pkl",
     N_("ptdbg writes lines of JSON under this name; a binary pickle is not loaded, because it can run code: open the "
        "folder of the dump itself"), is_binary_dump, false, true},
    {"several", N_("several weights or result files in one folder"), "*.ckpt *.safetensors *.pth *.npy compare_result_* …",
     N_("name one of them"), is_read_alone, false, false},
    {0},
};

/* ---- finding ---- */

/* A pipe, socket or device: opening it would block until somebody writes to it. */
static const struct unreadable special = {
    "special", N_("a pipe, a socket or a device"), "", N_("copy its output to a file, then open that"), NULL,
        false, true,
};

static const struct unreadable *recognise_unreadable(const char *path, bool named)
{
    for (const struct unreadable *r = unreadable_formats; r->name; r++)
        if ((named || !r->named) && r->is(path, path_base(str_of(path))))
            return r;
    return NULL;
}

struct search {
    size_t left;          /* files still to be examined */
    struct buf *at;       /* see unreadable_find */
};

static const struct unreadable *told_by(struct search *s, const struct unreadable *r, const char *path)
{
    if (r && r->single && s->at) {
        buf_clear(s->at);
        buf_cstr(s->at, path);
    }
    return r;
}

static const struct unreadable *search_unreadable(struct search *s, struct folder *f, int depth)
{
    struct buf path = {0};
    struct err quiet;
    const struct unreadable *found = NULL;
    /* entries here are more specific than those below */
    for (size_t i = 0; i < f->entries.n && !found && s->left; i++) {
        path_join(&path, f->path, f->entries.v[i].name);
        if (f->entries.v[i].kind == ENTRY_OTHER) {
            found = told_by(s, &special, path.p);
        } else if (path_is_file(path.p)) {
            s->left--;
            found = told_by(s, recognise_unreadable(path.p, false), path.p);
        }
    }
    for (size_t i = 0; i < f->entries.n && depth && !found && s->left; i++) {
        struct folder *child = folder_is_folder(f, i) ? folder_child(f, i, ENTRIES, &quiet) : NULL;
        found = child ? search_unreadable(s, child, depth - 1) : NULL;
        folder_child_release(f, i);
    }
    buf_release(&path);
    return found;
}

const struct unreadable *unreadable_find(const char *path, struct buf *found)
{
    struct search s = {LOOKED_AT, found};
    struct folder f;
    struct err quiet;
    if (found)
        buf_cstr(found, path);
    if (path_is_file(path))
        return told_by(&s, recognise_unreadable(path, true), path);
    const struct unreadable *r = folder_read(&f, path, ENTRIES, &quiet) == 0 ? search_unreadable(&s, &f, DEPTH - 1)
                                 : NULL;
    folder_release(&f);
    return r;
}

int unreadable_error(const struct unreadable *r, const char *path, struct err *e)
{
    if (r->is == is_read_alone)
        return err_set(e, ERR_DATA, _("%s: several weights or result files in this folder: name one of them"), path);
    return err_set(e, ERR_DATA, _("%s: %s: recognised, but not supported; %s"), path, _(r->title), _(r->advice));
}
