/* Weight files as recordings with one row per tensor, for check, the table and search. */
#ifndef FMT_WEIGHTS_DUMP_H
#define FMT_WEIGHTS_DUMP_H

#include "dump/reader.h"
#include "fmt/weights.h"

extern const struct reader reader_safetensors, reader_ckpt, reader_torch, reader_npz, reader_npy, reader_parts,
reader_ranks, reader_distcp, reader_activations;

/* What a recording of weights holds, a weight a row; NULL of any other. */
const struct weights *dump_weights(const struct dump *d);

#endif
