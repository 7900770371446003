// cub: cub::DeviceReduce behind the plain C face that `autotune bench --against` opens. Which CUB
// it is, the include path says: the toolkit's own or a newer one.
//
// Each reduction is the call that its users write, with the accumulator of autotune's default:
// Sum, Min and Max where the result has the elements' type; a sum in a wider type is Sum with an
// output of that type for integers, and Reduce with cuda::std::plus of it for f16 and bf16. Counts
// that fit are passed as 32 bits, for which CUB compiles kernels of their own.
//
// Rows are cub::DeviceSegmentedReduce: from CUB 3.3 on, and without gaps, with the overload for
// segments of one size, else with offsets that are computed, not read.
//
// Scans are cub::DeviceScan, where the result has the elements' type: InclusiveSum and ExclusiveSum,
// and InclusiveScan and ExclusiveScan of minima and maxima.
//
// With -DDETERMINISM=not_guaranteed: sums alone, whose parts CUB may add in any order, which for some
// types lets it use atomics (from CCCL 3.2 on); the result of floats then differs from run to run.
// With -DDETERMINISM=gpu_to_gpu: sums of elements of the accumulator's type alone, whose bits are
// those of every GPU (from CCCL 3.1 on). Without: run_to_run, CUB's default.
#include "autotune/measure/baseline_face.h"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>

namespace {

enum op { SUM, MIN, MAX };
const char *const op_names[] = {"sum", "min", "max"};

template <typename elem>
constexpr bool is_half = std::is_same_v<elem, __half> || std::is_same_v<elem, __nv_bfloat16>;

#ifdef DETERMINISM
// CUB asks for its temporary memory by itself; what it gets is what the caller has.
struct lent {
    void *at;
    size_t *bytes;

    void *allocate(cuda::stream_ref, size_t wanted, size_t)
    {
        *bytes = wanted;
        return at;
    }
    void deallocate(cuda::stream_ref, void *, size_t, size_t) noexcept {}
    void *allocate_sync(size_t wanted, size_t) { return *bytes = wanted, at; }
    void deallocate_sync(void *, size_t, size_t) noexcept {}
    bool operator==(const lent &other) const { return at == other.at; }
    bool operator!=(const lent &other) const { return at != other.at; }
};

constexpr size_t TEMP_BYTES = 1 << 20; // CUB's partial results are a few per multiprocessor

template <typename elem, typename acc, op OP, typename count>
cudaError_t reduce(void *temp, size_t &bytes, const void *in, void *out, count n,
                   cudaStream_t stream)
{
    size_t wanted = 0;
    if (!temp)
        return bytes = TEMP_BYTES, cudaSuccess;
    const auto env = cuda::std::execution::env{
        cuda::execution::require(cuda::execution::determinism::DETERMINISM),
        cuda::stream_ref{stream},
        cuda::std::execution::prop{cuda::mr::get_memory_resource, lent{temp, &wanted}}};
    const cudaError_t error =
        cub::DeviceReduce::Reduce(static_cast<const elem *>(in), static_cast<acc *>(out), n,
                                  cuda::std::plus<acc>{}, acc(0), env);
    return error == cudaSuccess && wanted > bytes ? cudaErrorMemoryAllocation : error;
}
#else
template <typename elem, typename acc, op OP, typename count>
cudaError_t reduce(void *temp, size_t &bytes, const void *in, void *out, count n,
                   cudaStream_t stream)
{
    const elem *x = static_cast<const elem *>(in);
    acc *y = static_cast<acc *>(out);
    if constexpr (OP == MIN)
        return cub::DeviceReduce::Min(temp, bytes, x, y, n, stream);
    else if constexpr (OP == MAX)
        return cub::DeviceReduce::Max(temp, bytes, x, y, n, stream);
    else if constexpr (is_half<elem>)
        return cub::DeviceReduce::Reduce(temp, bytes, x, y, n, cuda::std::plus<acc>{}, acc(0),
                                         stream);
    else
        return cub::DeviceReduce::Sum(temp, bytes, x, y, n, stream);
}
#endif

template <typename elem, typename acc, op OP>
cudaError_t run(void *temp, size_t &bytes, const void *in, void *out, const dims &shape,
                cudaStream_t stream)
{
    const uint64_t n = shape.depth.n;
    return n <= UINT32_MAX ? reduce<elem, acc, OP>(temp, bytes, in, out, uint32_t(n), stream)
                           : reduce<elem, acc, OP>(temp, bytes, in, out, uint64_t(n), stream);
}

#ifndef DETERMINISM
// Where row i begins, or ends.
struct offset_of {
    long long pitch, end;

    __host__ __device__ long long operator()(long long row) const { return row * pitch + end; }
};

template <typename elem, typename acc, op OP>
cudaError_t run_rows(void *temp, size_t &bytes, const void *in, void *out,
                     const dims &shape, cudaStream_t stream)
{
    const elem *x = static_cast<const elem *>(in);
    acc *y = static_cast<acc *>(out);
    const auto reduce = [&](auto... segments) {
        if constexpr (OP == MIN)
            return cub::DeviceSegmentedReduce::Min(temp, bytes, x, y, segments..., stream);
        else if constexpr (OP == MAX)
            return cub::DeviceSegmentedReduce::Max(temp, bytes, x, y, segments..., stream);
        else if constexpr (is_half<elem> || !std::is_same_v<elem, acc>)
            return cub::DeviceSegmentedReduce::Reduce(temp, bytes, x, y, segments...,
                                                      cuda::std::plus<acc>{}, acc(0), stream);
        else
            return cub::DeviceSegmentedReduce::Sum(temp, bytes, x, y, segments..., stream);
    };
    const auto rows = static_cast<cuda::std::int64_t>(shape.outer.n);
#if CUB_VERSION >= 300300
    if (shape.outer.stride == shape.depth.n && shape.depth.n <= INT32_MAX)
        return reduce(rows, static_cast<int>(shape.depth.n));
#endif
    const auto pitch = static_cast<long long>(shape.outer.stride);
    const auto len = static_cast<long long>(shape.depth.n);
    const auto number = thrust::make_counting_iterator(0LL);
    return reduce(rows, thrust::make_transform_iterator(number, offset_of{pitch, 0}),
                  thrust::make_transform_iterator(number, offset_of{pitch, len}));
}
#endif

#ifndef DETERMINISM
struct least {
    template <typename T>
    __host__ __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};

struct greatest {
    template <typename T>
    __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};

// What changes no minimum, or no maximum.
template <typename elem, op OP>
elem identity()
{
    using limits = cuda::std::numeric_limits<elem>;
    if constexpr (limits::has_infinity)
        return OP == MIN ? limits::infinity() : -limits::infinity();
    else
        return OP == MIN ? limits::max() : limits::lowest();
}

template <typename elem, op OP, typename count>
cudaError_t scan(void *temp, size_t &bytes, const void *in, void *out, count n, bool is_exclusive,
                 cudaStream_t stream)
{
    const elem *x = static_cast<const elem *>(in);
    elem *y = static_cast<elem *>(out);
    if constexpr (OP == SUM) {
        return is_exclusive ? cub::DeviceScan::ExclusiveSum(temp, bytes, x, y, n, stream)
                            : cub::DeviceScan::InclusiveSum(temp, bytes, x, y, n, stream);
    } else {
        const cuda::std::conditional_t<OP == MIN, least, greatest> combine;
        return is_exclusive ? cub::DeviceScan::ExclusiveScan(temp, bytes, x, y, combine,
                                                             identity<elem, OP>(), n, stream)
                            : cub::DeviceScan::InclusiveScan(temp, bytes, x, y, combine, n, stream);
    }
}

template <typename elem, op OP>
cudaError_t run_scan(void *temp, size_t &bytes, const void *in, void *out, const dims &shape,
                     cudaStream_t stream)
{
    const uint64_t n = shape.depth.n;
    const bool is_exclusive = shape.scan == DIMS_EXCLUSIVE;
    return n <= INT32_MAX
               ? scan<elem, OP>(temp, bytes, in, out, int32_t(n), is_exclusive, stream)
               : scan<elem, OP>(temp, bytes, in, out, uint64_t(n), is_exclusive, stream);
}
#endif

using run_fn = cudaError_t(void *, size_t &, const void *, void *, const dims &, cudaStream_t);
#ifndef DETERMINISM
// Minima and maxima of rows have the elements' type.
template <typename elem, typename acc, op OP>
constexpr run_fn *choose_rows()
{
    if constexpr (OP == SUM || std::is_same_v<elem, acc>)
        return run_rows<elem, acc, OP>;
    else
        return nullptr;
}
#endif

#ifndef DETERMINISM
template <typename elem, typename acc, op OP>
constexpr run_fn *choose_scan()
{
    if constexpr (std::is_same_v<elem, acc>)
        return run_scan<elem, OP>;
    else
        return nullptr;
}
#endif

struct row {
    const char *type, *acc;
    run_fn *ops[3]; // by op
    run_fn *rows[3];
    run_fn *scans[3];
};

#ifdef DETERMINISM
// Of floats, the same bits on every GPU are for elements of the accumulator's type.
template <typename elem, typename acc>
constexpr run_fn *choose_sum()
{
    using is_everywhere = std::is_same<std::decay_t<decltype(cuda::execution::determinism::DETERMINISM)>,
                                       cuda::execution::determinism::gpu_to_gpu_t>;
    if constexpr (is_everywhere::value && !std::is_same_v<elem, acc>)
        return nullptr;
    else
        return run<elem, acc, SUM>;
}
#endif

template <typename elem, typename acc>
constexpr row make_row(const char *type, const char *acc_name)
{
#ifdef DETERMINISM
    return {type, acc_name, {choose_sum<elem, acc>(), nullptr, nullptr}, {}, {}};
#else
    return {type, acc_name,
            {run<elem, acc, SUM>, run<elem, acc, MIN>, run<elem, acc, MAX>},
            {choose_rows<elem, acc, SUM>(), choose_rows<elem, acc, MIN>(),
             choose_rows<elem, acc, MAX>()},
            {choose_scan<elem, acc, SUM>(), choose_scan<elem, acc, MIN>(),
             choose_scan<elem, acc, MAX>()}};
#endif
}

const row rows[] = {
    make_row<int32_t, int32_t>("i32", "i32"),   make_row<uint32_t, uint32_t>("u32", "u32"),
    make_row<int64_t, int64_t>("i64", "i64"),   make_row<uint64_t, uint64_t>("u64", "u64"),
    make_row<float, float>("f32", "f32"),       make_row<double, double>("f64", "f64"),
    make_row<int8_t, int32_t>("i8", "i32"),     make_row<uint8_t, uint32_t>("u8", "u32"),
    make_row<__half, float>("f16", "f32"),      make_row<__nv_bfloat16, float>("bf16", "f32"),
};

// One value of elements one behind another, a scan of them, or rows; nullptr for what CUB does not have.
run_fn *find(const char *type, const char *acc, const char *name, const dims &shape)
{
    const bool is_value = dims_extent(&shape) == shape.depth.n;
    if (shape.inner.n > 1 || shape.depth.stride > 1)
        return nullptr;
    for (const row &r : rows)
        for (int i = 0; i < 3; i++)
            if (!strcmp(r.type, type) && !strcmp(r.acc, acc) && !strcmp(op_names[i], name))
                return shape.scan ? (is_value ? r.scans[i] : nullptr)
                       : is_value ? r.ops[i]
                                  : r.rows[i];
    return nullptr;
}

int supports(const char *type, const char *acc, const char *name, const dims *shape)
{
    return find(type, acc, name, *shape) != nullptr;
}

int enqueue(const char *type, const char *acc, const char *name, const void *in, void *out,
            const dims *shape, void *temp, size_t temp_bytes, void *stream)
{
    run_fn *fn = find(type, acc, name, *shape);
    return fn ? fn(temp, temp_bytes, in, out, *shape, static_cast<cudaStream_t>(stream))
              : cudaErrorNotSupported;
}

int temp_bytes(const char *type, const char *acc, const char *name, const dims *shape,
               size_t *out)
{
    run_fn *fn = find(type, acc, name, *shape);
    *out = 0;
    return fn ? fn(nullptr, *out, nullptr, nullptr, *shape, nullptr) : cudaErrorNotSupported;
}

const char *explain(int error)
{
    return cudaGetErrorString(static_cast<cudaError_t>(error));
}

char name[40]; // "CUB 3.0.1"

#ifdef DETERMINISM
#define TEXT_OF(name) " " #name
#define TEXT(name) TEXT_OF(name)
const char *const suffix = TEXT(DETERMINISM);
#else
const char *const suffix = "";
#endif

const baseline_face face = {BASELINE_VERSION, 0, name, supports, temp_bytes, enqueue, explain};

} // namespace

extern "C" __attribute__((visibility("default"))) const baseline_face *autotune_baseline(void)
{
    std::snprintf(name, sizeof name, "CUB %d.%d.%d%s", CUB_VERSION / 100000,
                  CUB_VERSION / 100 % 1000, CUB_VERSION % 100, suffix);
    return &face;
}
