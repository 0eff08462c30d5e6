/* Reads the GNU .mo layout: a header of seven 32-bit words, then two tables of (length, offset),
 * originals sorted bytewise. The bytes are our own build's, in this machine's byte order; they are unpacked when their
 * language is chosen. */
#include "base/msg.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/embed.h"

#define GZIP (16 + MAX_WBITS) /* zlib's way to ask for gzip's header */

static struct language {
    const char *prefix, *name;
    const struct embedded *packed;
    const char *mo; /* kept for as long as the program runs */
} languages[] = {
    {"zh", "zh_CN", &embed_zh_CN_mo_gz, NULL},
};

static const char *_Atomic catalogue; /* a language's mo; NULL: English */

/* NULL without memory. */
static const char *unpack_catalogue(const struct embedded *x)
{
    const unsigned char *end = (const unsigned char *)x->p + x->n - 4; /* gzip ends with the size */
    uint32_t size = (uint32_t)end[0] | (uint32_t)end[1] << 8 | (uint32_t)end[2] << 16 | (uint32_t)end[3] << 24;
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)x->p, .avail_in = (unsigned)x->n};
    char *mo = malloc(size);
    if (!mo || inflateInit2(&z, GZIP) != Z_OK) {
        free(mo);
        return NULL;
    }
    z.next_out = (unsigned char *)mo;
    z.avail_out = size;
    int rc = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    if (rc == Z_STREAM_END)
        return mo;
    free(mo);
    return NULL;
}

const char *msg_current(void)
{
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        if (catalogue && languages[i].mo == catalogue)
            return languages[i].name;
    return "en";
}

const char *msg_language(const char *locale)
{
    catalogue = NULL;
    for (size_t i = 0; locale && i < sizeof languages / sizeof *languages; i++) {
        struct language *l = &languages[i];
        if (strncmp(locale, l->prefix, strlen(l->prefix)) == 0) {
            l->mo = l->mo ? l->mo : unpack_catalogue(l->packed);
            catalogue = l->mo;
        }
    }
    return msg_current();
}

static uint32_t catalogue_word(const char *mo, uint32_t at)
{
    uint32_t v;
    memcpy(&v, mo + at, sizeof v);
    return v;
}

const char *msg_get(const char *id)
{
    const char *mo = catalogue;
    if (!mo || !*id) /* the empty id is the catalogue's header */
        return id;
    uint32_t n = catalogue_word(mo, 8), ids = catalogue_word(mo, 12), texts =
        catalogue_word(mo, 16), lo = 0, hi = n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        int order = strcmp(id, mo + catalogue_word(mo, ids + mid * 8 + 4));
        if (order == 0) {
            const char *text = mo + catalogue_word(mo, texts + mid * 8 + 4);
            return *text ? text : id;
        }
        if (order < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return id;
}
