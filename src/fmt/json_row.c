#include "fmt/json_row.h"

void json_row_shape(struct dump *d, struct row *r, const cJSON *v)
{
    int64_t dim[TENSOR_DIMS];
    int n = 0;
    for (const cJSON *it = v->child; it; it = it->next) {
        if (n == TENSOR_DIMS || !cJSON_IsNumber(it))
            return;
        dim[n++] = it->valuedouble >= 0 && it->valuedouble < 1e15 ? (int64_t)it->valuedouble : -1;
    }
    r->shape = dump_shape(d, dim, n);
    if (r->shape != NONE)
        r->has |= HAS_SHAPE;
}
