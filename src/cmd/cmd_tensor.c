/* Commands of the tensor view. */
#include <math.h>

#include "base/msg.h"
#include "base/num.h"
#include "cmd/cmd.h"

/* Indices separated by commas; returns their number, -1 for other text. */
static int parse_indices(struct str text, int64_t at[TENSOR_DIMS])
{
    struct str word;
    unsigned long long v;
    int n = 0;
    for (bool more = text.n > 0; more;) {
        more = str_split(text, ',', &word, &text);
        if (n == TENSOR_DIMS || !str_u64(str_trim(word), &v) || v > INT64_MAX)
            return -1;
        at[n++] = (int64_t)v;
    }
    return n;
}

static int run_tensor(struct workspace *d, struct str args)
{
    int64_t at[TENSOR_DIMS];
    int n = parse_indices(args, at);
    if (n < 0) {
        workspace_complain(d, "%s", _("tensor [I,J …]: expected indices separated by commas"));
        return 0;
    }
    if (!tensor_view_possible(d, d->cursor)) {
        workspace_complain(d, "%s", _("no tensor was recorded for this row, or its file cannot be read; the detail "
                                      "pane has its statistics"));
        return 0;
    }
    d->tensor.open = true;
    d->tensor.wishes = n;
    memcpy(d->tensor.wish, at, (size_t)n * sizeof *at);
    d->focus = FOCUS_TABLE;
    d->overlay = OVERLAY_NONE;
    d->follow = false;
    tensor_view_refresh(d);
    return 0;
}

/* The view with its tensor there and locked, or NULL and a message. */
static struct tensor_view *begin_tensor_view(struct workspace *d)
{
    struct tensor_view *s = &d->tensor;
    if (!s->open) {
        workspace_complain(d, "%s", _("only in the tensor view; Enter on a row with tensors opens it"));
        return NULL;
    }
    tensor_reader_lock(&s->reader);
    if (tensor_view_ready(d) == TENSOR_READER_OPEN)
        return s;
    tensor_reader_unlock(&s->reader);
    workspace_complain(d, "%s", _("the tensor is not open yet"));
    return NULL;
}

static int end_tensor_view(struct tensor_view *s)
{
    tensor_reader_unlock(&s->reader);
    return 0;
}

/* ---- moving ---- */

/* Moves to the extreme element of the new cell, if it is known. */
static void land_on_extreme(struct tensor_view *s)
{
    struct heat_map_ask now;
    struct heat_map_ask *last = &s->reader.ask;
    const struct element_lens *l = &s->reader.lens;
    tensor_view_ask(s, s->cells[0], s->cells[1], &now);
    if (!s->reader.asked || !heat_map_same(&now, last))
        return;
    const struct heat_map *h = tensor_reader_heat(&s->reader);
    int64_t cell[2];
    for (int i = 0; i < 2; i++)
        cell[i] = ((s->axis[i] >= 0 ? s->at[s->axis[i]] : 0) - now.from[i]) / now.size[i];
    const struct heat_map_cell *c = h ? &h->cell[cell[0] * h->w + cell[1]] : NULL;
    if (c && c->seen)
        element_lens_place(l, c->at[tensor_view_kind(s)], s->at);
}

static void move_by_cells(struct tensor_view *s, int way, int64_t cells)
{
    int axis = s->axis[way];
    if (axis < 0 || !s->size[way])
        return;
    int64_t n = s->reader.lens.shape[axis], size = s->size[way], last = (n - 1) / size, cell = s->at[axis] / size;
    int64_t to = cells < -cell ? 0 : cells > last - cell ? last : cell + cells;
    if (to == cell)
        return;
    s->at[axis] = to * size;
    for (int i = 0; i < 2; i++) /* of the other way the cell stays */
        if (i != way && s->axis[i] >= 0)
            s->at[s->axis[i]] = s->at[s->axis[i]] / s->size[i] * s->size[i];
    land_on_extreme(s);
}

static const char *const ways[] = {"up", "down", "left", "right"};

static int run_cells(struct workspace *d, struct str args)
{
    struct str word, count;
    unsigned long long n = 1;
    size_t way = 0;
    if (!str_split(args, ' ', &word, &count))
        word = args, count = STR("");
    while (way < ARRAY_LEN(ways) && !str_is(word, ways[way]))
        way++;
    bool page = str_is(str_trim(count), "page"), all = str_is(str_trim(count), "all");
    if (way == ARRAY_LEN(ways) || (count.n && !page && !all && (!str_u64(str_trim(count), &n) || n > INT32_MAX))) {
        workspace_complain(d, "%s", _("cells: expected up, down, left or right, and N, page or all"));
        return 0;
    }
    struct tensor_view *s = begin_tensor_view(d);
    if (!s)
        return 0;
    int64_t by = all ? INT64_MAX / 2 : page ? s->cells[way / 2] : (int64_t)n;
    move_by_cells(s, (int)(way / 2), way % 2 ? by : -by);
    return end_tensor_view(s);
}

static int run_at(struct workspace *d, struct str args)
{
    int64_t at[TENSOR_DIMS];
    int n = parse_indices(args, at);
    struct tensor_view *s = begin_tensor_view(d);
    if (!s)
        return 0;
    const struct element_lens *l = &s->reader.lens;
    bool good = n == l->ndim;
    for (int i = 0; good && i < n; i++)
        good = at[i] < l->shape[i];
    if (!good) {
        struct buf shape = {0};
        for (int i = 0; i < l->ndim; i++)
            buf_fmt(&shape, i ? ",%lld" : "%lld", (long long)l->shape[i]);
        workspace_complain(d, _("at: expected %d indices inside [%s], separated by commas"), l->ndim,
                           shape.p);
        buf_release(&shape);
        return end_tensor_view(s);
    }
    memcpy(s->at, at, (size_t)n * sizeof *at);
    return end_tensor_view(s);
}

static int step_direction(struct str args)
{
    return str_is(args, "prev") ? -1 : 1;
}

/* Moves in a list that is still being computed; false after a message, or if more entries may follow. */
static bool go_to_listed(struct workspace *d, struct tensor_view *s, const struct tensor_stats_place *list, int n,
                         struct str args)
{
    const struct tensor_stats *t = &s->reader.tally;
    char share[NUM_MAX];
    if (!n && !tally_complete(t)) {
        workspace_say(d, "%s", _("none found yet; the tensor is still being read"));
        return false;
    }
    if (!n)
        return true;
    s->place += step_direction(args);
    s->place = s->place < 0 ? n - 1 : s->place >= n ? 0 : s->place;
    tensor_view_go(s, list[s->place].at);
    if (tally_complete(t))
        return true;
    workspace_say(d, _("%d of %d so far; %s %% of the tensor read"), s->place + 1, n,
                  num_cell(share, floor(1000 * (double)t->read / (double)t->numel) / 10, 3));
    return false;
}

static int run_worst(struct workspace *d, struct str args)
{
    struct tensor_view *s = begin_tensor_view(d);
    if (!s)
        return 0;
    const struct tensor_stats *t = &s->reader.tally;
    bool two = s->reader.lens.has[0] && s->reader.lens.has[1], said = !go_to_listed(d, s, t->worst, t->worsts, args);
    if (!said && t->worsts)
        workspace_say(d, two ? _("%d of the %d largest errors") : _("%d of the %d values farthest from zero"),
                      s->place + 1, t->worsts);
    else if (!said)
        workspace_say(d, "%s", two ? _("no finite element differs") : _("every element is zero or non-finite"));
    return end_tensor_view(s);
}

static int run_nonfinite(struct workspace *d, struct str args)
{
    struct tensor_view *s = begin_tensor_view(d);
    if (!s)
        return 0;
    const struct tensor_stats *t = &s->reader.tally;
    bool said = !go_to_listed(d, s, t->odd, t->odds, args);
    if (!said && t->odds)
        workspace_say(d, _("%d of the first %d elements that are NaN or infinite"), s->place + 1, t->odds);
    else if (!said)
        workspace_say(d, "%s", _("no element is NaN or infinite"));
    return end_tensor_view(s);
}

/* ---- axes ---- */

static void set_axes(struct tensor_view *s, int rows, int columns)
{
    const struct element_lens *l = &s->reader.lens;
    s->axis[0] = rows;
    s->axis[1] = columns;
    s->from[0] = s->from[1] = 0;
    s->magnified = 0;
    s->slider = -1;
    for (int i = 0; i < l->ndim; i++)
        if (i != rows && i != columns && l->shape[i] > 1)
            s->slider = i;
}

/* The next or previous two axes longer than 1, rows before columns. */
static void turn_axes(struct workspace *d, struct tensor_view *s, int step)
{
    const struct element_lens *l = &s->reader.lens;
    int pair[TENSOR_DIMS * TENSOR_DIMS][2], n = 0, now = 0;
    for (int r = 0; r < l->ndim; r++)
        for (int c = r + 1; c < l->ndim; c++)
            if (l->shape[r] > 1 && l->shape[c] > 1) {
                if (r == s->axis[0] && c == s->axis[1])
                    now = n;
                pair[n][0] = r;
                pair[n++][1] = c;
            }
    if (n < 2) {
        workspace_say(d, "%s", _("no other pair of axes longer than 1"));
        return;
    }
    now = (now + step + n) % n;
    set_axes(s, pair[now][0], pair[now][1]);
}

static int run_axes(struct workspace *d, struct str args)
{
    struct str a, b;
    unsigned long long r, c;
    struct tensor_view *s = begin_tensor_view(d);
    if (!s)
        return 0;
    int n = s->reader.lens.ndim;
    if (!args.n || str_is(args, "next") || str_is(args, "prev"))
        turn_axes(d, s, step_direction(args));
    else if (str_split(args, ' ', &a, &b) && str_u64(a, &r) && str_u64(str_trim(b), &c) && r < (unsigned)n &&
             c < (unsigned)n && r != c)
        set_axes(s, (int)r, (int)c);
    else
        workspace_complain(d,
                           _("axes: expected next, prev, or two different axes from 0 to %d: rows, then "
                             "columns"), n - 1);
    return end_tensor_view(s);
}

static const char *complete_step_word(const struct workspace *d, int i)
{
    static const char *const words[] = {"next", "prev"};
    (void)d;
    return i < (int)ARRAY_LEN(words) ? words[i] : NULL;
}

static int run_slider(struct workspace *d, struct str args)
{
    struct tensor_view *s = begin_tensor_view(d);
    if (!s)
        return 0;
    const struct element_lens *l = &s->reader.lens;
    int step = step_direction(args), at = s->slider;
    for (int i = 0; at >= 0 && i < l->ndim; i++) {
        at = (at + step + l->ndim) % l->ndim;
        if (at != s->axis[0] && at != s->axis[1] && l->shape[at] > 1)
            break;
    }
    s->slider = at;
    if (at < 0)
        workspace_say(d, "%s", _("no hidden axis to move along: all axes longer than 1 are shown"));
    else
        workspace_say(d, _("moving along axis %d"), at);
    return end_tensor_view(s);
}

static int run_slide(struct workspace *d, struct str args)
{
    bool back = args.n && args.p[0] == '-';
    struct str number = args.n && (back || args.p[0] == '+') ? str_cut(args, 1) : args;
    unsigned long long n;
    if (!str_u64(number, &n) || n > INT64_MAX / 2) {
        workspace_complain(d, "%s", _("slide: expected an index N, or +N or -N to move by N"));
        return 0;
    }
    struct tensor_view *s = begin_tensor_view(d);
    if (!s)
        return 0;
    if (s->slider < 0) {
        workspace_say(d, "%s", _("no hidden axis to move along: all axes longer than 1 are shown"));
        return end_tensor_view(s);
    }
    int64_t last = s->reader.lens.shape[s->slider] - 1, *at = &s->at[s->slider];
    int64_t to = back ? *at - (int64_t)n : number.n < args.n ? *at + (int64_t)n : (int64_t)n;
    *at = to < 0 ? 0 : to > last ? last : to;
    return end_tensor_view(s);
}

/* ---- how it is shown ---- */

static const char *const maps[HEAT_MAP_KINDS] = {"diff", "target", "golden"};

static int run_map(struct workspace *d, struct str args)
{
    struct tensor_view *s = &d->tensor;
    enum heat_map_kind to = (s->shown + 1) % HEAT_MAP_KINDS;
    for (int i = 0; i < HEAT_MAP_KINDS; i++)
        if (str_is(args, maps[i]))
            to = (enum heat_map_kind)i;
    if (s->open && s->of == TENSOR_VIEW_ALONE) { /* the other side, where it has a tensor too */
        s->alone = args.n && to != HEAT_MAP_ERROR
                   ? (enum side)(to - HEAT_MAP_TARGET) : s->alone == TARGET ? GOLDEN : TARGET;
        tensor_view_refresh(d);
        return 0;
    }
    s->shown = to;
    return 0;
}

static const char *complete_map(const struct workspace *d, int i)
{
    (void)d;
    return i < HEAT_MAP_KINDS ? maps[i] : NULL;
}

static int run_log(struct workspace *d, struct str args)
{
    struct tensor_view *s = begin_tensor_view(d);
    if (!s)
        return 0;
    bool *linear = &s->linear[tensor_view_kind(s) != HEAT_MAP_ERROR];
    *linear = str_is(args, "off") || (!str_is(args, "on") && !*linear);
    workspace_say(d, "%s", *linear ? _("linear shading") : _("logarithmic shading"));
    return end_tensor_view(s);
}

static int run_numbers(struct workspace *d, struct str args)
{
    struct tensor_view *s = begin_tensor_view(d);
    if (!s)
        return 0;
    s->numbers = str_is(args, "on") ? 1 : str_is(args, "off") ? -1 : s->single ? -1 : 1;
    return end_tensor_view(s);
}

static void copy_number(double v, struct buf *out)
{
    char n[NUM_MAX];
    buf_cstr(out, num_cell(n, v, 17));
}

/* The content of the counting map, one line of text per row. */
static int run_copy_region(struct workspace *d, struct str args)
{
    struct tensor_view *s = begin_tensor_view(d);
    (void)args;
    if (!s)
        return 0;
    const struct heat_map *h = tensor_reader_heat(&s->reader);
    enum heat_map_kind k = tensor_view_kind(s);
    bool whole = h && heat_map_complete(h);
    buf_clear(&d->copy);
    for (int y = 0; whole && y < h->h; y++)
        for (int x = 0; x < h->w; x++) {
            copy_number(h->cell[y * h->w + x].value[k], &d->copy);
            buf_char(&d->copy, x + 1 < h->w ? '\t' : '\n');
        }
    end_tensor_view(s);
    if (whole)
        workspace_say(d, s->size[0] * s->size[1] > 1 ? _("copied %d × %d cells, each with the extreme value of its "
                                                         "elements")
                                                     : _("copied %d × %d elements"), h->h, h->w);
    else
        workspace_complain(d, "%s", _("the map is not complete yet"));
    return whole ? R_COPY : 0;
}

static int run_magnify(struct workspace *d, struct str args)
{
    bool out = str_is(args, "out");
    struct tensor_view *s = begin_tensor_view(d);
    if (!s)
        return 0;
    if (!out && s->size[0] <= 1 && s->size[1] <= 1)
        workspace_say(d, "%s", _("already one element per cell"));
    else if (out && !s->magnified)
        workspace_say(d, "%s", _("the whole plane is already shown"));
    else
        s->magnified += out ? -1 : 1;
    return end_tensor_view(s);
}

static const char *complete_magnify(const struct workspace *d, int i)
{
    static const char *const words[] = {"in", "out"};
    (void)d;
    return i < (int)ARRAY_LEN(words) ? words[i] : NULL;
}

static const char *complete_way(const struct workspace *d, int i)
{
    (void)d;
    return i < (int)ARRAY_LEN(ways) ? ways[i] : NULL;
}

const struct command commands_tensor[] = {
    {"tensor", "[I,J …]", N_("open the tensors of the row: heat maps, worst elements, histograms; one side if not "
                             "paired; at the given element"), NEEDS_ROW | ON_ROW, run_tensor, NULL},
    {"map", "[diff|target|golden]", N_("choose the main map: difference, target or golden "
                                       "side"), 0, run_map, complete_map},
    {"log", "[on|off]", N_("choose logarithmic or linear shading"), 0, run_log, NULL},
    {"axes", "next|prev|ROWS COLUMNS", N_("choose the axes of the tensor that are shown as rows and "
                                          "columns"), 0, run_axes, complete_step_word},
    {"slider", "next|prev", N_("choose the hidden axis to move along"), 0, run_slider, complete_step_word},
    {"slide", "N|+N|-N", N_("move along the hidden axis: to an index, or by N"), 0, run_slide, NULL},
    {"cells", "up|down|left|right [N|page|all]", N_("move in the map; in a cell with several elements the cursor is on "
                                                    "the extreme one"), 0, run_cells, complete_way},
    {"magnify", "in|out", N_("zoom around the cursor"), 0, run_magnify, complete_magnify},
    {"numbers", "[on|off]", N_("show the elements around the cursor as numbers, or as shades"), 0, run_numbers,
     NULL},
    {"copy-region", "", N_("copy the values of the map to the clipboard, as rows of "
                           "numbers"), 0, run_copy_region, NULL},
    {"at", "I,J,…", N_("go to the element with these indices"), 0, run_at, NULL},
    {"worst", "next|prev", N_("go to the element with the next largest error"), 0, run_worst, complete_step_word},
    {"nonfinite", "next|prev", N_("go to the next element that is NaN or infinite"), 0, run_nonfinite, complete_step_word},
    {0},
};
