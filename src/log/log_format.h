/* The table of the kinds of logs: text known by its lines, and whole files known by their first bytes. */
#ifndef LOG_LOG_FORMAT_H
#define LOG_LOG_FORMAT_H

#include "base/err.h"
#include "base/str.h"

struct series_builder;

enum log_take {
    TAKE_NOT,  /* nothing of this kind after all */
    TAKE_DONE, /* read */
    TAKE_MORE, /* begins here and is not complete: to be given again with the next line behind it */
    TAKE_BEFORE, /* what stood before the fresh part was all of it: that part is a line of its own */
};

struct log_format {
    const char *name;  /* "megatron-log": in JSON and in `diverge formats` */
    const char *title; /* one line for people */
    const char *what;  /* the files it takes, for people */
    const char *versions, *unread; /* as a reader's (dump/reader.h) */
    const char *framework; /* "pytorch", "mindspore"; NULL when it does not follow */
    bool stepless, lr_is_next, loss_is_mean;
    bool overlay;      /* values of a step come one by one, later ones add to it */
    /* Text, a line at a time: whether a record of this kind may begin in the line; then reading it.
     * `fresh` is where the part lies that the call before did not have; last: there is no more of it.
     * Lines come without colours and line end. A kind may have several rows under one name. */
    bool (*starts)(struct str line);
    enum log_take (*take)(struct series_builder *k, struct str line, size_t fresh, bool last);
    size_t join;       /* lines one record may be wrapped over */
    /* Whole files: whether it is one, by its first bytes and name; then reading it. -1 when nothing of it
     * could be read. */
    bool (*sniff)(struct str head, const char *path);
    int (*read)(struct series_builder *k, struct err *e);
};

extern const struct log_format log_formats[]; /* name NULL at the end; first those that are whole files */

#endif
