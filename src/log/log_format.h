/* The table of log formats: text recognised by its lines, and whole files recognised by their first bytes. */
#ifndef LOG_LOG_FORMAT_H
#define LOG_LOG_FORMAT_H

#include "base/err.h"
#include "base/str.h"

struct series_builder;

enum log_take {
    TAKE_NOT,  /* not a record of this format */
    TAKE_DONE, /* read */
    TAKE_MORE, /* a record begins here and is incomplete: call again with the next line appended */
    TAKE_BEFORE, /* the part before `fresh` was the complete record; the fresh part is a line of its own */
};

struct log_format {
    const char *name;  /* "megatron-log": in JSON and in `diverge formats` */
    const char *title; /* one line for people */
    const char *what;  /* the files it reads, for people */
    const char *versions, *unread; /* as in dump/reader.h */
    const char *framework; /* "pytorch", "mindspore"; NULL if unknown */
    bool stepless, lr_is_next, loss_is_mean;
    bool statistics;   /* its named series are statistics of tensors, which diverge curves compares one by one */
    bool overlay;      /* values of a step come one by one; later ones are added to it */
    /* For text, a line at a time: whether the words in it allow that a record of this format begins there; whether
     * its numbers do (NULL: any); then reading it. `words` may ask where digits stand but not which they are: its
     * answer holds for every line that differs in digits alone (log/line_kinds.h). `fresh` is the offset of the part
     * that the previous call did not have; last: no more will follow. Lines come without colour escapes and line end.
     * One format may have several rows with the same name. */
    bool (*words)(struct str line);
    bool (*starts)(struct str line);
    enum log_take (*take)(struct series_builder *k, struct str line, size_t fresh, bool last);
    size_t join;       /* the most lines that one wrapped record may span */
    /* For whole files: whether it is one, by its first bytes and name; then reading it. -1 if nothing could be read. */
    bool (*sniff)(struct str head, const char *path);
    int (*read)(struct series_builder *k, struct err *e);
};

extern const struct log_format log_formats[]; /* ends with name NULL; whole-file formats come first */
int log_kind_named(const char *name); /* its index; the name is in the table */

#endif
