/* What only one side has: runs of calls between paired ones, put together by the function they stand in. */
#include "sessions.h"

#include "pair/gaps.h"

static void gaps_hold_lone_calls_only(void **state)
{
    struct session *s = open_paths(sample("llama_rope/ms"), sample("llama_rope/torch"));
    const struct dump *const side[2] = {&s->now->side[0].dump, &s->now->side[1].dump};
    gap_list gaps = {0};
    gap_group_list groups = {0};
    uint32_t calls[2] = {0, 0}, grouped[2] = {0, 0}, end = 0;
    (void)state;
    gaps_find(s->now->pairing, side, &gaps);
    gaps_group(s->now->pairing, side, &groups);
    assert_true(gaps.n > 5 && groups.n > 5);
    for (size_t i = 0; i < gaps.n; i++) {
        const struct gap *g = &gaps.v[i];
        assert_true(g->first >= end && g->end > g->first && g->calls[0] + g->calls[1] > 0);
        assert_true(g->compute[0] <= g->calls[0] && g->compute[1] <= g->calls[1]);
        assert_true(g->before == NONE || (g->before < g->first && s->now->pairing->lines.v[g->before].pair != NONE));
        assert_true(g->after == NONE || (g->after >= g->end && s->now->pairing->lines.v[g->after].pair != NONE));
        for (uint32_t k = g->first; k < g->end; k++) {
            assert_int_equal(s->now->pairing->lines.v[k].pair, NONE);
            assert_ptr_equal(gaps_at(&gaps, k), g);
        }
        for (int d = 0; d < 2; d++)
            calls[d] += g->calls[d];
        end = g->end;
    }
    for (size_t i = 0; i < groups.n; i++)
        grouped[groups.v[i].side] += groups.v[i].calls;
    /* a call whose rows lie apart may stand in two gaps, but in one group */
    assert_true(grouped[0] <= calls[0] && grouped[1] <= calls[1] && grouped[0] > 0 && grouped[1] > 0);
    assert_null(gaps_at(&gaps, s->now->judged->first));
    assert_null(gaps_at(&(gap_list){0}, 0));
    vec_release(&gaps);
    vec_release(&groups);
    shut(s);
}

/* Both layers' and both halves' calls of the helper are one entry, whichever line called it. */
static void a_helper_is_one_group(void **state)
{
    struct session *s = open_paths(sample("llama_rope/ms"), sample("llama_rope/torch"));
    const struct dump *const side[2] = {&s->now->side[0].dump, &s->now->side[1].dump};
    gap_group_list l = {0};
    struct buf text = {0};
    int helpers = 0;
    (void)state;
    gaps_group(s->now->pairing, side, &l);
    for (size_t i = 0; i < l.n; i++) {
        buf_clear(&text);
        gap_group_text(&l.v[i], side, &text);
        if (!strstr(text.p, "in rotate_half"))
            continue;
        helpers++;
        assert_non_null(strstr(text.p, "target only: neg, cat"));
        assert_int_equal(l.v[i].calls % 8, 0);
        assert_true(i == 0 || l.v[i - 1].compute > l.v[i].compute || l.v[i - 1].calls >= l.v[i].calls);
    }
    assert_int_equal(helpers, 1);
    buf_release(&text);
    vec_release(&l);
    shut(s);
}

/* One call against the last of its parts: those it hides are named, and nothing is said of other pairs. */
static void parts_are_named(void **state)
{
    struct session *s = open_paths(sample("clean_mix_stat/ms"), sample("clean_mix_stat/torch"));
    const struct dump *const side[2] = {&s->now->side[0].dump, &s->now->side[1].dump};
    struct buf b = {0};
    (void)state;
    for (uint32_t i = 0; i < s->now->pairing->lines.n; i++) {
        uint32_t pair = s->now->pairing->lines.v[i].pair;
        buf_clear(&b);
        gaps_parts(s->now->pairing, side, i, &b);
        if (pair == NONE || s->now->pairing->pairs.v[pair].why != WHY_WHOLE)
            assert_int_equal(b.n, 0);
    }
    /* as if the pair behind a gap of the target were such a one */
    gap_list gaps = {0};
    uint32_t named = 0;
    gaps_find(s->now->pairing, side, &gaps);
    for (size_t i = 0; i < gaps.n; i++) {
        if (gaps.v[i].after == NONE || gaps.v[i].calls[TARGET] <= gaps.v[i].calls[GOLDEN])
            continue;
        struct pair *p = &s->now->pairing->pairs.v[s->now->pairing->lines.v[gaps.v[i].after].pair];
        uint8_t was = p->why;
        p->why = WHY_WHOLE;
        buf_clear(&b);
        gaps_parts(s->now->pairing, side, gaps.v[i].after, &b);
        p->why = was;
        named += b.n > 0 && strchr(b.p, '?') == NULL;
    }
    assert_true(named > 3);
    vec_release(&gaps);
    buf_release(&b);
    shut(s);
}

static void equal_sides_have_none(void **state)
{
    struct session *s = open_paths(sample("tt_rope/bench"), sample("tt_rope/bench"));
    const struct dump *const side[2] = {&s->now->side[0].dump, &s->now->side[1].dump};
    gap_list gaps = {0};
    gap_group_list groups = {0};
    (void)state;
    gaps_find(s->now->pairing, side, &gaps);
    gaps_group(s->now->pairing, side, &groups);
    assert_true(gaps.n == 0 && groups.n == 0);
    shut(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_hold_lone_calls_only),
        cmocka_unit_test(a_helper_is_one_group),
        cmocka_unit_test(parts_are_named),
        cmocka_unit_test(equal_sides_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
