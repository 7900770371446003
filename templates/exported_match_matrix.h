#ifndef PREFIX_MATCH
#define PREFIX_MATCH
/* How well what was tuned fits a device and a matrix. */
enum prefix_match {
    PREFIX_EXACT,       /* tuned for this shape on such a device: compute capability and SMs */
    PREFIX_OTHER_SHAPE, /* on such a device for the shape that is nearest */
    PREFIX_SAME_CC,     /* on another device of the compute capability: nearest shape, then SMs */
    PREFIX_DEFAULT      /* not tuned: works from compute capability 7.0 on */
};
#endif
