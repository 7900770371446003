/* tune_list_devices: opens each device once. */
#include "autotune/tune/tune_list_devices.h"

#include "autotune/cli/output.h"
#include "autotune/device/claim.h"
#include "autotune/device/cores.h"
#include "autotune/device/device.h"
#include "autotune/tune/tune_notes.h"

void tune_list_warn_of_cores(unsigned local)
{
    const unsigned own = cores_own(), all = cores_of_machine();
    if (own == 1 && all > local)
        output_warn("this process is bound to one of %u cores, and kernels are compiled on all "
                    "that it has: give it more by mpirun --bind-to none, or by srun "
                    "--cpus-per-task",
                    all);
}

int tune_list_note_devices(const struct request *request, const struct device_set *set,
                           struct error *error)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct device_set_kind *kind = &set->kinds[i];
        for (size_t k = 0; k < kind->count; k++) {
            const struct device_options options = {kind->list[k], request->nvrtc, 1};
            struct device *device;
            if (device_open(&device, &options, error))
                return -1;
            if (k == 0)
                tune_notes_device(request, &device->info, kind->count);
            if (!request->dry_run && !request->replay && !claim_gpu(device->info.uuid))
                output_warn("another autotune measures on GPU %s (%s), and each spoils the "
                            "other's times: give each a GPU of its own, by srun "
                            "--gpus-per-task=1 or CUDA_VISIBLE_DEVICES",
                            device->info.spec, device->info.uuid);
            device_close(device);
        }
    }
    return 0;
}
