/* The readers of result tables: recognises the files and passes their rows to result_table.c. */
#include "fmt/result_table.h"
#include "fmt/sheet.h"

#include "base/msg.h"

#define NOTE_MAX (64 * 1024)

/* ---- recognising ---- */

struct peek {
    enum result_tool tool;
};

static int peek_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    struct peek *p = ctx;
    struct result_head head;
    (void)line;
    (void)e;
    p->tool = result_header(cell, n, &head);
    return 1;
}

static bool has_ending(struct str name)
{
    return str_ends(name, ".csv") || str_ends(name, ".xlsx");
}

/* Any .csv or .xlsx whose header has the columns, whatever its name. */
static enum result_tool sheet_tool(const char *path)
{
    struct file f;
    struct err quiet;
    struct peek p = {TOOL_NONE};
    struct sheet_sink sink = {.row = peek_row, .ctx = &p};
    if (!has_ending(str_of(path)) || !path_is_file(path) || file_open(&f, path, &quiet))
        return TOOL_NONE;
    sheet_read(&f, &sink, &quiet);
    file_close(&f);
    return p.tool;
}

/* A note of ptdbg's or msprobe's adviser: three lines about the first bad row. */
static bool is_note(struct str name)
{
    return str_starts(name, "advisor") && str_ends(name, ".txt");
}

static bool is_advisor(const char *path)
{
    return is_note(path_base(str_of(path))) && path_is_file(path);
}

/* The time in a file name, "compare_result_rank0_20261121042718.csv": its last 14 consecutive digits; empty if there
 * are none. */
static struct str time_in(struct str name)
{
    struct str found = STR("");
    for (size_t i = 0, run = 0; i < name.n; i++) {
        run = name.p[i] >= '0' && name.p[i] <= '9' ? run + 1 : 0;
        if (run >= 14)
            found = str_n(name.p + i - 13, 14);
    }
    return found;
}

/* The folder of a file and its other entries; empty if it cannot be listed. */
static void list_beside(const char *path, struct buf *dir, name_list *names)
{
    struct err quiet;
    buf_str(dir, path_folder(str_of(path)));
    if (dir_list(dir->p, 10000, names, &quiet))
        name_list_release(names);
}

/* The table for a note, and its path: the newest beside it that is not younger than the note, which is written last;
 * of several with the same time the one with the shortest name (others are copies). TOOL_NONE if there is none. */
static enum result_tool table_of(const char *note, struct buf *path)
{
    struct str when = time_in(path_base(str_of(note)));
    struct buf dir = {0}, at = {0};
    name_list names = {0};
    struct err quiet;
    enum result_tool found = TOOL_NONE;
    const char *best = "";
    list_beside(note, &dir, &names);
    for (size_t i = 0; i < names.n; i++) {
        struct str name = str_of(names.v[i]), kept = str_of(best);
        struct file f;
        int order = kept.n ? str_cmp(time_in(name), time_in(kept)) : 1;
        if (!str_has(name, "compare_result") || !has_ending(name) || str_cmp(time_in(name), when) > 0 ||
            order < 0 || (order == 0 && name.n >= kept.n) || file_open_inside(&f, dir.p, names.v[i], &quiet))
            continue;
        file_close(&f);
        path_join(&at, dir.p, names.v[i]);
        enum result_tool tool = sheet_tool(at.p);
        if (tool == TOOL_NONE)
            continue;
        found = tool;
        best = names.v[i];
    }
    if (found)
        path_join(path, dir.p, best);
    name_list_release(&names);
    buf_release(&dir);
    buf_release(&at);
    return found;
}

/* The tool of a table, or of the table that a note is about. */
static enum result_tool tool_of(const char *path)
{
    struct buf table = {0};
    enum result_tool tool = is_advisor(path) ? table_of(path, &table) : sheet_tool(path);
    buf_release(&table);
    return tool;
}

static bool probe_msprobe(const char *path)
{
    return tool_of(path) == TOOL_MSPROBE || result_json_probe(path, false);
}

static bool probe_ptdbg(const char *path)
{
    enum result_tool tool = tool_of(path);
    return tool == TOOL_PTDBG || (tool == TOOL_NONE && is_advisor(path));
}

static bool probe_diff(const char *path)
{
    return result_json_probe(path, true);
}

/* ---- the adviser ---- */

/* "Suspect Nodes: NAME" of a note. */
static struct str suspect_name(struct str text)
{
    for (struct str line; text.n;) {
        line = str_next(&text, '\n');
        line = str_trim(line);
        if (str_starts(line, "Suspect Nodes:"))
            return str_trim(str_cut(line, strlen("Suspect Nodes:")));
    }
    return STR("");
}

static int advisor_alone(const char *path, struct err *e)
{
    struct buf b = {0};
    if (file_slurp(path, NOTE_MAX, &b, e)) {
        buf_release(&b);
        return -1;
    }
    struct str name = suspect_name(buf_view(&b));
    int shown = name.n > 200 ? 200 : (int)name.n;
    err_set(e, ERR_DATA,
            _("%s: advice written by the comparison tool (suspect: %.*s); open the compare_result file in the same "
              "folder"), path,
            shown, name.p);
    buf_release(&b);
    return -1;
}

/* Adds a note's text as a warning; `table`: the table opened for it, NULL if the table itself was given. */
static void quote_note(struct dump *d, const char *note, const char *table)
{
    struct buf b = {0}, text = {0};
    struct err quiet;
    int rc = file_slurp(note, NOTE_MAX, &text, &quiet);
    struct str name = rc == 0 ? suspect_name(buf_view(&text)) : STR("");
    bool named = name.n && name.n < 2048 && !str_is(name, "NA");
    if (table)
        buf_fmt(&b, _("opened instead: %s, the table of this advice"), path_base(str_of(table)).p);
    if (table && named)
        buf_cstr(&b, "; ");
    if (named)
        buf_fmt(&b, _("%s: suspect reported: %.*s"), path_base(str_of(note)).p, STR_ARG(name));
    if (b.n)
        dump_warn(d, b.p);
    buf_release(&b);
    buf_release(&text);
}

/* A single note beside the table belongs to it; with several it is unknown which does. */
static void quote_beside(struct dump *d, const char *path)
{
    struct buf dir = {0}, b = {0};
    name_list names = {0};
    const char *note = NULL;
    int notes = 0;
    list_beside(path, &dir, &names);
    for (size_t i = 0; i < names.n; i++)
        if (is_note(str_of(names.v[i]))) {
            note = names.v[i];
            notes++;
        }
    if (notes == 1) {
        path_join(&b, dir.p, note);
        quote_note(d, b.p, NULL);
    }
    name_list_release(&names);
    buf_release(&dir);
    buf_release(&b);
}

/* ---- rows ---- */

static int result_file_take_row(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    struct result_table *t = ctx;
    struct str by_column[COL_COUNT];
    t->cells = n;
    t->last_line = line;
    if (line == 1) {
        t->columns = n;
        t->tool = result_header(cell, n, &t->head);
        if (!t->tool)
            return err_line(e, t->path, line, _("expected the header of a result table, \"NPU Name,Bench Name,…\""));
        const char *lacking = result_lacks(&t->head);
        return lacking
                   ? err_line(e, t->path, line,
                              _("no column \"%s\" in this result table; its rows cannot be identified without it"),
                              lacking) : 0;
    }
    for (int c = 0; c < COL_COUNT; c++)
        by_column[c] = t->head.had[c] && t->head.at[c] < n ? cell[t->head.at[c]] : STR("");
    size_t said = t->d->problems.n;
    int rc = result_add(t, by_column, NULL, 0, line, e);
    if (t->text && n < t->columns && said == t->d->problems.n && !t->short_rows++) {
        t->short_line = line;
        t->short_cells = n;
    }
    return rc;
}

static int result_file_take_last(void *ctx, const struct str *cell, size_t n, uint64_t line, struct err *e)
{
    struct str kept[SHEET_COLUMNS];
    return result_file_take_row(ctx, line == 1 ? cell : result_unended(ctx, cell, n, line, kept), n, line, e);
}

static void open_quote(void *ctx)
{
    struct result_table *t = ctx;
    result_swallowed(t, t->last_line);
}

static int advance_result(void *ctx, uint64_t bytes, struct err *e)
{
    struct result_table *t = ctx;
    t->d->bytes_done += bytes;
    return load_cancelled(t->load) ? err_set(e, ERR_CANCEL, "%s", _("stopped")) : 0;
}

static int read_sheet(struct result_table *t, struct err *e)
{
    struct file f;
    struct sheet_sink sink = {.row = result_file_take_row, .unended_row = result_file_take_last,
                              .advance = advance_result, .open_quote = open_quote, .ctx = t};
    struct err cut;
    char magic[2];
    if (file_open(&f, t->path, e))
        return -1;
    t->d->bytes += f.size;
    /* in a .csv every row has all cells; an .xlsx omits empty ones at the end */
    t->text = f.size > 2 && file_read(&f, 0, magic, 2, &cut) == 0 && memcmp(magic, "PK", 2) != 0;
    int rc = sheet_read(&f, &sink, e);
    if (t->short_rows && t->cells < t->columns && (t->unended || t->swallowed == t->last_line))
        t->short_rows--; /* the last one is said otherwise */
    if (rc == 0 && t->short_rows && t->d->column != GOLDEN) {
        err_line(&cut, t->path, t->short_line, _("the row has %zu of %zu cells; rows that lack some: %zu"),
                 t->short_cells, t->columns, t->short_rows);
        dump_problem(t->d, NONE, "damaged", cut.text);
    }
    file_close(&f);
    return rc;
}

static int open_table(struct dump *d, struct load *load, struct err *e)
{
    struct result_table t = {.d = d, .load = load, .path = d->path};
    bool note = is_advisor(d->path);
    struct buf table = {0};
    if (note && table_of(d->path, &table))
        t.path = arena_cstr(&d->arena, buf_view(&table));
    buf_release(&table);
    if (note && t.path == d->path)
        return advisor_alone(d->path, e);
    result_begin(&t);
    int rc = str_ends(str_of(d->path), ".json") ? result_json_read(&t, e) : read_sheet(&t, e);
    if (rc == 0 && d->column != GOLDEN)
        note ? quote_note(d, d->path, t.path) : quote_beside(d, d->path);
    return result_end(&t, rc, e);
}

static int open_diff(struct dump *d, struct load *load, struct err *e)
{
    struct result_table t = {.d = d, .load = load, .path = d->path};
    result_begin(&t);
    return result_end(&t, result_diff_read(&t, e), e);
}

const struct reader reader_msprobe_result = {
    .name = "msprobe-result",
    .title = N_("results of msprobe compare (tensor, statistics, md5)"),
    .what = "compare_result_*.csv compare_result_*.xlsx compare_result_rank*.json advisor_*.txt",
    .versions = "msprobe to 26.2",
    .unread = N_("advisor_*.txt without its table; with its table it is shown as a warning"),
    .probe = probe_msprobe,
    .open = open_table,
    .close = result_close,
    .table = true,
};

const struct reader reader_ptdbg_result = {
    .name = "ptdbg-result",
    .title = N_("results of ptdbg_ascend's compare, versions 1 to 6"),
    .what = "compare_result_*.csv compare_result_*.xlsx advisor_*.txt",
    .versions = "ptdbg_ascend 1 to 6",
    .unread = N_("advisor_*.txt without its table; with its table it is shown as a warning"),
    .probe = probe_ptdbg,
    .open = open_table,
    .close = result_close,
    .table = true,
};

const struct reader reader_msprobe_diff = {
    .name = "msprobe-diff",
    .title = N_("first differing calls of each rank found by msprobe, with the target's statistics only"),
    .what = "diff_analyze_*.json",
    .versions = "msprobe 26",
    .unread = N_("golden statistics: not in the file"),
    .probe = probe_diff,
    .open = open_diff,
    .close = result_close,
};
