/* Losses saved as arrays: one of NumPy or torch, or several by name (loss, step, lr …) in an .npz, a torch.save or a
 * dictionary saved by numpy.save. */
#ifndef LOG_LOSS_ARRAY_H
#define LOG_LOSS_ARRAY_H

#include "log/series_builder.h"

/* Whether the file's first bytes are those of such a file; its content is looked at by loss_array_read. */
bool loss_array_sniff(struct str head, const char *path);
int loss_array_read(struct series_builder *k, struct err *e);

#endif
