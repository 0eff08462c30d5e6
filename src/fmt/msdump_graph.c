/* Files that MindSpore writes beside a dump about the graph: the execution order of its operators
 * (execution_order/ms_execution_order_graph_G.csv) and their source lines (graphs/ms_output_trace_code_graph_G.ir). G
 * is the folder of the iterations: rank_R/NET/G/ITERATION. They are optional, so nothing here is an error. */
#include "fmt/msdump.h"

#include <stdlib.h>

#include "base/io.h"
#include "base/lines.h"

#define LINE_MOST (64u << 10)     /* of a graph's lines only comments are used, which are short */
#define OPERATORS_MOST 4000000
#define FRAMES_MOST 256           /* per operator */
#define FILES_MOST 16
#define BATCH 4096

/* The folders above the part's files. */
struct around {
    struct buf rank, graph; /* rank: rank_R; graph: G */
    char *full;
};

static bool look_around(const char *dir, struct around *a)
{
    *a = (struct around){.full = path_full(dir)};
    if (!a->full)
        return false;
    struct str at = path_parent(str_of(a->full));
    buf_str(&a->graph, path_base(at));
    at = path_parent(path_parent(at));
    buf_str(&a->rank, at);
    return at.n > 0;
}

static void around_release(struct around *a)
{
    free(a->full);
    buf_release(&a->rank);
    buf_release(&a->graph);
}

void msdump_plain_name(struct str full, struct buf *out)
{
    buf_clear(out);
    for (size_t i = 0; i < full.n; i++) {
        char c = full.p[i];
        buf_char(out, c == '/' || c == '.' || c == '\\' || c == ' ' ? '_' : c);
    }
}

/* ---- the order of execution ---- */

void msdump_read_order(const char *dir, struct map *order, struct arena *a)
{
    struct around x;
    struct buf path = {0}, name = {0}, folder = {0};
    struct file f;
    struct err quiet;
    if (look_around(dir, &x)) {
        path_join(&folder, x.rank.p, "execution_order");
        buf_fmt(&name, "ms_execution_order_graph_%s.csv", x.graph.p);
        if (file_open_inside(&f, folder.p, name.p, &quiet) == 0) {
            struct lines l;
            struct str line;
            lines_take(&l, f, LINE_MOST, true);
            while (lines_next(&l, &line, &quiet) == 1 && order->n < OPERATORS_MOST) {
                msdump_plain_name(str_trim(line), &path);
                if (path.n && map_get(order, buf_view(&path)) == MAP_NONE)
                    map_add(order, arena_str(a, buf_view(&path)), (uint32_t)l.number);
            }
            lines_close(&l);
        }
    }
    around_release(&x);
    buf_release(&path);
    buf_release(&name);
    buf_release(&folder);
}

/* ---- source lines ---- */

/* A backward operator and the unique id of its forward node. */
struct backward_node {
    uint32_t call;
    uint64_t forward;
};

/* State while one operator's comments are read. */
struct trace {
    struct dump *d;
    struct load *load;
    struct map calls;    /* operator → its first call of this part */
    struct buf name;     /* the operator of the current comments */
    uint32_t call;       /* or NONE: not recorded */
    VEC(uint32_t) frame; /* outermost first */
    struct buf func, file, text;
    uint64_t node, forward; /* unique ids of the node and of its forward node; 0: none */
    struct nmap nodes;      /* unique id → call, for forward operators */
    VEC(struct backward_node) backward;
};

/* Parses "PATH:LINE~LINE, COLUMN~COLUMN/CODE/", in old versions "PATH(LINE)/CODE/": split at the first number after a
 * ':' or '(' that ends in a '/'. */
static bool cut_place(struct str s, struct str *file, unsigned long long *line, struct str *code)
{
    for (size_t i = 1; i + 1 < s.n; i++) {
        if (s.p[i] != ':' && s.p[i] != '(')
            continue;
        size_t k = i + 1;
        while (k < s.n && s.p[k] >= '0' && s.p[k] <= '9')
            k++;
        if (k == i + 1 || !str_u64(str_n(s.p + i + 1, k - i - 1), line))
            continue;
        while (k < s.n && strchr("0123456789~, )", s.p[k]) && s.p[k])
            k++;
        if (k == s.n || s.p[k] != '/')
            continue;
        *file = str_n(s.p, i);
        *code = str_cut(s, k + 1);
        return true;
    }
    return false;
}

/* The code without its closing '/' and the remark that several nodes share the line. */
static struct str clean_code(struct str code)
{
    for (size_t i = 0; i + 4 <= code.n; i++)
        if (memcmp(code.p + i, "/<~~", 4) == 0)
            code.n = i;
    code = str_trim(code);
    if (str_ends(code, "/"))
        code.n--;
    return str_trim(code);
}

/* NAME of "def NAME(": such a line is not a call, but gives the function of the next lines. */
static bool defined_function(struct str code, struct str *name)
{
    ptrdiff_t open = str_find(code, '(');
    if (!str_starts(code, "def ") || open < 0)
        return false;
    *name = str_trim(str_n(code.p + 4, (size_t)open - 4));
    return true;
}

static void add_line(struct trace *t, struct str s)
{
    struct str file, code, func;
    unsigned long long line;
    if (!cut_place(s, &file, &line, &code) || t->frame.n >= FRAMES_MOST)
        return;
    code = clean_code(code);
    if (defined_function(code, &func)) {
        buf_clear(&t->func);
        buf_str(&t->func, func);
        buf_clear(&t->file);
        buf_str(&t->file, file);
        return;
    }
    const struct frame *last = t->frame.n ? &t->d->frames.v[*vec_last(&t->frame)] : NULL;
    if (last && last->line == line && str_is(file, last->file)) /* the same line at two columns */
        return;
    bool known = t->func.n && str_eq(file, buf_view(&t->file));
    buf_clear(&t->text);
    buf_fmt(&t->text, "File %.*s, line %llu, in %s, \n %.*s", STR_ARG(file), line, known ? t->func.p : "",
            STR_ARG(code));
    vec_push(&t->frame, dump_frame(t->d, buf_view(&t->text)));
}

/* Ends an operator: its lines become the stack, innermost first, of all its runs. */
static void end_operator(struct trace *t)
{
    struct dump *d = t->d;
    if (t->call != NONE && t->frame.n && d->calls.v[t->call].stack == NONE) {
        struct stack s = {.first = (uint32_t)d->stack_frames.n, .n = (uint32_t)t->frame.n};
        for (size_t i = t->frame.n; i-- > 0;)
            vec_push(&d->stack_frames, t->frame.v[i]);
        vec_push(&d->stacks, s);
        d->calls.v[t->call].stack = (uint32_t)d->stacks.n - 1;
    }
    t->call = NONE;
    vec_clear(&t->frame);
    buf_clear(&t->func);
    buf_clear(&t->file);
}

/* The number after `key: "` in a node's line; 0 if absent. */
static uint64_t node_attribute(struct str line, const char *key)
{
    size_t n = strlen(key);
    for (size_t i = 0; i + n < line.n; i++) {
        unsigned long long v;
        size_t end = i + n;
        if (line.p[i] != key[0] || memcmp(line.p + i, key, n) != 0 || (i && line.p[i - 1] == '_'))
            continue;
        while (end < line.n && line.p[end] >= '0' && line.p[end] <= '9')
            end++;
        return str_u64(str_n(line.p + i + n, end - i - n), &v) ? v : 0;
    }
    return 0;
}

/* Reads a line like "%161(CNode_123) = PrimFunc_MatMul(…) … cnode_primal_attrs: {forward_node_name: "MatMul_29445",
 * forward_unique_id: "29445"}" */
static void read_node(struct trace *t, struct str line)
{
    t->forward = node_attribute(line, "forward_unique_id: \"");
    t->node = t->forward ? 0 : node_attribute(line, "unique_id: \"");
}

static void note_node(struct trace *t)
{
    if (t->call == NONE)
        return;
    if (t->node)
        nmap_set(&t->nodes, t->node, t->call);
    struct backward_node b = {t->call, t->forward};
    if (t->forward)
        vec_push(&t->backward, b);
}

/* Links backward operators with forward ones; of several for one node the first becomes the twin. */
static void link_nodes(struct trace *t)
{
    for (size_t i = 0; i < t->backward.n; i++) {
        uint32_t forward = nmap_get(&t->nodes, t->backward.v[i].forward), call = t->backward.v[i].call;
        if (forward == MAP_NONE || forward == call)
            continue;
        t->d->calls.v[call].twin = forward;
        if (t->d->calls.v[forward].twin == NONE)
            t->d->calls.v[forward].twin = call;
    }
}

static void read_comment(struct trace *t, struct str s)
{
    struct str rest;
    if (str_starts(s, "Fullname with scope:") || str_starts(s, "fullname with scope:")) {
        end_operator(t);
        rest = str_trim(str_cut(s, strlen("Fullname with scope:")));
        if (rest.n < 2 || rest.p[0] != '(' || rest.p[rest.n - 1] != ')')
            return;
        msdump_plain_name(str_n(rest.p + 1, rest.n - 2), &t->name);
        uint32_t call = map_get(&t->calls, buf_view(&t->name));
        t->call = call == MAP_NONE ? NONE : call;
        note_node(t);
    } else if (t->call != NONE && (str_starts(s, "In file ") || str_starts(s, "- In file "))) {
        add_line(t, str_cut(s, (size_t)(s.p[0] == '-' ? 10 : 8)));
    }
}

static void read_graph(struct trace *t, const char *dir, const char *name)
{
    struct file f;
    struct lines l;
    struct str line;
    struct err quiet;
    if (file_open_inside(&f, dir, name, &quiet))
        return;
    t->d->bytes += f.size;
    lines_take(&l, f, LINE_MOST, true);
    uint64_t before = t->d->bytes_done;
    load_begin(t->load);
    while (lines_next(&l, &line, &quiet) == 1 && !load_cancelled(t->load)) {
        struct str s = str_trim(line);
        if (s.n > 2 && s.p[0] == '#')
            read_comment(t, str_trim(str_cut(s, 1)));
        else if (s.n && (s.p[0] == '%' || s.p[0] == '}')) /* the next operator */
            end_operator(t);
        if (s.n && s.p[0] == '%')
            read_node(t, s);
        t->d->bytes_done = before + l.offset;
        if (l.number % BATCH == 0) { /* release the lock for readers */
            load_end(t->load);
            load_begin(t->load);
        }
    }
    end_operator(t);
    load_end(t->load);
    t->d->bytes_done = before + l.file.size;
    lines_close(&l);
}

/* The folder's graph files, most specific first: with this graph number, with source lines, any. False if there is
 * none. */
static bool read_folder(struct trace *t, const char *dir, const char *graph)
{
    name_list names = {0};
    struct buf end = {0};
    struct err quiet;
    size_t read = 0;
    buf_fmt(&end, "trace_code_graph_%s.ir", graph);
    if (dir_list(dir, 100000, &names, &quiet) == 0)
        for (int pass = 0; pass < 3 && !read; pass++)
            for (size_t i = 0; i < names.n && read < FILES_MOST; i++) {
                struct str name = str_of(names.v[i]);
                if (pass == 0 ? str_ends(name, end.p)
                              : str_ends(name, ".ir") && (pass == 2 || str_has(name, "trace_code"))) {
                    read_graph(t, dir, names.v[i]);
                    read++;
                }
            }
    name_list_release(&names);
    buf_release(&end);
    return read > 0;
}

/* Runs of one operator share its stack. */
static void share_stacks(struct dump *d, uint32_t first_call, const struct map *calls)
{
    for (uint32_t c = first_call; c < d->calls.n; c++) {
        struct str type, op, head, rest;
        if (d->calls.v[c].stack != NONE || !str_split(dump_call_name(d, c), '.', &type, &op))
            continue;
        str_split(op, '#', &head, &rest);
        uint32_t first = map_get(calls, head);
        if (first != MAP_NONE)
            d->calls.v[c].stack = d->calls.v[first].stack;
    }
}

void msdump_read_trace(struct dump *d, const char *dir, uint32_t first_call, struct load *load)
{
    struct around x;
    struct trace t = {.d = d, .load = load, .call = NONE};
    struct buf graphs = {0};
    if (look_around(dir, &x)) {
        for (uint32_t c = first_call; c < d->calls.n; c++) {
            struct str type, op, head, rest;
            if (str_split(dump_call_name(d, c), '.', &type, &op)) {
                str_split(op, '#', &head, &rest);
                map_add(&t.calls, head, c);
            }
        }
        path_join(&graphs, x.rank.p, "graphs");
        if (!read_folder(&t, graphs.p, x.graph.p) && !read_folder(&t, x.full, x.graph.p))
            read_folder(&t, x.rank.p, x.graph.p);
        load_begin(load);
        share_stacks(d, first_call, &t.calls);
        link_nodes(&t);
        load_end(load);
    }
    around_release(&x);
    map_release(&t.calls);
    nmap_release(&t.nodes);
    vec_release(&t.backward);
    vec_release(&t.frame);
    buf_release(&t.name);
    buf_release(&t.func);
    buf_release(&t.file);
    buf_release(&t.text);
    buf_release(&graphs);
}
