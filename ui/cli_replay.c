/* diverge replay: writes a script that repeats one recorded call. */
#include <stdio.h>

#include "base/io.h"
#include "base/msg.h"
#include "report/source_script.h"
#include "ui/cli.h"
#include "ui/open_investigation.h"
#include "ui/ending.h"

/* A pack is unpacked for as long as this program runs: the script is for the folder the user unpacks it into. There the
 * tensors lie in target/ and golden/. */
static const char *packed_file(void *ctx, int side, uint32_t row, struct arena *a)
{
    const char *path = replay_own_file(ctx, side, row, a);
    if (!path)
        return NULL;
    return arena_fmt(a, "%s/%.*s", side ? "golden" : "target", STR_ARG(path_base(str_of(path))));
}

static int write_script(struct session *s, const struct options *o, struct err *e)
{
    uint32_t line = cli_line_named(s->now, o->arg[o->args - 1]);
    struct replay_options ro = {.framework = (enum replay_framework)o->framework,
                                .file = s->opt.of.pack ? packed_file : replay_own_file, .ctx = (void *)s->now};
    struct out out;
    if (line == NONE)
        return err_set(e, ERR_USAGE, _("neither side has a row \"%s\""), o->arg[o->args - 1]);
    if (cli_out(o, &out, e))
        return -1;
    bool known = source_script(s->now, line, &ro, &out.buf) || replay_script(s->now, line, &ro, &out.buf);
    if (out_close(&out, e))
        return -1;
    if (s->opt.of.pack && !o->quiet)
        fprintf(stderr, _("diverge: the script loads tensors from %s: unpack it (tar -xf) and run the script in the "
                          "unpacked folder\n"), s->opt.of.pack);
    if (!known && !o->quiet)
        fprintf(stderr, "diverge: %s\n", _("unknown call: complete the line marked FILL IN; until then the script ends "
                                           "with status 2"));
    return 0;
}

int cli_replay(const struct options *o)
{
    struct investigation inv = {.lock = -1};
    struct options two = *o;
    struct session s;
    struct err e = {0};
    bool open = false;
    two.args = 2;
    ending_catch(NULL);
    int rc = o->args == 2
             ? open_investigation_saved(&inv, o, false, true, &e) : open_investigation(&inv, &two, NULL, false, &e);
    rc = rc || cli_open_pair(&s, &open, &inv, o, true, &e) || write_script(&s, o, &e);
    if (open)
        session_stop(&s);
    investigation_release(&inv);
    return rc ? cli_fail(&e) : EXIT_ALIGNED;
}
