/* shared_object: looks at the file before the loader opens it: all that the loader maps, and
 * the tables that it follows, must lie in the file. A name without a folder is looked for
 * where the loader does: LD_LIBRARY_PATH, its cache, its own folders. */
#include "autotune/device/shared_object.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined __x86_64__
enum { MACHINE = EM_X86_64 };
#elif defined __aarch64__
enum { MACHINE = EM_AARCH64 };
#else
enum { MACHINE = EM_NONE }; /* any */
#endif
enum {
    SEGMENTS_MAX = 64,
    DYNAMIC_MAX = 1024,
};

static const char damaged[] = "it is damaged: its headers lead out of the file";
static const char foreign[] = "it is for another machine";

/* --- The file ----------------------------------------------------------------------------- */

struct object {
    int file;
    uint64_t size;
    Elf64_Ehdr head;
    Elf64_Phdr segments[SEGMENTS_MAX];
    uint64_t values[DT_NUM]; /* of the dynamic section, by tag; 0 = not there */
    uint64_t gnu_hash, versions, needed_versions, defined_versions; /* addresses */
};

static bool read_at(const struct object *object, void *out, size_t bytes, uint64_t at)
{
    return at <= INT64_MAX && pread(object->file, out, bytes, (off_t)at) == (ssize_t)bytes;
}

static bool is_inside(uint64_t at, uint64_t bytes, uint64_t size)
{
    return at <= size && bytes <= size - at;
}

static const char *read_head(struct object *object)
{
    Elf64_Ehdr *const head = &object->head;
    const size_t magic = object->size < SELFMAG ? (size_t)object->size : SELFMAG;
    if (!read_at(object, head, magic, 0) || memcmp(head->e_ident, ELFMAG, magic) != 0)
        return "it is no shared object: it does not begin as one";
    if (!read_at(object, head, sizeof *head, 0))
        return "it is cut short";
    if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB ||
        (MACHINE != EM_NONE && head->e_machine != MACHINE))
        return foreign;
    if (head->e_type != ET_DYN)
        return "it is no shared object";
    if (head->e_version != EV_CURRENT || head->e_phentsize != sizeof *object->segments ||
        head->e_phnum == 0 || head->e_phnum > SEGMENTS_MAX)
        return damaged;
    return NULL;
}

/* The table of sections is the last in a file: zeros in its place are what a copy that ended
 * too soon has there. */
static bool is_written(const struct object *object)
{
    const Elf64_Ehdr *const head = &object->head;
    Elf64_Shdr names;
    return !head->e_shoff || head->e_shstrndx == SHN_UNDEF || head->e_shstrndx == SHN_XINDEX ||
           (head->e_shstrndx < head->e_shnum && head->e_shentsize == sizeof names &&
            read_at(object, &names, sizeof names,
                    head->e_shoff + head->e_shstrndx * sizeof names) &&
            names.sh_type == SHT_STRTAB);
}

/* The sections' table, of which the loader knows nothing, is the last in a file: without its
 * end the rest is not to be trusted either. */
static const char *read_segments(struct object *object)
{
    const Elf64_Ehdr *const head = &object->head;
    uint64_t end =
        head->e_shoff ? head->e_shoff + (uint64_t)head->e_shnum * head->e_shentsize : 0;
    if (!is_inside(head->e_phoff, head->e_phnum * sizeof *object->segments, object->size) ||
        !read_at(object, object->segments, head->e_phnum * sizeof *object->segments,
                 head->e_phoff) ||
        end < head->e_shoff)
        return "it is cut short";
    for (size_t i = 0; i < head->e_phnum; i++) {
        const Elf64_Phdr *const segment = &object->segments[i];
        if (segment->p_type == PT_NULL || !segment->p_filesz)
            continue;
        if (segment->p_filesz > UINT64_MAX - segment->p_offset)
            return damaged;
        if (end < segment->p_offset + segment->p_filesz)
            end = segment->p_offset + segment->p_filesz;
    }
    return end > object->size   ? "it is cut short"
           : is_written(object) ? NULL
                                : "it is damaged: its end was never written";
}

/* --- Segments ----------------------------------------------------------------------------- */

/* The loaded segment that holds these bytes of memory, the first `in_file` of which are the
 * file's. */
static const Elf64_Phdr *find_segment(const struct object *object, uint64_t address,
                                      uint64_t bytes, uint64_t in_file)
{
    for (size_t i = 0; i < object->head.e_phnum; i++) {
        const Elf64_Phdr *const segment = &object->segments[i];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            is_inside(address - segment->p_vaddr, bytes, segment->p_memsz) &&
            (!in_file || is_inside(address - segment->p_vaddr, in_file, segment->p_filesz)))
            return segment;
    }
    return NULL;
}

/* In order and apart, as the loader maps them over one another. */
static bool is_loadable(const Elf64_Phdr *segment, uint64_t *end)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), align = segment->p_align;
    const bool is_right = segment->p_filesz <= segment->p_memsz &&
                          (segment->p_filesz == segment->p_memsz || segment->p_flags & PF_W) &&
                          segment->p_vaddr >= *end && segment->p_vaddr <= INT64_MAX &&
                          segment->p_memsz <= INT64_MAX - segment->p_vaddr && align >= page &&
                          (align & (align - 1)) == 0 && align <= UINT32_MAX &&
                          (segment->p_vaddr - segment->p_offset) % align == 0 &&
                          segment->p_flags & PF_R && segment->p_flags <= (PF_R | PF_W | PF_X);
    *end = segment->p_vaddr + segment->p_memsz;
    return is_right;
}

/* Is it what becomes read-only, of data that can be written? Its end may be that of the
 * page. */
static bool is_sealable(const struct object *object, const Elf64_Phdr *segment)
{
    const Elf64_Phdr *const around = find_segment(object, segment->p_vaddr, 1, 0);
    return around && around->p_flags & PF_W &&
           is_inside(segment->p_vaddr - around->p_vaddr, segment->p_memsz,
                     around->p_memsz + around->p_align);
}

/* What lies in other segments, and is read there. */
static bool is_part(const struct object *object, const Elf64_Phdr *segment)
{
    const Elf64_Phdr *const around =
        find_segment(object, segment->p_vaddr, segment->p_memsz, segment->p_filesz);
    switch (segment->p_type) {
    case PT_TLS:
        return segment->p_filesz <= segment->p_memsz && segment->p_memsz <= UINT32_MAX &&
               (segment->p_align & (segment->p_align - 1)) == 0 &&
               segment->p_align <= UINT32_MAX && (!segment->p_filesz || around);
    case PT_DYNAMIC:
        return around &&
               segment->p_vaddr - around->p_vaddr == segment->p_offset - around->p_offset;
    case PT_NOTE:
    case PT_GNU_PROPERTY: return !segment->p_filesz || around;
    case PT_GNU_RELRO: return is_sealable(object, segment);
    default:
        return segment->p_type < PT_NUM ||
               (segment->p_type >= PT_LOOS && segment->p_type <= PT_HIPROC);
    }
}

static const Elf64_Phdr *find_type(const struct object *object, uint32_t type)
{
    for (size_t i = 0; i < object->head.e_phnum; i++)
        if (object->segments[i].p_type == type)
            return &object->segments[i];
    return NULL;
}

/* Does what a section says of memory agree with the segments? What is zeroed becomes
 * read-only as a whole or not. */
static bool agrees(const struct object *object, const Elf64_Shdr *section)
{
    const uint64_t in_file = section->sh_type == SHT_NOBITS ? 0 : section->sh_size;
    const uint64_t end = section->sh_addr + section->sh_size;
    const Elf64_Phdr *const sealed = find_type(object, PT_GNU_RELRO);
    if (!(section->sh_flags & SHF_ALLOC) || !section->sh_size)
        return true;
    if (section->sh_flags & SHF_TLS)
        return find_type(object, PT_TLS) != NULL;
    const Elf64_Phdr *const segment =
        find_segment(object, section->sh_addr, section->sh_size, in_file);
    return segment &&
           (!in_file ||
            section->sh_addr - segment->p_vaddr == section->sh_offset - segment->p_offset) &&
           (!(section->sh_flags & SHF_WRITE) || segment->p_flags & PF_W) &&
           (!(section->sh_flags & SHF_EXECINSTR) || segment->p_flags & PF_X) &&
           (!sealed || in_file || section->sh_addr >= sealed->p_vaddr + sealed->p_memsz ||
            end <= sealed->p_vaddr + sealed->p_memsz);
}

static bool check_sections(const struct object *object)
{
    const Elf64_Ehdr *const head = &object->head;
    Elf64_Shdr section;
    for (size_t i = 0; head->e_shoff && i < head->e_shnum; i++)
        if (!read_at(object, &section, sizeof section, head->e_shoff + i * sizeof section) ||
            !agrees(object, &section))
            return false;
    return true;
}

static const Elf64_Phdr *check_segments(const struct object *object)
{
    const Elf64_Phdr *dynamic = NULL;
    uint64_t end = 0;
    for (size_t i = 0; i < object->head.e_phnum; i++) {
        const Elf64_Phdr *const segment = &object->segments[i];
        if (segment->p_type == PT_LOAD ? !is_loadable(segment, &end)
                                       : !is_part(object, segment))
            return NULL;
        if (segment->p_type == PT_DYNAMIC)
            dynamic = segment;
    }
    return dynamic;
}

/* --- The dynamic section ------------------------------------------------------------------ */

static void note_value(struct object *object, const Elf64_Dyn *entry)
{
    const uint64_t value = entry->d_un.d_val;
    switch (entry->d_tag) {
    case DT_GNU_HASH: object->gnu_hash = value; break;
    case DT_VERSYM: object->versions = value; break;
    case DT_VERNEED: object->needed_versions = value; break;
    case DT_VERDEF: object->defined_versions = value; break;
    default:
        if (entry->d_tag > 0 && entry->d_tag < DT_NUM)
            object->values[entry->d_tag] = value;
    }
}

static bool read_dynamic(struct object *object, const Elf64_Phdr *segment)
{
    static const unsigned names[] = {DT_NEEDED, DT_SONAME, DT_RPATH, DT_RUNPATH};
    Elf64_Dyn entries[DYNAMIC_MAX];
    const size_t count = segment->p_filesz / sizeof *entries;
    uint64_t last_name = 0;
    size_t i = 0;
    if (count > DYNAMIC_MAX ||
        !read_at(object, entries, count * sizeof *entries, segment->p_offset))
        return false;
    for (; i < count && entries[i].d_tag != DT_NULL; i++) {
        note_value(object, &entries[i]);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (entries[i].d_tag == (Elf64_Sxword)names[k] && entries[i].d_un.d_val > last_name)
                last_name = entries[i].d_un.d_val;
    }
    return i < count && last_name < object->values[DT_STRSZ];
}

/* Is there a table of that many bytes at the address, in the file? */
static bool has_table(const struct object *object, uint64_t address, uint64_t bytes)
{
    return !address || find_segment(object, address, bytes, bytes);
}

static bool has_code(const struct object *object, uint64_t address)
{
    const Elf64_Phdr *const segment = address ? find_segment(object, address, 1, 1) : NULL;
    return !address || (segment && segment->p_flags & PF_X);
}

/* Buckets and filter of a hash table. The loader divides by their number. */
static bool has_hash(const struct object *object)
{
    uint32_t counts[4];
    const uint64_t address = object->gnu_hash;
    const Elf64_Phdr *const segment =
        address ? find_segment(object, address, sizeof counts, sizeof counts) : NULL;
    if (!address)
        return true;
    if (!segment ||
        !read_at(object, counts, sizeof counts, segment->p_offset + address - segment->p_vaddr))
        return false;
    const uint64_t buckets = counts[0], words = counts[2];
    return buckets && words && (words & (words - 1)) == 0 &&
           has_table(object, address, sizeof counts + words * sizeof(void *) + buckets * 4);
}

/* Names end within their table. */
static bool has_names(const struct object *object)
{
    const uint64_t address = object->values[DT_STRTAB], bytes = object->values[DT_STRSZ];
    const Elf64_Phdr *const segment =
        address && bytes ? find_segment(object, address, bytes, bytes) : NULL;
    char last = 1;
    return segment &&
           read_at(object, &last, 1,
                   segment->p_offset + (address - segment->p_vaddr) + bytes - 1) &&
           last == '\0';
}

/* The loader asserts the sizes of entries. */
static bool has_tables(const struct object *object)
{
    static const struct {
        unsigned address, bytes, entry, entry_bytes;
    } tables[] = {
        {DT_RELA, DT_RELASZ, DT_RELAENT, sizeof(Elf64_Rela)},
        {DT_REL, DT_RELSZ, DT_RELENT, sizeof(Elf64_Rel)},
        {DT_JMPREL, DT_PLTRELSZ, DT_NULL, 1},
        {DT_INIT_ARRAY, DT_INIT_ARRAYSZ, DT_NULL, sizeof(void *)},
        {DT_FINI_ARRAY, DT_FINI_ARRAYSZ, DT_NULL, sizeof(void *)},
    };
    const uint64_t *const values = object->values;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (!has_table(object, values[tables[i].address], values[tables[i].bytes]) ||
            (!values[tables[i].address] && values[tables[i].bytes]) ||
            values[tables[i].bytes] % tables[i].entry_bytes ||
            (tables[i].entry && values[tables[i].address] &&
             values[tables[i].entry] != tables[i].entry_bytes))
            return false;
    return has_names(object) && values[DT_SYMTAB] && values[DT_SYMENT] == sizeof(Elf64_Sym) &&
           has_table(object, values[DT_SYMTAB], sizeof(Elf64_Sym)) &&
           (!values[DT_JMPREL] || values[DT_PLTREL] == DT_RELA ||
            values[DT_PLTREL] == DT_REL) &&
           has_table(object, values[DT_HASH], 2 * sizeof(Elf64_Word)) && has_hash(object) &&
           has_table(object, object->versions, sizeof(Elf64_Half)) &&
           has_table(object, object->needed_versions, sizeof(Elf64_Verneed)) &&
           has_table(object, object->defined_versions, sizeof(Elf64_Verdef)) &&
           has_code(object, values[DT_INIT]) && has_code(object, values[DT_FINI]);
}

/* --- A file ------------------------------------------------------------------------------- */

static const char *find_fault(struct object *object)
{
    const char *why = read_head(object);
    if (!why)
        why = read_segments(object);
    if (why)
        return why;
    const Elf64_Phdr *const dynamic = check_segments(object);
    return dynamic && check_sections(object) && read_dynamic(object, dynamic) &&
                   has_tables(object)
               ? NULL
               : damaged;
}

/* Why the loader must not open the file, or NULL: also where there is none, or none that can be
 * read, which it says itself. */
static const char *file_fault(const char *path)
{
    struct object object = {.file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
    struct stat status;
    if (object.file < 0)
        return stat(path, &status) == 0 && !S_ISREG(status.st_mode) ? "it is not a regular file"
                                                                    : NULL;
    const bool is_file = fstat(object.file, &status) == 0 && S_ISREG(status.st_mode);
    object.size = is_file ? (uint64_t)status.st_size : 0;
    const char *const why = is_file ? find_fault(&object) : "it is not a regular file";
    close(object.file);
    return why;
}

/* --- Names -------------------------------------------------------------------------------- */

/* One that is for another machine is passed over, as the loader does. */
static bool take(struct text *out, const char *why[1], const char *folder, size_t length,
                 const char *name)
{
    text_clear(out);
    text_add(out, folder, length);
    text_addf(out, "%s%s", length ? "/" : "./", name);
    if (out->failed || access(out->at, F_OK))
        return false;
    *why = file_fault(out->at);
    return *why != foreign;
}

/* The loader's cache has each path as a string. */
static bool take_cached(struct text *out, const char *why[1], const char *name)
{
    enum { CACHE_MAX = 64 << 20 };
    struct text cache = {0};
    struct error ignored;
    bool is_found = false;
    const size_t length = strlen(name);
    if (text_read(&cache, "/etc/ld.so.cache", CACHE_MAX, &ignored) == 0)
        for (const char *at = cache.at, *end = at + cache.length; at < end && !is_found;) {
            const size_t all = strnlen(at, (size_t)(end - at));
            if (*at == '/' && all > length && at[all - length - 1] == '/' &&
                memcmp(at + all - length, name, length) == 0)
                is_found = take(out, why, at, all - length - 1, name);
            at += all + 1;
        }
    text_dispose(&cache);
    return is_found;
}

static Dl_serinfo *list_folders(void)
{
    Dl_serinfo counted, *list = NULL;
    void *const self = dlopen(NULL, RTLD_LAZY);
    if (self && dlinfo(self, RTLD_DI_SERINFOSIZE, &counted) == 0 &&
        (list = malloc(counted.dls_size)) != NULL) {
        list->dls_size = counted.dls_size;
        list->dls_cnt = counted.dls_cnt;
        if (dlinfo(self, RTLD_DI_SERINFOSIZE, list) || dlinfo(self, RTLD_DI_SERINFO, list)) {
            free(list);
            list = NULL;
        }
    }
    if (self)
        dlclose(self);
    return list;
}

static bool is_system(const char *folder)
{
    return strncmp(folder, "/lib", 4) == 0 || strncmp(folder, "/usr/lib", 8) == 0;
}

/* The file that the loader would take for a name without a folder, and its fault, or NULL.
 * False: there is none. */
static bool find_named(struct text *out, const char *why[1], const char *name)
{
    Dl_serinfo *const list = list_folders();
    bool is_found = false;
    for (int systems = 0; list && systems < 2 && !is_found; systems++) {
        for (unsigned i = 0; i < list->dls_cnt && !is_found; i++) {
            const char *const folder = list->dls_serpath[i].dls_name;
            if (is_system(folder) == systems)
                is_found = take(out, why, folder, strlen(folder), name);
        }
        if (systems == 0 && !is_found)
            is_found = take_cached(out, why, name);
    }
    free(list);
    return is_found;
}

bool shared_object_find(struct text *out, const char *name)
{
    const char *ignored;
    return find_named(out, &ignored, name);
}

bool shared_object_check(const char *name, char why[SHARED_OBJECT_WHY])
{
    struct text path = {0};
    const bool has_folder = strchr(name, '/') != NULL;
    const char *fault = has_folder ? file_fault(name) : NULL;
    if (!has_folder && !find_named(&path, &fault, name))
        fault = NULL;
    if (fault)
        snprintf(why, SHARED_OBJECT_WHY, "%.180s%s%.60s", has_folder ? "" : path.at,
                 has_folder ? "" : ": ", fault);
    text_dispose(&path);
    return !fault;
}

void *shared_object_open(const char *name, int flags, char why[SHARED_OBJECT_WHY])
{
    void *library = strchr(name, '/') ? NULL : dlopen(name, flags | RTLD_NOLOAD);
    if (library || !shared_object_check(name, why))
        return library;
    library = dlopen(name, flags);
    if (!library) {
        const char *reason = dlerror();
        snprintf(why, SHARED_OBJECT_WHY, "%s", reason ? reason : "it cannot be opened");
    }
    return library;
}
