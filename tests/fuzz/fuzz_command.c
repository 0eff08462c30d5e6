/* Command text, one command a line, on a small comparison: what keys, the ':' line and scripts give.
 * The screen itself is driven with random keys by tests/damage. */
#include "fuzz_dump.h"

#include "base/msg.h"
#include "cmd/cmd.h"
#include "cmd/workspace_refresh.h"

static const char target[] =
    "{\"task\": \"statistics\", \"level\": \"L1\", \"framework\": \"pytorch\", \"dump_data_dir\": null, \"data\": {"
    "\"Functional.linear.0.forward\": {\"input_args\": [{\"type\": \"torch.Tensor\", \"dtype\": \"torch.float32\","
    " \"shape\": [2], \"Max\": 1.0, \"Min\": 0.0, \"Mean\": 0.5, \"Norm\": 1.0, \"requires_grad\": false}],"
    " \"input_kwargs\": {}, \"output\": [{\"type\": \"torch.Tensor\", \"dtype\": \"torch.float32\", \"shape\": [2],"
    " \"Max\": %s, \"Min\": 0.0, \"Mean\": 0.5, \"Norm\": %s, \"requires_grad\": false}]},"
    "\"Functional.relu.0.forward\": {\"input_args\": [{\"type\": \"int\", \"value\": 3}], \"input_kwargs\": {},"
    " \"output\": []},"
    "\"Functional.linear.0.backward\": {\"input\": [{\"type\": \"torch.Tensor\", \"dtype\": \"torch.float16\","
    " \"shape\": [2], \"Max\": 1.0, \"Min\": 0.0, \"Mean\": 0.5, \"Norm\": 1.0, \"requires_grad\": false}],"
    " \"output\": []}}}";
static const char stack[] = "{\"0\": [[\"Functional.linear.0.forward\"],"
                            " [\"File /src/a.py, line 3, in f, \\n x\", \"File /src/b.py, line 9, in g, \\n y\"]]}";

static struct session session;
static struct investigation inv;

static void start(void)
{
    struct session_options o = {.of.step = {-1, -1}, .of.rank = {-1, -1}, .workers = 1};
    struct err e;
    thresholds_init(&o.of.tol);
    for (int i = 0; i < 2; i++) {
        char text[sizeof target + 32];
        snprintf(text, sizeof text, target, i ? "1.0" : "1.5", i ? "1.0" : "2.5");
        fuzz_put(fuzz_side(i), "dump.json", str_of(text));
        fuzz_put(fuzz_side(i), "stack.json", STR(stack));
        fuzz_put(fuzz_side(i), "construct.json", STR("{}"));
        o.of.path[i] = fuzz_side(i);
    }
    investigation_init(&inv);
    if (session_start(&session, &o, &e) || session_wait(&session, &e))
        abort();
}

static void check(struct workspace *d)
{
    session_lock(&session);
    workspace_refresh(d);
    uint32_t n = workspace_lines(d);
    assert(n ? d->cursor < n : d->cursor == 0);
    assert(d->help_scroll >= 0 && d->detail_scroll >= 0 && d->list.scroll >= 0 && d->panel.scroll >= 0);
    assert(!d->list.items.n || d->list.at < d->list.items.n);
    session_unlock(&session);
}

static void complete(struct workspace *d, const char *text)
{
    name_list found = {0};
    command_complete(d, text, &found);
    name_list_release(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = fuzz_str(data, size), line;
    struct workspace d;
    if (!session.running)
        start();
    workspace_init(&d, &session, &inv);
    while (rest.n) {
        char text[512];
        str_split(rest, '\n', &line, &rest);
        size_t n = line.n < sizeof text ? line.n : sizeof text - 1;
        memcpy(text, line.p, n);
        text[n] = 0;
        if (n && text[0] == '?')
            complete(&d, text + 1);
        else {
            session_lock(&session);
            command_run(&d, text);
            session_unlock(&session);
        }
        check(&d);
    }
    workspace_release(&d);
    msg_language("en");
    session_lock(&session);
    struct thresholds fresh;
    thresholds_init(&fresh);
    session_set_tol(&session, &fresh);
    session_pause(&session, false);
    session_decide(&session, &(struct decisions){.now = 0}); /* names of decisions go with the investigation */
    session_unlock(&session);
    struct err e;
    if (session_wait(&session, &e))
        abort();
    investigation_release(&inv);
    return 0;
}
