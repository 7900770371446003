/* Tests of kernels: what is loaded is found again by its whole source and the function's name; a comment
 * at the top is no part of it. */
#include "autotune/library/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct error error;

/* The kernels of up to two texts; NULL where they do not compile. */
static const struct kernel_set *find(struct kernels *kernels, const char *const texts[2],
                                     const char *kernel, enum autotune_kernels *how)
{
    struct emit_variant variant = {.count = 0};
    const struct kernel_set *set = NULL;
    struct error warning = {0};
    for (size_t i = 0; i < 2 && texts[i]; i++)
        text_adds(&variant.texts[variant.count++], texts[i]);
    if (kernels_find(kernels, &variant, kernel, "", &set, how, &warning, &error))
        assert_int_equal(error.code, ERROR_FAILED);
    emit_dispose(&variant);
    return set;
}

#define K "__global__ void k(int *y) { *y = 7; }\n"
#define J "__global__ void j(int *y) { *y = 7; }\n"

static void test_same_source(void **state)
{
    static const struct {
        const char *texts[2], *kernel;
        int same_as; /* the row whose kernels these are */
    } rows[] = {
        {{"// k of a.ini\n// twice\n\n" K J}, "k", 0},
        {{"// k of b.ini\n\n" K J}, "k", 0},
        {{"\n" K J}, "k", 0},
        {{"// k of a.ini\n// twice\n\n" K J}, "j", 3},
        {{"// k of a.ini\n\n" K " " J}, "k", 4},
        {{"\n" K J " "}, "k", 5},
        {{"\n\n" K J}, "k", 6},
        {{"\n" K J "// k\n"}, "k", 7},
        {{"// k of a.ini \\\n\n" K J}, "k", 8}, /* its next line is of the comment */
        {{"\n" K J, "\n" K J}, "k", 9},
        {{"// k\n\n" K J, "// again\n\n" K J}, "k", 9},
        {{"\n" K J, "\n" K}, "k", 11},
    };
    static const char *const as_one[2] = {"\n" K J "\n" K J}; /* nothing that compiles */
    enum { ROWS = sizeof rows / sizeof *rows };
    const struct kernel_set *sets[ROWS];
    struct kernels kernels = {.folder = NULL};
    const struct device_options options = {.spec = "host"};
    enum autotune_kernels how;
    (void)state;
    if (device_open(&kernels.device, &options, &error))
        fail_msg("%s", error.text);
    for (int i = 0; i < ROWS; i++) {
        sets[i] = find(&kernels, rows[i].texts, rows[i].kernel, &how);
        assert_non_null(sets[i]);
        for (int k = 0; k < i; k++)
            if ((sets[k] == sets[i]) != (rows[k].same_as == rows[i].same_as))
                fail_msg("row %d and row %d", k, i);
        assert_int_equal(how, rows[i].same_as < i ? AUTOTUNE_LOADED : AUTOTUNE_COMPILED);
    }
    assert_null(find(&kernels, as_one, "k", &how));
    kernels_dispose(&kernels, true);
    device_close(kernels.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_source)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
