/* The table of colour schemes: a colour and attributes for every style. */
#include "ui/style.h"

#include <string.h>

/* Palette numbers: 1 red 2 green 3 yellow 4 blue 5 magenta 6 cyan 8 bright black. */
#define D COLOUR_DEFAULT

const struct scheme schemes[] = {
    {
        .name = "dark",
        .paper = 0x16181d,
        .ink = 0xd7dae0,
        .look = {
            [STYLE_TEXT] = {.colour = D, .basic = D},
            [STYLE_DIM] = {.colour = 245, .basic = D, .dim = true},
            [STYLE_HEADER] = {.colour = D, .basic = D, .bold = true},
            [STYLE_RULE] = {.colour = 240, .basic = D, .dim = true},
            [STYLE_TITLE] = {.colour = 110, .basic = 6},
            [STYLE_FOCUS] = {.colour = 117, .basic = 6, .bold = true, .underline = true},
            [STYLE_FIRST] = {.colour = 214, .basic = 3, .bold = true},
            [STYLE_DEVIATE] = {.colour = 203, .basic = 1},
            [STYLE_DRIFT] = {.colour = 221, .basic = 3},
            [STYLE_NONFINITE] = {.colour = 176, .basic = 5},
            [STYLE_SAME_STATS] = {.colour = 108, .basic = 2, .dim = true},
            [STYLE_ONLY] = {.colour = 80, .basic = 6},
            [STYLE_SKIP] = {.colour = 242, .basic = D, .dim = true},
            [STYLE_DOUBTFUL] = {.colour = D, .basic = D, .underline = true},
            [STYLE_HIT] = {.colour = 150, .basic = 2, .bold = true},
            [STYLE_KEY] = {.colour = 117, .basic = 6, .bold = true},
            [STYLE_MESSAGE] = {.colour = 150, .basic = 2},
            [STYLE_ERROR] = {.colour = 203, .basic = 1, .bold = true},
            [STYLE_PROGRESS] = {.colour = 110, .basic = 4},
        },
    },
    {
        .name = "light",
        .paper = 0xfdfdfb,
        .ink = 0x24292f,
        .look = {
            [STYLE_TEXT] = {.colour = D, .basic = D},
            [STYLE_DIM] = {.colour = 243, .basic = D, .dim = true},
            [STYLE_HEADER] = {.colour = D, .basic = D, .bold = true},
            [STYLE_RULE] = {.colour = 248, .basic = D, .dim = true},
            [STYLE_TITLE] = {.colour = 25, .basic = 4},
            [STYLE_FOCUS] = {.colour = 25, .basic = 4, .bold = true, .underline = true},
            [STYLE_FIRST] = {.colour = 166, .basic = 1, .bold = true},
            [STYLE_DEVIATE] = {.colour = 160, .basic = 1},
            [STYLE_DRIFT] = {.colour = 130, .basic = 3},
            [STYLE_NONFINITE] = {.colour = 127, .basic = 5},
            [STYLE_SAME_STATS] = {.colour = 65, .basic = 2},
            [STYLE_ONLY] = {.colour = 30, .basic = 6},
            [STYLE_SKIP] = {.colour = 246, .basic = D, .dim = true},
            [STYLE_DOUBTFUL] = {.colour = D, .basic = D, .underline = true},
            [STYLE_HIT] = {.colour = 28, .basic = 2, .bold = true},
            [STYLE_KEY] = {.colour = 25, .basic = 4, .bold = true},
            [STYLE_MESSAGE] = {.colour = 28, .basic = 2},
            [STYLE_ERROR] = {.colour = 160, .basic = 1, .bold = true},
            [STYLE_PROGRESS] = {.colour = 25, .basic = 4},
        },
    },
    {
        .name = "contrast",
        .base = &schemes[0],
        .paper = 0x000000,
        .ink = 0xffffff,
        .look = {
            [STYLE_DIM] = {.colour = D, .basic = D},
            [STYLE_RULE] = {.colour = D, .basic = D},
            [STYLE_TITLE] = {.colour = 14, .basic = 6, .bold = true},
            [STYLE_FIRST] = {.colour = 11, .basic = 3, .bold = true, .underline = true},
            [STYLE_DEVIATE] = {.colour = 9, .basic = 1, .bold = true},
            [STYLE_DRIFT] = {.colour = 11, .basic = 3, .bold = true},
            [STYLE_NONFINITE] = {.colour = 13, .basic = 5, .bold = true},
            [STYLE_SAME_STATS] = {.colour = D, .basic = D},
            [STYLE_SKIP] = {.colour = D, .basic = D},
        },
    },
    /* no distinction of red and green: the palette of Okabe and Ito */
    {
        .name = "blind",
        .base = &schemes[0],
        .paper = 0x16181d,
        .ink = 0xd7dae0,
        .look = {
            [STYLE_FIRST] = {.colour = 215, .basic = 3, .bold = true, .underline = true},
            [STYLE_DEVIATE] = {.colour = 208, .basic = 3, .bold = true},
            [STYLE_DRIFT] = {.colour = 227, .basic = 7},
            [STYLE_NONFINITE] = {.colour = 175, .basic = 5, .bold = true},
            [STYLE_SAME_STATS] = {.colour = 74, .basic = 4},
            [STYLE_ONLY] = {.colour = 74, .basic = 6},
            [STYLE_HIT] = {.colour = 74, .basic = 6, .bold = true},
            [STYLE_MESSAGE] = {.colour = 74, .basic = 6},
            [STYLE_ERROR] = {.colour = 208, .basic = 3, .bold = true},
        },
    },
    {
        .name = "mono",
        .paper = 0xffffff,
        .ink = 0x000000,
        .look = {
            [STYLE_TEXT] = {.colour = D, .basic = D},
            [STYLE_DIM] = {.colour = D, .basic = D},
            [STYLE_HEADER] = {.colour = D, .basic = D, .bold = true},
            [STYLE_RULE] = {.colour = D, .basic = D},
            [STYLE_TITLE] = {.colour = D, .basic = D},
            [STYLE_FOCUS] = {.colour = D, .basic = D, .bold = true, .underline = true},
            [STYLE_FIRST] = {.colour = D, .basic = D, .bold = true},
            [STYLE_DEVIATE] = {.colour = D, .basic = D, .bold = true},
            [STYLE_DRIFT] = {.colour = D, .basic = D},
            [STYLE_NONFINITE] = {.colour = D, .basic = D, .bold = true},
            [STYLE_SAME_STATS] = {.colour = D, .basic = D},
            [STYLE_ONLY] = {.colour = D, .basic = D},
            [STYLE_SKIP] = {.colour = D, .basic = D},
            [STYLE_DOUBTFUL] = {.colour = D, .basic = D, .underline = true},
            [STYLE_HIT] = {.colour = D, .basic = D, .bold = true},
            [STYLE_KEY] = {.colour = D, .basic = D, .bold = true},
            [STYLE_MESSAGE] = {.colour = D, .basic = D},
            [STYLE_ERROR] = {.colour = D, .basic = D, .bold = true},
            [STYLE_PROGRESS] = {.colour = D, .basic = D},
        },
    },
    {.name = NULL},
};

const struct style_look *scheme_look(const struct scheme *s, int element)
{
    const struct style_look *own = &s->look[element];
    return s->base && !own->colour && !own->basic ? &s->base->look[element] : own;
}

const struct scheme *scheme_find(const char *name)
{
    for (const struct scheme *s = schemes; s->name; s++)
        if (strcmp(s->name, name) == 0)
            return s;
    return NULL;
}

char style_letter(uint8_t style)
{
    static const char table[STYLE_COUNT] = {
        [STYLE_TEXT] = '.',      [STYLE_DIM] = 'd',       [STYLE_HEADER] = 'h',  [STYLE_RULE] = 'r',
        [STYLE_TITLE] = 't',     [STYLE_FOCUS] = 'f',     [STYLE_FIRST] = '1',   [STYLE_DEVIATE] = 'x',
        [STYLE_DRIFT] = '!',     [STYLE_NONFINITE] = 'i', [STYLE_SAME_STATS] = 's', [STYLE_ONLY] = 'o',
        [STYLE_SKIP] = '-',      [STYLE_DOUBTFUL] = '?',  [STYLE_HIT] = 'n',     [STYLE_KEY] = 'k',
        [STYLE_MESSAGE] = 'm',   [STYLE_ERROR] = 'e',     [STYLE_PROGRESS] = 'p',
    };
    return table[style & STYLE_ELEMENT];
}
