// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the compiler. A compilation makes and drops tens of millions of objects of a few words, for which glibc's
// allocator takes a seventh of its time.
//
// Each thread has lists of free objects by size, in steps of 16 bytes up to 1 KiB. They are filled from spans that hold
// one size, which lie in one range of addresses: so free() knows an object by its address, and its size by its span.
// What is larger, or aligned to more than 16 bytes, is glibc's. A list that grows long gives a batch to all threads.
// Spans are not given back, nor the lists of threads that end: a compilation is a process.
#include <cstdint>
#include <cstdlib>

// Sanitizers have allocators of their own.
#if defined(__linux__) && defined(__GLIBC__) && defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) &&                   \
    !defined(__SANITIZE_THREAD__)

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>

extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *object, size_t bytes);
void __libc_free(void *object);
}

namespace {

constexpr size_t kStep = 16, kLargest = 1024, kSizes = kLargest / kStep;
constexpr size_t kSpanBits = 16, kSpan = size_t{1} << kSpanBits;
constexpr size_t kRange = size_t{1} << 36; // of addresses, not of memory

struct Free {
  Free *next;
  Free *nextBatch; // of the first object of a batch
};

constexpr size_t batchOf(size_t size) { return std::min<size_t>(256, kSpan / 4 / ((size + 1) * kStep)); }

// Where spans lie; no bytes before the first is made.
std::atomic<uintptr_t> rangeBegin{0};
std::atomic<size_t> rangeBytes{0};
std::atomic<size_t> usedBytes{0};
uint8_t sizeOfSpan[kRange >> kSpanBits];

// Batches of free objects that any thread may take.
struct Shared {
  std::atomic_flag isHeld = ATOMIC_FLAG_INIT;
  Free *batches = nullptr;

  void lock() {
    while (isHeld.test_and_set(std::memory_order_acquire))
      ;
  }
  void unlock() { isHeld.clear(std::memory_order_release); }
};
Shared shared[kSizes];

struct List {
  Free *first;
  size_t count;
  char *rest, *end; // of the span that no object was made of
};
constinit thread_local List lists[kSizes] = {};

bool isOurs(const void *object) {
  size_t bytes = rangeBytes.load(std::memory_order_acquire); // set behind where it begins
  return reinterpret_cast<uintptr_t>(object) - rangeBegin.load(std::memory_order_relaxed) < bytes;
}

size_t sizeOf(const void *object) {
  return sizeOfSpan[(reinterpret_cast<uintptr_t>(object) - rangeBegin.load(std::memory_order_relaxed)) >> kSpanBits];
}

// Null where the system has no such range, or all of it is used.
char *takeSpan(size_t size) {
  static std::atomic_flag isMade = ATOMIC_FLAG_INIT;
  if (!isMade.test_and_set()) {
    void *range = mmap(nullptr, kRange, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range != MAP_FAILED) {
      madvise(range, kRange, MADV_HUGEPAGE);
      rangeBegin.store(reinterpret_cast<uintptr_t>(range));
      rangeBytes.store(kRange);
    }
  }
  if (rangeBytes.load() == 0)
    return nullptr;
  size_t offset = usedBytes.fetch_add(kSpan, std::memory_order_relaxed);
  if (offset > kRange - kSpan) {
    usedBytes.store(kRange, std::memory_order_relaxed);
    return nullptr;
  }
  sizeOfSpan[offset >> kSpanBits] = static_cast<uint8_t>(size);
  return reinterpret_cast<char *>(rangeBegin.load()) + offset;
}

// An object where the list has none.
__attribute__((noinline)) void *refill(size_t size) {
  List &list = lists[size];
  size_t bytes = (size + 1) * kStep;
  if (static_cast<size_t>(list.end - list.rest) < bytes) {
    Shared &common = shared[size];
    common.lock();
    Free *batch = common.batches;
    if (batch)
      common.batches = batch->nextBatch;
    common.unlock();
    if (batch) {
      list.first = batch->next;
      list.count = batchOf(size) - 1;
      return batch;
    }
    char *span = takeSpan(size);
    if (!span)
      return __libc_malloc(bytes);
    list.rest = span;
    list.end = span + kSpan;
  }
  void *object = list.rest;
  list.rest += bytes;
  return object;
}

__attribute__((noinline)) void shareBatch(size_t size) {
  List &list = lists[size];
  Free *first = list.first, *last = first;
  for (size_t i = 1; i < batchOf(size); ++i)
    last = last->next;
  list.first = last->next;
  list.count -= batchOf(size);
  last->next = nullptr;
  Shared &common = shared[size];
  common.lock();
  first->nextBatch = common.batches;
  common.batches = first;
  common.unlock();
}

void *allocate(size_t bytes) {
  size_t size = (bytes + (bytes == 0) - 1) / kStep;
  List &list = lists[size];
  Free *object = list.first;
  if (!object) [[unlikely]]
    return refill(size);
  list.first = object->next;
  --list.count;
  return object;
}

} // namespace

// For the libraries that the program loads, too.
#pragma GCC visibility push(default)
extern "C" {

void *malloc(size_t bytes) { return bytes <= kLargest ? allocate(bytes) : __libc_malloc(bytes); }

void free(void *object) {
  if (!isOurs(object))
    return __libc_free(object);
  size_t size = sizeOf(object);
  List &list = lists[size];
  Free *freed = static_cast<Free *>(object);
  freed->next = list.first;
  list.first = freed;
  if (++list.count >= 2 * batchOf(size)) [[unlikely]]
    shareBatch(size);
}

void *calloc(size_t count, size_t bytes) {
  size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all) || all > kLargest)
    return __libc_calloc(count, bytes);
  void *object = allocate(all);
  return object ? std::memset(object, 0, all) : nullptr;
}

void *realloc(void *object, size_t bytes) {
  if (!isOurs(object))
    return object ? __libc_realloc(object, bytes) : malloc(bytes);
  size_t had = (sizeOf(object) + 1) * kStep;
  if (bytes > had - kStep && bytes <= had)
    return object;
  void *moved = bytes ? malloc(bytes) : nullptr;
  if (moved)
    std::memcpy(moved, object, std::min(had, bytes));
  if (moved || bytes == 0)
    free(object);
  return moved;
}

size_t malloc_usable_size(void *object) {
  if (isOurs(object))
    return (sizeOf(object) + 1) * kStep;
  static const auto ofLibrary = reinterpret_cast<size_t (*)(void *)>(dlsym(RTLD_NEXT, "malloc_usable_size"));
  return ofLibrary(object);
}

} // extern "C"
#pragma GCC visibility pop

#endif
