/* Finds paths in a text and replaces them by the input's short form, or by their last two components. */
#include "document/sanitize.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"

#define CELL_MOST 40000 /* limit for one text in bytes: longer ones are cut in the middle */

/* Length of a path's part that names the user's home folder: "/home/li/". */
static size_t home_prefix_length(struct str path)
{
    static const char *const above[] = {"/home/", "/Users/"};
    for (size_t i = 0; i < sizeof above / sizeof *above; i++)
        if (str_starts(path, above[i])) {
            ptrdiff_t end = str_find(str_cut(path, strlen(above[i])), '/');
            return end < 0 ? path.n : strlen(above[i]) + (size_t)end + 1;
        }
    return 0;
}

/* Offset of the last `keep` components, excluding a home folder. */
static size_t path_tail_offset(struct str path, int keep)
{
    size_t from = path.n, own = home_prefix_length(path);
    while (from && path.p[from - 1] == '/')
        from--;
    for (; from > own; from--)
        if (path.p[from - 1] == '/' && --keep == 0)
            break;
    return from;
}

/* Offset in b of the first component not shared with a: after the last common '/'. */
static size_t first_differing_component(const char *a, const char *b)
{
    size_t slash = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '/')
            slash = i + 1;
    return slash;
}

void sanitize_init(struct sanitize *c, const char *target, const char *golden, bool paths)
{
    const char *const path[2] = {target, golden};
    *c = (struct sanitize){.paths = paths};
    size_t from = target && golden ? first_differing_component(target, golden) : 0;
    for (int s = 0; s < 2; s++) {
        if (!path[s])
            continue;
        struct str all = str_of(path[s]);
        bool elsewhere = path[s][0] == '/' || str_starts(all, "..");
        size_t own = home_prefix_length(all), cut = from > 1 && from < all.n ? from : elsewhere
                     ? path_tail_offset(all, 2) : 0;
        c->path[s] = mem_strdup(path[s]);
        c->brief[s] = mem_strdup(path[s] + (paths ? 0 : cut < own ? own : cut));
    }
}

void sanitize_release(struct sanitize *c)
{
    for (int s = 0; s < 2; s++) {
        free(c->path[s]);
        free(c->brief[s]);
    }
}

/* Tries the longer path first, because one may contain the other. */
static size_t known_path(const struct sanitize *c, const char *p, size_t n, const char **brief)
{
    size_t best = 0;
    for (int s = 0; s < 2; s++) {
        size_t len = c->path[s] ? strlen(c->path[s]) : 0;
        if (len > best && len > 1 && len <= n && memcmp(p, c->path[s], len) == 0) {
            best = len;
            *brief = c->brief[s];
        }
    }
    return best;
}

static bool begins_word(const char *p, size_t i)
{
    return i == 0 || strchr(" \t\n\"'`(<[{=:,;|", p[i - 1]);
}

/* Shortens an absolute path to its last two components. */
static size_t absolute_path(const char *p, size_t n, struct buf *out)
{
    size_t end = 0;
    int slashes = 0;
    while (end < n && !strchr(" \t\n\"'`)>]},;|", p[end]) &&
           !(p[end] == ':' && end + 1 < n && (p[end + 1] == ' ' || (p[end + 1] >= '0' && p[end + 1] <= '9')))) {
        slashes += p[end] == '/';
        end++;
    }
    if (slashes < 2)
        return 0;
    size_t from = path_tail_offset(str_n(p, end), 2);
    buf_cstr(out, from > 1 ? "…/" : "");
    buf_add(out, p + from, end - from);
    return end;
}

static void without_paths(const struct sanitize *c, struct str s, struct buf *out)
{
    for (size_t i = 0; i < s.n;) {
        const char *brief = "";
        size_t n = begins_word(s.p, i) ? known_path(c, s.p + i, s.n - i, &brief) : 0;
        if (n) {
            buf_cstr(out, brief);
        } else if (s.p[i] == '/' && begins_word(s.p, i) &&
                   !(i && s.p[i - 1] == ':' && i + 1 < s.n && s.p[i + 1] == '/')) { /* not the "//" of a URL */
            n = absolute_path(s.p + i, s.n - i, out);
        }
        if (!n) {
            buf_char(out, s.p[i]);
            n = 1;
        }
        i += n;
    }
}

static void escape_invisible(struct str s, int how, struct buf *out)
{
    while (s.n) {
        if (how & SANITIZE_LINES && s.p[0] == '\n') {
            buf_char(out, '\n');
            s = str_cut(s, 1);
            continue;
        }
        struct str rest = s;
        uint32_t c = utf8_decode(&rest);
        if ((c & 0xfffe) == 0xfffe)
            buf_cstr(out, "\xef\xbf\xbd"); /* U+FFFE and U+FFFF are not allowed in text formats */
        else if (how & SANITIZE_JSON && utf8_is_hidden(c))
            buf_add(out, s.p, s.n - rest.n);
        else
            utf8_clean(out, str_n(s.p, s.n - rest.n));
        s = rest;
    }
}

void sanitize_text(const struct sanitize *c, struct str s, int how, struct buf *out)
{
    struct buf b = {0};
    if (c && !c->paths && !(how & SANITIZE_NAME)) {
        without_paths(c, s, &b);
        s = buf_view(&b);
    }
    if (s.n > CELL_MOST) { /* a character cut in half then shows as invalid bytes */
        escape_invisible(str_n(s.p, CELL_MOST / 2), how, out);
        buf_cstr(out, " … ");
        escape_invisible(str_cut(s, s.n - CELL_MOST / 2), how, out);
    } else {
        escape_invisible(s, how, out);
    }
    buf_release(&b);
}

/* The short form of a folder above an input; empty if the short form does not reach that far. */
static struct str short_form_above(const struct sanitize *c, int s, const char *path)
{
    size_t n = strlen(path);
    if (!c->path[s] || strncmp(c->path[s], path, n) != 0 || (c->path[s][n] && c->path[s][n] != '/'))
        return STR("");
    struct str brief = str_of(c->brief[s]);
    size_t rest = strlen(c->path[s] + n);
    return str_n(brief.p, brief.n > rest ? brief.n - rest : 0);
}

void sanitize_path(const struct sanitize *c, const char *path, struct buf *out)
{
    for (int s = 0; c && s < 2; s++) {
        struct str brief = short_form_above(c, s, path);
        if (brief.n) {
            escape_invisible(brief, 0, out);
            return;
        }
    }
    bool whole = !c || c->paths || (path[0] != '/' && !str_starts(str_of(path), ".."));
    escape_invisible(str_of(whole ? path : path + path_tail_offset(str_of(path), 2)), 0, out);
}
