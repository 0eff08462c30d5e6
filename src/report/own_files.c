/* Recognises this program's own results by their first bytes; of spreadsheets and packs by the first member's. */
#include "report/own_files.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/tar.h"
#include "base/zstd.h"
#include "fmt/zip.h"

#define HEAD 2048
#define PROPERTIES_MOST 65536

/* "diverge 0.2.0" of any version: the mark of every result that has room for one. */
static bool has_tool_mark(struct str text, const char *before)
{
    char word[64];
    bool has = false;
    for (char digit = '0'; digit <= '9' && !has; digit++) {
        snprintf(word, sizeof word, "%sdiverge %c", before, digit);
        has = str_has(text, word);
    }
    return has;
}

static bool is_json(struct str head)
{
    return (str_starts(head, "{\"schema\":1,") || str_starts(head, "{\n  \"schema\": 1,")) &&
           (has_tool_mark(head, "\"tool\":\"") || has_tool_mark(head, "\"tool\": \"") ||
            str_starts(head, "{\n  \"schema\": 1,\n  \"pairs\": [")) &&
           !str_has(head, "\n  \"investigation\": {");
}

static bool is_digest(struct str head)
{
    return str_starts(head, "{\"digest\":");
}

/* The third line names the program, in any language. */
static bool is_markdown(struct str head)
{
    struct str title = str_next(&head, '\n'), empty = str_next(&head, '\n');
    return str_starts(title, "# ") && !empty.n && has_tool_mark(str_next(&head, '\n'), "");
}

static bool is_html(struct str head)
{
    return str_starts(head, "<!DOCTYPE html>\n") && has_tool_mark(head, "<meta name=\"generator\" content=\"");
}

static bool is_svg(struct str head)
{
    return str_starts(head, "<svg xmlns") && has_tool_mark(head, "<metadata>");
}

static bool is_commented(struct str head)
{
    struct str first = str_next(&head, '\n');
    if (str_starts(first, "#!"))
        first = str_next(&head, '\n');
    return has_tool_mark(first, "# Written by ");
}

/* A table's columns, as its writer names them. */
static bool is_table(struct str head)
{
    static const char *const begins[] = {
        "target,golden,target_norm,golden_norm,rel,outlier", "step,target_loss,golden_loss,loss_diff,",
        "sequence,index,token,round,id,train,rollout,difference", "target,golden,verdict,target_dtype,golden_dtype,",
        "id,key,category,severity,state,target_key,target_value,"};
    struct str first = str_next(&head, '\n');
    static const char *const holds[] = {",Order,Verdict,Origin,Confidence,", ",rows,deviating,error,row",
                                        ",overflow,skipped,nan_iterations,file,line"};
    bool is = false;
    for (size_t i = 0; i < ARRAY_LEN(begins); i++)
        is = is || str_starts(first, begins[i]);
    for (size_t i = 0; i < ARRAY_LEN(holds); i++)
        is = is || str_has(first, holds[i]);
    return is;
}

static bool is_own_spreadsheet(const char *path)
{
    struct file f;
    struct err quiet;
    struct zip_member m;
    struct buf b = {0};
    if (file_open(&f, path, &quiet))
        return false;
    struct zip *z = zip_open(&f, &quiet);
    bool is = z && zip_find(z, "docProps/core.xml", &m, &quiet) == 1 &&
              zip_read(&f, &m, PROPERTIES_MOST, &b, &quiet) == 0 &&
              str_has(buf_view(&b), "<dc:title>diverge</dc:title>");
    if (z)
        zip_close(z);
    file_close(&f);
    buf_release(&b);
    return is;
}

static bool is_pack(const char *path)
{
    struct zst_reader in;
    struct err quiet;
    unsigned char block[TAR_BLOCK];
    char text[TAR_BLOCK];
    struct tar_entry x;
    if (zst_read_begin(&in, path, &quiet))
        return false;
    bool is = zst_read(&in, block, sizeof block, &quiet) == 0 && tar_read(block, &x, path, 0, &quiet) == 1 &&
              strcmp(x.name, "pack.json") == 0 && x.size > 100 && zst_read(&in, text, 100, &quiet) == 0 &&
              has_tool_mark(str_n(text, 100), "\"tool\": \"");
    zst_read_end(&in);
    return is;
}

bool own_file(const char *path)
{
    char room[HEAD];
    struct str head = file_head(path, room, sizeof room);
    if (!head.p)
        return false;
    if (str_starts(head, "PK"))
        return is_own_spreadsheet(path);
    return is_json(head) || is_digest(head) || is_markdown(head) || is_html(head) || is_svg(head) ||
           is_commented(head) || is_table(head) || is_pack(path);
}
