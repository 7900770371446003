/* Tests of an operation's file: generator/operation_file.c and what it is read by. Every fault is one
 * sentence with its line and column. */
#include "generator/operation_file.h"

#include "generator/operation_canonical.h"
#include "generator/operation_law.h"
#include "generator/operation_type.h"
#include "generator/operation_write.h"
#include "generator/text.h"
#include "tests/unit/load_operation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A file of these keys, which must be right. */
static struct operation_text *read_keys(const char *keys)
{
    struct operation_text *text;
    struct text source = {0};
    struct error error = {0};
    text_addf(&source, "[operation]\nmeaning = m\n%s", keys);
    if (operation_read(&text, "good.ini", source.at, source.length, &error))
        fail_msg("%s\n%s", error.text, source.at);
    text_dispose(&source);
    return text;
}

static struct operation_text *read_file(const char *path)
{
    struct operation_text *text = NULL;
    struct text source = {0};
    struct error error = {0};
    if (text_read(&source, path, OPERATION_FILE_MAX, &error) ||
        operation_read(&text, path, source.at, source.length, &error))
        fail_msg("%s", error.text);
    text_dispose(&source);
    return text;
}

/* --- Faults ------------------------------------------------------------------------------- */

/* The fault of a file, of its types with the accumulator `acc` where that is not TYPE_COUNT. */
static void assert_fault(const char *source, enum type acc, const char *want)
{
    struct operation_text *text = NULL;
    struct error error = {0};
    const int status = operation_read(&text, "bad.ini", source, strlen(source), &error);
    if (acc == TYPE_COUNT) {
        if (status == 0)
            fail_msg("accepted: %s", source);
        assert_null(text);
    } else {
        if (status)
            fail_msg("%s\n%s", error.text, source);
        if (operation_check_types(text, acc, acc, &error) == 0)
            fail_msg("accepted: %s", source);
        operation_free(text);
    }
    assert_int_equal(error.code, ERROR_USAGE);
    if (strncmp(error.text, "bad.ini:", 8) != 0 || strcmp(error.text + 8, want) != 0)
        fail_msg("%s\nwanted: %s\nin: %s", error.text, want, source);
}

/* clang-format off */
static const struct {
    const char *keys;
    enum type acc; /* TYPE_COUNT: refused when it is read */
    const char *want;
} faults[] = {
    {"map = x\ncombine = a + b\n", TYPE_COUNT,
     "1:1: no key meaning in [operation]: say in a line what the operation gives, as meaning = sum of magnitudes"},
    {"meaning = m\nmap = x\n", TYPE_COUNT,
     "1:1: no key combine in [operation]: write it, as combine = a + b"},
    {"meaning = m\ncombine = a + y\n", TYPE_COUNT,
     "3:15: unknown name 'y': combine has a and b; a line let NAME = ... names more"},
    {"meaning = m\ncombine = a - b\n", TYPE_COUNT,
     "3:11: this combine is no law, as a + b is, and kernels need one so far; without one it also needs identity = ..., the value that changes no other"},
    {"meaning = m\nmap = abs(x)\ncombine = a + b\n", TYPE_COUNT,
     "3:7: unknown function 'abs': did you mean 'magnitude'? docs/operations.md lists them"},
    {"meaning = m\nmap = fabs(x)\ncombine = max(a, b)\n", TYPE_COUNT,
     "3:7: unknown function 'fabs': did you mean 'magnitude'? docs/operations.md lists them"},
    {"meaning = m\nmap = x\ncombine = max(a, b)\n", TYPE_COUNT,
     "4:11: unknown function 'max': did you mean 'greatest'? docs/operations.md lists them"},
    {"meaning = m\nmap = pow(x, 2)\ncombine = a + b\n", TYPE_COUNT,
     "3:7: unknown function 'pow': did you mean 'power'? docs/operations.md lists them"},
    {"meaning = m\nmap = power(x, 2)\ncombine = a + b\n", I32,
     "3:7: power takes f32 or f64, and x is i32: write real(x), or types = floats"},
    {"meaning = m\nmap = x ** 2\ncombine = a + b\n", TYPE_COUNT,
     "3:9: '**' is no operator: a power is power(a, b), a square x * x"},
    {"meaning = m\nmap = x ^ 2\ncombine = a + b\n", F32,
     "3:9: '^' takes integers, and x is f32: convert it, as u32(x), or write types = integers; a power is power(a, b)"},
    {"meaning = m\nmap = x * i\ncombine = a + b\n", F32,
     "3:9: '*' takes arguments of one type, and x is f32, i is u64: write acc(i)"},
    {"meaning = m\nmap = x > 0\ncombine = a + b\n", F32,
     "3:7: map must give f32, and x > 0 is bool: write acc(x > 0), or declare another value"},
    {"meaning = m\nmap = x > 0 ? 1 : 0.0\ncombine = a + b\n", I32,
     "3:19: 0.0 is no integer, and i32 is needed here: write an integer, or convert what it stands beside, as f64(...)"},
    {"meaning = m\nmap = 0.5 * x\ncombine = a + b\n", I32,
     "3:7: 0.5 is no integer, and i32 is needed here: write an integer, or convert what it stands beside, as f64(...)"},
    {"meaning = m\nmap = sqrt(x)\ncombine = a + b\n", I32,
     "3:7: sqrt takes f32 or f64, and x is i32: write real(x), or types = floats"},
    {"meaning = m\nmap = x; \ncombine = a + b\n", TYPE_COUNT,
     "3:8: an operator is missing before ';': an expression ends without ';'"},
    {"meaning = m\nmap = x = 1\ncombine = a + b\n", TYPE_COUNT,
     "3:9: an operator is missing before '=': nothing is assigned here: compare by '==', or name a value by a line let NAME = ..."},
    {"meaning = m\nmap = x\ncombine = a += b\n", TYPE_COUNT,
     "4:14: a value is missing before '=': nothing is assigned here: compare by '==', or name a value by a line let NAME = ..."},
    {"meaning = m\nmap = 300000000000 + x\ncombine = a + b\n", F32,
     "3:7: 300000000000 is no f32 exactly: write a float, which is rounded, as 3e9"},
    {"meaning = m\nmap = 1e400 + x\ncombine = a + b\n", F32,
     "3:7: 1e400 does not fit f32, which is needed here: write a number that does, or convert what it stands beside to a wider type"},
    {"meaning = m\nmap = 99999999999999999999 + x\ncombine = a + b\n", TYPE_COUNT,
     "3:7: 99999999999999999999 is too large for 64 bits: write a float, as 1e20"},
    {"meaning = m\nmap = 1.0f * x\ncombine = a + b\n", TYPE_COUNT,
     "3:10: a number ends before 'f': write 12, 0x1f, 0.5 or 1e-3, whose type follows from where it stands"},
    {"meaning = m\nmap = 0x * x\ncombine = a + b\n", TYPE_COUNT,
     "3:8: a number ends before 'x': write 12, 0x1f, 0.5 or 1e-3, whose type follows from where it stands"},
    {"meaning = m\nmap = 010 * x\ncombine = a + b\n", TYPE_COUNT,
     "3:7: an integer that begins with 0 would be octal in C: write 10"},
    {"meaning = m\nvalue = acc\nmap = make(x, i)\ncombine = a + b\n", TYPE_COUNT,
     "4:7: make gives a value of several fields, and this one has none: declare them, as value = best:acc at:u64"},
    {"meaning = m\nvalue = s:acc n:u64\nmap = make(x)\ncombine = make(a.s + b.s, a.n + b.n)\nidentity = make(0, 0)\nfinish = a.s\n", TYPE_COUNT,
     "4:7: make takes 2 arguments, and here is 1: add what is missing"},
    {"meaning = m\nvalue = s:acc n:u64\nmap = make(x, 1)\ncombine = a + b\nidentity = make(0, 0)\nfinish = a.s\n", F32,
     "5:13: '+' takes numbers, and a has several fields: name one, as a.s"},
    {"meaning = m\nvalue = s:acc n:u64\nmap = make(x, 1)\ncombine = make(a.s + b.s, a.m + b.n)\nidentity = make(0, 0)\nfinish = a.s\n", TYPE_COUNT,
     "5:29: the value has no field 'm': did you mean 's'?"},
    {"meaning = m\nvalue = s:acc n:u64\nmap = make(x, 1)\ncombine = make(a.s + b.s, a.n + b.n)\nidentity = make(0, 0)\n", F32,
     "3:9: finish must give one number, and a has several fields: write finish = a.s, or what it makes of them"},
    {"meaning = m\nvalue = s:acc n:u64\nmap = make(x, 1)\ncombine = make(a.s + b.s, a.n + b.n)\nidentity = 0\nfinish = a.s\n", F32,
     "6:12: a number, where a value of several fields is needed: write make(...)"},
    {"meaning = m\nvalue = s:acc n:u64\nmap = make(x, 1)\ncombine = make(a.s + b.s, a.n + b.n)\nfinish = a.s\n", TYPE_COUNT,
     "5:11: this combine is no law, as a + b is, and kernels need one so far; without one it also needs identity = ..., the value that changes no other"},
    {"meaning = m\nvalue = s:acc n:u64\nmap = make(x, 1)\ncombine = make(a.s + b.s, a.n + b.n)\nidentity = make(0, 0)\nfinish = a.s / a.n\n", F32,
     "7:14: '/' takes arguments of one type, and a.s is f32, a.n is u64: write acc(a.n)"},
    {"meaning = m\nvalue = s:acc n:float\nmap = make(x, 1)\ncombine = a + b\n", TYPE_COUNT,
     "3:17: unknown type 'float': write acc, real, i32, u32, i64, u64, f32 or f64"},
    {"meaning = m\nvalue = s n\nmap = make(x, 1)\ncombine = a + b\n", TYPE_COUNT,
     "3:9: a field is NAME:TYPE: write as value = best:acc at:u64, or one type alone"},
    {"meaning = m\nvalue = bool\nmap = x > 0\ncombine = a || b\n", TYPE_COUNT,
     "3:9: a bool cannot be kept: write u32, for 1 or 0"},
    {"meaning = m\nlet d = a - b\nmap = d\ncombine = a + b\n", TYPE_COUNT,
     "4:7: 'd' is made of a, and map has x and i: use it elsewhere"},
    {"meaning = m\nlet d = a - b\nmap = x\ncombine = a + b\n", TYPE_COUNT,
     "3:9: no function mentions 'd': remove it, or use it"},
    {"meaning = m\nlet d = e + 1\nlet e = a - b\nmap = x\ncombine = d\n", TYPE_COUNT,
     "3:9: the line let e = ... comes later: move it above this one"},
    {"meaning = m\nlet x = 1\nmap = x\ncombine = a + b\n", TYPE_COUNT,
     "3:5: 'x' means something already: choose another name"},
    {"meaning = m\nlet D = 1\nmap = x\ncombine = a + b\n", TYPE_COUNT,
     "3:5: 'D' is no name: write a-z first, then a-z, 0-9 and '_', 31 at most"},
    {"meaning = m\nmap = x\ncombine = a + b\nfinish = sqrt(a) / n\n", F32,
     "5:18: '/' takes arguments of one type, and sqrt(a) is f32, n is u64: write acc(n)"},
    {"meaning = m\nmap = x\ncombine = a + b\nresult = f64\n", F32,
     "4:1: finish gives f32, and the result is f64: write f64(a), or result = f32"},
    {"meaning = m\nmap = x\ncombine = a + b\nfinish = a / n\n", F32,
     "5:12: '/' takes arguments of one type, and a is f32, n is u64: write acc(n)"},
    {"meaning = m\nmap = x\ncombine = a + b\nfinal = a\n", TYPE_COUNT,
     "5:1: unknown key 'final': keys are meaning, name, types, value, inputs, params, map, combine, identity, finish, result, let NAME, keeps_order, scale and tolerance"},
    {"meaning = m\nmap = x\ncombne = a + b\n", TYPE_COUNT,
     "4:1: unknown key 'combne': did you mean 'combine'?"},
    {"meaning = m\nparams = d:f32\nmap = x\ncombine = a + b\n", TYPE_COUNT,
     "3:10: no function mentions the param 'd': remove it, or use it"},
    {"meaning = m\nmap = x\ncombine = a + b\nkeeps_order = true\n", TYPE_COUNT,
     "5:15: keeps_order is yes or no: write one of them"},
    {"meaning = m\nmap = x\ncombine = a + b\ntolerance = lots\n", TYPE_COUNT,
     "5:13: tolerance is a factor above 0: write one, as 4 or 0.5"},
    {"meaning = m\ntypes = float\nmap = x\ncombine = a + b\n", TYPE_COUNT,
     "3:9: types is one of all, integers and floats: write one of them"},
    {"meaning = m\nmap = (x\ncombine = a + b\n", TYPE_COUNT,
     "3:9: ')' or an operator is missing at the end: add it"},
    {"meaning = m\nmap = x)\ncombine = a + b\n", TYPE_COUNT,
     "3:8: an operator is missing before ')': add it, or remove what follows"},
    {"meaning = m\nmap = x x\ncombine = a + b\n", TYPE_COUNT,
     "3:9: an operator is missing before 'x': add it, or remove what follows"},
    {"meaning = m\nmap = \ncombine = a + b\n", TYPE_COUNT,
     "3:7: a value is missing at the end: add it"},
    {"meaning = m\nmap = x ? 1 : 0\ncombine = a + b\n", F32,
     "3:9: '?' takes what is true or false before it, and x is f32: write x != 0"},
    {"meaning = m\nmap = x & 1 == 0 ? x : 0\ncombine = a + b\n", F32,
     "3:9: '&' takes integers, and 1 == 0 is true or false: comparisons bind more strongly, so write parentheses around '&', or && and ||"},
    {"meaning = m\nmap = x < 0 < 1 ? x : 0\ncombine = a + b\n", F32,
     "3:15: a number, where what is true or false is needed: compare it, as x != 0"},
    {"meaning = m\nmap = !x\ncombine = a + b\n", F32,
     "3:7: '!' takes what is true or false, and x is f32: write x != 0"},
    {"meaning = m\nmap = x > 0 && x ? x : 0\ncombine = a + b\n", F32,
     "3:13: '&&' takes what is true or false, and x is f32: write x != 0"},
    {"meaning = m\nmap = x\ncombine = a < b ? a : b\n", TYPE_COUNT,
     "4:11: this combine is no law, as a + b is, and kernels need one so far; without one it also needs identity = ..., the value that changes no other"},
    {"meaning = m\nmap = x\n+ = + $\ncombine = a + b\n", TYPE_COUNT,
     "4:7: a value is missing before '$': add it, or remove what follows"},
    {"meaning = m\nmap = a\ncombine = a + b\n", TYPE_COUNT,
     "3:7: 'a' is not known here: map has x and i"},
    {"meaning = m\nmap = x\ncombine = x + b\n", TYPE_COUNT,
     "4:11: 'x' is not known here: combine has a and b"},
    {"meaning = m\nmap = x.best\ncombine = a + b\n", TYPE_COUNT,
     "3:9: the value has no field 'best': declare it, as value = mean:acc n:u64"},
    {"meaning = m\nmap = float(x)\ncombine = a + b\n", TYPE_COUNT,
     "3:7: unknown function 'float': did you mean 'f32'? docs/operations.md lists them"},
    {"meaning = m\nmap = (float)x\ncombine = a + b\n", TYPE_COUNT,
     "3:8: unknown name 'float': did you mean 'f32'? map has x and i; a line let NAME = ... names more"},
    {"meaning = m\nmap = least(x)\ncombine = a + b\n", TYPE_COUNT,
     "3:7: least takes 2 arguments, and here is 1: add what is missing"},
    {"meaning = m\nmap = least(x, 1, 2)\ncombine = a + b\n", TYPE_COUNT,
     "3:19: least takes 2 arguments: remove what is too much"},
    {"meaning = m\nmap = sqrt\ncombine = a + b\n", TYPE_COUNT,
     "3:7: 'sqrt' takes what stands behind it in parentheses: write sqrt(...)"},
    {"meaning = m\nmap = é\ncombine = a + b\n", TYPE_COUNT,
     "3:7: a value is missing before 'é': add it, or remove what follows"},
    {"meaning = m\nmap = x\ncombine = a + b\nidentity = a\n", TYPE_COUNT,
     "5:12: 'a' is not known here: identity has no names"},
    {"meaning = m\nvalue = s:f64 t:f64 u:f64 v:f64 w:f64\nmap = make(x,0,0,0,0)\ncombine = a\nidentity = a\nfinish = a.s\n", TYPE_COUNT,
     "6:12: 'a' is not known here: identity has no names"},
    {"meaning = m\nmap = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((x))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))\ncombine = a + b\n", TYPE_COUNT,
     "3:47: nested too deeply: name a part of it by a line let NAME = ..."},
    {"meaning = m\nmap = -u32(x)\ncombine = a + b\n", F32,
     "3:7: map must give f32, and -u32(x) is u32: write acc(-u32(x)), or declare another value"},
    {"meaning = m\nvalue = u64\nmap = u64(x)\ncombine = a + b\nidentity = -1\n", F32,
     "6:12: -1 does not fit u64, which is needed here: write a number that does, or convert what it stands beside to a wider type"},
    {"meaning = m\nmap = x\ncombine = a + b\nname = Foo\n", TYPE_COUNT,
     "5:8: 'Foo' is no name: write a-z first, then a-z, 0-9 and '_', 31 at most"},
    {"meaning =\ncombine = a + b\n", TYPE_COUNT,
     "2:10: meaning is empty: say in a line what the operation gives"},
    {"meaning = m\nvalue = s:acc s:acc\ncombine = a + b\n", TYPE_COUNT,
     "3:15: a second field of this name: rename one of them"},
    {"meaning = m\nvalue = s:acc\ncombine = a + b\n", TYPE_COUNT,
     "3:9: one field alone: write its type, without a name"},
    {"meaning = m\nvalue = S:acc n:u64\ncombine = a + b\n", TYPE_COUNT,
     "3:9: 'S' is no field's name: write a-z first, then a-z, 0-9 and '_', 31 at most"},
    {"meaning = m\nvalue = a:u32 b:u32 c:u32 d:u32 e:u32 f:u32 g:u32 h:u32 i:u32\ncombine = a + b\n", TYPE_COUNT,
     "3:57: a value has 8 fields at most: remove some"},
    {"meaning = m\nresult = bool\ncombine = a + b\n", TYPE_COUNT,
     "3:10: a bool cannot be kept: write u32, for 1 or 0"},
    {"meaning = m\nscale = \ncombine = a + b\n", TYPE_COUNT,
     "3:9: scale is what errors are relative to, in 40 bytes at most and without ';': as sum|x|"},
    {"meaning = m\ncombine = a + b\nfinish = a > 0\n", F32,
     "4:10: finish gives true or false: write u32(a > 0) for 1 or 0"},
    {"meaning = m\nlet int = a\nlet int  = b\ncombine = int + b\n", TYPE_COUNT,
     "4: key 'let int' appears again, after line 3; remove one"},
    {"meaning = m\nmap = \"x\"\ncombine = a + b\n", TYPE_COUNT,
     "3:7: a value is missing before '\"': there are no strings"},
    {"meaning = m\nmap = x[i]\ncombine = a + b\n", TYPE_COUNT,
     "3:8: an operator is missing before '[': there are no arrays: a function has one element or two values"},
    {"meaning = m\nmap = x->y\ncombine = a + b\n", TYPE_COUNT,
     "3:8: '->' is no operator: a field is a.NAME"},
    {"meaning = m\nmap = {x, i}\ncombine = a + b\n", TYPE_COUNT,
     "3:7: a value is missing before '{': a value of several fields is make(...)"},
    {"meaning = m\nmap = x // the element\ncombine = a + b\n", TYPE_COUNT,
     "3:9: '//' is no operator: a comment stands on a line of its own, with '#' in its first column"},
    {"meaning = m\nmap = x < 0 ? -x\ncombine = a + b\n", TYPE_COUNT,
     "3:17: ':' of a '?', or an operator, is missing at the end: add it"},
    {"meaning = m\nmap = least(x, 1\ncombine = a + b\n", TYPE_COUNT,
     "3:17: ')' or an operator is missing at the end: add it"},
    {"meaning = m\nmap = x.\ncombine = a + b\n", TYPE_COUNT,
     "3:9: a field's name is missing at the end: add it"},
    {"meaning = m\nvalue = s:acc n:u64\nmap = f64(make(x, 1))\ncombine = a + b\n", F32,
     "4:7: f64 takes a number, and make(x, 1) has several fields: name one, as make(x, 1).s"},
    {"meaning = m\nmap = x ? x : i\ncombine = a + b\n", F32,
     "3:9: '?' takes what is true or false before it, and x is f32: write x != 0"},
    {"meaning = m\nmap = x > 0 ? x : i\ncombine = a + b\n", F32,
     "3:13: both sides of ':' must have one type, and x is f32, i is u64: write acc(i)"},
    {"meaning = m\nmap = 1e-400 + x\ncombine = a + b\n", F32,
     "3:7: 1e-400 does not fit f32, which is needed here: write a number that does, or convert what it stands beside to a wider type"},
    {"meaning = m\nmap = 16777217 + x\ncombine = a + b\n", F32,
     "3:7: 16777217 is no f32 exactly: write a float, which is rounded, as 3e9"},
    {"meaning = m\nmap = x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x\n+ = + x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x\ncombine = a + b\n", TYPE_COUNT,
     "4:88: nested too deeply: name a part of it by a line let NAME = ..."},
    {"meaning = m\nmap = 1.00000000000000000000000000000001 * x\ncombine = a + b\n", TYPE_COUNT,
     "3:7: a number of more than 31 characters: write fewer"},
    {"meaning = m\nmap = x\n\n# more of it:\n+ = + 2 * \n+ = (x + y)\ncombine = a + b\n", TYPE_COUNT,
     "7:10: unknown name 'y': map has x and i; a line let NAME = ... names more"},
    {"meaning = m\nlet d = a\nlet  d = b\ncombine = d\n", TYPE_COUNT,
     "4:6: a second let 'd': rename one of them"},
    {"meaning = m\ntypes = integers\ncombine = a & b\n", F32,
     "3:9: bad is for integers, not for f32: choose another type"},
    {"meaning = m\ntypes = floats\ncombine = a + b\n", I32,
     "3:9: bad is for floats, not for i32: choose another type"},
    {"meaning = m\nvalue = s:f64 t:f64 u:acc v:acc w:u32\nmap = make(0, 0, x, x, 0)\n"
     "combine = f64(a.s) == 0 ? a : b\nidentity = make(0, 0, 0, 0, 0)\nfinish = a.s\n", F64,
     "3:9: a value takes 40 bytes where acc is f64, and has room for 32: give it fewer or smaller fields"},
    {"meaning = m\ncombine = a + b\n[other]\nmap = x\n", TYPE_COUNT,
     "4:1: unknown section [other]: a file has one, [operation]"},
};

/* What somebody writes who knows C, NumPy or CUDA, and not the page: each a whole file. */
static const struct {
    const char *what, *source;
    enum type acc;
    const char *want;
} newcomers[] = {
    {"a C expression with pow and a literal's suffix",
     "[operation]\nmeaning = sum of cubes\nmap = pow(x, 3.0f)\ncombine = a + b\n", TYPE_COUNT,
     "3:7: unknown function 'pow': did you mean 'power'? docs/operations.md lists them"},
    {"Python's names",
     "[operation]\nmeaning = range\nmap = x\ncombine = max(a, b) - min(a, b)\n", TYPE_COUNT,
     "4:11: unknown function 'max': did you mean 'greatest'? docs/operations.md lists them"},
    {"a mean of means",
     "[operation]\nmeaning = mean\nmap = x\ncombine = (a + b) / 2\nfinish = a\n", TYPE_COUNT,
     "4:11: this combine is no law, as a + b is, and kernels need one so far; without one it also needs identity = ..., the value that changes no other"},
    {"a mean that forgets types",
     "[operation]\nmeaning = mean\ncombine = a + b\nfinish = a / n\n", F32,
     "4:12: '/' takes arguments of one type, and a is f32, n is u64: write acc(n)"},
    {"a C compound assignment",
     "[operation]\nmeaning = sum\nmap = x\ncombine = a += b;\n", TYPE_COUNT,
     "4:14: a value is missing before '=': nothing is assigned here: compare by '==', or name a value by a line let NAME = ..."},
    {"a struct without make",
     "[operation]\nmeaning = mean\nvalue = sum:acc count:u64\nmap = x\n"
     "combine = make(a.sum + b.sum, a.count + b.count)\nidentity = make(0, 0)\nfinish = a.sum / acc(a.count)\n",
     F32, "4:7: map must give a value of several fields, and x is f32: write make(...)"},
    {"a predicate as a count",
     "[operation]\nmeaning = how many are positive\nmap = x > 0\ncombine = a + b\n", F32,
     "3:7: map must give f32, and x > 0 is bool: write acc(x > 0), or declare another value"},
    {"C types",
     "[operation]\nmeaning = sum\nvalue = double\nmap = (double)x\ncombine = a + b\n", TYPE_COUNT,
     "3:9: unknown type 'double': write acc, real, i32, u32, i64, u64, f32 or f64"},
    {"a lambda of two",
     "[operation]\nmeaning = dot\nmap = x * y\ncombine = a + b\n", TYPE_COUNT,
     "3:11: unknown name 'y': map has x and i; a line let NAME = ... names more"},
    {"no meaning, and INI of another kind",
     "[reduction]\nop = a + b\n", TYPE_COUNT,
     "1:1: unknown section [reduction]: a file has one, [operation]"},
};
/* clang-format on */

static void test_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        struct text source = {0};
        text_addf(&source, "[operation]\n%s", faults[i].keys);
        assert_fault(source.at, faults[i].acc, faults[i].want);
        text_dispose(&source);
    }
}

static void test_newcomers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(newcomers); i++)
        assert_fault(newcomers[i].source, newcomers[i].acc, newcomers[i].want);
}

static void test_limits(void **state)
{
    struct text source = {0};
    (void)state;
    assert_fault("", TYPE_COUNT,
                 "1:1: no key combine in [operation]: write it, as combine = a + b");
    text_adds(&source, "[operation]\nmeaning = m\ncombine = a + b\n");
    for (int k = 0; k < OPERATION_LETS_MAX + 1; k++)
        text_addf(&source, "let d%d = x\n", k);
    assert_fault(source.at, TYPE_COUNT, "36:5: more than 32 lines let NAME = ...: join some");
    text_clear(&source);
    text_adds(&source, "[operation]\nmeaning = m\ncombine = a + b\nmap = x\n");
    for (int k = 0; k < 64; k++)
        text_adds(&source, "+ = + x\n");
    assert_fault(
        source.at, TYPE_COUNT,
        "68:1: a value of more than 64 lines: name parts of it by lines let NAME = ...");
    text_clear(&source);
    text_adds(&source, "[operation]\nmeaning = m\ncombine = a + b\n");
    while (source.length <= OPERATION_FILE_MAX)
        text_adds(&source, "# nothing\n");
    assert_fault(source.at, TYPE_COUNT,
                 "1:1: more than 32768 bytes: an operation is a few lines");
    text_dispose(&source);
}

static void test_name(void **state)
{
    static const char source[] = "[operation]\nmeaning = m\ncombine = a + b\n";
    static const struct {
        const char *file, *name;
    } cases[] = {{"mine.ini", "mine"},
                 {"a/b.c/own_2.ini", "own_2"},
                 {"plain", "plain"},
                 {"/x/y", "y"}};
    struct operation_text *text;
    struct error error;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(operation_read(&text, cases[i].file, source, sizeof source - 1,
                                        &error),
                         0);
        assert_string_equal(operation_text_name(text), cases[i].name);
        operation_free(text);
    }
    assert_int_equal(operation_read(&text, "My-Op.ini", source, sizeof source - 1, &error), -1);
    assert_string_equal(error.text,
                        "My-Op.ini:1:1: 'My-Op' cannot name an operation: write name "
                        "= ..., of a-z first, then a-z, 0-9 and '_', 31 at most");
    text = read_keys("combine = a + b\nname = other\nscale = sum|x|\ntolerance = 2.5\n"
                     "keeps_order = yes\n");
    assert_string_equal(operation_text_name(text), "other");
    assert_string_equal(operation_meaning(text), "m");
    assert_string_equal(operation_scale(text), "sum|x|");
    assert_true(operation_tolerance(text) == 2.5);
    assert_true(operation_keeps_order(text));
    operation_free(text);
}

/* --- Laws --------------------------------------------------------------------------------- */

static void test_shipped(void **state)
{
    static const struct {
        const char *name;
        enum combine_law combine;
        enum map_law of_i32, of_f32; /* MAP_LAWS: not for this type */
        enum type result;            /* of i32 or, for floats alone, of f32 */
        bool has_finish;
    } cases[] = {
        {"sum", COMBINE_ADD, MAP_SAME, MAP_SAME, I32, false},
        {"sumsq", COMBINE_ADD, MAP_SQUARE, MAP_SQUARE, I32, false},
        {"prod", COMBINE_MULTIPLY, MAP_SAME, MAP_SAME, I32, false},
        {"min", COMBINE_LEAST, MAP_SAME, MAP_SAME, I32, false},
        {"max", COMBINE_GREATEST, MAP_SAME, MAP_SAME, I32, false},
        {"and", COMBINE_AND, MAP_SAME, MAP_LAWS, I32, false},
        {"or", COMBINE_OR, MAP_SAME, MAP_LAWS, I32, false},
        {"xor", COMBINE_XOR, MAP_SAME, MAP_LAWS, I32, false},
        {"argmin", COMBINE_FIRST_LEAST, MAP_SAME, MAP_SAME, U64, false},
        {"argmax", COMBINE_FIRST_GREATEST, MAP_SAME, MAP_SAME, U64, false},
        {"absmax", COMBINE_GREATEST, MAP_MAPPED, MAP_MAPPED, I32, false},
        {"absmin", COMBINE_LEAST, MAP_MAPPED, MAP_MAPPED, I32, false},
        {"asum", COMBINE_ADD, MAP_MAPPED, MAP_MAPPED, I32, false},
        {"nrm2", COMBINE_ADD, MAP_MAPPED, MAP_SQUARE, F64, true},
        {"count_nonzero", COMBINE_ADD, MAP_MAPPED, MAP_MAPPED, U64, false},
        {"any", COMBINE_OR, MAP_MAPPED, MAP_MAPPED, U32, false},
        {"all", COMBINE_AND, MAP_MAPPED, MAP_MAPPED, U32, true},
        {"mean", COMBINE_ADD, MAP_MAPPED, MAP_SAME, F64, true},
        {"var", COMBINE_OTHER, MAP_MAPPED, MAP_MAPPED, F64, true},
        {"std", COMBINE_OTHER, MAP_MAPPED, MAP_MAPPED, F64, true},
        {"logsumexp", COMBINE_OTHER, MAP_LAWS, MAP_MAPPED, F32, true},
        {"dot", COMBINE_ADD, MAP_MAPPED, MAP_MAPPED, I32, false},
        {"sqdist", COMBINE_ADD, MAP_MAPPED, MAP_MAPPED, I32, false},
        {"mse", COMBINE_ADD, MAP_MAPPED, MAP_MAPPED, F64, true},
        {"cosine", COMBINE_OTHER, MAP_LAWS, MAP_MAPPED, F32, true},
    };
    struct error error;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char path[100];
        snprintf(path, sizeof path, "configs/operations/%s.ini", cases[i].name);
        struct operation_text *text = read_file(path);
        assert_string_equal(operation_text_name(text), cases[i].name);
        assert_int_equal(operation_combine_law(text), cases[i].combine);
        const bool has_i32 = operation_check_types(text, I32, I32, &error) == 0;
        const enum type acc = has_i32 ? I32 : F32;
        assert_int_equal(has_i32, cases[i].of_i32 != MAP_LAWS);
        if (has_i32)
            assert_int_equal(operation_map_law(text, I32), cases[i].of_i32);
        assert_int_equal(operation_result_type(text, acc), cases[i].result);
        assert_int_equal(operation_has_finish(text, acc), cases[i].has_finish);
        const bool has_f32 = operation_check_types(text, F32, F32, &error) == 0;
        assert_int_equal(has_f32, cases[i].of_f32 != MAP_LAWS);
        if (has_f32)
            assert_int_equal(operation_map_law(text, F32), cases[i].of_f32);
        operation_free(text);
    }
}

/* The operations that come with the program are listed by law, what combines elements as they are first,
 * and one of each is in a process, whatever it is called. */
static void test_list(void **state)
{
    static const char *const first[] = {"sum", "sumsq", "prod", "min",    "max",
                                        "and", "or",    "xor",  "argmin", "argmax"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(first); i++)
        assert_string_equal(operation_at(i)->name, first[i]);
    assert_ptr_equal(operation_usual(), operation_at(0));
    assert_null(operation_at(operation_count()));
    assert_null(operation_plain(COMBINE_OTHER));
    for (int law = 0; law < COMBINE_OTHER; law++) {
        const struct operation *plain = operation_plain((enum combine_law)law);
        assert_int_equal(plain->combine, law);
        assert_int_equal(operation_map_law(plain->text, I32), MAP_SAME);
        assert_false(operation_has_finish(plain->text, I32));
    }
}

#define HALVES "[operation]\nmeaning = m\nmap = x / 2\ncombine = a + b\n"

static void test_one_of_each(void **state)
{
    const struct operation *op = load_operation("halves.ini", HALVES), *same, *known;
    struct error error;
    (void)state;
    assert_true(op->is_own);
    assert_string_equal(op->name, "halves");
    assert_string_equal(operation_option(op), "halves.ini");
    assert_ptr_equal(load_operation("other.ini", HALVES), op);
    assert_ptr_equal(load_operation("mine.ini",
                                    "[operation]\nmeaning = m\nmap = (x)\ncombine = (a) + b\n"),
                     operation_plain(COMBINE_ADD));
    assert_int_equal(operation_find_key(&known, op->key, &error), 0);
    assert_ptr_equal(known, op);
    char renamed[80];
    snprintf(renamed, sizeof renamed, "other%s", strchr(op->key, '@'));
    assert_int_equal(operation_find_key(&known, renamed, &error), 0);
    assert_ptr_equal(known, op);
    assert_int_equal(operation_find_key(&known, "sum", &error), 0);
    assert_ptr_equal(known, operation_usual());

    /* A name is one operation's, if it comes with the program. */
    assert_int_equal(operation_load(&same, "max.ini", HALVES "tolerance = 2\n",
                                    sizeof HALVES "tolerance = 2\n" - 1, &error),
                     -1);
    assert_non_null(strstr(error.text, "max.ini: 'max' is the name of another operation"));
}

/* What finish gives is the last value alone, or made of it; the count of elements is another thing. */
static void test_finish(void **state)
{
    static const struct {
        const char *finish;
        bool is_made;
    } cases[] = {{"a", false}, {"(a)", false}, {"u64(a)", false}, {"n", true}, {"a + n", true}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char keys[100];
        snprintf(keys, sizeof keys, "value = u64\nmap = u64(x)\ncombine = a + b\nfinish = %s\n",
                 cases[i].finish);
        struct operation_text *text = read_keys(keys);
        assert_int_equal(operation_has_finish(text, F32), cases[i].is_made);
        operation_free(text);
    }
}

/* What a record names is known by its hash, and gets its text when that is read. */
static void test_key_first(void **state)
{
    static const char text[] = "[operation]\nmeaning = m\nmap = x / 3\ncombine = a + b\n";
    const char *const wrong[] = {"third@",
                                 "third@0123456789abcdef0123456789abcde",
                                 "third@0123456789abcdef0123456789abcdefg",
                                 "Third@0123456789abcdef0123456789abcdef",
                                 "@0123456789abcdef0123456789abcdef",
                                 "third"};
    struct operation_text *parsed;
    const struct operation *op;
    char hash[OPERATION_HASH_CHARS], key[80];
    struct error error;
    (void)state;
    assert_int_equal(operation_read(&parsed, "third.ini", text, sizeof text - 1, &error), 0);
    snprintf(key, sizeof key, "third@%.32s", operation_hash(hash, parsed));
    operation_free(parsed);
    assert_int_equal(operation_find_key(&op, key, &error), 0);
    assert_string_equal(op->key, key);
    assert_null(op->text);
    const struct problem problem = {.op = op, .type = F32, .acc = F32};
    assert_int_equal(problem_check(&problem, &error), -1);
    assert_non_null(strstr(error.text, "operation 'third': its text is not at hand"));
    assert_ptr_equal(load_operation("third.ini", text), op);
    assert_non_null(op->text);
    assert_int_equal(problem_check(&problem, &error), 0);
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_int_equal(operation_find_key(&op, wrong[i], &error), -1);
}

static void test_laws(void **state)
{
    static const char first[] = "value = v:acc p:u64\nmap = make(x, i)\nfinish = a.p\n";
    static const struct {
        const char *keys;
        bool is_first; /* with the keys above */
        enum combine_law combine;
        enum map_law map; /* of f32 */
    } cases[] = {
        {"combine = b+a\n", false, COMBINE_ADD, MAP_SAME},
        {"combine = ((a)+(b))\nmap = (x)\nidentity = 0.0\n", false, COMBINE_ADD, MAP_SAME},
        {"combine = a + b\nmap = x * (x)\n", false, COMBINE_ADD, MAP_SQUARE},
        {"combine = a + b\nmap = acc(x) * f32(x)\n", false, COMBINE_ADD, MAP_SQUARE},
        {"combine = a + b\nidentity = 1\n", false, COMBINE_OTHER, MAP_SAME},
        {"combine = a + b + 0\nidentity = 0\n", false, COMBINE_OTHER, MAP_SAME},
        {"combine = greatest(a, b)\nidentity = 0\n", false, COMBINE_OTHER, MAP_SAME},
        {"combine = greatest(b, a)\nidentity = lowest()\n", false, COMBINE_GREATEST, MAP_SAME},
        {"combine = a - b\nidentity = 0\n", false, COMBINE_OTHER, MAP_SAME},
        {"combine = a * b\nmap = x * x\n", false, COMBINE_MULTIPLY, MAP_SQUARE},
        {"combine = a < b ? a : b\nidentity = highest()\n", false, COMBINE_OTHER, MAP_SAME},
        {"combine = above(b.v, a.v) || equals(a.v, b.v) && b.p < a.p ? b : a\n", true,
         COMBINE_FIRST_GREATEST, MAP_SAME},
        {"combine = (below(b.v, a.v) || (equals(b.v, a.v) && (b.p < a.p))) ? b : a\n", true,
         COMBINE_FIRST_LEAST, MAP_SAME},
        {"combine = below(b.v, a.v) ? b : a\nidentity = make(highest(), none())\n", true,
         COMBINE_OTHER, MAP_MAPPED},
        {"combine = above(b.v, a.v) || (equals(b.v, a.v) && b.p < a.p) ? b : a\n"
         "identity = make(0, none())\n",
         true, COMBINE_OTHER, MAP_MAPPED},
        {"value = v:acc p:u64\nmap = make(magnitude(x), i)\nfinish = a.p\n"
         "combine = above(b.v, a.v) || (equals(b.v, a.v) && b.p < a.p) ? b : a\n",
         false, COMBINE_FIRST_GREATEST, MAP_MAPPED},
        {"value = v:acc p:u64\nmap = make(x, i)\nfinish = a.v\n"
         "identity = make(lowest(), none())\n"
         "combine = above(b.v, a.v) || (equals(b.v, a.v) && b.p < a.p) ? b : a\n",
         false, COMBINE_OTHER, MAP_MAPPED},
        {"value = v:acc p:u64\nmap = make(x, i + 1)\nfinish = a.p\n"
         "identity = make(lowest(), none())\n"
         "combine = above(b.v, a.v) || (equals(b.v, a.v) && b.p < a.p) ? b : a\n",
         false, COMBINE_OTHER, MAP_MAPPED},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct text keys = {0};
        text_addf(&keys, "%s%s", cases[i].is_first ? first : "", cases[i].keys);
        struct operation_text *text = read_keys(keys.at);
        if (operation_combine_law(text) != cases[i].combine ||
            operation_map_law(text, F32) != cases[i].map)
            fail_msg("%s %s: %s", operation_combines[operation_combine_law(text)].symbol,
                     operation_maps[operation_map_law(text, F32)], keys.at);
        operation_free(text);
        text_dispose(&keys);
    }
}

static void test_mentions(void **state)
{
    struct operation_text *text = read_keys("map = j\nlet k = i * 2\nlet j = acc(k)\n"
                                            "combine = a + b\nfinish = a / acc(n)\n");
    (void)state;
    assert_true(operation_mentions(text, OPERATION_MAP, OPERATION_I));
    assert_false(operation_mentions(text, OPERATION_MAP, OPERATION_X));
    assert_true(operation_mentions(text, OPERATION_FINISH, OPERATION_N));
    assert_true(operation_mentions(text, OPERATION_COMBINE, OPERATION_B));
    assert_false(operation_mentions(text, OPERATION_IDENTITY, OPERATION_A));
    operation_free(text);
}

/* --- Types -------------------------------------------------------------------------------- */

static void test_types(void **state)
{
    struct operation_text *text = read_keys(
        "value = s:real n:u64 k:acc\nmap = make(real(x), 1, x)\nidentity = make(0, 0, 0)\n"
        "combine = make(a.s + b.s, a.n + b.n, a.k)\nfinish = a.s / real(a.n)\n");
    (void)state;
    assert_int_equal(operation_field_count(text), 3);
    assert_int_equal(operation_field_type(text, 0, I32), F64);
    assert_int_equal(operation_field_type(text, 0, F32), F32);
    assert_int_equal(operation_field_type(text, 1, F32), U64);
    assert_int_equal(operation_field_type(text, 2, I64), I64);
    assert_int_equal(operation_value_type(text, F32), TYPE_COUNT);
    assert_int_equal(operation_value_bytes(text, F32), 24);
    assert_int_equal(operation_value_bytes(text, F64), 24);
    assert_int_equal(operation_result_type(text, U32), F64);
    assert_int_equal(operation_result_type(text, F32), F32);
    operation_free(text);
}

/* What adapts, and what is right though it looks odd. */
static void test_accepted(void **state)
{
    static const char *const maps[] = {
        "1 + x",
        "x << 3",
        "-(-x)",
        "- -x",
        "-5 + x",
        "x + acc(i % 7)",
        "acc(x > 0 && !(x > 3))",
        "x > 0 ? 1 : 0",
        "1 > 0 ? x : 2 + 3",
        "acc(0x7fffffff)",
        "x % 3 + x / 2",
        "least(1, x)",
        "acc(f32(x) * 0.5)",
        "acc(sqrt(real(x)))",
        "acc(1.0 < real(x))",
        "acc(is_nan(exp(1.0) + log(2)))",
        "acc(bool(x) == is_nan(x))",
        "acc(u64(x) >> 63)",
        "fma_",
        "acc(power(f64(x), 0.5))",
        "magnitude(x) * lowest()",
        "acc(-2147483648)",
        "acc(i & none())",
        "~x ^ x | x & 1",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(maps); i++) {
        struct text keys = {0};
        struct error error;
        text_addf(&keys, "combine = a + b\nmap = %s\n%s", maps[i],
                  strcmp(maps[i], "fma_") == 0 ? "let fma_ = x * x\n" : "");
        struct operation_text *text = read_keys(keys.at);
        if (operation_check_types(text, I32, I32, &error))
            fail_msg("%s", error.text);
        operation_free(text);
        text_dispose(&keys);
    }
}

/* --- Canonical text ----------------------------------------------------------------------- */

static void test_same_operation(void **state)
{
    static const struct {
        const char *a, *b;
        bool is_same;
    } cases[] = {
        {"combine = a + b\n",
         "combine=(a)+(b)\nmap = x\nfinish = a\nidentity = 0\nname = other\n", true},
        {"combine = a + b\n", "combine = a\n# and\n+ = + b\ntypes = all\nvalue = acc\n", true},
        {"combine = a + b\n", "combine = b + a\n", false},
        {"combine = a + b\n", "combine = a + b\nscale = sum|x|\n", true},
        {"combine = a + b\n", "combine = a + b\nkeeps_order = yes\n", false},
        {"combine = a + b\n", "combine = a + b\nkeeps_order = no\n", true},
        {"combine = a + b\nmap = x + 0x10\n", "combine = a + b\nmap = x + 16\n", true},
        {"combine = a + b\nmap = (x + 1) * 2\n", "combine = a + b\nmap = x + 1 * 2\n", false},
        {"combine = a + b\nmap = x - (x - 1)\n", "combine = a + b\nmap = x - x - 1\n", false},
        {"combine = a + b\nmap = -(5) + x\n", "combine = a + b\nmap = -5 + x\n", false},
        {"combine = a + b\nmap = - -x\n", "combine = a + b\nmap = -(-x)\n", true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct operation_text *a = read_keys(cases[i].a), *b = read_keys(cases[i].b);
        char of_a[OPERATION_HASH_CHARS], of_b[OPERATION_HASH_CHARS];
        operation_hash(of_a, a);
        operation_hash(of_b, b);
        const bool is_same = strcmp(operation_canonical(a), operation_canonical(b)) == 0;
        if (is_same != cases[i].is_same || (strcmp(of_a, of_b) == 0) != is_same)
            fail_msg("%s%s%s%s", cases[i].a, operation_canonical(a), cases[i].b,
                     operation_canonical(b));
        operation_free(a);
        operation_free(b);
    }
}

static void test_canonical(void **state)
{
    struct operation_text *text =
        read_keys("value=p:acc   q:u64\nmap = make( x ,i )\nlet d=( a.p-b.p )\n"
                  "combine = d>0&&(a.q<<2|1)>3?a:make(d*(d+1),~(a.q%2)<<(1+2))\n"
                  "identity = make(-0.5, 7 == 0x7 ? 1 : none())\nfinish = a.p\n");
    (void)state;
    assert_string_equal(
        operation_canonical(text),
        "types = all\n"
        "value = p:acc q:u64\n"
        "let d = a.p - b.p\n"
        "map = make(x, i)\n"
        "combine = d > 0 && (a.q << 2 | 1) > 3 ? a : make(d * (d + 1), ~(a.q % 2) "
        "<< 1 + 2)\n"
        "identity = make(-0.5, 7 == 7 ? 1 : none())\n"
        "finish = a.p\n");
    operation_free(text);
}

static void test_read_again(void **state)
{
    static const char *const files[] = {
        "configs/operations/sum.ini",  "configs/operations/argmax.ini",
        "configs/operations/mean.ini", "configs/operations/all.ini",
        "configs/operations/var.ini",  "configs/operations/logsumexp.ini",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        struct operation_text *text = read_file(files[i]);
        struct operation_text *again = read_keys(operation_canonical(text));
        assert_string_equal(operation_canonical(text), operation_canonical(again));
        assert_int_equal(operation_combine_law(text), operation_combine_law(again));
        operation_free(text);
        operation_free(again);
    }
}

/* --- What is written ---------------------------------------------------------------------- */

static void test_written(void **state)
{
    static const struct {
        const char *map;
        enum type acc;
        const char *want;
    } cases[] = {
        {"x * x + 1", I32, "    return (int)((unsigned)x * x + 1);\n"},
        {"x * x + 1", U64, "    return x * x + 1ULL;\n"},
        {"x * x + 1", F32, "    return __fmul_rn(x, x) + 1.0f;\n"},
        {"x * x + 0.5", F64, "    return __dmul_rn(x, x) + 0.5;\n"},
        {"1 + x * 2 - -x", I64,
         "    return (long long)(1ULL + (unsigned long long)x * 2LL - (0ULL - x));\n"},
        {"x / 3", I32, "    return x / 3;\n"},
        {"x / x % 5", I32, "    return divide_i32(x, x) % 5;\n"},
        {"x / -1", I32, "    return divide_i32(x, -1);\n"},
        {"x << 33", I32, "    return (int)((unsigned)x << 1);\n"},
        {"x >> (x + 1)", U32, "    return x >> ((x + 1u) & 31);\n"},
        {"x & 3 | 4", U32, "    return (x & 3u) | 4u;\n"},
        {"least(x, -x)", F32, "    return least_f32(x, -x);\n"},
        {"magnitude(x)", F64, "    return fabs(x);\n"},
        {"-(-x)", F32, "    return -(-x);\n"},
        {"acc(i) * x", F32, "    return __fmul_rn((float)i, x);\n"},
        {"x > 0 && x < 5 || x != 9 ? x : 0", F32,
         "    return (x > 0.0f && x < 5.0f) || x != 9.0f ? x : 0.0f;\n"},
        {"acc(i32(x))", F32, "    return (float)i32_of_f32(x);\n"},
        {"lowest()", I32, "    return (-0x7fffffff - 1);\n"},
        {"-2147483648 + x", I32, "    return (int)((unsigned)(-0x7fffffff - 1) + x);\n"},
        {"is_nan(x) ? 0 : x", I32, "    return false ? 0 : x;\n"},
        {"sqrt(x) + power(x, 2)", F32, "    return sqrtf(x) + powf(x, 2.0f);\n"},
    };
    struct error error;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct text keys = {0}, out = {0};
        text_addf(&keys, "combine = a + b\nmap = %s\n", cases[i].map);
        struct operation_text *text = read_keys(keys.at);
        if (operation_check_types(text, cases[i].acc, cases[i].acc, &error))
            fail_msg("%s", error.text);
        operation_write(&out, text, OPERATION_MAP, cases[i].acc);
        if (strcmp(out.at, cases[i].want) != 0)
            fail_msg("%s: %s, not %s", cases[i].map, out.at, cases[i].want);
        operation_free(text);
        text_dispose(&keys);
        text_dispose(&out);
    }
}

static void test_written_struct(void **state)
{
    struct operation_text *text = read_file("configs/operations/var.ini");
    struct text out = {0};
    (void)state;
    operation_write_struct(&out, text, F32);
    operation_write(&out, text, OPERATION_COMBINE, F32);
    assert_string_equal(out.at,
                        "typedef struct __align__(4) {\n"
                        "    float count_;\n"
                        "    float mean_;\n"
                        "    float m2_;\n"
                        "} accum;\n"
                        "\n"
                        "__device__ __forceinline__ accum make_accum(float count_, float "
                        "mean_, float m2_)\n"
                        "{\n"
                        "    accum made;\n"
                        "    made.count_ = count_;\n"
                        "    made.mean_ = mean_;\n"
                        "    made.m2_ = m2_;\n"
                        "    return made;\n"
                        "}\n"
                        "    const float all_ = a.count_ + b.count_;\n"
                        "    const float part_ = b.count_ / all_;\n"
                        "    const float d_ = b.mean_ - a.mean_;\n"
                        "    const accum joined_ = make_accum(all_, a.mean_ + "
                        "__fmul_rn(d_, part_), a.m2_ + b.m2_ + "
                        "__fmul_rn(__fmul_rn(d_, a.count_), __fmul_rn(d_, part_)));\n"
                        "    return all_ == 0.0f ? a : joined_;\n");
    text_dispose(&out);
    operation_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),      cmocka_unit_test(test_newcomers),
        cmocka_unit_test(test_limits),      cmocka_unit_test(test_name),
        cmocka_unit_test(test_shipped),     cmocka_unit_test(test_list),
        cmocka_unit_test(test_one_of_each), cmocka_unit_test(test_key_first),
        cmocka_unit_test(test_finish),      cmocka_unit_test(test_laws),
        cmocka_unit_test(test_mentions),    cmocka_unit_test(test_types),
        cmocka_unit_test(test_accepted),    cmocka_unit_test(test_same_operation),
        cmocka_unit_test(test_canonical),   cmocka_unit_test(test_read_again),
        cmocka_unit_test(test_written),     cmocka_unit_test(test_written_struct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
