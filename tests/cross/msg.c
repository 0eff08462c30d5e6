/* The catalogue without translations: what is embedded in the program is not built for the other machine. */
#include "base/msg.h"

const char *msg_get(const char *id)
{
    return id;
}
