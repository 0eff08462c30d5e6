/* Writes the list of starts: rows, what their causes rest on, which side is wrong, diagnoses, places in the code. */
#include "report/compare_json_starts.h"

#include "compare/start_text.h"
#include "judge/cause.h"

static void write_code_place(struct compare_writing *x, uint32_t line)
{
    struct jsonw *w = x->w;
    const struct frame *f = start_place(x->m, line);
    jw_key(w, "place");
    if (!f) {
        jw_null(w);
        return;
    }
    jw_object(w);
    jw_key(w, "file");
    compare_json_sentence(x, f->file);
    jw_kint(w, "line", f->line);
    jw_end_object(w);
}

static void write_start(struct compare_writing *x, const struct start *of)
{
    struct jsonw *w = x->w;
    const struct line *l = &x->m->pairing->lines.v[of->line];
    const struct line_judgement *q = &x->j->line[of->line];
    const struct oracle *o = comparison_oracle(x->s);
    struct buf sentence = {0};
    jw_object(w);
    jw_kint(w, "order", of->line);
    jw_key(w, "target");
    compare_json_name(x, TARGET, l->row[TARGET], q->limit);
    jw_key(w, "golden");
    compare_json_name(x, GOLDEN, l->row[GOLDEN], q->limit);
    jw_kcstr(w, "basis", cause_basis_name((enum cause_basis)q->basis));
    jw_kgiven(w, "residual", (double)q->residual);
    jw_kcstr(w, "which", o ? oracle_which_name(oracle_which(o, l->row)) : NULL);
    const struct diagnoses *d = compare_json_diagnosis(x, of->line);
    jw_kint(w, "inherit", of->inherit);
    write_code_place(x, of->line);
    start_sentence(x->s, of->line, d, &sentence);
    jw_kint(w, "entry", of->group + 1);
    jw_key(w, "sentence");
    compare_json_sentence(x, sentence.p);
    jw_kcstr(w, "advice", start_action(x->s, of->line, d));
    jw_kint(w, "row", of->line + 1);
    jw_end_object(w);
    buf_release(&sentence);
}

void compare_json_starts(struct compare_writing *x)
{
    jw_karray(x->w, "starts");
    for (size_t i = 0; i < x->j->starts.n; i++)
        write_start(x, &x->j->starts.v[i]);
    jw_end_array(x->w);
}

void compare_json_causes(struct jsonw *w, const struct judge_summary *s)
{
    static const enum cause shown[] = {CAUSE_AGREES, CAUSE_STARTS, CAUSE_INHERITED, CAUSE_UNKNOWN};
    jw_kobject(w, "causes");
    for (size_t i = 0; i < ARRAY_LEN(shown); i++)
        jw_kint(w, cause_name(shown[i]), s->causes[shown[i]]);
    jw_end_object(w);
    jw_kint(w, "calls_starting", s->calls_starting);
}
