# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bindings of the core's matcher of Lua patterns (lua_pattern.h)."""

import numpy as np

from libc.stdint cimport int64_t, uint8_t

from pystrat cimport _core as core

cdef extern from "lua_pattern.h" nogil:
    enum: LUA_STEPS
    ctypedef enum LuaAnswer: LUA_GOES_ON, LUA_FOUND, LUA_TOO_MANY_STEPS
    ctypedef struct LuaReader:
        char *reason
    ctypedef struct LuaPattern:
        pass
    ctypedef struct LuaSearch:
        pass
    bint read_lua_pattern(const uint8_t *bytes, int64_t length, LuaReader *reader, LuaPattern *pattern)
    int64_t lua_memory(const LuaPattern *pattern, int64_t length)
    void begin_lua_search(
        LuaSearch *search, const LuaPattern *pattern, const uint8_t *text, int64_t length, int64_t *memory
    )
    LuaAnswer continue_lua_search(LuaSearch *search)

MAX_STEPS = <int>LUA_STEPS


def reason_of(bytes pattern not None):
    """Return why a pattern is malformed, None if it is not."""
    cdef LuaReader reader
    cdef LuaPattern read
    cdef const uint8_t *first = pattern
    return None if read_lua_pattern(first, len(pattern), &reader, &read) else reader.reason.decode("ascii")


def search(bytes pattern not None, bytes text not None):
    """Return whether a pattern, which is not malformed, is found in a text; None if that takes too many steps."""
    cdef LuaReader reader
    cdef LuaPattern read
    cdef LuaSearch search
    cdef LuaAnswer answer = LUA_GOES_ON
    cdef const uint8_t *first = pattern
    cdef const uint8_t *begin = text
    cdef int64_t length = len(text)
    if not read_lua_pattern(first, len(pattern), &reader, &read):
        raise ValueError(reader.reason.decode("ascii"))
    cdef int64_t[::1] memory = np.empty(lua_memory(&read, length), dtype=np.int64)
    with nogil:
        begin_lua_search(&search, &read, begin, length, &memory[0])
        while answer == LUA_GOES_ON:
            answer = continue_lua_search(&search)
            core.hear_signals()
    return None if answer == LUA_TOO_MANY_STEPS else answer == LUA_FOUND
