/* Writes the man page in troff from the tables of options, commands and thresholds. */
#include "ui/manual.h"

#include <stdio.h>

#include "base/embed.h"
#include "base/msg.h"
#include "cmd/cmd.h"
#include "judge/thresholds.h"
#include "fmt/find_recordings.h"
#include "ui/keymap.h"
#include "ui/options.h"

/* Escapes text for troff: no line starts with a control character, hyphens stay hyphens, and a line may break after
 * each Chinese character. */
static void put_troff_text(struct buf *out, const char *s)
{
    bool start = true;
    int rest = 0; /* bytes of a Chinese character still to come */
    for (; *s; s++) {
        if (start && (*s == '.' || *s == '\''))
            buf_cstr(out, "\\&");
        if (*s == '\\')
            buf_cstr(out, "\\e");
        else if (*s == '-')
            buf_cstr(out, "\\-");
        else
            buf_char(out, *s);
        if (rest && !--rest)
            buf_cstr(out, "\\:");
        if ((unsigned char)*s >= 0xe3 && (unsigned char)*s < 0xf0)
            rest = 2;
        start = *s == '\n';
    }
}

static void put_manual_entry(struct buf *out, const char *head, const char *args, const char *body)
{
    buf_cstr(out, ".TP\n.B ");
    put_troff_text(out, head);
    if (args && *args) {
        buf_cstr(out, " \\fI");
        put_troff_text(out, args);
        buf_cstr(out, "\\fR");
    }
    buf_char(out, '\n');
    put_troff_text(out, body);
    buf_char(out, '\n');
}

static void put_manual_section(struct buf *out, const char *name)
{
    buf_fmt(out, ".SH %s\n", name);
}

static void subcommand_list(struct buf *out)
{
    struct buf name = {0};
    for (const struct subcommand *c = subcommands; c->name; c++) {
        buf_clear(&name);
        buf_fmt(&name, "diverge%s%s", *c->name ? " " : "", c->name);
        put_manual_entry(out, name.p, c->args, _(c->summary));
    }
    buf_release(&name);
}

static void option_entries(struct buf *out)
{
    const char *name, *arg, *help;
    for (int i = 0; option_next(NULL, &i, &name, &arg, &help);)
        put_manual_entry(out, name, arg, _(help));
}

static void command_entries(struct buf *out, const struct keymap *keys)
{
    struct buf body = {0};
    for (const struct command_group *g = command_groups; g->title; g++) {
        buf_fmt(out, ".SS \"%s\"\n", _(g->title));
        for (const struct command *c = g->commands; c->name; c++) {
            size_t n = strlen(c->name);
            buf_clear(&body);
            buf_cstr(&body, _(c->help));
            bool any = false;
            for (size_t i = 0; i < keys->bindings.n; i++) {
                const struct binding *b = &keys->bindings.v[i];
                if (strncmp(b->command, c->name, n) == 0 && (!b->command[n] || b->command[n] == ' ')) {
                    buf_fmt(&body, "%s%s%s%s", any ? ", " : "\n", any ? "" : _("Keys: "), b->key, b->command + n);
                    if (strcmp(b->place, "global") != 0)
                        buf_fmt(&body, " (%s)", b->place);
                    any = true;
                }
            }
            buf_char(&body, '.');
            put_manual_entry(out, c->name, c->args, body.p);
        }
    }
    buf_release(&body);
}

static void threshold_entries(struct buf *out)
{
    struct thresholds t;
    const char *key;
    double v;
    thresholds_init(&t);
    for (int i = 0; (key = thresholds_key(&t, i, &v)); i++)
        buf_fmt(out, "%s%s = %g", i ? ", " : "", key, v);
    buf_cstr(out, ".\n");
}

void manual_troff(struct buf *out)
{
    struct keymap keys;
    struct err e;
    memset(&keys, 0, sizeof keys);
    keymap_parse(&keys, embed_str(&embed_keys_conf), "keys.conf", &e);
    buf_fmt(out,
            ".\\\" Written by the program (make doc); edit the tables it is made from.\n.TH DIVERGE 1 \"\" \"diverge "
            "%s\" \"\"\n", DIVERGE_VERSION);
    buf_cstr(out, strcmp(msg_current(), "en") == 0 ? "" : ".ad l\n");
    put_manual_section(out, _("NAME"));
    buf_fmt(out, "diverge \\- %s\n", _("find why two training runs of one model disagree"));
    put_manual_section(out, _("SYNOPSIS"));
    buf_fmt(out,
            ".B diverge\n[\\fI%s\\fR] [\\fITARGET\\fR [\\fIGOLDEN\\fR]]\n.br\n"
            ".B diverge\n\\fI%s\\fR [\\fI%s\\fR] \\fI%s\\fR\n",
            _("options"), _("command"), _("options"), _("arguments"));
    put_manual_section(out, _("DESCRIPTION"));
    put_troff_text(
        out,
        _("diverge compares the dumps of two training runs side by side: the target (the run under test) and the "
          "golden run (the trusted one). It judges every pair of recorded values against the noise of a correct "
          "computation and goes to the first row that deviates: statistics and stacks of both sides, and the reason "
          "in one sentence. A saved *.investigation.json can be opened again.\n"));
    put_manual_section(out, _("COMMANDS"));
    subcommand_list(out);
    put_manual_section(out, _("OPTIONS"));
    option_entries(out);
    put_manual_section(out, _("EXIT STATUS"));
    put_troff_text(
        out, _("The same for every command; error messages contain the file, the position and what was expected.\n"));
    for (const struct exit_meaning *m = exit_meanings; m->text; m++) {
        char status[16];
        snprintf(status, sizeof status, "%d", m->status);
        put_manual_entry(out, status, NULL, _(m->text));
    }
    put_manual_section(out, _("THE SCREEN"));
    put_troff_text(
        out,
        _("Every key runs a command; : runs any command by name, and Tab completes. A number goes to that row.\n"));
    command_entries(out, &keys);
    put_manual_section(out, _("THRESHOLDS"));
    put_troff_text(out, _("Keys of --threshold and :set, with their defaults: "));
    threshold_entries(out);
    put_manual_section(out, _("FORMATS"));
    for (size_t i = 0; readers[i]; i++)
        put_manual_entry(out, readers[i]->name, readers[i]->what, _(readers[i]->title));
    put_manual_section(out, _("ENVIRONMENT"));
    put_manual_entry(out, "LANGUAGE, LC_ALL, LC_MESSAGES, LANG", NULL,
                     _("The language of texts: English, or Chinese where it begins with zh."));
    put_manual_entry(out, "NO_COLOR", NULL,
                     _("Set to any value: no colours; marks and attributes show the same information."));
    put_manual_entry(out, "DIVERGE_VIEWER, PAGER, EDITOR", NULL,
                     _("The first of these that is set opens source files, as in VIEWER +LINE FILE."));
    put_manual_entry(out, "DIVERGE_CPU", NULL,
                     _("The kernel variant, as --cpu: scalar, generic, avx2, avx512, neon. All give the same digits."));
    put_manual_entry(
        out, "XDG_CACHE_HOME", NULL,
        _("Cache folder for tensor statistics (diverge/*.figures, at most 64 MB; the files may be deleted). See "
          "--no-cache."));
    put_manual_entry(
        out, "XDG_STATE_HOME, XDG_CONFIG_HOME", NULL,
        _("Folder for investigations without their own file (diverge/*.investigation.json) and for the key bindings "
          "(diverge/keys.conf)."));
    put_manual_section(out, _("FILES"));
    put_troff_text(
        out,
        _("Dump folders are never written to. Results and investigations are written to a temporary file in the same "
          "folder and then renamed.\n"));
    keymap_release(&keys);
}
