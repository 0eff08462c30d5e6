/* The program's name and version, as written into results. */
#ifndef BASE_TOOL_H
#define BASE_TOOL_H

#define TOOL "diverge " DIVERGE_VERSION

#endif
