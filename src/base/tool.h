/* What results say they were written by. */
#ifndef BASE_TOOL_H
#define BASE_TOOL_H

#define TOOL "diverge " DIVERGE_VERSION

#endif
