/* A saved investigation: read, changed, written and read again, it says the same. */
#include "fuzz.h"

#include "ticket/investigation.h"
#include "ticket/merge.h"

static void assert_same(const char *a, const char *b)
{
    assert(!a == !b && (!a || strcmp(a, b) == 0));
}

/* JSON files hold UTF-8; what came in otherwise need not come out the same. */
static bool is_ascii(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] & 0x80)
            return false;
    return !str_has(s, "\\u");
}

static void check_decisions(const struct decisions *a, const struct decisions *b)
{
    assert(a->log.n == b->log.n && a->now == b->now);
    for (size_t i = 0; i < a->log.n; i++) {
        const struct decision *x = &a->log.v[i], *y = &b->log.v[i];
        bool turn = x->kind == DECIDE_RULE_OFF || x->kind == DECIDE_RULE_ON;
        assert(x->kind == y->kind && x->step == y->step && (!turn || x->rule == y->rule));
        for (int s = 0; s < 2 && !turn; s++)
            assert_same(x->side[s], y->side[s]);
        assert_same(x->view, y->view);
    }
}

/* Everything can be taken back, done again, and read at any place. */
static void walk(struct decisions *d)
{
    size_t now = d->now, steps = 0;
    struct decisions_in_force r;
    while (decisions_undo(d, false))
        if (steps++ < 8) {
            decisions_in_force_read(&r, d);
            assert(r.marks.n + r.rejects.n + r.rules.n <= d->now);
            decisions_in_force_release(&r);
        }
    assert(d->now == 0);
    while (d->now < now && decisions_undo(d, true))
        steps--;
    d->now = now;
}

/* Merged into another and with itself: whatever it holds, both can be written. */
static void merge(struct investigation *v, struct str text)
{
    struct investigation two[2];
    struct err e = {0};
    struct buf b = {0};
    for (int i = 0; i < 2; i++) {
        struct merge m = {.name = {"a", "b"}, .author = "me", .force = true, .choice = i ? MERGE_THEIRS : MERGE_ASK};
        investigation_init(&two[i]);
        if (i && investigation_parse(&two[i], text, "x", &e))
            abort();
        if (merge_investigations(&m, &two[i], v, &e))
            assert(e.text[0]);
        investigation_write(&two[i], &b);
        merge_release(&m);
        buf_clear(&b);
    }
    investigation_release(&two[0]);
    investigation_release(&two[1]);
    buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct investigation v, w;
    struct err e = {0};
    struct str text = fuzz_str(data, size);
    const char *path = fuzz_put(fuzz_dir(), "t.investigation.json", text);
    investigation_init(&v);
    if (investigation_load(&v, path, &e)) {
        assert(e.text[0]);
        investigation_release(&v);
        return 0;
    }
    walk(&v.decisions);
    bool added = investigation_bookmark(&v, "target row", "golden row");
    if (!v.read_only && is_ascii(text)) {
        if (investigation_save(&v, &e))
            abort();
        investigation_init(&w);
        if (investigation_load(&w, path, &e))
            abort();
        check_decisions(&v.decisions, &w.decisions);
        assert(w.bookmarks.n == v.bookmarks.n && w.maps.n == v.maps.n);
        assert(investigation_is_bookmarked(&w, "target row", "golden row") == added);
        for (int i = 0; i < 2; i++) {
            assert_same(v.input[i], w.input[i]);
            assert_same(v.cursor[i], w.cursor[i]);
            assert(v.step[i] < 0 ? w.step[i] < 0 : v.step[i] == w.step[i]);
            assert(v.rank[i] < 0 ? w.rank[i] < 0 : v.rank[i] == w.rank[i]);
        }
        assert(v.map_only == w.map_only && v.exact == w.exact && v.strict_gaps == w.strict_gaps);
        investigation_release(&w);
    }
    if (!v.read_only)
        merge(&v, text);
    investigation_release(&v);
    return 0;
}
