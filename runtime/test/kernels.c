/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels of the runtime's tests, by contract/KernelAbi.h. Built into a shared object that tests put into artifacts. */
#include "heddle/contract/KernelAbi.h"

#define KERNEL(name)                                                                                                   \
  __attribute__((visibility("default"))) int32_t name(const HeddleKernelState *state, int64_t begin, int64_t end,      \
                                                      void *scratch)

/* out[i] = x[i] * factor[0] for i < n; a workgroup takes 16 elements. (x, factor, out; n) */
KERNEL(scale) {
  const float *x = state->bindings[0], *factor = state->bindings[1];
  float *out = state->bindings[2];
  for (int64_t i = begin * 16; i < end * 16 && i < state->constants[0]; ++i)
    out[i] = x[i] * factor[0];
  return HEDDLE_KERNEL_OK;
}

/* out[w] += w + 1, so a workgroup that runs twice or never is seen. (out) */
KERNEL(mark) {
  int64_t *out = state->bindings[0];
  for (int64_t w = begin; w < end; ++w)
    out[w] += w + 1;
  return HEDDLE_KERNEL_OK;
}

/* out[w] = w + 1 through scratch of 64 bytes per worker. (out) */
KERNEL(through_scratch) {
  int64_t *out = state->bindings[0];
  volatile int64_t *mine = scratch;
  if ((uintptr_t)scratch % 64)
    return 7;
  for (int64_t w = begin; w < end; ++w) {
    for (int i = 0; i < 8; ++i)
      mine[i] = w + i;
    out[w] = mine[0] + 1;
  }
  return HEDDLE_KERNEL_OK;
}

/* An index out of range in workgroup constants[0]. (out; w) */
KERNEL(out_of_range) {
  return begin <= state->constants[0] && state->constants[0] < end ? HEDDLE_KERNEL_INDEX_OUT_OF_RANGE
                                                                   : HEDDLE_KERNEL_OK;
}

/* Works for a while: constants[0] rounds. (out; rounds) */
KERNEL(work) {
  volatile int64_t *out = state->bindings[0];
  for (int64_t w = begin; w < end; ++w)
    for (int64_t i = 0; i < state->constants[0]; ++i)
      out[0] = i;
  return HEDDLE_KERNEL_OK;
}

/* c = a x b, 4x4. (a, b, c) */
KERNEL(matmul4) {
  const float *a = state->bindings[0], *b = state->bindings[1];
  float *c = state->bindings[2];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      float sum = 0;
      for (int k = 0; k < 4; ++k)
        sum += a[4 * i + k] * b[4 * k + j];
      c[4 * i + j] = sum;
    }
  return HEDDLE_KERNEL_OK;
}

KERNEL(nothing) { return HEDDLE_KERNEL_OK; }

/* The process ends by a signal in workgroup constants[0]. (out; w) */
KERNEL(die) {
  if (begin <= state->constants[0] && state->constants[0] < end)
    __builtin_trap();
  return HEDDLE_KERNEL_OK;
}
