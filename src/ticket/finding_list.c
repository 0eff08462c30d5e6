/* The current list of findings in causal order: moving, linking, lookup by subject; tags and filters of their text. */
#include "base/msg.h"
#include "base/map.h"
#include "ticket/finding.h"

static int compare_finding_places(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Read from the newest version back: whether it is the last one of its number, and not removed. */
static bool is_current(struct nmap *seen, const struct finding *x)
{
    if (nmap_get(seen, x->number) != MAP_NONE)
        return false;
    nmap_set(seen, x->number, 1);
    return !x->removed;
}

/* The last version of each number without removed findings, by place. */
static void current_findings(const struct findings *f, finding_list *out)
{
    struct nmap seen = {0};
    for (size_t i = f->now; i-- > 0;)
        if (is_current(&seen, &f->log.v[i]))
            vec_push(out, f->log.v[i]);
    nmap_release(&seen);
    vec_sort(out, compare_finding_places);
}

size_t findings_open(const struct findings *f)
{
    struct nmap seen = {0};
    size_t open = 0;
    for (size_t i = f->now; i-- > 0;) {
        const struct finding *x = &f->log.v[i];
        if (is_current(&seen, x))
            open += x->status == FINDING_SUSPECTED;
    }
    nmap_release(&seen);
    return open;
}

/* Findings as a forest: for each finding of a list sorted by place, its first effect and the next effect of its
 * cause. */
struct finding_tree {
    struct nmap at;                 /* number → index */
    uint32_t *child, *sibling, *up; /* MAP_NONE: none */
    bool *taken;
};

static void build_finding_tree(struct finding_tree *t, const finding_list *l)
{
    size_t n = l->n ? l->n : 1;
    *t = (struct finding_tree){.child = mem_alloc(3 * n * sizeof(uint32_t)), .taken = mem_zalloc(n)};
    t->sibling = t->child + n;
    t->up = t->sibling + n;
    for (size_t i = 0; i < l->n; i++) {
        nmap_set(&t->at, l->v[i].number, (uint32_t)i);
        t->child[i] = MAP_NONE;
    }
    for (size_t i = l->n; i-- > 0;) { /* backwards, so that a cause's effects begin with the first */
        uint32_t cause = l->v[i].cause ? nmap_get(&t->at, l->v[i].cause) : MAP_NONE;
        t->up[i] = cause == i ? MAP_NONE : cause;
        t->sibling[i] = MAP_NONE;
        if (t->up[i] != MAP_NONE) {
            t->sibling[i] = t->child[cause];
            t->child[cause] = (uint32_t)i;
        }
    }
}

static void free_finding_tree(struct finding_tree *t)
{
    nmap_release(&t->at);
    free(t->child);
    free(t->taken);
}

/* A finding and all its effects, depth first; without recursion, because a file determines the depth. */
static void walk_effects(struct finding_tree *t, const finding_list *l, uint32_t top, finding_list *out)
{
    uint16_t depth = 0;
    for (uint32_t i = top;;) {
        struct finding x = l->v[i];
        x.depth = depth;
        if (t->up[i] == MAP_NONE)
            x.cause = 0; /* that finding was taken out */
        vec_push(out, x);
        t->taken[i] = true;
        uint32_t next = t->child[i];
        if (next != MAP_NONE && !t->taken[next]) {
            depth += depth < UINT16_MAX;
            i = next;
            continue;
        }
        while (i != top && (t->sibling[i] == MAP_NONE || t->taken[t->sibling[i]])) {
            i = t->up[i];
            depth -= depth > 0;
        }
        if (i == top)
            return;
        i = t->sibling[i];
    }
}

void findings_read(const struct findings *f, finding_list *out)
{
    finding_list l = {0};
    struct finding_tree t;
    current_findings(f, &l);
    build_finding_tree(&t, &l);
    for (uint32_t i = 0; i < l.n; i++)
        if (t.up[i] == MAP_NONE)
            walk_effects(&t, &l, i, out);
    for (uint32_t i = 0; i < l.n; i++) /* what is left follows from itself */
        if (!t.taken[i])
            walk_effects(&t, &l, i, out);
    free_finding_tree(&t);
    vec_release(&l);
}

/* The names of a call are those of calls; a row's name begins with its call's. */
static bool finding_has_name(const struct finding *x, int side, const char *name)
{
    const char *own = x->about[side];
    size_t n = strlen(own);
    if (!*name || !n)
        return false;
    bool call = x->subject == SUBJECT_CALL || x->subject == SUBJECT_GAP;
    return strncmp(name, own, n) == 0 && (!name[n] || (call && name[n] == '.'));
}

bool findings_about(const struct findings *f, const char *target, const char *golden, struct finding *out)
{
    finding_list l = {0};
    bool any = false;
    current_findings(f, &l);
    for (size_t i = 0; i < l.n; i++) {
        const struct finding *x = &l.v[i];
        bool same = x->subject <= SUBJECT_ELEMENT && (finding_has_name(x, 0, target) || finding_has_name(x, 1, golden));
        if (same && (!any || x->number > out->number)) {
            *out = *x;
            any = true;
        }
    }
    vec_release(&l);
    return any;
}

bool findings_on(const struct findings *f, enum finding_subject subject, const char *const about[2], const char *at,
                 struct finding *out)
{
    finding_list l = {0};
    bool any = false;
    current_findings(f, &l);
    for (size_t i = 0; i < l.n; i++) {
        const struct finding *x = &l.v[i];
        bool same = x->subject == subject && strcmp(x->about[0], about[0]) == 0 && strcmp(x->about[1], about[1]) == 0 &&
                    strcmp(x->at ? x->at : "", at) == 0;
        if (same && (!any || x->number > out->number)) {
            *out = *x;
            any = true;
        }
    }
    vec_release(&l);
    return any;
}

/* ---- their order ---- */

/* Index in the list of the finding and of its neighbour of the same cause; false if there is none. */
static bool find_neighbour(const finding_list *l, uint32_t number, int by, size_t *at, size_t *other)
{
    *at = 0;
    while (*at < l->n && l->v[*at].number != number)
        ++*at;
    if (*at == l->n)
        return false;
    uint16_t depth = l->v[*at].depth;
    for (size_t i = *at; by < 0 ? i-- > 0 : ++i < l->n;) {
        if (l->v[i].depth < depth)
            return false;
        if (l->v[i].depth == depth) {
            *other = i;
            return true;
        }
    }
    return false;
}

bool findings_movable(const struct findings *f, uint32_t number, int by)
{
    finding_list l = {0};
    size_t at, other;
    findings_read(f, &l);
    bool ok = find_neighbour(&l, number, by, &at, &other);
    vec_release(&l);
    return ok;
}

void findings_move(struct findings *f, uint32_t number, int by, const char *author, int64_t time)
{
    finding_list l = {0};
    size_t at, other;
    findings_read(f, &l);
    if (find_neighbour(&l, number, by, &at, &other)) {
        struct finding moved[2] = {l.v[at], l.v[other]};
        uint32_t step = findings_step(f), place = moved[0].place;
        moved[0].place = moved[1].place;
        moved[1].place = place;
        if (moved[0].place == place) /* a file gave both the same */
            moved[by < 0].place++;
        for (int i = 0; i < 2; i++) {
            moved[i].step = step;
            moved[i].author = author;
            moved[i].time = time;
            findings_add(f, moved[i]);
        }
    }
    vec_release(&l);
}

int findings_linkable(const struct findings *f, uint32_t number, uint32_t cause, struct err *e)
{
    struct finding x, up;
    size_t steps = 0;
    if (!findings_get(f, number, &x))
        return err_set(e, ERR_USAGE, _("no finding %u; :findings lists them"), number);
    if (!cause)
        return 0;
    if (!findings_get(f, cause, &up))
        return err_set(e, ERR_USAGE, _("no finding %u; :findings lists them"), cause);
    if (number == cause)
        return err_set(e, ERR_USAGE, _("finding %u: cannot be its own cause"), number);
    while (up.cause && steps++ < f->log.n && findings_get(f, up.cause, &up))
        if (up.number == number)
            return err_set(e, ERR_USAGE, _("finding %u already follows from finding %u: the causes would form a "
                                           "loop"), cause, number);
    return 0;
}

bool findings_root(const struct findings *f, uint32_t number, struct finding *out)
{
    for (size_t steps = 0; number && steps <= f->log.n && findings_get(f, number, out); steps++) {
        if (out->status == FINDING_ROOT_CAUSE)
            return true;
        number = out->cause;
    }
    return false;
}

/* ---- tags and filters ---- */

/* The next word of a text that may have several lines. */
static bool next_finding_word(struct str *text, struct str *word)
{
    size_t from = 0;
    while (from < text->n && (text->p[from] == ' ' || text->p[from] == '\n' || text->p[from] == '\t'))
        from++;
    *text = str_cut(*text, from);
    size_t n = 0;
    while (n < text->n && text->p[n] != ' ' && text->p[n] != '\n' && text->p[n] != '\t')
        n++;
    *word = str_n(text->p, n);
    *text = str_cut(*text, n);
    return n > 0;
}

struct str finding_tag(struct str text, int i)
{
    struct str word;
    while (next_finding_word(&text, &word))
        if (word.n > 1 && word.p[0] == '#' && i-- == 0)
            return str_cut(word, 1);
    return STR("");
}

static bool has_tag(struct str text, struct str tag)
{
    struct str have;
    for (int i = 0; (have = finding_tag(text, i)).n; i++)
        if (str_eq(have, tag))
            return true;
    return false;
}

void finding_retag(struct str text, struct str tags, struct buf *out)
{
    struct str word, part;
    buf_clear(out);
    buf_str(out, text);
    while (next_finding_word(&tags, &word)) {
        bool off = word.p[0] == '-';
        word = off ? str_cut(word, 1) : word;
        word = word.n && word.p[0] == '#' ? str_cut(word, 1) : word;
        if (!word.n)
            continue;
        if (!off && !has_tag(buf_view(out), word))
            buf_fmt(out, "%s#%.*s", out->n ? " " : "", STR_ARG(word));
        if (!off)
            continue;
        char *was = str_dup(buf_view(out));
        struct str rest = str_of(was);
        buf_clear(out);
        buf_cstr(out, "");
        for (const char *seen = was; next_finding_word(&rest, &part); seen = rest.p) {
            bool gone = part.p[0] == '#' && str_eq(str_cut(part, 1), word);
            if (!gone) /* with the blanks and lines before it */
                buf_str(out, str_n(seen, (size_t)(part.p + part.n - seen)));
        }
        free(was);
    }
}

void finding_line(const char *text, struct buf *out)
{
    struct str rest = str_of(text), word;
    buf_clear(out);
    while (next_finding_word(&rest, &word))
        buf_fmt(out, "%s%.*s", out->n ? " " : "", STR_ARG(word));
}

static bool wanted_word(const struct finding *x, struct str word)
{
    if (word.p[0] == '#')
        return has_tag(str_of(x->text), str_cut(word, 1));
    if (str_starts(word, "author:"))
        return str_eq(str_cut(word, 7), str_of(x->author));
    if (str_starts(word, "severity:"))
        return finding_severity_find(str_cut(word, 9)) == x->severity;
    if (str_starts(word, "on:"))
        return finding_subject_find(str_cut(word, 3)) == x->subject;
    int status = finding_status_find(word);
    if (status >= 0)
        return status == x->status;
    char *part = str_dup(word);
    bool has = str_ihas(str_of(x->text), part);
    free(part);
    return has;
}

bool finding_wanted(const struct finding *x, struct str filter)
{
    struct str word;
    while (next_finding_word(&filter, &word))
        if (!wanted_word(x, word))
            return false;
    return true;
}
