#ifndef PREFIX_MATCH
#define PREFIX_MATCH
/* How well what was tuned fits a device and n. */
enum prefix_match {
    PREFIX_EXACT,   /* tuned for this n on such a device: compute capability and SMs */
    PREFIX_OTHER_N, /* on such a device for other n: an interval around n, else the nearest */
    PREFIX_SAME_CC, /* on another device of the compute capability: nearest n, then SMs */
    PREFIX_DEFAULT  /* not tuned: works from compute capability 7.0 on */
};
#endif
