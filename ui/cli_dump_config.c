/* diverge check of a dump's configuration: what it will write and what is missing. */
#include "base/json_write.h"
#include "base/msg.h"
#include "config/dump_config.h"
#include "document/document.h"
#include "document/write.h"
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
    doc_say(d, TONE_PLAIN, _("tensors: %s; figures: %s"), yes_no(c->tensors), yes_no(c->statistics));
    if (c->steps && c->ranks)
        doc_say(d, TONE_PLAIN, _("recordings: %llu, each as large as one step of one rank"),
                (unsigned long long)(c->steps * c->ranks));
}

static void plan_text(const struct dump_config *c, struct buf *b)
{
    static const uint8_t mark[] = {[REMARK_NOTE] = DOC_NOTE, [REMARK_ADVICE] = DOC_ADVICE, [REMARK_BAD] = DOC_BAD};
    struct document d;
    document_begin(&d);
    doc_verdict(&d, c->bad ? STAGE_FAIL : STAGE_PASS, NULL, _("This configuration can be run."),
                _("This configuration will not do."));
    doc_say(&d, TONE_PLAIN, _("%s (%s)"), c->s.path, c->tool);
    say_writes(&d, c);
    for (int w = REMARK_BAD; w >= REMARK_NOTE; w--)
        for (size_t i = 0; i < c->remarks.n; i++)
            if ((int)c->remarks.v[i].weight == w)
                doc_note(&d, (enum doc_mark)mark[w], NULL, "%s%s%s", c->remarks.v[i].key,
                         *c->remarks.v[i].key ? ": " : "", c->remarks.v[i].text);
    write_text_end(b, &d);
}

static void plan_json(const struct dump_config *c, struct buf *b)
{
    struct jsonw w;
    jw_init(&w, b, false);
    jw_object(&w);
    jw_kint(&w, "schema", 1);
    jw_kcstr(&w, "tool", TOOL);
    jw_kcstr(&w, "path", c->s.path);
    jw_kcstr(&w, "task", "dump-config");
    jw_kcstr(&w, "format", c->tool);
    jw_key(&w, "steps");
    c->steps ? jw_int(&w, (int64_t)c->steps) : jw_null(&w);
    jw_key(&w, "ranks");
    c->ranks ? jw_int(&w, (int64_t)c->ranks) : jw_null(&w);
    jw_kbool(&w, "tensors", c->tensors);
    jw_kbool(&w, "statistics", c->statistics);
    jw_key(&w, "remarks");
    jw_array(&w);
    for (size_t i = 0; i < c->remarks.n; i++) {
        jw_object(&w);
        jw_kcstr(&w, "weight", dump_remark_name(c->remarks.v[i].weight));
        jw_kcstr(&w, "key", c->remarks.v[i].key);
        jw_kcstr(&w, "text", c->remarks.v[i].text);
        jw_end_object(&w);
    }
    jw_end_array(&w);
    jw_kcstr(&w, "verdict", c->bad ? "fail" : "pass");
    jw_end_object(&w);
    buf_char(b, '\n');
}

static void write_result(const void *result, enum result_form f, struct out *out)
{
    f == RESULT_JSON ? plan_json(result, &out->buf) : plan_text(result, &out->buf);
}

int cli_check_dump_config(const struct options *o)
{
    struct dump_config c;
    struct err e = {0};
    int status;
    if (dump_config_open(&c, o->arg[0], &e) ||
        (!cli_can_write(o, false) && err_set(&e, ERR_USAGE, _("%s: this is written as .json"), o->output)) ||
            cli_write(o, write_result, &c, &e))
        status = cli_fail(&e);
    else
        status = c.bad ? EXIT_DEVIATES : EXIT_ALIGNED;
    dump_config_release(&c);
    return status;
}
