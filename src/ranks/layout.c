/* Layouts as text, and the coordinates of ranks. */
#include "ranks/layout.h"

#include "base/msg.h"

static const char *const cuts[CUT_COUNT] = {
    [CUT_TP] = "tp", [CUT_CP] = "cp", [CUT_DP] = "dp", [CUT_PP] = "pp", [CUT_MICRO] = "micro", [CUT_EP] = "ep",
};

const char *cut_name(enum cut c)
{
    return cuts[c];
}

const char *cp_cut_name(enum cp_cut c)
{
    return c == CP_CUT_ZIGZAG ? "zigzag" : c == CP_CUT_NATURAL ? "natural" : NULL;
}

static const char *const sources[] = {"none", "given", "settings", "dump", "inferred"};

const char *layout_source_name(enum layout_source s)
{
    return sources[s];
}

enum layout_source layout_source_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(sources); i++)
        if (strcmp(name, sources[i]) == 0)
            return (enum layout_source)i;
    return LAYOUT_NONE;
}

void layout_init(struct layout *l)
{
    *l = (struct layout){.vpp = 1, .order = {CUT_TP, CUT_CP, CUT_DP, CUT_PP}};
    for (int i = 0; i < CUT_COUNT; i++)
        l->size[i] = 1;
}

static int cut_find(struct str name)
{
    for (int i = 0; i < CUT_COUNT; i++)
        if (str_is(name, cuts[i]))
            return i;
    return -1;
}

/* Parses an order; dimensions that are not named follow in Megatron's order. */
static bool parse_order(struct layout *l, struct str text)
{
    static const enum cut usual[] = {CUT_TP, CUT_CP, CUT_DP, CUT_PP};
    uint8_t seen = 0;
    int n = 0;
    struct str head;
    for (bool more = true; more; ) {
        more = str_split(text, '-', &head, &text);
        int c = cut_find(head);
        if (c == CUT_EP) /* a part of dp */
            continue;
        if (c < 0 || c >= CUT_RANKS || seen >> c & 1)
            return false;
        l->order[n++] = (enum cut)c;
        seen |= (uint8_t)(1 << c);
    }
    for (size_t i = 0; i < ARRAY_LEN(usual); i++)
        if (!(seen >> usual[i] & 1))
            l->order[n++] = usual[i];
    l->given_order = true;
    return true;
}

static bool parse_word(struct layout *l, struct str key, struct str value)
{
    unsigned long long n;
    if (str_is(key, "order"))
        return parse_order(l, value);
    if (str_is(key, "sp")) {
        l->sp = str_is(value, "on") || str_is(value, "1");
        return l->given_sp = l->sp || str_is(value, "off") || str_is(value, "0");
    }
    if (str_is(key, "cp_cut")) {
        l->cp_cut = str_is(value, "zigzag")    ? CP_CUT_ZIGZAG
                    : str_is(value, "natural") ? CP_CUT_NATURAL
                                               : CP_CUT_UNKNOWN;
        return l->given_cp_cut = l->cp_cut != CP_CUT_UNKNOWN;
    }
    int c = cut_find(key);
    if (!str_u64(value, &n) || n < 1 || n > 1000000)
        return false;
    if (c >= 0) {
        l->size[c] = (int)n;
        return l->given[c] = true;
    }
    l->vpp = (int)n;
    return l->given_vpp = str_is(key, "vpp");
}

int layout_parse(struct layout *l, struct str text, struct err *e)
{
    layout_init(l);
    l->source = LAYOUT_GIVEN;
    for (bool more = text.n > 0; more; ) {
        struct str word, key, value;
        more = str_split(text, ',', &word, &text);
        if (!str_split(word, '=', &key, &value) || !parse_word(l, key, value))
            return err_set(
                e, ERR_USAGE,
                _("layout: expected tp=N, cp=N, dp=N, pp=N, vpp=N, ep=N, micro=N, sp=on, order=tp-cp-dp-pp or "
                  "cp_cut=zigzag, found \"%.*s\""),
                STR_ARG(word));
    }
    return 0;
}

struct rank_place layout_place(const struct layout *l, int rank)
{
    struct rank_place p;
    for (int i = 0; i < CUT_RANKS; i++) {
        enum cut c = l->order[i];
        p.at[c] = rank % l->size[c];
        rank /= l->size[c];
    }
    return p;
}

int layout_rank(const struct layout *l, const struct rank_place *p)
{
    int rank = 0;
    for (int i = CUT_RANKS - 1; i >= 0; i--)
        rank = rank * l->size[l->order[i]] + p->at[l->order[i]];
    return rank;
}

int layout_ranks(const struct layout *l)
{
    int n = 1;
    for (int i = 0; i < CUT_RANKS; i++)
        n *= l->size[i];
    return n;
}

/* The order is irrelevant if only one dimension has several ranks. */
static bool gives_same_places(const struct layout *a, const struct layout *b)
{
    int n = layout_ranks(a);
    for (int r = 0; r < n; r++) {
        struct rank_place x = layout_place(a, r), y = layout_place(b, r);
        if (memcmp(&x, &y, sizeof x) != 0)
            return false;
    }
    return true;
}

bool layout_same(const struct layout *a, const struct layout *b)
{
    return memcmp(a->size, b->size, sizeof a->size) == 0 && a->vpp == b->vpp && a->sp == b->sp &&
           gives_same_places(a, b) &&
           (a->cp_cut == b->cp_cut || a->cp_cut == CP_CUT_UNKNOWN || b->cp_cut == CP_CUT_UNKNOWN);
}

void layout_order_text(const struct layout *l, char out[32])
{
    static const enum cut usual[] = {CUT_TP, CUT_CP, CUT_DP, CUT_PP};
    bool other = memcmp(l->order, usual, sizeof usual) != 0;
    size_t n = 0;
    for (int i = 0; i < CUT_RANKS; i++) {
        if (other && l->order[i] == CUT_CP && l->size[CUT_CP] == 1) /* "tp-pp-dp" */
            continue;
        if (n)
            out[n++] = '-';
        memcpy(out + n, cuts[l->order[i]], 2);
        n += 2;
    }
    out[n] = 0;
}
