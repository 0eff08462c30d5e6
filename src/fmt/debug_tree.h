/* The call tree that transformers' model_addition_debugger writes: MODEL_debug_tree_SUMMARY.json with the figures of
 * every module's inputs and outputs, MODEL_debug_tree_FULL_TENSORS.json with printed values or tensor files. */
#ifndef FMT_DEBUG_TREE_H
#define FMT_DEBUG_TREE_H

#include "dump/reader.h"

extern const struct reader reader_debug_tree;

#endif
