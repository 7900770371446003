//? if PIECE == OPENED
#if defined(__CUDA_ARCH_LIST__) && !defined(__CUDA_ARCH__) && !defined(PREFIX_NO_ARCH_WARNING)
/* Has the build an architecture from `cc` on? nvcc tells the host's pass all of them. */
#define PREFIX_COMPILES_FOR(cc) PREFIX_IS_ANY(cc, __CUDA_ARCH_LIST__, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
#define PREFIX_IS_ANY(cc, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, \
    x, ...) ((a) >= cc || (b) >= cc || (c) >= cc || (d) >= cc || (e) >= cc || (f) >= cc || \
    (g) >= cc || (h) >= cc || (i) >= cc || (j) >= cc || (k) >= cc || (l) >= cc || (m) >= cc || \
    (n) >= cc || (o) >= cc || (p) >= cc || (q) >= cc || (r) >= cc || (s) >= cc || (t) >= cc || \
    (u) >= cc || (v) >= cc || (w) >= cc || (x) >= cc)
//? else
#undef PREFIX_COMPILES_FOR
#undef PREFIX_IS_ANY
#endif
//? end
