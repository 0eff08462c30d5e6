/* A tensor of torch.save. An input that begins with "P" is a data.pkl, put into an archive that is
 * whole; any other is the archive. */
#include "fuzz.h"

#include "fmt/pt.h"

struct archive {
    struct buf bytes, directory;
    unsigned members;
};

static void little(struct buf *b, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        buf_char(b, (char)(v >> (8 * i)));
}

/* What both headers of a stored member have in common; nothing here reads the checksum. */
static void header(struct buf *b, struct str name, struct str content)
{
    little(b, 10, 2);
    little(b, 0, 2 + 2 + 2);
    little(b, 0, 2);
    little(b, 0, 4);
    little(b, (uint32_t)content.n, 4);
    little(b, (uint32_t)content.n, 4);
    little(b, (uint32_t)name.n, 2);
    little(b, 0, 2);
}

static void add(struct archive *z, const char *text, struct str content)
{
    struct str name = str_of(text);
    uint32_t at = (uint32_t)z->bytes.n;
    buf_add(&z->bytes, "PK\3\4", 4);
    header(&z->bytes, name, content);
    buf_str(&z->bytes, name);
    buf_str(&z->bytes, content);
    buf_add(&z->directory, "PK\1\2\12\0", 6);
    header(&z->directory, name, content);
    little(&z->directory, 0, 2 + 2);
    little(&z->directory, 0, 2 + 4);
    little(&z->directory, at, 4);
    buf_str(&z->directory, name);
    z->members++;
}

static void finish(struct archive *z)
{
    uint32_t at = (uint32_t)z->bytes.n;
    buf_str(&z->bytes, buf_view(&z->directory));
    buf_add(&z->bytes, "PK\5\6\0\0\0\0", 8);
    little(&z->bytes, z->members, 2);
    little(&z->bytes, z->members, 2);
    little(&z->bytes, (uint32_t)z->directory.n, 4);
    little(&z->bytes, at, 4);
    little(&z->bytes, 0, 2);
    buf_release(&z->directory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char storage[256];
    struct archive z = {0};
    struct str text = fuzz_str(data, size);
    struct tensor t = {0};
    struct err e = {0};
    if (size && data[0] == 'P' && !str_starts(text, "PK")) {
        add(&z, "archive/data.pkl", str_cut(text, 1));
        add(&z, "archive/byteorder", size % 2 ? STR("big") : STR("little"));
        add(&z, "archive/data/0", str_n(storage, sizeof storage));
        finish(&z);
        text = buf_view(&z.bytes);
    }
    if (file_open(&t.file, fuzz_file(text), &e))
        abort();
    if (pt_open(&t, &e) == 0) {
        assert(t.dtype != DTYPE_UNKNOWN && t.ndim <= TENSOR_DIMS && t.offset <= text.n);
        fuzz_figures(&t);
    } else {
        assert(e.text[0]);
    }
    tensor_close(&t);
    buf_release(&z.bytes);
    return 0;
}
