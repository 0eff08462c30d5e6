/* The versions of findings: added, taken back, read from an investigation and written to it. */
#include "ticket/finding.h"

#include <string.h>

#include "base/map.h"
#include "base/msg.h"
#include "base/undo_list.h"

static const char *const statuses[FINDING_STATUSES] = {
    [FINDING_SUSPECTED] = N_("suspected"), [FINDING_CLEARED] = N_("cleared"),
    [FINDING_WAIVED] = N_("waived"), [FINDING_ROOT_CAUSE] = N_("root-cause"),
};
static const char *const severities[FINDING_SEVERITIES] = {
    [FINDING_UNSET] = N_("unset"), [FINDING_LOW] = N_("low"), [FINDING_MEDIUM] = N_("medium"), [FINDING_HIGH] = N_("high"),
};
static const char *const subjects[SUBJECT_COUNT] = {
    [SUBJECT_PAIR] = N_("pair"), [SUBJECT_ROW] = N_("row"), [SUBJECT_CALL] = N_("call"), [SUBJECT_GAP] = N_("gap"),
    [SUBJECT_ELEMENT] = N_("element"), [SUBJECT_SETTING] = N_("setting"), [SUBJECT_WEIGHT] = N_("weight"),
    [SUBJECT_NORM] = N_("norm"), [SUBJECT_CURVE] = N_("curve"), [SUBJECT_HYPOTHESIS] = N_("hypothesis"),
    [SUBJECT_ITEM] = N_("item"), [SUBJECT_RUNS] = N_("runs"),
};

const char *finding_status_name(enum finding_status s)
{
    return statuses[s];
}

const char *finding_severity_name(enum finding_severity s)
{
    return severities[s];
}

static int find_word(const char *const *word, int n, struct str name)
{
    for (int i = 0; i < n; i++)
        if (name.n && strncmp(word[i], name.p, name.n) == 0)
            return i;
    return -1;
}

int finding_status_find(struct str name)
{
    return find_word(statuses, FINDING_STATUSES, name);
}

int finding_severity_find(struct str name)
{
    return find_word(severities, FINDING_SEVERITIES, name);
}

const char *finding_subject_name(enum finding_subject s)
{
    return subjects[s];
}

int finding_subject_find(struct str name)
{
    return find_word(subjects, SUBJECT_COUNT, name);
}

void findings_add(struct findings *f, struct finding x)
{
    HISTORY_ADD(f, x);
}

uint32_t findings_step(const struct findings *f)
{
    return undo_list_next(HISTORY(f));
}

uint32_t findings_number(const struct findings *f)
{
    uint32_t most = 0;
    for (size_t i = 0; i < f->now; i++)
        if (f->log.v[i].number > most)
            most = f->log.v[i].number;
    return most + 1;
}

bool findings_undo(struct findings *f, bool redo)
{
    size_t was = f->now;
    f->now = undo_list_turn(HISTORY(f), redo);
    return f->now != was;
}

void findings_release(struct findings *f)
{
    vec_release(&f->log);
    f->now = 0;
}

bool findings_get(const struct findings *f, uint32_t number, struct finding *out)
{
    for (size_t i = f->now; i-- > 0;)
        if (f->log.v[i].number == number) {
            *out = f->log.v[i];
            return !out->removed;
        }
    return false;
}

/* ---- in the investigation's file ---- */

static const char *text(struct arena *a, const cJSON *o, const char *key)
{
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsString(x) ? arena_cstr(a, str_of(x->valuestring)) : "";
}

static double number(const cJSON *o, const char *key, double most)
{
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsNumber(x) && x->valuedouble >= 0 && x->valuedouble <= most ? x->valuedouble : 0;
}

struct evidence evidence_keep(struct arena *a, fact_list *l)
{
    struct evidence e = {.n = l->n};
    if (l->n) {
        struct fact *kept = arena_alloc(a, l->n * sizeof *kept);
        memcpy(kept, l->v, l->n * sizeof *kept);
        e.fact = kept;
    }
    vec_release(l);
    return e;
}

static struct evidence load_evidence(struct arena *a, const cJSON *list)
{
    fact_list l = {0};
    const cJSON *it;
    cJSON_ArrayForEach(it, list) {
        bool both = cJSON_HasObjectItem(it, "value");
        struct fact x = {text(a, it, "what"), {text(a, it, both ? "value" : "target"), both ? NULL : text(a, it, "golden")}};
        vec_push(&l, x);
    }
    return evidence_keep(a, &l);
}

void findings_load(struct findings *f, struct arena *a, const cJSON *investigation)
{
    struct nmap first = {0}; /* number → its first version, which has the evidence */
    const cJSON *it;
    cJSON_ArrayForEach(it, cJSON_GetObjectItemCaseSensitive(investigation, "findings")) {
        int status = finding_status_find(str_of(text(a, it, "status"))), severity = finding_severity_find(str_of(text(a, it, "severity")));
        struct finding x = {
            .number = (uint32_t)number(it, "number", UINT32_MAX - 1),
            .step = (uint32_t)number(it, "step", UINT32_MAX - 1),
            .place = (uint32_t)number(it, "place", UINT32_MAX - 1),
            .removed = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(it, "removed")),
            .status = (uint8_t)(status < 0 ? FINDING_SUSPECTED : status),
            .severity = (uint8_t)(severity < 0 ? FINDING_UNSET : severity),
            .text = text(a, it, "text"),
            .author = text(a, it, "author"),
            .time = (int64_t)number(it, "time", 1e12),
            .about = {text(a, it, "target"), text(a, it, "golden")},
            .at = text(a, it, "at"),
            .cause = (uint32_t)number(it, "caused_by", UINT32_MAX - 1),
        };
        int subject = finding_subject_find(str_of(text(a, it, "subject")));
        if (subject < 0) /* written before there were others */
            subject = *x.about[0] && *x.about[1] ? SUBJECT_PAIR : SUBJECT_ROW;
        x.subject = (uint8_t)subject;
        if (!x.number)
            continue;
        uint32_t at = nmap_get(&first, x.number);
        x.evidence = at == MAP_NONE ? load_evidence(a, cJSON_GetObjectItemCaseSensitive(it, "evidence")) : f->log.v[at].evidence;
        if (at == MAP_NONE)
            nmap_set(&first, x.number, (uint32_t)f->log.n);
        findings_add(f, x);
    }
    nmap_release(&first);
    const cJSON *now = cJSON_GetObjectItemCaseSensitive(investigation, "found");
    if (cJSON_IsNumber(now) && now->valueint >= 0 && (size_t)now->valueint < f->now)
        f->now = (size_t)now->valueint;
}

static void save_evidence(struct jsonw *w, const struct evidence *e)
{
    jw_key(w, "evidence");
    jw_array(w);
    for (size_t i = 0; i < e->n; i++) {
        const struct fact *x = &e->fact[i];
        jw_object(w);
        jw_kcstr(w, "what", x->what);
        jw_kcstr(w, x->side[1] ? "target" : "value", x->side[0]);
        if (x->side[1])
            jw_kcstr(w, "golden", x->side[1]);
        jw_end_object(w);
    }
    jw_end_array(w);
}

void finding_json(struct jsonw *w, const struct finding *x, bool evidence)
{
    jw_object(w);
    jw_kint(w, "number", x->number);
    jw_kint(w, "step", x->step);
    jw_kint(w, "place", x->place);
    if (x->removed)
        jw_kbool(w, "removed", true);
    jw_kcstr(w, "status", finding_status_name((enum finding_status)x->status));
    jw_kcstr(w, "severity", finding_severity_name((enum finding_severity)x->severity));
    jw_kcstr(w, "text", x->text);
    jw_kcstr(w, "author", x->author);
    jw_kint(w, "time", x->time);
    jw_kcstr(w, "subject", finding_subject_name((enum finding_subject)x->subject));
    jw_kcstr(w, "target", x->about[0]);
    jw_kcstr(w, "golden", x->about[1]);
    if (x->at && *x->at)
        jw_kcstr(w, "at", x->at);
    if (x->cause)
        jw_kint(w, "caused_by", x->cause);
    if (evidence)
        save_evidence(w, &x->evidence);
    jw_end_object(w);
}

void findings_save(struct jsonw *w, const struct findings *f)
{
    struct nmap seen = {0};
    if (!f->log.n)
        return;
    jw_key(w, "findings");
    jw_array(w);
    for (size_t i = 0; i < f->log.n; i++) { /* evidence once, with the first version */
        finding_json(w, &f->log.v[i], nmap_get(&seen, f->log.v[i].number) == MAP_NONE);
        nmap_set(&seen, f->log.v[i].number, 1);
    }
    jw_end_array(w);
    jw_kint(w, "found", (int64_t)f->now);
    nmap_release(&seen);
}
