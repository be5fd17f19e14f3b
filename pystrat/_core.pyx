# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kinds of samplers of the C core (core/kinds/kinds.h): plans, and instances that draw epochs."""

from collections.abc import Mapping

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport INT64_MAX, int64_t, uint32_t, uintptr_t

from pystrat cimport _core as core

from pystrat.messages import RefusedType, RefusedValue, as_double, is_number, is_whole, show

_DTYPES = {core.BYTES: np.uint8, core.INTEGERS: np.int32, core.DOUBLES: np.float64, core.LONGS: np.int64}
_TYPES = {"uint8": core.BYTES, "int32": core.INTEGERS, "float64": core.DOUBLES}


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
    names : sequence of str
        The names of the strata, for messages.

    Returns
    -------
    parts : dict
        Arrays, numbers, flags and texts.
    warning : str
        Empty if there is none; "{owner}" stands for the name of the sampler.
    """
    cdef Request request = Request(arguments, data)
    cdef Call call = Call({**arguments, **data}, names, [])
    cdef const core.Kind *found = kind_of(kind)
    call.finish(found.plan(&request.parts, &call.host))
    return call.results, call.host.warning.decode()


cdef const core.Kind *kind_of(str name) except NULL:
    cdef const core.Kind *found = core.find_kind(name.encode())
    if found == NULL:
        raise KeyError(name)
    return found


cdef class Request:
    """The parts of a request or a recipe in the form of the core, with the arrays that they point to."""

    cdef core.Parts parts
    cdef list held
    cdef object room

    def __init__(self, dict arguments, dict data, bint is_recipe=False):
        cdef Py_ssize_t size = len(arguments) + len(data)
        cdef core.Part *part
        self.held = []
        self.room = np.zeros((size + 1) * sizeof(core.Part), dtype=np.uint8)
        part = <core.Part *>address(self.room)
        self.parts.parts, self.parts.n_parts, self.parts.is_recipe = part, size, is_recipe
        for name, value in arguments.items():
            part.is_named = isinstance(value, Mapping)
            part_type, array = type_and_array(value)
            self.fill(part, name, part_type, array)
            if part.is_named:
                part.length = len(value)
            part += 1
        for name, value in data.items():
            array = np.ascontiguousarray(value)
            self.fill(part, name, _TYPES[array.dtype.name], array)
            part += 1

    cdef fill(self, core.Part *part, str name, int part_type, array):
        encoded = name.encode()
        self.held += [encoded, array]
        part.name, part.type, part.length, part.values = encoded, <core.PartType>part_type, len(array), address(array)
        if part_type == core.TEXT:
            part.length = 1


cdef tuple type_and_array(value):
    """Return the type that the core gives to an argument, and its value as an array."""
    if value is None:
        return core.NOTHING, np.empty(0)
    if isinstance(value, (bool, np.bool_)):
        return core.FLAG, np.array([value], dtype=np.int32)
    if isinstance(value, str) and "\0" not in value:
        return core.TEXT, np.frombuffer(value.encode("utf-8", "surrogatepass") + b"\0", dtype=np.uint8)
    if not is_number(value):
        return core.OTHER, np.empty(0)
    number = as_double(value)
    is_double = isinstance(value, (float, np.floating)) or is_whole(value) or not np.isfinite(number)
    return core.DOUBLES if is_double else core.FRACTION, np.array([number])


cdef void *address(array) except? NULL:
    return <void *><uintptr_t>array.__array_interface__["data"][0]


cdef class Call:
    """The host of one call of the core: keeps what it requests, and what it gives.

    `given` are the values that a refusal shows. `of_instance` is the list that keeps the memory of an instance.
    """

    cdef core.Host host
    cdef object given, names, error
    cdef dict results
    cdef list of_call, of_instance

    def __init__(self, given, names, list of_instance):
        self.given, self.names, self.of_instance = given, names, of_instance
        self.results, self.of_call, self.error = {}, [], None
        self.host.context = <void *>self
        self.host.first_row, self.host.most_rows = 0, INT64_MAX
        self.host.stratified = b"StratifiedBatchSampler"
        self.host.memory, self.host.vector, self.host.go_on = memory, vector, go_on
        self.host.number, self.host.flag, self.host.keep = number, flag, keep

    def finish(self, bint succeeded):
        """Raise the error of a function of the core, if it has failed."""
        cdef core.Refusal *refusal = &self.host.refusal
        if succeeded:
            return
        if refusal.parameter == NULL:
            raise self.error
        requirement = refusal.requirement.decode()
        if "{stratum}" in requirement:
            requirement = requirement.replace("{stratum}", self.names[refusal.stratum])
        got = refusal.got.decode() if refusal.shown == NULL else show(self.given.get(refusal.shown.decode()))
        kind_of_error = RefusedType if refusal.is_type else RefusedValue
        raise kind_of_error(refusal.parameter.decode(), requirement, got, refusal.advice.decode() or None)


cdef void *memory(core.Host *host, core.Life life, int64_t size) noexcept with gil:
    cdef Call call = <Call>host.context
    try:
        block = np.empty(size + 1, dtype=np.uint8)
        (call.of_call if life == core.FOR_THE_CALL else call.of_instance).append(block)
        return address(block)
    except BaseException as error:
        call.error = error
        return NULL


cdef void *vector(core.Host *host, const char *name, core.PartType part_type, int64_t count) noexcept with gil:
    cdef Call call = <Call>host.context
    try:
        result = np.empty(count, dtype=_DTYPES[part_type])
        call.results[name.decode()] = result
        return address(result)
    except BaseException as error:
        call.error = error
        return NULL


cdef core.boolean number(core.Host *host, const char *name, double value) noexcept with gil:
    cdef Call call = <Call>host.context
    key = name.decode()
    given = call.given.get(key)
    # No digit is lost of a whole number that no double equals.
    call.results[key] = int(given if is_number(given) and as_double(given) == value else value)
    return True


cdef core.boolean flag(core.Host *host, const char *name, core.boolean value) noexcept with gil:
    (<Call>host.context).results[name.decode()] = bool(value)
    return True


cdef core.boolean keep(core.Host *host, const char *name) noexcept with gil:
    cdef Call call = <Call>host.context
    value = call.given.get(name.decode())
    call.results[name.decode()] = bool(value) if isinstance(value, np.bool_) else value
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
        The parts of the recipe, as arrays that nobody changes.
    seed : int
    """

    cdef const core.Kind *kind
    cdef Request recipe
    cdef uint32_t seed
    cdef object room
    cdef dict parts
    cdef list memories

    def __init__(self, str kind not None, dict parts not None, uint32_t seed):
        cdef Call call
        self.kind, self.seed, self.parts, self.memories = kind_of(kind), seed, parts, []
        self.recipe = Request({}, parts, is_recipe=True)
        self.room = np.zeros(self.kind.instance_bytes, dtype=np.uint8)
        call = Call(parts, (), self.memories)
        call.finish(self.kind.prepare(address(self.room), &self.recipe.parts, seed, &call.host))

    def draw(self, uint32_t epoch):
        """Return the results of an epoch as arrays: "rows", "offsets" and further ones."""
        cdef Call call = Call(self.parts, (), self.memories)
        cdef void *instance = address(self.room)
        cdef bint succeeded
        with nogil:
            succeeded = core.draw_epoch(self.kind, instance, self.seed, epoch, &call.host)
        call.finish(succeeded)
        return call.results
