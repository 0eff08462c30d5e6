/* A variant for product_tile.c, which defines the end of its names (TILE_NAME, for TILE_TARGET), its vectors of
 * TILE_WIDTH bytes (TILE_F64, TILE_F32, TILE_I64, and TILE_HALF: as many floats as TILE_F64 has doubles), the number of
 * rows whose sums fit in registers (TILE_LINES), and the operation a b + c (TILE_ADD64, TILE_ADD32). */
typedef double TILE_F64 __attribute__((vector_size(TILE_WIDTH), aligned(8), may_alias));
typedef float TILE_F32 __attribute__((vector_size(TILE_WIDTH), aligned(4), may_alias));
typedef float TILE_HALF __attribute__((vector_size(TILE_WIDTH / 2), aligned(4), may_alias));
typedef int64_t TILE_I64 __attribute__((vector_size(TILE_WIDTH)));

TILE_TARGET static void TILE_NAME(exact)(struct tile *t)
{
    enum { D = TILE_WIDTH / (int)sizeof(double), S = TILE_WIDTH / (int)sizeof(float), PARTS = TILE_COLUMNS / S };
    for (int part = 0; part < PARTS * TILE_ROWS / TILE_LINES; part++) {
        int from = part % PARTS * S, row = part / PARTS * TILE_LINES;
        const double *a = t->a + row, *b = t->b + from;
        const float *a2 = t->a2 + row, *b2 = t->b2 + from;
        TILE_F64 y[TILE_LINES][2];
        TILE_F32 s[TILE_LINES];
#pragma GCC unroll 8
        for (int i = 0; i < TILE_LINES; i++) { /* unrolled, so that the sums are in registers */
            y[i][0] = *(TILE_F64 *)&t->y[row + i][from];
            y[i][1] = *(TILE_F64 *)&t->y[row + i][from + D];
            for (int j = 0; j < S; j++)
                s[i][j] = (float)t->s2[row + i][from + j];
        }
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
        for (int i = 0; i < TILE_LINES; i++) {
            *(TILE_F64 *)&t->y[row + i][from] = y[i][0];
            *(TILE_F64 *)&t->y[row + i][from + D] = y[i][1];
            for (int j = 0; j < S; j++)
                t->s2[row + i][from + j] = s[i][j];
        }
    }
}

TILE_TARGET static void TILE_NAME(look)(const double *v, int64_t n, struct tile_look *out)
{
    enum { D = TILE_WIDTH / (int)sizeof(double), PARTS = TILE_ROWS / D };
    TILE_F64 most[PARTS] = {0}, squares[PARTS] = {0};
    TILE_I64 others = {0};
    for (int64_t at = 0; at < n; at += TILE_ROWS)
#pragma GCC unroll 4
        for (int i = 0; i < PARTS; i++) {
            TILE_F64 x = *(const TILE_F64 *)(v + at + i * D), size = (TILE_F64)((TILE_I64)x & INT64_MAX);
            most[i] = TILE_PICK(size > most[i], size, most[i]);
            squares[i] += x * x;
            others |= __builtin_convertvector(__builtin_convertvector(x, TILE_HALF), TILE_F64) != x;
        }
    *out = (struct tile_look){.most = 0};
    for (int i = 0; i < TILE_ROWS; i++) {
        out->most = most[i / D][i % D] > out->most ? most[i / D][i % D] : out->most;
        out->squares += squares[i / D][i % D];
        out->others |= others[i % D] != 0;
    }
}

TILE_TARGET static void TILE_NAME(squares)(const double *v, int64_t n, double scale, float *out)
{
    enum { D = TILE_WIDTH / (int)sizeof(double) };
    const TILE_F64 zero = {0}, least = zero + TILE_SQUARE_LEAST;
    for (int64_t at = 0; at < n; at += D) {
        TILE_F64 x = *(const TILE_F64 *)(v + at), scaled = x * scale, square = scaled * scaled;
        square = (TILE_F64)(((TILE_I64)square + TILE_SQUARE_HALF) & TILE_SQUARE_KEPT);
        square = TILE_PICK(square < least, least, square);
        *(TILE_HALF *)(out + at) = __builtin_convertvector(TILE_PICK(x == 0, zero, square), TILE_HALF);
    }
}

#undef TILE_F64
#undef TILE_F32
#undef TILE_HALF
#undef TILE_I64
#undef TILE_WIDTH
#undef TILE_LINES
#undef TILE_ADD64
#undef TILE_ADD32
#undef TILE_TARGET
#undef TILE_NAME
