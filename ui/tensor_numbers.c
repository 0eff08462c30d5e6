/* Draws the numbers of a plane's elements. */
#include "ui/tensor_numbers.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

int tensor_numbers_across(int w)
{
    return (w + 1) / TENSOR_NUMBER_W;
}

/* As many digits as the cell has room for. */
static const char *fit_number(char out[NUM_MAX], double v, bool error)
{
    for (int digits = error ? 3 : 5; digits > 1; digits--)
        if (strlen(num_cell(out, v, digits)) < TENSOR_NUMBER_W)
            break;
    return out;
}

/* A difference from NaN is NaN. */
static double shown_value(const struct heat_map_cell *c, enum heat_map_kind k)
{
    bool nan = k == HEAT_MAP_ERROR && c->odd[k] &&
               (isnan(c->value[HEAT_MAP_TARGET]) || isnan(c->value[HEAT_MAP_GOLDEN]));
    return nan ? NAN : c->value[k];
}

void tensor_numbers_draw(struct grid *g, const struct heat_map *h, enum heat_map_kind k, struct rect r,
                         const int64_t cursor[2])
{
    char n[NUM_MAX];
    for (int y = 0; y < h->h && y < r.h; y++)
        for (int x = 0; x < h->w && x < tensor_numbers_across(r.w); x++) {
            const struct heat_map_cell *c = &h->cell[y * h->w + x];
            int at = r.x + x * TENSOR_NUMBER_W, w = TENSOR_NUMBER_W - 1;
            uint8_t style = !c->seen ? STYLE_DIM : c->odd[k] ? STYLE_NONFINITE : STYLE_TEXT;
            grid_right(g, r.y + y, at, w, style, c->seen ? fit_number(n, shown_value(c, k), k == HEAT_MAP_ERROR) : "…");
            if (y == cursor[0] && x == cursor[1])
                grid_mark(g, r.y + y, at, w, STYLE_CURSOR);
        }
}
