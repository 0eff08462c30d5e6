/* A variant of error_block.c, which defines its name (ERROR_NAME, for ERROR_TARGET) and the square roots of
 * ERROR_LANES doubles (ERROR_ROOT). */
ERROR_TARGET static bool ERROR_NAME(struct error_terms *out, const struct error_factors *f,
    const struct error_elements *x, int64_t from, int n)
{
    lanes_whole far = {0}, rounded = {0};
    const double *y_of = x->y + from, *recorded = x->recorded + from;
    for (int i = 0; i < n; i += ERROR_LANES)
        far |= ~(LANES_SIZE(LANES_AT(y_of, i)) <= f->most) | ~(LANES_SIZE(LANES_AT(recorded, i)) <= DBL_MAX);
    if (LANES_ANY(far))
        return false;
    for (int i = 0; i < n; i += ERROR_LANES) {
        lanes y = LANES_AT(y_of, i), size = LANES_SIZE(y), error = y - LANES_AT(recorded, i), base = {0};
        if (x->c) {
            lanes c = LANES_AT(x->c + from, i);
            rounded |= c != 0;
            base = f->per_c * c;
        }
        if (x->a)
            base += f->per_a * LANES_AT(x->a + from, i);
        base = base + f->per_y * size + f->least;
        LANES_PUT(out->value2, i, y * y);
        LANES_PUT(out->error2, i, error * error);
        if (f->product) {
            lanes s = x->s ? LANES_AT(x->s + from, i) : (lanes){0}, both = s * s + y * y;
            lanes sums = f->sums * (s + size) * 0x1p-24;
            lanes power = (lanes)((lanes_whole)y & POWER_BITS), ulp = f->spacing * power;
            ulp = LANES_PICK(power == 0, f->least_spacing - (lanes){0}, ulp);
            ERROR_ROOT(both);
            LANES_PUT(out->once2, i, ulp * ulp);
            LANES_PUT(out->sums2, i, sums * sums);
            base += sums;
            for (int k = 0; k < 3; k++) {
                lanes reduced = base + f->reduced[k] * both;
                LANES_PUT(out->reduced2[k], i, reduced * reduced);
            }
            if (f->finer)
                base += f->own * (2 * both + size);
        }
        LANES_PUT(out->own2, i, base * base);
    }
    out->rounded = LANES_ANY(rounded);
    return true;
}

#undef ERROR_TARGET
#undef ERROR_NAME
#undef ERROR_ROOT
