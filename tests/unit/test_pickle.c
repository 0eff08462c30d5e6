/* Pickles as inert data: what Python wrote reads as it was, anything else is an error or a harmless
 * tree, and nothing is ever run. The three samples are one dict, pickled by Python 3.11. */
#include "draws.h"
#include "support.h"

#include <math.h>

#include "fmt/pickle.h"

static const char protocol0[] =
    "(dp0\nVnone\np1\nNsVyes\np2\nI01\nsVno\np3\nI00\nsVsmall\np4\nI7\nsVbyte\np5\nI200\nsVtwo"
    "\np6\nI60000\nsVminus\np7\nI-2\nsVint\np8\nI-2000000000\nsVbig\np9\nL1099511627776L\nsVhug"
    "e\np10\nL1180591620717411303424L\nsVminushuge\np11\nL-1180591620717411303424L\nsVf\np12\nF"
    "-5.5\nsVtext\np13\nVl\345yer\np14\nsVempty\np15\nV\np16\nsVlist\np17\n(lp18\nI1\na(lp19\nI"
    "2\na(lp20\naaVx\np21\nasVtuple\np22\n(I1\nI2\nI3\nI4\ntp23\nsVt1\np24\n(I1\ntp25\nsVt0\np2"
    "6\n(tsVset\np27\nc__builtin__\nset\np28\n((lp29\nI5\natp30\nRp31\nsVbytes\np32\nc_codecs\n"
    "encode\np33\n(V\\u0000\377\np34\nVlatin1\np35\ntp36\nRp37\nsVdict\np38\n(dp39\nVk\np40\n(d"
    "p41\nVv\np42\nI1\nsssVod\np43\nccollections\nOrderedDict\np44\n(tRp45\nVa\np46\nI1\nssVs1"
    "\np47\n(lp48\nI9\nasVs2\np49\ng48\ns.";
static const char protocol2[] =
    "\200\002}q\000(X\004\000\000\000noneq\001NX\003\000\000\000yesq\002\210X\002\000\000\000no"
    "q\003\211X\005\000\000\000smallq\004K\007X\004\000\000\000byteq\005K\310X\003\000\000\000t"
    "woq\006M`\352X\005\000\000\000minusq\007J\376\377\377\377X\003\000\000\000intq\010J\000l"
    "\312\210X\003\000\000\000bigq\011\212\006\000\000\000\000\000\001X\004\000\000\000hugeq\n"
    "\212\011\000\000\000\000\000\000\000\000@X\011\000\000\000minushugeq\013\212\011\000\000"
    "\000\000\000\000\000\000\300X\001\000\000\000fq\014G\300\026\000\000\000\000\000\000X\004"
    "\000\000\000textq\015X\006\000\000\000l\303\245yerq\016X\005\000\000\000emptyq\017X\000"
    "\000\000\000q\020X\004\000\000\000listq\021]q\022(K\001]q\023(K\002]q\024eX\001\000\000"
    "\000xq\025eX\005\000\000\000tupleq\026(K\001K\002K\003K\004tq\027X\002\000\000\000t1q\030K"
    "\001\205q\031X\002\000\000\000t0q\032)X\003\000\000\000setq\033c__builtin__\nset\nq\034]q"
    "\035K\005a\205q\036Rq\037X\005\000\000\000bytesq c_codecs\nencode\nq!X\003\000\000\000\000"
    "\303\277q\"X\006\000\000\000latin1q#\206q$Rq%X\004\000\000\000dictq&}q'X\001\000\000\000kq"
    "(}q)X\001\000\000\000vq*K\001ssX\002\000\000\000odq+ccollections\nOrderedDict\nq,)Rq-X\001"
    "\000\000\000aq.K\001sX\002\000\000\000s1q/]q0K\011aX\002\000\000\000s2q1h0u.";
static const char protocol4[] =
    "\200\004\225V\001\000\000\000\000\000\000}\224(\214\004none\224N\214\003yes\224\210\214"
    "\002no\224\211\214\005small\224K\007\214\004byte\224K\310\214\003two\224M`\352\214\005minu"
    "s\224J\376\377\377\377\214\003int\224J\000l\312\210\214\003big\224\212\006\000\000\000\000"
    "\000\001\214\004huge\224\212\011\000\000\000\000\000\000\000\000@\214\011minushuge\224\212"
    "\011\000\000\000\000\000\000\000\000\300\214\001f\224G\300\026\000\000\000\000\000\000\214"
    "\004text\224\214\006l\303\245yer\224\214\005empty\224\214\000\224\214\004list\224]\224(K"
    "\001]\224(K\002]\224e\214\001x\224e\214\005tuple\224(K\001K\002K\003K\004t\224\214\002t1"
    "\224K\001\205\224\214\002t0\224)\214\003set\224\217\224(K\005\220\214\005bytes\224C\002"
    "\000\377\224\214\004dict\224}\224\214\001k\224}\224\214\001v\224K\001ss\214\002od\224\214"
    "\013collections\224\214\013OrderedDict\224\223\224)R\224\214\001a\224K\001s\214\002s1\224]"
    "\224K\011a\214\002s2\224h+u.";

static const struct {
    int protocol;
    struct str bytes;
} samples[] = {
    {0, {protocol0, sizeof protocol0 - 1}},
    {2, {protocol2, sizeof protocol2 - 1}},
    {4, {protocol4, sizeof protocol4 - 1}},
};

static struct pickle *parse(struct arena *a, const char *bytes, size_t n, struct err *e)
{
    memset(e, 0, sizeof *e);
    return pickle_parse(str_n(bytes, n), a, "NAME.pkl", NULL, e);
}

static int64_t integer(const struct pickle *d, const char *key)
{
    const struct pickle *v = pickle_get(d, key);
    assert_non_null(v);
    assert_int_equal(v->kind, PICKLE_INT);
    return v->i;
}

static void check_numbers(const struct pickle *d, int protocol)
{
    assert_int_equal(pickle_get(d, "none")->kind, PICKLE_NONE);
    assert_int_equal(pickle_get(d, "yes")->kind, PICKLE_BOOL);
    assert_int_equal(pickle_get(d, "yes")->i, 1);
    assert_int_equal(pickle_get(d, "no")->kind, PICKLE_BOOL);
    assert_int_equal(pickle_get(d, "no")->i, 0);
    assert_true(integer(d, "small") == 7 && integer(d, "byte") == 200 && integer(d, "two") == 60000);
    assert_true(integer(d, "minus") == -2 && integer(d, "int") == -2000000000);
    assert_true(integer(d, "big") == 1LL << 40);
    assert_true(integer(d, "huge") == INT64_MAX && integer(d, "minushuge") == INT64_MIN);
    assert_int_equal(pickle_get(d, "f")->kind, PICKLE_FLOAT);
    assert_true(pickle_get(d, "f")->f == -5.5);
    const struct pickle *t = pickle_get(d, "text");
    assert_int_equal(t->kind, PICKLE_TEXT);
    if (protocol) /* protocol 0 is no UTF-8 */
        assert_true(str_is(t->text, "l\xc3\xa5yer"));
    assert_int_equal(pickle_get(d, "empty")->text.n, 0);
}

static void check_containers(const struct pickle *d, int protocol)
{
    const struct pickle *l = pickle_get(d, "list"), *t = pickle_get(d, "tuple");
    assert_true(l->kind == PICKLE_LIST && l->n == 3);
    assert_int_equal(l->item[0]->i, 1);
    assert_true(l->item[1]->kind == PICKLE_LIST && l->item[1]->n == 2);
    assert_true(l->item[1]->item[1]->kind == PICKLE_LIST && l->item[1]->item[1]->n == 0);
    assert_true(str_is(l->item[2]->text, "x"));
    assert_true(t->kind == PICKLE_TUPLE && t->n == 4 && t->item[3]->i == 4);
    assert_int_equal(pickle_get(d, "t1")->n, 1);
    assert_true(pickle_get(d, "t0")->kind == PICKLE_TUPLE && pickle_get(d, "t0")->n == 0);
    const struct pickle *k = pickle_get(d, "dict");
    assert_int_equal(integer(pickle_get(k, "k"), "v"), 1);
    assert_null(pickle_get(k, "absent"));
    const struct pickle *od = pickle_get(d, "od"); /* a call, its items behind the state */
    assert_int_equal(od->kind, PICKLE_CALL);
    assert_true(pickle_is_global(od->item[0], "collections OrderedDict"));
    assert_int_equal(od->n, 5);
    assert_true(str_is(od->item[3]->text, "a") && od->item[4]->i == 1);
    assert_ptr_equal(pickle_get(d, "s1"), pickle_get(d, "s2")); /* one object */
    const struct pickle *b = pickle_get(d, "bytes"), *s = pickle_get(d, "set");
    if (protocol == 4) {
        assert_true(b->kind == PICKLE_BYTES && b->text.n == 2 && memcmp(b->text.p, "\0\xff", 2) == 0);
        assert_true(s->n == 1 && s->item[0]->i == 5);
    } else {
        assert_true(b->kind == PICKLE_CALL && pickle_is_global(b->item[0], "_codecs encode"));
        assert_true(s->kind == PICKLE_CALL && pickle_is_global(s->item[0], "__builtin__ set"));
    }
}

static void reads_what_python_wrote(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct arena a = {0};
        struct err e = {0};
        size_t used = 0;
        struct buf more = {0};
        buf_str(&more, samples[i].bytes);
        buf_cstr(&more, "what follows");
        struct pickle *d = pickle_parse(buf_view(&more), &a, "NAME.pkl", &used, &e);
        assert_non_null(d);
        assert_int_equal(d->kind, PICKLE_DICT);
        assert_int_equal(used, samples[i].bytes.n);
        check_numbers(d, samples[i].protocol);
        check_containers(d, samples[i].protocol);
        buf_release(&more);
        arena_release(&a);
    }
}

static void every_truncation_is_an_error(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        for (size_t n = 0; n < samples[i].bytes.n; n++) {
            struct arena a = {0};
            struct err e;
            char *exact = malloc(n + 1); /* so that a sanitizer sees a read behind the end */
            memcpy(exact, samples[i].bytes.p, n);
            assert_null(parse(&a, exact, n, &e));
            assert_int_equal(e.code, ERR_DATA);
            assert_memory_equal(e.text, "NAME.pkl: byte ", 15);
            free(exact);
            arena_release(&a);
        }
}

static void every_changed_byte_is_harmless(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        size_t n = samples[i].bytes.n;
        char *copy = malloc(n);
        for (size_t at = 0; at < n; at++)
            for (int v = 0; v < 256; v++) {
                struct arena a = {0};
                struct err e;
                memcpy(copy, samples[i].bytes.p, n);
                copy[at] = (char)v;
                if (!parse(&a, copy, n, &e))
                    assert_int_equal(e.code, ERR_DATA);
                arena_release(&a);
            }
        free(copy);
    }
}

/* Streams of random instructions. */
static void random_programs_are_harmless(void **state)
{
    static const char ops[] = "(0123N)]}taesuldbRQPoiqrpghj.KMJIFGUTCBSVcX\x80\x81\x82\x85\x86\x87\x88\x89"
                              "\x8a\x8b\x8c\x8d\x8e\x8f\x90\x91\x92\x93\x94\x95\x96\n01a";
    uint64_t seed = 3;
    (void)state;
    for (int round = 0; round < 200000; round++) {
        struct arena a = {0};
        struct err e;
        char program[24];
        for (size_t i = 0; i < sizeof program; i++)
            program[i] = ops[(draw_bits(&seed) >> 33) % (sizeof ops - 1)];
        program[sizeof program - 1] = '.';
        parse(&a, program, sizeof program, &e);
        arena_release(&a);
    }
}

static void nothing_is_run(void **state)
{
    static const char evil[] = "cos\nsystem\n(S'touch /tmp/diverge-was-here'\ntR.";
    struct arena a = {0};
    struct err e;
    (void)state;
    struct pickle *p = parse(&a, evil, sizeof evil - 1, &e);
    assert_non_null(p);
    assert_int_equal(p->kind, PICKLE_CALL);
    assert_true(pickle_is_global(p->item[0], "os system"));
    assert_false(pickle_is_global(p, "os system"));
    assert_int_equal(p->item[1]->kind, PICKLE_TUPLE);
    assert_true(str_is(p->item[1]->item[0]->text, "touch /tmp/diverge-was-here"));
    assert_false(fopen("/tmp/diverge-was-here", "r") != NULL);
    arena_release(&a);
}

static void unknown_instructions(void **state)
{
    (void)state;
    for (int v = 0; v < 256; v++) {
        struct arena a = {0};
        struct err e;
        char one[1] = {(char)v};
        assert_null(parse(&a, one, 1, &e));
        bool known = strstr(e.text, "a known instruction") == NULL;
        bool should = v && (v < 0x80 ? strchr("(0123NIJKLMFGSTUVXBCQPRabcdeghijlopqrstu)]}.", v) != NULL
                                     : v <= 0x96);
        if (v == '3') /* not an instruction of any protocol */
            should = false;
        if (known != should)
            fail_msg("instruction 0x%02x", v);
        arena_release(&a);
    }
}

static struct pickle *program(struct arena *a, const char *bytes, size_t n)
{
    struct err e;
    struct pickle *p = parse(a, bytes, n, &e);
    if (!p)
        fail_msg("%s", e.text);
    return p;
}
#define PROGRAM(a, lit) program(a, lit, sizeof(lit) - 1)

static void single_instructions(void **state)
{
    struct arena a = {0};
    (void)state;
    assert_true(PROGRAM(&a, "\x8a\x00.")->i == 0);
    assert_true(PROGRAM(&a, "\x8a\x01\xff.")->i == -1);
    assert_true(PROGRAM(&a, "\x8a\x02\xff\x00.")->i == 255);
    assert_true(PROGRAM(&a, "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f.")->i == INT64_MAX);
    assert_true(PROGRAM(&a, "\x8b\x01\x00\x00\x00\x80.")->i == -128);
    assert_true(PROGRAM(&a, "J\x00\x00\x00\x80.")->i == INT32_MIN);
    assert_true(PROGRAM(&a, "M\xff\xff.")->i == 65535);
    assert_true(PROGRAM(&a, "G\x7f\xf0\x00\x00\x00\x00\x00\x00.")->f == INFINITY);
    assert_true(isnan(PROGRAM(&a, "Fnan\n.")->f));
    assert_true(PROGRAM(&a, "K\x01K\x02\x30.")->i == 1);       /* POP */
    assert_true(PROGRAM(&a, "K\x01(K\x02K\x03\x31.")->i == 1); /* POP_MARK */
    assert_true(PROGRAM(&a, "K\x01(\x30.")->i == 1);            /* POP takes a bare mark */
    assert_int_equal(PROGRAM(&a, "K\x01" "2\x86.")->n, 2);         /* DUP */
    assert_int_equal(PROGRAM(&a, "(K\x01K\x02l.")->kind, PICKLE_LIST);
    assert_int_equal(PROGRAM(&a, "(K\x01K\x02" "d.")->kind, PICKLE_DICT);
    assert_int_equal(PROGRAM(&a, "(K\x01K\x02\x91.")->n, 2);   /* FROZENSET */
    assert_true(str_is(PROGRAM(&a, "S'it'\n.")->text, "it"));
    assert_true(str_is(PROGRAM(&a, "U\x02" "ab.")->text, "ab"));
    assert_int_equal(PROGRAM(&a, "B\x02\x00\x00\x00" "ab.")->kind, PICKLE_BYTES);
    assert_int_equal(PROGRAM(&a, "\x96\x02\0\0\0\0\0\0\0ab.")->kind, PICKLE_BYTES);
    arena_release(&a);
}

static void objects_are_calls(void **state)
{
    struct arena a = {0};
    (void)state;
    struct pickle *p = PROGRAM(&a, "cargparse\nNamespace\n)\x81}X\x02\0\0\0lrK\x05sb.");
    assert_int_equal(p->kind, PICKLE_CALL);
    assert_true(pickle_is_global(p->item[0], "argparse Namespace"));
    assert_int_equal(pickle_get(p->item[2], "lr")->i, 5); /* its state */
    p = PROGRAM(&a, "\x8c\x01m\x8c\x01n\x93.");
    assert_true(pickle_is_global(p, "m n"));
    p = PROGRAM(&a, "(cm\nn\nK\x01o."); /* OBJ */
    assert_true(p->kind == PICKLE_CALL && pickle_is_global(p->item[0], "m n"));
    assert_int_equal(p->item[1]->n, 1);
    p = PROGRAM(&a, "K\x00(K\x01K\x02im\nn\n."); /* INST */
    assert_true(p->kind == PICKLE_CALL && p->item[1]->n == 2);
    p = PROGRAM(&a, "(X\x01\0\0\0sK\x07tQ."); /* a storage of torch */
    assert_true(p->kind == PICKLE_PERSISTENT && p->item[0]->item[1]->i == 7);
    p = PROGRAM(&a, "Pid 5\n.");
    assert_true(p->kind == PICKLE_PERSISTENT && str_is(p->item[0]->text, "id 5"));
    p = PROGRAM(&a, "cm\nn\n)}\x92."); /* NEWOBJ_EX */
    assert_true(p->kind == PICKLE_CALL && p->item[1]->n == 0);
    p = PROGRAM(&a, "\x83\x34\x12.");
    assert_int_equal(p->kind, PICKLE_GLOBAL);
    arena_release(&a);
}

static void stack_and_memo_faults(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
    } bad[] = {
#define B(lit) {lit, sizeof(lit) - 1}
        B("."), B("0."), B("2."), B("a."), B("K\x01" "a."), B("K\x01K\x02" "a."), B("t."), B("e."),
        B("1."), B("R."), B("K\x01R."), B("]K\x01s."), B("}K\x01s."), B("}(K\x01u."), B("(K\x01" "d."),
        B("h\x00."), B("g7\n."), B("gx\n."), B("q\x00."), B("p-1\nN."), B("Nr\xff\xff\xff\xff."),
        B("I\n."), B("Ix"), B("Fx\n."), B("K\x01K\x02\x93."), B("(o."), B("b."), B("\x80"), B("("), B("(."),
        B("X\xff\xff\xff\xff" "ab."), B("\x8b\xff\xff\xff\xff."), B("\x95\1\2"), B("K\x01\x85\x86."),
        B("\x8d\xff\xff\xff\xff\xff\xff\xff\xff" "a."),
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct arena a = {0};
        struct err e;
        if (parse(&a, bad[i].bytes, bad[i].n, &e))
            fail_msg("case %zu was read", i);
        assert_non_null(strstr(e.text, "damaged pickle: expected"));
        arena_release(&a);
    }
}

/* Containers that hold themselves, and what a mark separates. */
static void cycles_and_marks(void **state)
{
    struct arena a = {0};
    (void)state;
    struct pickle *p = PROGRAM(&a, "]q\x00h\x00" "a.");
    assert_true(p->kind == PICKLE_LIST && p->n == 1 && p->item[0] == p);
    p = PROGRAM(&a, "((K\x01tK\x02t.");
    assert_int_equal(p->n, 2);
    assert_int_equal(p->item[0]->n, 1);
    arena_release(&a);
}

/* "PICKLE_INT (saturated when larger)", however many digits it has. */
static void long_decimals_saturate(void **state)
{
    struct arena a = {0};
    struct err e;
    (void)state;
    static const char text[] = "L1606938044258990275541962092341162602522202993782792835301376L\n.";
    struct pickle *p = parse(&a, text, sizeof text - 1, &e);
    assert_non_null(p);
    assert_true(p->kind == PICKLE_INT && p->i == INT64_MAX);
    arena_release(&a);
}

/* A few bytes must not ask for hundreds of megabytes: memo numbers are given in sequence. */
static void memo_numbers_stay_in_proportion(void **state)
{
    struct buf b = {0};
    struct arena a = {0};
    struct err e;
    (void)state;
    buf_char(&b, 'N');
    for (uint32_t at = 65536; at < 60u << 20; at += 65536) {
        buf_char(&b, 'r');
        for (int i = 0; i < 4; i++)
            buf_char(&b, (char)(at >> (8 * i)));
    }
    buf_char(&b, '.');
    assert_true(b.n < 6000);
    assert_null(parse(&a, b.p, b.n, &e));
    arena_release(&a);
    buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_python_wrote),
        cmocka_unit_test(every_truncation_is_an_error),
        cmocka_unit_test(every_changed_byte_is_harmless),
        cmocka_unit_test(random_programs_are_harmless),
        cmocka_unit_test(nothing_is_run),
        cmocka_unit_test(unknown_instructions),
        cmocka_unit_test(single_instructions),
        cmocka_unit_test(objects_are_calls),
        cmocka_unit_test(stack_and_memo_faults),
        cmocka_unit_test(cycles_and_marks),
        cmocka_unit_test(long_decimals_saturate),
        cmocka_unit_test(memo_numbers_stay_in_proportion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
