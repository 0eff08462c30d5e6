/* Converts one record of a msprobe file to a call with its rows: names, tensors, scalars, nested values, stacks. The
 * files are read in msprobe.c and msprobe_overflow.c. */
#include "fmt/msprobe.h"

#include <math.h>

#include "base/json_tree.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/reading.h"
#include "fmt/json_row.h"
#include "dump/checksum.h"
#include "dump/family.h"

/* ---- names ---- */

/* The part of s after its last dot; s keeps the part before it. */
static struct str last_part(struct str *s)
{
    ptrdiff_t at = str_rfind(*s, '.');
    struct str part = str_cut(*s, (size_t)(at + 1));
    *s = str_n(s->p, at < 0 ? 0 : (size_t)at);
    return part;
}

static bool phase_of(struct str word, enum call_phase *phase)
{
    if (str_is(word, "forward"))
        *phase = PHASE_FORWARD;
    else if (str_is(word, "backward"))
        *phase = PHASE_BACKWARD;
    else
        return false;
    return true;
}

/* A value saved by hand, NAME.N.debug or NAME_grad.N.debug: its name does not contain an operator. */
static uint32_t add_saved(struct dump *d, struct str name, uint64_t offset)
{
    struct str rest = name;
    last_part(&rest); /* debug */
    last_part(&rest); /* number of the save */
    uint32_t c = dump_add_call(d, name, CALL_API, str_ends(rest, "_grad") ? PHASE_BACKWARD : PHASE_FORWARD);
    d->calls.v[c].offset = offset;
    return c;
}

uint32_t msprobe_add_call(struct dump *d, struct str name, uint64_t offset)
{
    if (str_ends(name, ".debug"))
        return add_saved(d, name, offset);
    /* API: Type.api.N.forward; module: Module.path.Class.forward.N; Module.path.Class.parameters_grad.N */
    struct str rest = name, last = last_part(&rest);
    enum call_kind kind = CALL_API;
    enum call_phase phase = PHASE_FORWARD;
    bool gradient = false;
    if (phase_of(last, &phase)) {
        last_part(&rest); /* the call number */
    } else {
        struct str word = last_part(&rest);
        gradient = str_is(word, "parameters_grad");
        if (gradient)
            phase = PHASE_BACKWARD;
        else if (!phase_of(word, &phase))
            rest = name;
    }
    if (str_starts(name, "Module.") || str_starts(name, "Cell."))
        kind = CALL_MODULE;
    struct str op = last_part(&rest);
    uint32_t c = dump_add_call(d, name, kind, phase);
    struct call *call = &d->calls.v[c];
    call->offset = offset;
    call->gradient = gradient;
    call->family = (uint8_t)family_find(op);
    if (kind == CALL_MODULE) {
        struct str type;
        if (str_split(rest, '.', &type, &rest))
            call->scope = dump_scope(d, rest);
        if (call->family == FAMILY_OTHER)
            call->family = FAMILY_MODULE;
    }
    return c;
}

/* ---- members ---- */

static void compact_json(struct buf *out, const cJSON *v)
{
    double x;
    char tmp[NUM_MAX];
    v = json_repeat_whole(v);
    if (json_number(v, &x)) {
        buf_cstr(out, num_exact(tmp, x));
    } else if (cJSON_IsString(v)) {
        buf_cstr(out, v->valuestring);
    } else if (cJSON_IsBool(v)) {
        buf_cstr(out, cJSON_IsTrue(v) ? "true" : "false");
    } else if (cJSON_IsArray(v) || cJSON_IsObject(v)) {
        bool object = cJSON_IsObject(v);
        buf_char(out, object ? '{' : '[');
        for (const cJSON *it = v->child; it; it = it->next) {
            if (object)
                buf_fmt(out, "%s:", it->string);
            compact_json(out, it);
            if (it->next)
                buf_char(out, ',');
        }
        buf_char(out, object ? '}' : ']');
    } else {
        buf_cstr(out, "null");
    }
}

static const char *kept_text(struct msprobe_fill *f, const cJSON *v)
{
    struct buf b = {0};
    compact_json(&b, v);
    const char *s = arena_cstr(&f->d->arena, buf_view(&b));
    buf_release(&b);
    return s;
}

static struct row blank_row(struct msprobe_fill *f, enum row_kind kind)
{
    return (struct row){
        .slot = dump_slot(f->d, buf_view(&f->slot)),
        .shape = NONE,
        .extra = NONE,
        .io = (uint8_t)f->io,
        .kind = (uint8_t)kind,
    };
}

/* Reports a member of an unexpected type; its value is then unknown. */
static void tell_odd(struct msprobe_fill *f, uint32_t row, const char *key, const char *expected, const cJSON *v)
{
    struct err e;
    char found[READING_FOUND];
    err_at(&e, f->path, f->offset, _("%.*s: \"%s\": expected %s, found %s"), STR_ARG(dump_call_name(f->d, f->call)),
           key, expected, reading_json_found(found, v));
    dump_unparsed(f->d, row, e.text);
}

static bool is_text(const cJSON *v)
{
    double special; /* NaN is a text inside */
    return cJSON_IsString(v) && !json_special_number(v, &special);
}

static bool is_flag(const cJSON *v)
{
    return cJSON_IsBool(v);
}

static bool json_is_number(const cJSON *v)
{
    double x;
    return json_number(v, &x);
}

static bool is_figure(const cJSON *v)
{
    return cJSON_IsBool(v) || json_is_number(v);
}

/* Python's own types say what their value is. */
static void check_scalar(struct msprobe_fill *f, uint32_t row, const char *type, const cJSON *value)
{
    static const struct {
        const char *type;
        bool (*is)(const cJSON *v);
        const char *expected;
    } plain[] = {{"int", json_is_number, N_("a number")},
                 {"float", json_is_number, N_("a number")},
                 {"bool", is_flag, N_("true or false")},
                 {"str", is_text, N_("a text")}};
    for (size_t i = 0; i < ARRAY_LEN(plain); i++)
        if (strcmp(type, plain[i].type) == 0 && !plain[i].is(value))
            tell_odd(f, row, "value", _(plain[i].expected), value);
}

static void scalar_row(struct msprobe_fill *f, const char *type, const cJSON *value)
{
    enum row_kind kind = ROW_OTHER;
    double v = 0;
    bool number = value && json_number(value, &v);
    if (!value || cJSON_IsNull(value))
        kind = ROW_NULL;
    else if (cJSON_IsBool(value)) {
        kind = ROW_BOOL;
        v = cJSON_IsTrue(value);
    } else if (strcmp(type, "int") == 0 && number)
        kind = ROW_INT;
    else if (number)
        kind = ROW_FLOAT;
    else if (strcmp(type, "str") == 0)
        kind = ROW_STR;
    else if (str_ends(str_of(type), ".dtype"))
        kind = ROW_DTYPE;
    struct row r = blank_row(f, kind);
    if (kind != ROW_NULL)
        r.text = kept_text(f, value);
    r.stat[STAT_MAX] = v;
    if (kind == ROW_INT || kind == ROW_FLOAT || kind == ROW_BOOL)
        r.has = HAS_MAX;
    if (kind == ROW_DTYPE)
        r.dtype = (uint8_t)dtype_find(str_of(r.text));
    uint32_t row = dump_add_row(f->d, f->call, r);
    if (kind != ROW_NULL)
        check_scalar(f, row, type, value);
}

static void record_figure(struct row *r, const cJSON *v, int stat, int bit)
{
    double x;
    if (!json_number(v, &x))
        x = cJSON_IsTrue(v); /* or false */
    r->stat[stat] = x;
    r->has |= (uint8_t)bit;
}

/* Stores a row's file name unless it follows from the row's name; it is checked when it is opened. */
static void file_of(struct msprobe_fill *f, struct row *r, const char *data_name)
{
    struct str call = dump_call_name(f->d, f->call), s = str_of(data_name);
    r->has |= HAS_FILE;
    if (str_starts(s, call.p)) {
        struct str rest = str_cut(s, call.n), slot = buf_view(&f->slot);
        if (slot.n && rest.n && rest.p[0] == '.' && str_starts(str_cut(rest, 1), slot.p))
            rest = str_cut(rest, 1 + slot.n);
        else if (slot.n)
            rest = STR("");
        if (str_is(rest, f->ext)) {
            if (!f->part)
                return;
            data_name = NULL;
        }
    }
    struct row_extra x = {.file = data_name ? arena_cstr(&f->d->arena, s) : NULL, .part = f->part};
    vec_push(&f->d->extras, x);
    r->extra = (uint32_t)f->d->extras.n - 1;
}

static bool is_sizes(const cJSON *v)
{
    int64_t dim[TENSOR_DIMS];
    int n;
    return reading_json_sizes(v, TENSOR_DIMS, dim, &n) == READING_VALUE;
}

static bool is_type(const cJSON *v)
{
    return is_text(v) && (dtype_find(str_of(v->valuestring)) || dtype_is_other(str_of(v->valuestring)));
}

static bool is_sum(const cJSON *v)
{
    return is_text(v) && checksum_is_one(str_of(v->valuestring));
}

/* In summary mode xor, a tensor of one element has its value in this member. */
static bool is_sum_of(const struct msprobe_fill *f, const struct row *r, const cJSON *v)
{
    return is_sum(v) || (is_figure(v) && r->shape != NONE && f->d->shapes.v[r->shape]->numel == 1);
}

/* Members of a tensor's record, in their most frequent order, with the expected type. A null figure was not recorded
 * (an empty tensor has none); type and shape always are. */
enum member { TYPE, DTYPE, SHAPE, MAX, MIN, MEAN, NORM, NEEDS_GRADIENT, MD5, DATA_NAME, MEMBERS };

static const struct {
    const char *key;
    bool (*is)(const cJSON *v);
    const char *expected;
} members[MEMBERS] = {
    [TYPE] = {"type", NULL, NULL},
    [DTYPE] = {"dtype", is_type, N_("an element type")},
    [SHAPE] = {"shape", is_sizes, N_("a list of numbers")},
    [MAX] = {"Max", is_figure, N_("a number")},
    [MIN] = {"Min", is_figure, N_("a number")},
    [MEAN] = {"Mean", is_figure, N_("a number")},
    [NORM] = {"Norm", is_figure, N_("a number")},
    [NEEDS_GRADIENT] = {"requires_grad", is_flag, N_("true or false")},
    [MD5] = {"md5", is_sum, N_("a checksum")},
    [DATA_NAME] = {"data_name", is_text, N_("a text")},
};

/* The member for a key, or MEMBERS; tries the one after `before` first. */
static enum member member_of(const char *key, enum member before)
{
    for (int i = 1; i <= MEMBERS; i++) {
        enum member m = (enum member)((before + (unsigned)i) % MEMBERS);
        if (members[m].key[0] == key[0] && strcmp(members[m].key, key) == 0)
            return m;
    }
    return MEMBERS;
}

/* Whether a member of this row is there and not what it has to be; true is a figure of a boolean tensor only. */
static bool is_odd(const struct msprobe_fill *f, enum member m, const cJSON *v, const struct row *r)
{
    if (cJSON_IsNull(v))
        return m == DTYPE || m == SHAPE;
    if (m == MD5)
        return !is_sum_of(f, r, v);
    return (members[m].is && !members[m].is(v)) || (m == SHAPE && r->shape == NONE) ||
           (m >= MAX && m <= NORM && cJSON_IsBool(v) && r->dtype != DTYPE_BOOL);
}

static void tell_odd_members(struct msprobe_fill *f, uint32_t row, const cJSON *v)
{
    for (const cJSON *it = v->child; it; it = it->next) {
        enum member m = member_of(it->string, 0);
        if (m != MEMBERS && is_odd(f, m, it, &f->d->rows.v[row]))
            tell_odd(f, row, it->string, _(members[m].expected), it);
    }
}

/* Records have few different types, mostly the same one. */
static enum dtype dtype_of(struct msprobe_fill *f, const char *name)
{
    if (strcmp(f->dtype_name, name) == 0)
        return f->dtype;
    f->dtype = dtype_find(str_of(name));
    if (strlen(name) < sizeof f->dtype_name)
        strcpy(f->dtype_name, name);
    else
        f->dtype_name[0] = 0;
    return f->dtype;
}

/* Takes a checksum or a file name. */
static void take_text(struct msprobe_fill *f, struct row *r, enum member m, const char *text)
{
    if (m == MD5) {
        r->text = arena_cstr(&f->d->arena, str_of(text));
        r->has |= HAS_CHECKSUM;
        f->d->checksums = true;
    } else if (strcmp(text, "-1") != 0) {
        file_of(f, r, text);
    }
}

static void take_member(struct msprobe_fill *f, struct row *r, enum member m, const cJSON *v)
{
    switch (m) {
    case DTYPE:
        r->dtype = (uint8_t)dtype_of(f, v->valuestring);
        break;
    case SHAPE:
        json_row_shape(f->d, r, v);
        break;
    case MAX:
    case MIN:
    case MEAN:
    case NORM:
        record_figure(r, v, STAT_MAX + (int)(m - MAX), HAS_MAX << (m - MAX));
        if (m == NORM) /* of a single number the number itself is written */
            r->stat[STAT_NORM] = fabs(r->stat[STAT_NORM]);
        break;
    case NEEDS_GRADIENT:
        r->needs_gradient = r->needs_gradient || cJSON_IsTrue(v);
        break;
    case MD5:
        if (is_figure(v)) {
            f->d->checksums = true;
            for (int i = 0; i < STAT_COUNT; i++)
                record_figure(r, v, STAT_MAX + i, HAS_MAX << i);
            r->stat[STAT_NORM] = fabs(r->stat[STAT_NORM]);
            break;
        }
        take_text(f, r, m, v->valuestring);
        break;
    case DATA_NAME:
        take_text(f, r, m, v->valuestring);
        break;
    default:
        break;
    }
}

/* ---- records that repeat ---- */

const char *const msprobe_varying[] = {"Max", "Min", "Mean", "Norm", "md5", "data_name", NULL};

/* The rows made from a record's text, except the values in its holes. */
struct row_template {
    bool regular;         /* false: parse each record normally */
    bool single;          /* one row, in the slot of the object */
    bool saved, gradient; /* the kind of record it comes from */
    bool twice;           /* a member occurs twice in a tensor: the last counts */
    bool grouped;         /* it names a collective's ranks, which are stored with the call */
    uint32_t rows, noted;
    struct row *row;
    struct {
        uint32_t row;
        enum member member;
    } hole[JSON_HOLES];
    /* while it is made: earlier counts, and its position */
    size_t rows_before, problems_before;
    uint32_t slot;
};

static void note_hole(struct msprobe_fill *f, const cJSON *node, enum member m, bool fits, unsigned *seen)
{
    struct row_template *x = f->making->user;
    x->twice = x->twice || *seen >> m & 1;
    *seen |= 1U << m;
    for (uint32_t i = 0; i < f->making->holes && fits; i++)
        if (f->making->hole[i].node == node) {
            x->hole[i].row = (uint32_t)(f->d->rows.n - x->rows_before);
            x->hole[i].member = m;
            x->noted++;
        }
}

/* The first repeat is parsed as a tree and its rows are noted. A template inside another one is not noted, because
 * its holes belong to the outer one. */
static const cJSON *begin_template(struct msprobe_fill *f, const cJSON *v, bool part)
{
    struct json_template *m = json_repeat_of(v)->template;
    if (!m->user && !f->making) {
        struct row_template *x = arena_zalloc(&f->templates->arena, sizeof *x);
        x->saved = f->saved;
        x->gradient = f->d->calls.v[f->call].gradient;
        x->rows_before = f->d->rows.n;
        x->problems_before = f->d->problems.n;
        x->slot = part ? dump_slot(f->d, buf_view(&f->slot)) : NONE;
        m->user = x;
        f->making = m;
    }
    return json_repeat_whole(v);
}

static void end_template(struct msprobe_fill *f)
{
    const struct dump *d = f->d;
    if (!f->making)
        return;
    struct row_template *x = f->making->user;
    x->rows = (uint32_t)(d->rows.n - x->rows_before);
    x->regular = x->noted == f->making->holes && !x->twice && !x->grouped && d->problems.n == x->problems_before;
    x->single = x->rows == 1 && d->rows.v[x->rows_before].slot == x->slot;
    x->row = arena_alloc(&f->templates->arena, (x->rows + 1) * sizeof *x->row);
    for (uint32_t i = 0; i < x->rows; i++)
        x->row[i] = d->rows.v[x->rows_before + i];
    for (uint32_t i = 0; i < f->making->holes && x->regular; i++) {
        struct row *r = &x->row[x->hole[i].row];
        if (x->hole[i].member == DATA_NAME) {
            r->has &= (uint16_t)~HAS_FILE;
            r->extra = NONE;
        }
    }
    f->making = NULL;
}

/* part: one value of a record. False: it must be parsed as a tree. */
static bool repeated_rows(struct msprobe_fill *f, const struct json_repeat *v, bool part)
{
    const struct row_template *m = v->template->user;
    struct dump *d = f->d;
    if (!m || !m->regular || m->saved != f->saved || m->gradient != d->calls.v[f->call].gradient || f->making)
        return false;
    if (part && !m->single)
        return false;
    for (uint32_t i = 0; i < v->template->holes; i++)
        if (m->hole[i].member == MD5 && !checksum_is_one(str_of(v->filling[i].text)))
            return false;
    uint32_t first = (uint32_t)d->rows.n;
    for (uint32_t i = 0; i < m->rows; i++) {
        struct row r = m->row[i];
        if (part) {
            r.slot = dump_slot(f->d, buf_view(&f->slot));
            r.io = (uint8_t)f->io;
        }
        dump_add_row(d, f->call, r);
    }
    for (uint32_t i = 0; i < v->template->holes; i++) {
        struct row *r = &d->rows.v[first + m->hole[i].row];
        enum member of = m->hole[i].member;
        if (of == DATA_NAME) {
            if (!part) {
                buf_clear(&f->slot);
                buf_cstr(&f->slot, d->slots.v[r->slot]);
            }
            take_text(f, r, of, v->filling[i].text);
        } else if (of == MD5) {
            take_text(f, r, of, v->filling[i].text);
        } else {
            double number = v->filling[i].number;
            r->stat[STAT_MAX + (int)(of - MAX)] = of == NORM ? fabs(number) : number;
        }
    }
    return true;
}

/* ---- values ---- */

static void tensor_row(struct msprobe_fill *f, const cJSON *v)
{
    struct row r = blank_row(f, ROW_TENSOR);
    enum member m = DATA_NAME; /* so that TYPE is tried first */
    bool odd = false;
    unsigned seen = 0;
    for (const cJSON *it = v->child; it; it = it->next) {
        enum member now = member_of(it->string, m);
        if (now == MEMBERS)
            continue;
        m = now;
        bool fits = m == DTYPE  ? is_text(it)
                    : m == MD5  ? is_sum_of(f, &r, it)
                                : !members[m].is || members[m].is(it);
        odd = odd || !fits || (m >= MAX && m <= NORM && cJSON_IsBool(it));
        if (fits)
            take_member(f, &r, m, it);
        odd = odd || (m == DTYPE && r.dtype == DTYPE_UNKNOWN) || (m == SHAPE && r.shape == NONE);
        if (f->making) /* a checksum that is a number cannot fill a hole: such records are parsed one by one */
            note_hole(f, it, m, fits && (m != MD5 || is_text(it)), &seen);
    }
    uint32_t row = dump_add_row(f->d, f->call, r);
    if (odd)
        tell_odd_members(f, row, v);
}

/* Reads an object whose "type" is not the text that it has to be: a row nothing is known of. */
static void untyped_row(struct msprobe_fill *f, const cJSON *v, const cJSON *type)
{
    bool tensor = cJSON_HasObjectItem(v, "dtype") || cJSON_HasObjectItem(v, "shape");
    uint32_t row = dump_add_row(f->d, f->call, blank_row(f, tensor ? ROW_TENSOR : ROW_NULL));
    tell_odd(f, row, "type", _("a text"), type);
}

static bool is_tensor(const cJSON *v, const char *type)
{
    return str_ends(str_of(type), "Tensor") || (cJSON_HasObjectItem(v, "dtype") && cJSON_HasObjectItem(v, "shape"));
}

/* Reads {"type": "torch.ProcessGroup", "group_ranks": [0, 1]}: the ranks of a collective, among its arguments and
 * again among its outputs. */
static void group_of(struct msprobe_fill *f, const cJSON *v)
{
    const cJSON *ranks = json_member(v, "group_ranks");
    if (is_sizes(ranks) && f->making)
        ((struct row_template *)f->making->user)->grouped = true;
    if (!is_sizes(ranks) || (f->d->groups.n && vec_last(&f->d->groups)->call == f->call))
        return;
    struct call_group g = {.call = f->call, .ranks = kept_text(f, ranks)};
    vec_push(&f->d->groups, g);
}

static void record_value(struct msprobe_fill *f, const cJSON *v)
{
    if (json_is_repeat(v)) {
        if (repeated_rows(f, json_repeat_of(v), true))
            return;
        v = begin_template(f, v, true);
        record_value(f, v);
        end_template(f);
        return;
    }
    if (cJSON_IsObject(v)) {
        const cJSON *type = json_member(v, "type");
        if (cJSON_IsString(type)) {
            if (is_tensor(v, type->valuestring))
                tensor_row(f, v);
            else {
                group_of(f, v);
                scalar_row(f, type->valuestring, json_member(v, "value"));
            }
            return;
        }
        bool nested = type && (cJSON_IsObject(type) || cJSON_IsArray(type) || json_is_repeat(type));
        if (type && (!nested || is_tensor(v, ""))) { /* an argument may be called "type" */
            untyped_row(f, v, type);
            return;
        }
    }
    if (cJSON_IsArray(v) || cJSON_IsObject(v)) {
        size_t stem = f->slot.n;
        int i = 0;
        for (const cJSON *it = v->child; it; it = it->next, i++) {
            if (stem)
                buf_char(&f->slot, '.');
            if (cJSON_IsObject(v))
                buf_cstr(&f->slot, it->string);
            else
                buf_count(&f->slot, (unsigned long long)i);
            record_value(f, it);
            f->slot.n = stem;
            f->slot.p[stem] = 0;
        }
        return;
    }
    scalar_row(f, cJSON_IsString(v) ? "str" : "number", v);
}

static void record_section(struct msprobe_fill *f, const char *name, enum row_io io, const cJSON *v)
{
    buf_clear(&f->slot);
    buf_cstr(&f->slot, name);
    f->io = io;
    record_value(f, v);
}

static const struct {
    const char *key, *slot;
    enum row_io io;
} sections[] = {
    {"input_args", "input", IO_INPUT},
    {"input_kwargs", "input", IO_INPUT},
    {"input", "input", IO_INPUT},
    {"output", "output", IO_OUTPUT},
    {"parameters", "parameters", IO_PARAMETER},
};

static void record_rows(struct msprobe_fill *f, const cJSON *record)
{
    if (f->saved) { /* the saved value itself, not a call's arguments */
        record_section(f, "", IO_OUTPUT, record);
        return;
    }
    for (const cJSON *it = record->child; it; it = it->next) {
        if (f->d->calls.v[f->call].gradient) {
            /* {"weight": [tensor]}: the list of one is the tensor */
            bool single = cJSON_IsArray(it) && it->child && !it->child->next;
            record_section(f, it->string, IO_GRADIENT, single ? it->child : it);
            continue;
        }
        for (size_t s = 0; s < ARRAY_LEN(sections); s++)
            if (strcmp(it->string, sections[s].key) == 0) {
                if (!cJSON_IsArray(it) && !cJSON_IsObject(it) && !json_is_repeat(it) && !cJSON_IsNull(it))
                    tell_odd(f, NONE, it->string, _("a list"), it);
                record_section(f, sections[s].slot, sections[s].io, it);
            }
    }
}

void msprobe_add_record(struct msprobe_fill *f, struct str name, uint64_t offset, const cJSON *record)
{
    f->call = msprobe_add_call(f->d, name, offset);
    f->offset = offset;
    f->saved = str_ends(name, ".debug");
    if (!json_is_repeat(record)) {
        record_rows(f, record);
    } else if (!repeated_rows(f, json_repeat_of(record), false)) {
        record_rows(f, begin_template(f, record, false));
        end_template(f);
    }
}

/* ---- stacks ---- */

/* The frame of a text; that of a known text is looked up once. */
static uint32_t frame_of(struct dump *d, const cJSON *text, struct json_texts *texts)
{
    uint32_t none = NONE, *known = texts && text->valueint ? &texts->text.v[text->valueint].user : &none;
    if (*known == NONE)
        *known = dump_frame(d, str_of(text->valuestring));
    return *known;
}

uint32_t msprobe_add_stack(struct dump *d, const cJSON *frames, struct json_texts *texts)
{
    struct stack s = {.first = (uint32_t)d->stack_frames.n};
    for (const cJSON *it = frames->child; it; it = it->next)
        if (cJSON_IsString(it)) {
            vec_push(&d->stack_frames, frame_of(d, it, texts));
            s.n++;
        }
    vec_push(&d->stacks, s);
    return (uint32_t)d->stacks.n - 1;
}
