/* The cells of a screen: text is placed, aligned and wrapped by its width, and the whole is written as lines. */
#include "ui/grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

void grid_init(struct grid *g, int rows, int cols)
{
    bool ascii = g->ascii;
    grid_release(g);
    *g = (struct grid){.rows = rows, .cols = cols, .ascii = ascii};
    g->cell = mem_resize_array(NULL, (size_t)rows * (size_t)cols, sizeof *g->cell);
    grid_clear(g);
}

void grid_release(struct grid *g)
{
    free(g->cell);
    vec_release(&g->links);
    buf_release(&g->paths);
    g->cell = NULL;
    g->rows = g->cols = 0;
}

void grid_clear(struct grid *g)
{
    g->clip = (struct rect){0, 0, g->rows, g->cols};
    g->cursor_y = g->cursor_x = -1;
    g->links.n = 0;
    buf_clear(&g->paths);
    for (int i = 0; i < g->rows * g->cols; i++)
        g->cell[i] = (struct cell){' ', STYLE_TEXT};
}

struct rect grid_clip(struct grid *g, struct rect r)
{
    struct rect was = g->clip;
    g->clip = r;
    return was;
}

/* The ASCII replacement of a glyph. */
static uint32_t ascii_twin(uint32_t c)
{
    static const struct {
        uint32_t from;
        char to;
    } twin[] = {
        {0x2713, '='}, {0x2717, 'E'}, {0x221e, 'N'}, {0x2248, '~'}, {0x2205, 'o'}, {0x00b7, '.'},
        {0x2026, '~'}, {0x2502, '|'}, {0x2500, '-'}, {0x25b6, '>'}, {0x25c0, '<'}, {0x21c4, '/'},
        {0x2588, '#'}, {0x2591, '.'}, {0x2592, ':'}, {0x2593, '#'}, {0x2605, '*'}, {0x2195, '|'},
        {0x2190, '<'}, {0x2192, '>'}, {0x2191, '^'}, {0x2193, 'v'}, {0x2212, '-'}, {0x203a, '>'},
        {0x2595, '['}, {0x258f, ']'}, {0x2194, '='}, {0x2261, '='}, {0x25c6, '+'}, {0x2581, '_'},
        {0x2582, '.'}, {0x2583, ':'}, {0x2584, '-'}, {0x2585, '='}, {0x2586, '+'}, {0x2587, '*'}, {0x0394, 'd'}, {0x00d7, 'x'},
        {0x25b8, '+'}, {0x25bc, 'v'}, {0x25b2, '^'}, {0x2013, '-'}, {0x2260, '%'}, {0x2014, '-'},
        {0x00b1, '~'}, {0x2264, '<'}, {0x21b3, '>'}, {0x2016, '|'}, {0x03b5, 'e'}, {0x201d, '"'}, {0x201c, '"'},
        {0x00b2, '2'}, {0x00b3, '3'}, {0x221a, 'V'},
        {0x258e, ' '}, {0x258d, ' '}, {0x258c, '#'}, {0x258b, '#'}, {0x258a, '#'}, {0x2589, '#'},
    };
    if (c < 0x80)
        return c;
    for (size_t i = 0; i < ARRAY_LEN(twin); i++)
        if (twin[i].from == c)
            return (uint32_t)twin[i].to;
    return '?';
}

static void set_cell(struct grid *g, int y, int x, uint32_t ch, uint8_t style)
{
    const struct rect *c = &g->clip;
    if (y < c->y || y >= c->y + c->h || x < c->x || x >= c->x + c->w || y < 0 || y >= g->rows || x < 0 || x >= g->cols)
        return;
    struct cell *at = &g->cell[y * g->cols + x];
    if (ch && !at->ch && x > 0) /* half of a wide character is none */
        at[-1].ch = ' ';
    if (at->ch && x + 1 < g->cols && !at[1].ch)
        at[1].ch = ' ';
    *at = (struct cell){ch, style};
}

int grid_text(struct grid *g, int y, int x, int width, uint8_t style, struct str s)
{
    int used = 0;
    while (s.n && used < width) {
        uint32_t c = utf8_next(&s);
        int w = utf8_width(c);
        if (w <= 0)
            continue; /* combining marks have no cell of their own */
        if (used + w > width || x + used + w > g->clip.x + g->clip.w)
            break;
        if (g->ascii) {
            c = ascii_twin(c);
            for (int i = 0; i < w; i++)
                set_cell(g, y, x + used + i, c, style);
        } else {
            set_cell(g, y, x + used, c, style);
            if (w == 2)
                set_cell(g, y, x + used + 1, 0, style);
        }
        used += w;
    }
    return used;
}

int grid_put(struct grid *g, int y, int x, int width, uint8_t style, const char *s)
{
    return grid_text(g, y, x, width, style, str_of(s));
}

int grid_fmt(struct grid *g, int y, int x, int width, uint8_t style, const char *fmt, ...)
{
    struct buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    buf_vfmt(&b, fmt, ap);
    va_end(ap);
    int used = grid_text(g, y, x, width, style, buf_view(&b));
    buf_release(&b);
    return used;
}

void grid_right(struct grid *g, int y, int x, int width, uint8_t style, const char *s)
{
    int n = utf8_cells(str_of(s));
    if (n <= width)
        grid_put(g, y, x + width - n, n, style, s);
    else
        grid_put(g, y, x, width, style, s);
}

void grid_middle(struct grid *g, int y, int x, int width, uint8_t style, struct str s)
{
    struct buf b = {0};
    utf8_middle(&b, s, width, g->ascii ? "~" : "…");
    grid_text(g, y, x, width, style, buf_view(&b));
    buf_release(&b);
}

void grid_end(struct grid *g, int y, int x, int width, uint8_t style, struct str s)
{
    bool cut = utf8_cells(s) > width && width > 1;
    int used = grid_text(g, y, x, cut ? width - 1 : width, style, s);
    if (cut)
        grid_put(g, y, x + used, 1, style, "…");
}

void grid_link(struct grid *g, int y, int x, int width, const char *path)
{
    const struct rect *c = &g->clip;
    int from = x > c->x ? x : c->x, to = x + width < c->x + c->w ? x + width : c->x + c->w;
    if (!g->cell || *path != '/' || y < c->y || y >= c->y + c->h || y >= g->rows || from >= to)
        return;
    struct grid_link l = {y, from, to - from, g->paths.n};
    vec_push(&g->links, l);
    buf_add(&g->paths, path, strlen(path) + 1);
}

void grid_fill(struct grid *g, int y, int x, int width, uint32_t ch, uint8_t style)
{
    for (int i = x; i < x + width; i++)
        set_cell(g, y, i, g->ascii ? ascii_twin(ch) : ch, style);
}

void grid_mark(struct grid *g, int y, int x, int width, uint8_t bit)
{
    if (y < 0 || y >= g->rows)
        return;
    for (int i = x < 0 ? 0 : x; i < x + width && i < g->cols; i++)
        g->cell[y * g->cols + i].style |= bit;
}

/* Closing punctuation of Chinese texts never begins a line. */
static bool closes_punctuation(struct str rest)
{
    static const char *const marks[] = {"，", "。", "；", "：", "）", "、", "？", "！", "》", "”"};
    for (size_t i = 0; i < ARRAY_LEN(marks); i++)
        if (str_starts(rest, marks[i]))
            return true;
    return false;
}

/* The bytes of s that fit `width` cells, broken at a blank where there is one. Wide characters may be
 * broken between any two, a name or path that is longer than a line behind a part of it. */
static size_t line_break_at(struct str s, int width)
{
    struct str rest = s;
    size_t good = 0, part = 0;
    int used = 0;
    while (rest.n) {
        size_t at = s.n - rest.n;
        if (rest.p[0] == '\n')
            return at;
        if (at && used > width / 2 && strchr("./_-", s.p[at - 1]))
            part = at;
        bool blank = rest.p[0] == ' ';
        if (blank)
            good = at;
        uint32_t c = utf8_next(&rest);
        int w = utf8_width(c);
        if (used + w > width)
            return blank ? at : good ? good : part ? part : at;
        used += w;
        if (w == 2 && !closes_punctuation(rest))
            good = s.n - rest.n;
    }
    return s.n;
}

int grid_wrap(struct grid *g, struct rect r, int *y, int *skip, uint8_t style, struct str s)
{
    int lines = 0;
    if (r.w < 1)
        return 0;
    do {
        size_t n = line_break_at(s, r.w);
        if (*skip > 0) {
            --*skip;
        } else {
            if (*y < r.h)
                grid_text(g, r.y + *y, r.x, r.w, style, str_n(s.p, n));
            ++*y;
        }
        lines++;
        s = str_cut(s, n);
        if (s.n && (s.p[0] == ' ' || s.p[0] == '\n'))
            s = str_cut(s, 1);
        else if (s.n && !n)
            break; /* not one character fits */
    } while (s.n);
    return lines;
}

void grid_dump(const struct grid *g, bool attrs, struct buf *out)
{
    char tmp[4];
    for (int y = 0; y < g->rows; y++) {
        const struct cell *c = &g->cell[y * g->cols];
        int end = g->cols;
        while (end > 0 && c[end - 1].ch == ' ' && c[end - 1].style == STYLE_TEXT)
            end--;
        buf_cstr(out, "S ");
        for (int x = 0; x < end; x++)
            if (c[x].ch)
                buf_add(out, tmp, utf8_put(tmp, c[x].ch));
        buf_char(out, '\n');
        if (!attrs)
            continue;
        size_t from = out->n;
        bool any = false;
        buf_cstr(out, "A ");
        for (int x = 0; x < end; x++) {
            char letter = style_letter(c[x].style);
            if (c[x].style & STYLE_CURSOR && letter == '.')
                letter = 'R';
            else if (c[x].style & STYLE_CURSOR && letter >= 'a' && letter <= 'z')
                letter = (char)(letter - 32);
            any = any || letter != '.';
            buf_char(out, letter);
        }
        buf_char(out, '\n');
        if (!any) {
            out->n = from;
            out->p[from] = 0;
        }
    }
}
