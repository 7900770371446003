/* Recognising kernels that the compiler made identical: the same code has the same hash
 * wherever it stands, any other code another one, and no image of whatever bytes does harm.
 * What needs a compiler is skipped where no NVRTC is found. */
#include "autotune/device/cubin.h"

#include "autotune/device/nvrtc.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A kernel of which each test changes one thing: the words after its name are put in place. */
#define KERNEL(bounds, params, shared, scale, unroll)                                          \
    "enum { UNROLL = " unroll " };\n"                                                          \
    "__global__ void " bounds " reduce(const int *in, unsigned n, int *out" params ")\n"       \
    "{\n"                                                                                      \
    "    __shared__ int total[" shared "];\n"                                                  \
    "    if (threadIdx.x == 0) total[0] = 0;\n"                                                \
    "    __syncthreads();\n"                                                                   \
    "    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)\n"                             \
    "        atomicAdd(&total[in[i] & 1], in[i] * " scale ");\n"                               \
    "    __syncthreads();\n"                                                                   \
    "    if (threadIdx.x == 0) *out = total[0];\n"                                             \
    "}\n"

#define BASE KERNEL("__launch_bounds__(256)", "", "33", "3", "1")

enum { ARCHS = 5 };
static const int archs[ARCHS] = {75, 80, 90, 100, 120};

/* Opens an NVRTC for `cc`, or gives NULL. */
static struct nvrtc *open_for(int cc)
{
    struct nvrtc *nvrtc;
    struct error error;
    return nvrtc_open(&nvrtc, NULL, cc, &error) ? NULL : nvrtc;
}

static struct nvrtc *open_any(void)
{
    struct nvrtc *nvrtc = open_for(80);
    if (!nvrtc)
        skip();
    return nvrtc;
}

static struct device_image compile(struct nvrtc *nvrtc, int cc, const char *const *texts,
                                   size_t count)
{
    struct device_source sources[16];
    struct device_image image;
    struct error error;
    assert_in_range(count, 1, 16);
    for (size_t i = 0; i < count; i++)
        sources[i] =
            (struct device_source){texts[i], strstr(texts[i], " other(") ? "other" : "reduce"};
    if (nvrtc_compile(nvrtc, cc, NVRTC_CUBIN, sources, count, &image, &error))
        fail_msg("%s", error.text);
    assert_non_null(image.hashes);
    for (size_t i = 0; i < count; i++)
        assert_true(image.hashes[i] == cubin_hash(image.bytes, image.size, image.names[i]));
    return image;
}

static uint64_t hash_alone(struct nvrtc *nvrtc, int cc, const char *text)
{
    struct device_image image = compile(nvrtc, cc, &text, 1);
    const uint64_t hash = image.hashes[0];
    device_dispose_image(&image);
    return hash;
}

static const char other[] = "__global__ void other(double *out, double x)\n"
                            "{\n"
                            "    __shared__ double half[64];\n"
                            "    half[threadIdx.x] = x;\n"
                            "    __syncthreads();\n"
                            "    out[threadIdx.x] = half[63 - threadIdx.x] / x;\n"
                            "}\n";

/* Alone, first, last, in between, and twice in one unit. */
static void test_places(void **state)
{
    (void)state;
    static const char simple[] = "__global__ void reduce(int *out) { *out = 1; }";
    const char *const units[][4] = {{BASE, other, simple, simple},
                                    {other, BASE, simple, BASE},
                                    {simple, other, simple, BASE}};
    nvrtc_close(open_any());
    for (size_t a = 0; a < ARCHS; a++) {
        struct nvrtc *nvrtc = open_for(archs[a]);
        if (!nvrtc)
            continue;
        const uint64_t alone = hash_alone(nvrtc, archs[a], BASE);
        const uint64_t simple_alone = hash_alone(nvrtc, archs[a], simple);
        const uint64_t other_alone = hash_alone(nvrtc, archs[a], other);
        assert_true(alone && simple_alone && other_alone);
        for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
            struct device_image image = compile(nvrtc, archs[a], units[u], 4);
            for (size_t i = 0; i < 4; i++) {
                const char *text = units[u][i];
                assert_true(image.hashes[i] == (text == simple  ? simple_alone
                                                : text == other ? other_alone
                                                                : alone));
            }
            device_dispose_image(&image);
        }
        nvrtc_close(nvrtc);
    }
}

/* Other words, the same machine code. */
static void test_same(void **state)
{
    (void)state;
    static const char *const texts[] = {
        BASE,
        KERNEL("__launch_bounds__(256, 1)", "", "33", "3", "1"), /* registers to spare */
        KERNEL("__launch_bounds__(256)", "", "33", "3", "8"),    /* a param without effect */
        KERNEL("__launch_bounds__(256)", "", "11 * 3", "(1 + 2)", "1"),
        "// a comment\n" BASE,
    };
    enum { COUNT = sizeof texts / sizeof *texts };
    nvrtc_close(open_any());
    for (size_t a = 0; a < ARCHS; a++) {
        struct nvrtc *nvrtc = open_for(archs[a]);
        if (!nvrtc)
            continue;
        struct device_image image = compile(nvrtc, archs[a], texts, COUNT);
        for (size_t i = 0; i < COUNT; i++)
            if (image.hashes[i] == 0 || image.hashes[i] != image.hashes[0])
                fail_msg("sm_%d: kernel %zu differs", archs[a], i);
        device_dispose_image(&image);
        nvrtc_close(nvrtc);
    }
}

/* Each of these behaves otherwise than all others. */
static void test_different(void **state)
{
    (void)state;
    static const char *const texts[] = {
        BASE,
        KERNEL("__launch_bounds__(512)", "", "33", "3", "1"),
        KERNEL("", "", "33", "3", "1"),
        KERNEL("__launch_bounds__(256)", ", int unused", "33", "3", "1"),
        KERNEL("__launch_bounds__(256)", ", long unused", "33", "3", "1"),
        KERNEL("__launch_bounds__(256)", "", "34", "3", "1"),
        KERNEL("__launch_bounds__(256)", "", "33", "5", "1"),
        KERNEL("__launch_bounds__(256)", "", "33", "n", "1"),
        "__global__ void reduce(double *out) { out[1] = out[0] * 1.2345678901234567; }",
        "__global__ void reduce(double *out) { out[1] = out[0] * 1.2345678901234569; }",
        "__global__ void reduce(double *out) { out[1] = out[0] * 2.2345678901234567; }",
        "__global__ void __maxnreg__(64) reduce(double *out) { out[1] = out[0] * 3; }",
        "__global__ void reduce(double *out) { out[1] = out[0] * 3; }",
    };
    enum { COUNT = sizeof texts / sizeof *texts };
    nvrtc_close(open_any());
    for (size_t a = 0; a < ARCHS; a++) {
        struct nvrtc *nvrtc = open_for(archs[a]);
        if (!nvrtc)
            continue;
        const size_t count = atof(nvrtc_version(nvrtc)) < 12.4 ? 11 : COUNT; /* __maxnreg__ */
        struct device_image image = compile(nvrtc, archs[a], texts, count);
        for (size_t i = 0; i < count; i++) {
            assert_true(image.hashes[i] != 0);
            for (size_t k = 0; k < i; k++)
                if (image.hashes[i] == image.hashes[k])
                    fail_msg("sm_%d: kernels %zu and %zu are the same", archs[a], i, k);
        }
        device_dispose_image(&image);
        nvrtc_close(nvrtc);
    }
}

/* What a kernel's own sections do not tell: data of the whole image, functions from
 * elsewhere. */
static void test_unknown(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "__constant__ int table[64] = {1, 2};\n"
        "__global__ void reduce(int *out) { *out = table[threadIdx.x]; }",
        "__device__ int seen;\n"
        "__global__ void reduce(int *out) { *out = atomicAdd(&seen, 1); }",
        "__device__ int table[64] = {1, 2};\n"
        "__global__ void reduce(int *out) { *out = table[threadIdx.x]; }",
        "__global__ void reduce(int *out) { printf(\"%d\", *out); }",
    };
    nvrtc_close(open_any());
    for (size_t a = 0; a < ARCHS; a++) {
        struct nvrtc *nvrtc = open_for(archs[a]);
        for (size_t i = 0; nvrtc && i < sizeof texts / sizeof *texts; i++)
            if (hash_alone(nvrtc, archs[a], texts[i]) != 0)
                fail_msg("sm_%d: kernel %zu has a hash", archs[a], i);
        nvrtc_close(nvrtc);
    }
}

/* --- Single bytes ------------------------------------------------------------------------- */

/* The head of the section `kind` of a kernel, in an image that is sound. */
static Elf64_Shdr *find_head(const struct device_image *image, const char *kind,
                             const char *kernel)
{
    char *bytes = image->bytes, name[300];
    const Elf64_Ehdr *file = image->bytes;
    Elf64_Shdr *heads = (Elf64_Shdr *)(void *)(bytes + file->e_shoff);
    const char *names = bytes + heads[file->e_shstrndx].sh_offset;
    snprintf(name, sizeof name, "%s%s", kind, kernel);
    for (int i = 0; i < file->e_shnum; i++)
        if (strcmp(names + heads[i].sh_name, name) == 0)
            return &heads[i];
    return NULL;
}

static unsigned char *find_bytes(const struct device_image *image, const Elf64_Shdr *head)
{
    assert_non_null(head);
    return (unsigned char *)image->bytes + head->sh_offset;
}

static uint64_t hash_again(const struct device_image *image, size_t i)
{
    return cubin_hash(image->bytes, image->size, image->names[i]);
}

/* Adds 1 to a byte; the hash of kernel 1 alone must become another one. */
static void check_byte(const struct device_image *image, unsigned char *byte)
{
    ++*byte;
    assert_true(hash_again(image, 0) == image->hashes[0]);
    assert_true(hash_again(image, 1) != image->hashes[1] && hash_again(image, 1) != 0);
    --*byte;
    assert_true(hash_again(image, 1) == image->hashes[1]);
}

/* Where the first attribute `what` of a kernel's own stands. */
static unsigned char *find_attribute(const struct device_image *image, const char *kernel,
                                     unsigned what)
{
    const Elf64_Shdr *head = find_head(image, ".nv.info.", kernel);
    unsigned char *at = find_bytes(image, head), *end = at + head->sh_size;
    while (at < end && at[1] != what)
        at += at[0] == 4 ? 4 + at[2] + 256 * at[3] : 4;
    assert_true(at < end);
    return at;
}

/* Each thing that decides how a kernel behaves, changed alone. */
static void test_parts(void **state)
{
    (void)state;
    enum { PARAMETER_BANK = 0x0a, EXTERNS = 0x0f, MAX_THREADS = 0x05 };
    const char *const texts[] = {other, BASE};
    struct nvrtc *nvrtc = open_any();
    struct device_image image = compile(nvrtc, 90, texts, 2);
    const char *name = image.names[1];
    check_byte(&image, find_bytes(&image, find_head(&image, ".text.", name)));
    check_byte(&image, find_bytes(&image, find_head(&image, ".nv.constant0.", name)) + 4);
    check_byte(&image, (unsigned char *)&find_head(&image, ".nv.shared.", name)->sh_size);
    unsigned char *at = find_attribute(&image, name, MAX_THREADS);
    check_byte(&image, at + 5);
    at[1] = EXTERNS;
    assert_true(hash_again(&image, 1) == 0 && hash_again(&image, 0) == image.hashes[0]);
    at[1] = MAX_THREADS;
    at = find_attribute(&image, name, PARAMETER_BANK);
    at[4]++; /* the symbol */
    assert_true(hash_again(&image, 1) == image.hashes[1]);
    check_byte(&image, at + 8);
    Elf64_Shdr *relocations = find_head(&image, ".rela.text.", name);
    assert_non_null(relocations);
    relocations->sh_size = sizeof(Elf64_Rela);
    assert_true(hash_again(&image, 1) == 0 && hash_again(&image, 0) == image.hashes[0]);
    device_dispose_image(&image);
    nvrtc_close(nvrtc);
}

/* The registers stand in a section that all kernels share, each with its symbol. */
static void test_registers(void **state)
{
    (void)state;
    const char *const texts[] = {other, BASE};
    struct nvrtc *nvrtc = open_any();
    struct device_image image = compile(nvrtc, 90, texts, 2);
    const Elf64_Shdr *head = find_head(&image, ".nv.info", "");
    unsigned char *at = find_bytes(&image, head), *end = at + head->sh_size;
    unsigned found[2] = {0};
    for (; at < end; at += 12) {
        assert_memory_equal(at + 2, "\x08\x00", 2);
        if (at[1] != 0x2f)
            continue;
        at[8]++;
        for (size_t i = 0; i < 2; i++)
            found[i] += hash_again(&image, i) != image.hashes[i];
        at[8]--;
    }
    assert_int_equal(found[0], 1);
    assert_int_equal(found[1], 1);
    device_dispose_image(&image);
    nvrtc_close(nvrtc);
}

/* --- Bytes of any kind -------------------------------------------------------------------- */

static void test_garbage(void **state)
{
    (void)state;
    static unsigned char bytes[1 << 16];
    assert_true(cubin_hash(bytes, 0, "reduce") == 0);
    assert_true(cubin_hash(bytes, sizeof bytes, "reduce") == 0);
    assert_true(cubin_hash("\177ELF\2\1\1", 7, "reduce") == 0);
    FILE *file = fopen("/proc/self/exe", "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(cubin_hash(bytes, size, "main") == 0);
}

/* Of each length, in memory of that very length; then with bytes of the tables replaced. */
static void test_damage(void **state)
{
    (void)state;
    struct nvrtc *nvrtc = open_any();
    const char *const texts[] = {other, BASE};
    struct device_image image = compile(nvrtc, 80, texts, 2);
    const uint64_t whole = image.hashes[1];
    uint64_t random = 1;
    unsigned changed = 0;
    assert_true(whole != 0);
    assert_true(cubin_hash(image.bytes, image.size, "absent") == 0);
    assert_true(cubin_hash(image.bytes, image.size, "") == 0);
    for (size_t size = 0; size < image.size; size++) {
        unsigned char *copy = malloc(size + !size);
        assert_non_null(copy);
        memcpy(copy, image.bytes, size);
        const uint64_t hash = cubin_hash(copy, size, image.names[1]);
        if (hash != 0 && hash != whole)
            fail_msg("%zu bytes have a hash of their own", size);
        if (size < image.size / 2)
            assert_true(hash == 0);
        free(copy);
    }
    unsigned char *copy = malloc(image.size);
    assert_non_null(copy);
    for (int i = 0; i < 50000; i++) {
        memcpy(copy, image.bytes, image.size);
        for (int k = 0; k <= i % 3; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            copy[(random >> 33) % image.size] = (unsigned char)(random >> 25);
        }
        changed += cubin_hash(copy, image.size, image.names[1]) != whole;
    }
    assert_true(changed > 5000);
    free(copy);
    device_dispose_image(&image);
    nvrtc_close(nvrtc);
}

/* The smallest image with a kernel, whose one section is all tables at once; each test breaks one
 * number of it. */
struct small {
    Elf64_Ehdr file;
    Elf64_Shdr heads[5]; /* none, names, symbols, .text.k, .nv.info.k */
    Elf64_Sym symbols[2];
    char names[32];
    unsigned char code[8], attributes[8];
};

static struct small make_small(void)
{
    struct small out = {
        .file = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
                 .e_machine = EM_CUDA,
                 .e_shoff = offsetof(struct small, heads),
                 .e_shentsize = sizeof(Elf64_Shdr),
                 .e_shnum = 5,
                 .e_shstrndx = 1},
        .heads = {[1] = {.sh_name = 3,
                         .sh_type = SHT_STRTAB,
                         .sh_offset = offsetof(struct small, names),
                         .sh_size = sizeof out.names},
                  [2] = {.sh_name = 3,
                         .sh_type = SHT_SYMTAB,
                         .sh_offset = offsetof(struct small, symbols),
                         .sh_size = sizeof out.symbols,
                         .sh_link = 1},
                  [3] = {.sh_name = 5,
                         .sh_type = SHT_PROGBITS,
                         .sh_offset = offsetof(struct small, code),
                         .sh_size = sizeof out.code},
                  [4] = {.sh_name = 13,
                         .sh_type = SHT_PROGBITS,
                         .sh_offset = offsetof(struct small, attributes),
                         .sh_size = 4}},
        .symbols = {[1] = {.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)}},
    };
    memcpy(out.names, "\0k\0n\0.text.k\0.nv.info.k", 24);
    return out;
}

static uint64_t hash_small(const struct small *small)
{
    return cubin_hash(small, sizeof *small, "k");
}

/* A table of names that has no bytes in the file may say that it lies anywhere. Seen to fail under
 * UndefinedBehaviorSanitizer, where CI runs it, when find_string adds before it looks at the type. */
static void test_names_without_bytes(void **state)
{
    static const uint64_t places[] = {UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63,
                                      UINT64_C(1) << 40, 0};
    (void)state;
    struct small small = make_small();
    assert_true(hash_small(&small) != 0);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        small.heads[1].sh_type = SHT_NOBITS;
        small.heads[1].sh_offset = places[i];
        assert_true(hash_small(&small) == 0);
        small.heads[1].sh_size = UINT64_MAX;
        assert_true(hash_small(&small) == 0);
        small = make_small();
    }
    small.heads[2].sh_type = SHT_NOBITS; /* symbols without bytes are no table of them */
    assert_true(hash_small(&small) == 0);
}

/* An attribute is four bytes at least, and has the bytes that it says. Seen to fail without either
 * check in next_attribute. */
static void test_attributes_cut(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 8; size++) {
        struct small small = make_small();
        small.heads[4].sh_size = size;
        assert_int_equal(hash_small(&small) != 0, size % 4 == 0);
    }
    struct small small = make_small();
    small.attributes[0] = 4; /* SIZED */
    small.attributes[2] = 4;
    small.heads[4].sh_size = 8;
    assert_true(hash_small(&small) != 0);
    small.heads[4].sh_size = 7;
    assert_true(hash_small(&small) == 0);
}

/* --- What a kernel needs ----------------------------------------------------------------- */

static struct cubin_needs needs_of(const struct device_image *image, size_t i)
{
    struct cubin_needs needs;
    if (!cubin_needs(&needs, image->bytes, image->size, image->names[i]))
        fail_msg("nothing is known of %s", image->names[i]);
    return needs;
}

/* Shared memory and frames are as the source says, registers as its bounds allow. */
static void test_needs(void **state)
{
    (void)state;
    static const char frame[] = "__global__ void reduce(int *io, int n)\n"
                                "{\n"
                                "    int at[64];\n"
                                "    for (int i = 0; i < 64; i++) at[io[i] & 63] = i + n;\n"
                                "    io[0] = at[n & 63];\n"
                                "}\n";
#define TAKE                                                                                   \
    "int v[128]; for (int i = 0; i < 128; i++) v[i] = io[i * n];"                              \
    "for (int i = 0; i < 128; i++) io[i * 7 + n] = v[i] * v[(i + 64) % 128]; }\n"
    static const char wide[] =
        "__global__ void __launch_bounds__(256, 1) reduce(int *io, int n) {" TAKE;
    static const char narrow[] =
        "__global__ void __launch_bounds__(1024, 2) reduce(int *io, int n) {" TAKE;
    const char *const unit[] = {BASE, other, frame, wide, narrow};
    nvrtc_close(open_any());
    for (size_t a = 0; a < ARCHS; a++) {
        struct nvrtc *nvrtc = open_for(archs[a]);
        struct cubin_needs needs;
        if (!nvrtc)
            continue;
        struct device_image image = compile(nvrtc, archs[a], unit, 5);
        assert_int_equal(needs_of(&image, 0).shared_bytes, 33 * 4);
        assert_int_equal(needs_of(&image, 1).shared_bytes, 64 * 8);
        assert_int_equal(needs_of(&image, 2).shared_bytes, 0);
        assert_int_equal(needs_of(&image, 0).local_bytes, 0);
        assert_int_equal(needs_of(&image, 2).local_bytes, 64 * 4);
        assert_in_range(needs_of(&image, 3).registers, 129, 255);
        assert_int_equal(needs_of(&image, 3).local_bytes, 0);
        const int most = archs[a] == 75 || archs[a] == 120 ? 64 : 32; /* of 1 block, or of 2 */
        assert_in_range(needs_of(&image, 4).registers, most - 8, most);
        assert_true(needs_of(&image, 4).local_bytes >= 16);
        assert_false(cubin_needs(&needs, image.bytes, image.size, "reduce"));
        assert_false(cubin_needs(&needs, image.bytes, image.size / 3, image.names[0]));
        device_dispose_image(&image);
        nvrtc_close(nvrtc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),         cmocka_unit_test(test_same),
        cmocka_unit_test(test_different),      cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_parts),          cmocka_unit_test(test_registers),
        cmocka_unit_test(test_garbage),        cmocka_unit_test(test_names_without_bytes),
        cmocka_unit_test(test_attributes_cut), cmocka_unit_test(test_damage),
        cmocka_unit_test(test_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
