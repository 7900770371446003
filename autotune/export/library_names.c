/* library_names: lists what a prefix must not be. Names that are alike are told by how they begin
 * or end, the others stand in a list: those of glibc's headers, of CUDA's, and of C++ without a
 * namespace. Hides the list; tests/unit/test_prefix.c compiles what is not in it. */
#include "autotune/export/library_names.h"

#include "generator/words.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
static const char names[] =
    " CUuuid L_ctermid L_cuserid L_tmpnam P_tmpdir a64l abort abs acos acosh alignas"
    " aligned_alloc alignof alloca and_eq arc4random arc4random_buf arc4random_uniform"
    " asctime asin asinh asprintf assert assert_perror atan atan2 atanh atexit atof atoi"
    " atol atomicAdd atomicAnd atomicCAS atomicDec atomicExch atomicInc atomicMax atomicMin"
    " atomicOr atomicSub atomicXor bcmp bcopy be16toh be32toh be64toh bitand bitor blockDim"
    " blockIdx bsearch bzero calloc canonicalize canonicalize_file_name cbrt ceil char8_t"
    " clearenv clearerr clock clock64 clock_adjtime clock_getcpuclockid clock_getres"
    " clock_gettime clock_nanosleep clock_settime close co_await co_return co_yield compl"
    " concept consteval constexpr constinit copysign cos cosh cospi ctermid ctime cuserid"
    " daddl daylight ddivl decltype dfmal difftime div dmull dp2a dp4a dprintf drand48 drem"
    " dsqrtl dsubl dynamic_cast dysize ecvt erand48 erf erfc erfcinv erfcx erfinv errno exit"
    " exp exp10 exp2 explicit_bzero expm1 fabs fadd fclose fcloseall fcvt fd_mask fd_set"
    " fdim fdiv fdivide fdopen feof ferror fflush ffma ffs fgetc fgetpos fgets fileno finite"
    " flockfile floor fma fmax fmaximum fmaximum_mag fmaximum_mag_num fmaximum_num fmaxmag"
    " fmemopen fmin fminimum fminimum_mag fminimum_mag_num fminimum_num fminmag fmod fmul"
    " fopen fopencookie fpclassify fprintf fputc fputs fread free freopen frexp fromfp"
    " fromfpx fscanf fseek fseeko fsetpos fsqrt fsub ftell ftello ftrylockfile funlockfile"
    " fwrite gamma gcvt getc getchar getdate getdate_err getdelim getenv getline getloadavg"
    " getpayload getpt getsubopt getw gmtime grantpt gridDim half htobe16 htobe32 htobe64"
    " htole16 htole32 htole64 hypot ilogb index initstate isalnum isalpha isascii isblank"
    " iscanonical iscntrl isctype isdigit iseqsig isfinite isgraph isgreater isgreaterequal"
    " isinf isinff isinfl isless islessequal islessgreater islower isnan isnanf isnanl"
    " isnormal isprint ispunct issignaling isspace issubnormal isunordered isupper isxdigit"
    " iszero itimerspec j0 j1 jmp_buf jn jrand48 l64a labs lcong48 ldexp ldiv le16toh"
    " le32toh le64toh lgamma libraryPropertyType linux llabs lldiv llmax llmin llogb llrint"
    " llround localeconv localtime log log10 log1p log2 logb longjmp lrand48 lrint lround"
    " main malloc math_errhandling max mblen mbstowcs mbtowc memccpy memchr memcmp memcpy"
    " memfrob memmem memmove mempcpy memrchr memset min mkdtemp mkostemp mkostemps mkstemp"
    " mkstemps mktemp mktime modf mrand48 nan nanosleep nearbyint nextafter nextdown"
    " nexttoward nextup noexcept norm norm3d norm4d normcdf normcdfinv not_eq nrand48"
    " nullptr obstack_printf obstack_vprintf offsetof on_exit open_memstream or_eq pclose"
    " perror popen posix_memalign posix_openpt pow printf pselect pthread_self ptsname putc"
    " putchar putenv puts putw qecvt qfcvt qgcvt qsort quick_exit raise rand random random_r"
    " rawmemchr rcbrt read realloc reallocarray realpath reinterpret_cast remainder remove"
    " remquo rename renameat renameat2 requires rewind rhypot rindex rint rnorm rnorm3d"
    " rnorm4d round roundeven rpmatch rsqrt scalb scalbln scalbn scanf secure_getenv seed48"
    " select setbuf setbuffer setenv setjmp setlinebuf setlocale setpayload setpayloadsig"
    " setstate setvbuf sigabbrev_np sigdescr_np sigevent signal signbit signgam significand"
    " sin sincos sincospi sinh sinpi snprintf sprintf sqrt srand srand48 srandom sscanf"
    " static_assert static_cast std stderr stdin stdout stpcpy stpncpy strcasecmp strcasestr"
    " strcat strchr strchrnul strcmp strcoll strcpy strcspn strdup strdupa strerror"
    " strerrordesc_np strerrorname_np strfromd strfromf strfromf32 strfromf32x strfromf64"
    " strfromf64x strfroml strfry strftime strlen strncasecmp strncat strncmp strncpy"
    " strndup strndupa strnlen strpbrk strptime strrchr strsep strsignal strspn strstr"
    " strtod strtof strtof32 strtof32x strtof64 strtof64x strtok strtol strtold strtoq"
    " strtoul strtouq strverscmp strxfrm syncthreads_and syncthreads_count syncthreads_or"
    " system tan tanh tempnam tgamma threadIdx thread_local time timegm timelocal"
    " timer_create timer_delete timer_getoverrun timer_gettime timer_settime timespec"
    " timespec_get timespec_getres timeval timezone tm tmpfile tmpnam toascii tolower"
    " totalorder totalordermag toupper trunc typeid typename typeof tzname tzset u_char"
    " u_int u_long u_short ufromfp ufromfpx uint ullmax ullmin ulong umax umin ungetc unix"
    " unlockpt unsetenv ushort va_arg va_copy va_end va_list va_start valloc vasprintf"
    " vdprintf vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf warpSize wchar_t"
    " wcstombs wctomb write xor_eq y0 y1 yn ";/* clang-format on */

static bool begins(const char *word, const char *start)
{
    return strncmp(word, start, strlen(start)) == 0;
}

/* Begins a whole family there: cudaMalloc, tex2D, float4, make_int2, f32addf64. */
static bool is_in_family(const char *word)
{
    static const char *const starts[] = {"cuda",   "CU",    "tex1D", "tex2D",      "tex3D",
                                         "texCub", "surf1", "surf2", "surf3",      "surfCub",
                                         "make_",  "f32",   "f64",   "cyl_bessel_"};
    static const char *const vectors[] = {"char",     "short", "int",    "long",
                                          "longlong", "float", "double", "dim"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (begins(word, starts[i]))
            return true;
    word += *word == 'u';
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (begins(word, vectors[i]) && strspn(word + strlen(vectors[i]), "1234") == 1)
            return true;
    return false;
}

/* Is a macro, by the rule that macros have no small letter, or a type of POSIX. */
static bool is_by_rule(const char *word)
{
    const size_t length = strlen(word);
    return strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == length ||
           begins(word, "M_") || (length > 2 && strcmp(word + length - 2, "_t") == 0);
}

/* The names of one function for several types, or for threads. */
static bool is_variant(const char *word)
{
    static const char *const ends[] = {"f",    "l",    "ll", "f32", "f64", "f32x",
                                       "f64x", "f128", "_r", "_l",  "64",  "_unlocked"};
    const size_t length = strlen(word);
    char start[80];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t end = strlen(ends[i]);
        if (length <= end || length >= sizeof start ||
            strcmp(word + length - end, ends[i]) != 0)
            continue;
        snprintf(start, sizeof start, "%.*s", (int)(length - end), word);
        if (words_has(names, start))
            return true;
    }
    return false;
}

bool library_names_has(const char *word)
{
    return is_by_rule(word) || is_in_family(word) || words_has(names, word) || is_variant(word);
}
