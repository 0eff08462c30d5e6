/* Fields of a protobuf message one after the other, from bytes that nobody vouches for. */
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

/* The next field of a message; false at its end and where it is no message. */
bool proto_next(struct str *s, struct proto_field *f);
/* n bytes, the lowest first. */
uint64_t proto_little(const unsigned char *p, int n);

#endif
