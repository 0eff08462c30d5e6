/* Values of the activation functions: in formulas, and as fitted to a side (diagnose/activation_fit.c). */
#ifndef ORACLE_ACTIVATION_VALUES_H
#define ORACLE_ACTIVATION_VALUES_H

/* At x; `p`: the arguments, in the order of the call. */
#define ACTIVATION_VALUE(name) double name##_value(double x, const double *p)

ACTIVATION_VALUE(silu);
ACTIVATION_VALUE(sigmoid);
ACTIVATION_VALUE(logsigmoid);
ACTIVATION_VALUE(tanh);
ACTIVATION_VALUE(relu);
ACTIVATION_VALUE(relu6);
ACTIVATION_VALUE(hardswish);
ACTIVATION_VALUE(hardsigmoid);
ACTIVATION_VALUE(mish);
ACTIVATION_VALUE(softsign);
ACTIVATION_VALUE(selu);
ACTIVATION_VALUE(gelu_erf);
ACTIVATION_VALUE(gelu_tanh);
ACTIVATION_VALUE(gelu_quick);
ACTIVATION_VALUE(softplus);   /* beta, threshold */
ACTIVATION_VALUE(elu);        /* alpha */
ACTIVATION_VALUE(leaky_relu); /* slope */
ACTIVATION_VALUE(hardtanh);   /* min_val, max_val */

#endif
