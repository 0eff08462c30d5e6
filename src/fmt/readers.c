/* The table of readers, one per format, in the order in which a path is tried. */
#include "fmt/aclgraph.h"
#include "fmt/debug_mode.h"
#include "fmt/debug_tree.h"
#include "fmt/digest.h"
#include "fmt/json_records.h"
#include "fmt/msdump.h"
#include "fmt/msprobe.h"
#include "fmt/msprobe_trend.h"
#include "fmt/op_statistics.h"
#include "fmt/pack_read.h"
#include "fmt/ptdbg.h"
#include "fmt/find_recordings.h"
#include "fmt/result_table.h"
#include "fmt/routing_trace.h"
#include "fmt/weights_dump.h"

const struct reader *const readers[] = {
    &reader_pack,
    &reader_digest,
    &reader_msprobe,
    &reader_aclgraph,
    &reader_msdump,
    &reader_ptdbg,
    &reader_ptdbg_text,
    &reader_msprobe_trend,
    &reader_op_statistics,
    &reader_debug_tree,
    &reader_debug_mode,
    &reader_json_records,
    &reader_routing_trace,
    &reader_msprobe_result,
    &reader_ptdbg_result,
    &reader_msprobe_acc,
    &reader_msprobe_compile,
    &reader_msprobe_checkpoints,
    &reader_msprobe_vis,
    &reader_msprobe_vis_db,
    &reader_msprobe_diff,
    &reader_msprobe_overflow,
    &reader_activations,
    &reader_safetensors,
    &reader_ckpt,
    &reader_npz,
    &reader_npy,
    &reader_torch,
    &reader_ranks,
    &reader_distcp,
    &reader_parts,
    NULL,
};
