/* Writes the Python script that repeats one call: data/replay.tsv has the calls, data/replay.py the rest of the
 * script. */
#include "report/replay_script.h"

#include <math.h>
#include <stdlib.h>

#include "base/embed.h"
#include "base/io.h"
#include "base/num.h"
#include "base/tool.h"
#include "base/utf8.h"

static const char *const frameworks[] = {[REPLAY_TORCH] = "torch", [REPLAY_MINDSPORE] = "mindspore"};

int replay_framework_find(const char *name)
{
    for (int i = 0; i < (int)ARRAY_LEN(frameworks); i++)
        if (strcmp(frameworks[i], name) == 0)
            return i;
    return -1;
}

struct script_writing {
    const struct comparison *s;
    const struct replay_options *o;
    struct buf *out;
    struct arena arena;
};

/* ---- text that is nothing but text ---- */

void replay_quote(struct buf *out, struct str s)
{
    buf_char(out, '"');
    while (s.n) {
        if ((unsigned char)*s.p < ' ') { /* shorter than by eight digits */
            buf_fmt(out, "\\x%02x", (unsigned)*s.p);
            s = str_cut(s, 1);
            continue;
        }
        uint32_t c = utf8_decode(&s);
        if (c == '"' || c == '\\')
            buf_fmt(out, "\\%c", (int)c);
        else if (c >= ' ' && c <= '~')
            buf_char(out, (char)c);
        else
            buf_fmt(out, "\\U%08x", c);
    }
    buf_char(out, '"');
}

static bool is_name(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i && c >= '0' && c <= '9'))
            return false;
    }
    return s.n > 0 && s.n < 100;
}

static bool is_integer(const char *s)
{
    size_t i = *s == '-', n = strlen(s);
    if (i == n || n > 300)
        return false;
    for (; i < n; i++)
        if (s[i] < '0' || s[i] > '9')
            return false;
    return true;
}

/* ---- what is called ---- */

struct called {
    struct str type, op; /* "Functional", "linear"; type "Primitive" of an operator */
};

/* From a call's name: TYPE.op.N.forward, or of a graph TYPE.name-of-the-operator. False for modules. */
static bool name_called(const struct dump *d, uint32_t call, struct called *out)
{
    const struct call *c = &d->calls.v[call];
    struct str name = dump_call_name(d, call), head, rest;
    if (c->kind == CALL_MODULE || c->gradient)
        return false;
    if (c->kind == CALL_OPERATOR) {
        if (!str_split(name, '.', &head, &rest))
            head = name;
        *out = (struct called){STR("Primitive"), head};
        return is_name(head);
    }
    for (int cut = 0; cut < 2; cut++) { /* the phase, then the number */
        ptrdiff_t at = str_rfind(name, d->joint);
        if (at < 0)
            return false;
        name = str_n(name.p, (size_t)at);
    }
    if (!str_split(name, d->joint, &out->type, &out->op))
        return false;
    if (str_is(out->type, "Primitive"))
        out->op = str_cut(out->op, (size_t)(str_rfind(out->op, d->joint) + 1));
    return is_name(out->op);
}

/* The next cell of a line of the table. */
static struct str next_replay_cell(struct str *line)
{
    struct str head, rest;
    if (!str_split(*line, '\t', &head, &rest)) {
        head = *line;
        rest = STR("");
    }
    *line = rest;
    return head;
}

/* Whether the table lists the call as a pure computation. Its name may be any text of a dump. */
static bool is_safe(const struct dump *d, const struct called *x)
{
    struct str rest = embed_str(&embed_replay_tsv), line;
    while (rest.n) {
        line = str_next(&rest, '\n');
        if (str_is(next_replay_cell(&line), "safe") && str_is(next_replay_cell(&line), d->framework) &&
            str_eq(next_replay_cell(&line), x->type) && str_is_word_of(x->op, line))
            return true;
    }
    return false;
}

/* The Python code of the call in the requested framework; n 0 if unknown. */
static struct str python_expression(struct script_writing *w, const struct dump *d, const struct called *x)
{
    struct str rest = embed_str(&embed_replay_tsv), line;
    const char *want = frameworks[w->o->framework];
    bool own = strcmp(d->framework, w->o->framework == REPLAY_TORCH ? "pytorch" : "mindspore") == 0;
    while (rest.n) {
        line = str_next(&rest, '\n');
        struct str kind = next_replay_cell(&line), framework = next_replay_cell(&line), name = next_replay_cell(&line);
        if (!str_is(framework, d->framework))
            continue;
        if (str_is(kind, "api") && own && str_eq(name, x->type) && is_safe(d, x))
            return str_of(arena_fmt(&w->arena, "api(\"%.*s.%.*s\")(*args, **kwargs)", STR_ARG(line), STR_ARG(x->op)));
        if (!str_is(kind, "op") || !str_eq(name, x->op) || (own && !str_is(x->type, "Primitive")))
            continue;
        struct str torch = next_replay_cell(&line), mindspore = next_replay_cell(&line),
                   python = strcmp(want, "torch") == 0 ? torch : mindspore;
        return str_is(python, "-") ? STR("") : python;
    }
    return STR("");
}

/* ---- its arguments ---- */

static void write_missing(struct script_writing *w, const char *name, const char *why)
{
    buf_cstr(w->out, "Missing(");
    replay_quote(w->out, str_of(arena_fmt(&w->arena, "%s: %s", name, why)));
    buf_char(w->out, ')');
}

static void write_python_number(struct script_writing *w, double v)
{
    char n[NUM_MAX];
    if (isfinite(v))
        buf_cstr(w->out, num_exact(n, v));
    else
        buf_cstr(w->out, isnan(v) ? "float(\"nan\")" : v > 0 ? "float(\"inf\")" : "-float(\"inf\")");
}

static void write_row_value(struct script_writing *w, int side, uint32_t row)
{
    const struct dump *d = &w->s->side[side].dump;
    const struct row *r = &d->rows.v[row];
    const char *slot = d->slots.v[r->slot],
               *file = r->kind == ROW_TENSOR ? w->o->file(w->o->ctx, side, row, &w->arena) : NULL;
    switch ((enum row_kind)r->kind) {
    case ROW_TENSOR:
        if (!file) {
            write_missing(w, slot, "its tensor is not at hand");
            break;
        }
        buf_cstr(w->out, "Recorded(");
        replay_quote(w->out, str_of(file));
        buf_fmt(w->out, ", \"%s\")", dtype_table[r->dtype].name);
        break;
    case ROW_INT:
        is_integer(r->text) ? buf_cstr(w->out, r->text) : write_missing(w, slot, "recorded as no plain integer");
        break;
    case ROW_FLOAT:
        write_python_number(w, r->stat[STAT_MAX]);
        break;
    case ROW_BOOL:
        buf_cstr(w->out, r->stat[STAT_MAX] > 0 ? "True" : "False");
        break;
    case ROW_STR:
        replay_quote(w->out, str_of(r->text));
        break;
    case ROW_DTYPE:
        r->dtype ? buf_fmt(w->out, "Named(\"%s\")", dtype_table[r->dtype].name)
                 : write_missing(w, slot, "a type that is not known");
        break;
    case ROW_NULL:
        buf_cstr(w->out, "None");
        break;
    case ROW_OTHER:
        write_missing(w, slot, "only its text was recorded");
        break;
    }
}

/* The input rows of a call, or its output rows. */
static void write_call_rows(struct script_writing *w, int side, uint32_t call, enum row_io io, const char *key)
{
    const struct dump *d = &w->s->side[side].dump;
    buf_fmt(w->out, "        \"%s\": [\n", key);
    if (call != NONE)
        EACH_ROW(d, call, r) {
            if (d->rows.v[r].io != io || (io == IO_OUTPUT && d->rows.v[r].kind != ROW_TENSOR))
                continue;
            buf_cstr(w->out, "            (");
            replay_quote(w->out, str_of(d->slots.v[d->rows.v[r].slot]));
            buf_cstr(w->out, ", ");
            write_row_value(w, side, r);
            buf_cstr(w->out, "),\n");
        }
    buf_cstr(w->out, "        ],\n");
}

/* ---- the script ---- */

struct replay_part {
    /* the call, and of a backward one the forward call it is replayed through; NONE: not here */
    uint32_t call, forward;
    struct str python;      /* how it is made; n 0: not known */
};

static struct replay_part replay_part_make(struct script_writing *w, int side, uint32_t row)
{
    const struct dump *d = &w->s->side[side].dump;
    struct replay_part p = {NONE, NONE, STR("")};
    struct called x;
    if (row == NONE)
        return p;
    p.call = p.forward = d->rows.v[row].call;
    if (d->calls.v[p.call].phase == PHASE_BACKWARD)
        p.forward = d->calls.v[p.call].twin;
    if (p.forward != NONE && name_called(d, p.forward, &x))
        p.python = python_expression(w, d, &x);
    return p;
}

static void write_call_definition(struct script_writing *w, int side, const struct replay_part *p, bool fill)
{
    const struct dump *d = &w->s->side[side].dump;
    if (!p->python.n && !fill)
        return;
    buf_fmt(w->out, "\ndef call_%s(arg, args, kwargs):\n", side ? "golden" : "target");
    if (p->python.n) {
        if (str_has(p->python, "torch.") || str_has(p->python, "mindspore."))
            buf_fmt(w->out, "    import %s\n", frameworks[w->o->framework]);
        buf_fmt(w->out, "    return %.*s\n\n", STR_ARG(p->python));
        return;
    }
    buf_cstr(w->out,
             "    # >>> FILL IN: return what the call gives of args (a list) and kwargs (a dict) <<<\n    return "
             "not_filled_in(");
    replay_quote(w->out, dump_call_name(d, p->call));
    buf_cstr(w->out, ")\n\n");
}

static void write_call_description(struct script_writing *w, int side, const struct replay_part *p, bool fill)
{
    const struct dump *d = &w->s->side[side].dump;
    const char *which = side ? "golden" : "target";
    if (p->call == NONE)
        return;
    buf_fmt(w->out, "    {\n        \"which\": \"%s\",\n        \"name\": ", which);
    replay_quote(w->out, dump_call_name(d, p->call));
    buf_fmt(w->out, ",\n        \"call\": %s%s,\n", p->python.n || fill ? "call_" : "None",
            p->python.n || fill ? which : "");
    write_call_rows(w, side, p->forward, IO_INPUT, "inputs");
    if (p->forward != p->call)
        write_call_rows(w, side, p->call, IO_INPUT, "gradients");
    write_call_rows(w, side, p->call, IO_OUTPUT, "outputs");
    buf_cstr(w->out, "    },\n");
}

bool replay_script(const struct comparison *s, uint32_t line, const struct replay_options *o, struct buf *out)
{
    struct script_writing w = {.s = s, .o = o, .out = out};
    const struct line *l = &s->pairing->lines.v[line];
    struct replay_part p[2];
    for (int d = 0; d < 2; d++)
        p[d] = replay_part_make(&w, d, l->row[d]);
    bool known = p[TARGET].python.n || p[GOLDEN].python.n;
    int fill = known ? -1 : l->row[TARGET] == NONE ? GOLDEN : TARGET;
    buf_fmt(out,
            "#!/usr/bin/env python3\n# Written by %s: makes one recorded call again and compares what comes out with "
            "what was recorded.\n", TOOL);
    buf_fmt(out, "# Exit status 2 with a sentence where it cannot be made.\nFRAMEWORK = \"%s\"\n",
            frameworks[o->framework]);
    buf_str(out, embed_str(&embed_replay_py));
    for (int d = 0; d < 2; d++)
        write_call_definition(&w, d, &p[d], d == fill);
    buf_cstr(out, "\nmain([\n");
    for (int d = 0; d < 2; d++)
        write_call_description(&w, d, &p[d], d == fill);
    buf_cstr(out, "])\n");
    arena_release(&w.arena);
    return known;
}

const char *replay_own_file(void *ctx, int side, uint32_t row, struct arena *a)
{
    const struct comparison *s = ctx;
    struct tensor t;
    struct err quiet;
    if (dump_tensor(&s->side[side].dump, row, &t, &quiet))
        return NULL;
    char *full = path_full(t.file.name);
    bool plain = full && (str_ends(str_of(full), ".npy") || str_ends(str_of(full), ".pt"));
    const char *kept = plain ? arena_cstr(a, str_of(full)) : NULL;
    free(full);
    tensor_close(&t);
    return kept;
}
