/* The investigation as a pack holds it: its files taken along under names of the pack, and every path taken out. */
#include "base/msg.h"
#include "base/num.h"
#include "base/json_read.h"
#include "report/pack_parts.h"

#define INPUT_MOST (4u << 20) /* bytes of a file the panels were given */
#define NAME_MOST 60

static void harmless(struct buf *out, struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("._-", c));
        buf_char(out, plain ? c : '_');
    }
}

/* What a file is called in the pack: what it is for, then its own name as far as it is harmless. */
static const char *file_name(struct arena *a, const char *what, size_t nth, const char *path)
{
    struct buf b = {0};
    struct str base = path_base(str_of(path));
    buf_fmt(&b, "inputs/%zu-", nth);
    harmless(&b, str_n(what, strlen(what) > 20 ? 20 : strlen(what)));
    buf_char(&b, '-');
    harmless(&b, str_cut(base, base.n > NAME_MOST ? base.n - NAME_MOST : 0));
    const char *kept = arena_cstr(a, buf_view(&b));
    buf_release(&b);
    return kept;
}

struct ticket {
    const struct investigation *inv;
    const struct sanitize *clean;
    struct arena *a;
    pack_input_list *inputs;
    struct pack_said *said;
};

/* The name of the file in the pack, or NULL where it is left out, which is told. */
static const char *take_file(struct ticket *t, const char *what, const char *path)
{
    struct buf at = {0}, shown = {0};
    struct err why;
    struct file f;
    char n[NUM_MAX];
    struct pack_input x = {NULL, NULL};
    investigation_locate(t->inv, path, &at);
    sanitize_path(t->clean, path, &shown);
    if (path_is_dir(at.p)) {
        vec_push(&t->said->left, arena_fmt(&t->said->arena, _("%s, given as %s: a folder, which is not packed"), shown.p, what));
    } else if (file_open(&f, at.p, &why)) {
        vec_push(&t->said->left, arena_fmt(&t->said->arena, _("%s, given as %s: it cannot be read"), shown.p, what));
    } else {
        if (f.size > INPUT_MOST)
            vec_push(&t->said->left, arena_fmt(&t->said->arena, _("%s, given as %s (%s): too large"), shown.p, what, num_bytes(n, f.size)));
        else
            x = (struct pack_input){arena_cstr(t->a, buf_view(&at)), file_name(t->a, what, t->inputs->n + 1, path)};
        file_close(&f);
    }
    if (x.file)
        vec_push(t->inputs, x);
    buf_release(&at);
    buf_release(&shown);
    return x.file;
}

static void take_maps(struct ticket *t, cJSON *o)
{
    cJSON *maps = cJSON_CreateArray(), *it;
    cJSON_ArrayForEach(it, cJSON_GetObjectItemCaseSensitive(o, "maps")) {
        const char *file = cJSON_IsString(it) ? take_file(t, "map", it->valuestring) : NULL;
        if (file)
            cJSON_AddItemToArray(maps, cJSON_CreateString(file));
    }
    cJSON_ReplaceItemInObjectCaseSensitive(o, "maps", maps);
    const cJSON *known = cJSON_GetObjectItemCaseSensitive(o, "known");
    const char *file = cJSON_IsString(known) ? take_file(t, "known", known->valuestring) : NULL;
    cJSON_DeleteItemFromObjectCaseSensitive(o, "known");
    if (file)
        cJSON_AddStringToObject(o, "known", file);
}

static void take_slots(struct ticket *t, cJSON *told)
{
    cJSON *inputs = cJSON_GetObjectItemCaseSensitive(told, "inputs"), *kept = cJSON_CreateArray(), *it;
    cJSON_ArrayForEach(it, inputs) {
        const cJSON *slot = cJSON_GetObjectItemCaseSensitive(it, "slot"), *path = cJSON_GetObjectItemCaseSensitive(it, "path");
        const char *file = cJSON_IsString(slot) && cJSON_IsString(path) ? take_file(t, slot->valuestring, path->valuestring) : NULL;
        if (!file)
            continue;
        cJSON *x = cJSON_CreateObject();
        cJSON_AddStringToObject(x, "slot", slot->valuestring);
        cJSON_AddStringToObject(x, "path", file);
        cJSON_AddItemToArray(kept, x);
    }
    if (inputs)
        cJSON_ReplaceItemInObjectCaseSensitive(told, "inputs", kept);
    else
        cJSON_Delete(kept);
}

/* Every text below it without the paths in it. */
static void clean_tree(cJSON *v, const struct sanitize *clean)
{
    struct buf b = {0};
    for (; v; v = v->next) {
        if (cJSON_IsString(v)) {
            buf_clear(&b);
            sanitize_text(clean, str_of(v->valuestring), SANITIZE_LINES, &b);
            if (!str_is(buf_view(&b), v->valuestring))
                cJSON_SetValuestring(v, b.p ? b.p : "");
        }
        clean_tree(v->child, clean);
    }
    buf_release(&b);
}

/* Beside what is known by name, nothing that is called a path says where it lay. */
static void clean_paths(cJSON *v, const struct sanitize *clean)
{
    struct buf b = {0};
    for (; v; v = v->next) {
        if (cJSON_IsString(v) && v->string && (strcmp(v->string, "path") == 0 || strcmp(v->string, "full_path") == 0)) {
            buf_clear(&b);
            sanitize_path(clean, v->valuestring, &b);
            cJSON_SetValuestring(v, b.p ? b.p : "");
        }
        clean_paths(v->child, clean);
    }
    buf_release(&b);
}

/* A side is the folder of its name; what its files were is no longer of use. */
static void set_side(cJSON *o, const char *side)
{
    cJSON *x = cJSON_CreateObject();
    cJSON_AddStringToObject(x, "path", side);
    cJSON_ReplaceItemInObjectCaseSensitive(o, side, x);
}

int pack_ticket(const struct investigation *inv, const struct sanitize *clean, bool paths, struct arena *a, pack_input_list *inputs, struct pack_said *said,
                struct buf *out, struct err *e)
{
    struct ticket t = {inv, clean, a, inputs, said};
    struct buf b = {0};
    investigation_write(inv, &b);
    cJSON *root = json_text(buf_view(&b), "investigation", e);
    buf_release(&b);
    if (!root)
        return -1;
    cJSON *o = cJSON_GetObjectItemCaseSensitive(root, "investigation"), *told = cJSON_GetObjectItemCaseSensitive(o, "panels");
    if (!paths) {
        cJSON_DeleteItemFromObjectCaseSensitive(o, "remaps");
        cJSON *what[] = {cJSON_GetObjectItemCaseSensitive(o, "findings"), cJSON_GetObjectItemCaseSensitive(told, "waived"), cJSON_GetObjectItemCaseSensitive(told, "answers")};
        for (size_t i = 0; i < ARRAY_LEN(what); i++)
            clean_tree(what[i] ? what[i]->child : NULL, clean);
    }
    set_side(o, "target");
    set_side(o, "golden");
    if (cJSON_HasObjectItem(o, "rounds")) {
        cJSON_DeleteItemFromObjectCaseSensitive(o, "rounds");
        vec_push(&said->left, arena_cstr(&said->arena, str_of(_("earlier rounds: only the last one is packed"))));
    }
    take_maps(&t, o);
    take_slots(&t, told);
    if (!paths)
        clean_paths(o->child, clean);
    char *text = cJSON_Print(root);
    buf_cstr(out, text ? text : "");
    buf_char(out, '\n');
    cJSON_free(text);
    cJSON_Delete(root);
    said->inputs = inputs->n;
    return 0;
}
