/* operation_node: defines a parsed operation: its functions are trees of nodes in one array, each
 * node behind its arguments. For the files operation_*.c alone. */
#ifndef AUTOTUNE_OPERATION_NODE_H
#define AUTOTUNE_OPERATION_NODE_H

#include "generator/operation_file.h"

/* The types of the language. Two stand for others: which, an accumulator decides. */
enum operation_type {
    BOOL_TYPE,
    I32_TYPE,
    U32_TYPE,
    I64_TYPE,
    U64_TYPE,
    F32_TYPE,
    F64_TYPE,
    CONCRETE_TYPES,
    ACC_TYPE = CONCRETE_TYPES, /* the accumulator */
    REAL_TYPE,                 /* the accumulator where that is a float, else f64 */
    TYPE_WORDS,
    STRUCT_TYPE = TYPE_WORDS, /* the value, where that has fields */
    NO_TYPE,
};

/* What a node does. operation_kinds has a row for each. */
enum operation_kind {
    NODE_LITERAL,
    NODE_NAME,    /* `index`: an enum operation_name */
    NODE_LET,     /* `index`: which let */
    NODE_PARAM,   /* `index`: which param */
    NODE_FIELD,   /* of its argument; `index`: which */
    NODE_CONVERT, /* its argument to the type `index` */
    NODE_CHOOSE,  /* condition ? first : second */
    NODE_MAKE,    /* a value of an argument for each field */
    NODE_NEGATE,
    NODE_NOT,
    NODE_INVERT,
    /* operators between two; a longer symbol comes before one that begins it */
    NODE_OR_ELSE,
    FIRST_OPERATOR = NODE_OR_ELSE,
    NODE_AND_THEN,
    NODE_EQUAL,
    NODE_UNEQUAL,
    NODE_SHIFT_LEFT,
    NODE_SHIFT_RIGHT,
    NODE_AT_MOST,
    NODE_AT_LEAST,
    NODE_LESS,
    NODE_MORE,
    NODE_BIT_OR,
    NODE_BIT_XOR,
    NODE_BIT_AND,
    NODE_ADD,
    NODE_SUBTRACT,
    NODE_MULTIPLY,
    NODE_DIVIDE,
    NODE_REMAINDER,
    /* functions */
    NODE_MAGNITUDE,
    FIRST_FUNCTION = NODE_MAGNITUDE,
    NODE_LEAST,
    NODE_GREATEST,
    NODE_LOWEST,
    NODE_HIGHEST,
    NODE_NONE,
    NODE_BELOW,
    NODE_ABOVE,
    NODE_EQUALS,
    NODE_IS_NAN,
    NODE_SQRT,
    NODE_EXP,
    NODE_EXP2,
    NODE_LOG,
    NODE_LOG2,
    NODE_LOG1P,
    NODE_EXPM1,
    NODE_TANH,
    NODE_SIN,
    NODE_COS,
    NODE_FLOOR,
    NODE_CEIL,
    NODE_FMA,
    NODE_POWER,
    NODE_KINDS
};

/* The types that arguments may have; all arguments of a node have one type. */
enum operation_class {
    ANY_CLASS,
    BOOL_CLASS,
    INTEGER_CLASS,
    WORD_CLASS,
    NUMBER_CLASS,
    FLOAT_CLASS
};

struct operation_kind_row {
    const char *symbol; /* the operator, or the function's name */
    int arg_count;
    int precedence; /* of an operator between two: stronger is higher; 0 = none */
    enum operation_class takes;
    enum operation_type gives; /* NO_TYPE: the type of its arguments */
    const char *c_f32, *c_f64; /* a function of math.h, the same in CUDA; NULL = none */
    int ulps_f32, ulps_f64; /* its result is off by so many at most; 0: the nearest there is */
};
extern const struct operation_kind_row operation_kinds[NODE_KINDS];

/* By type word: its name, its bytes. */
extern const char *const operation_type_names[TYPE_WORDS];
extern const char
    *const operation_names[OPERATION_NAMES]; /* in kernels: see operation_shown_name */
extern const char *const operation_part_names[OPERATION_PARTS];

struct operation_place {
    int line, column; /* from 1 */
};

enum { LITERAL_CHARS = 32 };

struct operation_node {
    enum operation_kind kind;
    int index;
    int arg_count;
    int args[OPERATION_FIELDS_MAX]; /* nodes before this one */
    int depth;                      /* of the tree below it */
    bool is_loose; /* made of literals alone, so that it takes the type of its context */
    /* of a literal */
    bool is_integer, is_negative;
    char digits[LITERAL_CHARS]; /* as written, without the sign */
    uint64_t integer;           /* without the sign */
    double wide;                /* with the sign */
    float narrow;
    struct operation_place place;
};

/* An expression, and what it mentions. */
struct operation_source {
    int root;        /* -1 = none */
    unsigned names;  /* a bit for each enum operation_name, those of its lets too */
    uint32_t lets;   /* a bit for each let, those of its lets too */
    uint32_t params; /* a bit for each param, those of its lets too */
    struct operation_place place;
};

struct operation_field {
    char name[OPERATION_NAME_MAX + 1];
    enum operation_type type;
};

/* A number that a call gives. */
struct operation_param {
    char name[OPERATION_NAME_MAX + 1];
    enum operation_type type;
    int usual; /* the literal that it is where a call gives none; -1 = each call must give it */
    struct operation_place place;
};

/* An array that a call gives. */
struct operation_input {
    char name[OPERATION_NAME_MAX + 1];
    bool is_typed; /* else of the problem's type */
    enum type type;
    struct operation_place place;
};

/* What the types are with one accumulator. */
struct operation_types {
    char *fault;      /* the sentence, where they do not fit; NULL = they do */
    uint8_t *of_node; /* an enum operation_type, concrete or STRUCT_TYPE, for each node */
    enum operation_type result;
    enum map_law map;
};

enum operation_for { FOR_ALL, FOR_INTEGERS, FOR_FLOATS, OPERATION_FORS };

struct operation_text {
    char *file, *meaning, *scale; /* scale may be NULL */
    char name[OPERATION_NAME_MAX + 1];
    char *tolerance_digits; /* NULL = none */
    double tolerance;
    enum operation_for types;
    struct operation_place types_place;
    bool keeps_order;
    enum operation_type value; /* STRUCT_TYPE where it has fields */
    struct operation_field fields[OPERATION_FIELDS_MAX];
    int field_count;
    struct operation_place value_place;
    enum operation_type result; /* NO_TYPE: that of finish */
    struct operation_place result_place;
    struct operation_param params[OPERATION_PARAMS_MAX];
    int param_count;
    struct operation_input inputs[OPERATION_INPUTS_MAX];
    int input_count; /* 0 where the file names none: one, x */
    struct operation_source parts[OPERATION_PARTS];
    struct operation_source lets[OPERATION_LETS_MAX];
    char let_names[OPERATION_LETS_MAX][OPERATION_NAME_MAX + 1];
    int let_count;
    struct operation_node *nodes;
    int node_count;
    enum combine_law combine;
    struct operation_types of[CONCRETE_TYPES]; /* by accumulator; none of BOOL_TYPE */
    char *canonical;
};

/* A sentence with its place before it. Returns -1. */
int operation_fault(const struct operation_text *text, struct operation_place place,
                    struct error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The name as the file has it: of inputs that which it gives them; NULL of one that it has not. */
const char *operation_shown_name(const struct operation_text *text, int name);

/* ACC_TYPE and REAL_TYPE as what they stand for. */
enum operation_type operation_concrete(enum operation_type type, enum operation_type acc);

bool operation_is_float(enum operation_type type);

/* The first node of a tree: its nodes stand one behind another, the root last. */
int operation_first_node(const struct operation_text *text, int root);

/* The type of the language that is this type of elements, of 32 or 64 bits. */
enum operation_type operation_type_of(enum type type);

#endif
