# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tool chain: the runtime and its tools for Linux on aarch64, run here by qemu-user (make cross).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;/usr/aarch64-linux-gnu)
# Debian's header-only libraries serve every architecture.
add_compile_options(-idirafter /usr/include)
# What is found is CMake files and headers; their libraries are this machine's.
set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu)
