/* Settings: target, golden run and an environment, cut at "%%". Whatever they hold is compared and written. */
#include "fuzz.h"

#include "base/msg.h"
#include "config/settings_compare.h"
#include "config/settings_section.h"
#include "document/write.h"
#include "report/settings_output.h"
#include "written.h"

/* Every check has one state, and the verdict is what the states say. */
static void look(struct config_compare *c)
{
    size_t all = 0, bad = 0;
    for (size_t i = 0; i < c->checks.n; i++) {
        const struct config_check *k = &c->checks.v[i];
        assert(k->state < CHECK_STATES && k->row);
        bad += (k->state == CHECK_DIFFERS || k->state == CHECK_MISSING) && k->row->severity != SEVERITY_INFO;
    }
    for (int i = 0; i < CHECK_STATES; i++)
        all += c->count[i];
    assert(all == c->checks.n && c->pass == (bad == 0));
}

static void write_all(const struct config_compare *c)
{
    struct out o;
    struct err e;
    struct buf b = {0};
    for (int csv = 0; csv < 2; csv++) {
        if (out_file(&o, csv ? fuzz_put(fuzz_dir(), "out.csv", STR("")) : fuzz_put(fuzz_dir(), "out.json", STR("")),
                     &e))
            abort();
        csv ? config_csv(&o, c) : put_json(&o, config_json, c);
        if (out_close(&o, &e))
            abort();
    }
    struct document d;
    document_begin(&d);
    settings_section(&d, c, SETTINGS_OPEN);
    write_text_end(&b, &d);
    for (size_t i = 0; i < b.n; i++)
        assert((unsigned char)b.p[i] >= 0x20 || b.p[i] == '\n');
    buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = fuzz_str(data, size), part[3];
    struct settings s[2] = {0};
    struct err e;
    char path[2][1024];
    int rc = 0;
    assert(!checklist_bad());
    for (int i = 0; i < 3; i++)
        part[i] = fuzz_part(&rest);
    for (int i = 0; i < 2; i++)
        snprintf(path[i], sizeof path[i], "%s", fuzz_put(fuzz_dir(), i ? "golden" : "target", part[i]));
    for (int i = 0; i < 2; i++) {
        e.text[0] = 0;
        if (settings_open(&s[i], path[i], &e)) {
            assert(e.text[0]);
            rc = -1;
        }
    }
    if (rc == 0 && part[2].n && settings_environment_text(&s[0], "env", part[2], &e))
        assert(e.text[0]);
    if (rc == 0) {
        struct config_compare c;
        if (config_compare_run(&c, &s[0], &s[1], NULL, 0, &e))
            abort();
        look(&c);
        write_all(&c);
        config_compare_release(&c);
    }
    settings_release(&s[0]);
    settings_release(&s[1]);
    return 0;
}
