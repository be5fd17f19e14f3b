# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bindings of the core's matcher of Lua patterns (lua_pattern.h)."""

import numpy as np

from libc.stdint cimport int64_t, uint8_t

from pystrat cimport _core as core

MAX_STEPS = <int>core.LUA_STEPS


def reason_of(bytes pattern not None):
    """Return why a pattern is malformed, None if it is not."""
    cdef core.LuaReader reader
    cdef core.LuaPattern read
    cdef const uint8_t *first = pattern
    return None if core.read_lua_pattern(first, len(pattern), &reader, &read) else reader.reason.decode("ascii")


def search(bytes pattern not None, bytes text not None):
    """Return whether a pattern, which is not malformed, is found in a text; None if that takes too many steps."""
    cdef core.LuaReader reader
    cdef core.LuaPattern read
    cdef core.LuaSearch search
    cdef core.LuaAnswer answer = core.LUA_GOES_ON
    cdef const uint8_t *first = pattern
    cdef const uint8_t *begin = text
    cdef int64_t length = len(text)
    if not core.read_lua_pattern(first, len(pattern), &reader, &read):
        raise ValueError(reader.reason.decode("ascii"))
    cdef int64_t[::1] memory = np.empty(core.lua_memory(&read, length), dtype=np.int64)
    with nogil:
        core.begin_lua_search(&search, &read, begin, length, &memory[0])
        while answer == core.LUA_GOES_ON:
            answer = core.continue_lua_search(&search)
            core.hear_signals()
    return None if answer == core.LUA_TOO_MANY_STEPS else answer == core.LUA_FOUND
