/* The table of activation functions, and how well each maps the recorded input to the recorded output. */
#include "diagnose/activation_fit.h"

#include <math.h>

#include "base/num.h"
#include "dump/family.h"

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double softplus(double x)
{
    return x > 30 ? x : log1p(exp(x));
}

static double f_none(double x, double a)
{
    (void)a;
    return x;
}

static double f_relu(double x, double a)
{
    (void)a;
    return fmax(x, 0);
}

static double f_relu6(double x, double a)
{
    (void)a;
    return fmin(fmax(x, 0), 6);
}

static double f_leaky(double x, double slope)
{
    return x > 0 ? x : slope * x;
}

static double f_relu_squared(double x, double a)
{
    (void)a;
    return x > 0 ? x * x : 0;
}

static double f_gelu(double x, double a)
{
    (void)a;
    return x * 0.5 * erfc(-x * 0.70710678118654752440);
}

static double f_gelu_tanh(double x, double a)
{
    (void)a;
    return 0.5 * x * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}

static double f_quick_gelu(double x, double a)
{
    (void)a;
    return x * sigmoid(1.702 * x);
}

static double f_silu(double x, double a)
{
    (void)a;
    return x * sigmoid(x);
}

static double f_sigmoid(double x, double a)
{
    (void)a;
    return sigmoid(x);
}

static double f_tanh(double x, double a)
{
    (void)a;
    return tanh(x);
}

static double f_elu(double x, double alpha)
{
    return x > 0 ? x : alpha * expm1(x);
}

static double f_selu(double x, double a)
{
    (void)a;
    return 1.0507009873554804934 * (x > 0 ? x : 1.6732632423543772848 * expm1(x));
}

static double f_softplus(double x, double a)
{
    (void)a;
    return softplus(x);
}

static double f_mish(double x, double a)
{
    (void)a;
    return x * tanh(softplus(x));
}

static double f_hard_sigmoid(double x, double a)
{
    (void)a;
    return fmin(fmax(x / 6 + 0.5, 0), 1);
}

static double f_hard_swish(double x, double a)
{
    return x * f_hard_sigmoid(x, a);
}

static double f_hard_tanh(double x, double a)
{
    (void)a;
    return fmin(fmax(x, -1), 1);
}

static double f_softsign(double x, double a)
{
    (void)a;
    return x / (1 + fabs(x));
}

static double f_log_sigmoid(double x, double a)
{
    (void)a;
    return -softplus(-x);
}

enum { NO_DIP = 0 };

/* If two fit equally (no input distinguishes them), the first counts. */
static const struct {
    const char *name;
    double (*f)(double x, double a);
    double dip; /* the minimum of a function that falls before it rises; NO_DIP: it is monotonic */
    bool fitted; /* its parameter is estimated from the negative inputs */
    const char *words; /* names of its calls and classes, normalised */
} table[] = {
    {"none", f_none, NO_DIP, false, "identity none"},
    {"relu", f_relu, NO_DIP, false, "relu"},
    {"relu6", f_relu6, NO_DIP, false, "relu6"},
    {"gelu (erf)", f_gelu, -0.16997120747990369, false, "gelu geluactivation geluext"},
    {"gelu (tanh)", f_gelu_tanh, -0.17004075057125412, false,
     "gelu gelutanh newgelu newgeluactivation pytorchgelutanh fastgelu fastgeluactivation npufastgelu geluext"},
    {"quick gelu", f_quick_gelu, -0.16361018963635360, false, "quickgelu quickgeluactivation fastgelu npufastgelu"},
    {"silu", f_silu, -0.27846454276107380, false, "silu siluactivation swish siluext"},
    {"sigmoid", f_sigmoid, NO_DIP, false, "sigmoid"},
    {"tanh", f_tanh, NO_DIP, false, "tanh"},
    {"softplus", f_softplus, NO_DIP, false, "softplus"},
    {"mish", f_mish, -0.30884341301725043, false, "mish mishactivation"},
    {"hard swish", f_hard_swish, -0.375, false, "hardswish hswish"},
    {"hard sigmoid", f_hard_sigmoid, NO_DIP, false, "hardsigmoid hsigmoid"},
    {"hard tanh", f_hard_tanh, NO_DIP, false, "hardtanh"},
    {"softsign", f_softsign, NO_DIP, false, "softsign"},
    {"log sigmoid", f_log_sigmoid, NO_DIP, false, "logsigmoid"},
    {"squared relu", f_relu_squared, NO_DIP, false, "relusquared relusquaredactivation relu2"},
    {"selu", f_selu, NO_DIP, false, "selu"},
    {"leaky relu", f_leaky, NO_DIP, true, "leakyrelu prelu"},
    {"elu", f_elu, NO_DIP, true, "elu celu"},
};

enum { KINDS = sizeof table / sizeof *table };

double activation_left(struct activation a, const double *x, const double *y, size_t n)
{
    double left = 0;
    for (size_t i = 0; i < n; i++) {
        double e = y[i] - table[a.kind].f(x[i], a.value);
        left += e * e;
    }
    return left;
}

/* Least squares over the negative inputs, where it is linear in its parameter. */
static double fit_value(int kind, const double *x, const double *y, size_t n)
{
    double xy = 0, xx = 0;
    for (size_t i = 0; i < n; i++) {
        double unit = x[i] < 0 ? table[kind].f(x[i], 1) : 0;
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
        double slope = table[k].fitted && x[1] < 0 ? y[1] / table[k].f(x[1], 1) : 0;
        double high = table[k].f(x[0], slope), low = table[k].f(x[1], slope),
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
