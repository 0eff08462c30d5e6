/* Opens settings in any format of settings_formats.c, stores names and values, looks them up, and determines the
 * platform. */
#include "config/settings.h"

#include "base/io.h"
#include "base/msg.h"
#include "config/arguments.h"
#include "config/environment_forms.h"
#include "config/settings_archive.h"

#define ENVIRONMENT_FILES 100 /* looked into in a folder */

const struct setting *settings_find(const struct settings *s, struct str key)
{
    uint32_t i = map_get(&s->by_key, key);
    return i == MAP_NONE ? NULL : &s->list.v[i];
}

const struct setting *settings_env(const struct settings *s, struct str name)
{
    uint32_t i = map_get(&s->env_by_key, name);
    return i == MAP_NONE ? NULL : &s->env.v[i];
}

bool settings_null(struct str v)
{
    return !v.n || str_is(v, "~") || str_ieq(v, STR("null")) || str_is(v, "None");
}

bool settings_plain_key(struct str key, struct buf *out)
{
    buf_clear(out);
    if (str_find(key, '[') < 0)
        return false;
    for (size_t i = 0; i < key.n; i++)
        if (key.p[i] == '[')
            while (i + 1 < key.n && key.p[i] != ']')
                i++;
        else
            buf_char(out, key.p[i]);
    return true;
}

/* "callbacks[0].per_print_times" is found as "callbacks.per_print_times" too. */
static void add_plain_key(struct settings *s, struct str key, uint32_t at)
{
    struct buf b = {0};
    if (settings_plain_key(key, &b) && map_get(&s->by_key, buf_view(&b)) == MAP_NONE)
        map_add(&s->by_key, arena_str(&s->arena, buf_view(&b)), at);
    buf_release(&b);
}

int settings_hold(struct settings *s, size_t bytes, uint32_t line, struct err *e)
{
    s->held += bytes + 64;
    return s->held > SETTINGS_HELD
               ? err_line(e, s->path, line, _("more than %u MB of settings in one file"), SETTINGS_HELD >> 20)
               : 0;
}

void settings_warn(struct settings *s, const char *fmt, ...)
{
    va_list ap;
    if (s->warnings.n == SETTINGS_WARNINGS)
        return;
    va_start(ap, fmt);
    vec_push(&s->warnings, arena_vfmt(&s->arena, fmt, ap));
    va_end(ap);
}

int settings_add(struct settings *s, struct str key, struct str spelled, struct str value, enum setting_state state,
                 uint32_t line,
                 struct err *e)
{
    if (settings_hold(s, 2 * key.n + spelled.n + value.n, line, e))
        return -1;
    struct setting x = {.value = arena_str(&s->arena, value), .line = line, .state = (uint8_t)state};
    uint32_t at = map_get(&s->by_key, key);
    x.spelled = arena_str(&s->arena, spelled);
    if (at != MAP_NONE && str_eq(s->list.v[at].key, key)) {
        x.key = s->list.v[at].key;
        s->list.v[at] = x;
        return 0;
    }
    if (s->list.n == SETTINGS_MAX)
        return err_line(e, s->path, line, _("more than %d settings in one file"), SETTINGS_MAX);
    x.key = arena_str(&s->arena, key);
    vec_push(&s->list, x);
    map_set(&s->by_key, x.key, (uint32_t)s->list.n - 1);
    add_plain_key(s, x.key, (uint32_t)s->list.n - 1);
    return 0;
}

void settings_export(struct settings *s, struct str name, struct str value, enum setting_state state, uint32_t line)
{
    struct err full;
    uint32_t at = map_get(&s->env_by_key, name);
    if (settings_hold(s, name.n + value.n, line, &full) || (at == MAP_NONE && s->env.n >= SETTINGS_MAX))
        return; /* the checklist uses none of the variables beyond this number */
    struct setting x = {.value = arena_str(&s->arena, value), .line = line, .state = (uint8_t)state};
    x.key = x.spelled = at == MAP_NONE ? arena_str(&s->arena, name) : s->env.v[at].key;
    if (at != MAP_NONE) {
        s->env.v[at] = x;
        return;
    }
    vec_push(&s->env, x);
    map_add(&s->env_by_key, x.key, (uint32_t)s->env.n - 1);
}

/* ---- files ---- */

static int read_settings_text(const char *path, struct buf *text, bool *whole, struct err *e)
{
    struct file f = {0};
    if (file_open(&f, path, e))
        return -1;
    size_t n = f.size < SETTINGS_LOG_BYTES ? (size_t)f.size : SETTINGS_LOG_BYTES;
    *whole = n == f.size;
    buf_reserve(text, n + 1);
    int rc = file_read(&f, 0, text->p, n, e);
    if (rc == 0) {
        text->n = n;
        text->p[n] = 0;
    }
    file_close(&f);
    return rc;
}

static const struct settings_format *sniff_settings_format(struct str text)
{
    const struct settings_format *k = settings_formats;
    struct str head = text.n > (1u << 20) ? str_n(text.p, 1u << 20) : text;
    while (k->name && k->sniff && !k->sniff(k->head ? text : head))
        k++;
    return k;
}

/* A file that has to be held whole and is text. */
static int check_text(const char *path, struct str text, bool whole, struct err *e)
{
    const char *zero = memchr(text.p, 0, text.n);
    if (!whole || text.n > SETTINGS_BYTES)
        return err_set(e, ERR_DATA, _("%s: larger than %u MB, and no printed arguments found: not a settings "
                                      "file"), path,
                       SETTINGS_BYTES >> 20);
    if (zero)
        return err_at(e, path, (uint64_t)(zero - text.p), _("expected text, found a zero byte"));
    return 0;
}

/* Settings as text. */
static int take_settings_text(struct settings *s, const char *path, struct str t, bool whole, struct err *e)
{
    if (str_starts(t, "\xef\xbb\xbf"))
        t = str_cut(t, 3);
    const struct settings_format *k = sniff_settings_format(t);
    bool document = !k->sniff;
    if (!k->head && check_text(path, t, whole, e))
        return -1;
    if (!document) {
        s->kind = k->name;
        s->dialect = k->dialect;
        s->sections |= k->sections;
    }
    int rc = document ? settings_document_read(s, t, e) : k->read(s, t, e);
    if (rc == 0 && k->head) /* a log: what it says of versions besides */
        rc = environment_in_log(s, t, e);
    return rc;
}

/* Training arguments, or msprobe's config_check archive with its environment. */
static int take_archive(struct settings *s, struct settings_archive *z, struct err *e)
{
    static const char parsed[] = "hyperparameters/hyperparameters_dynamic.json"; /* by the run, defaults too */
    static const char script[] = "hyperparameters/hyperparameters_static.json";
    const char *path = z->f.name;
    struct buf text = {0};
    int there = settings_archive_text(z, parsed, &text, e);
    bool parsed_run = there == 1;
    if (there == 0 && (there = settings_archive_text(z, script, &text, e)) == 1)
        settings_warn(s, "%s", _("options of the launch script as msprobe config_check read them: an option after one "
                                 "without a value is lost; give the script itself"));
    if (there == 0 && settings_archive_text(z, "env", &text, e) == 1)
        there = err_set(e, ERR_DATA, _("%s: msprobe's config_check archive without hyperparameters: name the launch "
                                       "script or a log here, and this archive with --target-env or --golden-env"),
                        path);
    int rc = there < 0 ? -1 : there ? take_settings_text(s, path, buf_view(&text), true, e)
             : saved_arguments_read(s, z, e);
    for (size_t i = 0; there == 1 && !parsed_run && i < s->list.n; i++)
        if (str_starts(s->list.v[i].value, "--"))
            s->list.v[i].value = STR("True");
    if (there == 1 && rc == 0)
        rc = environment_archive(s, z, e);
    buf_release(&text);
    return rc;
}

typedef int archive_reader(struct settings *s, struct settings_archive *z, struct err *e);

static int open_archive(struct settings *s, const char *path, archive_reader *take, struct err *e)
{
    struct settings_archive z;
    if (settings_archive_open(&z, path, e))
        return -1;
    int rc = take(s, &z, e);
    settings_archive_close(&z);
    return rc;
}

static int open_file(struct settings *s, const char *path, struct err *e)
{
    struct buf text = {0};
    const char *run = s->path; /* messages name the file, of a folder too */
    bool whole;
    int rc = read_settings_text(path, &text, &whole, e);
    s->path = arena_cstr(&s->arena, str_of(path));
    if (rc == 0)
        rc = str_starts(buf_view(&text), "PK\3\4") ? open_archive(s, path, take_archive, e)
                                                    : take_settings_text(s, path, buf_view(&text), whole, e);
    s->path = run;
    buf_release(&text);
    return rc;
}

/* Evidence that a run is on NPU: MindFormers unless it says otherwise, or an argument or variable only Ascend has. */
static enum platform find_platform(const struct settings *s)
{
    static const char *const prefix[] = {"ASCEND_", "HCCL_", "MS_ASCEND_", "TASK_QUEUE_ENABLE"};
    const struct setting *x = settings_find(s, STR("context.device_target"));
    if (s->dialect == DIALECT_MINDFORMERS)
        return x && (str_ieq(x->value, STR("GPU")) || str_ieq(x->value, STR("CPU"))) ? PLATFORM_GPU : PLATFORM_NPU;
    x = settings_find(s, STR("distributed_backend"));
    if (x && str_is(x->value, "hccl"))
        return PLATFORM_NPU;
    for (size_t i = 0; i < s->list.n; i++)
        if (s->dialect == DIALECT_MEGATRON && argument_npu(s->list.v[i].key) && !str_is(s->list.v[i].value, "False") &&
            s->list.v[i].state == SETTING_TEXT)
            return PLATFORM_NPU;
    for (size_t i = 0; i < s->env.n; i++)
        for (size_t k = 0; k < ARRAY_LEN(prefix); k++)
            if (str_starts(s->env.v[i].key, prefix[k]))
                return PLATFORM_NPU;
    return PLATFORM_GPU;
}

/* The folder of a Hugging Face model: its two files. */
static int open_model_folder(struct settings *s, const char *path, struct err *e)
{
    static const char *const names[] = {"config.json", "training_args.json", "training_args.bin"};
    struct buf b = {0};
    int found = 0, rc = 0;
    for (size_t i = 0; i < ARRAY_LEN(names) && rc == 0; i++) {
        path_join(&b, path, names[i]);
        if (!path_is_file(b.p))
            continue;
        found++;
        rc = open_file(s, b.p, e);
    }
    buf_release(&b);
    if (!found)
        return err_set(e, ERR_DATA,
                       _("%s: a folder without config.json, training_args.json or training_args.bin; name the file of "
                         "settings"), path);
    return rc;
}

int settings_open(struct settings *s, const char *path, struct err *e)
{
    *s = (struct settings){0};
    s->path = arena_cstr(&s->arena, str_of(path));
    if (path_is_dir(path) ? open_model_folder(s, path, e) : open_file(s, path, e))
        return -1;
    bool script = (s->kind && strcmp(s->kind, "shell-script") == 0) || str_ends(str_of(path), ".sh");
    if (s->dialect == DIALECT_NONE && s->elsewhere)
        return err_set(e, ERR_DATA, "%s", s->elsewhere);
    if (s->dialect == DIALECT_NONE && script)
        return err_set(e, ERR_DATA,
                       _("%s: expected a launch script, found no command with options of a training program (\"--lr\" "
                         "or \"actor.optim.lr=\" behind a .py or python -m); its variables can be given with "
                         "--target-env or --golden-env"), path);
    if (s->dialect == DIALECT_NONE)
        return err_set(e, ERR_DATA,
                       _("%s: expected settings, found environment variables; pass them with --target-env or "
                         "--golden-env"), path);
    s->platform = find_platform(s);
    return 0;
}

bool settings_probe(const char *path, bool common)
{
    struct settings s;
    struct err quiet;
    bool yes = settings_open(&s, path, &quiet) == 0;
    for (const struct settings_format *k = settings_formats; yes && !common && k->name; k++)
        yes = !k->common || !s.kind || strcmp(s.kind, k->name) != 0;
    settings_release(&s);
    return yes;
}

/* Adds the settings of `from` to s; of versions the first file counts, of variables the last. */
static void join_environment(struct settings *s, struct settings *from, const char *name)
{
    for (size_t i = 0; i < from->env.n; i++) {
        const struct setting *x = &from->env.v[i];
        if (!str_starts(x->key, "version:") || !settings_env(s, x->key))
            settings_export(s, x->key, x->value, (enum setting_state)x->state, x->line);
    }
    s->env_known |= from->env_known;
    s->env_path = arena_cstr(&s->arena, str_of(name));
    s->platform = find_platform(s);
}

int settings_environment_text(struct settings *s, const char *name, struct str text, struct err *e)
{
    struct settings from = {.path = name};
    int rc = environment_take(&from, name, text, e);
    if (rc == 0)
        join_environment(s, &from, name);
    settings_release(&from);
    return rc;
}

static int environment_file(struct settings *s, const char *path, struct err *e)
{
    struct settings from = {.path = path};
    struct buf text = {0};
    bool whole;
    int rc = read_settings_text(path, &text, &whole, e);
    if (rc == 0)
        rc = str_starts(buf_view(&text), "PK\3\4") ? open_archive(&from, path, environment_archive, e)
                                                   : environment_take(&from, path, buf_view(&text), e);
    if (rc == 0)
        join_environment(s, &from, path);
    settings_release(&from);
    buf_release(&text);
    return rc;
}

/* A folder of such files: env.txt, pip.txt, version.info. Other files are skipped. */
static int environment_folder(struct settings *s, const char *path, struct err *e)
{
    name_list names = {0};
    struct buf b = {0};
    int found = 0;
    if (dir_list(path, ENVIRONMENT_FILES, &names, e))
        return -1;
    for (size_t i = 0; i < names.n; i++) {
        struct err one;
        path_join(&b, path, names.v[i]);
        if (path_is_file(b.p))
            found += environment_file(s, b.p, &one) == 0;
    }
    buf_release(&b);
    name_list_release(&names);
    if (!found)
        return err_set(e, ERR_DATA, _("%s: no file with environment variables in this folder"), path);
    s->env_path = arena_cstr(&s->arena, str_of(path));
    return 0;
}

int settings_environment(struct settings *s, const char *path, struct err *e)
{
    return path_is_dir(path) ? environment_folder(s, path, e) : environment_file(s, path, e);
}

int settings_environment_only(struct settings *s, const char *path, struct err *e)
{
    *s = (struct settings){.env_only = true, .kind = "environment"};
    s->path = arena_cstr(&s->arena, str_of(path));
    if (settings_environment(s, path, e))
        return -1;
    bool mindspore = settings_env(s, STR("version:mindspore")) != NULL;
    for (size_t i = 0; i < s->env.n; i++)
        mindspore |= str_starts(s->env.v[i].key, "MS_");
    s->dialect = mindspore ? DIALECT_MINDFORMERS : DIALECT_HF;
    s->platform = find_platform(s);
    return 0;
}

int settings_side(struct settings *s, const char *path, const char *env, struct err *e)
{
    if (!path)
        return settings_environment_only(s, env, e);
    return settings_open(s, path, e) || (env && settings_environment(s, env, e)) ? -1 : 0;
}

void settings_release(struct settings *s)
{
    vec_release(&s->list);
    vec_release(&s->env);
    vec_release(&s->warnings);
    map_release(&s->by_key);
    map_release(&s->env_by_key);
    arena_release(&s->arena);
}
