/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * What headers and static libraries of a newer C library ask for, for systems that have an older one. A linker takes
 * from here only what is missing there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>
#include <time.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* glibc 2.32. libstdc++ counts references without atomic operations while it is set; so it never is. */
HIDDEN char __libc_single_threaded = 0;

/* glibc 2.36, for std::random_device. getrandom() gives up to 256 bytes at once, and waits only at boot. */
HIDDEN uint32_t arc4random(void);
uint32_t arc4random(void) {
  uint32_t value = 0;
  while (getrandom(&value, sizeof(value), 0) != (ssize_t)sizeof(value))
    ;
  return value;
}

/* glibc 2.33, for statistics of LLVM that nobody reads. */
HIDDEN struct mallinfo2 mallinfo2(void);
struct mallinfo2 mallinfo2(void) { return (struct mallinfo2){0}; }

typedef int (*ClockWait)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);

/* glibc 2.30, for waits by std::chrono::steady_clock. Taken from the system where it has it; an older one waits by the
 * wall clock, so a wait that the clock is set in ends early or late, as it did for programs of that time. */
HIDDEN int pthread_cond_clockwait(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until) {
  ClockWait wait = (ClockWait)dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
  if (wait)
    return wait(condition, mutex, clock, until);
  struct timespec now, wall;
  if (clock_gettime(clock, &now) != 0 || clock_gettime(CLOCK_REALTIME, &wall) != 0)
    return EINVAL;
  const int64_t second = 1000000000;
  int64_t ns = (int64_t)wall.tv_nsec + until->tv_nsec - now.tv_nsec + second; /* from 1 ns on */
  wall.tv_sec += until->tv_sec - now.tv_sec + ns / second - 1;
  wall.tv_nsec = ns % second;
  return pthread_cond_timedwait(condition, mutex, &wall);
}
