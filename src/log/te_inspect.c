/* Statistics logged by nvdlfw-inspect for Transformer Engine (LogTensorStats), a file a rank:
 *   2026-01-01 12:00:00,000 - INFO - decoder.1.mlp.fc1_activation_l2_norm  iteration=000002  value=0.3704
 * The name ends in a tensor of the layer and a figure: they are the tag, the layer is the name. */
#include "log/series_builder.h"

bool te_inspect_words(struct str line)
{
    return scan_has(line, "iteration=") && scan_has(line, "value=");
}

/* The name in front of "iteration=": its last word. */
static struct str name_before(struct str line)
{
    ptrdiff_t at = str_search(line, "iteration=");
    struct str name = str_n(line.p, at < 0 ? 0 : (size_t)at);
    while (name.n && (name.p[name.n - 1] == ' ' || name.p[name.n - 1] == '\t'))
        name.n--;
    for (size_t i = name.n; i-- > 0;)
        if (name.p[i] == ' ' || name.p[i] == '\t')
            return str_cut(name, i + 1);
    return name;
}

/* "decoder.1.mlp.fc1_activation_l2_norm": at the last tensor's name; otherwise all of it is the name. */
static struct str cut_tag(struct str *name)
{
    static const char *const tensors[] = {"_activation_", "_gradient_", "_weight_", "_output_", "_wgrad_", "_dgrad_",
                                          "_fprop_"};
    size_t best = 0;
    for (size_t i = 0; i < ARRAY_LEN(tensors); i++)
        for (size_t from = 0;;) {
            ptrdiff_t at = str_search(str_cut(*name, from), tensors[i]);
            if (at < 0)
                break;
            from += (size_t)at + 1;
            best = from > best ? from : best;
        }
    if (!best)
        return STR("statistic");
    struct str tag = str_cut(*name, best);
    name->n = best - 1;
    return tag;
}

enum log_take te_inspect_take(struct series_builder *k, struct str line, size_t fresh, bool last)
{
    char tag[64];
    struct str at, value, name = name_before(line), t;
    int64_t step;
    double x;
    (void)fresh;
    (void)last;
    if (!name.n || !scan_behind(line, "iteration=", &at) || !scan_behind(at, "value=", &value))
        return TAKE_NOT;
    str_split(at, ' ', &at, &t);
    at = str_trim(at); /* a tab may stand behind it */
    str_split(value, ' ', &value, &t);
    struct str count = at;
    if (!scan_count(&count, &step) || count.n || step >= LOG_STEP) {
        log_odd_value(k, at);
        return TAKE_DONE;
    }
    if (log_number(k, value, &x, NULL) != READING_VALUE)
        return TAKE_DONE;
    t = cut_tag(&name);
    if (t.n >= sizeof tag || !name.n)
        return TAKE_NOT;
    memcpy(tag, t.p, t.n);
    tag[t.n] = 0;
    log_point(k, tag, name, false, step, x);
    return TAKE_DONE;
}
