/* terminal: checks what a stream is and draws the progress line. Hides the control sequences,
 * the clock and the width. A line goes out in one write, so that it cannot be seen half
 * drawn. */
#include "autotune/print/terminal.h"

#include "autotune/device/monotonic.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    BAR_CHARS = 14,
    WIDTH_UNKNOWN = 80,
    WIDTH_OF_FILES = 100,          /* columns, where there is no terminal */
    REDRAW_NS = 100 * 1000 * 1000, /* at most 10 lines a second */
};

#define ERASE_LINE "\r\033[K"

static const uint64_t SECOND_NS = 1000000000;

static bool is_terminal(FILE *stream)
{
    const char *type = getenv("TERM");
    return isatty(fileno(stream)) && type && *type && strcmp(type, "dumb") != 0;
}

bool terminal_has_color(FILE *stream)
{
    const char *refused = getenv("NO_COLOR"); /* https://no-color.org: set and not empty */
    return is_terminal(stream) && !(refused && *refused);
}

/* 0 = it is none, or does not say. */
static int columns_of(FILE *stream)
{
    struct winsize size;
    return ioctl(fileno(stream), TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

int terminal_width(FILE *stream)
{
    const int columns = columns_of(stream);
    return columns ? columns : WIDTH_UNKNOWN;
}

int terminal_room(FILE *stream, int most)
{
    const int columns = columns_of(stream);
    return columns && columns < most ? columns : most;
}

int terminal_output_room(int most)
{
    return terminal_room(stdout, most);
}

/* --- Figures ------------------------------------------------------------------------------ */

/* Looks at the environment's locale, which the program never sets: numbers stay plain. */
static bool is_utf8(void)
{
    locale_t own = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    const bool is_so = own != (locale_t)0 && strcmp(nl_langinfo_l(CODESET, own), "UTF-8") == 0;
    if (own != (locale_t)0)
        freelocale(own);
    return is_so;
}

struct terminal_style terminal_style(FILE *stream)
{
    const char *type = getenv("TERM"), *depth = getenv("COLORTERM");
    const bool has_256 = (type && (strstr(type, "256") || strstr(type, "direct"))) ||
                         (depth && *depth); /* truecolor: more than enough */
    return (struct terminal_style){
        .has_color = terminal_has_color(stream) && has_256,
        .has_utf8 = is_utf8(),
        .width = isatty(fileno(stream)) ? terminal_width(stream) : WIDTH_OF_FILES,
    };
}

int terminal_output_width(void)
{
    return terminal_style(stdout).width;
}

void terminal_bar(struct text *out, double share, int columns,
                  const struct terminal_style *style)
{
    static const char *const parts[] = {"",       "\u258f", "\u258e", "\u258d",
                                        "\u258c", "\u258b", "\u258a", "\u2589"};
    const double within = share > 1 ? 1 : share > 0 ? share : 0;
    const int unit = style->has_utf8 ? 8 : 1;
    const int eighths = (int)(within * columns * unit + 0.5);
    const int whole = eighths / unit, part = style->has_utf8 ? eighths % unit : 0;
    text_adds(out, style->has_color ? "\033[38;5;39m" : "");
    for (int i = 0; i < whole; i++)
        text_adds(out, style->has_utf8 ? "\u2588" : "#");
    text_adds(out, parts[part]);
    text_adds(out, style->has_color ? "\033[0m" : "");
    for (int i = whole + (part > 0); i < columns; i++)
        text_adds(out, " ");
}

/* Bytes of the first `columns` characters. */
static size_t cut_to(const char *string, size_t columns)
{
    size_t at = 0;
    for (size_t seen = 0; string[at]; at++) {
        seen += ((unsigned char)string[at] & 0xc0) != 0x80;
        if (seen > columns)
            break;
    }
    return at;
}

int terminal_columns(const char *string)
{
    int columns = 0;
    for (; *string; string++)
        columns += ((unsigned char)*string & 0xc0) != 0x80;
    return columns;
}

void terminal_label(struct text *out, const char *string, int columns, bool is_right,
                    const struct terminal_style *style)
{
    const char *ellipsis = style->has_utf8 ? "\u2026" : "...";
    struct text label = {0};
    text_add_visible(&label, string);
    out->failed |= label.failed;
    const char *shown = label.at ? label.at : "";
    const int padding = columns - terminal_columns(shown);
    const int kept = columns - terminal_columns(ellipsis);
    if (is_right && padding > 0)
        text_addf(out, "%*s", padding, "");
    if (padding >= 0 || kept < 1) {
        text_add(out, shown, cut_to(shown, (size_t)columns));
    } else {
        text_add(out, shown, cut_to(shown, (size_t)kept));
        text_adds(out, ellipsis);
    }
    if (!is_right && padding > 0)
        text_addf(out, "%*s", padding, "");
    text_dispose(&label);
}

/* The cells differ in brightness only, so that colour vision is not needed. */
void terminal_cell(struct text *out, unsigned step, const char *string,
                   const struct terminal_style *style)
{
    static const unsigned char grounds[TERMINAL_STEPS] = {53, 54, 60, 24, 30, 36, 77, 149, 227};
    enum { FIRST_BRIGHT = 4, WHITE = 231, BLACK = 16 };
    const unsigned at = step < TERMINAL_STEPS ? step : TERMINAL_STEPS - 1;
    if (style->has_color)
        text_addf(out, "\033[48;5;%u;38;5;%um%s\033[0m", (unsigned)grounds[at],
                  (unsigned)(at < FIRST_BRIGHT ? WHITE : BLACK), string);
    else
        text_adds(out, string);
}

/* --- Progress ----------------------------------------------------------------------------- */

void terminal_progress_start(struct terminal_progress *progress, FILE *stream)
{
    *progress = (struct terminal_progress){.stream = stream,
                                           .is_live = is_terminal(stream),
                                           .start_ns = monotonic_ns()};
}

static void add_bar(struct text *line, double share)
{
    int filled = (int)(share * BAR_CHARS);
    text_adds(line, "[");
    for (int i = 0; i < BAR_CHARS; i++)
        text_adds(line, i < filled ? "#" : ".");
    text_adds(line, "]");
}

/* The time left at the pace so far; nothing while there is no pace. */
static void add_time_left(struct text *line, const struct terminal_progress *progress,
                          double share)
{
    const uint64_t start_ns = progress->first_ns ? progress->first_ns : progress->start_ns;
    const double done = (double)progress->before + share;
    const double elapsed = (double)(progress->last_ns - start_ns) / (double)SECOND_NS;
    if (done <= 0)
        return;
    double left = elapsed * ((double)progress->behind + 1 - share) / done;
    if (left >= 100 * 3600)
        return; /* too early for a pace */
    unsigned seconds = (unsigned)(left + 0.5), minutes = seconds / 60, hours = minutes / 60;
    if (hours)
        text_addf(line, "  %u:%02u:%02u left", hours, minutes % 60, seconds % 60);
    else
        text_addf(line, "  %u:%02u left", minutes, seconds % 60);
}

/* Takes the parts' memory. The bar stays, then the time left; of the others as many as fit. */
static void join_parts(struct text *line, struct text *bar, struct text *count,
                       struct text *note, struct text *left, int width)
{
    struct text *const parts[] = {bar, count, note, left};
    const size_t dropped[] = {1, 2};
    int columns = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        columns += parts[i]->length ? terminal_columns(parts[i]->at) : 0;
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped && columns > width; i++) {
        struct text *part = parts[dropped[i]];
        columns -= part->length ? terminal_columns(part->at) : 0;
        text_clear(part);
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        line->failed |= parts[i]->failed;
        if (parts[i]->length)
            text_add(line, parts[i]->at, parts[i]->length);
        text_dispose(parts[i]);
    }
}

static void format_line(struct text *line, const struct terminal_progress *progress,
                        uint64_t done, uint64_t total, const char *note, int width)
{
    struct text bar = {0}, count = {0}, words = {0}, left = {0};
    double share = total ? (double)(done < total ? done : total) / (double)total : 0;
    text_adds(&bar, progress->subject ? progress->subject : "");
    add_bar(&bar, share);
    text_addf(&bar, " %3d %%", (int)(100 * share));
    text_addf(&count, "  %llu/%llu", (unsigned long long)done, (unsigned long long)total);
    if (note && *note) {
        text_adds(&words, "  ");
        text_add_visible(&words, note);
    }
    add_time_left(&left, progress, share);
    join_parts(line, &bar, &count, &words, &left, width);
}

void terminal_progress_show(struct terminal_progress *progress, uint64_t done, uint64_t total,
                            const char *note)
{
    uint64_t now = progress->is_live ? monotonic_ns() : 0;
    if (!progress->is_live || (progress->last_ns && now - progress->last_ns < REDRAW_NS))
        return;
    progress->last_ns = now;
    struct text line = {0}, out = {0};
    /* One column stays free: a character in the last one makes some terminals go down a line.
     */
    const int width = terminal_width(progress->stream) - 1;
    format_line(&line, progress, done, total, note, width);
    text_adds(&out, ERASE_LINE);
    if (!line.failed)
        text_add(&out, line.at, cut_to(line.at, (size_t)width));
    if (!out.failed) {
        fwrite(out.at, 1, out.length, progress->stream);
        fflush(progress->stream);
    }
    text_dispose(&line);
    text_dispose(&out);
}

void terminal_progress_end(struct terminal_progress *progress)
{
    if (progress->is_live && progress->last_ns) {
        fputs(ERASE_LINE, progress->stream);
        fflush(progress->stream);
    }
    progress->is_live = false;
}
