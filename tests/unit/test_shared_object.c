/* Tests of autotune/device/shared_object.c: a library cut anywhere is refused, and no
 * flipped bit of its headers ends the process: what is not refused is opened in a child. */
#include "autotune/device/shared_object.h"

#include "generator/text.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/test_shared_object_XXXXXX", path[64];
static struct text whole;
static char why[SHARED_OBJECT_WHY];

static void write_bytes(const char *bytes, size_t length)
{
    unlink(path); /* what is mapped still must not change */
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(file >= 0 && write(file, bytes, length) == (ssize_t)length);
    close(file);
}

/* A library with all that a loader follows: relocations, initialisers, thread-local and
 * zeroed data, versions of another's functions. */
static int setup(void **state)
{
    static const char source[] =
        "#include <stdio.h>\n"
        "static _Thread_local int own = 3; static int zeroed[5000];\n"
        "int (*const print)(const char *) = puts; static int count;\n"
        "__attribute__((constructor)) static void begin(void) { count += own; }\n"
        "__attribute__((destructor)) static void end(void) { count--; }\n"
        "int answer(int i) { return print ? 39 + count + zeroed[i] : fflush(stdout); }\n";
    char command[200];
    struct error error;
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/libanswer.so", folder);
    snprintf(command, sizeof command, "cc -shared -fPIC -Wl,-z,relro,-z,now -o %s -x c -",
             path);
    FILE *compiler = popen(command, "w");
    if (!compiler || fputs(source, compiler) < 0 || pclose(compiler))
        return -1;
    return text_read(&whole, path, 1 << 20, &error);
}

static int teardown(void **state)
{
    (void)state;
    text_dispose(&whole);
    unlink(path);
    return rmdir(folder);
}

/* How a process ends that opens the file, calls it where it opens, and closes it. */
static int open_in_child(void)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 3; i++)
            signal((int[]){SIGSEGV, SIGBUS, SIGABRT}[i], SIG_DFL); /* not the test's */
        void *library = shared_object_open(path, RTLD_NOW | RTLD_LOCAL, why);
        void *symbol = library ? dlsym(library, "answer") : NULL;
        if (library)
            dlclose(library);
        _exit(symbol ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_whole(void **state)
{
    int (*answer)(int);
    (void)state;
    void *library = shared_object_open(path, RTLD_NOW | RTLD_LOCAL, why);
    assert_non_null(library);
    *(void **)&answer = dlsym(library, "answer");
    assert_int_equal(answer(0), 42);
    dlclose(library);
}

static void test_cut(void **state)
{
    (void)state;
    for (size_t length = 0; length < whole.length; length++) {
        write_bytes(whole.at, length);
        assert_false(shared_object_check(path, why));
        assert_non_null(strstr(why, "it is cut short"));
        assert_null(shared_object_open(path, RTLD_NOW | RTLD_LOCAL, why));
    }
}

/* Zeros where a file has its length before its bytes. */
static void test_holes(void **state)
{
    char *bytes = malloc(whole.length);
    (void)state;
    assert_non_null(bytes);
    for (size_t length = 0; length + 64 < whole.length; length += 64) {
        memset(bytes, 0, whole.length);
        memcpy(bytes, whole.at, length);
        write_bytes(bytes, whole.length);
        assert_false(shared_object_check(path, why));
    }
    free(bytes);
}

static void test_flipped_headers(void **state)
{
    const ElfW(Ehdr) *head = (const void *)whole.at;
    const size_t end = head->e_phoff + head->e_phnum * sizeof(ElfW(Phdr));
    size_t refused = 0;
    (void)state;
    for (size_t bit = 0; bit < 8 * end; bit++) {
        whole.at[bit / 8] = (char)(whole.at[bit / 8] ^ 1 << bit % 8);
        write_bytes(whole.at, whole.length);
        whole.at[bit / 8] = (char)(whole.at[bit / 8] ^ 1 << bit % 8);
        if (!shared_object_check(path, why))
            refused++;
        else if (!WIFEXITED(open_in_child()))
            fail_msg("bit %zu of byte %zu ends the process", bit % 8, bit / 8);
    }
    assert_true(refused > 8 * end / 4); /* the others mean nothing to the loader */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_holes),
        cmocka_unit_test(test_flipped_headers),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
