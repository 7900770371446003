// Proves exports, as `autotune export --format cu` wrote them, on what flags of a build could lose: denormals,
// zeros of both signs, infinities and NaNs, all of whose partial results are exact. Each result is compared
// bit for bit with plain C on the host; lines say what came out, the same from each build. Exit code 0 =
// all right.
#include "argmax_bf16.h"
#include "argmax_f32.h"
#include "argmin_f32.h"
#include "max_f32.h"
#include "min_f32.h"
#include "prod_f32.h"
#include "sum_bf16.h"
#include "sum_f32.h"
#include "sum_inclusive_f32.h"
#include "sum_rows_f32.h"
#include "sumsq_f32.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static const size_t sizes[] = {1, 33, 1000, 100003, (1 << 20) + 1, (16 << 20) + 5};
enum { STARTS = 3, ROW = 1000, RARE = 64 };

static void need(cudaError_t error, const char *doing)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s: %s\n", doing, cudaGetErrorString(error));
    std::exit(1);
}

// --- Elements ---------------------------------------------------------------------------------

enum fill { DENORMALS, ZEROS_BELOW, ZEROS, A_NAN, AN_INFINITY, INFINITIES, SMALL_SQUARES, FACTORS, FILLS };
static const char *const fills[] = {"denormals",  "-0",            "zeros",  "NaN", "infinity",
                                    "infinities", "small squares", "factors"};

static float float_of(uint32_t bits)
{
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// The least unit of a denormal times -7 .. 7: few enough that no sum of them is rounded.
static float denormal(size_t i, size_t n, uint32_t unit)
{
    const uint32_t hash = (uint32_t)(i * 2654435761u) >> 8, size = hash % 8 * unit;
    return n > 1 << 20 && i % RARE ? 0 : float_of(hash & 1 << 20 ? size | 0x80000000u : size);
}

// Denormals of bf16 are some of f32's: `unit` is the least.
static float element(enum fill fill, size_t i, size_t n, uint32_t unit)
{
    const size_t middle = n / 2, late = n - 1 - n / 5;
    switch (fill) {
    case ZEROS_BELOW: return -0.0f;
    case ZEROS: return i == middle ? 0.0f : -0.0f;
    case SMALL_SQUARES: return n > 1 << 20 && i % RARE ? 0 : ldexpf(i % 3 ? 1 : -1, -70);
    case FACTORS: return i == middle ? ldexpf(1, -100) : i == late ? ldexpf(1, -40) : i % 2 ? -1 : 1;
    case A_NAN: if (i == middle) return float_of(0xffc00123); break;
    case AN_INFINITY: if (i == late) return HUGE_VALF; break;
    case INFINITIES: if (i == middle || i == late) return i == middle ? -HUGE_VALF : HUGE_VALF; break;
    default: break;
    }
    return denormal(i, n, unit);
}

static void set(float *x, float value) { *x = value; }
static void set(uint16_t *x, float value)
{
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    *x = (uint16_t)(bits >> 16);
}
static float get(float x) { return x; }
static float get(uint16_t x) { return float_of((uint32_t)x << 16); }

template <class E> static std::vector<E> elements(enum fill fill, size_t n)
{
    std::vector<E> x(n);
    for (size_t i = 0; i < n; i++)
        set(&x[i], element(fill, i, n, sizeof(E) == 2 ? 0x10000 : 1));
    return x;
}

// --- Plain C ----------------------------------------------------------------------------------

// Doubles hold every partial result.
template <class E> static float plain_sum(const E *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += get(x[i]);
    return (float)sum;
}

static float plain_sumsq(const float *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i] * x[i];
    return (float)sum;
}

static float plain_prod(const float *x, size_t n)
{
    double product = 1;
    for (size_t i = 0; i < n; i++)
        product *= x[i];
    return (float)product;
}

static bool is_first(float a, float b, bool is_max)
{
    return is_max ? a > b : a < b;
}

// A NaN before all, and -0 below +0.
static float plain_best(const float *x, size_t n, bool is_max)
{
    float best = is_max ? -HUGE_VALF : HUGE_VALF;
    for (size_t i = 0; i < n && !std::isnan(best); i++)
        if (std::isnan(x[i]) || is_first(x[i], best, is_max) ||
            (x[i] == best && std::signbit(x[i]) != is_max))
            best = x[i];
    return best;
}
static float plain_min(const float *x, size_t n) { return plain_best(x, n, false); }
static float plain_max(const float *x, size_t n) { return plain_best(x, n, true); }

// A NaN before all, and of equals, as are both zeros, the first.
template <class E> static uint64_t plain_place(const E *x, size_t n, bool is_max)
{
    size_t best = 0;
    for (size_t i = 1; i < n && !std::isnan(get(x[best])); i++)
        if (std::isnan(get(x[i])) || is_first(get(x[i]), get(x[best]), is_max))
            best = i;
    return best;
}
template <class E> static uint64_t plain_argmin(const E *x, size_t n) { return plain_place(x, n, false); }
template <class E> static uint64_t plain_argmax(const E *x, size_t n) { return plain_place(x, n, true); }

// --- Comparing --------------------------------------------------------------------------------

static uint64_t bits_of(float value)
{
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return std::isnan(value) ? 0x7fc00000 : bits; // any NaN is any other
}
static uint64_t bits_of(uint64_t place) { return place; }

static size_t all_wrong;

// A line with a hash of what came out.
template <class R>
static void compare(const char *name, enum fill fill, size_t n, size_t start, const std::vector<R> &want,
                    const std::vector<R> &got)
{
    size_t wrong = 0, first = 0;
    uint64_t hash = 0;
    for (size_t i = want.size(); i-- > 0;) {
        hash = hash * 1099511628211u + bits_of(got[i]);
        if (bits_of(got[i]) != bits_of(want[i])) {
            wrong++;
            first = i;
        }
    }
    std::printf("%s of %zu, %s, start %zu: %016" PRIx64, name, n, fills[fill], start, hash);
    if (wrong)
        std::printf(": %zu WRONG, result %zu is %" PRIx64 ", not %" PRIx64, wrong, first,
                    bits_of(got[first]), bits_of(want[first]));
    std::printf("\n");
    all_wrong += wrong;
}

// Elements on the device, `start` of them past where memory is aligned.
template <class E, class R> struct data {
    E *in;
    R *out;
    void *workspace;
    size_t bytes;

    data(const std::vector<E> &x, size_t start, size_t results, size_t workspace_bytes)
        : bytes(workspace_bytes)
    {
        need(cudaMalloc(&in, (x.size() + start) * sizeof(E)), "elements");
        need(cudaMalloc(&out, results * sizeof(R)), "results");
        need(cudaMalloc(&workspace, bytes ? bytes : 1), "workspace");
        need(cudaMemcpy(in + start, x.data(), x.size() * sizeof(E), cudaMemcpyHostToDevice), "copying");
        need(cudaMemset(out, 0xa5, results * sizeof(R)), "clearing results");
    }
    std::vector<R> results(size_t count)
    {
        std::vector<R> got(count);
        need(cudaMemcpy(got.data(), out, count * sizeof(R), cudaMemcpyDeviceToHost), "results");
        return got;
    }
    ~data()
    {
        cudaFree(in);
        cudaFree(out);
        cudaFree(workspace);
    }
};

// --- Exports ----------------------------------------------------------------------------------

template <class E, class R> struct reduction {
    const char *name;
    cudaError_t (*bytes)(size_t, size_t *);
    cudaError_t (*init)(void *, size_t, cudaStream_t);
    cudaError_t (*call)(const E *, size_t, R *, void *, size_t, cudaStream_t);
    R (*plain)(const E *, size_t);
};
#define REDUCTION(name, plain)                                                                       \
    {                                                                                                \
        #name, name##_workspace_bytes, name##_workspace_init, name, plain                            \
    }

template <class E, class R> static void prove(const reduction<E, R> &of, enum fill fill)
{
    for (size_t n : sizes) {
        const size_t start = n % STARTS;
        const std::vector<E> x = elements<E>(fill, n);
        size_t bytes = 0;
        need(of.bytes(n, &bytes), "size of a workspace");
        data<E, R> on(x, start, 1, bytes);
        need(of.init(on.workspace, bytes, 0), "readying the workspace");
        need(of.call(on.in + start, n, on.out, on.workspace, bytes, 0), of.name);
        compare(of.name, fill, n, start, {of.plain(x.data(), n)}, on.results(1));
    }
}

template <class E, class R> static void prove_all(const reduction<E, R> &of)
{
    for (int fill = DENORMALS; fill <= INFINITIES; fill++)
        prove(of, (enum fill)fill);
}

static void prove_rows(enum fill fill)
{
    for (size_t n : sizes) {
        const size_t len = std::min<size_t>(n, ROW), rows = n / len;
        const std::vector<float> x = elements<float>(fill, n);
        size_t bytes = 0;
        need(sum_rows_f32_workspace_bytes(rows, len, len, &bytes), "size of a workspace");
        data<float, float> on(x, 1, rows, bytes);
        need(sum_rows_f32_workspace_init(on.workspace, bytes, 0), "readying the workspace");
        need(sum_rows_f32(on.in + 1, rows, len, len, on.out, on.workspace, bytes, 0), "rows");
        std::vector<float> want(rows);
        for (size_t r = 0; r < rows; r++)
            want[r] = plain_sum(x.data() + r * len, len);
        compare("sum_rows_f32", fill, n, 1, want, on.results(rows));
    }
}

static void prove_scan(enum fill fill)
{
    for (size_t n : sizes) {
        const std::vector<float> x = elements<float>(fill, n);
        std::vector<float> want(n);
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            want[i] = (float)(sum += x[i]);
        size_t bytes = 0;
        need(sum_inclusive_f32_workspace_bytes(n, &bytes), "size of a workspace");
        data<float, float> on(x, 1, n, bytes);
        need(sum_inclusive_f32_workspace_init(on.workspace, bytes, 0), "readying the workspace");
        need(sum_inclusive_f32(on.in + 1, n, on.out, on.workspace, bytes, 0), "scan");
        compare("sum_inclusive_f32", fill, n, 1, want, on.results(n));
    }
}

int main()
{
    const reduction<float, float> sum = REDUCTION(sum_f32, plain_sum<float>),
                                  sumsq = REDUCTION(sumsq_f32, plain_sumsq),
                                  prod = REDUCTION(prod_f32, plain_prod),
                                  min = REDUCTION(min_f32, plain_min), max = REDUCTION(max_f32, plain_max);
    const reduction<float, uint64_t> argmin = REDUCTION(argmin_f32, plain_argmin<float>),
                                     argmax = REDUCTION(argmax_f32, plain_argmax<float>);
    const reduction<uint16_t, float> sum_bf16 = REDUCTION(::sum_bf16, plain_sum<uint16_t>);
    const reduction<uint16_t, uint64_t> argmax_bf16 = REDUCTION(::argmax_bf16, plain_argmax<uint16_t>);
    prove_all(sum);
    prove_all(sum_bf16);
    prove_all(min);
    prove_all(max);
    prove_all(argmin);
    prove_all(argmax);
    prove_all(argmax_bf16);
    prove(sumsq, SMALL_SQUARES);
    prove(sumsq, A_NAN);
    prove(prod, FACTORS);
    prove(prod, A_NAN);
    for (int fill = DENORMALS; fill <= INFINITIES; fill++) {
        prove_rows((enum fill)fill);
        prove_scan((enum fill)fill);
    }
    return all_wrong != 0;
}
