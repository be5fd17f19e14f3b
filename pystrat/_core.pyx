# distutils: language = c++
# cython: language_level=3
"""The core (core/kinds.hpp): requests, instances that draw epochs, streams of random numbers; and numbers of texts."""

import re
from collections.abc import Mapping

import numpy as np

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libcpp cimport bool as boolean
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector

from pystrat.core.messages import is_number, refused_type, refused_value, show

cdef extern from "kinds.hpp" namespace "pystrat" nogil:
    cdef cppclass Named:
        vector[double] numbers
        vector[boolean] are_numbers
    cdef cppclass Other:
        Other()
    cdef cppclass Nothing "std::monostate":
        Nothing()
    cdef cppclass Values:
        boolean is_recipe
        void add[T](string name, T value) except +
        void add_view[T](string name, const T *values, int64_t length) except +
    cdef cppclass Refusal:
        string parameter, requirement, got, advice
        int64_t stratum, place
        boolean is_type
    cdef cppclass OptionalRefusal "std::optional<pystrat::Refusal>":
        boolean has_value()
        Refusal &value()
    ctypedef enum Type:
        INTEGERS "pystrat::INTEGERS"
        DOUBLES "pystrat::DOUBLES"
        LONGS "pystrat::LONGS"
        LARGE "pystrat::LARGE"
    cdef cppclass Host:
        void *context
        void *(*new_vector)(void *context, const char *name, Type type, int64_t count) noexcept
        boolean (*goes_on)(void *context) noexcept
        OptionalRefusal refusal
        string warning
        int64_t stratum
    cdef cppclass Generator:
        Generator()
        void begin(uint32_t seed)
        void save(double *numbers)
        boolean restore(const double *numbers, int64_t length)
    cdef cppclass Sampler:
        int64_t n_batches
        int64_t batches_of(uint32_t epoch)
    cdef cppclass Kind:
        pass
    const Kind *find_kind(string name) except +
    boolean check_request(const Kind &kind, const Values &given, Host &host) except +
    boolean begin_sampler(
        const Kind &kind, const Values &given, uint32_t seed, unique_ptr[Sampler] &sampler, Host &host
    ) except +
    boolean answer_request(const Kind &kind, const Values &given, Host &host) except +
    boolean describe_sampler(const Sampler &sampler, Host &host) except +
    boolean begin_state(Sampler &sampler, const Values &given, Host &host) except +
    boolean draw_more(
        Sampler &sampler, const Values &state, const Values &wanted, Generator &generator, Host &host
    ) except +
    boolean tell(
        Sampler &sampler, const Values &state, const string &method, const Values &told, Host &host
    ) except +
    boolean ask(Sampler &sampler, const Values &state, const string &name, const Values &asked, Host &host) except +
    boolean draw_epoch(Sampler &sampler, uint32_t seed, uint32_t epoch, Host &host) except +
    boolean identify_sampler(
        const Kind &kind, const Sampler &sampler, const Values &recipe, uint32_t seed, Host &host
    ) except +

_NUMBERS = {"total", "n_rows", "n_added", "next_position", "largest", "started", "has_warned", "weighed"}  # of a state

_BYTE, _INTEGER = np.dtype(np.uint8), np.dtype(np.int32)
_DTYPES = {<int>INTEGERS: np.int32, <int>DOUBLES: np.float64, <int>LONGS: np.int64, <int>LARGE: np.int64}


def check(str kind not None, dict arguments not None):
    """Return the checked arguments of a user that are given, as plain values: the recipe, but for the data."""
    cdef Request request = Request(arguments, False)
    cdef Call call = Call(request)
    call.finish(check_request(kind_of(kind)[0], request.values, call.host))
    return {name: read.tobytes().decode() if read.itemsize == 1 else plain(read) for name, read in call.results.items()}


def call(str kind not None, dict arguments not None, dict data not None={}, names=()):
    """Return what a kind answers, as arrays; without `data`, which are made of some arguments, it only checks.

    `names` are those of the strata, for messages; or returns the name of what a word and numbers stand for.
    """
    cdef Request request = Request(arguments, False)
    cdef Call call = Call(request)
    cdef const Kind *found = kind_of(kind)
    cdef bint succeeded
    for name, value in data.items():
        request.add(name.encode(), value, True)
    with nogil:
        succeeded = answer_request(found[0], request.values, call.host)
    call.finish(succeeded, names)
    if not call.host.warning.empty():
        call.results["warnings"] = call.warnings(names)
    return call.results


cdef const Kind *kind_of(str name) except NULL:
    cdef const Kind *found = find_kind(name.encode())
    if found == NULL:
        raise KeyError(name)
    return found


cdef class Request:
    """The values of a request or a recipe in the form of the core. Nobody changes them meanwhile."""

    cdef Values values
    cdef dict given
    cdef list kept  # vectors in the form of the core

    def __init__(self, dict given not None, bint is_recipe):
        self.given, self.values.is_recipe, self.kept = given, is_recipe, []
        for name, value in given.items():
            self.add(name.encode(), value, is_recipe)

    cdef int add(self, string name, value, bint may_be_array) except -1:
        cdef Named numbers
        if value is None:
            self.values.add[Nothing](name, Nothing())
        elif type(value) is float or type(value) is int:
            self.values.add[double](name, <double>value)
        elif may_be_array and isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iuf":
            self.add_array(name, value)
        elif isinstance(value, (bool, np.bool_)):
            self.values.add[boolean](name, <boolean>bool(value))
        elif isinstance(value, str) and "\0" not in value:
            self.values.add[string](name, <string>value.encode("utf-8", "surrogatepass"))
        elif is_number(value):
            self.values.add[double](name, <double>float(value))
        elif isinstance(value, Mapping):
            for part in value.values():
                numbers.numbers.push_back(float(part) if is_number(part) else np.nan)
                numbers.are_numbers.push_back(is_number(part))
            self.values.add[Named](name, numbers)
        else:
            self.values.add[Other](name, Other())
        return 0

    cdef int add_array(self, string name, value) except -1:
        cdef Py_buffer view
        cdef bint is_byte = value.dtype == _BYTE, is_integer = value.dtype == _INTEGER
        value = value if value.flags.aligned else value.copy()
        value = np.ascontiguousarray(value, None if is_byte or is_integer else np.float64)
        self.kept.append(value)
        PyObject_GetBuffer(value, &view, PyBUF_SIMPLE)
        PyBuffer_Release(&view)  # the array keeps its memory
        if is_byte:
            self.values.add_view(name, <const uint8_t *>view.buf, len(value))
        elif is_integer:
            self.values.add_view(name, <const int32_t *>view.buf, len(value))
        else:
            self.values.add_view(name, <const double *>view.buf, len(value))
        return 0


def plain(part):
    """Return a part of a recipe as an argument: a flag, a number or a text is no vector."""
    if len(part) != 1 or part.itemsize == 1:
        return part
    number = part.item()
    if part.itemsize == sizeof(int32_t):
        return bool(number) if number in (0, 1) else number
    return int(number) if number.is_integer() else number


cdef class Call:
    """The host of one call of the core: keeps what it gives."""

    cdef Host host
    cdef Request request
    cdef dict results
    cdef object error
    cdef bint aligns  # whether vectors begin at a cache line

    def __init__(self, Request request not None):
        self.request, self.results = request, {}
        self.host.context = <void *>self
        self.host.new_vector, self.host.goes_on = new_vector, goes_on

    cdef int finish(self, bint succeeded, names=()) except -1:
        """Raise the error of a call that has failed. `names` are those of the strata."""
        cdef Refusal refusal
        if succeeded:
            return 0
        if not self.host.refusal.has_value():
            raise self.error
        refusal = self.host.refusal.value()
        got, advice = refusal.got.decode(), refusal.advice.decode()
        if not got:
            value = self.request.given.get(refusal.parameter.decode())
            if refusal.place > 0:
                value = list(value.values() if isinstance(value, Mapping) else value)[refusal.place - 1]
            got = show(value)
        texts = [refusal.requirement.decode(), got, advice or None]
        texts = [with_names(text, names, refusal.stratum) for text in texts]
        raise (refused_type if refusal.is_type else refused_value)(refusal.parameter.decode(), *texts)

    cdef list warnings(self, names):
        lines = self.host.warning.decode().splitlines()
        return [with_names(line, names, self.host.stratum) for line in lines]


def with_names(text, names, stratum):
    """Return a text with the name of a stratum, or all that `names` returns; without names or a text, as it is."""
    if text is None or "{" not in text or not (callable(names) or len(names)):
        return text
    if callable(names):
        text = text.replace("{stratum}", f"{{stratum {stratum}}}")
        return re.sub(r"\{(.*?)\}", lambda found: names(*found[1].split()), text)
    return text.replace("{stratum}", str(names[stratum]))


cdef void *new_vector(void *context, const char *name, Type type, int64_t count) noexcept with gil:
    cdef Call call = <Call>context
    cdef Py_buffer view
    try:
        result = np.empty(count + 64 * call.aligns, dtype=_DTYPES.get(<int>type, np.uint8))
        if call.aligns:
            shift = -result.ctypes.data % 64 // result.itemsize
            result = result[shift : shift + count]
        call.results[name.decode()] = result
        PyObject_GetBuffer(result, &view, PyBUF_SIMPLE)
        PyBuffer_Release(&view)  # the array keeps its memory
        return view.buf
    except BaseException as error:
        call.error = error
        return NULL


cdef boolean goes_on(void *context) noexcept with gil:
    try:
        PyErr_CheckSignals()
        return True
    except BaseException as error:
        (<Call>context).error = error
        return False


cdef class Instance:
    """What draws the epochs of a recipe. One thread at a time may use it.

    Nobody changes the parts of the recipe. `names` are those of the strata, for messages.
    """

    cdef const Kind *kind
    cdef Request recipe
    cdef uint32_t seed
    cdef unique_ptr[Sampler] sampler
    cdef readonly object warnings, found  # what a search has found belongs to the recipe
    cdef Request state

    def __init__(self, str kind not None, dict parts not None, uint32_t seed, names=()):
        cdef Call call
        cdef bint succeeded
        self.kind, self.seed = kind_of(kind), seed
        self.recipe = Request(parts, True)
        call = Call(self.recipe)
        with nogil:
            succeeded = begin_sampler(self.kind[0], self.recipe.values, seed, self.sampler, call.host)
        call.finish(succeeded, names)
        self.found = call.results
        self.warnings = call.warnings(names)

    @property
    def n_batches(self):
        return self.sampler.get().n_batches

    def batches_of(self, uint32_t epoch):
        """Return the number of batches of an epoch."""
        return self.sampler.get().batches_of(epoch)

    def describe(self):
        """Return what follows from the recipe, as arrays."""
        cdef Call call = Call(self.recipe)
        call.finish(describe_sampler(self.sampler.get()[0], call.host))
        return call.results

    def draw(self, uint32_t epoch):
        """Return the results of an epoch as arrays: "rows", "offsets" and further ones."""
        cdef Call call = Call(self.recipe)
        cdef bint succeeded
        with nogil:
            succeeded = draw_epoch(self.sampler.get()[0], self.seed, epoch, call.host)
        call.finish(succeeded)
        return call.results

    def identify(self):
        """Return the fingerprint of what determines the batches."""
        cdef Call call = Call(self.recipe)
        cdef bint succeeded
        with nogil:  # a digest of all codes
            succeeded = identify_sampler(
                self.kind[0], self.sampler.get()[0], self.recipe.values, self.seed, call.host
            )
        call.finish(succeeded)
        return call.results["fingerprint"].tobytes().decode()

    # Of kinds with feedback. A call holds the GIL, so that it is a single step for other threads.

    def begin(self, dict given not None):
        """Make a new state, of arrays and numbers; a state that is refused changes nothing."""
        cdef Request request = Request(given, True)
        cdef Call call = Call(request)
        call.aligns = True
        call.finish(begin_state(self.sampler.get()[0], request.values, call.host))
        self.state = Request(call.results, True)

    def draw_more(self, RandomStream stream not None, dict wanted not None):
        """Return the next rows of a stream: "count" batches, or "count" times "k" rows."""
        cdef Request request = Request(wanted, False)
        cdef Call call = Call(request)
        call.finish(draw_more(self.sampler.get()[0], self.state.values, request.values, stream.generator, call.host))
        return call.results["rows"]

    def tell(self, str method not None, dict told not None):
        """Change the state; return the results."""
        cdef Request request = Request(told, True)
        cdef Call call = Call(request)
        call.finish(tell(self.sampler.get()[0], self.state.values, method.encode(), request.values, call.host))
        return call.results

    def ask(self, str name not None, dict asked not None={}):
        """Return the values of this name, or the "state" of a recipe."""
        cdef Request request = Request(asked, True)
        cdef Call call = Call(request)
        call.finish(ask(self.sampler.get()[0], self.state.values, name.encode(), request.values, call.host))
        return {key: plain(found) if key in _NUMBERS else found for key, found in call.results.items()}


cdef class RandomStream:
    """The random numbers after R's ``set.seed(seed)``. The caller checks the limits, 0 to 2^31 - 1."""

    cdef Generator generator

    def __init__(self, uint32_t seed):
        self.generator.begin(seed)

    def state(self):
        """Return the position among the words of the Mersenne-Twister and the 624 words, as in R's .Random.seed."""
        cdef double[::1] numbers = np.empty(625)
        self.generator.save(&numbers[0])
        return np.asarray(numbers)

    def __reduce__(self):
        return stream_at, (self.state(),)


def stream_at(words not None):
    """Return the stream at a `RandomStream.state`, of which the core has checked that it is one."""
    cdef RandomStream stream = RandomStream(0)
    cdef double[::1] numbers = np.asarray(words, dtype=np.float64)
    if not stream.generator.restore(&numbers[0], numbers.shape[0]):
        raise ValueError("A state of the generator has 625 words, the first of which is at most 624.")
    return stream


def number_texts(list values, int64_t[::1] codes):
    """Number texts in order of first appearance, by their characters alone, a NUL among them.

    pandas compares the texts of a column as C strings, which end at a NUL. `codes` get the number of each text, -1 for
    what is not text. Returns the distinct texts; none is of a subclass, whose equality may be its own.
    """
    cdef dict known = {}
    cdef object value
    cdef Py_ssize_t row
    for row in range(len(values)):
        if row % 65536 == 0:
            PyErr_CheckSignals()
        value = values[row]
        if not isinstance(value, str):
            codes[row] = -1
            continue
        if type(value) is not str:
            value = str.__str__(value)
        codes[row] = known.setdefault(value, len(known))
    return list(known)
