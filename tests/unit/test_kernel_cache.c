/* Tests of kept images: what is read is what was written, or nothing: every byte changed, every
 * length cut, every field of the key and every byte of the source another, and files that must not be
 * trusted; and of the room that they take: what goes, what stays, and processes at once. */
#include "autotune/library/kernel_cache.h"
#include "tests/unit/record_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <xxhash.h>

static struct error error;
static char code[] = "reduce\0__global__ void reduce(void)\n{\n}\n";
static const struct text source = {.at = code, .length = sizeof code};
static const struct kernel_cache_key key = {&source, 90, "NVRTC 13.0", 2};

static struct device_image make_image(void)
{
    static char bytes[] = "\177ELF\0 code\n", first[] = "_Z1a", second[] = "_ZN2v16reduceEv";
    static char *names[] = {first, second};
    return (
        struct device_image){.bytes = bytes, .size = sizeof bytes, .names = names, .count = 2};
}

static void keep(void **state)
{
    const struct device_image image = make_image();
    if (kernel_cache_store(*state, KERNEL_CACHE_BYTES, &key, &image, &error))
        fail_msg("%s", error.text);
}

/* The path of the one file of kernels in the folder. */
static void find_path(char out[PATH_CHARS], void **state)
{
    DIR *open = opendir(*state);
    int count = 0;
    assert_non_null(open);
    for (struct dirent *entry; (entry = readdir(open)) != NULL;)
        if (strstr(entry->d_name, "-sm_90-nvrtc-13.0-")) {
            path_in(out, state, entry->d_name);
            count++;
        }
    closedir(open);
    assert_int_equal(count, 1);
}

static bool find(void **state, const struct kernel_cache_key *wanted)
{
    const struct device_image image = make_image();
    struct device_image found;
    if (!kernel_cache_find(&found, *state, wanted, &error)) {
        assert_null(found.bytes);
        assert_null(found.names);
        return false;
    }
    assert_int_equal(found.size, image.size);
    assert_memory_equal(found.bytes, image.bytes, image.size);
    assert_int_equal(found.count, 2);
    assert_string_equal(found.names[0], image.names[0]);
    assert_string_equal(found.names[1], image.names[1]);
    assert_false(found.is_ptx);
    assert_int_equal(error.code, ERROR_NONE);
    device_dispose_image(&found);
    return true;
}

static void test_round(void **state)
{
    struct device_image image = make_image(), found;
    assert_false(find(state, &key)); /* no file is no error */
    assert_int_equal(error.code, ERROR_NONE);
    keep(state);
    assert_true(find(state, &key));
    image.is_ptx = true;
    assert_int_equal(kernel_cache_store(*state, KERNEL_CACHE_BYTES, &key, &image, &error), 0);
    assert_true(kernel_cache_find(&found, *state, &key, &error));
    assert_true(found.is_ptx);
    device_dispose_image(&found);
}

static void test_keys(void **state)
{
    const struct kernel_cache_key others[] = {
        {&source, 80, "NVRTC 13.0", 2}, {&source, 90, "NVRTC 12.8", 2},
        {&source, 90, "NVRTC-13.0", 2}, {&source, 90, "NVRTC 13.0", 1},
        {&source, 90, "NVRTC 13.0", 3},
    };
    keep(state);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(find(state, &others[i]));
    assert_true(find(state, &key));
}

/* The image of a source that differs in one byte, or is longer or shorter by one, is not taken, were
 * the two of one hash; and nothing is at fault. */
static void test_other_source(void **state)
{
    const struct device_image image = make_image();
    char path[PATH_CHARS], other_path[PATH_CHARS];
    keep(state);
    find_path(path, state);
    for (size_t i = 0; i < sizeof code + 2; i++) {
        struct text other = {0};
        const struct kernel_cache_key other_key = {&other, 90, "NVRTC 13.0", 2};
        text_add(&other, code, i < sizeof code ? sizeof code : sizeof code - 1);
        if (i < sizeof code)
            other.at[i] ^= 1;
        else
            text_add(&other, "\0", 2 * (i - sizeof code));
        assert_int_equal(unlink(path), 0);
        assert_int_equal(kernel_cache_store(*state, KERNEL_CACHE_BYTES, &other_key, &image,
                                            &error),
                         0);
        find_path(other_path, state);
        assert_string_not_equal(other_path, path);
        assert_int_equal(rename(other_path, path), 0);
        assert_false(find(state, &key));
        assert_int_equal(error.code, ERROR_NONE);
        text_dispose(&other);
    }
    keep(state); /* in its place */
    assert_true(find(state, &key));
}

/* And the file of another compiler, architecture or version. */
static void test_other_key(void **state)
{
    const struct kernel_cache_key other = {&source, 80, "NVRTC 13.0", 2};
    const struct device_image image = make_image();
    char path[PATH_CHARS], command[2 * PATH_CHARS + 40];
    keep(state);
    find_path(path, state);
    assert_int_equal(kernel_cache_store(*state, KERNEL_CACHE_BYTES, &other, &image, &error), 0);
    snprintf(command, sizeof command, "mv '%s'/*-sm_80-* '%s'", (char *)*state, path);
    assert_int_equal(system(command), 0);
    assert_false(find(state, &key));
    assert_int_equal(error.code, ERROR_NONE);
}

static void test_damage(void **state)
{
    char path[PATH_CHARS];
    keep(state);
    find_path(path, state);
    struct text whole = get_file(path);
    for (size_t i = 0; i < whole.length; i++)
        for (unsigned char bit = 1; bit; bit = (unsigned char)(bit << 1)) {
            whole.at[i] = (char)(whole.at[i] ^ bit);
            put_file(path, whole.at, whole.length);
            assert_false(find(state, &key));
            assert_int_equal(error.code, ERROR_IO);
            assert_non_null(strstr(error.text, path));
            whole.at[i] = (char)(whole.at[i] ^ bit);
        }
    for (size_t i = 0; i < whole.length; i++) {
        put_file(path, whole.at, i);
        assert_false(find(state, &key));
    }
    text_add(&whole, "", 1);
    put_file(path, whole.at, whole.length);
    assert_false(find(state, &key));
    keep(state); /* as what is compiled again */
    assert_true(find(state, &key));
    text_dispose(&whole);
}

/* --- Files of another form, with a checksum that is right ---------------------------------- */

/* Writes the file that `whole` is, with its first `from` replaced, and the checksum of that. */
static void forge(const char *path, const struct text *whole, const char *from, const char *to,
                  size_t to_length)
{
    const size_t length = whole->length - 8;
    const char *at = memmem(whole->at, length, from, strlen(from));
    struct text forged = {0};
    assert_non_null(at);
    text_add(&forged, whole->at, (size_t)(at - whole->at));
    text_add(&forged, to, to_length);
    at += strlen(from);
    text_add(&forged, at, length - (size_t)(at - whole->at));
    const XXH64_hash_t hash = XXH3_64bits(forged.at, forged.length);
    text_add(&forged, (const char *)&hash, sizeof hash);
    put_file(path, forged.at, forged.length);
    text_dispose(&forged);
}

static void assert_damaged(void **state, const char *what)
{
    if (find(state, &key))
        fail_msg("'%s' is taken", what);
    assert_int_equal(error.code, ERROR_IO);
    assert_non_null(strstr(error.text, "is damaged"));
}

static void test_forged(void **state)
{
    static const struct {
        const char *from, *to;
    } changes[] =
        {
            {"ptx 0", "ptx 0"}, /* as it is: the only one that is taken */
            {"ptx 0", "ptx 2"},
            {"ptx 0", "ptx "},
            {"ptx 0", "ptx 0 "},
            {"ptx 0", "ptx -0"},
            {"ptx 0", "ptx :"},
            {"ptx 0", "ptx 00000000000"},
            {"ptx 0", "ptx 00"},
            {"bytes ", "bytes 0"},
            {"ptx 0", "PTX 0"},
            {"ptx 0\n", ""},
            {"name _Z1a", "Name _Z1a"},
            {"name _Z1a", "name "},
            {"name _Z1a\n", ""},
            {"name _Z1a\n", "name _Z1a\nname _Z1b\n"},
            {"bytes 12", "Bytes 12"},
            {"bytes 12\n", ""},
            {"bytes 12", "bytes 11"},
            {"bytes 12", "bytes 13"},
            {"bytes 12", "bytes 0"},
            {"bytes 12", "bytes "},
            {"bytes 12", "bytes 0x12"},
            {"bytes 12", "bytes 4294967308"}, /* 2^32 + 12 */
            {"bytes 12\n", "bytes 12 \n"},
        },
      of_another_key[] = {
          {"kernels 2", "kernels 3"},
          {"kernels 2", "kernels 1"},
          {"arch sm_90", "arch sm_80"},
          {"made by version ", "made by version 9"},
          {"autotune compiled", "autotune  compiled"},
          {"--std=c++17", "--std=c++20"},
          {"--std=c++17", "--std=c++17 -G"},
          {"void reduce(void)", "void reduce(int)"},
      };
    char path[PATH_CHARS];
    keep(state);
    find_path(path, state);
    struct text whole = get_file(path);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        forge(path, &whole, changes[i].from, changes[i].to, strlen(changes[i].to));
        if (i == 0)
            assert_true(find(state, &key));
        else
            assert_damaged(state, changes[i].to);
    }
    for (size_t i = 0; i < sizeof of_another_key / sizeof *of_another_key; i++) {
        forge(path, &whole, of_another_key[i].from, of_another_key[i].to,
              strlen(of_another_key[i].to));
        assert_false(find(state, &key));
        assert_int_equal(error.code, ERROR_NONE);
    }
    text_dispose(&whole);
}

/* Names of a zero byte, of more than 4096, and without an end; and nothing at all behind a line. */
static void test_forged_names(void **state)
{
    char path[PATH_CHARS], longest[5 + 4096 + 1] = "name ";
    struct text named = {0}, endless = {0};
    struct device_image found;
    keep(state);
    find_path(path, state);
    struct text whole = get_file(path);
    forge(path, &whole, "name _Z1a", "name _Z\0a", 9);
    assert_damaged(state, "a zero byte");
    memset(longest + 5, 'a', 4096);
    forge(path, &whole, "name _Z1a", longest, 5 + 4096);
    assert_true(kernel_cache_find(&found, *state, &key, &error));
    assert_int_equal(strlen(found.names[0]), 4096);
    device_dispose_image(&found);
    text_add(&named, longest, 5 + 4096);
    text_adds(&named, "a");
    forge(path, &whole, "name _Z1a", named.at, named.length);
    assert_damaged(state, "a name of 4097");
    for (const char *const *end =
             (const char *const[]){"ptx", "ptx 0\n", "name _Z1a", "name ", "bytes 12", NULL};
         *end; end++) {
        const char *at = memmem(whole.at, whole.length, *end, strlen(*end));
        assert_non_null(at);
        text_clear(&endless);
        text_add(&endless, whole.at, (size_t)(at - whole.at) + strlen(*end));
        const XXH64_hash_t hash = XXH3_64bits(endless.at, endless.length);
        text_add(&endless, (const char *)&hash, sizeof hash);
        put_file(path, endless.at, endless.length);
        assert_damaged(state, *end);
    }
    text_dispose(&named);
    text_dispose(&endless);
    text_dispose(&whole);
}

static void test_distrust(void **state)
{
    char path[PATH_CHARS], other[PATH_CHARS];
    keep(state);
    find_path(path, state);
    assert_int_equal(chmod(path, 0660), 0);
    assert_false(find(state, &key));
    assert_non_null(strstr(error.text, "written by others"));
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(rename(path, path_in(other, state, "other")), 0);
    assert_int_equal(symlink(other, path), 0);
    assert_false(find(state, &key));
    assert_non_null(strstr(error.text, "symbolic link"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(find(state, &key));
    assert_non_null(strstr(error.text, "not a regular file"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rename(other, path), 0);
    assert_true(find(state, &key));
}

static void test_no_place(void **state)
{
    const struct device_image image = make_image();
    const struct kernel_cache_key more = {&source, 90, "NVRTC 13.0", 3};
    char path[PATH_CHARS];
    put_file(path_in(path, state, "file"), "", 0);
    assert_int_equal(kernel_cache_store(path, KERNEL_CACHE_BYTES, &key, &image, &error), -1);
    assert_int_equal(error.code, ERROR_IO);
    assert_non_null(strstr(error.text, path));
    assert_int_equal(kernel_cache_store(*state, KERNEL_CACHE_BYTES, &more, &image, &error), -1);
    struct device_image large = image;
    large.size = IMAGE_BYTES_MAX / 2 + 1;
    assert_int_equal(kernel_cache_store(*state, KERNEL_CACHE_BYTES, &key, &large, &error), -1);
    assert_non_null(strstr(error.text, "is not kept"));
}

/* Neither a lock nor a file can be had; what was kept stays. */
static void test_folder_in_the_way(void **state)
{
    char lock[PATH_CHARS], path[PATH_CHARS];
    const struct device_image image = make_image();
    keep(state);
    find_path(path, state);
    path_in(lock, state, "kernels.lock");
    unlink(lock);
    assert_int_equal(mkdir(lock, 0700), 0);
    assert_int_equal(kernel_cache_store(*state, KERNEL_CACHE_BYTES, &key, &image, &error), -1);
    assert_non_null(strstr(error.text, lock));
    assert_true(find(state, &key));
    assert_int_equal(rmdir(lock), 0);
    assert_int_equal(kernel_cache_store(*state, KERNEL_CACHE_BYTES, &key, &image, &error), 0);
    assert_true(find(state, &key));
}

/* --- Room --------------------------------------------------------------------------------- */

static bool is_removing_refused;

int unlinkat(int folder, const char *name, int flags)
{
    errno = EACCES;
    return is_removing_refused ? -1 : (int)syscall(SYS_unlinkat, folder, name, flags);
}

enum { SOURCES = 12 };

/* One of SOURCES keys, all of whose files have the same size. */
static struct kernel_cache_key key_of(size_t number)
{
    static char codes[SOURCES][20];
    static struct text sources[SOURCES];
    snprintf(codes[number], sizeof codes[number], "source %02zu", number);
    sources[number] = (struct text){.at = codes[number], .length = sizeof codes[number]};
    return (struct kernel_cache_key){&sources[number], 90, "NVRTC 13.0", 2};
}

/* Its image has the number as its bytes. */
static int store_number(void **state, uint64_t most_bytes, size_t number)
{
    const struct kernel_cache_key wanted = key_of(number);
    struct device_image image = make_image();
    image.bytes = &number;
    image.size = sizeof number;
    return kernel_cache_store(*state, most_bytes, &wanted, &image, &error);
}

static bool has_number(void **state, size_t number)
{
    const struct kernel_cache_key wanted = key_of(number);
    struct device_image found;
    const bool is_found = kernel_cache_find(&found, *state, &wanted, &error);
    assert_int_equal(error.code, ERROR_NONE);
    if (is_found) {
        assert_int_equal(found.size, sizeof number);
        assert_memory_equal(found.bytes, &number, sizeof number);
    }
    device_dispose_image(&found);
    return is_found;
}

/* The bytes of the kept files; the newest one's name goes to `newest`. */
static uint64_t count_bytes(void **state, char newest[PATH_CHARS])
{
    struct timespec last = {0};
    uint64_t bytes = 0;
    DIR *open = opendir(*state);
    assert_non_null(open);
    for (struct dirent *entry; (entry = readdir(open)) != NULL;) {
        char path[PATH_CHARS];
        struct stat status;
        assert_int_equal(stat(path_in(path, state, entry->d_name), &status), 0);
        if (!strstr(entry->d_name, ".kernels") || !S_ISREG(status.st_mode))
            continue;
        bytes += (uint64_t)status.st_size;
        if (status.st_mtim.tv_sec > last.tv_sec ||
            (status.st_mtim.tv_sec == last.tv_sec && status.st_mtim.tv_nsec >= last.tv_nsec)) {
            last = status.st_mtim;
            snprintf(newest, PATH_CHARS, "%s", path);
        }
    }
    closedir(open);
    return bytes;
}

static void set_used(const char *path, time_t when)
{
    const struct timespec times[] = {{.tv_sec = when}, {.tv_sec = when}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Keeps the first `count`, used in that order a second after each other, long ago. Returns the size
 * of a file. */
static uint64_t keep_numbers(void **state, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        char path[PATH_CHARS];
        assert_int_equal(store_number(state, KERNEL_CACHE_BYTES, i), 0);
        bytes = count_bytes(state, path);
        set_used(path, 1000000 + (time_t)i);
    }
    assert_true(bytes > 0 && bytes % count == 0);
    return bytes / count;
}

static void test_oldest_go(void **state)
{
    char path[PATH_CHARS];
    const uint64_t each = keep_numbers(state, 6);
    assert_true(has_number(state, 0)); /* so that 1 is the oldest */
    assert_int_equal(store_number(state, 7 * each, 6), 0);
    assert_int_equal(count_bytes(state, path), 7 * each); /* as much as there may be */
    assert_int_equal(store_number(state, 6 * each - 1, 7), 0);
    assert_int_equal(count_bytes(state, path), 5 * each);
    static const bool stays[] = {true, false, false, false, true, true, true, true};
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++)
        assert_true(has_number(state, i) == stays[i]);
}

/* A file that is replaced takes its place once. */
static void test_same_again(void **state)
{
    char path[PATH_CHARS];
    const uint64_t each = keep_numbers(state, 3);
    assert_int_equal(store_number(state, 3 * each, 1), 0);
    assert_int_equal(count_bytes(state, path), 3 * each);
}

/* Whatever the limit and the times, what is written stays; and so does what is no file of kernels. */
static void test_what_stays(void **state)
{
    static const char former[] = "0123456789abcdef-sm_90-nvrtc-13.0-0.1.0.kernels";
    static const char *const others[] = {
        "0123456789abcdef-sm_90-nvrtc-13.0-0.1.0.kernel",
        "0123456789abcde-sm_90-nvrtc-13.0-0.1.0.kernels",
        "0123456789abcdef-xm_90-nvrtc-13.0-0.1.0.kernels",
        "0123456789abcdef0-sm_90-nvrtc-13.0-0.1.0.kernels",
        "mine.kernels",
        ".kernels",
        "kernels",
        "nvidia-h200.ini",
    };
    char path[PATH_CHARS], link[PATH_CHARS], inner[PATH_CHARS];
    keep_numbers(state, 3);
    count_bytes(state, path);
    set_used(path, 20000000000); /* the clock was wrong */
    put_file(path_in(path, state, former), "autotune compiled kernels", 25);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        put_file(path_in(path, state, others[i]), "a file", 6);
    path_in(link, state, "0123456789abcdef-sm_80-nvrtc-13.0-0.1.0.kernels");
    assert_int_equal(symlink(path, link), 0);
    path_in(inner, state, "0123456789abcdef-sm_75-nvrtc-13.0-0.1.0.kernels");
    assert_int_equal(mkdir(inner, 0700), 0);
    assert_int_equal(store_number(state, 0, 3), 0);
    for (size_t i = 0; i < 4; i++)
        assert_true(has_number(state, i) == (i == 3));
    assert_false(exists(path_in(path, state, former), ""));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_true(exists(path_in(path, state, others[i]), ""));
    assert_true(exists(link, "") && exists(inner, ""));
}

/* What cannot be removed is told; the image is kept. */
static void test_no_removing(void **state)
{
    char path[PATH_CHARS];
    keep_numbers(state, 1);
    count_bytes(state, path);
    is_removing_refused = true;
    const int failed = store_number(state, 0, 1);
    is_removing_refused = false;
    assert_int_equal(failed, -1);
    assert_int_equal(error.code, ERROR_IO);
    assert_non_null(strstr(error.text, "cannot remove"));
    assert_non_null(strstr(error.text, path));
    assert_true(has_number(state, 0) && has_number(state, 1));
}

/* A reader that has opened a file reads it to its end when it goes. */
static void test_removed_while_read(void **state)
{
    char path[PATH_CHARS], first[20], rest[1000];
    keep_numbers(state, 1);
    const uint64_t size = count_bytes(state, path);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    setvbuf(file, NULL, _IONBF, 0);
    assert_int_equal(fread(first, 1, sizeof first, file), sizeof first);
    assert_int_equal(store_number(state, 0, 1), 0);
    assert_false(exists(path, ""));
    assert_int_equal(fread(rest, 1, sizeof rest, file), size - sizeof first);
    assert_int_equal(fclose(file), 0);
}

/* Each takes what is there or stores it, as the library does, in an order of its own. */
static void use_folder(void **state, uint64_t most_bytes, size_t step)
{
    enum { TIMES = 40 };
    for (size_t i = 0; i < TIMES; i++) {
        const size_t number = i * step % SOURCES;
        if (!has_number(state, number))
            assert_int_equal(store_number(state, most_bytes, number), 0);
    }
}

/* Several processes, with room for a third: none sees a wrong or torn image, or fails. */
static void test_processes_at_once(void **state)
{
    static const size_t steps[] = {1, 5, 7, 11};
    enum { PROCESSES = sizeof steps / sizeof *steps };
    pid_t processes[PROCESSES];
    char path[PATH_CHARS];
    const uint64_t most_bytes = SOURCES / 3 * keep_numbers(state, 1);
    for (size_t i = 0; i < PROCESSES; i++) {
        processes[i] = fork();
        assert_true(processes[i] >= 0);
        if (processes[i] == 0) {
            use_folder(state, most_bytes, steps[i]);
            _exit(0);
        }
    }
    for (size_t i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(processes[i], &status, 0), processes[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_bytes(state, path), most_bytes);
    assert_false(exists(path_in(path, state, "kernels.tmp"), ""));
    size_t count = 0;
    for (size_t i = 0; i < SOURCES; i++)
        count += has_number(state, i);
    assert_int_equal(count, SOURCES / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_round),
        IN_FOLDER(test_keys),
        IN_FOLDER(test_other_source),
        IN_FOLDER(test_other_key),
        IN_FOLDER(test_damage),
        IN_FOLDER(test_distrust),
        IN_FOLDER(test_no_place),
        IN_FOLDER(test_forged),
        IN_FOLDER(test_forged_names),
        IN_FOLDER(test_folder_in_the_way),
        IN_FOLDER(test_oldest_go),
        IN_FOLDER(test_same_again),
        IN_FOLDER(test_what_stays),
        IN_FOLDER(test_no_removing),
        IN_FOLDER(test_removed_while_read),
        IN_FOLDER(test_processes_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
