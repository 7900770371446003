/* roofline: computes what each unit of a GPU lets a kernel reach, in GB/s: its memory, its L2 cache, the
 * bytes that the kernel keeps in flight, the issue of its instructions, the start of its blocks, its
 * atomic operations. The lowest of these roofs is the one that it can be at. */
#ifndef AUTOTUNE_ROOFLINE_H
#define AUTOTUNE_ROOFLINE_H

#include "autotune/compare/compare.h"
#include "autotune/print/table.h"

enum roofline_roof {
    ROOFLINE_MEMORY,
    ROOFLINE_L2,
    ROOFLINE_FLIGHT,
    ROOFLINE_ISSUE,
    ROOFLINE_BLOCKS,
    ROOFLINE_ATOMICS,
    ROOFLINE_ROOFS
};
extern const char *const roofline_names[ROOFLINE_ROOFS]; /* "memory", "L2", "in flight", ... */

/* A GPU, in units a second; 0 = not known. */
struct roofline_gpu {
    double sms;
    double memory;       /* bytes, in theory */
    double l2;           /* bytes, as fast as any warm kernel was */
    double instructions; /* of threads */
    double blocks;       /* of a kernel that does nothing */
    double atomics;      /* on global memory, as many as any kernel did */
};

/* What a call of a kernel does; 0 = not known. */
struct roofline_work {
    double bytes;        /* read and written */
    double instructions; /* of threads */
    double blocks, atomics;
    double in_flight,
        wanted;   /* bytes on an SM; wanted: for the memory's full speed, at the least */
    bool is_warm; /* its bytes may be in the L2 cache */
};

struct roofline_kernel {
    char name[272];
    unsigned group;               /* of kernels that belong together */
    double gbs;                   /* that it reached; 0 = not known */
    double per_byte;              /* instructions of threads; 0 = not known */
    bool is_warm;                 /* not limited by the memory, then, but by the L2 cache */
    double roofs[ROOFLINE_ROOFS]; /* GB/s; 0 = not known */
};

/* Fills in all but name and group. */
void roofline_fill(struct roofline_kernel *out, const struct roofline_gpu *gpu,
                   const struct roofline_work *work, double gbs);

/* The lowest roof; false: none is known, and `out` is the memory. */
bool roofline_lowest(enum roofline_roof *out, const struct roofline_kernel *kernel);

/* The GPU of a side of the comparison: the L2 cache from its warm records. */
void roofline_gpu(struct roofline_gpu *out, const struct compare *compare, size_t side);

/* A kernel of a line on that GPU; false: nothing was measured or analysed. */
bool roofline_cell(struct roofline_kernel *out, const struct roofline_gpu *gpu,
                   const struct compare_line *line, size_t side);

/* A row for each kernel: what it reached, each roof, and which is the lowest. Columns of which nothing
 * is known are left out. `columns` has room for ROOFLINE_COLUMNS and lives as long as the table. */
enum { ROOFLINE_COLUMNS = 3 + ROOFLINE_ROOFS };
void roofline_table(struct table *out, struct table_column columns[ROOFLINE_COLUMNS],
                    const struct roofline_kernel *kernels, size_t count);

/* Appends such a table for each GPU of the comparison of which kernels are known. */
void roofline_print(struct text *out, const struct compare *compare, bool bold_titles);

#endif
