/* Writes a comparison of settings as JSON and CSV; its text is in settings_text.c. */
#include "report/settings_output.h"

#include "base/json_write.h"
#include "document/csv.h"

static const char *framework_name(enum dialect d)
{
    static const char *const names[DIALECTS] = {"", "mindformers", "megatron", "huggingface"};
    return names[d];
}

static bool has_shown_value(const struct value *v)
{
    return v->state == VALUE_SET || v->state == VALUE_OPEN;
}

static void text_or_null(struct jsonw *w, const char *key, struct str s)
{
    jw_key(w, key);
    s.n ? jw_str(w, s) : jw_null(w);
}

static void value_json(struct jsonw *w, const char *key, const struct value *v)
{
    jw_key(w, key);
    if (!has_shown_value(v)) {
        jw_null(w);
        return;
    }
    jw_object(w);
    text_or_null(w, "key", v->key);
    text_or_null(w, "value", v->text);
    jw_kbool(w, "default", v->dflt && v->state == VALUE_SET);
    jw_kbool(w, "open", v->state == VALUE_OPEN);
    text_or_null(w, "from", v->how);
    jw_end_object(w);
}

static void check_json(struct jsonw *w, const struct config_check *k)
{
    const struct check_row *r = k->row;
    jw_object(w);
    jw_kstr(w, "id", r->id);
    jw_kstr(w, "key", r->key);
    jw_kstr(w, "category", r->category);
    jw_kcstr(w, "severity", check_severity_name(r->severity));
    jw_kcstr(w, "state", check_state_name(k->state));
    jw_kbool(w, "applies", k->why != WHY_NOT_APPLICABLE);
    value_json(w, "target", &k->value[0]);
    value_json(w, "golden", &k->value[1]);
    jw_kstr(w, "advice", checklist_text(r));
    jw_kcstr(w, "why", check_why_text(k));
    text_or_null(w, "wanted", r->want);
    text_or_null(w, "recommended", r->recommended);
    jw_kcstr(w, "guide", check_guide_name(k->guide));
    text_or_null(w, "advised", k->advised);
    text_or_null(w, "says", k->guide == GUIDE_SILENT ? STR("") : checklist_says(r));
    jw_kbool(w, "first_step", r->start);
    jw_kstr(w, "source", r->source);
    jw_kcstr(w, "reason", k->reason);
    jw_kcstr(w, "was", k->state == CHECK_WAIVED ? check_state_name(k->was) : NULL);
    jw_end_object(w);
}

static void settings_side_json(struct jsonw *w, const char *key, const struct settings *s)
{
    jw_kobject(w, key);
    jw_kcstr(w, "path", s->path);
    jw_kcstr(w, "kind", s->kind);
    jw_kcstr(w, "framework", framework_name(s->dialect));
    jw_kcstr(w, "platform", platform_name(s->platform));
    jw_kint(w, "settings", (int64_t)s->list.n);
    jw_kcstr(w, "environment", s->env_path ? s->env_path : s->env_known ? s->path : NULL);
    jw_end_object(w);
}

static void keys_json(struct jsonw *w, const char *key, const struct str *v, size_t n)
{
    jw_karray(w, key);
    for (size_t i = 0; i < n; i++)
        jw_str(w, v[i]);
    jw_end_array(w);
}

static void others_json(struct jsonw *w, const struct config_compare *c)
{
    jw_karray(w, "others");
    for (size_t i = 0; i < c->others.n; i++) {
        jw_object(w);
        jw_kstr(w, "key", c->others.v[i].side[0]->spelled);
        jw_kstr(w, "target", c->others.v[i].side[0]->value);
        jw_kstr(w, "golden", c->others.v[i].side[1]->value);
        jw_end_object(w);
    }
    jw_end_array(w);
}

void config_json(struct jsonw *w, struct out *o, const void *result)
{
    const struct config_compare *c = result;
    jw_result(w);
    settings_side_json(w, "target", &c->side[0]);
    settings_side_json(w, "golden", &c->side[1]);
    jw_karray(w, "warnings");
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < c->side[s].warnings.n; i++)
            jw_cstr(w, c->side[s].warnings.v[i]);
    jw_end_array(w);
    jw_kobject(w, "summary");
    jw_kint(w, "checks", (int64_t)c->checks.n);
    for (int i = 0; i < CHECK_STATES; i++)
        jw_kint(w, check_state_name((enum check_state)i), (int64_t)c->count[i]);
    jw_kint(w, "open", (int64_t)c->open);
    jw_kint(w, "closed", (int64_t)c->closed);
    jw_kint(w, "guide_broken", (int64_t)c->guide_broken);
    jw_kint(w, "guide_unknown", (int64_t)c->guide_unknown);
    jw_end_object(w);
    jw_karray(w, "checks");
    for (size_t i = 0; i < c->checks.n; i++) {
        check_json(w, &c->checks.v[i]);
        out_flow(o);
    }
    jw_end_array(w);
    jw_kobject(w, "unmapped");
    keys_json(w, "target", c->unmapped[0].v, c->unmapped[0].n);
    keys_json(w, "golden", c->unmapped[1].v, c->unmapped[1].n);
    jw_end_object(w);
    jw_kobject(w, "npu_only");
    keys_json(w, "target", c->npu_only[0].v, c->npu_only[0].n);
    keys_json(w, "golden", c->npu_only[1].v, c->npu_only[1].n);
    jw_end_object(w);
    others_json(w, c);
    jw_kcstr(w, "verdict", stage_name(config_compare_verdict(c)));
    jw_end_object(w);
}

static void side_csv(struct buf *b, const struct value *v)
{
    bool there = has_shown_value(v);
    csv_cell(b, there && v->key.n ? v->key : STR(" "));
    csv_cell(b, there && v->text.n ? v->text : STR(" "));
    csv_cell(b, !there ? STR(" ") : v->dflt ? STR("True") : STR("False"));
}

void config_csv(struct out *o, const void *result)
{
    const struct config_compare *c = result;
    buf_cstr(
        &o->buf,
        "id,key,category,severity,state,target_key,target_value,target_default,golden_key,golden_value,golden_default,"
        "why,advice,source,reason\n");
    for (size_t i = 0; i < c->checks.n; i++) {
        const struct config_check *k = &c->checks.v[i];
        const char *why = check_why_text(k);
        csv_cell(&o->buf, k->row->id);
        csv_cell(&o->buf, k->row->key);
        csv_cell(&o->buf, k->row->category);
        csv_cell(&o->buf, str_of(check_severity_name(k->row->severity)));
        csv_cell(&o->buf, str_of(check_state_name(k->state)));
        side_csv(&o->buf, &k->value[0]);
        side_csv(&o->buf, &k->value[1]);
        csv_cell(&o->buf, why ? str_of(why) : STR(" "));
        csv_cell(&o->buf, checklist_text(k->row));
        csv_cell(&o->buf, k->row->source);
        csv_cell(&o->buf, k->reason ? str_of(k->reason) : STR(" "));
        buf_char(&o->buf, '\n');
        out_flow(o);
    }
}
