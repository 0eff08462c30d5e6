/* The assembler includes the files; the Makefile gives it the folders (-Wa,-I). 64-bit machines. */
#include "base/embed.h"

#define FILE_IN(name, path)                                                                        \
    __asm__(".pushsection .rodata\n"                                                               \
            ".balign 8\n"                                                                          \
            "bytes_" #name ": .incbin \"" path "\"\n"                                              \
            "bytes_end_" #name ": .byte 0\n"                                                       \
            ".popsection\n"                                                                        \
            ".pushsection .data.rel.ro,\"aw\"\n"                                                   \
            ".balign 8\n"                                                                          \
            ".global embed_" #name "\n"                                                            \
            "embed_" #name ": .quad bytes_" #name "\n"                                             \
            ".quad bytes_end_" #name " - bytes_" #name "\n"                                        \
            ".popsection\n")

FILE_IN(zh_CN_mo_gz, "po/zh_CN.mo.gz");
FILE_IN(keys_conf, "keys.conf");
FILE_IN(keys_vim_conf, "keys-vim.conf");
FILE_IN(keys_less_conf, "keys-less.conf");
FILE_IN(thresholds_json, "thresholds.json");
FILE_IN(families_tsv, "families.tsv");
FILE_IN(weights_tsv, "weights.tsv");
FILE_IN(roles_tsv, "roles.tsv");
FILE_IN(checklist_conf, "checklist.conf");
FILE_IN(settings_tsv, "settings.tsv");
FILE_IN(recipes_conf, "recipes.conf");
FILE_IN(cards_conf, "cards.conf");
FILE_IN(replay_tsv, "replay.tsv");
FILE_IN(arguments_tsv, "arguments.tsv");
FILE_IN(replay_py, "replay.py");
FILE_IN(source_py, "source.py");
