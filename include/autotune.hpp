/* autotune for C++17: the functions of autotune.h as objects that free themselves, with exceptions
 * and types, and device-wide calls with the signature of CUB's, so that a call site changes by name:
 *
 *     cub::DeviceReduce::Sum(temp, bytes, in, out, n, stream);
 *     autotune::sum(temp, bytes, in, out, n, stream);
 *
 * Header only, over the C library. Operations are names or texts, no lambdas: a kernel is compiled
 * by NVRTC, which sees nothing of the program. What the C calls promise of threads, streams, forks
 * and alignment holds here. */
#ifndef AUTOTUNE_HPP
#define AUTOTUNE_HPP

#include "autotune.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace autotune
{

/* --- Errors ------------------------------------------------------------------------------- */

/* A failure of the library: its sentence, and its enum autotune_code. */
class error : public std::runtime_error
{
  public:
    explicit error(const autotune_error &from) : std::runtime_error(from.text), code_(from.code)
    {
    }
    int code() const noexcept
    {
        return code_;
    }

  private:
    int code_;
};

namespace detail
{

inline void check(int code, const autotune_error &from)
{
    if (code != AUTOTUNE_OK)
        throw error(from);
}

/* The value of a param, in the type that the library calls so. */
union number {
    std::int32_t i32;
    std::uint32_t u32;
    std::int64_t i64;
    std::uint64_t u64;
    float f32;
    double f64;
};

template <class T> number number_of(const char *type, T value)
{
    const std::string name = type;
    number made = {};
    if (name == "i32")
        made.i32 = static_cast<std::int32_t>(value);
    else if (name == "u32")
        made.u32 = static_cast<std::uint32_t>(value);
    else if (name == "i64")
        made.i64 = static_cast<std::int64_t>(value);
    else if (name == "u64")
        made.u64 = static_cast<std::uint64_t>(value);
    else if (name == "f32")
        made.f32 = static_cast<float>(value);
    else
        made.f64 = static_cast<double>(value);
    return made;
}

[[noreturn]] inline void refuse(const std::string &why)
{
    autotune_error from = {};
    from.code = AUTOTUNE_BAD_ARGUMENT;
    std::strncpy(from.text, why.c_str(), sizeof from.text - 1);
    throw error(from);
}

} // namespace detail

/* --- Types -------------------------------------------------------------------------------- */

/* What the library calls a type of elements or results. A program that has others says so:
 *     template <> struct autotune::type_name<__half> : autotune::named<'f', 16> {};
 * and 'b' of 16 bits is bf16. */
template <char Kind, int Bits> struct named {
    static const char *get()
    {
        static const std::string name =
            (Kind == 'b' ? std::string("bf") : std::string(1, Kind)) + std::to_string(Bits);
        return name.c_str();
    }
};
template <class T> struct type_name; /* of no other type */
template <> struct type_name<std::int8_t> : named<'i', 8> {
};
template <> struct type_name<std::uint8_t> : named<'u', 8> {
};
template <> struct type_name<std::int16_t> : named<'i', 16> {
};
template <> struct type_name<std::uint16_t> : named<'u', 16> {
};
template <> struct type_name<int> : named<'i', 32> {
};
template <> struct type_name<unsigned> : named<'u', 32> {
};
template <> struct type_name<long> : named<'i', 8 * sizeof(long)> {
};
template <> struct type_name<unsigned long> : named<'u', 8 * sizeof(long)> {
};
template <> struct type_name<long long> : named<'i', 64> {
};
template <> struct type_name<unsigned long long> : named<'u', 64> {
};
template <> struct type_name<float> : named<'f', 32> {
};
template <> struct type_name<double> : named<'f', 64> {
};

/* --- Problems ----------------------------------------------------------------------------- */

/* n elements of T to one value; a value for each row, or each column, of a matrix; a value for each
 * of n elements. Other fields of autotune_problem (acc, order, is_warm) are set behind it. */
template <class T> autotune_problem value(const char *op, std::uint64_t n)
{
    autotune_problem problem = {};
    problem.op = op;
    problem.type = type_name<T>::get();
    problem.n = n;
    return problem;
}

template <class T>
autotune_problem columns(const char *op, std::uint64_t rows, std::uint64_t len,
                         std::uint64_t pitch = 0)
{
    autotune_problem problem = value<T>(op, 0);
    problem.rows = rows;
    problem.len = len;
    problem.pitch = pitch;
    return problem;
}

template <class T>
autotune_problem rows(const char *op, std::uint64_t rows, std::uint64_t len,
                      std::uint64_t pitch = 0)
{
    autotune_problem problem = columns<T>(op, rows, len, pitch);
    problem.axis = 1;
    return problem;
}

template <class T>
autotune_problem scan(const char *op, std::uint64_t n, autotune_scan kind = AUTOTUNE_INCLUSIVE)
{
    autotune_problem problem = value<T>(op, n);
    problem.scan = kind;
    return problem;
}

/* An operation of one's own, from the text of its file: what the functions above take as `op`. */
inline const char *operation(const char *name, const char *text)
{
    const char *op = nullptr;
    autotune_error from = {};
    detail::check(autotune_operation_read(&op, name, text, &from), from);
    return op;
}

/* --- Objects ------------------------------------------------------------------------------ */

/* Each is a handle: copies share what it stands for, which ends with the last of them and of what
 * was made from it. */
class context
{
  public:
    /* The GPU whose CUDA context is current, or "host", the emulator. */
    explicit context(const char *device = nullptr) : context(options_of(device))
    {
    }
    explicit context(const autotune_context_options &options)
    {
        autotune_context *made = nullptr;
        autotune_error from = {};
        detail::check(autotune_context_create(&made, &options, &from), from);
        at_.reset(made, [](autotune_context *at) { autotune_context_destroy(at, nullptr); });
    }
    autotune_context *get() const noexcept
    {
        return at_.get();
    }

  private:
    static autotune_context_options options_of(const char *device)
    {
        autotune_context_options options = {};
        options.device = device;
        return options;
    }
    std::shared_ptr<autotune_context> at_;
};

class plan
{
  public:
    plan(const context &of, const autotune_problem &problem,
         const autotune_plan_options &options = {})
        : context_(of)
    {
        autotune_plan *made = nullptr;
        autotune_error from = {};
        detail::check(autotune_plan_create(&made, of.get(), &problem, &options, &from), from);
        at_.reset(made, [](autotune_plan *at) { autotune_plan_destroy(at, nullptr); });
        type_ = problem.type;
    }
    autotune_plan *get() const noexcept
    {
        return at_.get();
    }
    std::uint64_t n() const noexcept
    {
        return autotune_plan_n(get());
    }
    std::uint64_t results() const noexcept
    {
        return autotune_plan_results(get());
    }
    std::size_t workspace_bytes() const noexcept
    {
        return autotune_plan_workspace_bytes(get());
    }
    autotune_grade grade() const noexcept
    {
        return autotune_plan_grade(get());
    }
    std::string type() const
    {
        return type_;
    }
    std::string result_type() const
    {
        return autotune_plan_result_type(get());
    }
    std::string params() const
    {
        return autotune_plan_params(get());
    }
    std::string origin() const
    {
        return autotune_plan_origin(get());
    }
    std::string advice() const
    {
        return autotune_plan_advice(get());
    }
    std::string warning() const
    {
        return autotune_plan_warning(get());
    }

    /* Throws where its elements are not of type In, or its results not of type Out. */
    template <class In, class Out> void check_types() const
    {
        if (std::strcmp(type_.c_str(), type_name<In>::get()) != 0 ||
            std::strcmp(autotune_plan_result_type(get()), type_name<Out>::get()) != 0)
            detail::refuse("the plan takes " + type() + " and gives " + result_type() +
                           ", and the call has " + type_name<In>::get() + " and " +
                           type_name<Out>::get() + ": give pointers of the plan's types");
    }

  private:
    context context_; /* ends after the plan */
    std::string type_;
    std::shared_ptr<autotune_plan> at_;
};

/* For one call in flight at a time. */
class workspace
{
  public:
    /* Of memory of its own; or of memory of the caller's, 256-byte aligned, plan.workspace_bytes(). */
    explicit workspace(const plan &of, void *stream = nullptr, void *memory = nullptr)
        : plan_(of)
    {
        autotune_workspace *made = nullptr;
        autotune_error from = {};
        detail::check(autotune_workspace_create(&made, of.get(), memory, stream, &from), from);
        at_.reset(made,
                  [](autotune_workspace *at) { autotune_workspace_destroy(at, nullptr); });
    }
    autotune_workspace *get() const noexcept
    {
        return at_.get();
    }

    /* As autotune_execute: n elements, or rows of a matrix. */
    template <class In, class Out>
    void execute(const In *input, std::uint64_t n, Out *output, void *stream = nullptr) const
    {
        plan_.check_types<In, Out>();
        autotune_error from = {};
        detail::check(autotune_execute(get(), input, n, output, stream, &from), from);
    }
    /* The same with values of the operation's own params, in the order of its file, each converted to
     * its type as C++ converts numbers; those behind the last have their usual value. */
    template <class In, class Out, class... Params>
    void execute(const In *input, std::uint64_t n, Out *output, void *stream,
                 const Params &...params) const
    {
        plan_.check_types<In, Out>();
        const std::size_t wanted = autotune_plan_op_param_count(plan_.get());
        if (sizeof...(params) > wanted)
            detail::refuse("the call gives " + std::to_string(sizeof...(params)) +
                           " params, and the operation has " + std::to_string(wanted));
        std::size_t k = 0;
        const detail::number values[] = {
            detail::number_of(autotune_plan_op_param_type(plan_.get(), k++), params)...};
        autotune_call call = {};
        call.size = sizeof call;
        call.inputs[0].data = input;
        call.outputs[0] = output;
        call.n = n;
        call.stream = stream;
        for (std::size_t i = 0; i < sizeof...(params); i++)
            call.params[i] = &values[i];
        autotune_error from = {};
        detail::check(autotune_execute_call(get(), &call, &from), from);
    }
    /* As autotune_workspace_reset. */
    void reset(void *stream = nullptr) const
    {
        autotune_error from = {};
        detail::check(autotune_workspace_reset(get(), stream, &from), from);
    }

  private:
    plan plan_;
    std::shared_ptr<autotune_workspace> at_;
};

/* Reduces what lies in the host's memory: one call at a time. */
class pipeline
{
  public:
    pipeline(const context &of, const autotune_problem &problem,
             const autotune_plan_options &options = {})
        : context_(of)
    {
        autotune_pipeline *made = nullptr;
        autotune_error from = {};
        detail::check(autotune_pipeline_create(&made, of.get(), &problem, &options, nullptr,
                                               &from),
                      from);
        at_.reset(made, [](autotune_pipeline *at) { autotune_pipeline_destroy(at, nullptr); });
        autotune_pipeline_info info = {};
        autotune_pipeline_describe(made, &info);
        type_ = problem.type;
        result_type_ = autotune_plan_result_type(info.plan);
    }
    autotune_pipeline *get() const noexcept
    {
        return at_.get();
    }

    template <class In, class Out>
    void execute(const In *input, std::uint64_t n, Out *output) const
    {
        if (type_ != type_name<In>::get() || result_type_ != type_name<Out>::get())
            detail::refuse("the pipeline takes " + type_ + " and gives " + result_type_ +
                           ": give pointers of these types");
        autotune_error from = {};
        detail::check(autotune_execute_host(get(), input, n, output, &from), from);
    }
    /* Of a vector, an array, a span: pipeline.reduce<float>(elements). */
    template <class Out, class Elements> Out reduce(const Elements &elements) const
    {
        Out result = {};
        execute(std::data(elements), std::size(elements), &result);
        return result;
    }

  private:
    context context_;
    std::string type_, result_type_;
    std::shared_ptr<autotune_pipeline> at_;
};

/* --- Device-wide calls, as CUB has them --------------------------------------------------- */

/* Where `temp` is null a call says in `bytes` how much device memory it needs, and does nothing else.
 * With that much, 256-byte aligned, at `temp` it queues the reduction of n elements on `stream`.
 * `temp` may hold anything, and be used for other things between calls.
 *
 * Unlike CUB's, the first call of a type and of each power of two of n makes a plan, and the first
 * with a `temp` a workspace, which waits for its stream: neither may be within a capture. Results
 * have the accumulator's type, of 32 bits at least: Out says which. From any thread. Calls are for
 * one GPU, whose CUDA context is current at the first of them: for several make an object each. */
class device_calls
{
  public:
    explicit device_calls(const autotune_context_options &options = {}) : context_(options)
    {
    }
    device_calls(const device_calls &) = delete;
    device_calls &operator=(const device_calls &) = delete;

    template <class In, class Out>
    void reduce(const char *op, void *temp, std::size_t &bytes, const In *in, Out *out,
                std::uint64_t n, void *stream = nullptr, autotune_scan kind = AUTOTUNE_NO_SCAN)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const key wanted{op, type_name<In>::get(), type_name<Out>::get(), kind, capacity(n)};
        auto known = plans_.find(wanted);
        if (known == plans_.end())
            known = plans_.emplace(wanted, make_plan<In, Out>(wanted)).first;
        const plan &made = known->second;
        if (!temp)
            bytes = made.workspace_bytes();
        else if (bytes < made.workspace_bytes())
            detail::refuse("temp has " + std::to_string(bytes) + " bytes, and the call needs " +
                           std::to_string(made.workspace_bytes()) +
                           ": a call with temp null says so");
        else
            cleared_workspace(made, temp, stream).execute(in, n, out, stream);
    }

    /* That of the functions below. */
    static device_calls &shared()
    {
        static device_calls calls;
        return calls;
    }

  private:
    /* Operation, types of elements and results, scan, the most elements. */
    using key = std::tuple<std::string, std::string, std::string, int, std::uint64_t>;
    static constexpr std::size_t WORKSPACES = 256; /* kept for the next call */

    static std::uint64_t capacity(std::uint64_t n)
    {
        std::uint64_t most = 1024;
        while (most < n && most < (std::uint64_t(1) << 62))
            most *= 2;
        return most;
    }

    /* Elements are taken as the results' type, where that is an accumulator's; else as usual. */
    template <class In, class Out> plan make_plan(const key &wanted) const
    {
        autotune_problem problem = value<In>(std::get<0>(wanted).c_str(), std::get<4>(wanted));
        problem.scan = std::get<3>(wanted);
        problem.acc = type_name<Out>::get();
        try {
            const plan made(context_, problem);
            made.check_types<In, Out>();
            return made;
        } catch (const error &failure) {
            if (failure.code() != AUTOTUNE_BAD_ARGUMENT)
                throw;
        }
        problem.acc = nullptr;
        const plan made(context_, problem);
        made.check_types<In, Out>();
        return made;
    }

    const workspace &cleared_workspace(const plan &of, void *memory, void *stream)
    {
        const auto place = std::make_pair(of.get(), memory);
        const auto found = workspaces_.find(place);
        if (found != workspaces_.end()) {
            found->second.reset(stream);
            return found->second;
        }
        if (workspaces_.size() == WORKSPACES)
            workspaces_.clear();
        return workspaces_.emplace(place, workspace(of, stream, memory)).first->second;
    }

    std::mutex mutex_;
    context context_;
    std::map<key, plan> plans_;
    std::map<std::pair<autotune_plan *, void *>, workspace> workspaces_;
};

template <class In, class Out>
void reduce(const char *op, void *temp, std::size_t &bytes, const In *in, Out *out,
            std::uint64_t n, void *stream = nullptr)
{
    device_calls::shared().reduce(op, temp, bytes, in, out, n, stream);
}

template <class In, class Out>
void sum(void *temp, std::size_t &bytes, const In *in, Out *out, std::uint64_t n,
         void *stream = nullptr)
{
    reduce("sum", temp, bytes, in, out, n, stream);
}

template <class In, class Out>
void min(void *temp, std::size_t &bytes, const In *in, Out *out, std::uint64_t n,
         void *stream = nullptr)
{
    reduce("min", temp, bytes, in, out, n, stream);
}

template <class In, class Out>
void max(void *temp, std::size_t &bytes, const In *in, Out *out, std::uint64_t n,
         void *stream = nullptr)
{
    reduce("max", temp, bytes, in, out, n, stream);
}

/* The place of the first of the least or greatest, and not its value. */
template <class In>
void argmin(void *temp, std::size_t &bytes, const In *in, std::uint64_t *out, std::uint64_t n,
            void *stream = nullptr)
{
    reduce("argmin", temp, bytes, in, out, n, stream);
}

template <class In>
void argmax(void *temp, std::size_t &bytes, const In *in, std::uint64_t *out, std::uint64_t n,
            void *stream = nullptr)
{
    reduce("argmax", temp, bytes, in, out, n, stream);
}

template <class In, class Out>
void inclusive_sum(void *temp, std::size_t &bytes, const In *in, Out *out, std::uint64_t n,
                   void *stream = nullptr)
{
    device_calls::shared().reduce("sum", temp, bytes, in, out, n, stream, AUTOTUNE_INCLUSIVE);
}

template <class In, class Out>
void exclusive_sum(void *temp, std::size_t &bytes, const In *in, Out *out, std::uint64_t n,
                   void *stream = nullptr)
{
    device_calls::shared().reduce("sum", temp, bytes, in, out, n, stream, AUTOTUNE_EXCLUSIVE);
}

} // namespace autotune

#endif
