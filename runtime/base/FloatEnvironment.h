// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The floating-point state that kernels are compiled for: to nearest, subnormals kept, nothing trapped. A host program
// may run with another one (a library linked with -ffast-math sets flush-to-zero for its thread, and threads inherit
// it), so calls set it and give the caller's back, and the runtime's own threads set it when they begin.
//
// Only what kernels use: SSE's control on x86-64 (the x87 unit is used by no code of ours), FPCR, frm. One read, and
// writes only where the state is another.
//
//   DefaultFloatEnvironment floats;
//   kernel(…); // the caller's state comes back at the end of the scope
#ifndef HEDDLE_RUNTIME_BASE_FLOATENVIRONMENT_H
#define HEDDLE_RUNTIME_BASE_FLOATENVIRONMENT_H

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace heddle {

class DefaultFloatEnvironment {
public:
  DefaultFloatEnvironment() : caller_(read()), differs_((caller_ & kControl) != kDefault) {
    if (differs_) [[unlikely]]
      write(kDefault);
  }
  ~DefaultFloatEnvironment() {
    if (differs_) [[unlikely]]
      write(caller_);
  }
  DefaultFloatEnvironment(const DefaultFloatEnvironment &) = delete;

  // For a thread of the runtime's own, to its end.
  static void setForThread() { write(kDefault); }

private:
#if defined(__x86_64__)
  static constexpr uint64_t kControl = 0xffc0, kDefault = 0x1f80; // all but the flags of what happened
  static uint64_t read() { return _mm_getcsr(); }
  static void write(uint64_t state) { _mm_setcsr(static_cast<uint32_t>(state)); }
#elif defined(__aarch64__)
  static constexpr uint64_t kControl = ~uint64_t{0}, kDefault = 0;
  static uint64_t read() {
    uint64_t state;
    asm volatile("mrs %0, fpcr" : "=r"(state));
    return state;
  }
  static void write(uint64_t state) { asm volatile("msr fpcr, %0" : : "r"(state)); }
#elif defined(__riscv)
  static constexpr uint64_t kControl = 7, kDefault = 0;
  static uint64_t read() {
    uint64_t state;
    asm volatile("frrm %0" : "=r"(state));
    return state;
  }
  static void write(uint64_t state) { asm volatile("fsrm %0" : : "r"(state)); }
#else
#error "say how the floating-point state of this architecture is read and written"
#endif

  uint64_t caller_;
  bool differs_;
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_BASE_FLOATENVIRONMENT_H
