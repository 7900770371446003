"""Launches an export by its PREFIX.json alone: knows no header and no library of autotune, only what docs/export.md says
of the description. Python's own, with ctypes for CUDA's driver.

Usage: json_launch.py check FILE.json
           reads it strictly, evaluates every expression, and finds each symbol in its files
       json_launch.py plan FILE.json < LINES
           for each line "CC SMS ROW OUTER OUTER_STRIDE DEPTH DEPTH_STRIDE INNER INNER_STRIDE" whether the conditions of ROW
           hold, its memory and launches, then the params of the row that would be chosen; ROW counts the rows of all GPUs in
           their order, then the default
       json_launch.py run FILE.json [COUNT [SEED [DEVICE]]]
           launches each row for this GPU at COUNT sizes, of each kind of file; exit status 1 when a result is wrong, 77
           when there is no GPU here
"""
import array
import ctypes
import itertools
import json
import os
import random
import struct
import sys

SCHEMA = 1
AXES = ("outer", "outer_stride", "depth", "depth_stride", "inner", "inner_stride")


class Refused(Exception):
    """Why there are no launches."""


# --- Expressions ------------------------------------------------------------------------------

def split(source):
    at = 0
    while at < len(source):
        if source[at] == " ":
            at += 1
            continue
        end = at + 1
        if source[at].isalnum() or source[at] == "_":
            while end < len(source) and (source[end].isalnum() or source[end] == "_"):
                end += 1
        elif source[at:at + 2] in ("||", "&&", "==", "!=", "<=", ">="):
            end = at + 2
        yield source[at:end]
        at = end
    yield ""


def whole(value):
    if not -2 ** 63 <= value < 2 ** 63:
        raise OverflowError("more than 64 bits")
    return value


def divide(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


FUNCTIONS = {"min": (2, min), "max": (2, max), "ceil_div": (2, lambda a, b: -(-a // b)),
             "is_pow2": (1, lambda a: int(a > 0 and a & (a - 1) == 0)), "log2": (1, lambda a: a.bit_length() - 1),
             "floor_pow2": (1, lambda a: 1 << (a.bit_length() - 1))}
LEVELS = [{"||": None}, {"&&": None}, {"==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b)},
          {"<": lambda a, b: int(a < b), "<=": lambda a, b: int(a <= b), ">": lambda a, b: int(a > b),
           ">=": lambda a, b: int(a >= b)},
          {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
          {"*": lambda a, b: a * b, "/": divide, "%": lambda a, b: a - divide(a, b) * b}]


class Expression:
    """An expression of 64-bit integers, parsed once to a function of the names."""

    def __init__(self, source, names):
        self.words, self.names = list(split(source)), names
        self.value = self.conditional()
        if self.words != [""]:
            raise ValueError(f"'{self.words[0]}' in '{source}'")

    def take(self, *wanted):
        return self.words.pop(0) if self.words[0] in wanted else None

    def need(self, word):
        if not self.take(word):
            raise ValueError(f"'{self.words[0]}' for '{word}'")

    def conditional(self):
        condition = self.binary(0)
        if not self.take("?"):
            return condition
        yes = self.conditional()
        self.need(":")
        no = self.conditional()
        return lambda v: yes(v) if condition(v) else no(v)

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while word := self.take(*LEVELS[level]):
            left = self.join(word, LEVELS[level][word], left, self.binary(level + 1))
        return left

    @staticmethod
    def join(word, apply, left, right):
        if word == "||":
            return lambda v: int(bool(left(v) or right(v)))
        if word == "&&":
            return lambda v: int(bool(left(v) and right(v)))
        return lambda v: whole(apply(left(v), right(v)))

    def unary(self):
        word = self.words.pop(0)
        if word == "-":
            of = self.unary()
            return lambda v: whole(-of(v))
        if word == "!":
            of = self.unary()
            return lambda v: int(not of(v))
        if word == "(":
            inside = self.conditional()
            self.need(")")
            return inside
        if word.isdigit():
            number = whole(int(word))
            return lambda v: number
        if word in FUNCTIONS:
            return self.call(*FUNCTIONS[word])
        if word not in self.names:
            raise ValueError(f"no name '{word}'")
        return lambda v: v[word]

    def call(self, count, apply):
        self.need("(")
        given = [self.conditional()]
        for _ in range(count - 1):
            self.need(",")
            given.append(self.conditional())
        self.need(")")
        return lambda v: whole(apply(*[of(v) for of in given]))

    def __call__(self, values):
        return self.value(values)


# --- The description --------------------------------------------------------------------------

SIZES = ("parts", "grid", "outputs", "output_bytes", "partials_bytes", "state_bytes")


def unique(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)


def refuse_constant(text):
    raise ValueError(f"{text} is no JSON")


def load(path):
    with open(path, encoding="utf-8") as file:
        made = json.load(file, object_pairs_hook=unique, parse_constant=refuse_constant)
    if made["schema"] != SCHEMA:
        raise ValueError(f"schema {made['schema']}, and this program knows {SCHEMA}")
    made["rows"] = [row for gpu in made["gpus"] for row in gpu["rows"]] + [made["default"]]
    for row in made["rows"]:
        for condition in row["conditions"]:
            condition["holds"] = Expression(condition["holds"], made["names"])
        for launch in row["passes"]:
            for key in SIZES:
                launch[key] = Expression(launch[key], made["names"])
    return made


def count_of(dims):
    return dims["outer"] * dims["depth"] * dims["inner"]


def names_of(dims, sms):
    return dict(dims, n=count_of(dims), sms=sms)


def has_results(made, dims):
    return dims["outer"] * dims["inner"] * (dims["depth"] if made["problem"]["scan"] != "none" else 1) > 0


def holds(made, row, dims, sms):
    """Where there is no result, nothing is launched, and conditions have no value."""
    return not has_results(made, dims) or all(condition["holds"](names_of(dims, sms)) for condition in row["conditions"])


def serves(made, row, dims, sms):
    """Is it the row for these dims? Of a matrix: for this very one; a program may look for a near one."""
    if "serves_from" in row:
        inside = row["serves_from"] <= dims["depth"] <= row.get("serves_up_to", 2 ** 64)
    elif made["problem"]["shape"].endswith("columns"):
        inside = (row["rows"], row["len"], row["pitch"]) == (dims["depth"], dims["inner"], dims["depth_stride"])
    else:
        inside = (row["rows"], row["len"], row["pitch"]) == (dims["outer"], dims["depth"], dims["outer_stride"])
    return inside and has_results(made, dims) and holds(made, row, dims, sms)


def choose(made, cc, sms, dims):
    """The place of a row: of the very GPU, else of one of the compute capability, else the default."""
    place, found = 0, []
    for gpu in made["gpus"]:
        for row in gpu["rows"]:
            if gpu["cc"] == cc and serves(made, row, dims, sms):
                found.append((gpu["sms"] != sms, place))
            place += 1
    return min(found)[1] if found else place


# --- Launches ---------------------------------------------------------------------------------

def check_sizes(made, dims):
    left = made["n_max"]
    for axis in ("outer", "depth", "inner"):
        count = max(1, dims[axis])
        if count > left or dims[axis + "_stride"] > made["n_max"] // count:
            raise Refused("larger than any memory")
        left //= count
    if dims["depth"] > made["depth_max"]:
        raise Refused("too many elements of a result")


def check_launch(launch, sizes, left):
    for key in ("parts", "grid"):
        if not 1 <= sizes[key] < 2 ** 31:
            raise Refused(f"{key} {sizes[key]}")
    if sizes["outputs"] and left["depth"] // launch["tile"] >= 2 ** 31 - 1:
        raise Refused("more tiles than 31 bits count")


def plan(made, row, sms, dims):
    """The launches as a list, then the bytes of scratch and of state."""
    results = count_of(dims) if made["problem"]["scan"] != "none" else dims["outer"] * dims["inner"]
    alignment = made["workspace"]["alignment"]
    launches, scratch, state = [], 0, 0
    left, source, is_written, before = dict(dims), None, False, None
    check_sizes(made, dims)
    for launch in row["passes"] if results else []:
        parts = None
        while not (is_written and left["depth"] == 1):
            names, sizes = names_of(left, sms), {}
            for key in SIZES:
                sizes[key] = parts if key == "parts" and parts else launch[key](names)
                names[{"grid": "blocks"}.get(key, key)] = sizes[key]
            parts = sizes["parts"]
            check_launch(launch, sizes, left)
            places = {"input": source, "output": None, "partials": 0}
            for role in ("output", "partials"):
                bytes_ = sizes[role + "_bytes"]
                if bytes_:
                    assert bytes_ % alignment == 0
                    places[role] = scratch
                    scratch += bytes_
            if before and before["outputs"] == 0 and before["partials_bytes"]:
                places["partials"] = before["places"]["partials"]
            state = max(state, sizes["state_bytes"])
            before = dict(sizes, launch=launch, names=names, places=places)
            launches.append(before)
            if sizes["outputs"]:
                depth = sizes["outputs"] // results
                left.update(depth=depth, outer_stride=depth * left["inner"], depth_stride=left["inner"], inner_stride=1)
                source, is_written = places["output"], True
            if launch["repeat"] == "once" or not sizes["outputs"]:
                break
    if launches and not (is_written and left["depth"] == 1):
        raise Refused("more than a value of a result is left")
    return launches, scratch, state


def print_plan(made, line):
    numbers = [int(word) for word in line.split()]
    cc, sms, row, dims = numbers[0], numbers[1], made["rows"][numbers[2]], dict(zip(AXES, numbers[3:]))
    try:
        launches, scratch, state = plan(made, row, sms, dims)
    except Refused:
        print("refused")
        return
    print(int(holds(made, row, dims, sms)), scratch, state, end="")
    for it in launches:
        launch, places = it["launch"], it["places"]
        print(" |", it["grid"], launch["block"], launch["cluster"], launch["shared_bytes"], int(launch["cooperative"]),
              it["names"]["n"], it["outputs"], it["parts"],
              *["-" if places[role] is None else places[role] for role in ("input", "output", "partials")],
              *[argument["role"] for argument in launch["args"]], end="")
    print(";", *[f"{param}={value}" for param, value in made["rows"][choose(made, cc, sms, dims)]["params"].items()])


# --- Files ------------------------------------------------------------------------------------

def symbols_of(path):
    """The functions of an ELF file with 64 bits, or the entries of PTX."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != b"\x7fELF":
        text = data.decode()
        assert "\0" not in text
        return {words.split("(")[0].strip() for words in text.split(".entry ")[1:]}
    headers, = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, headers + i * size) for i in range(count)]
    found = set()
    for _, kind, _, _, offset, length, link, _, _, entry in sections:
        for at in range(offset, offset + length, entry) if kind == 2 else []:
            name, info = struct.unpack_from("<IB", data, at)
            begin = sections[link][4] + name
            if info & 15 == 2:
                found.add(data[begin:data.index(b"\0", begin)].decode())
    return found


def check_files(made, folder):
    for file in made["files"]:
        have = symbols_of(os.path.join(folder, file["file"]))
        want = {kernel["symbol"] for kernel in made["kernels"] if file["file"] in kernel["files"]}
        if not want or want - have:
            raise ValueError(f"{file['file']} lacks {want - have or 'all'}")
        for kernel in made["kernels"]:
            if (kernel["needs_cc"] <= file["cc"]) != (file["file"] in kernel["files"]):
                raise ValueError(f"{kernel['symbol']} and {file['file']}")
    for row in made["rows"]:
        for launch in row["passes"]:
            if launch["symbol"] != made["kernels"][launch["kernel"]]["symbol"]:
                raise ValueError(f"pass {launch['pass']} names another symbol")
            for argument in launch["args"]:
                types = CODES if argument["role"] == "param" else ("pointer", "u64")
                if argument["role"] not in made["roles"] or argument["type"] not in types:
                    raise ValueError(f"argument {argument}")


def check(path):
    made = load(path)
    check_files(made, os.path.dirname(path))
    for row in made["rows"]:
        for power in range(0, made["n_max"].bit_length(), 3):
            matrix = "shape" in made["problem"] and "scan" not in made["problem"]["shape"].split("_")
            size = min(2 ** power, made["depth_max"])
            dims = dict(zip(AXES, (3 if matrix else 1, size, size, 1, 1, 1)))
            try:
                plan(made, row, 132, dims)
            except Refused:
                pass
    print(len(made["rows"]), "rows,", len(made["files"]), "files")


# --- The driver -------------------------------------------------------------------------------

class Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint * 16)]


class Config(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared_bytes", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(Attribute)), ("count", ctypes.c_uint)]


COOPERATIVE, CLUSTER = 2, 4
FUNCTION_ATTRIBUTES = {"CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES": 8,
                       "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED": 14}
GUARD = 256


class Driver:
    """CUDA's driver, and the primary context of a device."""

    def __init__(self, number):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), number)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        asked = []
        for attribute in (16, 75, 76):  # multiprocessors, major and minor of the compute capability
            value = ctypes.c_int()
            self.call("cuDeviceGetAttribute", ctypes.byref(value), attribute, device)
            asked.append(value.value)
        self.sms, self.cc = asked[0], 10 * asked[1] + asked[2]
        name = ctypes.create_string_buffer(200)
        self.call("cuDeviceGetName", name, 200, device)
        self.name = name.value.decode()

    def call(self, name, *arguments):
        result = getattr(self.cuda, name)(*arguments)
        if result:
            raise RuntimeError(f"{name} returns {result}")

    def take(self, count, byte):
        """Memory of so many bytes, all of that value."""
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(count))
        self.call("cuMemsetD8_v2", address, ctypes.c_ubyte(byte), ctypes.c_size_t(count))
        return address.value

    def give(self, address):
        self.call("cuMemFree_v2", ctypes.c_uint64(address))

    def write(self, address, data):
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), data, ctypes.c_size_t(len(data)))

    def read(self, address, count):
        data = ctypes.create_string_buffer(count)
        self.call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(count))
        return data.raw

    def load(self, path):
        with open(path, "rb") as file:
            module, data = ctypes.c_void_p(), file.read() + b"\0"
        self.call("cuModuleLoadData", ctypes.byref(module), data)
        return module

    def function(self, module, launch):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, launch["symbol"].encode())
        for attribute in launch["attributes"]:
            self.call("cuFuncSetAttribute", function, FUNCTION_ATTRIBUTES[attribute["name"]], attribute["value"])
        return function

    def launch(self, module, launch, grid, values):
        function = self.function(module, launch)
        held = [ctypes.c_uint64(value) for value in values]
        pointers = (ctypes.c_void_p * len(held))(*[ctypes.addressof(value) for value in held])
        attributes = (Attribute * 2)()
        config = Config((grid, 1, 1), (launch["block"], 1, 1), launch["shared_bytes"], None, attributes, 0)
        if launch["cluster"] > 1:
            attributes[config.count].id = CLUSTER
            attributes[config.count].value[0:3] = [launch["cluster"], 1, 1]
            config.count += 1
        if launch["cooperative"]:
            attributes[config.count].id = COOPERATIVE
            attributes[config.count].value[0] = 1
            config.count += 1
        self.call("cuLaunchKernelEx", ctypes.byref(config), function, pointers, None)


def find_file(made, driver, kind):
    """The newest file of the kind that the device takes; machine code is for one major version."""
    fit = [file for file in made["files"] if file["kind"] == kind and file["cc"] <= driver.cc and
           (kind == "ptx" or file["cc"] // 10 == driver.cc // 10)]
    return max(fit, key=lambda file: file["cc"])["file"] if fit else None


def has_kernels(made, row, file):
    return all(file in made["kernels"][launch["kernel"]]["files"] for launch in row["passes"])


# --- What is right ----------------------------------------------------------------------------

CODES = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q", "f16": "e",
         "f32": "f", "f64": "d"}


class Repeated:
    """So many elements that a list of them would be too much: the same ones again and again."""

    def __init__(self, pattern, count):
        self.pattern, self.count = pattern, count

    def sum(self):
        times, rest = divmod(self.count, len(self.pattern))
        return sum(self.pattern) * times + sum(self.pattern[:rest])


def pack(values, type_name):
    if isinstance(values, Repeated):
        data = pack(values.pattern, type_name)
        size = len(data) // len(values.pattern) * values.count
        return (data * (size // len(data) + 1))[:size]
    code = CODES[type_name]
    return struct.pack(f"<{len(values)}e", *values) if code == "e" else array.array(code, values).tobytes()


def wrap(value, type_name):
    """An integer as its type has it."""
    if type_name[0] == "f":
        return value
    bits = int(type_name[1:])
    value %= 2 ** bits
    return value - 2 ** bits if type_name[0] == "i" and value >= 2 ** (bits - 1) else value


def combine(op, values):
    """Of a list that is not empty; the first of several places."""
    if op == "sum":
        return sum(values)
    if op == "sumsq":
        return sum(value * value for value in values)
    if op in ("min", "max"):
        return (min if op == "min" else max)(values)
    if op in ("argmin", "argmax"):
        return values.index((min if op == "argmin" else max)(values))
    raise ValueError(f"this program does not know {op}")


def expect(problem, values, dims):
    """The results in their order."""
    out, op, result = [], problem["op"], problem["result"]
    if isinstance(values, Repeated):
        return [wrap(values.sum(), result)]
    for kept in range(dims["outer"] * dims["inner"]):
        begin = kept // dims["inner"] * dims["outer_stride"] + kept % dims["inner"] * dims["inner_stride"]
        step = dims["depth_stride"]
        elements = values[begin:begin + (dims["depth"] - 1) * step + 1:step]
        if problem["scan"] == "none":
            out.append(wrap(combine(op, elements), result))
            continue
        if op != "sum":
            raise ValueError(f"this program does not know scans of {op}")
        totals = list(itertools.accumulate(elements))  # small enough for every type
        out += [0] + totals[:-1] if problem["scan"] == "exclusive" else totals
    return out


# --- Running ----------------------------------------------------------------------------------

MOST, MOST_OF_SUM = 1 << 21, 1 << 26  # elements, of a sum to one value

def draw_values(rng, problem, count):
    """Small integers, of which every sum is exact; far larger and smaller ones at one place each."""
    small = [rng.randint(0, 3) if problem["type"][0] == "u" else rng.randint(-3, 3) for _ in range(min(count, 9973))]
    if count > MOST:
        return Repeated(small, count)
    values = (small * (count // len(small) + 1))[:count] if count else []
    if problem["op"] not in ("sum", "sumsq") and count:
        values[rng.randrange(count)] = 0 if problem["type"][0] == "u" else -100
        values[rng.randrange(count)] = 100
    return values


def draw_dims(rng, made, row):
    """Dims that the row is for: its own, or less of the kind where that is too large for this program."""
    shape = made["problem"].get("shape", "")
    if "serves_from" in row or "rows" not in row and shape in ("", "inclusive", "exclusive"):
        most = MOST_OF_SUM if made["problem"]["op"] == "sum" and shape == "" else MOST
        first, last = max(1, row.get("serves_from", 1)), min(row.get("serves_up_to", most), most)
        if first > last:
            first, last = 1, MOST  # larger than this program bears: fewer, by the same kernels
        return dict(zip(AXES, (1, 1, rng.choice([first, last, rng.randint(first, last)]), 1, 1, 1)))
    rows, length = row.get("rows", rng.randint(1, 900)), row.get("len", rng.randint(1, 900))
    pitch = row.get("pitch", length + rng.choice([0, 3]))
    if rows * pitch > MOST:
        rows = max(1, MOST // pitch)
        pitch = length = min(pitch, MOST)
    if shape.endswith("columns"):
        return dict(zip(AXES, (1, 1, rows, pitch, length, 1)))
    return dict(zip(AXES, (rows, pitch, length, 1, 1, 1)))


def run_once(driver, module, made, row, dims, rng):
    """One call, then another on what it left; None where all is right."""
    problem = made["problem"]
    launches, scratch, state = plan(made, row, driver.sms, dims)
    extent = sum((dims[axis] - 1) * dims[axis + "_stride"] for axis in ("outer", "depth", "inner")) + 1
    values = draw_values(rng, problem, extent)
    want = expect(problem, values, dims)
    data, size = pack(values, problem["type"]), problem["result_bytes"] * len(want)
    input_ = driver.take(len(data), 0)
    output = driver.take(size + GUARD, 0xEE)
    work = driver.take(scratch + GUARD, 0xEE)
    words = driver.take(state + GUARD, 0)
    driver.write(input_, data)
    wrong = None
    for _ in range(2):
        for it in launches:
            places, launch = it["places"], it["launch"]
            known = dict(it["names"], parts=it["parts"], state=words, partials=work + places["partials"],
                         input=input_ if places["input"] is None else work + places["input"],
                         output=output if places["output"] is None else work + places["output"])
            driver.launch(module, launch, it["grid"], [known[argument["role"]] for argument in launch["args"]])
        driver.call("cuCtxSynchronize")
        got = struct.unpack(f"<{len(want)}{CODES[problem['result']]}", driver.read(output, size))
        if list(got) != want:
            at = next(i for i in range(len(want)) if got[i] != want[i])
            wrong = f"result {at} is {got[at]}, not {want[at]}"
    if any(it["launch"]["state_after"] == "zero" for it in launches) and state and any(driver.read(words, state)):
        wrong = "the state is not zero"
    if driver.read(output + size, GUARD) + driver.read(work + scratch, GUARD) != b"\xEE" * 2 * GUARD or \
            any(driver.read(words + state, GUARD)):
        wrong = "written behind the memory that was asked for"
    for address in (input_, output, work, words):
        driver.give(address)
    return wrong


def run_kind(driver, made, folder, kind, count, rng):
    """How many calls were wrong, and how many there were."""
    file = find_file(made, driver, kind)
    if not file:
        print(f"{kind}: none of the files is for sm_{driver.cc}")
        return 0, 0
    module, wrong, tried, rows = driver.load(os.path.join(folder, file)), 0, 0, set()
    mine = [row for gpu in made["gpus"] if gpu["cc"] == driver.cc for row in gpu["rows"]] + [made["default"]]
    for row in mine:
        for _ in range(count if has_kernels(made, row, file) else 0):
            dims = draw_dims(rng, made, row)
            if not holds(made, row, dims, driver.sms):
                continue
            said = run_once(driver, module, made, row, dims, rng)
            tried += 1
            rows.add(id(row))
            if said:
                wrong += 1
                print(f"WRONG {file} {dims} {row['params']}: {said}")
    driver.call("cuModuleUnload", module)
    print(f"{kind}: {file} on {driver.name}: {tried} calls of {len(rows)} rows, {wrong} wrong")
    return wrong, tried


def run(path, count=2, seed=1, device=0):
    made = load(path)
    try:
        driver = Driver(int(device))
    except (OSError, RuntimeError) as error:
        print(f"no GPU here: {error}")
        return 77
    wrong, tried = 0, 0
    for kind in sorted({file["kind"] for file in made["files"]}):
        more = run_kind(driver, made, os.path.dirname(path), kind, int(count), random.Random(int(seed)))
        wrong, tried = wrong + more[0], tried + more[1]
    return 1 if wrong or not tried else 0


def main():
    verb, path = sys.argv[1:3]
    if verb == "check":
        check(path)
    elif verb == "plan":
        made = load(path)
        for line in sys.stdin:
            print_plan(made, line)
    else:
        sys.exit(run(path, *sys.argv[3:]))


if __name__ == "__main__":
    main()
