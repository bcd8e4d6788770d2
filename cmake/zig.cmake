# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tool chain: the runtime for another machine and an old C library, by the package `ziglang` of PyPI, which brings compiler, C
# library and C++ library (linked statically). HEDDLE_ZIG is an interpreter that has ziglang, HEDDLE_ZIG_MACHINE x86_64 or
# aarch64, HEDDLE_ZIG_GLIBC the version.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HEDDLE_ZIG HEDDLE_ZIG_MACHINE HEDDLE_ZIG_GLIBC)
set(HEDDLE_ZIG_GLIBC 2.28 CACHE STRING "version of the C library")
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${HEDDLE_ZIG_MACHINE})
set(target ${HEDDLE_ZIG_MACHINE}-linux-gnu.${HEDDLE_ZIG_GLIBC})
set(CMAKE_C_COMPILER ${HEDDLE_ZIG} -m ziglang cc -target ${target})
set(CMAKE_CXX_COMPILER ${HEDDLE_ZIG} -m ziglang c++ -target ${target})
# Archives of another machine are archives.
find_program(CMAKE_AR NAMES llvm-ar-22 llvm-ar ar)
find_program(CMAKE_RANLIB NAMES llvm-ranlib-22 llvm-ranlib ranlib)
