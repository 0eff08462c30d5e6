/* Appends JSON text piece by piece; commas and indentation follow from what was written before. */
#include "base/json_write.h"

#include <math.h>

#include "base/num.h"
#include "base/tool.h"
#include "base/utf8.h"

void jw_init(struct jsonw *w, struct buf *out, bool pretty)
{
    *w = (struct jsonw){.out = out, .pretty = pretty};
}

static void write_line_break(struct jsonw *w)
{
    if (!w->pretty)
        return;
    buf_char(w->out, '\n');
    for (int i = 0; i < w->depth; i++)
        buf_cstr(w->out, "  ");
}

/* Writes the separator before the next key or value. */
static void write_separator(struct jsonw *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (w->comma)
        buf_char(w->out, ',');
    if (w->depth)
        write_line_break(w);
    w->comma = true;
}

static void open_bracket(struct jsonw *w, char c)
{
    write_separator(w);
    buf_char(w->out, c);
    w->depth++;
    w->comma = false;
}

static void close_bracket(struct jsonw *w, char c)
{
    w->depth--;
    if (w->comma)
        write_line_break(w);
    buf_char(w->out, c);
    w->comma = true;
}

void jw_object(struct jsonw *w)
{
    open_bracket(w, '{');
}

void jw_end_object(struct jsonw *w)
{
    close_bracket(w, '}');
}

void jw_array(struct jsonw *w)
{
    open_bracket(w, '[');
}

void jw_end_array(struct jsonw *w)
{
    close_bracket(w, ']');
}

/* Escapes an invisible character, so that the name stays the dump's and the reader sees the character. */
static void escape_code_point(struct jsonw *w, uint32_t c)
{
    if (c <= 0xffff)
        buf_fmt(w->out, "\\u%04x", c);
    else if (w->yaml)
        buf_fmt(w->out, "\\U%08x", c);
    else
        buf_fmt(w->out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + ((c - 0x10000) & 0x3ff));
}

static void write_quoted(struct jsonw *w, struct str s)
{
    struct buf *b = w->out;
    char tmp[4];
    buf_char(b, '"');
    while (s.n) {
        unsigned char c = (unsigned char)s.p[0];
        if (c == '"' || c == '\\') {
            buf_char(b, '\\');
            buf_char(b, (char)c);
        } else if (c < 0x20 || c == 0x7f) {
            buf_fmt(b, "\\u%04x", c);
        } else if (c < 0x80) {
            buf_char(b, (char)c);
        } else {
            uint32_t wide = utf8_decode(&s);
            if (utf8_is_hidden(wide))
                escape_code_point(w, wide);
            else
                buf_add(b, tmp, utf8_put(tmp, wide));
            continue;
        }
        s = str_cut(s, 1);
    }
    buf_char(b, '"');
}

void jw_key(struct jsonw *w, const char *key)
{
    write_separator(w);
    write_quoted(w, str_of(key));
    buf_cstr(w->out, w->pretty ? ": " : ":");
    w->after_key = true;
}

void jw_str(struct jsonw *w, struct str s)
{
    struct buf b = {0};
    write_separator(w);
    if (w->filter) {
        w->filter(w->ctx, s, &b);
        s = buf_view(&b);
    }
    write_quoted(w, s);
    buf_release(&b);
}

void jw_cstr(struct jsonw *w, const char *s)
{
    if (s)
        jw_str(w, str_of(s));
    else
        jw_null(w);
}

void jw_num(struct jsonw *w, double v)
{
    char t[NUM_MAX];
    if (isfinite(v)) {
        write_separator(w);
        buf_cstr(w->out, num_exact(t, v));
    } else {
        jw_cstr(w, num_exact(t, v));
    }
}

void jw_int(struct jsonw *w, int64_t v)
{
    write_separator(w);
    buf_fmt(w->out, "%lld", (long long)v);
}

void jw_bool(struct jsonw *w, bool v)
{
    write_separator(w);
    buf_cstr(w->out, v ? "true" : "false");
}

void jw_null(struct jsonw *w)
{
    write_separator(w);
    buf_cstr(w->out, "null");
}

void jw_raw(struct jsonw *w, struct str json)
{
    write_separator(w);
    buf_str(w->out, json);
}

void jw_kstr(struct jsonw *w, const char *key, struct str s)
{
    jw_key(w, key);
    jw_str(w, s);
}

void jw_karray(struct jsonw *w, const char *key)
{
    jw_key(w, key);
    jw_array(w);
}

void jw_kobject(struct jsonw *w, const char *key)
{
    jw_key(w, key);
    jw_object(w);
}

void jw_result(struct jsonw *w)
{
    jw_object(w);
    jw_kint(w, "schema", 1);
    jw_kcstr(w, "tool", TOOL);
}

void jw_kcstr(struct jsonw *w, const char *key, const char *s)
{
    jw_key(w, key);
    jw_cstr(w, s);
}

void jw_knum(struct jsonw *w, const char *key, double v)
{
    jw_key(w, key);
    jw_num(w, v);
}

void jw_kint(struct jsonw *w, const char *key, int64_t v)
{
    jw_key(w, key);
    jw_int(w, v);
}

void jw_kbool(struct jsonw *w, const char *key, bool v)
{
    jw_key(w, key);
    jw_bool(w, v);
}

void jw_knull(struct jsonw *w, const char *key)
{
    jw_key(w, key);
    jw_null(w);
}

void jw_knum_if(struct jsonw *w, const char *key, bool there, double v)
{
    there ? jw_knum(w, key, v) : jw_knull(w, key);
}

void jw_kint_if(struct jsonw *w, const char *key, bool there, int64_t v)
{
    there ? jw_kint(w, key, v) : jw_knull(w, key);
}

void jw_kgiven(struct jsonw *w, const char *key, double v)
{
    jw_knum_if(w, key, !isnan(v), v);
}

void jw_kcstrs(struct jsonw *w, const char *key, const char *const *list, size_t n)
{
    jw_karray(w, key);
    for (size_t i = 0; i < n; i++)
        jw_cstr(w, list[i]);
    jw_end_array(w);
}

static void write_cjson_value(struct jsonw *w, const cJSON *v)
{
    if (cJSON_IsObject(v) || cJSON_IsArray(v)) {
        bool object = cJSON_IsObject(v);
        object ? jw_object(w) : jw_array(w);
        for (const cJSON *x = v->child; x; x = x->next) {
            if (object)
                jw_key(w, x->string);
            write_cjson_value(w, x);
        }
        object ? jw_end_object(w) : jw_end_array(w);
    } else if (cJSON_IsRaw(v)) { /* no parser makes one: text that was written here */
        jw_raw(w, str_of(v->valuestring));
    } else if (cJSON_IsString(v)) {
        jw_cstr(w, v->valuestring);
    } else if (cJSON_IsNumber(v)) {
        jw_num(w, v->valuedouble);
    } else if (cJSON_IsBool(v)) {
        jw_bool(w, cJSON_IsTrue(v));
    } else {
        jw_null(w);
    }
}

void json_write_tree(const cJSON *tree, struct buf *out)
{
    struct jsonw w;
    jw_init(&w, out, false);
    if (tree)
        write_cjson_value(&w, tree);
    buf_cstr(out, "\n");
}
