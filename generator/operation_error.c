/* operation_error: notes the values of all nodes while a function is evaluated, with what each adds to the error
 * and its derivatives by its arguments; then goes back through the nodes, once for each field of the result, and sums
 * what all of these errors make of it. */
#include "generator/operation_error.h"

#include "generator/operation_node.h"
#include "generator/operation_type.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES = 32, /* at a time: all nodes of so many stay in the cache */
    ARGS = 3    /* of what computes */
};

/* What a node, or a field of one, gives. */
struct slot {
    double value[LANES];
    double own[LANES]; /* the error that it adds */
    double off[LANES]; /* how far it may be off, taken without regard to what has one origin */
    double part[ARGS][LANES]; /* derivatives by its arguments */
    double slope[LANES];      /* the result's derivative by it */
    uint8_t flags[LANES];
    bool is_literal; /* it is off by nothing */
};

/* A node that computes, or a field of one, and the fields of the function's value that depend on it. */
struct back_step {
    int node, field;
    unsigned reaches;
};

/* The steps of a function in the order in which they are run, without literals. */
struct way {
    struct back_step *steps;
    int count;
    unsigned *reaches; /* the same of each slot */
};

struct operation_error {
    const struct operation_text *text;
    const uint8_t *types;
    enum operation_type acc;
    int fields;
    struct operation_eval *eval;
    struct slot *slots;
    int slot_count;
    int (*slots_of)[OPERATION_FIELDS_MAX]; /* of each node, by field */
    struct way ways[OPERATION_PARTS];
    enum operation_part part; /* the one that is run */
};

/* All lanes, whether they are used or not: loops of a known number run several at a time. */
#if defined __GNUC__ && !defined __clang__
#define APART _Pragma("GCC ivdep")
#else
#define APART
#endif
#define EACH(to, expression) APART for (size_t k = 0; k < LANES; k++)(to)[k] = (expression)

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* --- Where values are --------------------------------------------------------------------- */

/* The first slots are of x, i; a, b; a, n. */
static int slot_of_name(const struct operation_error *self, int name, int field)
{
    const bool is_second = name == OPERATION_I || name == OPERATION_B || name == OPERATION_N;
    return (is_second ? self->fields : 0) + field;
}

/* A node that only names another value, or puts values together, has no slot of its own. */
static int find_slot(const struct operation_error *self, int at, int field)
{
    const struct operation_node *node = &self->text->nodes[at];
    switch (node->kind) {
    case NODE_NAME: return slot_of_name(self, node->index, field);
    case NODE_LET: return find_slot(self, self->text->lets[node->index].root, field);
    case NODE_FIELD: return find_slot(self, node->args[0], node->index);
    case NODE_MAKE: return find_slot(self, node->args[field], 0);
    default: return self->slots_of[at][0] + field;
    }
}

static int fields_of(const struct operation_error *self, int at)
{
    return self->types[at] == STRUCT_TYPE ? self->fields : 1;
}

static void place_slots(struct operation_error *self)
{
    const struct operation_text *text = self->text;
    self->slot_count = 2 * self->fields;
    for (int at = 0; at < text->node_count; at++) {
        self->slots_of[at][0] = self->slot_count;
        self->slot_count += fields_of(self, at);
    }
    for (int at = text->node_count; at-- > 0;) /* those before it are as they were */
        for (int f = fields_of(self, at); f-- > 0;)
            self->slots_of[at][f] = find_slot(self, at, f);
}

static struct slot *arg_slot(const struct operation_error *self, int at, int arg, int field)
{
    return &self->slots[self->slots_of[self->text->nodes[at].args[arg]][field]];
}

/* --- What a node does to errors ----------------------------------------------------------- */

/* A node's arguments and what is found of it. */
struct step {
    enum operation_kind kind;
    enum operation_type type, from; /* its own, its first argument's */
    double unit;                    /* the type's unit roundoff */
    double tiny;                    /* and least number; both 0 of integers */
    const double *x, *y, *z;
    const double *dx, *dy, *dz;
    const double *v;
    double *own, *px, *py, *pz;
};

static double off_by(double value, bool is_doubtful)
{
    return is_doubtful ? value : 0;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* What is rounded to a denormal is off by as much as that is apart from the next. */
static double rounded(const struct step *s, size_t k)
{
    const double size = fabs(s->v[k]);
    return size < s->tiny / s->unit ? s->tiny : size * s->unit;
}

static void see_arithmetic(const struct step *s)
{
    const double *x = s->x, *y = s->y, *dx = s->dx, *dy = s->dy, *v = s->v;
    switch (s->kind) {
    case NODE_ADD:
    case NODE_SUBTRACT:
        EACH(s->px, 1);
        EACH(s->py, s->kind == NODE_ADD ? 1 : -1);
        EACH(s->own, s->unit * (fabs(x[k]) + fabs(y[k])));
        break;
    case NODE_MULTIPLY:
        EACH(s->px, y[k]);
        EACH(s->py, x[k]);
        EACH(s->own,
             (x[k] != 0 && y[k] != 0 && s->unit > 0 ? rounded(s, k) : 0) + dx[k] * dy[k]);
        break;
    case NODE_DIVIDE:
        EACH(s->px, 1 / y[k]);
        EACH(s->py, -v[k] / y[k]);
        EACH(s->own,
             (x[k] != 0 && s->unit > 0 ? rounded(s, k) : 0) +
                 off_by(OPERATION_ERROR_OPEN, (dy[k] > 0 && 2 * dy[k] >= fabs(y[k])) ||
                                                  (s->unit <= 0 && (dx[k] > 0 || dy[k] > 0))));
        break;
    case NODE_NEGATE: EACH(s->px, -1); break;
    case NODE_MAGNITUDE: EACH(s->px, x[k] < 0 ? -1 : 1); break;
    case NODE_FMA:
        EACH(s->px, y[k]);
        EACH(s->py, x[k]);
        EACH(s->pz, 1);
        EACH(s->own, s->unit * (fabs(x[k] * y[k]) + fabs(s->z[k])) + dx[k] * dy[k]);
        break;
    default: break;
    }
}

/* Which of two is taken may be another where they are as near to each other as they are doubtful. */
static void see_choice(const struct step *s)
{
    const double *x = s->x, *y = s->y;
    const double *v = s->v;
    switch (s->kind) {
    case NODE_LEAST:
    case NODE_GREATEST:
        EACH(s->px, v[k] == x[k]);
        EACH(s->py, v[k] != x[k]);
        EACH(s->own, off_by(fabs(x[k] - y[k]), fabs(x[k] - y[k]) < s->dx[k] + s->dy[k]));
        break;
    case NODE_CHOOSE:
        EACH(s->px, 0);
        EACH(s->py, x[k] != 0);
        EACH(s->pz, x[k] == 0);
        EACH(s->own, off_by(fabs(y[k] - s->z[k]), s->dx[k] > 0 && y[k] != s->z[k]));
        break;
    default: /* a comparison */ EACH(s->own, fabs(x[k] - y[k]) < s->dx[k] + s->dy[k]); break;
    }
}

/* A number that may be on either side of 0 here: `apart` is how far it is from there. */
static double near_pole(double apart, double off)
{
    return off_by(OPERATION_ERROR_OPEN, off > 0 && 2 * off >= apart);
}

/* A root of what may be as little as its error is off by that one's root. */
static double root_error(double x, double off)
{
    return off > 0 && 4 * off > x ? sqrt(larger(x, 0) + off) : 0;
}

static void see_function(const struct step *s)
{
    const double *x = s->x, *y = s->y, *dx = s->dx, *v = s->v, ln2 = 0.6931471805599453;
    switch (s->kind) {
    case NODE_SQRT:
        EACH(s->px, root_error(x[k], dx[k]) > 0 || x[k] <= 0 ? 0 : 0.5 / v[k]);
        EACH(s->own, v[k] * s->unit + root_error(x[k], dx[k]));
        break;
    case NODE_EXP:
    case NODE_EXP2:
        EACH(s->px, s->kind == NODE_EXP ? v[k] : v[k] * ln2);
        EACH(s->own, v[k] * (exp(fmin(dx[k], 600)) - 1 - dx[k]));
        break;
    case NODE_EXPM1:
        EACH(s->px, v[k] + 1);
        EACH(s->own, (v[k] + 1) * (exp(fmin(dx[k], 600)) - 1 - dx[k]));
        break;
    case NODE_LOG:
    case NODE_LOG2:
        EACH(s->px, 1 / (s->kind == NODE_LOG ? x[k] : x[k] * ln2));
        EACH(s->own, near_pole(x[k], dx[k]));
        break;
    case NODE_LOG1P:
        EACH(s->px, 1 / (1 + x[k]));
        EACH(s->own, near_pole(1 + x[k], dx[k]));
        break;
    case NODE_TANH: EACH(s->px, 1 - v[k] * v[k]); break;
    case NODE_SIN:
        EACH(s->px, cos(x[k]));
        EACH(s->own, fmin(2, dx[k] * dx[k]));
        break;
    case NODE_COS:
        EACH(s->px, -sin(x[k]));
        EACH(s->own, fmin(2, dx[k] * dx[k]));
        break;
    case NODE_POWER:
        EACH(s->px, x[k] != 0 ? y[k] * v[k] / x[k] : 0);
        EACH(s->py, x[k] > 0 ? v[k] * log(x[k]) : 0);
        EACH(s->own, near_pole(fabs(x[k]), dx[k]));
        break;
    default: break;
    }
}

static double steps_between(double x, double off, double (*round)(double))
{
    return off > 0 ? round(x + off) - round(x - off) : 0;
}

static void see_conversion(const struct step *s)
{
    const double *x = s->x, *dx = s->dx;
    const bool to_float = operation_is_float(s->type), from_float = operation_is_float(s->from);
    const bool is_same = s->type == s->from ||
                         (s->type == F64_TYPE && s->from != I64_TYPE && s->from != U64_TYPE);
    if (s->type == BOOL_TYPE)
        EACH(s->own, dx[k] > 0 && dx[k] >= fabs(x[k]));
    else if (from_float && !to_float)
        EACH(s->own, steps_between(x[k], dx[k], trunc));
    else
        EACH(s->px, 1);
    if (to_float && !is_same)
        EACH(s->own, rounded(s, k));
}

/* What has no derivative says nothing more where an argument is doubtful; a truth then may be another one. */
static void see_any(const struct step *s)
{
    const double open = s->type == BOOL_TYPE ? 1 : OPERATION_ERROR_OPEN;
    EACH(s->own, off_by(open, s->dx[k] > 0 || s->dy[k] > 0));
}

static void see_step(const struct step *s)
{
    switch (s->kind) {
    case NODE_CONVERT: see_conversion(s); break;
    case NODE_ADD:
    case NODE_SUBTRACT:
    case NODE_MULTIPLY:
    case NODE_DIVIDE:
    case NODE_NEGATE:
    case NODE_MAGNITUDE:
    case NODE_FMA: see_arithmetic(s); break;
    case NODE_EQUAL:
    case NODE_UNEQUAL:
    case NODE_AT_MOST:
    case NODE_AT_LEAST:
    case NODE_LESS:
    case NODE_MORE:
    case NODE_BELOW:
    case NODE_ABOVE:
    case NODE_EQUALS:
    case NODE_LEAST:
    case NODE_GREATEST:
    case NODE_CHOOSE: see_choice(s); break;
    case NODE_IS_NAN: break; /* numbers are none, however doubtful */
    case NODE_FLOOR: EACH(s->own, steps_between(s->x[k], s->dx[k], floor)); break;
    case NODE_CEIL: EACH(s->own, steps_between(s->x[k], s->dx[k], ceil)); break;
    case NODE_SQRT:
    case NODE_EXP:
    case NODE_EXP2:
    case NODE_LOG:
    case NODE_LOG2:
    case NODE_LOG1P:
    case NODE_EXPM1:
    case NODE_TANH:
    case NODE_SIN:
    case NODE_COS:
    case NODE_POWER: see_function(s); break;
    default: see_any(s); break;
    }
}

/* --- Numbers that are none ---------------------------------------------------------------- */

static bool is_finite(double x)
{
    return x - x == 0;
}

/* An infinity at 0, or a logarithm's end, is what the text says of finite numbers. */
static bool is_pole(const struct step *s, size_t k)
{
    switch (s->kind) {
    case NODE_DIVIDE: return s->y[k] == 0;
    case NODE_LOG:
    case NODE_LOG2: return s->x[k] == 0;
    case NODE_LOG1P: return s->x[k] == -1;
    case NODE_POWER: return s->x[k] == 0;
    default: return false;
    }
}

static uint8_t flags_of_special(const struct step *s, size_t k)
{
    const double *args[] = {s->x, s->y, s->z};
    bool has_nan = false, has_infinity = false;
    if (s->kind == NODE_CHOOSE || s->kind == NODE_LEAST || s->kind == NODE_GREATEST)
        return 0;
    for (int i = 0; i < ARGS; i++) {
        has_nan = has_nan || args[i][k] != args[i][k];
        has_infinity = has_infinity || isinf(args[i][k]);
    }
    const bool is_nan = s->v[k] != s->v[k];
    const bool is_born = is_nan ? has_infinity && !has_nan : !has_infinity && !is_pole(s, k);
    return is_born ? OPERATION_IS_LOST : 0;
}

static uint8_t flags_of_doubt(const struct step *s, size_t k)
{
    switch (s->kind) {
    case NODE_SQRT:
    case NODE_LOG:
    case NODE_LOG2: return s->dx[k] > s->x[k] ? OPERATION_MAY_BE_NAN : 0;
    case NODE_LOG1P: return s->dx[k] > 1 + s->x[k] ? OPERATION_MAY_BE_NAN : 0;
    default: return 0;
    }
}

/* Numbers, whose arguments are, have no flags. */
static bool has_flags(const struct step *s, const struct slot *const args[ARGS])
{
    double sum = 0;
    uint8_t all = 0;
    for (size_t k = 0; k < LANES; k++)
        sum += s->v[k] - s->v[k]; /* not a number where one is not finite */
    for (int i = 0; i < ARGS; i++)
        for (size_t k = 0; args[i] && k < LANES; k++)
            all |= args[i]->flags[k];
    return all || !is_finite(sum) || s->kind == NODE_SQRT || s->kind == NODE_LOG ||
           s->kind == NODE_LOG2 || s->kind == NODE_LOG1P;
}

static void set_flags(const struct step *s, struct slot *slot,
                      const struct slot *const args[ARGS])
{
    for (size_t k = 0; k < LANES; k++) {
        uint8_t all = flags_of_doubt(s, k);
        for (int i = 0; i < ARGS; i++) {
            const bool is_dropped =
                s->kind == NODE_CHOOSE && i > 0 && (i == 1) != (s->x[k] != 0);
            all |= args[i] && !is_dropped ? args[i]->flags[k] : 0;
        }
        slot->flags[k] = is_finite(s->v[k]) ? all : all | flags_of_special(s, k);
        if (!is_finite(s->v[k]))
            slot->off[k] = slot->own[k] = slot->part[0][k] = slot->part[1][k] =
                slot->part[2][k] = 0;
    }
}

/* --- Forward ------------------------------------------------------------------------------ */

/* What rounds gives the same bits wherever it is given the same: in map always, in finish where the value is
 * certain. */
static void forget_repeated(const struct step *s, struct slot *slot)
{
    double *own = slot->own;
    for (size_t k = 0; k < LANES; k++) {
        const bool is_given = s->dx[k] > 0 || s->dy[k] > 0 || s->dz[k] > 0;
        own[k] = is_given ? own[k] : 0;
    }
}

/* Machines' own functions are as far apart as the less exact one is from the truth, and one more. */
static void add_inexact(const struct step *s, struct slot *slot)
{
    const struct operation_kind_row *row = &operation_kinds[s->kind];
    const int ulps = s->type == F64_TYPE   ? row->ulps_f64
                     : s->type == F32_TYPE ? row->ulps_f32
                                           : 0;
    for (size_t k = 0; ulps > 0 && k < LANES; k++)
        slot->own[k] += 2 * (ulps + 1) * rounded(s, k);
}

static double within(double error)
{
    return error < OPERATION_ERROR_OPEN ? error : OPERATION_ERROR_OPEN;
}

/* A derivative without end counts only where there is an error. */
static double times(double part, double off)
{
    return off > 0 ? fabs(part) * off : 0;
}

static void set_off(struct slot *slot, const struct slot *const args[ARGS])
{
    double *own = slot->own, *off = slot->off;
    EACH(own, within(own[k]));
    EACH(off, own[k]);
    for (int i = 0; i < ARGS; i++) {
        const double *part = slot->part[i], *given = args[i] ? args[i]->off : NULL;
        if (given && !args[i]->is_literal)
            EACH(off, off[k] + times(part[k], given[k]));
    }
    EACH(off, within(off[k]));
}

static void clear_slot(struct slot *slot)
{
    memset(slot->own, 0, sizeof slot->own);
    memset(slot->part, 0, sizeof slot->part);
    memset(slot->flags, 0, sizeof slot->flags);
}

static void set_values(double *values, enum operation_type type, const uint64_t *words,
                       size_t count)
{
    for (size_t k = 0; k < count; k++)
        values[k] = operation_is_float(type) ? double_of(words[k])
                    : type == U64_TYPE       ? (double)words[k]
                                             : (double)(int64_t)words[k];
}

static enum operation_type type_of_field(const struct operation_error *self, int field)
{
    const struct operation_text *text = self->text;
    return operation_concrete(text->field_count ? text->fields[field].type : text->value,
                              self->acc);
}

static const double zeros[LANES]; /* of arguments that a node does not have */

static struct step step_of(const struct operation_error *self, int at, int field,
                           struct slot *slot)
{
    const struct operation_node *node = &self->text->nodes[at];
    const bool is_struct = self->types[at] == STRUCT_TYPE;
    const enum operation_type type =
        is_struct ? type_of_field(self, field) : (enum operation_type)self->types[at];
    return (struct step){.kind = node->kind,
                         .type = type,
                         .from = node->arg_count && !is_struct
                                     ? (enum operation_type)self->types[node->args[0]]
                                     : type,
                         .unit = type == F32_TYPE   ? 0x1p-24
                                 : type == F64_TYPE ? 0x1p-53
                                                    : 0,
                         .tiny = type == F32_TYPE   ? 0x1p-149
                                 : type == F64_TYPE ? 0x1p-1074
                                                    : 0,
                         .x = zeros,
                         .y = zeros,
                         .z = zeros,
                         .dx = zeros,
                         .dy = zeros,
                         .dz = zeros,
                         .v = slot->value,
                         .own = slot->own,
                         .px = slot->part[0],
                         .py = slot->part[1],
                         .pz = slot->part[2]};
}

static void see(void *context, int at, int field, const uint64_t *words, size_t count)
{
    struct operation_error *self = context;
    const struct operation_node *node = &self->text->nodes[at];
    const bool is_struct = self->types[at] == STRUCT_TYPE;
    const struct slot *args[ARGS] = {NULL, NULL, NULL};
    struct slot *slot = &self->slots[self->slots_of[at][0] + field];
    struct step s = step_of(self, at, field, slot);
    const double **const values[] = {&s.x, &s.y, &s.z}, **const offs[] = {&s.dx, &s.dy, &s.dz};
    set_values(slot->value, s.type, words, count);
    if (node->arg_count == 0)
        return;
    assert(node->arg_count <= ARGS);
    for (int i = 0; i < node->arg_count; i++) {
        args[i] = arg_slot(self, at, i, is_struct && i > 0 ? field : 0);
        *values[i] = args[i]->value;
        *offs[i] = args[i]->off;
    }
    clear_slot(slot);
    see_step(&s);
    if (self->part != OPERATION_COMBINE)
        forget_repeated(&s, slot);
    add_inexact(&s, slot);
    set_off(slot, args);
    if (has_flags(&s, args))
        set_flags(&s, slot, args);
}

/* --- Back --------------------------------------------------------------------------------- */

static void pass_back(const struct operation_error *self, const struct back_step *step)
{
    const struct operation_node *node = &self->text->nodes[step->node];
    const struct slot *slot = &self->slots[self->slots_of[step->node][0] + step->field];
    const bool is_struct = self->types[step->node] == STRUCT_TYPE;
    const double *own = slot->slope;
    for (int i = is_struct; i < node->arg_count; i++) {
        struct slot *arg = arg_slot(self, step->node, i, is_struct ? step->field : 0);
        const double *part = slot->part[i];
        double *slope = arg->slope;
        if (!arg->is_literal)
            EACH(slope, slope[k] + part[k] * own[k]);
    }
}

static void add_errors(double *to, const struct slot *slot)
{
    const double *slope = slot->slope, *own = slot->own;
    EACH(to, to[k] + times(slope[k], own[k]));
}

/* The errors of a field: of what was given, and of the steps themselves. */
static void sum_errors(struct operation_error *self, int field, double *given, double *own)
{
    const struct way *way = &self->ways[self->part];
    const int root = self->slots_of[self->text->parts[self->part].root][field];
    memset(given, 0, LANES * sizeof *given);
    memset(own, 0, LANES * sizeof *own);
    for (int i = 0; i < self->slot_count; i++)
        if (way->reaches[i] >> field & 1)
            memset(self->slots[i].slope, 0, sizeof self->slots[i].slope);
    double *slope = self->slots[root].slope;
    EACH(slope, 1);
    for (int i = way->count; i-- > 0;) {
        const struct back_step *step = &way->steps[i];
        if (!(step->reaches >> field & 1))
            continue;
        pass_back(self, step);
        add_errors(own, &self->slots[self->slots_of[step->node][0] + step->field]);
    }
    for (int i = 0; i < 2 * self->fields; i++)
        if (way->reaches[i] >> field & 1)
            add_errors(given, &self->slots[i]);
}

/* --- The way back ------------------------------------------------------------------------- */

static void add_tree(const struct operation_error *self, struct way *way, int root)
{
    for (int at = operation_first_node(self->text, root); at <= root; at++) {
        const struct operation_node *node = &self->text->nodes[at];
        if (node->arg_count == 0 || node->kind == NODE_FIELD || node->kind == NODE_MAKE)
            continue;
        for (int f = 0; f < fields_of(self, at); f++)
            way->steps[way->count++] = (struct back_step){at, f, 0};
    }
}

/* Which fields depend on what: from the last step back. */
static void find_reaches(const struct operation_error *self, struct way *way, int root)
{
    for (int f = 0; f < fields_of(self, root); f++)
        way->reaches[self->slots_of[root][f]] |= 1u << f;
    for (int i = way->count; i-- > 0;) {
        struct back_step *step = &way->steps[i];
        const bool is_struct = self->types[step->node] == STRUCT_TYPE;
        step->reaches = way->reaches[self->slots_of[step->node][0] + step->field];
        for (int arg = is_struct; arg < self->text->nodes[step->node].arg_count; arg++)
            way->reaches[arg_slot(self, step->node, arg, is_struct ? step->field : 0) -
                         self->slots] |= step->reaches;
    }
}

static bool open_way(struct operation_error *self, enum operation_part part)
{
    const struct operation_text *text = self->text;
    const struct operation_source *source = &text->parts[part];
    struct way *way = &self->ways[part];
    way->steps = calloc((size_t)self->slot_count, sizeof *way->steps);
    way->reaches = calloc((size_t)self->slot_count, sizeof *way->reaches);
    if (!way->steps || !way->reaches)
        return false;
    for (int k = 0; k < text->let_count; k++)
        if (source->lets >> k & 1)
            add_tree(self, way, text->lets[k].root);
    add_tree(self, way, source->root);
    find_reaches(self, way, source->root);
    return true;
}

/* --- What others call --------------------------------------------------------------------- */

static void give_exact(struct slot *slot, enum operation_type type, const uint64_t *words,
                       size_t count)
{
    memset(slot, 0, sizeof *slot);
    if (words)
        set_values(slot->value, type, words, count);
}

static void give(struct operation_error *self, int slot, const struct operation_values *values,
                 size_t from, size_t count)
{
    for (int f = 0; f < self->fields; f++) {
        struct slot *to = &self->slots[slot + f];
        set_values(to->value, type_of_field(self, f), values->words[f] + from, count);
        memcpy(to->own, values->errors[f] + from, count * sizeof *to->own);
        memcpy(to->off, values->errors[f] + from, count * sizeof *to->off);
        memcpy(to->flags, values->flags + from, count);
    }
}

static void take_flags(const struct operation_error *self, int fields, uint8_t *flags,
                       size_t count)
{
    const int root = self->text->parts[self->part].root;
    memset(flags, 0, count);
    for (int f = 0; f < fields; f++)
        for (size_t k = 0; k < count; k++)
            flags[k] |= self->slots[self->slots_of[root][f]].flags[k];
}

static void take_errors(struct operation_error *self, struct operation_values *out, size_t from,
                        size_t count)
{
    double given[LANES], own[LANES];
    for (int f = 0; f < self->fields; f++) {
        sum_errors(self, f, given, own);
        for (size_t k = 0; k < count; k++)
            out->errors[f][from + k] = within(given[k] + own[k]);
    }
    take_flags(self, self->fields, out->flags + from, count);
}

static size_t piece(size_t from, size_t count)
{
    return count - from < LANES ? count - from : LANES;
}

void operation_error_map(struct operation_error *self, const uint64_t *x, const uint64_t *i,
                         struct operation_values *out, size_t count)
{
    for (size_t from = 0, take; from < count; from += take) {
        take = piece(from, count);
        give_exact(&self->slots[slot_of_name(self, OPERATION_X, 0)], self->acc, x + from, take);
        give_exact(&self->slots[slot_of_name(self, OPERATION_I, 0)], U64_TYPE,
                   i ? i + from : NULL, take);
        self->part = OPERATION_MAP;
        operation_eval_map(self->eval, x + from, i ? i + from : NULL, out->words[0] + from,
                           take);
        take_errors(self, out, from, take);
    }
    memset(out->flags, 0, count); /* map gives the same of the same element */
}

void operation_error_combine(struct operation_error *self, const struct operation_values *a,
                             const struct operation_values *b, struct operation_values *out,
                             size_t count)
{
    for (size_t from = 0, take; from < count; from += take) {
        take = piece(from, count);
        give(self, slot_of_name(self, OPERATION_A, 0), a, from, take);
        give(self, slot_of_name(self, OPERATION_B, 0), b, from, take);
        self->part = OPERATION_COMBINE;
        operation_eval_combine(self->eval, a->words[0] + from, b->words[0] + from,
                               out->words[0] + from, take);
        take_errors(self, out, from, take);
    }
}

void operation_error_finish(struct operation_error *self, const struct operation_values *a,
                            const uint64_t *n, struct operation_values *out, size_t count)
{
    double given[LANES], own[LANES];
    for (size_t from = 0, take; from < count; from += take) {
        take = piece(from, count);
        give(self, slot_of_name(self, OPERATION_A, 0), a, from, take);
        give_exact(&self->slots[slot_of_name(self, OPERATION_N, 0)], U64_TYPE, n + from, take);
        self->part = OPERATION_FINISH;
        operation_eval_finish(self->eval, a->words[0] + from, n + from, out->words[0] + from,
                              take);
        sum_errors(self, 0, given, own);
        for (size_t k = 0; k < take; k++) {
            out->errors[0][from + k] = within(given[k]);
            out->errors[1][from + k] = within(own[k]);
        }
        take_flags(self, 1, out->flags + from, take);
    }
}

void operation_error_give(struct operation_error *self, const uint64_t *params)
{
    operation_eval_give(self->eval, params);
}

void operation_error_free(struct operation_error *self)
{
    if (!self)
        return;
    operation_eval_free(self->eval);
    free(self->slots);
    free(self->slots_of);
    for (int part = 0; part < OPERATION_PARTS; part++) {
        free(self->ways[part].steps);
        free(self->ways[part].reaches);
    }
    free(self);
}

static bool open_slots(struct operation_error *self)
{
    const struct operation_text *text = self->text;
    self->slots_of = calloc((size_t)text->node_count, sizeof *self->slots_of);
    if (!self->slots_of)
        return false;
    place_slots(self);
    self->slots = calloc((size_t)self->slot_count, sizeof *self->slots);
    if (!self->slots)
        return false;
    for (int at = 0; at < text->node_count; at++)
        self->slots[self->slots_of[at][0]].is_literal = text->nodes[at].arg_count == 0 &&
                                                        text->nodes[at].kind != NODE_NAME &&
                                                        text->nodes[at].kind != NODE_LET;
    bool is_open = true;
    for (int part = 0; is_open && part < OPERATION_PARTS; part++)
        is_open = open_way(self, (enum operation_part)part);
    return is_open;
}

int operation_error_open(struct operation_error **out, const struct operation_text *text,
                         enum type acc, struct error *error)
{
    struct operation_error *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return error_memory(error, sizeof *self);
    self->text = text;
    self->acc = operation_type_of(acc);
    self->types = text->of[self->acc].of_node;
    self->fields = operation_field_count(text);
    if (!open_slots(self) || operation_eval_open(&self->eval, text, acc, error)) {
        operation_error_free(self);
        return error_memory(error, sizeof *self);
    }
    operation_eval_watch(self->eval, see, self);
    *out = self;
    return 0;
}
