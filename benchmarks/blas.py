# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""BLAS libraries as peers of a model that is one matrix product with a constant right side (benchmarks/peer_loop.py).

MKL has its operand packed once, outside of what is timed, by the interface it has for that; OpenBLAS, the one in NumPy, has none and
packs in each call. Row-major, f32, or (MKL) bytes without signs times bytes with signs.
"""
import ctypes
import importlib.metadata
import os

ROW_MAJOR, NO_TRANSPOSE, PACKED, RIGHT, FIX_OFFSET = 101, 111, 151, 162, 173


def product_of(path, feed):
    """(left, right) of the model's one node; ValueError where it is none that a BLAS has."""
    import onnx

    graph = onnx.load(path).graph
    if [node.op_type for node in graph.node] not in (["MatMul"], ["MatMulInteger"]) or len(graph.initializer) != 1:
        raise ValueError("not one product with a constant right side")
    right = onnx.numpy_helper.to_array(graph.initializer[0])
    left = feed[graph.node[0].input[0]]
    if left.ndim != 2 or right.ndim != 2:
        raise ValueError("not a product of two matrices")
    return left, right


def load_openblas(path, feed, _threads):  # OPENBLAS_NUM_THREADS says how many
    import numpy

    left, right = product_of(path, feed)
    if left.dtype != numpy.float32:
        raise ValueError("OpenBLAS multiplies no integers")
    result = numpy.empty((left.shape[0], right.shape[1]), numpy.float32)
    return lambda: numpy.matmul(left, right, out=result)


def open_mkl(threads):
    found = [file for file in importlib.metadata.files("mkl") if file.name.startswith("libmkl_rt.so")]
    os.environ["MKL_NUM_THREADS"], os.environ["MKL_THREADING_LAYER"] = str(threads), "TBB" if threads > 1 else "SEQUENTIAL"
    return ctypes.CDLL(str(found[0].locate()))


def load_mkl(path, feed, threads):
    import numpy

    left, right = product_of(path, feed)
    (m, k), n = left.shape, right.shape[1]
    pointer = lambda array: ctypes.c_void_p(array.ctypes.data)
    real, mkl = ctypes.c_float, open_mkl(threads)
    if left.dtype == numpy.float32:
        mkl.cblas_sgemm_pack_get_size.restype = ctypes.c_size_t
        packed = numpy.empty(mkl.cblas_sgemm_pack_get_size(RIGHT, m, n, k), numpy.uint8)
        mkl.cblas_sgemm_pack(ROW_MAJOR, RIGHT, NO_TRANSPOSE, m, n, k, real(1), pointer(right), n, pointer(packed))
        result = numpy.empty((m, n), numpy.float32)
        arguments = (ROW_MAJOR, NO_TRANSPOSE, PACKED, m, n, k, pointer(left), k, pointer(packed), n, real(0), pointer(result), n)
        call = mkl.cblas_sgemm_compute
    elif (left.dtype, right.dtype) == (numpy.uint8, numpy.int8):
        mkl.cblas_gemm_s8u8s32_pack_get_size.restype = ctypes.c_size_t
        packed = numpy.empty(mkl.cblas_gemm_s8u8s32_pack_get_size(RIGHT, m, n, k), numpy.uint8)
        mkl.cblas_gemm_s8u8s32_pack(ROW_MAJOR, RIGHT, NO_TRANSPOSE, m, n, k, pointer(right), n, pointer(packed))
        result, offset = numpy.empty((m, n), numpy.int32), numpy.zeros(1, numpy.int32)
        arguments = (ROW_MAJOR, NO_TRANSPOSE, PACKED, FIX_OFFSET, m, n, k, real(1), pointer(left), k, ctypes.c_byte(0), pointer(packed), n,
                     ctypes.c_byte(0), real(0), pointer(result), n, pointer(offset))
        call = mkl.cblas_gemm_s8u8s32_compute
    else:
        raise ValueError("MKL multiplies floats, or bytes without signs by bytes with signs")
    call.keeps = (left, right, packed, result)  # what `arguments` points to
    return lambda: call(*arguments)
