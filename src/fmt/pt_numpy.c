/* NumPy arrays inside torch.save's pickles. numpy pickles an array as a call of _reconstruct whose state is (version,
 * shape, dtype, fortran order, bytes), with the bytes as Latin-1 text up to protocol 2; from protocol 5 on as
 * _frombuffer(bytes, dtype, shape, order). A single number is a call of scalar(dtype, bytes). The dtype is a call whose
 * state begins (version, byte order …). */
#include "base/msg.h"
#include "fmt/npy.h"
#include "fmt/pt.h"

/* Whether p calls the function under either of two module names. */
static bool is_call(const struct pickle *p, const char *const home[2], const char *function)
{
    if (!p || p->kind != PICKLE_CALL || p->n < 2 || p->item[0]->kind != PICKLE_GLOBAL)
        return false;
    for (int i = 0; i < 2; i++)
        if (str_starts(p->item[0]->text, home[i]) && str_is(str_cut(p->item[0]->text, strlen(home[i])), function))
            return true;
    return false;
}

static const char *const numpy[2] = {"numpy.core.", "numpy._core."};     /* before and since NumPy 2 */
static const char *const builtins[2] = {"__builtin__ ", "builtins "};    /* in protocol 2 and since */

bool pt_is_number(const struct pickle *p)
{
    return is_call(p, numpy, "multiarray scalar");
}

bool pt_objects_head(struct str head, uint64_t *at)
{
    if (!str_starts(head, "\x93NUMPY") || head.n < 12)
        return false;
    const unsigned char *p = (const unsigned char *)head.p;
    const bool wide = p[6] > 1;
    uint64_t n = wide ? p[8] | (uint64_t)p[9] << 8 | (uint64_t)p[10] << 16 | (uint64_t)p[11] << 24 : p[8] |
                 (uint64_t)p[9] << 8;
    *at = (wide ? 12 : 10) + n;
    if (n > PT_OBJECTS_HEAD - 12 || *at > head.n)
        return false;
    struct str header = str_n(head.p + (wide ? 12 : 10), (size_t)n);
    return str_has(header, "'|O'") || str_has(header, "\"|O\"") || str_has(header, "'O'");
}

const struct pickle *pt_objects(const struct pickle *root)
{
    const struct pickle *state = root->kind == PICKLE_CALL && root->n > 2 ? root->item[2] : NULL;
    if (!pt_is_array(root) || !state || state->kind != PICKLE_TUPLE || state->n < 5 ||
        state->item[4]->kind != PICKLE_LIST)
        return root;
    const struct pickle *list = state->item[4];
    return list->n == 1 ? list->item[0] : list;
}

/* The five parts of an array, in whichever form it was written. */
struct parts {
    const struct pickle *shape, *dtype, *bytes;
    bool fortran;
};

static bool parts_of(const struct pickle *p, struct parts *x)
{
    if (is_call(p, numpy, "multiarray _reconstruct")) {
        const struct pickle *s = p->n > 2 ? p->item[2] : NULL;
        if (!s || s->kind != PICKLE_TUPLE || s->n < 5)
            return false;
        *x = (struct parts){s->item[1], s->item[2], s->item[4], s->item[3]->i != 0};
        return true;
    }
    const struct pickle *a = p->item[1];
    if (pt_is_number(p)) {
        static const struct pickle no_axes = {.kind = PICKLE_TUPLE};
        if (a->kind != PICKLE_TUPLE || a->n != 2)
            return false;
        *x = (struct parts){&no_axes, a->item[0], a->item[1], false};
        return true;
    }
    if (a->kind != PICKLE_TUPLE || a->n < 4 || a->item[3]->kind != PICKLE_TEXT)
        return false;
    *x = (struct parts){a->item[2], a->item[1], a->item[0], str_is(a->item[3]->text, "F")};
    return true;
}

bool pt_is_array(const struct pickle *p)
{
    return is_call(p, numpy, "multiarray _reconstruct") || is_call(p, numpy, "numeric _frombuffer");
}

/* "<f4", or the name of another package's type (ml_dtypes). False if it is neither. */
static bool type_of(const struct pickle *p, struct buf *out)
{
    if (p->kind != PICKLE_CALL || p->n < 2 || !pickle_is_global(p->item[0], "numpy dtype") ||
        p->item[1]->kind != PICKLE_TUPLE || !p->item[1]->n)
        return false;
    const struct pickle *code = p->item[1]->item[0], *state = p->n > 2 && p->item[2]->kind == PICKLE_TUPLE &&
                                                              p->item[2]->n > 1 ? p->item[2]->item[1] : NULL;
    if (code->kind != PICKLE_TEXT && code->kind != PICKLE_GLOBAL)
        return false;
    ptrdiff_t space = code->kind == PICKLE_GLOBAL ? str_find(code->text, ' ') : -1;
    if (space < 0 && state && state->kind == PICKLE_TEXT)
        buf_str(out, str_n(state->text.p, state->text.n > 1 ? 1 : state->text.n));
    buf_str(out, str_cut(code->text, (size_t)(space + 1)));
    return out->n > 0;
}

/* The bytes themselves, or text with one character per byte. */
static bool bytes_of(const struct pickle *p, struct pt_bytes *out)
{
    if (p->kind == PICKLE_CALL && p->n >= 2 && p->item[1]->kind == PICKLE_TUPLE) {
        const struct pickle *args = p->item[1];
        if (!args->n) /* bytes() */
            return is_call(p, builtins, "bytes");
        out->latin = pickle_is_global(p->item[0], "_codecs encode");
        if (out->latin || is_call(p, builtins, "bytearray"))
            p = args->item[0];
    }
    out->bytes = p->text;
    return p->kind == PICKLE_BYTES || p->kind == PICKLE_TEXT;
}

/* The number of bytes that Latin-1 text in UTF-8 encodes; UINT64_MAX if it has other characters. */
static uint64_t latin_size(struct str s)
{
    uint64_t n = 0;
    for (size_t i = 0; i < s.n; i++, n++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c < 0x80)
            continue;
        if ((c != 0xc2 && c != 0xc3) || ++i == s.n || ((unsigned char)s.p[i] & 0xc0) != 0x80)
            return UINT64_MAX;
    }
    return n;
}

size_t pt_latin(char *bytes, size_t n)
{
    size_t to = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c >= 0x80 && i + 1 < n)
            c = (unsigned char)(c << 6 | ((unsigned char)bytes[++i] & 0x3f));
        bytes[to++] = (char)c;
    }
    return to;
}

static int no_array(const char *name, struct err *e)
{
    return err_set(e, ERR_DATA, _("%s: in the pickle: expected a NumPy array with its shape, type and bytes"), name);
}

static int other_bytes(const char *name, struct err *e)
{
    return err_set(e, ERR_DATA, _("%s: in the pickle an array's bytes do not match its shape"), name);
}

int pt_array(struct tensor *t, const struct pickle *value, const char *name, struct pt_bytes *b, struct buf *type,
             struct err *e)
{
    struct parts x;
    *b = (struct pt_bytes){0};
    buf_clear(type);
    if (!parts_of(value, &x) || !pt_sizes(x.shape, t) || !type_of(x.dtype, type))
        return no_array(name, e);
    t->offset = 0;
    if (npy_layout(t, buf_view(type), x.fortran, name, e))
        return -1;
    if (t->dtype == DTYPE_UNKNOWN)
        return 0;
    if (!bytes_of(x.bytes, b))
        return no_array(name, e);
    b->size = t->numel * dtype_table[t->dtype].size;
    /* a character takes one byte or two */
    return b->bytes.n < b->size || b->bytes.n / (b->latin ? 2 : 1) > b->size ? other_bytes(name, e) : 0;
}

int pt_array_whole(const struct pt_bytes *b, const char *name, struct err *e)
{
    return b->latin && latin_size(b->bytes) != b->size ? other_bytes(name, e) : 0;
}
