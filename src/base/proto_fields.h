/* Fields of a protobuf message one after the other, read from untrusted bytes. */
#ifndef LOG_PROTO_FIELDS_H
#define LOG_PROTO_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct proto_field {
    unsigned number, type;
    uint64_t v;      /* varint, fixed32, fixed64 */
    struct str bytes; /* length-delimited */
};

/* The next field of a message; false at its end and for malformed bytes. */
bool proto_next(struct str *s, struct proto_field *f);
/* The next field; false at the message's end, and with *damaged where it breaks off. */
bool proto_take(struct str *message, struct proto_field *f, bool *damaged);
/* The next integer of a packed list, taken off s; false where it breaks off. */
bool proto_varint(struct str *s, uint64_t *v);
/* An unsigned number of n bytes in little-endian order. */
uint64_t proto_little(const unsigned char *p, int n);

#endif
