/* The table of exit statuses, and of the status of each error. */
#include "ui/exit_status.h"

#include "base/msg.h"
#include "ui/ending.h"

const struct exit_meaning exit_meanings[] = {
    {EXIT_ALIGNED, N_("aligned, passed, no problem, or the command is done")},
    {EXIT_DEVIATES, N_("deviation, failure, problem or conflict found")},
    {EXIT_USAGE, N_("wrong usage: nothing was done")},
    {EXIT_UNOPENED, N_("an input could not be opened, or its format is not supported")},
    {EXIT_INTERRUPTED, N_("interrupted")},
    {EXIT_UNJUDGED, N_("could not be judged: nothing deviates, but some data could not be read, doubtful pairs "
                       "differ, an output contradicts its own inputs, a value is on one side only, or too few rows are "
                       "paired")},
    {EXIT_SYSTEM, N_("out of memory, no thread could be created, or the output could not be written")},
    {EXIT_TERMINATED, N_("terminated by SIGTERM")},
    {0},
};

int exit_status_of(const struct err *e)
{
    static const int of[] = {
        [ERR_NONE] = EXIT_ALIGNED, [ERR_IO] = EXIT_UNOPENED, [ERR_DATA] = EXIT_UNOPENED, [ERR_USAGE] = EXIT_USAGE,
        [ERR_CANCEL] = EXIT_INTERRUPTED, [ERR_RESOURCE] = EXIT_SYSTEM, [ERR_OUTPUT] = EXIT_SYSTEM,
    };
    return e->code == ERR_CANCEL ? ending_status() : of[e->code];
}
