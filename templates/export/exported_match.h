#ifndef PREFIX_MATCH
#define PREFIX_MATCH
/* How well what was tuned fits a device and what is to be reduced. */
enum prefix_match {
    PREFIX_EXACT,   /* tuned for just this on such a device: architecture, SMs and memory */
    PREFIX_NEAREST, /* on such a device for another size: the nearest */
    PREFIX_SAME_CC, /* on another device of the compute capability: the nearest, then by SMs */
    PREFIX_DEFAULT, /* not tuned: works from compute capability 7.0 on */
//? if OUTER == 1 && INNER == 1 && DEPTH_STRIDE == 1
    PREFIX_OTHER_N = PREFIX_NEAREST
//? else
    PREFIX_OTHER_SHAPE = PREFIX_NEAREST
//? end
};
#endif
