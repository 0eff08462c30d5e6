/* Reads the protobuf wire format: varints, fixed-size integers, and lengths that must be inside the message. */
#include "base/proto_fields.h"

uint64_t proto_little(const unsigned char *p, int n)
{
    uint64_t v = 0;
    for (int i = n; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

bool proto_varint(struct str *s, uint64_t *v)
{
    *v = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (!s->n)
            return false;
        unsigned char c = (unsigned char)s->p[0];
        *s = str_cut(*s, 1);
        *v |= (uint64_t)(c & 127) << shift;
        if (!(c & 128))
            return true;
    }
    return false;
}

bool proto_next(struct str *s, struct proto_field *f)
{
    uint64_t key, n;
    if (!s->n || !proto_varint(s, &key) || key >> 3 > 0x1fffffff)
        return false;
    f->number = (unsigned)(key >> 3);
    f->type = (unsigned)(key & 7);
    switch (f->type) {
    case 0:
        return proto_varint(s, &f->v);
    case 1:
    case 5:
        n = f->type == 1 ? 8 : 4;
        if (s->n < n)
            return false;
        f->v = proto_little((const unsigned char *)s->p, (int)n);
        *s = str_cut(*s, n);
        return true;
    case 2:
        if (!proto_varint(s, &n) || n > s->n)
            return false;
        f->bytes = str_n(s->p, (size_t)n);
        *s = str_cut(*s, (size_t)n);
        return true;
    default:
        return false;
    }
}

bool proto_take(struct str *message, struct proto_field *f, bool *damaged)
{
    if (!message->n)
        return false;
    bool more = proto_next(message, f);
    *damaged |= !more;
    return more;
}
