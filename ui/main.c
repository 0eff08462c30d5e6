/* The main function: sets the language, parses arguments, runs the command. */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/msg.h"
#include "num/kern.h"
#include "ticket/named_paths.h"
#include "ui/cli.h"
#include "ui/completion.h"
#include "ui/ending.h"
#include "ui/log_names.h"
#include "ui/shared_list.h"
#include "ui/user_folders.h"
#include "ui/manual.h"
#include "ui/own_outputs.h"
#include "ui/pack_arguments.h"

static const char *language_from_environment(void)
{
    static const char *const names[] = {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const char *v = getenv(names[i]);
        if (v && *v)
            return v;
    }
    return NULL;
}

static void set_locale(void)
{
    /* only widths and multibyte output: numbers keep their point. If nothing is set (containers) or the locale is not
     * installed, UTF-8 is assumed; "C" gives ASCII. */
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    bool set = false;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        set = set || (getenv(names[i]) && *getenv(names[i]));
    if (!setlocale(LC_CTYPE, "") || !set)
        setlocale(LC_CTYPE, "C.UTF-8");
}

/* --lang must be known before the first message. */
static const char *requested_language(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--lang=", 7) == 0)
            return argv[i] + 7;
        if (strcmp(argv[i], "--lang") == 0 && i + 1 < argc)
            return argv[i + 1];
    }
    return language_from_environment();
}

/* Moves a subcommand (or --version) that follows --lang and -q to the front. */
static void command_first(int argc, char **argv)
{
    int at = 1;
    while (at < argc && (strncmp(argv[at], "--lang", 6) == 0 || strcmp(argv[at], "-q") == 0))
        at += strcmp(argv[at], "--lang") == 0 ? 2 : 1;
    if (at >= argc || (!subcommand_find(argv[at]) && strcmp(argv[at], "--version") != 0))
        return;
    char *name = argv[at];
    memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof *argv);
    argv[1] = name;
}

/* --cpu, else DIVERGE_CPU: an error if this machine has no such variant. */
static int choose_kernels(struct options *o, struct err *e)
{
    static const char variable[] = "DIVERGE_CPU";
    bool given = o->cpu != NULL;
    if (!given)
        o->cpu = getenv(variable);
    if (!o->cpu || kern_select(o->cpu))
        return 0;
    err_set(e, ERR_USAGE, _("kernel variant \"%s\" is not supported on this machine"), o->cpu);
    return given ? -1 : err_prefix(e, "%s", variable);
}

/* Opens closed standard descriptors, because otherwise an input or a report would get their number and receive
 * printed text. Writing results to a closed standard output fails; messages to a closed standard error are dropped. */
static void hold_standard_descriptors(void)
{
    static const int how[] = {[STDIN_FILENO] = O_RDONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_WRONLY};
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", how[fd]) < 0)
            _exit(EXIT_SYSTEM);
}

/* A quarter of what there is, shared by the processes that compare one job here. */
static uint64_t default_memory(void)
{
    uint64_t here = shared_list && shared_list->on_node > 1 ? (uint64_t)shared_list->on_node : 1;
    return memory_allowed() / 4 / here;
}

static int run_program(int argc, char **argv)
{
    struct options o = {
        .step = {-1, -1}, .rank = {-1, -1}, .undo = -1, .withdraw = -1, .status = -1, .severity = -1, .caused_by = -1, .edit = -1};
    struct err e = {0};
    ending_begin();
    hold_standard_descriptors();
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit makes a write fail, with an error message */
    set_locale();
    msg_language(requested_language(argc, argv));
    command_first(argc, argv);
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        struct buf b = {0};
        buf_cstr(&b, TOOL "\n");
        cli_print(&b);
        buf_release(&b);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "--manual") == 0) { /* for make doc */
        struct buf b = {0};
        manual_troff(&b);
        cli_print(&b);
        buf_release(&b);
        return 0;
    }
    if (argc > 2 && strcmp(argv[1], "--completion") == 0) { /* for make install */
        struct buf b = {0};
        bool known = completion_write(argv[2], &b, &e) == 0;
        if (known)
            cli_print(&b);
        buf_release(&b);
        return known ? 0 : cli_fail(&e);
    }
    const struct subcommand *c = argc > 1 ? subcommand_find(argv[1]) : NULL;
    bool named = c && *c->name;
    if (!named)
        c = &subcommands[0];
    log_names_read();
    o.oracle =
        (struct oracle_options){.mode = c->options & OPT_ORACLE ? ORACLE_AUTO : ORACLE_OFF, .budget = ORACLE_BUDGET};
    if (options_parse(&o, c, argc - 1 - named, argv + 1 + named, &e))
        return cli_fail(&e);
    if (o.help) {
        struct buf b = {0};
        named ? help_subcommand(c, &b) : help_program(&b);
        cli_print(&b);
        buf_release(&b);
        return 0;
    }
    log_names_keep();
    static struct buf cache, state;
    if (user_folder_of(&state, "XDG_STATE_HOME", ".local/state"))
        named_paths_in(state.p);
    static read_failures unread; /* static, because threads may add to it until the process ends */
    read_failures_keep(&unread);
    if (!o.no_cache && user_folder_of(&cache, "XDG_CACHE_HOME", ".cache"))
        o.cache = cache.p;
    if (choose_kernels(&o, &e))
        return cli_fail(&e);
    memory_bound_set(o.memory ? o.memory : default_memory());
    if (own_outputs_begin(&o, c, &e))
        return cli_fail(&e);
    int status = pack_arguments_unpack(&o, &e) ? cli_fail(&e) : c->run(&o);
    return cli_unread(&unread, (c->options & OPT_REPORT) || o.policy.given, status);
}

int main(int argc, char **argv)
{
    return cli_end(run_program(argc, argv));
}
