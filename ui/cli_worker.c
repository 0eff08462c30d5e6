/* Determines this process's share of the ranks if it was started by a launcher without MPI. */
#include "ui/cli.h"

#include <limits.h>
#include <stdlib.h>

#include "base/msg.h"

/* Variables in which launchers pass the number of the process and the number of processes. */
static const char *const launchers[][2] = {
    {"SLURM_PROCID", "SLURM_NTASKS"},
    {"VC_TASK_INDEX", "VC_WORKER_NUM"},
    {"RANK", "WORLD_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
};

static bool read_env_number(const char *variable, int *out)
{
    const char *v = getenv(variable);
    unsigned long long n;
    if (!v || !str_u64(str_of(v), &n) || n > INT_MAX)
        return false;
    *out = (int)n;
    return true;
}

int cli_worker_of_launcher(struct options *o, struct err *e)
{
    for (size_t i = 0; i < ARRAY_LEN(launchers); i++) {
        int number, all;
        if (!read_env_number(launchers[i][0], &number) || !read_env_number(launchers[i][1], &all))
            continue;
        if (number >= all)
            return err_set(e, ERR_USAGE, _("%s is %d, but must be less than %s, which is %d"), launchers[i][0],
                           number, launchers[i][1], all);
        o->worker = number;
        o->workers_all = all;
        return 0;
    }
    return 0;
}
