/* Loads data/recipes.conf once and fills a snippet's fields. */
#include "panel/recipe.h"

#include <pthread.h>

#include "base/embed.h"
#include "base/msg.h"
#include "base/vec.h"

static struct {
    pthread_once_t once;
    VEC(struct recipe) list;
    struct arena arena;
    const char *bad;
} data = {.once = PTHREAD_ONCE_INIT};

static bool parse_recipe_head(struct str line, struct recipe *r)
{
    *r = (struct recipe){0};
    str_split(line, ' ', &r->name, &line);
    str_split(line, ' ', &r->need, &line);
    return str_split(line, ' ', &r->framework, &r->file);
}

static bool parse_recipe_field(struct recipe *r, struct str line)
{
    struct str text = str_trim(line);
    if (str_starts(text, "en "))
        r->en = str_cut(text, 3);
    else if (str_starts(text, "zh "))
        r->zh = str_cut(text, 3);
    else if (str_starts(text, "|"))
        r->body = r->body.n ? str_n(r->body.p, (size_t)(line.p + line.n - r->body.p)) : line;
    else
        return false;
    return true;
}

/* With names that are C strings too. */
static void keep_recipe(struct recipe *r)
{
    r->name = arena_str(&data.arena, r->name);
    r->file = arena_str(&data.arena, r->file);
    vec_push(&data.list, *r);
}

static void load_recipes(void)
{
    struct str rest = embed_str(&embed_recipes_conf), line;
    struct recipe r;
    while (rest.n) {
        line = str_next(&rest, '\n');
        if (!line.n || line.p[0] == '#')
            continue;
        if (line.p[0] != ' ' && !parse_recipe_head(line, &r))
            data.bad = "recipes.conf: NAME NEED FRAMEWORK FILE was expected";
        else if (line.p[0] != ' ')
            keep_recipe(&r);
        else if (!data.list.n || !parse_recipe_field(vec_last(&data.list), line))
            data.bad = "recipes.conf: en, zh or | was expected";
    }
}

size_t recipe_count(void)
{
    pthread_once(&data.once, load_recipes);
    return data.list.n;
}

const struct recipe *recipe_at(size_t i)
{
    return i < recipe_count() ? &data.list.v[i] : NULL;
}

const struct recipe *recipe_find(struct str name)
{
    for (size_t i = 0; i < recipe_count(); i++)
        if (str_eq(data.list.v[i].name, name))
            return &data.list.v[i];
    return NULL;
}

const char *recipes_bad(void)
{
    for (size_t i = 0; i < recipe_count() && !data.bad; i++) {
        const struct recipe *r = &data.list.v[i];
        if (!r->en.n || !r->zh.n || !r->body.n || !r->file.n)
            data.bad = "recipes.conf: en, zh and a body belong to every recipe";
    }
    return data.bad;
}

struct str recipe_text(const struct recipe *r)
{
    return str_is(str_of(msg_current()), "zh_CN") ? r->zh : r->en;
}

static void put_number_or(struct buf *out, int n, const char *all)
{
    if (n < 0)
        buf_cstr(out, all);
    else
        buf_fmt(out, "%d", n);
}

static void fill_recipe_field(struct str name, const struct recipe_facts *f, int side, struct buf *out)
{
    if (str_is(name, "step"))
        put_number_or(out, f->step, "0");
    else if (str_is(name, "iteration"))
        put_number_or(out, f->step, "0");
    else if (str_is(name, "rank"))
        put_number_or(out, f->rank, "");
    else if (str_is(name, "task"))
        buf_cstr(out, f->tensors ? "tensor" : "statistics");
    else if (str_is(name, "list"))
        buf_cstr(out, f->list[side] ? f->list[side] : "");
    else if (str_is(name, "kernels"))
        buf_cstr(out, f->kernels ? f->kernels : "");
    else if (str_is(name, "row"))
        buf_cstr(out, f->row ? f->row : "");
    else if (str_is(name, "value"))
        buf_cstr(out, f->value ? f->value : "");
    else if (str_is(name, "dump_mode"))
        buf_cstr(out, f->kernels && *f->kernels ? "1" : "0");
}

void recipe_write(const struct recipe *r, const struct recipe_facts *f, int side, struct buf *out)
{
    struct str rest = r->body, line;
    while (rest.n) {
        line = str_next(&rest, '\n');
        line = str_cut(str_trim(line), 1); /* the bar and a blank behind it */
        line = line.n && line.p[0] == ' ' ? str_cut(line, 1) : line;
        for (ptrdiff_t at; (at = str_search(line, "${")) >= 0;) {
            struct str inner = str_cut(line, (size_t)at + 2), name;
            buf_str(out, str_n(line.p, (size_t)at));
            if (!str_split(inner, '}', &name, &line)) {
                line = inner; /* no end: as it is */
                break;
            }
            fill_recipe_field(name, f, side, out);
        }
        buf_str(out, line);
        buf_char(out, '\n');
    }
}
