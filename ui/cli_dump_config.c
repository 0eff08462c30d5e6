/* diverge check of a dump's configuration: its expected output and missing settings. */
#include "base/json_write.h"
#include "base/msg.h"
#include "base/num.h"
#include "config/dump_config.h"
#include "document/document.h"
#include "fmt/find_recordings.h"
#include "ui/cli.h"

static const char *yes_no(bool b)
{
    return b ? _("yes") : _("no");
}

static void say_writes(struct document *d, const struct dump_config *c)
{
    if (c->steps)
        doc_say(d, TONE_PLAIN, _("steps: %llu"), (unsigned long long)c->steps);
    else
        doc_say(d, TONE_PLAIN, "%s", _("steps: all"));
    if (c->ranks)
        doc_say(d, TONE_PLAIN, _("ranks: %llu"), (unsigned long long)c->ranks);
    else
        doc_say(d, TONE_PLAIN, "%s", _("ranks: all"));
    doc_say(d, TONE_PLAIN, _("tensors: %s; statistics: %s"), yes_no(c->tensors), yes_no(c->statistics));
    if (c->steps && c->ranks)
        doc_say(d, TONE_PLAIN, _("recordings: %llu, each of one step of one rank"),
                (unsigned long long)(c->steps * c->ranks));
}

/* Whether a listed kernel is in the name of a recorded call: "Default/net/MatMul-op1" is recorded with "_" for "/". */
static bool is_kernel_recorded(const struct dump *d, struct str kernel)
{
    struct buf name = {0};
    bool found = false;
    for (size_t i = 0; i < kernel.n; i++)
        buf_char(&name, kernel.p[i] == '/' ? '_' : kernel.p[i]);
    for (size_t i = 0; i < d->calls.n && name.n && !found; i++)
        found = strstr(d->calls.v[i].name, name.p) != NULL;
    buf_release(&name);
    return found;
}

/* What MindSpore's configuration asks for and the given dump of the same model does not have. */
static void check_against_dump(struct dump_config *c, const struct dump *d)
{
    const char *kernels = "common_dump_settings.kernels", *steps = "common_dump_settings.iteration";
    size_t n = d->calls.n ? dump_config_count(c, kernels) : 0;
    for (size_t i = 0; i < n; i++) {
        struct str kernel = dump_config_element(c, kernels, i);
        if (!str_starts(kernel, "name-regex") && !is_kernel_recorded(d, kernel))
            dump_config_say(c, REMARK_ADVICE, kernels, _("%.*s: not in the given dump: check its spelling, or leave it "
                                                         "out"), STR_ARG(kernel));
    }
    struct str text = dump_config_value(c, steps);
    if (text.n && d->step >= 0 && !dump_config_has_step(text, '|', d->step))
        dump_config_say(c, REMARK_NOTE, steps, _("%.*s: the given dump is of step %lld, another one"), STR_ARG(text),
                        (long long)d->step);
}

/* Estimates the size of a recording from a dump of the same model, which may be one of statistics; a list of calls
 * reduces it. */
static int size_from_recording(struct dump_config *c, const char *path, struct err *e)
{
    place_list l = {0};
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct load load = {.lock = &lock};
    struct dump d;
    if (find_recordings(path, &l, e) || !l.n) {
        place_list_release(&l);
        return e->code ? -1 : err_set(e, ERR_DATA, _("%s: expected a recording of a supported format in this folder or "
                                                     "below, found none; see `diverge formats`"), path);
    }
    const struct place *p = &l.v[0];
    dump_init(&d);
    place_set(&d, p);
    int rc = p->reader->open(&d, &load, e);
    if (rc == 0)
        c->bytes = (c->tensors ? dump_all_bytes(&d) : 0) + (c->statistics ? d.bytes : 0);
    if (rc == 0)
        check_against_dump(c, &d);
    dump_release(&d);
    pthread_mutex_destroy(&lock);
    place_list_release(&l);
    return rc;
}

static void say_size(struct document *d, const struct dump_config *c)
{
    char one[NUM_MAX], all[NUM_MAX];
    if (c->bytes && c->steps && c->ranks)
        doc_say(d, TONE_PLAIN, _("size estimated from the given dump: about %s per step and rank, %s in all; a list of "
                                 "calls reduces it"),
                num_bytes(one, c->bytes), num_bytes(all, c->bytes * c->steps * c->ranks));
    else if (c->bytes)
        doc_say(d, TONE_PLAIN, _("size estimated from the given dump: about %s per step and rank; a list of calls "
                                 "reduces it"),
                num_bytes(one, c->bytes));
}

static void plan_section(struct document *d, const void *result)
{
    const struct dump_config *c = result;
    static const uint8_t mark[] = {[REMARK_NOTE] = DOC_NOTE, [REMARK_ADVICE] = DOC_ADVICE, [REMARK_BAD] = DOC_BAD};
    doc_verdict(d, c->bad ? STAGE_FAIL : STAGE_PASS, NULL, _("This configuration can be run."),
                _("This configuration cannot be used."));
    doc_say(d, TONE_PLAIN, _("%s (%s)"), c->s.path, c->tool);
    say_writes(d, c);
    say_size(d, c);
    for (int w = REMARK_BAD; w >= REMARK_NOTE; w--)
        for (size_t i = 0; i < c->remarks.n; i++)
            if ((int)c->remarks.v[i].weight == w)
                doc_note(d, (enum doc_mark)mark[w], NULL, "%s%s%s", c->remarks.v[i].key,
                         *c->remarks.v[i].key ? ": " : "", c->remarks.v[i].text);
}

static void plan_json(struct jsonw *w, struct out *o, const void *result)
{
    const struct dump_config *c = result;
    (void)o;
    jw_result(w);
    jw_kcstr(w, "path", c->s.path);
    jw_kcstr(w, "task", "dump-config");
    jw_kcstr(w, "format", c->tool);
    jw_key(w, "steps");
    c->steps ? jw_int(w, (int64_t)c->steps) : jw_null(w);
    jw_key(w, "ranks");
    c->ranks ? jw_int(w, (int64_t)c->ranks) : jw_null(w);
    jw_kbool(w, "tensors", c->tensors);
    jw_kbool(w, "statistics", c->statistics);
    jw_key(w, "bytes");
    c->bytes ? jw_int(w, (int64_t)c->bytes) : jw_null(w);
    jw_karray(w, "remarks");
    for (size_t i = 0; i < c->remarks.n; i++) {
        jw_object(w);
        jw_kcstr(w, "weight", dump_remark_name(c->remarks.v[i].weight));
        jw_kcstr(w, "key", c->remarks.v[i].key);
        jw_kcstr(w, "text", c->remarks.v[i].text);
        jw_end_object(w);
    }
    jw_end_array(w);
    jw_kcstr(w, "verdict", c->bad ? "fail" : "pass");
    jw_end_object(w);
}

static const struct result_forms forms = {.section = plan_section, .json = plan_json};

int cli_check_dump_config(const struct options *o)
{
    struct dump_config c;
    struct err e = {0};
    int status;
    if (dump_config_open(&c, o->arg[0], &e) || (o->args > 1 && size_from_recording(&c, o->arg[1], &e)) ||
        (!cli_can_write(o, false) && err_set(&e, ERR_USAGE, _("%s: expected a name that ends in .json"), o->output)) ||
            cli_write(o, &forms, &c, &e))
        status = cli_fail(&e);
    else
        status = c.bad ? EXIT_DEVIATES : EXIT_ALIGNED;
    dump_config_release(&c);
    return status;
}
