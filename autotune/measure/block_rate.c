/* block_rate: compiles an empty kernel, and times one launch of it as all else is timed. */
#include "autotune/measure/block_rate.h"

#include "autotune/measure/stats.h"

enum { THREADS = 32, TIMES = 5 };

static const struct device_source source =
    {"__global__ void start(unsigned long long *unused) { }\n", "start"};

static int time_launch(struct device *device, const struct device_launch *launch,
                       uint64_t times[TIMES], struct error *error)
{
    struct device_graph *graph;
    if (device->ops->prepare(device, launch, 1, &graph, error))
        return -1;
    int failed = 0;
    for (size_t i = 0; i < TIMES && !failed; i++)
        failed = device->ops->time(device, graph, NULL, 0, &times[i], error);
    device->ops->release(device, graph);
    return failed;
}

int block_rate_measure(struct device *device, unsigned grid, double *out_per_second,
                       struct error *error)
{
    struct device_image image;
    struct device_module *module;
    struct device_kernel kernel;
    uint64_t times[TIMES];
    if (device->ops->compile(device, &source, 1, &image, error))
        return -1;
    int failed = device->ops->load(device, &image, &module, &kernel, error);
    device_dispose_image(&image);
    if (failed)
        return -1;
    const struct device_launch launch = {.kernel = &kernel,
                                         .grid = grid,
                                         .block = THREADS,
                                         .arg_count = 1};
    failed = time_launch(device, &launch, times, error);
    device->ops->unload(device, module);
    if (!failed)
        *out_per_second = grid * 1e12 / (double)(stats_median(times, TIMES) + 1);
    return failed ? -1 : 0;
}
