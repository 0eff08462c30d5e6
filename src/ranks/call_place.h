/* The position of each call of a rank's recording in the step: micro-batch, virtual stage of the rank, region
 * (forward, backward, after the backward pass) and module. */
#ifndef RANKS_CALL_PLACE_H
#define RANKS_CALL_PLACE_H

#include "dump/dump.h"

enum call_region { IN_FORWARD, IN_BACKWARD, IN_TAIL, CALL_REGIONS };

struct call_place {
    uint32_t micro;
    uint16_t chunk;  /* virtual stage of this rank */
    uint8_t region;
    /* path of the module itself or of the module the call was made in, without the stage's number; "" outside modules
     */
    const char *path;
    int layer;       /* the first number in path, the layer; or -1 */
    uint32_t number; /* running number of a module's calls */
};

struct call_places {
    struct call_place *call; /* one per call of the dump */
    size_t n;
    uint32_t micros;
    uint16_t chunks;
    bool modules;     /* modules were recorded */
    uint32_t *layers; /* per virtual stage: number of layers */
    struct arena arena;
};

void call_places_find(struct call_places *p, const struct dump *d);
void call_places_release(struct call_places *p);
/* Only call_places.micros. */
uint32_t call_places_micros(const struct dump *d);

/* The call's name without its number, for a module without its path: "Functional.linear.forward". Replaces out. */
void call_bare_name(const struct dump *d, uint32_t call, struct buf *out);
/* Whether the call is a transfer or reduction between ranks. */
bool call_is_collective(const struct dump *d, uint32_t call);
/* The peer rank of a transfer: its argument "dst", "src" or "peer", otherwise its first integer argument; -1: not
 * recorded. */
int call_other_end(const struct dump *d, uint32_t call);
/* The value of an integer row; -1 if it is none or does not fit an int. */
int row_whole_number(const struct row *r);
/* The first component of a module's path that is a number: its range and value. False if there is none. */
bool path_number(struct str path, size_t *from, size_t *to, int *value);

#endif
