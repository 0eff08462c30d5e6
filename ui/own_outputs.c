/* Names the inputs of the command line, so that no output is written over them. */
#include "ui/own_outputs.h"

#include "base/inputs.h"
#include "base/output.h"
#include "report/job_merge.h"
#include "report/own_files.h"
#include "ui/cli.h"

static void name_option_inputs(const struct options *o)
{
    const char *const file[] = {o->golden2, o->reference, o->known,      o->script,  o->investigation,
                                o->round,   o->weights,   o->target_env, o->golden_env};
    for (int i = 0; i < o->args; i++)
        if (!(o->args == 1 && job_files_there(o->arg[i]) && path_is_dir(o->arg[i]))) /* results of workers */
            inputs_name(o->arg[i]);
    for (int i = 0; i < o->maps; i++)
        inputs_name(o->map[i]);
    for (size_t i = 0; i < ARRAY_LEN(file); i++)
        if (file[i])
            inputs_name(file[i]);
}

int own_outputs_begin(const struct options *o, const struct subcommand *c, struct err *e)
{
    /* these two compare an existing output with what they write */
    bool later = c->run == cli_merge || c->run == cli_recipe;
    const char *const out[] = {later ? NULL : o->output, o->pack, o->export_to};
    inputs_keep();
    output_rules(own_file, o->force);
    name_option_inputs(o);
    for (size_t i = 0; i < ARRAY_LEN(out); i++)
        if (out[i] && strcmp(out[i], "-") != 0 && output_check(out[i], e))
            return -1;
    return 0;
}
