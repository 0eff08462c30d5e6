#ifndef FMT_MSDUMP_H
#define FMT_MSDUMP_H

#include "dump/reader.h"

extern const struct reader reader_msdump;

/* Where the operators of one part ran: its (stream, task) → call, in the order they were read. An id that two
 * operators carry leads to neither. */
struct msdump_tasks {
    struct nmap calls;
    bool wanted; /* the part has overflow records: only then is it filled */
};

#define MSDUMP_AMBIGUOUS (MAP_NONE - 1)

void msdump_task_add(struct msdump_tasks *t, uint64_t stream, uint64_t task, uint32_t call);

/* The call a row of this operator belongs to: the newest run of it, or a new one when that run has the row
 * already. `runs` maps an operator to its newest run; `line` is for messages. */
uint32_t msdump_call(struct dump *d, struct map *runs, struct str type, struct str op, uint32_t slot, uint64_t line);
uint32_t msdump_slot(struct dump *d, struct str io, struct str slot); /* "output.0" */
uint32_t msdump_extra(struct dump *d, struct row_extra x);

/* Appends the rows of a statistic.csv. -1 also when rows before the damage were read. */
int msdump_read_table(struct dump *d, const char *path, struct msdump_tasks *tasks, struct load *load, struct err *e);

/* Whether a file of a dump is an overflow record (Opdebug.Node_OpDebug.…), converted or not. */
bool msdump_is_overflow(struct str name);
/* Reads the overflow records among the folder's names: problems of kind "overflow", at the operator's first output
 * where the ids name one operator. */
void msdump_read_overflows(struct dump *d, const char *dir, const name_list *names, const struct msdump_tasks *t,
                           struct load *load);

/* An operator's full name as file names have it: '/', '.', '\\' and blanks become '_'. */
void msdump_plain_name(struct str full, struct buf *out);
/* execution_order/ms_execution_order_graph_G.csv of the part in `dir`: operator → its place. Keys lie in `a`;
 * an empty map where there is none. */
void msdump_read_order(const char *dir, struct map *order, struct arena *a);
/* The graph's ms_output_trace_code_graph_G.ir (or another .ir beside the part): source lines of the calls from
 * first_call on become their stacks. */
void msdump_read_trace(struct dump *d, const char *dir, uint32_t first_call, struct load *load);

#endif
