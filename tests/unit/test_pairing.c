/* The table of pairs: names, a user's mapping, one-sided rows in their places, and why two rows meet. */
#include "draws.h"
#include "support.h"

#include "pair/pairing.h"

/* "call slot slot|call slot": a side with one row a slot. */
static void side(struct dump *d, const char *framework, const char *text)
{
    struct str rest = str_of(text), call, slot;
    dump_init(d);
    d->framework = framework;
    while (rest.n) {
        str_split(rest, '|', &call, &rest);
        str_split(call, ' ', &slot, &call);
        uint32_t c = dump_add_call(d, slot, CALL_API, PHASE_FORWARD);
        while (call.n) {
            str_split(call, ' ', &slot, &call);
            struct row r = {.slot = dump_slot(d, slot), .shape = NONE, .extra = NONE};
            dump_add_row(d, c, r);
        }
    }
    d->complete = true;
}

/* The table as text: "a.x=a.x b.y= =c.z". */
static const char *table(const struct pairing *p, const struct dump *t, const struct dump *g)
{
    static struct buf out;
    struct buf name = {0};
    buf_clear(&out);
    buf_cstr(&out, "");
    for (size_t i = 0; i < p->lines.n; i++) {
        const struct line *l = &p->lines.v[i];
        assert_int_equal(l->pair == NONE, l->row[0] == NONE || l->row[1] == NONE);
        buf_cstr(&out, i ? " " : "");
        for (int s = 0; s < 2; s++) {
            if (s)
                buf_char(&out, '=');
            if (l->row[s] == NONE)
                continue;
            dump_row_name(s ? g : t, l->row[s], &name);
            buf_str(&out, buf_view(&name));
        }
    }
    buf_release(&name);
    return out.p;
}

struct both {
    struct dump t, g;
    struct pairing p;
    struct pairing_options o;
};

static void build(struct both *b, const char *target, const char *golden, const struct mapping *maps, size_t n,
                  bool map_only)
{
    memset(b, 0, sizeof *b);
    side(&b->t, "pytorch", target);
    side(&b->g, "pytorch", golden);
    b->o = (struct pairing_options){.maps = maps, .map_count = n, .map_only = map_only};
    pairing_build(&b->p, &b->t, &b->g, &b->o);
}

static void shut(struct both *b)
{
    pairing_release(&b->p);
    dump_release(&b->t);
    dump_release(&b->g);
}

static void expect(const char *target, const char *golden, const char *want)
{
    struct both b;
    build(&b, target, golden, NULL, 0, false);
    assert_string_equal(table(&b.p, &b.t, &b.g), want);
    shut(&b);
}

static void equal_sides(void **state)
{
    struct both b;
    (void)state;
    build(&b, "a i o|b i o", "a i o|b i o", NULL, 0, false);
    assert_string_equal(table(&b.p, &b.t, &b.g), "a.i=a.i a.o=a.o b.i=b.i b.o=b.o");
    for (size_t i = 0; i < b.p.pairs.n; i++) {
        assert_int_equal(b.p.pairs.v[i].origin, ORIGIN_NAME);
        assert_true(b.p.pairs.v[i].confidence == 1.0f);
    }
    shut(&b);
    expect("", "", "");
}

static void one_sided_rows_keep_their_places(void **state)
{
    (void)state;
    expect("a o|x o|b o", "a o|b o", "a.o=a.o x.o= b.o=b.o");
    expect("a o|b o", "a o|x o|y o|b o", "a.o=a.o =x.o =y.o b.o=b.o");
    expect("a o", "x o|a o|y o", "=x.o a.o=a.o =y.o"); /* before and behind all */
    expect("a o|p o|b o", "a o|q o|b o", "a.o=a.o =q.o p.o= b.o=b.o");
    expect("a i o", "a i k o", "a.i=a.i =a.k a.o=a.o");
    expect("a o", "", "a.o=");
    expect("", "a o|b o", "=a.o =b.o");
    expect("a input.0", "a input.1", "=a.input.1 a.input.0="); /* behind nothing: in front */
}

/* Another order on the golden side: the target's rules the table. */
static void target_order_rules(void **state)
{
    (void)state;
    expect("a o|b o|c o", "c o|x o|a o|y o|b o", "a.o=a.o =y.o b.o=b.o c.o=c.o =x.o");
}

static struct mapping_entry entry(const char *t, const char *g)
{
    return (struct mapping_entry){.target = str_of(t), .golden = str_of(g)};
}

static struct mapping map_of(struct mapping_entry *v, size_t n)
{
    struct mapping m = {.path = "my.yaml"};
    m.entries.v = v;
    m.entries.n = n;
    return m;
}

static void mappings_come_first(void **state)
{
    struct mapping_entry e[] = {entry("a.o", "b.o"), entry("gone.o", "a.o"), entry("b.o", "gone.o"),
                                entry("gone", "gone")};
    struct mapping m = map_of(e, 4);
    struct both b;
    (void)state;
    build(&b, "a o|b o|c o", "a o|b o|c o", &m, 1, false);
    assert_string_equal(table(&b.p, &b.t, &b.g), "=a.o a.o=b.o b.o= c.o=c.o");
    assert_int_equal(b.p.mapped, 1);
    assert_int_equal(b.p.mapped_missing, 3);
    const struct pair *p = &b.p.pairs.v[b.p.lines.v[1].pair];
    assert_true(p->origin == ORIGIN_MAPPING && p->why == WHY_MAPPING && p->source == 0 && p->confidence == 1.0f);
    shut(&b);
}

/* "N/A": a row the user says has no partner is not given one by its name. */
static void declared_without_partner(void **state)
{
    struct mapping_entry e[] = {entry("a.o", ""), entry("gone.o", "")};
    struct mapping m = map_of(e, 2);
    struct both b;
    (void)state;
    build(&b, "a o|b o", "a o|b o", &m, 1, false);
    assert_string_equal(table(&b.p, &b.t, &b.g), "=a.o a.o= b.o=b.o");
    assert_int_equal(b.p.mapped, 0);
    shut(&b);
}

static void only_what_is_mapped(void **state)
{
    struct mapping_entry e[] = {entry("b.o", "a.o")};
    struct mapping m = map_of(e, 1);
    struct both b;
    (void)state;
    build(&b, "a o|b o", "a o|b o", &m, 1, true);
    assert_string_equal(table(&b.p, &b.t, &b.g), "a.o= b.o=a.o =b.o");
    shut(&b);
}

static void several_mappings(void **state)
{
    struct mapping_entry one[] = {entry("a.o", "x.o")}, two[] = {entry("b.o", "y.o")};
    struct mapping m[2] = {map_of(one, 1), map_of(two, 1)};
    struct both b;
    struct buf why = {0};
    (void)state;
    m[1].path = "other.json";
    build(&b, "a o|b o|c o", "x o|y o|c o|d o", m, 2, false);
    assert_string_equal(table(&b.p, &b.t, &b.g), "a.o=x.o b.o=y.o c.o=c.o =d.o");
    pairing_why(&b.p, &b.o, (const struct dump *const[]){&b.t, &b.g}, 0, &why);
    assert_non_null(strstr(why.p, "my.yaml"));
    buf_clear(&why);
    pairing_why(&b.p, &b.o, (const struct dump *const[]){&b.t, &b.g}, 1, &why);
    assert_non_null(strstr(why.p, "other.json"));
    buf_clear(&why);
    pairing_why(&b.p, &b.o, (const struct dump *const[]){&b.t, &b.g}, 2, &why);
    assert_non_null(strstr(why.p, "same name"));
    buf_clear(&why);
    pairing_why(&b.p, &b.o, (const struct dump *const[]){&b.t, &b.g}, 3, &why);
    assert_non_null(strstr(why.p, "no target row"));
    buf_release(&why);
    shut(&b);
}

/* One target row with several golden ones (a fused weight and its parts): a line each. */
static void a_row_in_several_entries(void **state)
{
    struct mapping_entry e[] = {entry("qkv.o", "q.o"), entry("qkv.o", "k.o"), entry("qkv.o", "v.o")};
    struct mapping m = map_of(e, 3);
    struct both b;
    (void)state;
    build(&b, "a o|qkv o|z o", "a o|q o|k o|v o|z o", &m, 1, false);
    assert_string_equal(table(&b.p, &b.t, &b.g), "a.o=a.o qkv.o=q.o qkv.o=k.o qkv.o=v.o z.o=z.o");
    assert_int_equal(b.p.line_of[TARGET][1], 1); /* the first */
    assert_int_equal(b.p.line_of[GOLDEN][3], 3);
    shut(&b);
}

/* Any two sides: every row has its line, the target's are in order, nothing is paired twice. */
static void every_row_has_its_line(void **state)
{
    uint64_t seed = 11;
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct buf text[2] = {{0}, {0}};
        struct both b;
        for (int s = 0; s < 2; s++) {
            buf_cstr(&text[s], "");
            for (int k = 0; k < 20; k++) {
                unsigned r = (unsigned)(draw_bits(&seed) >> 40);
                if (r % 3)
                    buf_fmt(&text[s], "%sc%d i%s", text[s].n ? "|" : "", s && r % 7 == 0 ? (k + 5) % 20 : k,
                            r % 5 ? " o" : "");
            }
        }
        build(&b, text[0].p, text[1].p, NULL, 0, false);
        const struct dump *d[2] = {&b.t, &b.g};
        for (int s = 0; s < 2; s++) {
            uint32_t seen = 0, last = 0;
            for (size_t i = 0; i < b.p.lines.n; i++) {
                uint32_t r = b.p.lines.v[i].row[s];
                if (r == NONE)
                    continue;
                seen++;
                assert_int_equal(b.p.line_of[s][r], i);
                assert_true(s == GOLDEN || seen == 1 || r > last);
                last = r;
            }
            assert_int_equal(seen, d[s]->rows.n);
        }
        shut(&b);
        buf_release(&text[0]);
        buf_release(&text[1]);
    }
}

static void names_of_origins(void **state)
{
    (void)state;
    for (int i = 0; i < ORIGIN_COUNT; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(origin_name((enum origin)i), origin_name((enum origin)k));
}

/* Each evidence has a word for files and a sentence of its own. */
static void evidence_in_words(void **state)
{
    struct pairing p = {0};
    struct pairing_options o = {0};
    struct dump none;
    const struct dump *const side[2] = {&none, &none};
    struct buf text[WHY_COUNT];
    (void)state;
    memset(text, 0, sizeof text);
    dump_init(&none);
    vec_push(&p.lines, ((struct line){{0, 0}, 0}));
    vec_push(&p.pairs, ((struct pair){.origin = ORIGIN_SEQUENCE}));
    for (int i = 0; i < WHY_COUNT; i++) {
        p.pairs.v[0].why = (uint8_t)i;
        p.pairs.v[0].source = 7;
        if (i != WHY_LAYOUT) /* it names the rows */
            pairing_why(&p, &o, side, 0, &text[i]);
        assert_true(*pair_why_name((enum pair_why)i));
        for (int k = 0; k < i; k++)
            if (i != WHY_LAYOUT && k != WHY_LAYOUT)
                assert_string_not_equal(text[i].p, text[k].p);
    }
    assert_string_equal(text[WHY_RULE].p, "by rule 7");
    p.lines.v[0] = (struct line){{0, NONE}, NONE};
    buf_clear(&text[0]);
    pairing_why(&p, &o, side, 0, &text[0]);
    assert_string_equal(text[0].p, "no golden row found for it");
    p.lines.v[0].row[TARGET] = NONE;
    buf_clear(&text[0]);
    pairing_why(&p, &o, side, 0, &text[0]);
    assert_string_equal(text[0].p, "no target row found for it");
    for (int i = 0; i < WHY_COUNT; i++)
        buf_release(&text[i]);
    vec_release(&p.lines);
    vec_release(&p.pairs);
    dump_release(&none);
}

/* Two frameworks' names say nothing to each other, even where they are the same. */
static void other_frameworks_are_not_paired_by_name(void **state)
{
    struct dump t, g;
    struct pairing p = {0};
    struct pairing_options o = {0};
    (void)state;
    side(&t, "mindspore", "Tensor.mul.0.forward output.0");
    side(&g, "pytorch", "Tensor.mul.0.forward output.0");
    pairing_build(&p, &t, &g, &o);
    assert_int_equal(p.pairs.n, 0);
    assert_int_equal(p.lines.n, 2);
    pairing_release(&p);
    dump_release(&t);
    dump_release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_sides),
        cmocka_unit_test(one_sided_rows_keep_their_places),
        cmocka_unit_test(target_order_rules),
        cmocka_unit_test(mappings_come_first),
        cmocka_unit_test(declared_without_partner),
        cmocka_unit_test(only_what_is_mapped),
        cmocka_unit_test(several_mappings),
        cmocka_unit_test(a_row_in_several_entries),
        cmocka_unit_test(every_row_has_its_line),
        cmocka_unit_test(names_of_origins),
        cmocka_unit_test(evidence_in_words),
        cmocka_unit_test(other_frameworks_are_not_paired_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
