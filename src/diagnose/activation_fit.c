/* The table of activation functions, and how well each maps the recorded input to the recorded output. */
#include "diagnose/activation_fit.h"

#include <math.h>

#include "base/num.h"
#include "dump/family.h"
#include "oracle/activation_values.h"

static double none_value(double x, const double *p)
{
    (void)p;
    return x;
}

static double relu_squared_value(double x, const double *p)
{
    (void)p;
    return x > 0 ? x * x : 0;
}

static double plain_softplus(double x, const double *p)
{
    (void)p;
    return softplus_value(x, (double[]){1, 20});
}

static double plain_hardtanh(double x, const double *p)
{
    (void)p;
    return hardtanh_value(x, (double[]){-1, 1});
}

enum { NO_DIP = 0 };

/* If two fit equally (no input distinguishes them), the first counts. */
static const struct {
    const char *name;
    double (*f)(double x, const double *p);
    double dip; /* the minimum of a function that falls before it rises; NO_DIP: it is monotonic */
    bool fitted; /* its parameter is estimated from the negative inputs */
    const char *words; /* names of its calls and classes, normalised */
} table[] = {
    {"none", none_value, NO_DIP, false, "identity none"},
    {"relu", relu_value, NO_DIP, false, "relu"},
    {"relu6", relu6_value, NO_DIP, false, "relu6"},
    {"gelu (erf)", gelu_erf_value, -0.16997120747990369, false, "gelu geluactivation geluext"},
    {"gelu (tanh)", gelu_tanh_value, -0.17004075057125412, false,
     "gelu gelutanh newgelu newgeluactivation pytorchgelutanh fastgelu fastgeluactivation npufastgelu geluext"},
    {"quick gelu", gelu_quick_value, -0.16361018963635360, false, "quickgelu quickgeluactivation fastgelu npufastgelu"},
    {"silu", silu_value, -0.27846454276107380, false, "silu siluactivation swish siluext"},
    {"sigmoid", sigmoid_value, NO_DIP, false, "sigmoid"},
    {"tanh", tanh_value, NO_DIP, false, "tanh"},
    {"softplus", plain_softplus, NO_DIP, false, "softplus"},
    {"mish", mish_value, -0.30884341301725043, false, "mish mishactivation"},
    {"hard swish", hardswish_value, -0.375, false, "hardswish hswish"},
    {"hard sigmoid", hardsigmoid_value, NO_DIP, false, "hardsigmoid hsigmoid"},
    {"hard tanh", plain_hardtanh, NO_DIP, false, "hardtanh"},
    {"softsign", softsign_value, NO_DIP, false, "softsign"},
    {"log sigmoid", logsigmoid_value, NO_DIP, false, "logsigmoid"},
    {"squared relu", relu_squared_value, NO_DIP, false, "relusquared relusquaredactivation relu2"},
    {"selu", selu_value, NO_DIP, false, "selu"},
    {"leaky relu", leaky_relu_value, NO_DIP, true, "leakyrelu prelu"},
    {"elu", elu_value, NO_DIP, true, "elu celu"},
};

enum { KINDS = sizeof table / sizeof *table };

static double value_of(struct activation a, double x)
{
    return table[a.kind].f(x, &a.value);
}

double activation_left(struct activation a, const double *x, const double *y, size_t n)
{
    double left = 0;
    for (size_t i = 0; i < n; i++) {
        double e = y[i] - value_of(a, x[i]);
        left += e * e;
    }
    return left;
}

/* Least squares over the negative inputs, where it is linear in its parameter. */
static double fit_value(int kind, const double *x, const double *y, size_t n)
{
    double xy = 0, xx = 0;
    for (size_t i = 0; i < n; i++) {
        double unit = x[i] < 0 ? value_of((struct activation){kind, 1}, x[i]) : 0;
        xy += unit * y[i];
        xx += unit * unit;
    }
    return xx > 0 ? xy / xx : 0;
}

struct activation activation_fit(const double *x, const double *y, size_t n, double *left2)
{
    struct activation best = {-1, 0};
    *left2 = INFINITY;
    for (int k = 0; k < KINDS; k++) {
        struct activation a = {k, table[k].fitted ? fit_value(k, x, y, n) : 0};
        double left = activation_left(a, x, y, n);
        /* one with a parameter must be clearly better than one without */
        if (left < (table[k].fitted ? 0.01 : 1) * *left2) {
            *left2 = left;
            best = a;
        }
    }
    return best;
}

uint32_t activations_possible(const double x[2], const double y[2], double tolerance)
{
    uint32_t bits = 0;
    for (int k = 0; k < KINDS; k++) {
        struct activation a = {k, 1};
        double slope = table[k].fitted && x[1] < 0 ? y[1] / value_of(a, x[1]) : 0;
        a.value = slope;
        double high = value_of(a, x[0]), low = value_of(a, x[1]),
               room = tolerance * (1 + fmax(fabs(high), fabs(low)));
        bool top = fabs(y[0] - fmax(high, low)) <= room;
        bool bottom = table[k].dip == NO_DIP ? fabs(y[1] - low) <= room
                                             : y[1] >= table[k].dip - room && y[1] <= fmin(high, low) + room;
        bool own = !table[k].fitted || (slope > 0 && slope < 1 && x[1] < 0);
        bits |= top && bottom && own ? UINT32_C(1) << k : 0;
    }
    return bits;
}

const char *activation_name(int kind)
{
    return kind >= 0 && kind < KINDS ? table[kind].name : NULL;
}

uint32_t activations_called(struct str name)
{
    char tmp[FAMILY_PLAIN];
    struct str plain = family_plain(name, tmp), word;
    uint32_t bits = 0;
    for (int k = 0; k < KINDS; k++)
        for (struct str rest = str_of(table[k].words); rest.n;) {
            str_split(rest, ' ', &word, &rest);
            bits |= str_eq(word, plain) ? UINT32_C(1) << k : 0;
        }
    return bits;
}

void activation_text(struct activation a, struct buf *out)
{
    char n[NUM_MAX];
    buf_cstr(out, table[a.kind].name);
    if (table[a.kind].fitted)
        buf_fmt(out, " (%s)", num_cell(n, a.value, 4));
}
