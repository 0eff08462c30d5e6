#ifndef FMT_MSDUMP_H
#define FMT_MSDUMP_H

#include "dump/reader.h"

extern const struct reader reader_msdump;

/* Maps the (stream, task) of an operator of one part to its call. An id used by two operators maps to
 * MSDUMP_AMBIGUOUS. */
struct msdump_tasks {
    struct nmap calls;
    bool wanted; /* the part has overflow records; otherwise the map stays empty */
};

#define MSDUMP_AMBIGUOUS (MAP_NONE - 1)

void msdump_task_add(struct msdump_tasks *t, uint64_t stream, uint64_t task, uint32_t call);

/* The call for a row of this operator: its newest run, or a new one if that run already has the row. `runs` maps an
 * operator to its newest run; `line` is for messages. */
uint32_t msdump_call(struct dump *d, struct map *runs, struct str type, struct str op, uint32_t slot, uint64_t line);
uint32_t msdump_slot(struct dump *d, struct str io, struct str slot); /* "output.0" */
uint32_t msdump_extra(struct dump *d, struct row_extra x);

/* A tensor of a dump: a hash of its operator, direction and slot; microseconds since 1970. */
struct tensor_written {
    uint64_t key, time;
};

/* Where the last of several runs of the program begins among tensors in the order in which they were written; 0: there
 * is one run. */
size_t msdump_last_run(const struct tensor_written *v, size_t n);

/* What earlier runs wrote into a statistic.csv: rows between two offsets of the file, none if there is one run. */
struct earlier_runs {
    size_t rows;
    uint64_t begin, end;
};

struct earlier_runs msdump_earlier_rows(const char *path);
/* Warns that values of earlier runs in a folder or table are not read. */
void msdump_tell_earlier(struct dump *d, const char *path, size_t values);

/* Appends the rows of a statistic.csv, of several runs those of the last one. -1 on damage, also if rows before it were
 * read. */
int msdump_read_table(struct dump *d, const char *path, struct msdump_tasks *tasks, struct load *load, struct err *e);

/* Whether a file name is that of an overflow record (Opdebug.Node_OpDebug.…), converted or not. */
bool msdump_is_overflow(struct str name);
/* Reads the overflow records among `names`: adds problems of kind "overflow", at the operator's first output if the
 * ids identify one operator. */
void msdump_read_overflows(struct dump *d, const char *dir, const name_list *names, const struct msdump_tasks *t,
                           struct load *load);

/* An operator's full name as used in file names: '/', '.', '\\' and blanks become '_'. */
void msdump_plain_name(struct str full, struct buf *out);
/* Reads execution_order/ms_execution_order_graph_G.csv of the part in `dir`: operator → position. Keys are in `a`;
 * the map stays empty if there is no such file. */
void msdump_read_order(const char *dir, struct map *order, struct arena *a);
/* Reads the graph's ms_output_trace_code_graph_G.ir (or another .ir beside the part): its source lines become the
 * stacks of the calls from first_call on. */
void msdump_read_trace(struct dump *d, const char *dir, uint32_t first_call, struct load *load);

#endif
