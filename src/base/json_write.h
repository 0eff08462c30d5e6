/* Writes JSON text. Numbers carry every digit they have; NaN and infinities become the strings
 * "NaN", "Inf", "-Inf" (the contract of the command line), absent values null. Text is escaped, what
 * nobody sees in it too (\u200b), bad UTF-8 replaced, so the result is always valid JSON. */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/str.h"

struct jsonw {
    struct buf *out;
    int depth;
    bool comma;     /* a value stands before this place */
    bool after_key; /* the next value belongs to the key just written */
    bool pretty;    /* one member a line, two blanks a level */
    bool yaml;      /* a text of YAML, where characters beyond U+FFFF are escaped as \U, not as surrogates */
    /* What becomes of every text before it is written, keys not; appends. NULL: it stays. */
    void (*filter)(void *ctx, struct str s, struct buf *out);
    void *ctx;
};

void jw_init(struct jsonw *w, struct buf *out, bool pretty);
void jw_object(struct jsonw *w);
void jw_end_object(struct jsonw *w);
/* The object every result of this program is: it names the schema (1) and the program. */
void jw_result(struct jsonw *w);
void jw_array(struct jsonw *w);
void jw_end_array(struct jsonw *w);
void jw_key(struct jsonw *w, const char *key);
void jw_str(struct jsonw *w, struct str s);
void jw_cstr(struct jsonw *w, const char *s); /* NULL is null */
void jw_num(struct jsonw *w, double v);
void jw_int(struct jsonw *w, int64_t v);
void jw_bool(struct jsonw *w, bool v);
void jw_null(struct jsonw *w);
void jw_raw(struct jsonw *w, struct str json); /* a value that is JSON already */

/* A tree as a line of its own. NULL: an empty line. */
void json_write_tree(const cJSON *tree, struct buf *out);

/* key and value in one */
void jw_kstr(struct jsonw *w, const char *key, struct str s);
void jw_kcstrs(struct jsonw *w, const char *key, const char *const *list, size_t n);
void jw_kcstr(struct jsonw *w, const char *key, const char *s);
void jw_karray(struct jsonw *w, const char *key);
void jw_kobject(struct jsonw *w, const char *key);
void jw_knum(struct jsonw *w, const char *key, double v);
void jw_kint(struct jsonw *w, const char *key, int64_t v);
void jw_kbool(struct jsonw *w, const char *key, bool v);
void jw_knull(struct jsonw *w, const char *key);
/* Null where there is none. */
void jw_knum_if(struct jsonw *w, const char *key, bool there, double v);
void jw_kint_if(struct jsonw *w, const char *key, bool there, int64_t v);
void jw_kgiven(struct jsonw *w, const char *key, double v); /* null where it is NaN */

#endif
