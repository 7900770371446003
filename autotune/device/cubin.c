/* cubin: walks an ELF file's sections. Hides their layout and that of NVIDIA's attributes in
 * them (.nv.info), which it checks at every step: a damaged image gives "unknown". What a hash
 * leaves out is named here; all else is in it, so that what a later compiler adds may make
 * equal kernels differ, but never different ones equal. */
#include "autotune/device/cubin.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

struct cubin {
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr head;
    Elf64_Shdr names; /* the section that holds the names of sections */
};

/* A section, or a part of one: `size` bytes at `at`, or none of them but their number. */
struct part {
    Elf64_Shdr head;
    const char *name;
    const unsigned char *at; /* NULL where the file has no bytes for it */
    size_t size;
};

/* --- Sections ---------------------------------------------------------------------------- */

static bool is_inside(const struct cubin *cubin, uint64_t offset, uint64_t size)
{
    return offset <= cubin->size && size <= cubin->size - offset;
}

static bool read_head(const struct cubin *cubin, size_t index, Elf64_Shdr *out)
{
    memcpy(out, cubin->bytes + cubin->head.e_shoff + index * sizeof *out, sizeof *out);
    return out->sh_type == SHT_NOBITS || is_inside(cubin, out->sh_offset, out->sh_size);
}

/* The name must end inside its section. */
static const char *find_string(const struct cubin *cubin, const Elf64_Shdr *strings,
                               uint64_t offset)
{
    if (strings->sh_type != SHT_STRTAB || offset >= strings->sh_size)
        return NULL; /* of another type it may lie anywhere: see read_head */
    const char *at = (const char *)cubin->bytes + strings->sh_offset + offset;
    return memchr(at, '\0', strings->sh_size - offset) ? at : NULL;
}

static bool read_section(const struct cubin *cubin, size_t index, struct part *out)
{
    if (index >= cubin->head.e_shnum || !read_head(cubin, index, &out->head))
        return false;
    out->name = find_string(cubin, &cubin->names, out->head.sh_name);
    out->size = out->head.sh_size;
    out->at = out->head.sh_type == SHT_NOBITS ? NULL : cubin->bytes + out->head.sh_offset;
    return out->name != NULL;
}

static bool open_cubin(struct cubin *cubin, const void *bytes, size_t size)
{
    Elf64_Ehdr *head = &cubin->head;
    *cubin = (struct cubin){.bytes = bytes, .size = size};
    if (size < sizeof *head)
        return false;
    memcpy(head, bytes, sizeof *head);
    return memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
           head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_ident[EI_DATA] == ELFDATA2LSB &&
           head->e_machine == EM_CUDA && head->e_shentsize == sizeof(Elf64_Shdr) &&
           is_inside(cubin, head->e_shoff, head->e_shnum * sizeof(Elf64_Shdr)) &&
           head->e_shstrndx < head->e_shnum &&
           read_head(cubin, head->e_shstrndx, &cubin->names);
}

/* --- The kernel's symbol ----------------------------------------------------------------- */

/* The index of the function `kernel` in a table of symbols; 0 = not there. */
static uint32_t find_in_table(const struct cubin *cubin, const struct part *table,
                              const char *kernel)
{
    struct part strings;
    if (!read_section(cubin, table->head.sh_link, &strings))
        return 0;
    for (size_t i = 1; i < table->size / sizeof(Elf64_Sym); i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, table->at + i * sizeof symbol, sizeof symbol);
        const char *name = find_string(cubin, &strings.head, symbol.st_name);
        if (name && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && strcmp(name, kernel) == 0)
            return (uint32_t)i;
    }
    return 0;
}

static uint32_t find_symbol(const struct cubin *cubin, const char *kernel)
{
    struct part part;
    uint32_t symbol = 0;
    for (size_t i = 0; i < cubin->head.e_shnum && symbol == 0; i++)
        if (read_section(cubin, i, &part) && part.head.sh_type == SHT_SYMTAB)
            symbol = find_in_table(cubin, &part, kernel);
    return symbol;
}

/* --- Attributes -------------------------------------------------------------------------- */

/* An attribute: one byte says how its value is stored, one what it is, two are the value or,
 * with SIZED, the number of the bytes that follow. */
enum { ATTRIBUTE_HEAD = 4, SIZED = 4 };
enum { PARAMETER_BANK = 0x0a, EXTERNS = 0x0f, FRAME_BYTES = 0x11, REGISTERS = 0x2f };

struct attribute {
    uint8_t format, what;
    const unsigned char *at; /* the bytes that follow */
    size_t size;
};

/* Reads the one at *offset and steps past it. */
static bool next_attribute(const struct part *part, size_t *offset, struct attribute *out)
{
    uint16_t value;
    if (part->size - *offset < ATTRIBUTE_HEAD)
        return false;
    const unsigned char *at = part->at + *offset;
    memcpy(&value, at + 2, sizeof value);
    *out = (struct attribute){at[0], at[1], at + ATTRIBUTE_HEAD, at[0] == SIZED ? value : 0};
    *offset += ATTRIBUTE_HEAD;
    if (out->size > part->size - *offset)
        return false;
    *offset += out->size;
    return true;
}

static void mix(uint64_t *hash, const void *bytes, size_t size)
{
    *hash = XXH64(bytes, size, *hash);
}

/* Everything in the kernel's own section but the index of its parameters' symbol, which depends
 * on what else is in the image. A kernel that calls functions from elsewhere is unknown. */
static bool mix_own_attributes(uint64_t *hash, const struct part *part)
{
    size_t offset = 0;
    struct attribute attribute;
    while (offset < part->size) {
        const size_t start = offset;
        if (!next_attribute(part, &offset, &attribute) || attribute.what == EXTERNS)
            return false;
        const size_t skipped = attribute.what == PARAMETER_BANK ? sizeof(uint32_t) : 0;
        if (attribute.size < skipped)
            return false;
        mix(hash, part->at + start, ATTRIBUTE_HEAD);
        mix(hash, attribute.at + skipped, attribute.size - skipped);
    }
    return true;
}

/* In the image's common section each attribute begins with the symbol it is about: registers,
 * stack. */
static bool mix_common_attributes(uint64_t *hash, const struct part *part, uint32_t symbol)
{
    size_t offset = 0;
    struct attribute attribute;
    while (offset < part->size) {
        uint32_t about = 0;
        if (!next_attribute(part, &offset, &attribute))
            return false;
        if (attribute.size >= sizeof about)
            memcpy(&about, attribute.at, sizeof about);
        if (about != symbol)
            continue;
        mix(hash, &attribute.what, 1);
        mix(hash, attribute.at + sizeof about, attribute.size - sizeof about);
    }
    return true;
}

/* --- Hashing ----------------------------------------------------------------------------- */

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Whether the section is the kernel's: ".text.<kernel>". */
static bool is_of(const struct part *part, const char *kernel)
{
    const size_t length = strlen(part->name), tail = strlen(kernel);
    return length > tail && part->name[length - tail - 1] == '.' &&
           strcmp(part->name + length - tail, kernel) == 0;
}

/* Data of the whole image, at places that depend on the image's other kernels: a kernel's own
 * sections do not tell what it reads there. */
static bool is_shared_data(const struct part *part)
{
    static const char *const constants = ".nv.constant";
    const char *bank = part->name + strlen(constants);
    return part->size > 0 &&
           (begins(part->name, ".nv.global") ||
            (begins(part->name, constants) && bank[strspn(bank, "0123456789")] == '\0'));
}

/* What another architecture of the same family would be compiled from, and its relocations: the
 * GPU that the image is for runs .text. It names symbols by index. */
static bool is_portable_copy(const struct part *part)
{
    return begins(part->name, ".nv.merc.") || begins(part->name, ".nv.capmerc.");
}

/* One section of the kernel's, with its kind: the name up to the kernel's. */
static bool add_own(uint64_t *sum, const struct part *part, const char *kernel)
{
    const uint64_t numbers[] = {part->head.sh_type, part->head.sh_flags, part->size,
                                part->head.sh_addralign};
    uint64_t hash = 0;
    if (is_portable_copy(part))
        return true;
    if (begins(part->name, ".rel"))
        return part->size == 0;
    mix(&hash, part->name, strlen(part->name) - strlen(kernel));
    mix(&hash, numbers, sizeof numbers);
    if (begins(part->name, ".nv.info.")) {
        if (!part->at || !mix_own_attributes(&hash, part))
            return false;
    } else if (part->at) {
        mix(&hash, part->at, part->size);
    }
    *sum += hash;
    return true;
}

static bool add_common(uint64_t *sum, const struct part *part, uint32_t symbol)
{
    uint64_t hash = 0;
    if (strcmp(part->name, ".nv.info") != 0)
        return true;
    if (!part->at || !mix_common_attributes(&hash, part, symbol))
        return false;
    *sum += hash;
    return true;
}

/* The hashes of sections are added up: their order depends on what else is in the image. */
uint64_t cubin_hash(const void *bytes, size_t size, const char *kernel)
{
    struct cubin cubin;
    uint64_t sum = 0;
    bool has_code = false;
    const uint32_t symbol = open_cubin(&cubin, bytes, size) ? find_symbol(&cubin, kernel) : 0;
    for (size_t i = 1; symbol && i < cubin.head.e_shnum; i++) {
        struct part part;
        if (!read_section(&cubin, i, &part) || is_shared_data(&part))
            return 0;
        const bool is_own = is_of(&part, kernel);
        if (!(is_own ? add_own(&sum, &part, kernel) : add_common(&sum, &part, symbol)))
            return 0;
        has_code |= is_own && part.at && part.size > 0 && begins(part.name, ".text.");
    }
    return has_code ? sum : 0;
}

/* --- What a kernel needs ----------------------------------------------------------------- */

/* Reads attributes of the image's common section: pairs of a symbol and a number. */
static bool read_common(struct cubin_needs *out, const struct part *part, uint32_t symbol)
{
    size_t offset = 0;
    struct attribute attribute;
    while (offset < part->size) {
        uint32_t pair[2]; /* symbol, number */
        if (!next_attribute(part, &offset, &attribute))
            return false;
        if (attribute.format != SIZED || attribute.size != sizeof pair)
            continue;
        memcpy(pair, attribute.at, sizeof pair);
        if (pair[0] == symbol && attribute.what == REGISTERS)
            out->registers = (int)pair[1];
        else if (pair[0] == symbol && attribute.what == FRAME_BYTES)
            out->local_bytes = pair[1];
    }
    return true;
}

/* Compilers that write no attribute for registers have them in the head of the code. */
static void read_own(struct cubin_needs *out, const struct part *part)
{
    enum { REGISTERS_SHIFT = 24 };
    if (begins(part->name, ".nv.shared."))
        out->shared_bytes = (int64_t)part->size;
    else if (begins(part->name, ".text.") && out->registers == 0)
        out->registers = (int)(part->head.sh_info >> REGISTERS_SHIFT);
}

/* Is it the section that images from sm_90 on have? In these a block's shared memory lies
 * behind bytes that the system reserves. */
static bool is_reserve(const struct part *part)
{
    return begins(part->name, ".nv.shared.reserved.");
}

bool cubin_needs(struct cubin_needs *out, const void *bytes, size_t size, const char *kernel)
{
    enum { RESERVED_BYTES = 1024 };
    struct cubin cubin;
    int64_t reserved = 0;
    const uint32_t symbol = open_cubin(&cubin, bytes, size) ? find_symbol(&cubin, kernel) : 0;
    *out = (struct cubin_needs){.registers = 0};
    for (size_t i = 1; symbol && i < cubin.head.e_shnum; i++) {
        struct part part;
        if (!read_section(&cubin, i, &part))
            return false;
        if (is_reserve(&part))
            reserved = RESERVED_BYTES;
        else if (is_of(&part, kernel))
            read_own(out, &part);
        else if (strcmp(part.name, ".nv.info") == 0 &&
                 (!part.at || !read_common(out, &part, symbol)))
            return false;
    }
    out->shared_bytes = out->shared_bytes > reserved ? out->shared_bytes - reserved : 0;
    return symbol && out->registers > 0;
}
