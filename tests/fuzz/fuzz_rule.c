/* A rule, a view and two small sides with names of any kind: "PATTERN\nTEMPLATE\nVIEW\n", then calls in turn of the
 * target and of the golden side, "NAME SLOT ROWS SCOPE" a line. What is proposed of two rows holds for them, what a
 * view leaves of a tensor lies in it, and decisions never hold a row twice. */
#include "fuzz.h"

#include "pair/pair_rule.h"
#include "pair/decided_pairs.h"

enum { CALLS = 24 };

/* Names of rows are text: the files they come from have been read. */
static struct str clean(struct buf *b, struct str s)
{
    buf_clear(b);
    buf_cstr(b, "");
    for (size_t i = 0; i < s.n && s.p[i]; i++)
        buf_char(b, s.p[i] & 0x80 ? '?' : s.p[i]);
    return buf_view(b);
}

static void add_call(struct dump *d, struct str line)
{
    struct buf b = {0};
    struct str name, slot, rows, scope = STR("");
    if (!str_split(line, ' ', &name, &line) || !str_split(line, ' ', &slot, &line))
        return;
    str_split(line, ' ', &rows, &scope);
    unsigned long long n;
    if (!name.n || !slot.n || !str_u64(rows, &n))
        return;
    uint32_t c = dump_add_call(d, clean(&b, name), CALL_API, PHASE_FORWARD);
    if (scope.n)
        d->calls.v[c].scope = dump_scope(d, clean(&b, scope));
    int64_t dim[2] = {(int64_t)(n % 9), 4};
    struct row r = {.slot = dump_slot(d, clean(&b, slot)),
                    .shape = dump_shape(d, dim, 2),
                    .extra = NONE,
                    .io = (uint8_t)(n / 9 % 2),
                    .kind = ROW_TENSOR,
                    .dtype = DTYPE_F32,
                    .has = HAS_SHAPE};
    dump_add_row(d, c, r);
    buf_release(&b);
}

static void try_view(struct str text)
{
    struct view v, again;
    struct err e = {0};
    struct buf one = {0}, two = {0};
    char file[] = "t";
    struct tensor t = {.dtype = DTYPE_F32, .ndim = 3, .shape = {8, 6, 4}, .file = {.name = file}};
    if (view_parse(&v, text, &e)) {
        assert(e.text[0]);
        return;
    }
    view_write(&v, &one);
    if (view_parse(&again, buf_view(&one), &e))
        abort();
    view_write(&again, &two);
    assert(strcmp(one.p, two.p) == 0);
    if (tensor_pack(&t, "t", &e))
        abort();
    if (view_apply(&again, &t, &e) == 0) {
        uint64_t numel = 1, last = t.offset / 4;
        for (int i = 0; i < t.ndim; i++) {
            assert(t.shape[i] > 0 && t.stride[i] >= 0);
            numel *= (uint64_t)t.shape[i];
            last += (uint64_t)((t.shape[i] - 1) * t.stride[i]);
        }
        assert(numel == t.numel && last < 8 * 6 * 4);
    }
    buf_release(&one);
    buf_release(&two);
}

static void propose(const struct addresses at[2], uint32_t t, uint32_t g)
{
    struct buf p = {0}, q = {0}, here = {0}, there = {0};
    struct pair_rule_match m;
    struct err e;
    pair_rule_propose(&at[0], t, &at[1], g, &p, &q);
    if (pair_rule_compile(&m, p.p, q.p, &e))
        abort();
    address_of_row(&at[0], t, &here);
    if (!pair_rule_apply(&m, buf_view(&here), &there))
        abort();
    address_of_row(&at[1], g, &here);
    assert(str_eq(buf_view(&here), buf_view(&there)));
    uint32_t found = address_find(&at[1], buf_view(&there));
    assert(found != NONE);
    pair_rule_release(&m);
    buf_release(&p);
    buf_release(&q);
    buf_release(&here);
    buf_release(&there);
}

/* Rows of equal size are held once. */
static void check(const struct decided_pairs *r, const struct dump *t, const struct dump *g)
{
    for (size_t i = 0; i < r->pairs.n; i++)
        for (size_t k = 0; k < i; k++) {
            const struct decided_pair *a = &r->pairs.v[i], *b = &r->pairs.v[k];
            assert(a->t < t->rows.n && a->g < g->rows.n);
            assert(a->t != b->t || a->g != b->g);
            assert(a->t != b->t || dump_row_numel(t, a->t) > dump_row_numel(g, a->g));
            assert(a->g != b->g || dump_row_numel(g, a->g) > dump_row_numel(t, a->t));
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = fuzz_str(data, size), line[3];
    struct arena a = {0};
    struct dump d[2];
    struct addresses at[2];
    struct decisions decisions = {0};
    struct decisions_in_force ruling;
    struct decided_pairs ruled;
    const char *text[3];
    for (int i = 0; i < 3; i++) {
        str_split(rest, '\n', &line[i], &rest);
        text[i] = arena_cstr(&a, line[i]);
    }
    try_view(line[2]);
    for (int s = 0; s < 2; s++)
        dump_init(&d[s]);
    for (int i = 0; i < CALLS && rest.n; i++) {
        struct str call;
        str_split(rest, '\n', &call, &rest);
        add_call(&d[i % 2], call);
    }
    for (int s = 0; s < 2; s++) {
        d[s].complete = true;
        addresses_build(&at[s], &d[s]);
    }
    for (uint32_t i = 0; i < d[0].rows.n && i < d[1].rows.n; i++) {
        struct buf name[2] = {{0}, {0}};
        propose(at, i, i);
        for (int s = 0; s < 2; s++)
            dump_row_name(&d[s], i, &name[s]);
        struct decision x = {.kind = i % 3 == 2 ? DECIDE_REJECT : DECIDE_MARK, .step = i, .view = text[2],
                             .side = {arena_cstr(&a, buf_view(&name[0])), arena_cstr(&a, buf_view(&name[1]))}};
        if (i % 2)
            decisions_add(&decisions, x);
        for (int s = 0; s < 2; s++)
            buf_release(&name[s]);
    }
    struct decision rule = {.kind = DECIDE_RULE, .step = CALLS, .side = {text[0], text[1]}, .view = text[2]};
    struct decision module = {.kind = DECIDE_MARK, .step = CALLS, .side = {text[1], text[1]}, .view = ""};
    decisions_add(&decisions, rule);
    decisions_add(&decisions, module);
    decisions_in_force_read(&ruling, &decisions);
    decided_pairs_find(&ruled, &ruling, &d[0], &d[1]);
    check(&ruled, &d[0], &d[1]);
    decided_pairs_release(&ruled);
    decisions_in_force_release(&ruling);
    decisions_release(&decisions);
    for (int s = 0; s < 2; s++) {
        addresses_release(&at[s]);
        dump_release(&d[s]);
    }
    arena_release(&a);
    return 0;
}
