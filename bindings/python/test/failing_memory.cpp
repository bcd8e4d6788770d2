// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preloaded by test_memory.py: allocations that the runtime's library asks for fail when they are told to. Not those of
// the extension: nanobind, which is part of it, ends the process where it finds no memory for its own tables.
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>

extern "C" {
void *__libc_malloc(size_t);
void *__libc_memalign(size_t, size_t);

static long left = -1;
static int hit;

// From now on `n` allocations work and the next one fails; -1: all work. Returns whether one has failed since the last.
int fail_after(long n) {
  int was = hit;
  hit = 0;
  left = n;
  return was;
}
}

static bool fails(const void *caller) {
  Dl_info info;
  if (left < 0 || !dladdr(caller, &info) || !info.dli_fname)
    return false;
  const char *name = std::strrchr(info.dli_fname, '/');
  name = name ? name + 1 : info.dli_fname;
  if (std::strncmp(name, "libheddle_runtime", 17) != 0)
    return false;
  if (left-- > 0)
    return false;
  hit = 1;
  errno = ENOMEM;
  return true;
}

extern "C" void *malloc(size_t n) { return fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(n); }
extern "C" void *aligned_alloc(size_t alignment, size_t n) {
  return fails(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, n);
}
void *operator new(size_t n) {
  void *memory = fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(n);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}
void *operator new(size_t n, const std::nothrow_t &) noexcept {
  return fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(n);
}
