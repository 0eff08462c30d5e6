/* Decides whether an output may be written at a path. */
#include "base/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file_write.h"
#include "base/inputs.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/msg.h"

static struct {
    bool (*ours)(const char *path);
    bool force;
    char *wanted; /* a file to be overwritten, or NULL */
} rules;

void output_rules(bool (*ours)(const char *path), bool force)
{
    rules.ours = ours;
    rules.force = force;
}

void output_overwrite(const char *path)
{
    free(rules.wanted);
    rules.wanted = path ? mem_strdup(path) : NULL;
}

/* Not noted as an input, and no result depends on it. failed: what kept it from being read. */
static bool is_ours(const char *place, read_failures *failed)
{
    bool was = inputs_pause(true), unimportant = read_failures_unimportant(true);
    read_failures *before = read_failures_gather(failed);
    bool is = rules.ours(place);
    read_failures_gather(before);
    read_failures_unimportant(unimportant);
    inputs_pause(was);
    return is;
}

/* A file without content, a device or a pipe loses nothing. */
static int check_existing(const char *path, const char *place, const struct stat *st, struct err *e)
{
    read_failures failed = {0};
    enum input_how how = inputs_has(st);
    int rc = 0;
    if (!S_ISREG(st->st_mode))
        return 0;
    bool ours = rules.ours && is_ours(place, &failed);
    bool wanted = rules.force || (rules.wanted && strcmp(rules.wanted, path) == 0);
    if (how == INPUT_NAMED || (how == INPUT_OPENED && !ours))
        rc = err_set(e, ERR_USAGE, _("%s is an input: not overwritten; choose a different name for the output"), path);
    else if (st->st_size && rules.ours && !wanted && !ours && failed.n)
        rc = err_set(e, ERR_IO, _("%s already exists, and whether diverge wrote it could not be read: %s"), path,
                     failed.v[0].text);
    else if (st->st_size && rules.ours && !wanted && !ours)
        rc = err_set(e, ERR_USAGE, _("%s already exists and was not written by diverge, or is an investigation: not "
                                     "overwritten; choose a different name, or use --force"), path);
    read_failures_release(&failed);
    return rc;
}

int output_check(const char *path, struct err *e)
{
    struct stat st;
    char *place = file_write_place(path);
    if (!place)
        return err_output(e, path);
    const char *inside = inputs_folder_of(place);
    int rc = 0;
    if (inside)
        rc = err_set(e, ERR_USAGE, _("%s lies in the recording %s, which is only read: choose a different place "
                                     "for the output"), path, inside);
    else if (stat(place, &st) == 0)
        rc = check_existing(path, place, &st, e);
    free(place);
    return rc;
}

/* Whether the file has exactly this content: writing it again loses nothing. */
static bool has_same_content(const char *path, struct str content)
{
    struct buf b = {0};
    struct err quiet;
    bool was = inputs_pause(true), before = read_failures_unimportant(true);
    bool is = path_is_file(path) && file_slurp(path, content.n, &b, &quiet) == 0 && str_eq(buf_view(&b), content);
    inputs_pause(was);
    read_failures_unimportant(before);
    buf_release(&b);
    return is;
}

int output_write(const char *path, struct str content, struct err *e)
{
    if (has_same_content(path, content))
        return 0;
    return output_check(path, e) || file_replace(path, content, e) ? -1 : 0;
}
