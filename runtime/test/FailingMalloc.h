/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An allocator of which one allocation of the process fails, or all from it on. For one source of a program, which is
 * compiled with -fno-builtin. Any thread.
 */
#ifndef HEDDLE_RUNTIME_TEST_FAILINGMALLOC_H
#define HEDDLE_RUNTIME_TEST_FAILINGMALLOC_H

#include <errno.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static long left = -1; /* allocations that still work; -1: all */
static int persist, hit;

/* One thread alone takes the last one that works, and one the one that fails. */
static int fails(void) {
  long now = __atomic_load_n(&left, __ATOMIC_RELAXED);
  while (now > 0 || (now == 0 && !persist))
    if (__atomic_compare_exchange_n(&left, &now, now - 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      if (now > 0)
        return 0;
      break;
    }
  if (now < 0)
    return 0;
  hit = 1;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t count, size_t n) { return fails() ? NULL : __libc_calloc(count, n); }
void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }
void *aligned_alloc(size_t alignment, size_t n) { return fails() ? NULL : __libc_memalign(alignment, n); }
int posix_memalign(void **p, size_t alignment, size_t n) {
  if (fails())
    return ENOMEM;
  *p = __libc_memalign(alignment, n);
  return *p ? 0 : ENOMEM;
}

#endif /* HEDDLE_RUNTIME_TEST_FAILINGMALLOC_H */
