/* Tests of kept images: what is read is what was written, or nothing: every byte changed, every
 * length cut, every field of the key and every byte of the source another, and files that must not be
 * trusted. */
#include "autotune/library/kernel_cache.h"
#include "tests/unit/record_files.h"

#include <dirent.h>
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
    if (kernel_cache_store(*state, &key, &image, &error))
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
    assert_int_equal(kernel_cache_store(*state, &key, &image, &error), 0);
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

/* Keeps an image of `other` in the place of this key's file, as a hash would do that is the same. */
static void keep_in_place(void **state, const struct text *other)
{
    const struct kernel_cache_key other_key = {other, key.cc, key.compiler, key.kernels};
    const struct device_image image = make_image();
    char path[PATH_CHARS], other_path[PATH_CHARS];
    keep(state);
    find_path(path, state);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(kernel_cache_store(*state, &other_key, &image, &error), 0);
    find_path(other_path, state);
    assert_int_equal(rename(other_path, path), 0);
}

/* The image of a source that differs in one byte, or is longer or shorter by one, is not taken, were
 * the two of one hash; and nothing is at fault. */
static void test_other_source(void **state)
{
    for (size_t i = 0; i < sizeof code + 2; i++) {
        struct text other = {0};
        text_add(&other, code, i < sizeof code ? sizeof code : sizeof code - 1);
        if (i < sizeof code)
            other.at[i] ^= 1;
        else
            text_add(&other, "\0", 2 * (i - sizeof code));
        keep_in_place(state, &other);
        assert_false(find(state, &key));
        assert_int_equal(error.code, ERROR_NONE);
        const struct kernel_cache_key other_key = {&other, 90, "NVRTC 13.0", 2};
        assert_false(find(state, &other_key)); /* it has a name of its own */
        keep(state);
        assert_true(find(state, &key));
        text_dispose(&other);
    }
}

/* And the file of another compiler, architecture or version. */
static void test_other_key(void **state)
{
    const struct kernel_cache_key other = {&source, 80, "NVRTC 13.0", 2};
    const struct device_image image = make_image();
    char path[PATH_CHARS], command[2 * PATH_CHARS + 40];
    keep(state);
    find_path(path, state);
    assert_int_equal(kernel_cache_store(*state, &other, &image, &error), 0);
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
    put_file(path, whole.at, whole.length - 1);
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
    assert_int_equal(kernel_cache_store(path, &key, &image, &error), -1);
    assert_int_equal(error.code, ERROR_IO);
    assert_non_null(strstr(error.text, path));
    assert_int_equal(kernel_cache_store(*state, &more, &image, &error), -1);
    struct device_image large = image;
    large.size = IMAGE_BYTES_MAX / 2 + 1;
    assert_int_equal(kernel_cache_store(*state, &key, &large, &error), -1);
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
    assert_int_equal(kernel_cache_store(*state, &key, &image, &error), -1);
    assert_non_null(strstr(error.text, lock));
    assert_true(find(state, &key));
    assert_int_equal(rmdir(lock), 0);
    assert_int_equal(kernel_cache_store(*state, &key, &image, &error), 0);
    assert_true(find(state, &key));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_round),        IN_FOLDER(test_keys),
        IN_FOLDER(test_other_source), IN_FOLDER(test_other_key),
        IN_FOLDER(test_damage),       IN_FOLDER(test_distrust),
        IN_FOLDER(test_no_place),     IN_FOLDER(test_forged),
        IN_FOLDER(test_forged_names), IN_FOLDER(test_folder_in_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
