/* error: reports what went wrong in one sentence: what, where, and what to do next, with the
 * program's exit code for it. Functions that can fail return 0 or -1 and take a `struct error
 * *` last; on -1 it is always set. Nothing here prints. */
#ifndef AUTOTUNE_ERROR_H
#define AUTOTUNE_ERROR_H

enum error_code {
    ERROR_NONE = 0,
    ERROR_FAILED = 1,        /* anything that fits no other line */
    ERROR_SLOWER = 3,        /* kernels are slower than they were */
    ERROR_USAGE = 64,        /* the command line, a space file or a template is wrong */
    ERROR_NO_DEVICE = 69,    /* no such device, driver or NVRTC */
    ERROR_WRONG = 70,        /* a kernel gave a wrong result */
    ERROR_IO = 74,           /* input or output failed */
    ERROR_NOISY = 75,        /* too noisy to decide */
    ERROR_INTERRUPTED = 130, /* by a signal; what is known is kept */

    /* What a caller of the library tells apart; the program's exit code is that of
     * ERROR_FAILED. */
    ERROR_NO_MEMORY = 256, /* no room on the device, or on the host */
    ERROR_NO_CONTEXT,      /* no CUDA context is current, or the one used was destroyed */
    ERROR_OTHER_CONTEXT,   /* another CUDA context is current */
    ERROR_NO_RECORD,       /* no record of this problem, where one is asked for */
    ERROR_OTHER_GPU,       /* there are records of it, but of another GPU */
    ERROR_NO_PROGRAM,      /* the program `autotune` cannot be started */
    ERROR_TUNE_FAILED,     /* it ran and gave no record */
    ERROR_NOT_GRANTED,     /* the device has not what a launch asks for: another may do */
    ERROR_BUSY,            /* another process has it now: who asks again may get it */
};

struct error {
    enum error_code code;
    char text[2000];
};

/* Sets code and text (printf style, cut to fit; may quote error->text); returns -1, so that
 * `return error_set(...)` works. Control characters, newlines too, become visible: what is quoted may
 * come from anywhere. */
int error_set(struct error *error, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same of several lines: of a compiler's messages, and where an error that may have some is quoted. */
int error_set_lines(struct error *error, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a failed allocation of `bytes`. */
int error_memory(struct error *error, unsigned long long bytes);

/* The program's exit code for it. */
int error_status(enum error_code code);

/* Analyzers see one source at a time: this tells them that both return -1. ANALYZER is of
 * `make analyze`, for gcc's, which has no sign of its own. */
#if defined __clang_analyzer__ || defined ANALYZER
static inline int error_failed(int status)
{
    (void)status;
    return -1;
}
#define error_set(...) error_failed((error_set)(__VA_ARGS__))
#define error_set_lines(...) error_failed((error_set_lines)(__VA_ARGS__))
#define error_memory(...) error_failed((error_memory)(__VA_ARGS__))
#endif

#endif
