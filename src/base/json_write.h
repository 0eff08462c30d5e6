/* Writes JSON text. Numbers are written with all their digits; NaN and infinities become the strings "NaN", "Inf",
 * "-Inf" (doc/cli-json.md), absent values null. Invisible characters are escaped too (\u200b) and bad UTF-8 is
 * replaced, so the result is always valid JSON. */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/str.h"

struct jsonw {
    struct buf *out;
    int depth;
    bool comma;     /* a value precedes this position */
    bool after_key; /* the next value belongs to the key just written */
    bool pretty;    /* one member per line, two blanks per level */
    bool yaml;      /* a quoted text of YAML, where characters beyond U+FFFF are escaped as \U, not as surrogates */
    /* Transforms every text except keys before it is written; appends. NULL: no change. */
    void (*filter)(void *ctx, struct str s, struct buf *out);
    void *ctx;
};

void jw_init(struct jsonw *w, struct buf *out, bool pretty);
void jw_object(struct jsonw *w);
void jw_end_object(struct jsonw *w);
/* Opens the top-level object of every result of this program, with the schema (1) and the program's name. */
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
void jw_raw(struct jsonw *w, struct str json); /* a value that is already JSON */

/* Appends a tree on a line of its own. NULL: an empty line. */
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
/* Null unless `there`. */
void jw_knum_if(struct jsonw *w, const char *key, bool there, double v);
void jw_kint_if(struct jsonw *w, const char *key, bool there, int64_t v);
void jw_kgiven(struct jsonw *w, const char *key, double v); /* null if v is NaN */

#endif
