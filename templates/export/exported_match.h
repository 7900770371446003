#ifndef PREFIX_FIT
#define PREFIX_FIT
/* How well what was tuned fits a device and what is to be reduced. */
enum prefix_fit {
    PREFIX_EXACT,   /* tuned for just this on such a device: architecture, SMs and memory */
    PREFIX_NEAREST, /* for another size on such a device: the nearest that was tuned */
    PREFIX_SAME_CC, /* on another device of its compute capability, of the most similar number of SMs */
    PREFIX_DEFAULT  /* not tuned: works from compute capability 7.0 on */
};
#endif
