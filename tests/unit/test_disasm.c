/* Tests of disasm with tools of the test's own on the PATH: ones that fail, print nothing or are
 * missing are passed over, and nothing is left in the folder for temporary files. */
#include "autotune/analysis/disasm.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/autotune-test-disasm-XXXXXX";
static char tools[sizeof folder + 8], room[sizeof folder + 8];
static const char code[] = "\177ELF of a kernel";
static struct error error;

static void make_path(char out[200], const char *in, const char *name)
{
    snprintf(out, 200, "%s/%s", in, name);
}

/* The script of a tool; NULL: it is not there. */
static void make_tool(const char *name, const char *script)
{
    char path[200];
    make_path(path, tools, name);
    unlink(path);
    if (!script)
        return;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

static size_t count_files(const char *path)
{
    size_t count = 0;
    DIR *list = opendir(path);
    assert_non_null(list);
    for (const struct dirent *entry; (entry = readdir(list));)
        count += entry->d_name[0] != '.';
    closedir(list);
    return count;
}

static int setup(void **state)
{
    char path[500];
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    make_path(path, folder, "tools");
    snprintf(tools, sizeof tools, "%s/tools", folder);
    snprintf(room, sizeof room, "%s/room", folder);
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", tools);
    return mkdir(tools, 0700) || mkdir(room, 0700) || setenv("PATH", path, 1) ||
           setenv("TMPDIR", room, 1);
}

static int teardown(void **state)
{
    (void)state;
    make_tool("nvdisasm", NULL);
    make_tool("cuobjdump", NULL);
    return rmdir(tools) || rmdir(room) || rmdir(folder);
}

/* The toolkit's own are tried behind those on the PATH. */
static bool has_toolkit(void)
{
    return access("/usr/local/cuda/bin/nvdisasm", X_OK) == 0 ||
           access("/usr/local/cuda/bin/cuobjdump", X_OK) == 0 ||
           access("/usr/bin/nvdisasm", X_OK) == 0 || access("/usr/bin/cuobjdump", X_OK) == 0;
}

static void test_tools(void **state)
{
    static const char missing[] = "neither nvdisasm nor cuobjdump is here: install",
                      unknown[] = "does not know this machine code: install";
    static const struct {
        const char *nvdisasm, *cuobjdump; /* scripts */
        const char *out;                  /* NULL: an error */
        const char *says;
        enum error_code code;
    } rows[] = {
        {"echo \"$1\"; cat \"$2\"", "echo no", "-c\n\177ELF of a kernel", NULL, ERROR_NONE},
        {"exit 127", "echo \"$1\"; cat \"$2\"", "-sass\n\177ELF of a kernel", NULL, ERROR_NONE},
        {NULL, "cat \"$2\"", code, NULL, ERROR_NONE},
        {"echo half; exit 1", "echo whole", "whole\n", NULL, ERROR_NONE},
        {"echo half; kill -9 $$", "echo whole", "whole\n", NULL, ERROR_NONE},
        {"exit 0", "echo whole", "whole\n", NULL, ERROR_NONE},
        {"echo not for you >&2", "echo whole", "whole\n", NULL, ERROR_NONE},
        {NULL, NULL, NULL, missing, ERROR_NO_DEVICE},
        {"exit 1", NULL, NULL, unknown, ERROR_FAILED},
        {NULL, "kill -9 $$", NULL, unknown, ERROR_FAILED},
        {"echo half; exit 1", "exit 0", NULL, unknown, ERROR_FAILED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text out = {0};
        if (!rows[i].out && has_toolkit())
            continue;
        error.text[0] = '\0';
        make_tool("nvdisasm", rows[i].nvdisasm);
        make_tool("cuobjdump", rows[i].cuobjdump);
        text_adds(&out, "before ");
        const int got = disasm_run(&out, code, sizeof code - 1, &error);
        if ((got == 0) != (rows[i].out != NULL))
            fail_msg("row %zu: %d, %s", i, got, error.text);
        assert_int_equal(strncmp(out.at, "before ", 7), 0);
        assert_string_equal(out.at + 7, rows[i].out ? rows[i].out : "");
        if (rows[i].says && (error.code != rows[i].code || !strstr(error.text, rows[i].says)))
            fail_msg("row %zu: '%s' does not say '%s'", i, error.text, rows[i].says);
        assert_int_equal(count_files(room), 0);
        text_dispose(&out);
    }
}

/* Where no file can be made, and where none can be written: the sentence names it. */
static void test_no_room(void **state)
{
    char nowhere[200];
    struct text out = {0};
    struct rlimit before;
    (void)state;
    make_tool("nvdisasm", "cat \"$2\"");
    make_path(nowhere, folder, "nowhere");
    assert_int_equal(setenv("TMPDIR", nowhere, 1), 0);
    assert_int_equal(disasm_run(&out, code, sizeof code - 1, &error), -1);
    assert_int_equal(error.code, ERROR_IO);
    assert_non_null(strstr(error.text, nowhere));
    assert_non_null(strstr(error.text, "name another folder in TMPDIR"));
    assert_int_equal(setenv("TMPDIR", room, 1), 0);

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit none = {0, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    const int got = disasm_run(&out, code, sizeof code - 1, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(got, -1);
    assert_int_equal(error.code, ERROR_IO);
    assert_non_null(strstr(error.text, "cannot be written: File too large"));
    assert_int_equal(count_files(room), 0);
    assert_int_equal(out.length, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tools),
        cmocka_unit_test(test_no_room),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
