/* What went wrong, as one complete sentence that names the file, the place in it and what was
 * expected. Fallible functions return 0 or -1 (or NULL) and take a last `struct err *`, untouched on
 * success, never NULL. Callers add context in front, they do not reword. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stddef.h>
#include <stdint.h>

enum err_code {
    ERR_NONE,
    ERR_IO,     /* the system refused: missing file, no permission */
    ERR_DATA,   /* the bytes are not what the format says */
    ERR_USAGE,  /* the request is not valid */
    ERR_CANCEL, /* stopped on purpose */
    ERR_RESOURCE, /* no memory or no thread left; no statement about any input */
    ERR_OUTPUT, /* the output could not be written */
};

struct err {
    enum err_code code;
    char text[640];
};

/* Returns -1, so that `return err_set(e, …)` reads well. */
int err_set(struct err *e, enum err_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* "FILE: byte OFFSET: sentence" */
int err_at(struct err *e, const char *file, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* "FILE: line LINE: sentence" */
int err_line(struct err *e, const char *file, uint64_t line, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* "FILE: what the system says" for the current errno; ERR_RESOURCE if memory ran out */
int err_system(struct err *e, const char *file);
/* The same for a file that was to be written (ERR_OUTPUT). */
int err_output(struct err *e, const char *file);
/* What an errno means, in the program's language; `out` may hold it. */
const char *err_reason(int code, char *out, size_t n);
int err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
