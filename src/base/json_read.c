/* Reads a large JSON file through a window: values are skipped by their brackets, and only wanted ones are parsed
 * with cJSON, using a memory pool that is cleared at once. */
#include "base/json_read.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/msg.h"

#define CHUNK (1 << 20)
#define LARGEST (1u << 30) /* limit for one value's text */

static _Thread_local struct json_pool *pool; /* of this thread; NULL: use the heap */

/* Never returns NULL, so that code that builds or copies trees needs no checks. */
static void *pool_alloc(size_t n)
{
    return pool ? arena_alloc(&pool->arena, n) : mem_alloc(n);
}

static void pool_free(void *p)
{
    if (!pool)
        free(p);
}

/* Installed before any use of cJSON: otherwise lack of memory would look like invalid JSON, or lose members. */
__attribute__((constructor)) static void install_pool_hooks(void)
{
    cJSON_Hooks hooks = {pool_alloc, pool_free};
    cJSON_InitHooks(&hooks);
}

void json_pool_enter(struct json_pool *p)
{
    *p = (struct json_pool){0};
    p->room.arena = &p->arena;
    pool = p;
}

void json_pool_repeats(struct json_pool *p, const char *const *varying)
{
    p->templates.varying = varying;
    p->room.templates = &p->templates;
}

void json_pool_texts(struct json_pool *p)
{
    json_texts_init(&p->texts);
    p->room.texts = &p->texts;
}

void json_pool_clear(struct json_pool *p)
{
    arena_clear(&p->arena);
    p->room.next = p->room.end = NULL;
}

void json_pool_leave(struct json_pool *p)
{
    pool = NULL;
    arena_release(&p->arena);
    json_templates_release(&p->templates);
    json_texts_release(&p->texts);
}

int json_members_open(struct json_members *j, const char *path, const char *descend, struct err *e)
{
    *j = (struct json_members){.name = path, .descend = descend};
    return file_open(&j->file, path, e);
}

void json_members_close(struct json_members *j)
{
    file_close(&j->file);
    buf_release(&j->window);
    buf_release(&j->key);
}

/* Reads on after the window and drops what precedes `keep`. 1, 0 at the end, -1. */
static int extend_json_window(struct json_members *j, struct err *e)
{
    struct buf *w = &j->window;
    if (j->keep) {
        memmove(w->p, w->p + j->keep, w->n - j->keep);
        w->n -= j->keep;
        j->at -= j->keep;
        j->base += j->keep;
        j->keep = 0;
    }
    if (w->n > LARGEST)
        return err_at(e, j->name, j->base, _("a value of more than 1 GB, the limit"));
    buf_reserve(w, CHUNK);
    long got = file_read_some(&j->file, j->base + w->n, w->p + w->n, CHUNK, e);
    if (got > 0)
        w->n += (size_t)got;
    return got > 0 ? 1 : (int)got;
}

static int cut_short(struct json_members *j, const char *what, struct err *e)
{
    return err_at(e, j->name, j->base + j->window.n, _("expected %s, found the end of the file"), what);
}

/* The next non-blank byte without consuming it; 0 at the end of the file, -1 on error. */
static int peek_json_byte(struct json_members *j, struct err *e)
{
    for (;;) {
        while (j->at < j->window.n) {
            unsigned char c = (unsigned char)j->window.p[j->at];
            if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
                return c ? c : 1;
            j->at++;
        }
        j->keep = j->at;
        int r = extend_json_window(j, e);
        if (r <= 0)
            return r;
    }
}

#define VALUE_MOST (32u << 20)

/* Stops keeping the text of a value that has become too long. */
static void hold_no_more(struct json_members *j)
{
    if (j->at - j->keep > VALUE_MOST) {
        j->too_long = true;
        j->keep = j->at - 1;
    }
}

/* `at` is on a quote; moves after the closing one. */
static int skip_string(struct json_members *j, struct err *e)
{
    j->at++;
    for (;;) {
        char *q = memchr(j->window.p + j->at, '"', j->window.n - j->at);
        if (!q) {
            j->at = j->window.n;
        } else {
            size_t end = (size_t)(q - j->window.p), back = end;
            while (back > j->keep + 1 && j->window.p[back - 1] == '\\')
                back--;
            j->at = end + 1;
            if ((end - back) % 2 == 0)
                return 0;
            continue;
        }
        hold_no_more(j);
        int r = extend_json_window(j, e);
        if (r < 0)
            return -1;
        if (r == 0)
            return cut_short(j, "\"", e);
    }
}

/* `at` is on the value's first byte; moves after its last. */
static int skip_value(struct json_members *j, bool *special, struct err *e)
{
    static const unsigned char stop[256] = {
        ['"'] = 1, ['{'] = 2, ['['] = 2, ['}'] = 3, [']'] = 3, ['N'] = 4, ['I'] = 4, [','] = 5,
    };
    size_t depth = 0;
    for (;;) {
        const char *p = j->window.p;
        size_t i = j->at, n = j->window.n;
        unsigned char kind = 0;
        while (i < n && (!(kind = stop[(unsigned char)p[i]]) || (kind == 5 && depth)))
            i++;
        j->at = i;
        if (i == n) {
            hold_no_more(j);
            int r = extend_json_window(j, e);
            if (r < 0)
                return -1;
            if (r == 0)
                return cut_short(j, depth ? "}" : ",", e);
            continue;
        }
        switch (kind) {
        case 1:
            if (skip_string(j, e))
                return -1;
            break;
        case 2:
            depth++;
            j->at++;
            break;
        case 3:
            if (depth == 0)
                return 0; /* a scalar before the object's end */
            depth--;
            j->at++;
            break;
        case 4:
            *special = true;
            j->at++;
            continue;
        default:
            return 0;
        }
        if (depth == 0)
            return 0;
    }
}

/* Parses a member's value if its text, and what follows it, is in the window, as for most values. Otherwise, or if it
 * is not regular, nothing is consumed and skip_value handles it. */
static cJSON *regular_value(struct json_members *j, struct str key)
{
    const char *p = j->window.p + j->at, *end = j->window.p + j->window.n;
    pool->room.key = pool->room.templates ? json_key_hash(key) : 0;
    cJSON *tree = json_tree(&pool->room, &p, end, true);
    pool->room.key = 0;
    const char *next = p;
    while (next < end && (*next == ' ' || *next == '\n' || *next == '\r' || *next == '\t'))
        next++;
    if (!tree || next == end || (*next != ',' && *next != '}'))
        return NULL;
    j->at = (size_t)(p - j->window.p);
    return tree;
}

static int unescape_key(struct json_members *j, struct str raw, uint64_t offset, struct json_member *m, struct err *e)
{
    m->key = str_n(raw.p + 1, raw.n - 2);
    if (str_find(m->key, '\\') < 0) {
        buf_clear(&j->key);
        buf_str(&j->key, m->key);
    } else {
        cJSON *s = json_parse(raw, false, j->name, offset, e);
        if (!s)
            return -1;
        buf_clear(&j->key);
        buf_cstr(&j->key, s->valuestring ? s->valuestring : "");
        cJSON_Delete(s);
    }
    m->key = buf_view(&j->key);
    return 0;
}

static int json_expected(struct json_members *j, int got, const char *what, struct err *e)
{
    if (got == 0)
        return cut_short(j, what, e);
    return err_at(e, j->name, j->base + j->at, _("expected %2$s, found '%1$c'"),
                  got >= 0x20 && got < 0x7f ? got : '?', what);
}

static int begin_members(struct json_members *j, struct err *e)
{
    int c = peek_json_byte(j, e);
    if (c == 0xef && j->base + j->at == 0) { /* a byte order mark */
        while (j->window.n < 3 && extend_json_window(j, e) > 0)
            continue;
        j->at = j->window.n < 3 ? j->window.n : 3;
        c = peek_json_byte(j, e);
    }
    if (c < 0)
        return -1;
    if (c != '{')
        return json_expected(j, c, "{", e);
    j->at++;
    j->level = 1;
    j->first = true;
    return 0;
}

int json_members_next(struct json_members *j, struct json_member *m, struct err *e)
{
    if (j->done)
        return 0;
    if (j->level == 0 && begin_members(j, e))
        return -1;
    for (;;) {
        int c = peek_json_byte(j, e);
        if (c < 0)
            return -1;
        if (c == '}') {
            j->at++;
            j->first = false;
            if (--j->level == 0) {
                j->done = true;
                return 0;
            }
            continue;
        }
        if (!j->first) {
            if (c != ',')
                return json_expected(j, c, _("',' or '}'"), e);
            j->at++;
            if ((c = peek_json_byte(j, e)) < 0)
                return -1;
        }
        if (c != '"')
            return json_expected(j, c, _("a key in quotes"), e);
        j->first = false;
        j->keep = j->at;
        j->too_long = false;
        if (skip_string(j, e))
            return -1;
        if (j->too_long)
            return err_at(e, j->name, j->base + j->at, _("a key of more than 32 MB"));
        if (unescape_key(j, str_n(j->window.p + j->keep, j->at - j->keep), j->base + j->keep, m, e))
            return -1;
        if ((c = peek_json_byte(j, e)) != ':')
            return c < 0 ? -1 : json_expected(j, c, "':'", e);
        j->at++;
        if ((c = peek_json_byte(j, e)) <= 0)
            return c < 0 ? -1 : json_expected(j, c, _("a value"), e);
        if (j->level == 1 && j->descend && c == '{' && str_is(m->key, j->descend)) {
            j->at++;
            j->level = 2;
            j->first = true;
            continue;
        }
        j->keep = j->at;
        m->special = false;
        m->offset = j->base + j->keep;
        m->tree = j->trees ? regular_value(j, m->key) : NULL;
        if (!m->tree && skip_value(j, &m->special, e))
            return -1;
        m->too_long = j->too_long || j->at - j->keep > VALUE_MOST;
        m->value =
            m->too_long ? str_n(j->window.p + j->at, 0) : str_trim(str_n(j->window.p + j->keep, j->at - j->keep));
        m->inside = j->level == 2;
        j->keep = j->at; /* keep the text until the next call reads on */
        return 1;
    }
}

/* Replaces a token by a mark of the same length, so that offsets in messages stay correct. */
static size_t replace_token(char *p, size_t left, const char *token, const char *mark)
{
    size_t n = strlen(token);
    if (left < n || memcmp(p, token, n) != 0)
        return 0;
    memset(p, ' ', n);
    p[0] = '"';
    p[1] = *mark;
    p[2] = '"';
    return n;
}

static void admit_special(char *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t step = 1;
        if (p[i] == '"') {
            for (i++; i < n && p[i] != '"'; i++)
                if (p[i] == '\\')
                    i++;
        } else if (p[i] == 'N') {
            step = replace_token(p + i, n - i, "NaN", JSON_MARK_NAN);
        } else if (p[i] == 'I') {
            step = replace_token(p + i, n - i, "Infinity", JSON_MARK_INF);
        } else if (p[i] == '-' && i + 1 < n && p[i + 1] == 'I') {
            step = replace_token(p + i, n - i, "-Infinity", JSON_MARK_NEG);
        }
        i += step ? step : 1;
    }
}

cJSON *json_parse(struct str text, bool special, const char *name, uint64_t offset, struct err *e)
{
    struct buf copy = {0};
    const char *stop = text.p;
    cJSON *regular = pool ? json_tree(&pool->room, &stop, text.p + text.n, special) : NULL;
    if (regular && str_trim(str_n(stop, (size_t)(text.p + text.n - stop))).n == 0)
        return regular;
    stop = NULL;
    if (special) {
        buf_str(&copy, text);
        admit_special(copy.p, copy.n);
        text = buf_view(&copy);
    }
    cJSON *tree = cJSON_ParseWithLengthOpts(text.p, text.n, &stop, false);
    size_t used = stop ? (size_t)(stop - text.p) : 0;
    if (tree && str_trim(str_cut(text, used)).n) {
        cJSON_Delete(tree);
        tree = NULL;
    }
    if (!tree)
        err_at(e, name, offset + used, _("invalid JSON"));
    buf_release(&copy);
    return tree;
}

cJSON *json_member_tree(const struct json_member *m, const char *name, struct err *e)
{
    return m->tree ? m->tree : json_parse(m->value, m->special, name, m->offset, e);
}

bool json_special_number(const cJSON *v, double *out)
{
    if (!cJSON_IsString(v))
        return false;
    if (strcmp(v->valuestring, JSON_MARK_NAN) == 0)
        *out = NAN;
    else if (strcmp(v->valuestring, JSON_MARK_INF) == 0)
        *out = INFINITY;
    else if (strcmp(v->valuestring, JSON_MARK_NEG) == 0)
        *out = -INFINITY;
    else
        return false;
    return true;
}

cJSON *json_text(struct str text, const char *name, struct err *e)
{
    return json_parse(text, true, name, 0, e);
}

cJSON *json_load(const char *path, size_t limit, struct err *e)
{
    struct buf b = {0};
    cJSON *tree = NULL;
    if (file_slurp(path, limit, &b, e) == 0)
        tree = json_text(buf_view(&b), path, e);
    buf_release(&b);
    return tree;
}

const char *json_kind(const cJSON *v)
{
    double number;
    if (cJSON_IsBool(v))
        return _("true or false");
    if (json_number(v, &number))
        return _("a number");
    return cJSON_IsString(v)   ? _("a text")
           : cJSON_IsArray(v)  ? _("a list")
           : cJSON_IsObject(v) ? _("an object")
                               : _("null");
}
