# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kinds of samplers of the C core (core/kinds.h), plans and instances that draw epochs, and its functions."""

import re
from collections.abc import Mapping

import numpy as np

from cpython.buffer cimport PyBUF_FORMAT, PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from pystrat cimport _core as core
from pystrat._random cimport RandomStream

from pystrat.messages import as_double, is_number, is_whole, refused_type, refused_value, show

cdef extern from "huge_pages.h" nogil:
    void ask_for_huge_pages(void *memory, int64_t bytes)

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8(object text) except NULL

cdef enum:
    LINE = 64  # bytes of a cache line, to which memory is aligned

_DTYPES = {core.BYTES: np.uint8, core.INTEGERS: np.int32, core.DOUBLES: np.float64}
_DTYPES.update({core.LONGS: np.int64, core.LARGE: np.int64})


def plan(str kind not None, dict arguments not None, dict data not None, names):
    """Make the parts of a recipe, or the checked settings if the data are missing.

    Parameters
    ----------
    kind : str
        The name of the kind of sampler.
    arguments : dict
        The arguments of the user, whatever they are.
    data : dict
        Arrays of uint8, int32 or float64 that were made of arguments. The result has these arrays, not copies.
        Lists are of texts.
    names : sequence of str, or callable
        The names of the strata, for messages; or returns what the kind lets messages name.

    Returns
    -------
    parts : dict
        Arrays, numbers, flags and texts.
    warnings : list of str
    """
    cdef Request request = Request(arguments, data)
    cdef Call call = Call(request, names)
    cdef const core.Kind *found = kind_of(kind)
    cdef bint succeeded
    with nogil:
        succeeded = found.plan(&request.parts, &call.host)
    call.finish(succeeded)
    return call.results, call.warnings()


def call(str name not None, dict arguments not None, dict data not None={}, names=()):
    """Return the results of a function of the core, among them the "warnings" if there are any.

    The parameters are those of `plan`.
    """
    cdef Request request = Request(arguments, data)
    cdef Call call = Call(request, names)
    cdef const core.Function *found = core.find_function(PyUnicode_AsUTF8(name))
    cdef bint succeeded
    if found == NULL:
        raise KeyError(name)
    with nogil:
        succeeded = found.call(&request.parts, &call.host)
    call.finish(succeeded)
    if call.host.warning[0]:
        call.results["warnings"] = call.warnings()
    return call.results


cdef const core.Kind *kind_of(str name) except NULL:
    cdef const core.Kind *found = core.find_kind(PyUnicode_AsUTF8(name))
    if found == NULL:
        raise KeyError(name)
    return found


cdef union Scalar:
    double number
    int32_t flag


cdef class Request:
    """The parts of a request or a recipe in the form of the core, with everything that they point to.

    Nobody changes the dictionaries meanwhile.
    """

    cdef core.Parts parts
    cdef dict arguments, data
    cdef list held
    cdef Scalar *scalars

    def __init__(self, dict arguments not None, dict data not None, bint is_recipe=False):
        cdef Py_ssize_t size = len(arguments) + len(data)
        cdef core.Part *part
        self.arguments, self.data, self.held = arguments, data, []
        self.scalars = <Scalar *>calloc(size + 1, sizeof(Scalar) + sizeof(core.Part))
        if self.scalars == NULL:
            raise MemoryError
        part = <core.Part *>(self.scalars + size + 1)
        self.parts.parts, self.parts.n_parts, self.parts.is_recipe = part, size, is_recipe
        for name, value in arguments.items():
            part.name = PyUnicode_AsUTF8(name)
            self.fill(part, value, self.scalars + (part - self.parts.parts))
            part += 1
        for name, value in data.items():
            part.name = PyUnicode_AsUTF8(name)
            if isinstance(value, np.ndarray):
                self.fill_array(part, value)
            elif len(value) == 1:  # a recipe has a text as a list of one
                self.fill(part, value[0], self.scalars + (part - self.parts.parts))
            else:
                self.fill_texts(part, value)
            part += 1

    def __dealloc__(self):
        free(self.scalars)

    cdef int fill(self, core.Part *part, value, Scalar *scalar) except -1:
        """Fill a part with an argument, in the type that the core gives to it."""
        part.type, part.length, part.values = core.OTHER, 0, scalar
        if value is None:
            part.type = core.NOTHING
        elif isinstance(value, (bool, np.bool_)):
            part.type, part.length, scalar.flag = core.FLAG, 1, bool(value)
        elif isinstance(value, str):
            if "\0" not in value:
                text = value.encode("utf-8", "surrogatepass")
                self.held.append(text)
                part.type, part.length, part.values = core.TEXT, 1, <const char *>text
        elif type(value) is float or type(value) is int or is_number(value):
            scalar.number = as_double(value)
            is_plain = isinstance(value, (int, float, np.floating))
            is_double = is_plain or is_whole(value) or not np.isfinite(scalar.number)
            part.type, part.length = core.DOUBLES if is_double else core.FRACTION, 1
            part.is_single = True
        elif isinstance(value, Mapping):
            items = Request({str(place): item for place, item in enumerate(value.values())}, {})
            self.held.append(items)
            part.is_named, part.length, part.items = True, items.parts.n_parts, items.parts.parts
        return 0

    cdef int fill_texts(self, core.Part *part, texts) except -1:
        cdef bytearray pointers = bytearray((len(texts) + 1) * sizeof(char *))
        cdef const char **pointer = <const char **><char *>pointers
        self.held.append(pointers)
        part.type, part.length, part.values = core.OTHER, 0, pointer
        for text in texts:
            if not isinstance(text, str) or "\0" in text:
                return 0
            encoded = text.encode("utf-8", "surrogatepass")
            self.held.append(encoded)
            pointer[0] = encoded
            pointer += 1
        part.type, part.length = core.TEXTS, len(texts)
        return 0

    cdef int fill_array(self, core.Part *part, value) except -1:
        cdef Py_buffer view
        if not value.flags.c_contiguous:
            value = np.ascontiguousarray(value)
            self.held.append(value)
        PyObject_GetBuffer(value, &view, PyBUF_SIMPLE | PyBUF_FORMAT)
        try:
            part.type = type_of(view.format[0], view.itemsize)
            part.length, part.values = view.len // view.itemsize, view.buf
        finally:
            PyBuffer_Release(&view)  # the array keeps its memory
        return 0

    cdef object value_of(self, str name):
        """Return the value of a part, None if there is none."""
        return self.data[name] if name in self.data else self.arguments.get(name)


cdef Request request_of(dict values, bint is_recipe):
    """Return a request of arrays and texts, and of numbers."""
    numbers = {name: value for name, value in values.items() if isinstance(value, (int, float, str, type(None)))}
    return Request(numbers, {name: value for name, value in values.items() if name not in numbers}, is_recipe)


cdef core.PartType type_of(char letter, Py_ssize_t size) except *:
    """Return the type of arrays whose items have this letter in the buffer protocol, and this size."""
    if letter == b"B":
        return core.BYTES
    if letter == b"d":
        return core.DOUBLES
    if letter in b"il" and size == sizeof(int32_t):
        return core.INTEGERS
    if letter in b"lq" and size == sizeof(int64_t):
        return core.LONGS
    raise TypeError(f"The core has no arrays of '{chr(letter)}'.")


cdef struct Block:
    Block *before


cdef class Memory:
    """Blocks of memory, which are freed together."""

    cdef Block *last

    cdef void *take(self, int64_t size) noexcept nogil:
        """Return a new block, aligned to a cache line, or NULL."""
        cdef Block *block = <Block *>malloc(size + 2 * LINE)
        if block == NULL:
            return NULL
        ask_for_huge_pages(block, size + 2 * LINE)
        block.before = self.last
        self.last = block
        return <char *>block + LINE + (LINE - <size_t>block % LINE) % LINE

    def __dealloc__(self):
        cdef Block *block
        while self.last != NULL:
            block = self.last
            self.last = block.before
            free(block)


cdef class Call:
    """The host of one call of the core: keeps what it requests, and what it gives.

    `request` has the values that a refusal shows. `of_instance` is the memory of an instance. `aligns`: whether vectors
    begin at a cache line.
    """

    cdef core.Host host
    cdef bint aligns
    cdef Request request
    cdef object names, error
    cdef dict results
    cdef Memory of_call, of_instance

    def __init__(self, Request request not None, names, Memory of_instance=None):
        self.request, self.names, self.of_instance = request, names, of_instance
        self.results, self.of_call = {}, Memory()
        self.host.context = <void *>self
        self.host.first_row, self.host.most_rows = 0, INT64_MAX
        self.host.memory, self.host.vector, self.host.go_on = memory, vector, go_on
        self.host.number, self.host.flag, self.host.keep = number, flag, keep

    cdef int finish(self, bint succeeded) except -1:
        """Raise the error of a function of the core, if it has failed."""
        cdef core.Refusal *refusal = &self.host.refusal
        if succeeded:
            return 0
        if refusal.parameter == NULL:
            raise self.error or MemoryError()
        requirement = self.named(refusal.requirement)
        if refusal.shown != NULL:
            value = self.request.value_of(refusal.shown.decode())
            if refusal.place > 0:
                value = (list(value.values()) if isinstance(value, Mapping) else value)[refusal.place - 1]
            got = show(value)
        else:
            got = self.named(refusal.got if refusal.long_got == NULL else refusal.long_got)
            if "{name}" in got and not callable(self.names):
                name = show(self.names[refusal.stratum] if len(self.names) else refusal.stratum)
                got = got.replace("{name}", name)
        refused = refused_type if refusal.is_type else refused_value
        parameter = refusal.parameter.decode("utf-8", "surrogatepass")
        where = None if refusal.where == NULL else self.named(refusal.where)
        raise refused(parameter, requirement, got, self.named(refusal.advice) or None, where=where)

    cdef list warnings(self):
        """Return the warnings."""
        lines = [] if self.host.warnings == NULL else self.host.warnings.splitlines()
        if self.host.warning[0]:
            lines.append(self.host.warning)
        return [self.named(line) for line in lines]

    cdef str named(self, bytes text):
        """Return a text with the names that stand in it for the host to fill in."""
        decoded = text.decode()
        if "{" in decoded and callable(self.names):
            return fill_in(decoded.replace("'{stratum}'", f"{{stratum {self.host.refusal.stratum}}}"), self.names)
        if "{stratum}" in decoded:
            return decoded.replace("{stratum}", self.names[self.host.refusal.stratum])
        return decoded


def fill_in(text, name_of):
    return re.sub(r"\{(.*?)\}", lambda found: name_of(*found[1].split()), text)


cdef void *memory(core.Host *host, core.Life life, int64_t size) noexcept nogil:
    if life == core.FOR_THE_CALL:
        return (<Call>host.context).of_call.take(size)
    return (<Call>host.context).of_instance.take(size)


cdef void *vector(core.Host *host, const char *name, core.PartType part_type, int64_t count) noexcept with gil:
    cdef Call call = <Call>host.context
    try:
        result = aligned(count, _DTYPES[part_type]) if call.aligns else np.empty(count, dtype=_DTYPES[part_type])
        call.results[name.decode()] = result
        return address(result)
    except BaseException as error:
        call.error = error
        return NULL


cdef aligned(int64_t count, dtype):
    """Return an array that begins at a cache line."""
    cdef int64_t size = count * np.dtype(dtype).itemsize
    room = np.empty(size + LINE, dtype=np.uint8)
    cdef size_t shift = (LINE - <size_t>address(room) % LINE) % LINE
    return room[shift : shift + size].view(dtype)


cdef void *address(array) except NULL:
    """Return where the values of an array are."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_SIMPLE)
    PyBuffer_Release(&view)  # the array keeps its memory
    return view.buf


cdef core.boolean number(core.Host *host, const char *name, double value) noexcept with gil:
    cdef Call call = <Call>host.context
    key = name.decode()
    given = call.request.value_of(key)
    # No digit is lost of a whole number that no double equals.
    call.results[key] = given if type(given) is int and given == value else exact_number(given, value)
    return True


cdef exact_number(given, double value):
    return int(given if is_number(given) and as_double(given) == value else value) if is_whole(value) else value


cdef core.boolean flag(core.Host *host, const char *name, core.boolean value) noexcept with gil:
    (<Call>host.context).results[name.decode()] = bool(value)
    return True


cdef core.boolean keep(core.Host *host, const char *name) noexcept with gil:
    cdef Call call = <Call>host.context
    key = name.decode()
    value = call.request.value_of(key)
    call.results[key] = bool(value) if isinstance(value, np.bool_) else value
    return True


cdef core.boolean go_on(core.Host *host) noexcept with gil:
    try:
        PyErr_CheckSignals()
        return True
    except BaseException as error:
        (<Call>host.context).error = error
        return False


cdef class Instance:
    """What draws the epochs of a recipe. One thread at a time may use it.

    Parameters
    ----------
    kind : str
        The name of the kind of sampler.
    parts : dict
        The parts of the recipe, as arrays that nobody changes, or numbers.
    seed : int
    """

    cdef const core.Kind *kind
    cdef Request recipe
    cdef uint32_t seed
    cdef Memory memory
    cdef void *room
    cdef Request state, wanted

    def __init__(self, str kind not None, dict parts not None, uint32_t seed):
        cdef Call call
        cdef bint succeeded
        self.kind, self.seed, self.memory = kind_of(kind), seed, Memory()
        self.recipe = request_of(parts, True)
        self.room = self.memory.take(self.kind.instance_bytes)
        if self.room == NULL:
            raise MemoryError
        memset(self.room, 0, self.kind.instance_bytes)
        call = Call(self.recipe, (), self.memory)
        with nogil:
            succeeded = self.kind.prepare(self.room, &self.recipe.parts, seed, &call.host)
        call.finish(succeeded)

    def count_batches(self, uint32_t epoch):
        """Return the number of batches of an epoch, 0 if only its draw tells."""
        return self.kind.count_batches(self.room, epoch)

    def draw(self, uint32_t epoch):
        """Return the results of an epoch as arrays: "rows", "offsets" and further ones."""
        cdef Call call = Call(self.recipe, (), self.memory)
        cdef bint succeeded
        with nogil:
            succeeded = core.draw_epoch(self.kind, self.room, self.seed, epoch, &call.host)
        call.finish(succeeded)
        return call.results

    def identify(self):
        """Return the fingerprint of what determines the batches."""
        cdef Call call = Call(self.recipe, (), self.memory)
        cdef bint succeeded
        with nogil:
            succeeded = core.identify_recipe(self.kind, self.room, &self.recipe.parts, self.seed, &call.host)
        call.finish(succeeded)
        return call.results["fingerprint"].tobytes().decode()

    # Of kinds with feedback. A call holds the GIL, so that it is a single step for other threads, except while a signal
    # handler runs.

    def begin(self, dict given not None):
        """Make a new state, of arrays and numbers; a state that is refused changes nothing."""
        cdef Request request = request_of(given, False)
        cdef Call call = Call(request, (), self.memory)
        call.aligns = True
        call.finish(self.kind.feedback.begin(self.room, &request.parts, &call.host))
        self.state = Request({}, call.results)

    def draw_more(self, RandomStream stream not None, dict wanted not None):
        """Return the next rows of a stream: "count" batches, or "count" times "k" rows.

        A dictionary that is used again is read only once.
        """
        cdef Request state = self.state
        if self.wanted is None or self.wanted.arguments is not wanted:
            self.wanted = Request(wanted, {})
        cdef Call call = Call(self.wanted, (), self.memory)
        call.finish(
            self.kind.feedback.draw_more(
                self.room, &state.parts, &self.wanted.parts, &stream.generator, &call.host
            )
        )
        return call.results["rows"]

    def tell(self, str method not None, dict arguments not None, dict data not None):
        """Change the state; return the results, among them the "warnings" if there are any."""
        cdef Request state = self.state, request = Request(arguments, data)
        cdef Call call = Call(request, (), self.memory)
        call.finish(
            self.kind.feedback.tell(
                self.room, &state.parts, PyUnicode_AsUTF8(method), &request.parts, &call.host
            )
        )
        if call.host.warning[0]:
            call.results["warnings"] = call.warnings()
        return call.results

    def ask(self, str name not None, dict arguments not None={}, dict data not None={}):
        """Return the values of this name, or the "state" of a recipe."""
        cdef Request state = self.state, request = Request(arguments, data)
        cdef Call call = Call(request, (), self.memory)
        call.finish(
            self.kind.feedback.ask(self.room, &state.parts, PyUnicode_AsUTF8(name), &request.parts, &call.host)
        )
        return call.results
