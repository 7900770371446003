/* Tests of an operation's params: the sentences about wrong ones, their values as text and bits, what a kernel gets,
 * and that a proof finds a kernel that takes no heed of a value, mixes two up, or keeps an old one. */
#include "autotune/embedded.h"
#include "autotune/verify/check_small.h"
#include "autotune/verify/loaded.h"
#include "generator/operation_canonical.h"
#include "generator/operation_param.h"
#include "tests/unit/load_operation.h"

#include <math.h>

static struct error error;

#define HEAD "[operation]\nmeaning = a test\ncombine = a + b\n"

/* --- The language ------------------------------------------------------------------------- */

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {HEAD "params =\nmap = x\n", "p.ini:4:"},
        {HEAD "params = delta\nmap = x\n", "p.ini:4:10: a param is NAME:TYPE"},
        {HEAD "params = delta:half\nmap = x\n", "p.ini:4:16: unknown type 'half'"},
        {HEAD "params = Delta:f32\nmap = x\n", "p.ini:4:10: 'Delta' is no name"},
        {HEAD "params = exp:f32\nmap = x\n", "p.ini:4:10: 'exp' means something already"},
        {HEAD "params = d:f32 d:i32\nmap = x\n", "p.ini:4:16: a second param 'd'"},
        {HEAD "params = d:f32=\nmap = x\n", "p.ini:4:16: a number is missing"},
        {HEAD "params = d:f32=1x\nmap = x\n", "p.ini:4:17: a number ends before 'x'"},
        {HEAD "params = d:f32=1+2\nmap = x\n", "p.ini:4:17: a number ends here"},
        {HEAD "params = d:acc\nmap = x\n", "p.ini:4:10: no function mentions the param 'd'"},
        {HEAD "params = d:acc\nlet d = x\nmap = d\n", "p.ini:5:5: 'd' is a param already"},
        {HEAD "params = d:acc\nmap = x + e\n", "p.ini:5:11: unknown name 'e'"},
        {HEAD "params = delta:acc\nmap = x + delto\n", "did you mean 'delta'?"},
        {HEAD "params = a1:acc a2:acc a3:acc a4:acc a5:acc a6:acc a7:acc a8:acc a9:acc\n",
         "8 params at most"},
        {"[operation]\nmeaning = m\nparams = d:acc\nlet e = d + 1\nmap = x * e\n"
         "combine = a + b\nidentity = e\n",
         "p.ini:7:12: 'e' is made of a param, and identity has no names, no params"},
        {"[operation]\nmeaning = m\nparams = d:acc\nmap = x * d\ncombine = a + b\n"
         "identity = d\n",
         "p.ini:6:12: 'd' is a param, and identity has no names"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct operation *op = NULL;
        assert_int_equal(operation_load(&op, "p.ini", cases[i].text, strlen(cases[i].text),
                                        &error),
                         -1);
        if (!strstr(error.text, cases[i].said))
            fail_msg("case %zu: %s", i, error.text);
    }
}

/* A default that fits floats alone is no fault of floats. */
static void test_default_of_a_type(void **state)
{
    (void)state;
    const struct operation *op =
        load_operation("p.ini", HEAD "params = d:acc=0.5\nmap = x * d\n");
    struct problem problem = {.op = op, .type = F32, .acc = F32};
    assert_int_equal(problem_check(&problem, &error), 0);
    problem.type = problem.acc = I32;
    assert_int_equal(problem_check(&problem, &error), -1);
    assert_non_null(strstr(error.text, "p.ini:4:16: 0.5 is no integer"));
}

/* Names, types and usual values are the operation's; the values of calls are not. */
static void test_hash(void **state)
{
    (void)state;
    static const char *const texts[] = {HEAD "params = d:acc=1\nmap = x * d\n",
                                        HEAD "params = e:acc=1\nmap = x * e\n",
                                        HEAD "params = d:real=1\nmap = x * acc(d)\n",
                                        HEAD "params = d:acc=2\nmap = x * d\n",
                                        HEAD "params = d:acc\nmap = x * d\n"};
    enum { TEXTS = sizeof texts / sizeof *texts };
    char hashes[TEXTS][OPERATION_HASH_CHARS];
    for (size_t i = 0; i < TEXTS; i++) {
        operation_hash(hashes[i], load_operation("p.ini", texts[i])->text);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(hashes[i], hashes[k]);
    }
    assert_ptr_equal(load_operation("p.ini", texts[0]),
                     load_operation("q.ini", HEAD "params =  d:acc=1\nmap = x*d\n"));
    assert_non_null(strstr(operation_canonical(load_operation("p.ini", texts[0])->text),
                           "params = d:acc=1\n"));
}

/* --- Values ------------------------------------------------------------------------------- */

static const char all_types[] =
    HEAD "params = s:i32 u:u32 l:i64 w:u64 f:f32=0.1 d:f64=-2e300 r:real c:acc\n"
         "map = x * acc(s) * acc(u) * acc(l) * acc(w) * acc(f) * acc(d) * acc(r) * c\n";

static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bits;
        const char *refused;
    } cases[] = {
        {"s=-5", 0xfffffffb, NULL},
        {"s=2147483647", 0x7fffffff, NULL},
        {"s=2147483648", 0, "param s is '2147483648': give a whole number of type i32"},
        {"s=0.5", 0, "give a whole number of type i32"},
        {"u=4294967295", 0xffffffff, NULL},
        {"u=-1", 0, "give a whole number of type u32"},
        {"l=-9223372036854775808", UINT64_C(1) << 63, NULL},
        {"l=9223372036854775808", 0, "give a whole number of type i64"},
        {"w=18446744073709551615", UINT64_MAX, NULL},
        {"w=18446744073709551616", 0, "give a whole number of type u64"},
        {"f=0.5", 0x3f000000, NULL},
        {"f=-inf", 0xff800000, NULL},
        {"f=", 0, "param f is '': give a number of type f32"},
        {"f=1m", 0, "param f is '1m': give a number of type f32"},
        {"d=-0", UINT64_C(1) << 63, NULL},
        {"r=3", UINT64_C(0x4008000000000000), NULL}, /* i32's real is f64 */
        {"c=7", 7, NULL},
        {"b=7", 0, "has no param 'b': its params are s, u, l, w, f, d, r, c"},
        {"a", 0, "a param is NAME=NUMBER, not 'a'"},
    };
    const struct operation *op = load_operation("p.ini", all_types);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem = {.op = op, .type = I32, .acc = I32};
        const int failed = problem_give_text(&problem, cases[i].text, &error);
        if (cases[i].refused) {
            assert_int_equal(failed, -1);
            if (!strstr(error.text, cases[i].refused))
                fail_msg("%s", error.text);
            continue;
        }
        assert_int_equal(failed, 0);
        size_t param;
        const char name[] = {cases[i].text[0], '\0'};
        assert_int_equal(operation_find_param(&param, op, name, &error), 0);
        if (problem_param_bits(&problem, param) != cases[i].bits)
            fail_msg("%s: %llx", cases[i].text,
                     (unsigned long long)problem_param_bits(&problem, param));
        const uint64_t word = problem_param(&problem, param);
        problem_give_bits(&problem, param, cases[i].bits);
        assert_true(problem_param(&problem, param) == word);
        assert_int_equal(problem_give_text(&problem, cases[i].text, &error), -1);
        assert_non_null(strstr(error.text, "is given twice"));
    }
}

static void test_usual_values(void **state)
{
    (void)state;
    struct problem problem = {.op = load_operation("p.ini", all_types),
                              .type = F32,
                              .acc = F32};
    struct text shown = {0};
    assert_int_equal(problem_check_params(&problem, &error), -1);
    assert_non_null(strstr(error.text,
                           "takes a value for its param 's': give one, or write one "
                           "in its file, as s:i32=1"));
    problem_add_params(&shown, &problem);
    assert_string_equal(shown.at, " s=1 u=1 l=1 w=1 f=0.100000001 d=-2.0000000000000001e+300 "
                                  "r=1 c=1");
    text_dispose(&shown);
    assert_int_equal(problem_param_bits(&problem, 4), 0x3dcccccd);
    for (int set = 0; set < PROBLEM_PARAM_SETS; set++) {
        problem_draw_params(&problem, set);
        assert_int_equal(problem_check_params(&problem, &error), 0);
    }
}

/* --- Kernels ------------------------------------------------------------------------------ */

static const char clipped[] =
    "[operation]\nmeaning = a sum of what is cut at two values, shifted\ntypes = floats\n"
    "params = low:acc=-1 high:acc=1 shift:i32=0\n"
    "map = x < low ? low : x > high ? high : x\ncombine = a + b\nfinish = a + acc(shift)\n";

static const struct fault {
    const char *from, *to; /* NULL: none */
} faults[] = {
    {NULL, NULL},
    /* A value is baked in. */
    {"given.low_", "-1.0f"},
    {"x > given.high_ ? given.high_ : x", "x"},
    {"given.shift_", "0"},
    /* Two are mixed up. */
    {"{low_, high_, shift_}", "{high_, low_, shift_}"},
    {"float low_, float high_", "float high_, float low_"},
    /* The value of an earlier launch. */
    {"const given_params given = {low_, high_, shift_};",
     "static given_params given;\n    static int has;\n    if (!has) {\n"
     "        given.low_ = low_;\n        given.high_ = high_;\n        given.shift_ = shift_;\n"
     "        has = 1;\n    }"},
    /* A type of another width, or of another kind. */
    {"float high_, int", "double high_, int"},
    {"int shift_)", "short shift_)"},
};

/* A combine takes a param. */
static const char soft[] =
    "[operation]\nmeaning = a soft maximum, at a temperature\ntypes = floats\n"
    "params = t:acc=2\nvalue = top:acc sum:acc\nmap = make(x, 1)\n"
    "let top = greatest(a.top, b.top)\n"
    "let left = a.top == top ? a.sum : a.sum * exp((a.top - top) / t)\n"
    "let right = b.top == top ? b.sum : b.sum * exp((b.top - top) / t)\n"
    "combine = make(top, left + right)\nidentity = make(lowest(), 0)\n"
    "finish = a.sum == 0 ? lowest() : a.top + log(a.sum)\n";

static const struct fault soft_faults[] = {
    {NULL, NULL},
    {"- top_) / given.t_", "- top_) / 2.0f"},
    {"const given_params given = {t_};",
     "static given_params given;\n    static int has;\n    if (!has) {\n"
     "        given.t_ = t_;\n        has = 1;\n    }"},
};

/* What the proof says of a kernel with the fault in the place of the emitted text. */
static void prove(struct device *device, const struct space *space,
                  const struct problem *problem, const struct fault *fault,
                  struct check_outcome *out)
{
    const struct point_context context = {space, problem, &device->info.target};
    const struct emit_sources sources = load_sources();
    struct device_source units[SPACE_PASSES_MAX];
    const struct device_kernel *kernels[SPACE_PASSES_MAX] = {NULL};
    struct device_kernel loaded[SPACE_PASSES_MAX];
    struct emit_variant variant;
    struct device_module *module = NULL;
    struct device_image image;
    struct check *check = NULL;
    int64_t config[SPACE_NAMES_MAX];
    struct text changed[SPACE_PASSES_MAX] = {{0}};
    bool is_planted = !fault->from;
    make_row(space, "", config);
    if (emit_variant(&variant, &context, &sources, config, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < variant.count; i++) {
        const char *at = fault->from ? strstr(variant.texts[i].at, fault->from) : NULL;
        const char *rest = variant.texts[i].at;
        for (; at; at = strstr(rest, fault->from)) {
            text_add(&changed[i], rest, (size_t)(at - rest));
            text_adds(&changed[i], fault->to);
            rest = at + strlen(fault->from);
            is_planted = true;
        }
        text_adds(&changed[i], rest);
        units[i] = (struct device_source){changed[i].at, space->kernel};
    }
    assert_true(is_planted);
    if (device->ops->compile(device, units, variant.count, &image, &error) ||
        device->ops->load(device, &image, &module, loaded, &error) ||
        check_open(&check, device, problem, &sources, 8, 1, &error))
        fail_msg("%s", error.text);
    for (size_t p = 0; p < space->pass_count; p++)
        if (variant.text_of_pass[p] >= 0)
            kernels[p] = &loaded[variant.text_of_pass[p]];
    const struct check_configs configs = {config, config};
    assert_int_equal(check_small(check, &context, configs, kernels, 1, out, &error), 0);
    check_close(check);
    device->ops->unload(device, module);
    device_dispose_image(&image);
    for (size_t i = 0; i < variant.count; i++)
        text_dispose(&changed[i]);
    emit_dispose(&variant);
}

static void find_all(const char *file, const char *text, const struct fault *planted,
                     size_t count)
{
    const struct device_options options = {.spec = "host"};
    struct space *space = load_space("configs/reduce.ini");
    const struct problem problem = {.op = load_operation(file, text),
                                    .type = F32,
                                    .acc = F32,
                                    .dims = DIMS_VALUE(1 << 20),
                                    .regime = COLD};
    struct device *device;
    if (device_open(&device, &options, &error) ||
        space_settle_default(space, &problem, &device->info.target, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < count; i++) {
        struct check_outcome outcome;
        prove(device, space, &problem, &planted[i], &outcome);
        if (outcome.is_right != !planted[i].from)
            fail_msg("%s: %s", planted[i].to ? planted[i].to : "as it is", outcome.reason);
    }
    device_close(device);
    space_free(space);
}

static void test_planted_faults(void **state)
{
    (void)state;
    find_all("clipped.ini", clipped, faults, sizeof faults / sizeof *faults);
}

static void test_faults_in_combine(void **state)
{
    (void)state;
    find_all("soft.ini", soft, soft_faults, sizeof soft_faults / sizeof *soft_faults);
}

/* Laws are tried with the values that are given, and with others. */
static void test_laws_of_some_values(void **state)
{
    (void)state;
    const struct problem problem =
        {.op = load_operation("half.ini",
                              "[operation]\nmeaning = a sum where d is 1\n"
                              "params = d:acc=1\ncombine = a + d * b\nidentity = 0\n"),
         .type = I32,
         .acc = I32,
         .dims = DIMS_VALUE(1 << 20),
         .regime = COLD};
    const struct device_options options = {.spec = "host"};
    const struct emit_sources sources = load_sources();
    struct device *device;
    struct check *check = NULL;
    if (device_open(&device, &options, &error))
        fail_msg("%s", error.text);
    assert_int_equal(check_open(&check, device, &problem, &sources, 8, 1, &error), -1);
    assert_non_null(strstr(error.text, "half.ini, with d=3: combine is not commutative"));
    check_close(check);
    device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_default_of_a_type),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_usual_values),
        cmocka_unit_test(test_planted_faults),
        cmocka_unit_test(test_faults_in_combine),
        cmocka_unit_test(test_laws_of_some_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
