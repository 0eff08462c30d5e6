/* tile_exact for product_tile.c, which defines its name (TILE_NAME, for TILE_TARGET), its vectors of TILE_WIDTH bytes
 * (TILE_F64, TILE_F32), the number of rows whose sums fit in registers (TILE_LINES), and the operation a b + c
 * (TILE_ADD64, TILE_ADD32). */
typedef double TILE_F64 __attribute__((vector_size(TILE_WIDTH), aligned(8), may_alias));
typedef float TILE_F32 __attribute__((vector_size(TILE_WIDTH), aligned(4), may_alias));

TILE_TARGET static void TILE_NAME(struct tile *t)
{
    enum { D = TILE_WIDTH / (int)sizeof(double), S = TILE_WIDTH / (int)sizeof(float), PARTS = TILE_COLUMNS / S };
    for (int part = 0; part < PARTS * TILE_ROWS / TILE_LINES; part++) {
        int from = part % PARTS * S, row = part / PARTS * TILE_LINES;
        const double *a = t->a + row, *b = t->b + from;
        const float *a2 = t->a2 + row, *b2 = t->b2 + from;
        TILE_F64 y[TILE_LINES][2] = {0};
        TILE_F32 s[TILE_LINES] = {0};
        for (int64_t k = 0; k < t->terms; k++) {
            TILE_F64 b0 = *(const TILE_F64 *)b, b1 = *(const TILE_F64 *)(b + D);
            TILE_F32 q = *(const TILE_F32 *)b2;
#pragma GCC unroll 8
            for (int i = 0; i < TILE_LINES; i++) {
                y[i][0] = TILE_ADD64(a[i], b0, y[i][0]);
                y[i][1] = TILE_ADD64(a[i], b1, y[i][1]);
                s[i] = TILE_ADD32(a2[i], q, s[i]);
            }
            a += TILE_ROWS;
            a2 += TILE_ROWS;
            b += TILE_COLUMNS;
            b2 += TILE_COLUMNS;
        }
#pragma GCC unroll 8
        for (int i = 0; i < TILE_LINES; i++) { /* unrolled, so that the sums are in registers before */
            *(TILE_F64 *)&t->y[row + i][from] = y[i][0];
            *(TILE_F64 *)&t->y[row + i][from + D] = y[i][1];
            for (int j = 0; j < S; j++)
                t->s2[row + i][from + j] = s[i][j];
        }
    }
}

#undef TILE_F64
#undef TILE_F32
#undef TILE_WIDTH
#undef TILE_LINES
#undef TILE_ADD64
#undef TILE_ADD32
#undef TILE_TARGET
#undef TILE_NAME
