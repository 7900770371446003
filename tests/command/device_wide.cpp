/* Calls everything of autotune.hpp on the emulator, and says what differs. Built by cpp.sh. */
#include <autotune.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

static int failures;

static void expect(bool is_so, const char *what)
{
    if (!is_so)
        failures++, std::printf("not so: %s\n", what);
}

template <class Call> static void expect_error(int code, const char *says, Call call)
{
    try {
        call();
        expect(false, says);
    } catch (const autotune::error &failure) {
        expect(failure.code() == code && std::strstr(failure.what(), says), failure.what());
    }
}

/* A call as of CUB: how much, then with it. */
template <class In, class Out>
static void call(autotune::device_calls &calls, const char *op, const std::vector<In> &in,
                 Out *out, autotune_scan kind = AUTOTUNE_NO_SCAN)
{
    std::size_t bytes = 0;
    calls.reduce(op, nullptr, bytes, in.data(), out, in.size(), nullptr, kind);
    void *temp = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    for (int turn = 0; turn < 2; turn++) {
        std::memset(temp, 0x5a, bytes); /* it may hold anything */
        calls.reduce(op, temp, bytes, in.data(), out, in.size(), nullptr, kind);
    }
    expect_error(AUTOTUNE_BAD_ARGUMENT, "a call with temp null says so", [&] {
        std::size_t none = 0;
        calls.reduce(op, temp, none, in.data(), out, in.size(), nullptr, kind);
    });
    std::free(temp);
}

static void call_as_cub()
{
    autotune_context_options options = {};
    options.device = "host";
    autotune::device_calls calls(options);
    std::vector<float> x(3000);
    std::iota(x.begin(), x.end(), -7.0f);
    float least = 0, total = 0;
    std::uint64_t place = 0;
    call(calls, "sum", x, &total);
    call(calls, "min", x, &least);
    call(calls, "argmax", x, &place);
    expect(total == std::accumulate(x.begin(), x.end(), 0.0f), "sum");
    expect(least == -7, "min");
    expect(place == 2999, "argmax");
    const std::vector<std::int8_t> bytes(1000, 100);
    std::int64_t wide = 0;
    call(calls, "sum", bytes, &wide);
    expect(wide == 100000, "sum of int8_t as int64_t");
    const std::vector<int> ones(1000, 1);
    std::vector<int> running(1000);
    call(calls, "sum", ones, running.data(), AUTOTUNE_EXCLUSIVE);
    expect(running[0] == 0 && running[999] == 999, "exclusive scan");
    expect_error(AUTOTUNE_BAD_ARGUMENT, "the plan takes f32 and gives f32", [&] {
        std::size_t size = 0;
        int wrong = 0;
        calls.reduce("sum", nullptr, size, x.data(), &wrong, x.size());
    });
}

static void give_params()
{
    const autotune::context host("host");
    const char *op =
        autotune::operation("clipped", "[operation]\nmeaning = a clipped sum\n"
                                       "params = low:acc high:acc=5 shift:i32=0\n"
                                       "map = least(greatest(x, low), high)\n"
                                       "combine = a + b\nfinish = a + acc(shift)\n");
    const autotune::workspace sum(autotune::plan(host, autotune::value<float>(op, 4)));
    const float x[] = {-9, 1, 4, 9};
    float total = 0;
    sum.execute(x, 4, &total, nullptr, -1, 2.5f, 100);
    expect(total == -1 + 1 + 2.5f + 2.5f + 100, "all params");
    sum.execute(x, 4, &total, nullptr, 0);
    expect(total == 0 + 1 + 4 + 5, "the others have their usual values");
    expect_error(AUTOTUNE_BAD_ARGUMENT, "value for its param 'low'",
                 [&] { sum.execute(x, 4, &total); });
    expect_error(AUTOTUNE_BAD_ARGUMENT, "gives 4 params, and the operation has 3",
                 [&] { sum.execute(x, 4, &total, nullptr, 1, 2, 3, 4); });
}

static void use_objects()
{
    const autotune::workspace rows = [] {
        const autotune::context host("host");
        const autotune::plan plan(host, autotune::rows<double>("mean", 3, 4));
        expect(plan.n() == 3 && plan.results() == 3 && plan.result_type() == "f64", "plan");
        expect(plan.grade() == AUTOTUNE_DEFAULT && plan.warning().empty(), "grade");
        return autotune::workspace(plan);
    }(); /* context and plan live on in it */
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    double y[4] = {};
    rows.execute(x, 3, y);
    expect(y[0] == 2.5 && y[1] == 6.5 && y[2] == 10.5, "rows");
    rows.reset();
    expect_error(AUTOTUNE_BAD_ARGUMENT, "gives f64, and the call has f64 and f32",
                 [&] { rows.execute(x, 3, reinterpret_cast<float *>(y)); });
    expect_error(AUTOTUNE_N_TOO_LARGE, "at most 3 rows", [&] { rows.execute(x, 4, y); });

    const autotune::context host("host");
    const char *energy = autotune::operation("energy", "[operation]\nmeaning = energy\n"
                                                       "map = x * x\ncombine = a + b\n");
    const autotune::pipeline pipeline(host, autotune::value<float>(energy, 100));
    expect(pipeline.reduce<float>(std::vector<float>{3, 4}) == 25, "own operation");
    expect_error(AUTOTUNE_BAD_ARGUMENT, "bad.ini:3:7:", [] {
        autotune::operation("bad", "[operation]\nmeaning = bad\nmap = y\ncombine = a + b\n");
    });
    const autotune::workspace columns(
        autotune::plan(host, autotune::columns<double>("max", 3, 4)));
    columns.execute(x, 3, y);
    expect(y[0] == 9 && y[3] == 12, "columns");
}

/* The functions with CUB's signature are for the GPU whose context is current: here is none. */
static void call_without_a_gpu()
{
    using call = void (*)(void *, std::size_t &, const float *, float *, std::uint64_t, void *);
    const call calls[] = {autotune::sum, autotune::min, autotune::max, autotune::inclusive_sum,
                          autotune::exclusive_sum};
    using find =
        void (*)(void *, std::size_t &, const float *, std::uint64_t *, std::uint64_t, void *);
    const find finds[] = {autotune::argmin, autotune::argmax};
    std::size_t bytes = 0;
    for (const call one : calls)
        expect_error(AUTOTUNE_NO_DEVICE, "libcuda.so.1",
                     [&] { one(nullptr, bytes, nullptr, nullptr, 5, nullptr); });
    for (const find one : finds)
        expect_error(AUTOTUNE_NO_DEVICE, "libcuda.so.1",
                     [&] { one(nullptr, bytes, nullptr, nullptr, 5, nullptr); });
}

int main(int argc, char **)
{
    if (argc > 1)
        call_without_a_gpu();
    call_as_cub();
    use_objects();
    give_params();
    if (!failures)
        std::puts("all as it should be");
    return failures > 0;
}
