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
    LANES = 64, /* at a time: all nodes of so many stay in the cache */
    STEP = 16,
    ARGS = 3 /* of what computes */
};

/* What a node, or a field of one, gives. */
struct slot {
    double value[LANES];
    double added[LANES]; /* the error that it adds */
    double off[LANES]; /* how far it may be off, taken without regard to what has one origin */
    double part[ARGS][LANES]; /* derivatives by its arguments */
    double slope[LANES];      /* the result's derivative by it */
    uint8_t flags[LANES];
    bool is_literal; /* it is off by nothing */
    bool is_cut;     /* derivatives of lanes that are no numbers were set to 0 */
    bool has_flags;  /* some lane may have */
};

/* A node that computes, or a field of one: what it is given and what is found of it. */
struct step {
    enum operation_kind kind;
    enum operation_type type, from; /* its own, its first argument's */
    double unit;                    /* the type's unit roundoff */
    double tiny;                    /* and least number; both 0 of integers */
    double inexact;                 /* of a function: how many units it may be off by */
    struct slot *slot;
    const struct slot *args[ARGS]; /* NULL: it has none */
    const double *x, *y, *z;
    const double *dx, *dy, *dz;
    const double *v;
    double *added, *px, *py, *pz;
};

/* A step on the way from one field of a function's value to what was given, and whether an argument is come to for
 * the first time. */
struct back_step {
    const struct step *step;
    double *slopes[ARGS]; /* of its arguments; NULL: a literal, or none */
    bool is_first[ARGS];
};

struct way {
    struct back_step *steps; /* the last one first */
    int count;
    bool *reaches; /* by slot: does the field depend on it? */
};

struct operation_error {
    const struct operation_text *text;
    const uint8_t *types;
    enum operation_type acc;
    int fields;
    struct operation_eval *eval;
    struct slot *slots;
    struct step *steps; /* of the slots of nodes that compute */
    int slot_count;
    int (*slots_of)[OPERATION_FIELDS_MAX]; /* of each node, by field */
    struct way ways[OPERATION_PARTS][OPERATION_FIELDS_MAX];
    enum operation_part part; /* the one that is run */
    bool has_inexact_map;
};

/* Each lane gets an expression of lane k; up to a whole STEP more than are used: compilers run several of a known
 * number at a time. */
#if defined __GNUC__ && !defined __clang__
#define APART _Pragma("GCC ivdep")
#else
#define APART
#endif
#define EACH(to, expression)                                                                   \
    do {                                                                                       \
        for (size_t first = 0; first < count; first += STEP)                                   \
            APART for (size_t lane = 0; lane < STEP; lane++)                                   \
            {                                                                                  \
                const size_t k = first + lane;                                                 \
                (to)[k] = (expression);                                                        \
            }                                                                                  \
    } while (0)

/* --- Where values are --------------------------------------------------------------------- */

/* The first slots are of x, i; a, b; a, n; then those of further inputs. */
static int slot_of_name(const struct operation_error *self, int name, int field)
{
    if (name >= OPERATION_INPUT_2)
        return 2 * self->fields + name - OPERATION_INPUT_2;
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
    self->slot_count = 2 * self->fields + OPERATION_INPUTS_MAX - 1;
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

/* Both sides are evaluated: so loops have no branch. */
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
    const double size = fabs(s->v[k]), error = size * s->unit;
    return size < s->tiny / s->unit ? s->tiny : error;
}

static double product_error(const struct step *s, size_t k)
{
    const double error = rounded(s, k);
    return off_by(error, (s->x[k] != 0) & (s->y[k] != 0));
}

/* Of a divisor that may be 0 nothing is known, nor of integers that are doubtful. */
static double quotient_error(const struct step *s, size_t k)
{
    const double dx = s->dx[k], dy = s->dy[k], error = s->unit > 0 ? rounded(s, k) : 0;
    const bool is_open =
        s->unit > 0 ? (dy > 0) & (2 * dy >= fabs(s->y[k])) : (dx > 0) | (dy > 0);
    return off_by(error, s->x[k] != 0) + off_by(OPERATION_ERROR_OPEN, is_open);
}

static void see_arithmetic(const struct step *s, size_t count)
{
    const double *x = s->x, *y = s->y, *dx = s->dx, *dy = s->dy, *v = s->v;
    switch (s->kind) {
    case NODE_ADD:
    case NODE_SUBTRACT: EACH(s->added, s->unit * (fabs(x[k]) + fabs(y[k]))); break;
    case NODE_MULTIPLY:
        EACH(s->px, y[k]);
        EACH(s->py, x[k]);
        if (s->unit > 0)
            EACH(s->added, product_error(s, k) + dx[k] * dy[k]);
        else
            EACH(s->added, dx[k] * dy[k]);
        break;
    case NODE_DIVIDE:
        EACH(s->px, 1 / y[k]);
        EACH(s->py, -v[k] / y[k]);
        EACH(s->added, quotient_error(s, k));
        break;
    case NODE_MAGNITUDE: EACH(s->px, x[k] < 0 ? -1 : 1); break;
    case NODE_FMA:
        EACH(s->px, y[k]);
        EACH(s->py, x[k]);
        EACH(s->added, s->unit * (fabs(x[k] * y[k]) + fabs(s->z[k])) + dx[k] * dy[k]);
        break;
    default: break;
    }
}

/* May two that are compared be in another order, or equal? */
static bool is_near(const struct step *s, size_t k)
{
    const double doubt = s->dx[k] + s->dy[k];
    return (doubt > 0) & (fabs(s->x[k] - s->y[k]) <= doubt);
}

/* How far the other one of two may be beyond the one that was taken. */
static double beyond(const struct step *s, size_t k)
{
    return larger(0, s->dx[k] + s->dy[k] - fabs(s->x[k] - s->y[k]));
}

/* How far both values of a doubtful choice may be apart. */
static double between(const struct step *s, size_t k)
{
    return off_by(fabs(s->y[k] - s->z[k]) + s->dy[k] + s->dz[k], s->dx[k] > 0);
}

/* Which of two is taken may be another where they are as near to each other as they are doubtful. */
static void see_choice(const struct step *s, size_t count)
{
    switch (s->kind) {
    case NODE_LEAST:
    case NODE_GREATEST:
        EACH(s->px, s->v[k] == s->x[k]);
        EACH(s->py, s->v[k] != s->x[k]);
        EACH(s->added, beyond(s, k));
        break;
    case NODE_CHOOSE:
        EACH(s->py, s->x[k] != 0);
        EACH(s->pz, s->x[k] == 0);
        EACH(s->added, between(s, k));
        break;
    default: /* a comparison */ EACH(s->added, is_near(s, k)); break;
    }
}

/* exp(x + off) is as much more than exp(x) (1 + off), over exp(x), at most. */
static double growth(double off)
{
    return off <= 0.5 ? off * off : exp(fmin(off, 600)) - 1 - off;
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

static void see_function(const struct step *s, size_t count)
{
    const double *x = s->x, *y = s->y, *dx = s->dx, *v = s->v, ln2 = 0.6931471805599453;
    switch (s->kind) {
    case NODE_SQRT:
        EACH(s->px, root_error(x[k], dx[k]) > 0 || x[k] <= 0 ? 0 : 0.5 / v[k]);
        EACH(s->added, v[k] * s->unit + root_error(x[k], dx[k]));
        break;
    case NODE_EXP:
    case NODE_EXP2:
        EACH(s->px, s->kind == NODE_EXP ? v[k] : v[k] * ln2);
        EACH(s->added, v[k] * growth(dx[k]));
        break;
    case NODE_EXPM1:
        EACH(s->px, v[k] + 1);
        EACH(s->added, (v[k] + 1) * growth(dx[k]));
        break;
    case NODE_LOG:
    case NODE_LOG2:
        EACH(s->px, 1 / (s->kind == NODE_LOG ? x[k] : x[k] * ln2));
        EACH(s->added, near_pole(x[k], dx[k]));
        break;
    case NODE_LOG1P:
        EACH(s->px, 1 / (1 + x[k]));
        EACH(s->added, near_pole(1 + x[k], dx[k]));
        break;
    case NODE_TANH:
        EACH(s->px, 1 - v[k] * v[k]);
        EACH(s->added, 0);
        break;
    case NODE_SIN:
        EACH(s->px, cos(x[k]));
        EACH(s->added, fmin(2, dx[k] * dx[k]));
        break;
    case NODE_COS:
        EACH(s->px, -sin(x[k]));
        EACH(s->added, fmin(2, dx[k] * dx[k]));
        break;
    case NODE_POWER:
        EACH(s->px, x[k] != 0 ? y[k] * v[k] / x[k] : 0);
        EACH(s->py, x[k] > 0 ? v[k] * log(x[k]) : 0);
        EACH(s->added, near_pole(fabs(x[k]), dx[k]));
        break;
    default: break;
    }
}

static double steps_between(double x, double off, double (*round)(double))
{
    return off > 0 ? round(x + off) - round(x - off) : 0;
}

/* Does a conversion give what it is given, but for roundings? */
static bool is_smooth(const struct step *s)
{
    return s->type != BOOL_TYPE &&
           (!operation_is_float(s->from) || operation_is_float(s->type));
}

/* Derivatives that no number changes. */
static void set_fixed(const struct step *s)
{
    const size_t count = LANES;
    switch (s->kind) {
    case NODE_ADD:
    case NODE_SUBTRACT:
        EACH(s->px, 1);
        EACH(s->py, s->kind == NODE_ADD ? 1 : -1);
        break;
    case NODE_NEGATE: EACH(s->px, -1); break;
    case NODE_FMA: EACH(s->pz, 1); break;
    case NODE_CONVERT: EACH(s->px, is_smooth(s)); break;
    default: break;
    }
}

static void see_conversion(const struct step *s, size_t count)
{
    const double *x = s->x, *dx = s->dx;
    const bool to_float = operation_is_float(s->type), from_float = operation_is_float(s->from);
    const bool is_same = s->type == s->from ||
                         (s->type == F64_TYPE && s->from != I64_TYPE && s->from != U64_TYPE);
    if (s->type == BOOL_TYPE)
        EACH(s->added, (dx[k] > 0) & (dx[k] >= fabs(x[k])));
    else if (from_float && !to_float)
        EACH(s->added, steps_between(x[k], dx[k], trunc));
    if (to_float && !is_same)
        EACH(s->added, rounded(s, k));
}

/* What has no derivative says nothing more where an argument is doubtful; a truth then may be another one. */
static void see_any(const struct step *s, size_t count)
{
    const double open = s->type == BOOL_TYPE ? 1 : OPERATION_ERROR_OPEN;
    EACH(s->added, off_by(open, (s->dx[k] > 0) | (s->dy[k] > 0)));
}

static void see_step(const struct step *s, size_t count)
{
    switch (s->kind) {
    case NODE_CONVERT: see_conversion(s, count); break;
    case NODE_ADD:
    case NODE_SUBTRACT:
    case NODE_MULTIPLY:
    case NODE_DIVIDE:
    case NODE_NEGATE:
    case NODE_MAGNITUDE:
    case NODE_FMA: see_arithmetic(s, count); break;
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
    case NODE_CHOOSE: see_choice(s, count); break;
    case NODE_IS_NAN: break; /* numbers are none, however doubtful */
    case NODE_FLOOR: EACH(s->added, steps_between(s->x[k], s->dx[k], floor)); break;
    case NODE_CEIL: EACH(s->added, steps_between(s->x[k], s->dx[k], ceil)); break;
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
    case NODE_POWER: see_function(s, count); break;
    default: see_any(s, count); break;
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
    if (s->kind == NODE_CHOOSE) /* the other one may be a number */
        return s->dx[k] > 0 && s->y[k] != s->z[k] ? OPERATION_IS_LOST : 0;
    if (s->kind == NODE_LEAST || s->kind == NODE_GREATEST)
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

/* A number is not finite where all bits of its exponent are set: one more carries into the sign. */
static bool all_finite(const double *values, size_t count)
{
    uint64_t carries = 0;
    for (size_t k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        carries |= (bits & UINT64_C(0x7ff0000000000000)) + UINT64_C(0x0010000000000000);
    }
    return !(carries >> 63);
}

/* Numbers, whose arguments are, have no flags. */
static bool may_have_flags(const struct step *s, size_t count)
{
    bool may = s->kind == NODE_SQRT || s->kind == NODE_LOG || s->kind == NODE_LOG2 ||
               s->kind == NODE_LOG1P ||
               (operation_is_float(s->type) && !all_finite(s->v, count));
    for (int i = 0; i < ARGS; i++)
        may = may || (s->args[i] && s->args[i]->has_flags);
    return may;
}

static void cut_lane(struct slot *slot, size_t k)
{
    slot->off[k] = slot->added[k] = 0;
    slot->part[0][k] = slot->part[1][k] = slot->part[2][k] = 0;
    slot->is_cut = true;
}

static void set_flags(const struct step *s, size_t count)
{
    struct slot *slot = s->slot;
    for (size_t k = 0; k < count; k++) {
        uint8_t all = flags_of_doubt(s, k);
        for (int i = 0; i < ARGS; i++) {
            const bool is_dropped = s->kind == NODE_CHOOSE && i > 0 && !(s->dx[k] > 0) &&
                                    (i == 1) != (s->x[k] != 0);
            all |= s->args[i] && !is_dropped ? s->args[i]->flags[k] : 0;
        }
        slot->flags[k] = is_finite(s->v[k]) ? all : all | flags_of_special(s, k);
        if (!is_finite(s->v[k]))
            cut_lane(slot, k);
    }
}

/* --- Forward ------------------------------------------------------------------------------ */

/* What rounds gives the same bits wherever it is given the same: in map always, in finish where the value is
 * certain. */
static void forget_repeated(const struct step *s, size_t count)
{
    double *added = s->added;
    EACH(added, off_by(added[k], (s->dx[k] > 0) | (s->dy[k] > 0) | (s->dz[k] > 0)));
}

static void add_inexact(const struct step *s, size_t count)
{
    double *added = s->added;
    if (s->inexact > 0)
        EACH(added, added[k] + s->inexact * rounded(s, k));
}

static double within(double error)
{
    return error < OPERATION_ERROR_OPEN ? error : OPERATION_ERROR_OPEN;
}

/* A derivative without end counts only where there is an error. */
static double times(double part, double off)
{
    return fabs(off_by(part, off > 0)) * off;
}

static void set_off(const struct step *s, size_t count)
{
    double *added = s->added, *off = s->slot->off;
    EACH(added, within(added[k]));
    if (s->args[2])
        EACH(off, within(added[k] + times(s->px[k], s->dx[k]) + times(s->py[k], s->dy[k]) +
                         times(s->pz[k], s->dz[k])));
    else if (s->args[1])
        EACH(off, within(added[k] + times(s->px[k], s->dx[k]) + times(s->py[k], s->dy[k])));
    else
        EACH(off, within(added[k] + times(s->px[k], s->dx[k])));
}

static void set_values(double *values, enum operation_type type, const uint64_t *words,
                       size_t count)
{
    if (operation_is_float(type))
        memcpy(values, words, count * sizeof *values);
    else
        for (size_t k = 0; k < count; k++)
            values[k] = type == U64_TYPE ? (double)words[k] : (double)(int64_t)words[k];
}

static enum operation_type type_of_field(const struct operation_error *self, int field)
{
    const struct operation_text *text = self->text;
    return operation_concrete(text->field_count ? text->fields[field].type : text->value,
                              self->acc);
}

static void see(void *context, int at, int field, const uint64_t *words, size_t count)
{
    struct operation_error *self = context;
    const int which = self->slots_of[at][0] + field;
    struct slot *slot = &self->slots[which];
    const struct step *s = &self->steps[which];
    set_values(slot->value, s->type, words, count);
    if (!s->args[0])
        return;
    if (slot->is_cut)
        set_fixed(s);
    slot->is_cut = false;
    see_step(s, count);
    if (self->part != OPERATION_COMBINE)
        forget_repeated(s, count);
    add_inexact(s, count);
    set_off(s, count);
    if (slot->has_flags)
        memset(slot->flags, 0, sizeof slot->flags);
    slot->has_flags = may_have_flags(s, count);
    if (slot->has_flags)
        set_flags(s, count);
}

/* --- Back --------------------------------------------------------------------------------- */

static void pass_back(const struct back_step *back, size_t count)
{
    const struct slot *slot = back->step->slot;
    const double *own = slot->slope;
    for (int i = 0; i < ARGS; i++) {
        const double *part = slot->part[i];
        double *slope = back->slopes[i];
        if (slope && back->is_first[i])
            EACH(slope, part[k] * own[k]);
        else if (slope)
            EACH(slope, slope[k] + part[k] * own[k]);
    }
}

static void add_errors(double *to, const struct slot *slot, size_t count)
{
    const double *slope = slot->slope, *added = slot->added;
    EACH(to, to[k] + times(slope[k], added[k]));
}

/* The errors of a field: of what was given, and of the steps themselves. */
static void sum_errors(struct operation_error *self, int field, double *given, double *made,
                       size_t count)
{
    const struct way *way = &self->ways[self->part][field];
    const int root = self->slots_of[self->text->parts[self->part].root][field];
    memset(given, 0, LANES * sizeof *given);
    memset(made, 0, LANES * sizeof *made);
    double *slope = self->slots[root].slope;
    EACH(slope, 1);
    for (int i = 0; i < way->count; i++) {
        pass_back(&way->steps[i], count);
        add_errors(made, way->steps[i].step->slot, count);
    }
    for (int i = 0; i < 2 * self->fields; i++)
        if (way->reaches[i])
            add_errors(given, &self->slots[i], count);
}

/* --- Steps -------------------------------------------------------------------------------- */

static const double zeros[LANES]; /* of arguments that a node does not have */

/* Machines' own functions are as far apart as the less exact one is from the truth, and one more. */
static double inexact_units(enum operation_kind kind, enum operation_type type)
{
    const struct operation_kind_row *row = &operation_kinds[kind];
    const int ulps = type == F64_TYPE ? row->ulps_f64 : type == F32_TYPE ? row->ulps_f32 : 0;
    return ulps > 0 ? 2 * (ulps + 1) : 0;
}

static void set_step(struct operation_error *self, int at, int field)
{
    const struct operation_node *node = &self->text->nodes[at];
    const bool is_struct = self->types[at] == STRUCT_TYPE;
    const enum operation_type type =
        is_struct ? type_of_field(self, field) : (enum operation_type)self->types[at];
    const int which = self->slots_of[at][0] + field;
    struct slot *slot = &self->slots[which];
    struct step *s = &self->steps[which];
    const bool has_from = node->arg_count && !is_struct;
    *s =
        (struct step){.kind = node->kind,
                      .type = type,
                      .from = has_from ? (enum operation_type)self->types[node->args[0]] : type,
                      .unit = type == F32_TYPE   ? 0x1p-24
                              : type == F64_TYPE ? 0x1p-53
                                                 : 0,
                      .tiny = type == F32_TYPE   ? 0x1p-149
                              : type == F64_TYPE ? 0x1p-1074
                                                 : 0,
                      .inexact = inexact_units(node->kind, type),
                      .slot = slot,
                      .x = zeros,
                      .y = zeros,
                      .z = zeros,
                      .dx = zeros,
                      .dy = zeros,
                      .dz = zeros,
                      .v = slot->value,
                      .added = slot->added,
                      .px = slot->part[0],
                      .py = slot->part[1],
                      .pz = slot->part[2]};
    const double **const values[] = {&s->x, &s->y, &s->z},
                         **const offs[] = {&s->dx, &s->dy, &s->dz};
    for (int i = 0; i < node->arg_count && node->arg_count <= ARGS; i++) {
        s->args[i] = arg_slot(self, at, i, is_struct && i > 0 ? field : 0);
        *values[i] = s->args[i]->value;
        *offs[i] = s->args[i]->off;
    }
    set_fixed(s);
}

/* Is it a node whose results are told to see? */
static bool computes(const struct operation_node *node)
{
    return node->kind != NODE_NAME && node->kind != NODE_LET && node->kind != NODE_FIELD &&
           node->kind != NODE_MAKE;
}

/* --- The way back ------------------------------------------------------------------------- */

/* Adds the steps of a tree, the last one first, that a field depends on. */
static void add_tree(const struct operation_error *self, struct way *way, int root)
{
    for (int at = root; at >= operation_first_node(self->text, root); at--) {
        const struct operation_node *node = &self->text->nodes[at];
        const bool is_struct = self->types[at] == STRUCT_TYPE;
        for (int f = 0; f < fields_of(self, at) && node->arg_count && computes(node); f++) {
            const int which = self->slots_of[at][0] + f;
            struct back_step *back = &way->steps[way->count];
            if (!way->reaches[which])
                continue;
            *back = (struct back_step){.step = &self->steps[which]};
            way->count++;
            for (int i = is_struct; i < node->arg_count; i++) {
                struct slot *arg = arg_slot(self, at, i, is_struct ? f : 0);
                bool *reaches = &way->reaches[arg - self->slots];
                back->slopes[i] = arg->is_literal ? NULL : arg->slope;
                back->is_first[i] = !*reaches;
                *reaches = true;
            }
        }
    }
}

static bool open_way(struct operation_error *self, enum operation_part part, int field)
{
    const struct operation_text *text = self->text;
    const struct operation_source *source = &text->parts[part];
    struct way *way = &self->ways[part][field];
    way->steps = calloc((size_t)self->slot_count, sizeof *way->steps);
    way->reaches = calloc((size_t)self->slot_count, sizeof *way->reaches);
    if (!way->steps || !way->reaches)
        return false;
    way->reaches[self->slots_of[source->root][field]] = true;
    add_tree(self, way, source->root);
    for (int k = text->let_count; k-- > 0;)
        if (source->lets >> k & 1)
            add_tree(self, way, text->lets[k].root);
    return true;
}

/* --- What others call --------------------------------------------------------------------- */

static void give_exact(struct slot *slot, enum operation_type type, const uint64_t *words,
                       size_t count)
{
    memset(slot->added, 0, sizeof slot->added);
    memset(slot->off, 0, sizeof slot->off);
    memset(slot->flags, 0, sizeof slot->flags);
    slot->has_flags = false;
    if (words)
        set_values(slot->value, type, words, count);
}

static void give(struct operation_error *self, int slot, const struct operation_values *values,
                 size_t from, size_t count)
{
    uint8_t all = 0;
    for (size_t k = 0; k < count; k++)
        all |= values->flags[from + k];
    for (int f = 0; f < self->fields; f++) {
        struct slot *to = &self->slots[slot + f];
        set_values(to->value, type_of_field(self, f), values->words[f] + from, count);
        memcpy(to->added, values->errors[f] + from, count * sizeof *to->added);
        memcpy(to->off, values->errors[f] + from, count * sizeof *to->off);
        memcpy(to->flags, values->flags + from, count);
        to->has_flags = all != 0;
    }
}

static void take_flags(const struct operation_error *self, int fields, uint8_t *flags,
                       size_t count)
{
    const int root = self->text->parts[self->part].root;
    memset(flags, 0, count);
    for (int f = 0; f < fields; f++) {
        const struct slot *slot = &self->slots[self->slots_of[root][f]];
        for (size_t k = 0; slot->has_flags && k < count; k++)
            flags[k] |= slot->flags[k];
    }
}

static void take_errors(struct operation_error *self, struct operation_values *out, size_t from,
                        size_t count)
{
    double given[LANES], made[LANES];
    for (int f = 0; f < self->fields; f++) {
        sum_errors(self, f, given, made, count);
        EACH(given, within(given[k] + made[k]));
        memcpy(out->errors[f] + from, given, count * sizeof *given);
    }
    take_flags(self, self->fields, out->flags + from, count);
}

static size_t piece(size_t from, size_t count)
{
    return count - from < LANES ? count - from : LANES;
}

static void map_exactly(struct operation_error *self, const uint64_t *x, const uint64_t *i,
                        struct operation_values *out, size_t count)
{
    operation_eval_watch(self->eval, NULL, NULL);
    operation_eval_map(self->eval, x, i, out->words[0], count);
    operation_eval_watch(self->eval, see, self);
    for (int f = 0; f < self->fields; f++)
        memset(out->errors[f], 0, count * sizeof *out->errors[f]);
}

void operation_error_map(struct operation_error *self, const uint64_t *x, const uint64_t *i,
                         struct operation_values *out, size_t count)
{
    for (size_t from = 0, take; self->has_inexact_map && from < count; from += take) {
        take = piece(from, count);
        give_exact(&self->slots[slot_of_name(self, OPERATION_X, 0)], self->acc, x + from, take);
        for (int k = 1; k < self->text->input_count; k++)
            give_exact(&self->slots[slot_of_name(self, OPERATION_INPUT_2 + k - 1, 0)],
                       self->acc, x + (size_t)k * OPERATION_LANES + from, take);
        give_exact(&self->slots[slot_of_name(self, OPERATION_I, 0)], U64_TYPE,
                   i ? i + from : NULL, take);
        self->part = OPERATION_MAP;
        operation_eval_map(self->eval, x + from, i ? i + from : NULL, out->words[0] + from,
                           take);
        take_errors(self, out, from, take);
    }
    if (!self->has_inexact_map)
        map_exactly(self, x, i, out, count);
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
    double given[LANES], made[LANES];
    for (size_t from = 0, take; from < count; from += take) {
        take = piece(from, count);
        give(self, slot_of_name(self, OPERATION_A, 0), a, from, take);
        give_exact(&self->slots[slot_of_name(self, OPERATION_N, 0)], U64_TYPE, n + from, take);
        self->part = OPERATION_FINISH;
        operation_eval_finish(self->eval, a->words[0] + from, n + from, out->words[0] + from,
                              take);
        sum_errors(self, 0, given, made, take);
        for (size_t k = 0; k < take; k++) {
            out->errors[0][from + k] = within(given[k]);
            out->errors[1][from + k] = within(made[k]);
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
    free(self->steps);
    free(self->slots_of);
    for (int part = 0; part < OPERATION_PARTS; part++)
        for (int f = 0; f < OPERATION_FIELDS_MAX; f++) {
            free(self->ways[part][f].steps);
            free(self->ways[part][f].reaches);
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
    self->steps = calloc((size_t)self->slot_count, sizeof *self->steps);
    return self->slots && self->steps;
}

static bool open_ways(struct operation_error *self)
{
    const struct operation_text *text = self->text;
    bool is_open = true;
    for (int at = 0; at < text->node_count; at++)
        self->slots[self->slots_of[at][0]].is_literal =
            text->nodes[at].arg_count == 0 && computes(&text->nodes[at]);
    for (int at = 0; at < text->node_count; at++)
        for (int f = 0; computes(&text->nodes[at]) && f < fields_of(self, at); f++)
            set_step(self, at, f);
    for (int part = 0; part < OPERATION_PARTS; part++)
        for (int f = 0; is_open && f < fields_of(self, text->parts[part].root); f++)
            is_open = open_way(self, (enum operation_part)part, f);
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
    if (!open_slots(self) || !open_ways(self) ||
        operation_eval_open(&self->eval, text, acc, error)) {
        operation_error_free(self);
        return error_memory(error, sizeof *self);
    }
    operation_eval_watch(self->eval, see, self);
    self->has_inexact_map = operation_eval_inexact(self->eval, OPERATION_MAP) > 0;
    *out = self;
    return 0;
}
