/* Builds the sentence of an error: file and place first, then what was expected. Cut if too long. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/msg.h"

static int format_error(struct err *e, enum err_code code, const char *head, const char *fmt,
                        va_list ap)
    __attribute__((format(printf, 4, 0)));

static int format_error(struct err *e, enum err_code code, const char *head, const char *fmt,
                        va_list ap)
{
    size_t n = (size_t)snprintf(e->text, sizeof e->text, "%s", head);
    e->code = code;
    if (n < sizeof e->text)
        vsnprintf(e->text + n, sizeof e->text - n, fmt, ap);
    return -1;
}

int err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    format_error(e, code, "", fmt, ap);
    va_end(ap);
    return -1;
}

int err_at(struct err *e, const char *file, uint64_t offset, const char *fmt, ...)
{
    char head[400];
    va_list ap;
    snprintf(head, sizeof head, _("%s: byte %llu: "), file, (unsigned long long)offset);
    va_start(ap, fmt);
    format_error(e, ERR_DATA, head, fmt, ap);
    va_end(ap);
    return -1;
}

int err_line(struct err *e, const char *file, uint64_t line, const char *fmt, ...)
{
    char head[400];
    va_list ap;
    snprintf(head, sizeof head, _("%s: line %llu: "), file, (unsigned long long)line);
    va_start(ap, fmt);
    format_error(e, ERR_DATA, head, fmt, ap);
    va_end(ap);
    return -1;
}

const char *err_reason(int code, char *out, size_t n)
{
    /* in the program's language, whatever locales are installed */
    static const struct {
        int code;
        const char *text;
    } usual[] = {{ENOENT, N_("No such file or directory")}, {EACCES, N_("Permission denied")},
                 {ENOTDIR, N_("Not a directory")},          {EISDIR, N_("Is a directory")},
                 {ENOSPC, N_("No space left on device")},   {EROFS, N_("Read-only file system")},
                 {EMFILE, N_("Too many open files")},       {ENOMEM, N_("Cannot allocate memory")},
                 {EIO, N_("Input/output error")},           {EAGAIN, N_("Resource temporarily unavailable")}};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (usual[i].code == code)
            return _(usual[i].text);
    /* POSIX strerror_r (asked for by _POSIX_C_SOURCE without _GNU_SOURCE) */
    if (strerror_r(code, out, n))
        snprintf(out, n, "error %d", code);
    return out;
}

int err_system(struct err *e, const char *file)
{
    char why[160] = "";
    int code = errno;
    return err_set(e, code == ENOMEM ? ERR_RESOURCE : ERR_IO, "%s: %s", file, err_reason(code, why, sizeof why));
}

int err_output(struct err *e, const char *file)
{
    err_system(e, file);
    e->code = ERR_OUTPUT;
    return -1;
}

int err_prefix(struct err *e, const char *fmt, ...)
{
    char head[320], rest[sizeof e->text];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(head, sizeof head, fmt, ap);
    va_end(ap);
    memcpy(rest, e->text, sizeof rest);
    int n = snprintf(e->text, sizeof e->text, "%s: ", head);
    if (n > 0 && (size_t)n < sizeof e->text)
        snprintf(e->text + n, sizeof e->text - (size_t)n, "%.*s",
                 (int)(sizeof e->text - (size_t)n - 1), rest);
    return -1;
}
