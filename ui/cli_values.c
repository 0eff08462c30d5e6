/* diverge compare --values: how many rows, and how many deviating ones, each value of a field has. */
#include "base/msg.h"
#include "report/values_output.h"
#include "ui/cli.h"

static const struct result_forms forms = {.text = values_text, .json = values_json, .csv = values_csv};

int cli_values(const struct comparison *const *c, size_t n, const struct options *o, struct err *e)
{
    struct values_report r = {.field = o->values};
    if (cli_may_write_form(o, &forms, e))
        return -1;
    for (size_t i = 0; i < n; i++)
        for (uint32_t line = 0; c[i]->paired && line < c[i]->pairing->lines.n; line++)
            field_values_add(&r.values, c[i], r.field, line);
    field_values_sort(&r.values);
    int rc = cli_write(o, &forms, &r, e);
    field_values_release(&r.values);
    return rc;
}
