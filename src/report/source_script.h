/* Writes a Python script that computes a table anew which no recorded call made: rotary frequencies and tables,
 * ALiBi slopes, positions, causal masks. It computes the formula in float32, float64 and bfloat16 on each device that
 * is there, and prints what both sides recorded beside it: the device or type that made a side's values shows. */
#ifndef REPORT_SOURCE_SCRIPT_H
#define REPORT_SOURCE_SCRIPT_H

#include "report/replay_script.h"

/* Appends the script for a line whose values no call of its side gave, if a known formula gives the figures of one of
 * its sides; false, with nothing appended, if not. */
bool source_script(const struct comparison *s, uint32_t line, const struct replay_options *o, struct buf *out);

#endif
