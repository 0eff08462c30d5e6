/* Writes the completions of bash, zsh and fish from the tables of subcommands and options. Their texts are English: a
 * shell reads them before the program knows the language. */
#include "ui/completion.h"

#include <string.h>

#include "base/msg.h"
#include "ui/options.h"

/* Whether an option takes a path, by the placeholder of its value. */
static bool takes_path(const char *arg)
{
    static const char *const words[] = {"FILE", "DUMP", "NEW_TARGET"};
    for (size_t i = 0; arg && i < ARRAY_LEN(words); i++)
        if (strcmp(arg, words[i]) == 0)
            return true;
    return false;
}

/* Between single quotes; `also` are characters with a meaning of their own, kept by a backslash. */
static void put_shell_quoted(struct buf *out, const char *s, const char *also, const char *quote)
{
    for (; *s; s++) {
        if (*s == '\'')
            buf_cstr(out, quote);
        else if (strchr(also, *s))
            buf_fmt(out, "\\%c", *s);
        else
            buf_char(out, *s == '\n' ? ' ' : *s);
    }
}

enum which { ALL, WITH_PATH, WITH_OTHER };

/* " --step --rank", of one subcommand or of all. */
static void put_option_names(struct buf *out, const struct subcommand *c, enum which which, const char *between)
{
    const char *name, *arg, *help, *before = "";
    for (int i = 0; option_next(c, &i, &name, &arg, &help);) {
        bool value = arg && *arg != '[';
        if (which == ALL || (value && takes_path(arg) == (which == WITH_PATH))) {
            buf_fmt(out, "%s%s", before, name);
            before = between;
        }
    }
}

static void subcommand_names(struct buf *out, const char *between)
{
    for (const struct subcommand *c = subcommands + 1; c->name; c++)
        buf_fmt(out, "%s%s", c == subcommands + 1 ? "" : between, c->name);
}

static void write_bash_completion(struct buf *out)
{
    buf_cstr(out, "# bash completion of diverge, written by diverge --completion bash\n"
                  "_diverge()\n{\n"
                  "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                  "    local command='' options='' i\n"
                  "    COMPREPLY=()\n"
                  "    for ((i = 1; i < COMP_CWORD; i++)); do\n        case ${COMP_WORDS[i]} in\n        ");
    subcommand_names(out, "|");
    buf_cstr(out, ") command=${COMP_WORDS[i]}; break ;;\n        esac\n    done\n    case $before in\n    ");
    put_option_names(out, NULL, WITH_PATH, "|");
    buf_cstr(out, ") return ;;\n    ");
    put_option_names(out, NULL, WITH_OTHER, "|");
    buf_cstr(out, ") compopt +o default 2>/dev/null; return ;;\n    esac\n    case $command in\n");
    for (const struct subcommand *c = subcommands + 1; c->name; c++) {
        buf_fmt(out, "    %s) options='", c->name);
        put_option_names(out, c, ALL, " ");
        buf_cstr(out, "' ;;\n");
    }
    buf_cstr(out, "    *) options='--version ");
    put_option_names(out, &subcommands[0], ALL, " ");
    buf_cstr(out, "' ;;\n    esac\n    if [[ $word == -* ]]; then\n"
                  "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
                  "    elif [[ -z $command && $COMP_CWORD -eq 1 ]]; then\n"
                  "        mapfile -t COMPREPLY < <(compgen -W '");
    subcommand_names(out, " ");
    buf_cstr(out, "' -- \"$word\"; compgen -f -- \"$word\")\n        compopt -o filenames 2>/dev/null\n    fi\n}\n"
                  "complete -o default -F _diverge diverge\n");
}

static void zsh_arguments(struct buf *out, const struct subcommand *c)
{
    const char *name, *arg, *help;
    buf_cstr(out, "_arguments -S");
    for (int i = 0; option_next(c, &i, &name, &arg, &help);) {
        buf_fmt(out, " \\\n            '*%s[", name);
        put_shell_quoted(out, help, "[]\\:", "'\\''");
        buf_char(out, ']');
        if (arg && *arg != '[') {
            buf_char(out, ':');
            put_shell_quoted(out, arg, "[]\\:", "'\\''");
            buf_cstr(out, takes_path(arg) ? ":_files" : ": ");
        }
        buf_char(out, '\'');
    }
    buf_cstr(out, " \\\n            '*: :_files'\n");
}

static void write_zsh_completion(struct buf *out)
{
    buf_cstr(out, "#compdef diverge\n# zsh completion of diverge, written by diverge --completion zsh\n"
                  "_diverge()\n{\n    local -a commands\n    commands=(\n");
    for (const struct subcommand *c = subcommands + 1; c->name; c++) {
        buf_fmt(out, "        '%s:", c->name);
        put_shell_quoted(out, c->summary, ":\\", "'\\''");
        buf_cstr(out, "'\n");
    }
    buf_cstr(out, "    )\n    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
                  "        _describe -t commands command commands\n        _files\n        return\n    fi\n"
                  "    case $words[2] in\n");
    for (const struct subcommand *c = subcommands + 1; c->name; c++) {
        buf_fmt(out, "    %s)\n        shift words\n        (( CURRENT-- ))\n        ", c->name);
        zsh_arguments(out, c);
        buf_cstr(out, "        ;;\n");
    }
    buf_cstr(out, "    *)\n        ");
    zsh_arguments(out, &subcommands[0]);
    buf_cstr(out, "        ;;\n    esac\n}\nif [[ $funcstack[1] == _diverge ]]; then\n    _diverge \"$@\"\nelse\n"
                  "    compdef _diverge diverge\nfi\n");
}

static void fish_options(struct buf *out, const struct subcommand *c)
{
    const char *name, *arg, *help;
    for (int i = 0; option_next(c, &i, &name, &arg, &help);) {
        buf_cstr(out, "complete -c diverge -n '");
        if (*c->name)
            buf_fmt(out, "__fish_seen_subcommand_from %s", c->name);
        else
            buf_cstr(out, "not __fish_seen_subcommand_from $diverge_commands");
        buf_fmt(out, "' %s %s", name[1] == '-' ? "-l" : "-s", name + (name[1] == '-' ? 2 : 1));
        if (arg && *arg != '[')
            buf_cstr(out, takes_path(arg) ? " -r -F" : " -x");
        buf_cstr(out, " -d '");
        put_shell_quoted(out, help, "\\", "\\'");
        buf_cstr(out, "'\n");
    }
}

static void write_fish_completion(struct buf *out)
{
    buf_cstr(out, "# fish completion of diverge, written by diverge --completion fish\nset -g diverge_commands ");
    subcommand_names(out, " ");
    buf_char(out, '\n');
    for (const struct subcommand *c = subcommands + 1; c->name; c++) {
        buf_fmt(out, "complete -c diverge -n '__fish_is_first_arg' -a %s -d '", c->name);
        put_shell_quoted(out, c->summary, "\\", "\\'");
        buf_cstr(out, "'\n");
    }
    for (const struct subcommand *c = subcommands; c->name; c++)
        fish_options(out, c);
}

int completion_write(const char *shell, struct buf *out, struct err *e)
{
    static const struct {
        const char *name;
        void (*write)(struct buf *out);
    } shells[] = {{"bash", write_bash_completion}, {"zsh", write_zsh_completion}, {"fish", write_fish_completion}};
    for (size_t i = 0; i < ARRAY_LEN(shells); i++)
        if (strcmp(shell, shells[i].name) == 0) {
            shells[i].write(out);
            return 0;
        }
    return err_set(e, ERR_USAGE, _("--completion: expected bash, zsh or fish, found \"%s\""), shell);
}
