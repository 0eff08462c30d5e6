/* One record of a msprobe file as a call and its rows: names, tensors, scalars, nested values, stacks. The
 * files such records stand in are read elsewhere (msprobe.c, msprobe_overflow.c). */
#include "fmt/msprobe.h"

#include "base/num.h"
#include "fmt/json_row.h"
#include "dump/family.h"

/* ---- names ---- */

/* The part of s behind its last dot; s keeps what is before. */
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

/* A value saved by hand, NAME.N.debug or NAME_grad.N.debug: its name says nothing about an operator. */
static uint32_t add_saved(struct dump *d, struct str name, uint64_t offset)
{
    struct str rest = name;
    last_part(&rest); /* debug */
    last_part(&rest); /* which save of that name */
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

/* ---- values ---- */

static void compact(struct buf *out, const cJSON *v)
{
    double x;
    char tmp[NUM_MAX];
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
            compact(out, it);
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
    compact(&b, v);
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
    dump_add_row(f->d, f->call, r);
}

static void figure(struct row *r, const cJSON *v, int stat, int bit)
{
    double x;
    if (cJSON_IsBool(v))
        x = cJSON_IsTrue(v);
    else if (!json_number(v, &x))
        return;
    r->stat[stat] = x;
    r->has |= (uint8_t)bit;
}

/* A row's file is named after it, so the name need not be kept; any other name is, and is checked
 * when it is opened. */
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

static void tensor_row(struct msprobe_fill *f, const cJSON *v)
{
    struct row r = blank_row(f, ROW_TENSOR);
    for (const cJSON *it = v->child; it; it = it->next) {
        const char *k = it->string;
        if (strcmp(k, "dtype") == 0 && cJSON_IsString(it))
            r.dtype = (uint8_t)dtype_find(str_of(it->valuestring));
        else if (strcmp(k, "shape") == 0)
            json_row_shape(f->d, &r, it);
        else if (strcmp(k, "Max") == 0)
            figure(&r, it, STAT_MAX, HAS_MAX);
        else if (strcmp(k, "Min") == 0)
            figure(&r, it, STAT_MIN, HAS_MIN);
        else if (strcmp(k, "Mean") == 0)
            figure(&r, it, STAT_MEAN, HAS_MEAN);
        else if (strcmp(k, "Norm") == 0)
            figure(&r, it, STAT_NORM, HAS_NORM);
        else if (strcmp(k, "md5") == 0 && cJSON_IsString(it)) {
            r.text = arena_cstr(&f->d->arena, str_of(it->valuestring));
            r.has |= HAS_CHECKSUM;
            f->d->checksums = true;
        } else if (strcmp(k, "data_name") == 0 && cJSON_IsString(it) && strcmp(it->valuestring, "-1") != 0)
            file_of(f, &r, it->valuestring);
    }
    dump_add_row(f->d, f->call, r);
}

static void value(struct msprobe_fill *f, const cJSON *v)
{
    if (cJSON_IsObject(v)) {
        const cJSON *type = cJSON_GetObjectItemCaseSensitive(v, "type");
        if (cJSON_IsString(type)) {
            if (str_ends(str_of(type->valuestring), "Tensor") ||
                (cJSON_HasObjectItem(v, "dtype") && cJSON_HasObjectItem(v, "shape")))
                tensor_row(f, v);
            else
                scalar_row(f, type->valuestring, cJSON_GetObjectItemCaseSensitive(v, "value"));
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
            value(f, it);
            f->slot.n = stem;
            f->slot.p[stem] = 0;
        }
        return;
    }
    scalar_row(f, cJSON_IsString(v) ? "str" : "number", v);
}

static void section(struct msprobe_fill *f, const char *name, enum row_io io, const cJSON *v)
{
    buf_clear(&f->slot);
    buf_cstr(&f->slot, name);
    f->io = io;
    value(f, v);
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

void msprobe_add_record(struct msprobe_fill *f, struct str name, uint64_t offset, const cJSON *record)
{
    f->call = msprobe_add_call(f->d, name, offset);
    if (str_ends(name, ".debug")) { /* the saved value itself, not a call's arguments */
        section(f, "", IO_OUTPUT, record);
        return;
    }
    bool gradient = f->d->calls.v[f->call].gradient;
    for (const cJSON *it = record->child; it; it = it->next) {
        if (gradient) {
            /* {"weight": [tensor]}: the list of one is the tensor */
            bool single = cJSON_IsArray(it) && it->child && !it->child->next;
            section(f, it->string, IO_GRADIENT, single ? it->child : it);
            continue;
        }
        for (size_t s = 0; s < ARRAY_LEN(sections); s++)
            if (strcmp(it->string, sections[s].key) == 0)
                section(f, sections[s].slot, sections[s].io, it);
    }
}

/* ---- stacks ---- */

uint32_t msprobe_add_stack(struct dump *d, const cJSON *frames)
{
    struct stack s = {.first = (uint32_t)d->stack_frames.n};
    for (const cJSON *it = frames->child; it; it = it->next)
        if (cJSON_IsString(it)) {
            vec_push(&d->stack_frames, dump_frame(d, str_of(it->valuestring)));
            s.n++;
        }
    vec_push(&d->stacks, s);
    return (uint32_t)d->stacks.n - 1;
}

void msprobe_set_stack(struct dump *d, struct str call, uint32_t stack)
{
    uint32_t c = map_get(&d->call_names, call);
    if (c != MAP_NONE)
        d->calls.v[c].stack = stack;
}
