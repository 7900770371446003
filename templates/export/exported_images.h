#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What cuModuleLoadData takes, and the kernels in it as cuModuleGetFunction knows them. */
struct prefix_image {
    int cc, is_ptx; /* compute capability that it is compiled for, 90 for 9.0 */
    const unsigned char *bytes;
    size_t size;
    const char *const *names; /* by the kernel of a step; 0: needs a newer architecture */
};

extern const struct prefix_image prefix_images[];
extern const int prefix_image_count;

/* The image for a device of this compute capability: machine code of the same major version,
 * else the newest PTX that it takes; 0 when the device is too old for all. With its cc as the device's
 * `code`, prefix_select chooses among the rows whose kernels are in it. */
const struct prefix_image *prefix_find_image(int cc);

#ifdef __cplusplus
}
#endif

#endif
