# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls an artifact several times in this process, by the C interface.

    program = Program("counter.heddle")
    program("main", numpy.int64(2))    # a list of arrays
"""
import ctypes

import numpy
import support

TYPES = {1: "?", 2: "i1", 3: "i2", 4: "i4", 5: "i8", 6: "u1", 7: "u2", 8: "u4", 9: "u8", 10: "f2", 12: "f4", 13: "f8"}
MAX_RANK = 16


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_uint64), ("type", ctypes.c_int32), ("rank", ctypes.c_uint32),
                ("dims", ctypes.c_int64 * MAX_RANK), ("owner", ctypes.c_void_p)]


class Info(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("arguments", ctypes.c_uint32), ("results", ctypes.c_uint32)]


class Statistics(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("profiled", ctypes.c_uint32)] + [
        (name, ctypes.c_uint64) for name in ("calls", "dispatches", "total_ns", "kernel_ns", "slab_bytes", "allocations",
                                             "plan_misses", "copied_bytes")]


class Failure(Exception):
    """What the library says; `code` as in heddle.h."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def library():
    found = next(path for folder in (support.BIN.parent / "lib", support.BIN, support.BIN.parent / "runtime")
                 for path in [folder / "libheddle_runtime.so"] if path.exists())
    lib = ctypes.CDLL(str(found))
    for name in ("heddle_module_load_file", "heddle_module_find_entry_point", "heddle_invocation_create", "heddle_invocation_call",
                 "heddle_state_create", "heddle_state_reset", "heddle_invocation_set_state", "heddle_module_entry_point",
                 "heddle_module_state"):
        getattr(lib, name).restype = ctypes.c_void_p
    lib.heddle_status_message.restype = ctypes.c_char_p
    return lib


class State:
    """The module's own state without `own`."""

    def __init__(self, program, own=True):
        self.program, self.own, self.raw = program, own, ctypes.c_void_p()
        if own:
            program.check(program.lib.heddle_state_create(program.module, ctypes.byref(self.raw)))
        else:
            self.raw = ctypes.c_void_p(program.lib.heddle_module_state(program.module))

    def reset(self):
        self.program.check(self.program.lib.heddle_state_reset(self.raw))

    def close(self):
        if self.own:
            self.program.lib.heddle_state_release(self.raw)


class Program:
    def __init__(self, path):
        self.lib, self.module, self.calls = library(), ctypes.c_void_p(), {}
        self.check(self.lib.heddle_module_load_file(str(path).encode(), None, ctypes.byref(self.module)))

    def check(self, status):
        if status:
            status = ctypes.c_void_p(status)
            error = Failure(self.lib.heddle_status_get_code(status), self.lib.heddle_status_message(status).decode())
            self.lib.heddle_status_release(status)
            raise error

    def call(self, function):
        """The invocation of an entry point, and how many results it has."""
        if function not in self.calls:
            index, invocation = ctypes.c_uint32(), ctypes.c_void_p()
            self.check(self.lib.heddle_module_find_entry_point(self.module, function and function.encode(), ctypes.byref(index)))
            self.check(self.lib.heddle_invocation_create(self.module, index, ctypes.byref(invocation)))
            info = ctypes.cast(self.lib.heddle_module_entry_point(self.module, index), ctypes.POINTER(Info)).contents
            self.calls[function] = invocation, info.results
        return self.calls[function]

    def use(self, function, state):
        self.check(self.lib.heddle_invocation_set_state(self.call(function)[0], state and state.raw))

    def statistics(self, function):
        out = Statistics(struct_size=ctypes.sizeof(Statistics))
        self.lib.heddle_invocation_get_statistics(self.call(function)[0], ctypes.byref(out))
        return out

    def __call__(self, function, *arguments):
        invocation, count = self.call(function)
        arrays = [numpy.asarray(argument, order="C") for argument in arguments]
        tensors, results = (Tensor * len(arrays))(), (Tensor * count)()
        for tensor, array in zip(tensors, arrays):
            tensor.data, tensor.bytes, tensor.rank = array.ctypes.data, array.nbytes, array.ndim
            tensor.type = next(code for code, kind in TYPES.items() if numpy.dtype(kind) == array.dtype)
            tensor.dims[:array.ndim] = array.shape
        self.check(self.lib.heddle_invocation_call(invocation, tensors, len(arrays), results, count))
        outs = []
        for result in results:
            raw = ctypes.string_at(result.data, result.bytes)
            outs.append(numpy.frombuffer(raw, TYPES[result.type]).reshape(result.dims[:result.rank]))
            self.lib.heddle_tensor_reset(ctypes.byref(result))
        return outs

    def close(self):
        for invocation, _ in self.calls.values():
            self.lib.heddle_invocation_release(invocation)
        self.lib.heddle_module_release(self.module)
