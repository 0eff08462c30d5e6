/* Reads the GNU .mo layout: a header of seven 32-bit words, then two tables of (length, offset),
 * originals sorted bytewise. The bytes are our own build's, in this machine's byte order. */
#include "base/msg.h"

#include <stdint.h>
#include <string.h>

#include "base/embed.h"

static const struct embedded *_Atomic catalogue;

static const struct {
    const char *prefix, *name;
    const struct embedded *mo;
} languages[] = {
    {"zh", "zh_CN", &embed_zh_CN_mo},
};

const char *msg_current(void)
{
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        if (languages[i].mo == catalogue)
            return languages[i].name;
    return "en";
}

const char *msg_language(const char *locale)
{
    catalogue = NULL;
    for (size_t i = 0; locale && i < sizeof languages / sizeof *languages; i++)
        if (strncmp(locale, languages[i].prefix, strlen(languages[i].prefix)) == 0) {
            catalogue = languages[i].mo;
            return languages[i].name;
        }
    return "en";
}

static uint32_t word(const char *mo, uint32_t at)
{
    uint32_t v;
    memcpy(&v, mo + at, sizeof v);
    return v;
}

const char *msg_get(const char *id)
{
    const struct embedded *c = catalogue;
    if (!c || !*id) /* the empty id is the catalogue's header */
        return id;
    const char *mo = c->p;
    uint32_t n = word(mo, 8), ids = word(mo, 12), texts = word(mo, 16), lo = 0, hi = n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        int order = strcmp(id, mo + word(mo, ids + mid * 8 + 4));
        if (order == 0) {
            const char *text = mo + word(mo, texts + mid * 8 + 4);
            return *text ? text : id;
        }
        if (order < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return id;
}
