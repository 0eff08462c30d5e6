/* Finds how many digits tell two values apart. */
#include "base/digits.h"

#include <string.h>

#include "base/num.h"

int digits_apart(double a, double b)
{
    char x[NUM_MAX], y[NUM_MAX];
    for (int d = 6; d < 17; d++)
        if (strcmp(num_cell(x, a, d), num_cell(y, b, d)) != 0)
            return d;
    return 6;
}
