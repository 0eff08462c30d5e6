/* Parses launch scripts: follows the statements in order, records assignments and exports, and takes the arguments of
 * the training command, which is the one with the most options after a .py. All branches are followed; if they assign
 * the same variable, the last value is used, with a warning. */
#include "base/msg.h"
#include "config/arguments.h"
#include "config/shell.h"

struct script_walk {
    struct shell sh;
    struct str text;
    size_t at;
    int branch;          /* depth of if, case, loops */
    shell_fields word;   /* of the statement being read, expanded */
    shell_fields launch; /* of the best command so far */
    size_t options;      /* in it */
    VEC(struct str) heredoc;
    VEC(struct str) prefix; /* names assigned before the command of the statement */
    bool sources;           /* a file is sourced, which is not read */
    bool first, exports;    /* only such names and reserved words so far; after "export" */
};

/* NAME= or NAME+= at the beginning of a raw word. */
static bool parse_assignment(struct str raw, struct str *name, struct str *value, bool *append)
{
    size_t n = shell_name(raw);
    if (!n)
        return false;
    *append = n < raw.n && raw.p[n] == '+';
    size_t eq = n + *append;
    if (eq >= raw.n || raw.p[eq] != '=')
        return false;
    *name = str_n(raw.p, n);
    *value = str_cut(raw, eq + 1);
    return true;
}

static void step_over(struct script_walk *w, size_t to)
{
    for (; w->at < to && w->at < w->text.n; w->at++)
        w->sh.line += w->text.p[w->at] == '\n';
}

/* Blanks, continued lines, comments; line ends too where `lines`. */
static void skip_script_blanks(struct script_walk *w, bool lines)
{
    while (w->at < w->text.n) {
        char c = w->text.p[w->at];
        if (c == ' ' || c == '\t' || c == '\r' || (lines && c == '\n')) {
            step_over(w, w->at + 1);
        } else if (c == '\\' && w->at + 1 < w->text.n &&
                   (w->text.p[w->at + 1] == '\n' || w->text.p[w->at + 1] == '\r')) {
            step_over(w, w->at + 2);
        } else if (c == '#') {
            while (w->at < w->text.n && w->text.p[w->at] != '\n')
                w->at++;
        } else {
            break;
        }
    }
}

static struct shell_var *assigned_variable(struct script_walk *w, struct str name)
{
    struct shell_var *v = shell_make(&w->sh, name);
    if (w->branch && v->field.n)
        v->branch = true;
    return v;
}

static int read_array(struct script_walk *w, struct str name, bool append)
{
    shell_fields f = {0};
    int rc = 0;
    w->at++;
    for (skip_script_blanks(w, true); rc == 0 && w->at < w->text.n && w->text.p[w->at] != ')';
         skip_script_blanks(w, true)) {
        size_t end = shell_word_end(w->text, w->at);
        if (end == w->at) { /* an operator has no business here */
            step_over(w, w->at + 1);
            continue;
        }
        struct str raw = str_n(w->text.p + w->at, end - w->at);
        rc = shell_expand(&w->sh, raw, true, &f);
        step_over(w, end);
    }
    step_over(w, w->at + 1);
    struct shell_var *v = assigned_variable(w, name);
    if (!append)
        vec_clear(&v->field);
    v->array = true;
    for (size_t i = 0; i < f.n; i++)
        vec_push(&v->field, f.v[i]);
    vec_release(&f);
    return rc;
}

static int set_plain(struct script_walk *w, struct str name, struct str value, bool append)
{
    shell_fields f = {0};
    struct shell_field x = {.text = STR("")};
    if (shell_expand(&w->sh, value, false, &f)) {
        vec_release(&f);
        return -1;
    }
    if (f.n)
        x = f.v[0];
    vec_release(&f);
    struct shell_var *v = assigned_variable(w, name);
    if (append && v->field.n && !v->array) {
        struct str old = v->field.v[0].text;
        w->sh.work += old.n + x.text.n;
        if (w->sh.work > SHELL_WORK)
            return err_line(w->sh.e, w->sh.s->path, w->sh.line, _("the variables of the script expand to more than %u "
                                                                  "MB"),
                            SHELL_WORK >> 20);
        x.text = str_of(arena_fmt(&w->sh.s->arena, "%.*s%.*s", STR_ARG(old), STR_ARG(x.text)));
        x.open |= v->field.v[0].open;
    }
    vec_clear(&v->field);
    vec_push(&v->field, x);
    v->array = false;
    return 0;
}

static void export_variable(struct script_walk *w, struct str name)
{
    const struct shell_var *v = shell_find(&w->sh, name);
    if (v && v->field.n)
        settings_export(w->sh.s, name, v->field.v[0].text, v->field.v[0].open ? SETTING_OPEN : SETTING_TEXT,
                        w->sh.line);
}

/* ---- commands ---- */

static bool is_option(const struct shell_field *f)
{
    return f->text.n > 2 && f->text.p[0] == '-' && f->text.p[1] == '-';
}

static bool is_override(const struct shell_field *f)
{
    struct str key, value;
    return hydra_override(f->text, &key, &value);
}

static bool is_python_program(const struct shell_field *f)
{
    return str_ends(f->text, ".py") && str_find(f->text, ' ') < 0;
}

/* Programs that train and are no .py: LLaMA-Factory, ms-swift, TRL. */
static bool is_training_command(struct str word)
{
    static const char *const names[] = {"llamafactory-cli", "swift", "megatron", "trl"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(word, names[i]))
            return true;
    return false;
}

/* The script, the module behind -m, or another training command. */
static size_t program_at(const shell_fields *f)
{
    size_t i = 0;
    if (f->n && is_training_command(f->v[0].text))
        return 0;
    while (i < f->n && !is_python_program(&f->v[i]) &&
           !(i && (str_is(f->v[i - 1].text, "-m") || str_is(f->v[i - 1].text, "--module"))))
        i++;
    return i;
}

static bool is_document_name(struct str text)
{
    return str_ends(text, ".yaml") || str_ends(text, ".yml") || str_ends(text, ".json");
}

/* Counts options, overrides and documents from field `from` on: after the program of a command. */
static void keep_if_better(struct script_walk *w, const shell_fields *f, size_t from)
{
    size_t n = 0;
    for (size_t i = from; i < f->n; i++)
        n += is_option(&f->v[i]) || (i > from && (is_override(&f->v[i]) || is_document_name(f->v[i].text)));
    if (n <= w->options)
        return;
    w->options = n;
    vec_clear(&w->launch);
    for (size_t i = 0; i < f->n; i++)
        vec_push(&w->launch, f->v[i]);
}

/* A command with its words expanded. One given as text ("bash -c '… train.py --lr …'") is read in the same way. */
static void take_command(struct script_walk *w)
{
    shell_fields inner = {0};
    w->sources = w->sources || str_is(w->word.v[0].text, "source") || str_is(w->word.v[0].text, ".");
    keep_if_better(w, &w->word, program_at(&w->word));
    for (size_t i = 0; i < w->word.n; i++) {
        struct str rest = w->word.v[i].text, part;
        if (!str_has(rest, ".py ") || !str_has(rest, " --"))
            continue;
        vec_clear(&inner);
        while (rest.n) {
            part = str_next(&rest, ' ');
            part = str_trim(part);
            if (part.n)
                vec_push(&inner, ((struct shell_field){part, str_has(part, "$"), false}));
        }
        keep_if_better(w, &inner, program_at(&inner));
    }
    vec_release(&inner);
}

static bool take_reserved_word(struct script_walk *w, struct str raw)
{
    static const char *const opens[] = {"if", "case", "for", "while", "until"},
        *const closes[] = {"fi", "esac", "done"},
                      *const others[] = {"then", "else", "elif", "do", "{", "}", "!", "in", "function", "time"};
    for (size_t i = 0; i < ARRAY_LEN(opens); i++)
        if (str_is(raw, opens[i])) {
            w->branch++;
            return true;
        }
    for (size_t i = 0; i < ARRAY_LEN(closes); i++)
        if (str_is(raw, closes[i])) {
            w->branch -= w->branch > 0;
            return true;
        }
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (str_is(raw, others[i]))
            return true;
    return false;
}

/* Redirections: neither the file's name nor the number before the sign is an argument; here-documents are noted. */
static void skip_redirection(struct script_walk *w)
{
    size_t from = w->at;
    while (w->at < w->text.n && strchr("<>&|", w->text.p[w->at]))
        w->at++;
    struct str op = str_n(w->text.p + from, w->at - from);
    if (str_is(op, "<<") && w->at < w->text.n && w->text.p[w->at] == '-')
        w->at++;
    skip_script_blanks(w, false);
    size_t end = shell_word_end(w->text, w->at);
    struct str word = str_n(w->text.p + w->at, end - w->at);
    if (str_is(op, "<<") && word.n) {
        if (word.n > 1 && (word.p[0] == '\'' || word.p[0] == '"'))
            word = str_n(word.p + 1, word.n - 2);
        vec_push(&w->heredoc, word);
    }
    step_over(w, end);
}

/* At a line's end: the bodies of here-documents that were announced on it. */
static void skip_heredocs(struct script_walk *w)
{
    for (size_t i = 0; i < w->heredoc.n; i++)
        while (w->at < w->text.n) {
            struct str line, rest;
            str_split(str_cut(w->text, w->at), '\n', &line, &rest);
            step_over(w, w->at + line.n + 1);
            if (str_eq(str_trim(line), w->heredoc.v[i]))
                break;
        }
    vec_clear(&w->heredoc);
}

enum ending { END_WORD, END_COMMAND, END_LINE, END_TEXT };

static bool at_redirection(const struct script_walk *w)
{
    struct str rest = str_cut(w->text, w->at);
    return str_starts(rest, "<") || str_starts(rest, ">") || str_starts(rest, "&>");
}

/* The statement at `at`, after redirections; its words are read later. */
static enum ending next_statement(struct script_walk *w)
{
    for (skip_script_blanks(w, false); at_redirection(w); skip_script_blanks(w, false))
        skip_redirection(w);
    if (w->at >= w->text.n)
        return END_TEXT;
    char c = w->text.p[w->at];
    if (c == '\n') {
        step_over(w, w->at + 1);
        skip_heredocs(w);
        return END_LINE;
    }
    if (strchr(";&|()", c)) {
        w->at++;
        return END_COMMAND;
    }
    return END_WORD;
}

static int statement_word(struct script_walk *w)
{
    size_t end = shell_word_end(w->text, w->at);
    struct str raw = str_n(w->text.p + w->at, end - w->at), name, value;
    bool append;
    uint32_t number;
    if ((w->first || w->exports) && parse_assignment(raw, &name, &value, &append)) {
        bool array = !value.n && end < w->text.n && w->text.p[end] == '(';
        w->at = end;
        if (array ? read_array(w, name, append) : set_plain(w, name, value, append))
            return -1;
        for (const char *p = raw.p; !array && p < raw.p + raw.n; p++)
            w->sh.line += *p == '\n';
        if (w->exports)
            export_variable(w, name);
        else
            vec_push(&w->prefix, name);
        return 0;
    }
    if (w->exports) {
        export_variable(w, raw);
        step_over(w, end);
        return 0;
    }
    if (w->first && take_reserved_word(w, raw)) {
        step_over(w, end);
        return 0;
    }
    if (w->first &&
        (str_is(raw, "export") || str_is(raw, "declare") || str_is(raw, "local") || str_is(raw, "readonly"))) {
        w->exports = str_is(raw, "export");
        step_over(w, end);
        return 0;
    }
    number = raw.n == 1 && raw.p[0] >= '0' && raw.p[0] <= '9' && end < w->text.n &&
             (w->text.p[end] == '>' || w->text.p[end] == '<');
    w->first = false;
    int rc = number ? 0 : shell_expand(&w->sh, raw, true, &w->word);
    step_over(w, end > w->at ? end : w->at + 1);
    return rc;
}

static int walk_script(struct script_walk *w)
{
    int rc = 0;
    for (w->first = true; rc == 0;) {
        enum ending x = next_statement(w);
        if (x == END_WORD) {
            rc = statement_word(w);
            continue;
        }
        if (w->word.n) {
            for (size_t i = 0; i < w->prefix.n; i++) /* A=1 command: for that command */
                export_variable(w, w->prefix.v[i]);
            take_command(w);
        }
        vec_clear(&w->word);
        vec_clear(&w->prefix);
        w->first = true;
        w->exports = false;
        if (x == END_TEXT)
            break;
    }
    return rc;
}

/* ---- arguments ---- */

static struct str option_name(struct script_walk *w, struct str spelled, const char *before)
{
    struct buf b = {0};
    buf_cstr(&b, before);
    for (size_t i = 2; i < spelled.n; i++)
        buf_char(&b, spelled.p[i] == '-' ? '_' : spelled.p[i]);
    struct str s = arena_str(&w->sh.s->arena, buf_view(&b));
    buf_release(&b);
    return s;
}

/* Of a script that sources another file, the variable is likely set there and holds the options of a model: what the
 * script does not name itself is unknown. */
static void tell_outside(struct script_walk *w, struct str word)
{
    w->sh.s->partial = w->sh.s->partial || w->sources;
    settings_warn(w->sh.s, _("%s: %.*s is set outside the script; its value is unknown"), w->sh.s->path, STR_ARG(word));
}

/* One option and its values, from *i on. Option=value counts as well. `k`: the form whose settings the options are;
 * NULL: Megatron's arguments. */
static int take_script_option(struct script_walk *w, const shell_fields *f, size_t *i, const char *before,
                              const struct settings_format *k)
{
    struct str spelled = f->v[*i].text, value = {0};
    struct buf b = {0};
    bool open = f->v[*i].open;
    size_t n = 0;
    if (str_split(spelled, '=', &spelled, &value)) {
        buf_str(&b, value);
        n = 1;
    }
    struct str name = option_name(w, spelled, before);
    bool flag = !k && argument_flag(name);
    for ((*i)++; *i < f->n && !is_option(&f->v[*i]) && !is_python_program(&f->v[*i]); (*i)++) {
        const struct shell_field *v = &f->v[*i];
        if (v->open && (flag || n)) {
            tell_outside(w, v->text);
            continue;
        }
        if (flag)
            continue;
        if (n++)
            buf_char(&b, ' ');
        buf_str(&b, v->text);
        open |= v->open;
    }
    struct str text = n ? buf_view(&b) : STR("True");
    enum setting_state state = open ? SETTING_OPEN : settings_null(text) ? SETTING_NULL : SETTING_TEXT;
    int rc = k ? settings_add(w->sh.s, name, spelled, text, state, 0, w->sh.e)
               : argument_add(w->sh.s, name, spelled, text, state, 0, false, w->sh.e);
    buf_release(&b);
    return rc;
}

/* The form of documents whose keys the options are: programs take their settings on the command line as well. One of
 * Megatron's says that all are; NULL: the program is not known. */
static const struct settings_format *form_of_options(struct script_walk *w, const shell_fields *f, size_t start)
{
    const struct settings_format *found = NULL;
    struct str name, value;
    for (size_t i = start; i < f->n && !(found && found->dialect == DIALECT_MEGATRON); i++) {
        if (!is_option(&f->v[i]))
            continue;
        str_split(f->v[i].text, '=', &name, &value);
        const struct settings_format *k = settings_format_of_key(str_cut(name, 2), false);
        k = k ? k : settings_format_of_key(option_name(w, name, ""), false);
        if (k && (k->dialect == DIALECT_MEGATRON || (k->dialect == DIALECT_HF && k->sections & SECTION_TRAINING)))
            found = k;
    }
    return found;
}

/* The same for a program of no known form, by what many programs call their settings. The short "lr" is Megatron's. */
static const struct settings_format *common_form_of_options(struct script_walk *w, const shell_fields *f, size_t start)
{
    const struct settings_format *found = NULL;
    struct str name, value;
    for (size_t i = start; i < f->n && !found; i++) {
        str_split(f->v[i].text, '=', &name, &value);
        if (is_option(&f->v[i]) && !str_is(name, "--lr"))
            found = settings_format_of_key(option_name(w, name, ""), true);
    }
    return found;
}

/* The configuration that a program is told to read: by Hydra's option, by another with a file, or as its first words;
 * empty: there is none. */
static struct str configuration_named(const shell_fields *f, size_t start)
{
    static const struct {
        const char *option;
        bool hydra; /* the name may have no ending */
    } options[] = {{"--config-name", true}, {"-cn", true}, {"--config", false}, {"--config-file", false},
                   {"--config_file", false}};
    for (size_t i = start; i < f->n; i++)
        for (size_t k = 0; k < ARRAY_LEN(options); k++) {
            struct str name, value = {0};
            bool joined = str_split(f->v[i].text, '=', &name, &value);
            if (!joined && i + 1 < f->n)
                value = f->v[i + 1].text;
            if (str_is(name, options[k].option) && (options[k].hydra || is_document_name(value)))
                return value;
        }
    for (size_t i = start + 1; i < f->n && i <= start + 2 && !is_option(&f->v[i]); i++)
        if (is_document_name(f->v[i].text))
            return f->v[i].text;
    return STR("");
}

/* A program whose configuration is Hydra's: its overrides are a document. */
static int take_overrides(struct script_walk *w, const shell_fields *f, size_t start)
{
    struct settings *s = w->sh.s, own = {.path = s->path};
    struct str key, value;
    int rc = 0;
    s->partial = true;
    for (size_t i = start; rc == 0 && i < f->n; i++)
        if (hydra_override(f->v[i].text, &key, &value)) {
            rc = hydra_override_add(&own, key, value, f->v[i].open, w->sh.e);
        } else if (f->v[i].open) {
            tell_outside(w, f->v[i].text);
        }
    struct str named = configuration_named(f, start);
    const char *end = is_document_name(named) ? "" : ".yaml";
    if (rc == 0 && named.n)
        s->elsewhere = arena_fmt(&s->arena, _("%s: the settings are in the configuration that the script names, which "
                                              "is not read: open that file instead (%.*s%s, often in configs/)"),
                                 s->path, STR_ARG(named), end);
    if (rc == 0 && named.n && !settings_document_form(&own))
        w->options = 0;
    else if (rc == 0)
        rc = settings_document_take(s, &own, w->sh.e);
    if (rc == 0 && named.n)
        settings_warn(s, "%s", s->elsewhere);
    else if (rc == 0)
        settings_warn(s, _("%s: overrides of a Hydra configuration; what the script does not override has the "
                           "program's defaults, which are not known"), s->path);
    s->flags = false;
    settings_release(&own);
    return rc;
}

static bool mostly_overrides(const shell_fields *f, size_t start)
{
    size_t options = 0, overrides = 0;
    for (size_t i = start; i < f->n; i++) {
        options += is_option(&f->v[i]);
        overrides += i > start && is_override(&f->v[i]);
    }
    return overrides > options;
}

static int take_arguments(struct script_walk *w)
{
    const shell_fields *f = &w->launch;
    size_t start = program_at(f);
    int rc = 0;
    if (start == f->n)
        start = 0;
    const struct settings_format *k = form_of_options(w, f, start);
    bool megatron = k && k->dialect == DIALECT_MEGATRON, named = configuration_named(f, start).n > 0;
    if (start < f->n && !k && (mostly_overrides(f, start) || named))
        return take_overrides(w, f, start);
    k = k ? k : common_form_of_options(w, f, start);
    if (k && !megatron) {
        w->sh.s->dialect = k->dialect;
        w->sh.s->sections = k->sections;
        w->sh.s->partial = w->sh.s->partial || k->partial;
    }
    /* the defaults of a program that is not known, or that reads another file as well, are not known */
    w->sh.s->partial = w->sh.s->partial || !k || named || (f->n && is_training_command(f->v[0].text) && megatron);
    for (size_t i = 0; i < f->n && rc == 0;) {
        if (is_option(&f->v[i])) {
            rc = take_script_option(w, f, &i,
                                    i < start        ? "launcher."
                                    : k && !megatron ? k->prefix
                                                     : "",
                                    megatron ? NULL : k);
            continue;
        }
        if (f->v[i].open && i > start)
            tell_outside(w, f->v[i].text);
        i++;
    }
    return rc;
}

/* A file of arguments that another script starts: every variable that begins with an option. */
static void take_variables(struct script_walk *w)
{
    shell_fields all = {0};
    for (size_t i = 0; i < w->sh.var.n; i++) {
        struct shell_var *v = &w->sh.var.v[i];
        if (!v->field.n || !str_starts(str_trim(v->field.v[0].text), "--"))
            continue;
        struct str name = str_of(arena_fmt(&w->sh.s->arena, v->array ? "${%.*s[@]}" : "$%.*s", STR_ARG(v->name)));
        if (shell_expand(&w->sh, name, true, &all))
            break;
    }
    keep_if_better(w, &all, 0);
    vec_release(&all);
}

bool launch_script_sniff(struct str text)
{
    static const char *const begins[] =
        {"export ", "torchrun ", "python ", "python3 ", "--", "source ", "set -", "bash ", "msrun ", "deepspeed ",
         "accelerate "};
    struct str line, name, value, rest;
    bool append;
    if (str_starts(text, "#!"))
        return true;
    if (str_trim(text).n && str_trim(text).p[0] == '{')
        return false;
    while (text.n) {
        line = str_next(&text, '\n');
        line = str_trim(line);
        for (size_t i = 0; i < ARRAY_LEN(begins); i++)
            if (str_starts(line, begins[i]) && !str_is(line, "---"))
                return true;
        if ((str_split(line, ' ', &name, &rest) && is_training_command(name)) ||
            parse_assignment(line, &name, &value, &append))
            return true;
    }
    return false;
}

int launch_script_read(struct settings *s, struct str text, struct err *e)
{
    struct script_walk w = {.sh = {.s = s, .line = 1, .e = e}, .text = text};
    int rc = walk_script(&w);
    s->flags = true;
    if (rc == 0 && !w.options)
        take_variables(&w);
    if (rc == 0)
        rc = take_arguments(&w);
    s->env_known = true;
    if (rc == 0 && !w.options)
        s->dialect = DIALECT_NONE; /* a launch script of another program still sets the environment */
    vec_release(&w.word);
    vec_release(&w.launch);
    vec_release(&w.heredoc);
    vec_release(&w.prefix);
    shell_release(&w.sh);
    return rc;
}
