/* Databases of msprobe data2db, of dumps (dump_data.trend.db) and of its monitor (monitor_data.trend.db). */
#ifndef FMT_MSPROBE_TREND_H
#define FMT_MSPROBE_TREND_H

#include "base/database.h"
#include "dump/reader.h"

extern const struct reader reader_msprobe_trend;

/* Whether a database of that kind is of dumps, not of the monitor. */
bool trend_holds_dump(const char *path);
/* A figure: a number beyond 1e9 is not kept by msprobe and is unreadable, infinity is; NaN is written as nothing. */
enum reading trend_figure(const struct query *q, int column, double *out);

#endif
