/* The files of data/ (and the built catalogues) inside the program. Each ends in a NUL that n does not count. */
#ifndef BASE_EMBED_H
#define BASE_EMBED_H

#include <stddef.h>

#include "base/str.h"

struct embedded {
    const char *p;
    size_t n;
};

extern const struct embedded embed_zh_CN_mo_gz; /* compressed by gzip */
extern const struct embedded embed_keys_conf;
extern const struct embedded embed_keys_vim_conf, embed_keys_less_conf;
extern const struct embedded embed_thresholds_json;
extern const struct embedded embed_families_tsv;
extern const struct embedded embed_weights_tsv;
extern const struct embedded embed_roles_tsv;
extern const struct embedded embed_checklist_conf, embed_settings_tsv;
extern const struct embedded embed_recipes_conf, embed_cards_conf;
extern const struct embedded embed_replay_tsv, embed_replay_py, embed_source_py;
extern const struct embedded embed_arguments_tsv;

static inline struct str embed_str(const struct embedded *e)
{
    return (struct str){e->p, e->n};
}

#endif
