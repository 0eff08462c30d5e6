/* The contents of a checkpoint: the tensors of one or more weight files by name, and their locations. Listing reads
 * no tensor data; a tensor may consist of several ranges (records of a split .ckpt, tensor-parallel shards) and is
 * then one strided tensor over a joined file.
 *
 * All strings and arrays live as long as the set. Tensors may be read from several threads once the set is open.
 * Weights are named and paired in src/weights. */
#ifndef FMT_WEIGHTS_H
#define FMT_WEIGHTS_H

#include "base/arena.h"
#include "base/checksum_range.h"
#include "base/folder.h"
#include "base/map.h"
#include "base/vec.h"
#include "num/tensor.h"

#define WEIGHTS_MAX (1u << 22)   /* tensors per set; the largest models have some 10^5 */
#define WEIGHT_NAME_MAX 4096
#define WEIGHT_INT4 "Int4" /* the type of MindSpore's qint4x2: two numbers in a byte, shown as int8 */

struct weight_file {
    const char *dir;  /* the folder it must be inside, or NULL: the user named the file */
    const char *name; /* inside dir, or a path */
};

struct weight_piece {
    uint32_t file;
    uint64_t at, size;  /* bytes of the file; of the unpacked member when packed */
    const char *member; /* a compressed archive member that is unpacked when opened, or NULL */
    bool latin;         /* the bytes are Latin-1 characters encoded in UTF-8 (pt.h) */
    struct sealed sealed; /* the archive's member that it lies in */
};

struct weight {
    struct str name;
    struct str type;   /* the element type in the file's own words */
    enum dtype dtype;  /* DTYPE_UNKNOWN: listed only; its elements are not read (packed int4 …) */
    bool swap;
    bool text;         /* a text that a trainer stored; not a tensor */
    int ndim;          /* the shape in the model */
    const int64_t *shape;
    uint64_t numel;
    int axes;          /* the layout of the same elements in the pieces; may have more axes */
    const int64_t *dim, *stride;
    uint64_t offset;   /* bytes into the joined pieces */
    uint32_t piece, pieces;
    uint32_t blocks;   /* number of tensor-parallel shards concatenated along the first axis; usually 1 */
    uint32_t origin;   /* in a set of ranks: the rank whose folder it is from */
    const char *problem; /* the reason its elements cannot be read, or NULL */
};

/* A number, truth value or text beside the tensors of a file. */
struct weight_value {
    const char *name, *text;   /* text: NULL of an object */
    double number;             /* NaN of a text */
    enum { VALUE_INT, VALUE_FLOAT, VALUE_BOOL, VALUE_TEXT, VALUE_OTHER } kind; /* OTHER: None, complex … as text */
};

/* What a second rank of a checkpoint holds under the same name and place in the model. */
struct weight_copy {
    const char *name, *rank[2]; /* rank: names of the two folders or files */
    struct weight of[2];        /* the one that is a part of the list, and the other */
    bool certain; /* a copy by the layout; otherwise it may be a shard of an unknown layout */
};

/* The model's dimensions as stated by the checkpoint; 0 if not stated. */
struct weight_arch {
    int heads, kv_heads, tp, pp, layers, vocab;
    int gated; /* 1: gate and up are fused in the first feed-forward weight, 0: they are not, -1: unknown */
};

struct weight_problem {
    uint32_t weight;  /* or UINT32_MAX: the set */
    const char *kind; /* "damaged", "dtype", … (doc/cli-json.md, check) */
    const char *text;
};

struct weights {
    struct arena arena;
    const char *path, *format, *framework; /* format: the reader's name */
    VEC(struct weight) list;
    VEC(struct weight_piece) pieces;
    VEC(struct weight_file) files;
    VEC(struct weight_problem) problems;
    VEC(struct weight_copy) copies;
    VEC(struct weight_value) values;
    struct map names; /* → index of list; the first of a name */
    uint32_t twice;   /* number of duplicate names */
    bool keeps_copies; /* the file says that each rank holds all that it uses (remove_redundancy "False") */
    bool by_name;     /* sorted by name: the order does not show when a tensor was saved */
    struct weights_verified *verified; /* what is known of stored checksums; NULL until weights_open is done */
    struct weight_arch arch;
};

/* A kind of weight file or folder; one of list_file and list is set. */
struct weight_format {
    const char *name;
    bool (*probe)(const char *path);          /* of a file; NULL: never one */
    bool (*probe_folder)(struct folder *f);   /* NULL: never one */
    int (*list_file)(struct weights *w, uint32_t file, struct err *e);
    int (*list)(struct weights *w, const char *path, struct err *e);
};

extern const struct weight_format *const weight_formats[]; /* in order of detection, NULL at the end */

/* Whether a format recognises the path. */
bool weights_probe(const char *path);
/* Lists the weights at path, by the format that recognises it; release w also after a failure. */
int weights_open(struct weights *w, const char *path, struct err *e);
void weights_release(struct weights *w);
/* Opens the tensor; the caller closes it with tensor_close. -1 also if its bytes do not have the checksum that an
 * archive gives for them: what is stored together is read once for that. */
int weights_tensor(const struct weights *w, uint32_t i, struct tensor *t, struct err *e);
/* The same without its checksum, for a look at a few elements from which nothing is judged. */
int weights_sample(const struct weights *w, uint32_t i, struct tensor *t, struct err *e);
/* The same of a copy: nth 0 or 1 of copies.v[i].of. */
int weights_copy_tensor(const struct weights *w, uint32_t i, int nth, struct tensor *t, struct err *e);
uint32_t weights_find(const struct weights *w, struct str name); /* MAP_NONE when absent */

/* For readers. */
uint32_t weights_add_file(struct weights *w, const char *dir, const char *name);
int weights_open_file(const struct weights *w, uint32_t file, struct file *f, struct err *e);
/* Adds a weight with t's type, shape and strides; t->offset counts from the piece's first byte. A duplicate name is a
 * problem of the file and stored as "NAME#2". UINT32_MAX with e if there are too many or the name is too long. */
uint32_t weights_add(struct weights *w, struct str name, struct str type, const struct tensor *t,
                     const struct weight_piece *piece, struct err *e);
/* Adds a tensor whose own header was read; `type` names an element type that is not supported (t->dtype unknown): the
 * tensor is then listed with its shape. `why`: the error in the header, or NULL; the weight is then listed as
 * damaged. -1 as weights_add. */
int weights_add_read(struct weights *w, struct str name, struct str type, const struct tensor *t,
                     const struct weight_piece *p, const struct err *why, struct err *e);
void weights_problem(struct weights *w, uint32_t weight, const char *kind, const char *text);

/* Whether a checkpoint's top-level entry of that name holds the model. */
bool weights_hold_model(struct str key);

/* Lists one file's tensors, with the format detected from its content; used by the folder formats. */
int weights_list_file(struct weights *w, uint32_t file, struct err *e);

extern const struct weight_format weights_safetensors, weights_ckpt, weights_torch, weights_npz; /* files */
extern const struct weight_format weights_npy_objects; /* one .npy file with a pickled dictionary of arrays */
extern const struct weight_format weights_distcp; /* a folder of torch.distributed.checkpoint, or its .metadata */
extern const struct weight_format weights_index; /* a folder or index file of parts, all of one rank */
extern const struct weight_format weights_ranks; /* mp_rank_XX or rank_N folders */
extern const struct weight_format weights_npy; /* one .npy file */
extern const struct weight_format weights_npy_folder; /* a folder of .npy files, one array each */
extern const struct weight_format weights_torch_folder; /* a folder of torch files, one tensor each */
/* Whether the files are named in the manner of sglang's dumper: such a folder holds nothing else. */
bool tensor_folder_tagged(const struct folder *f);

#endif
