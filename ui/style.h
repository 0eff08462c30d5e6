/* What things look like: elements are named for what they mean, schemes give each one a colour and
 * attributes. A scheme never paints the background, and nothing is told by colour alone. */
#ifndef UI_STYLE_H
#define UI_STYLE_H

#include <stdbool.h>
#include <stdint.h>

enum style {
    STYLE_TEXT,
    STYLE_DIM,        /* what may be overlooked */
    STYLE_HEADER,     /* the two lines on top */
    STYLE_RULE,       /* lines between panes */
    STYLE_TITLE,      /* a pane's name, a column's head */
    STYLE_FOCUS,      /* the name of the pane keys go to */
    STYLE_FIRST,      /* the first deviation */
    STYLE_DEVIATE,
    STYLE_DRIFT,
    STYLE_NONFINITE,
    STYLE_SAME_STATS, /* a match of statistics alone */
    STYLE_ONLY,       /* no partner */
    STYLE_SKIP,
    STYLE_DOUBTFUL,   /* may be combined: see STYLE_UNDER */
    STYLE_HIT,        /* matches the search */
    STYLE_KEY,        /* a key in the footer and in help */
    STYLE_MESSAGE,
    STYLE_ERROR,
    STYLE_PROGRESS,
    STYLE_COUNT
};

/* Bits beside the element in a cell's style. */
enum { STYLE_CURSOR = 0x40, STYLE_UNDER = 0x80, STYLE_ELEMENT = 0x3f };

enum { COLOUR_DEFAULT = -1 }; /* else an index of the 256-colour palette; the first 8 exist everywhere */

struct style_look {
    int16_t colour;      /* on terminals with 256 colours */
    int8_t basic;        /* on terminals with 8 */
    bool bold, dim, underline, reverse;
};

struct scheme {
    const char *name;
    const struct scheme *base; /* where this one gives no look of its own; NULL: it gives all */
    struct style_look look[STYLE_COUNT];
    uint32_t paper, ink; /* 0xRRGGBB for pictures: the background and text a terminal would have */
};

extern const struct scheme schemes[]; /* name NULL at the end; [0] is the default */
const struct scheme *scheme_find(const char *name); /* or NULL */
const struct style_look *scheme_look(const struct scheme *s, int element);
/* One letter an element, for screens as text; '.' is plain. */
char style_letter(uint8_t style);

#endif
