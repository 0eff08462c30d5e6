/* Where in the step each call of a rank's recording belongs: which micro-batch, which virtual stage of the rank,
 * forward, backward or what comes after it, and inside which module. */
#ifndef RANKS_CALL_PLACE_H
#define RANKS_CALL_PLACE_H

#include "dump/dump.h"

enum call_region { IN_FORWARD, IN_BACKWARD, IN_TAIL, CALL_REGIONS };

struct call_place {
    uint32_t micro;
    uint16_t chunk;  /* of this rank: virtual stages are several */
    uint8_t region;
    /* of a module itself, else of the module it was made in; without the chunk's number; "" outside */
    const char *path;
    int layer;       /* the layer's number in path, or -1; it is the first number there */
    uint32_t number; /* of a module's name: call 3 of it */
};

struct call_places {
    struct call_place *call; /* as many as the dump has calls */
    size_t n;
    uint32_t micros;
    uint16_t chunks;
    bool modules;     /* some were recorded */
    uint32_t *layers; /* of each chunk: how many layers it holds */
    struct arena arena;
};

void call_places_find(struct call_places *p, const struct dump *d);
void call_places_release(struct call_places *p);
/* call_places.micros alone. */
uint32_t call_places_micros(const struct dump *d);

/* The call's name without its number, and of a module without its path: "Functional.linear.forward". Replaces out. */
void call_bare_name(const struct dump *d, uint32_t call, struct buf *out);
/* The tensors that a transfer or reduction between ranks takes and gives. */
bool call_is_collective(const struct dump *d, uint32_t call);
/* The rank at the other end of a transfer: its "dst", "src" or "peer", else the first whole number it is given; -1: not
 * recorded. */
int call_other_end(const struct dump *d, uint32_t call);
/* A whole number that was recorded; -1 where it is none that an int holds. */
int row_whole_number(const struct row *r);
/* The first component of a module's path that is a number: its place and value. False where none is. */
bool path_number(struct str path, size_t *from, size_t *to, int *value);

#endif
