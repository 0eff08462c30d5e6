/* Styles: elements are named by meaning, schemes give each a colour and attributes. A scheme never sets the
 * background, and colour is never the only indication. */
#ifndef UI_STYLE_H
#define UI_STYLE_H

#include <stdbool.h>
#include <stdint.h>

enum style {
    STYLE_TEXT,
    STYLE_DIM,        /* less important text */
    STYLE_HEADER,     /* the two lines on top */
    STYLE_RULE,       /* lines between panes */
    STYLE_TITLE,      /* a pane's name, a column's head */
    STYLE_FOCUS,      /* the name of the pane keys go to */
    STYLE_FIRST,      /* the first deviation */
    STYLE_DEVIATE,
    STYLE_DRIFT,
    STYLE_NONFINITE,
    STYLE_SAME_STATS, /* match by statistics only */
    STYLE_ONLY,       /* no partner */
    STYLE_SKIP,
    STYLE_DOUBTFUL,   /* may be combined: see STYLE_UNDER */
    STYLE_HIT,        /* matches the search */
    STYLE_KEY,        /* a key name in the footer and in help */
    STYLE_MESSAGE,
    STYLE_ERROR,
    STYLE_PROGRESS,
    STYLE_COUNT
};

/* Bits combined with the element in a cell's style. */
enum { STYLE_CURSOR = 0x40, STYLE_UNDER = 0x80, STYLE_ELEMENT = 0x3f };

enum { COLOUR_DEFAULT = -1 }; /* otherwise an index of the 256-colour palette; the first 8 exist everywhere */

struct style_look {
    int16_t colour;      /* on terminals with 256 colours */
    int8_t basic;        /* on terminals with 8 */
    bool bold, dim, underline, reverse;
};

struct scheme {
    const char *name;
    const struct scheme *base; /* the scheme for elements without a look in this one; NULL: it has all */
    struct style_look look[STYLE_COUNT];
    uint32_t paper, ink; /* 0xRRGGBB for pictures: background and text colour */
};

extern const struct scheme schemes[]; /* name NULL at the end; [0] is the default */
const struct scheme *scheme_find(const char *name); /* or NULL */
const struct style_look *scheme_look(const struct scheme *s, int element);
/* One letter per element, for screens as text; '.' is plain. */
char style_letter(uint8_t style);

#endif
