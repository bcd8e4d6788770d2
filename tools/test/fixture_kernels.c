/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kernels of the artifact that write_fixture.cpp makes; one workgroup each. */
#include "heddle/contract/KernelAbi.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int32_t fixture_add(const HeddleKernelState *state, int64_t begin, int64_t end, void *scratch) {
  const float *a = state->bindings[0], *b = state->bindings[1];
  float *out = state->bindings[2];
  for (int64_t i = 0; i < state->constants[0]; ++i)
    out[i] = a[i] + b[i];
  return HEDDLE_KERNEL_OK;
}

EXPORT int32_t fixture_scale(const HeddleKernelState *state, int64_t begin, int64_t end, void *scratch) {
  const float *x = state->bindings[0], *factor = state->bindings[1];
  float *out = state->bindings[2];
  for (int64_t i = 0; i < state->constants[0]; ++i)
    out[i] = x[i] * factor[0];
  return HEDDLE_KERNEL_OK;
}

EXPORT int32_t fixture_refuse(const HeddleKernelState *state, int64_t begin, int64_t end, void *scratch) {
  return HEDDLE_KERNEL_INDEX_OUT_OF_RANGE;
}

EXPORT int32_t fixture_hang(const HeddleKernelState *state, int64_t begin, int64_t end, void *scratch) {
  for (volatile const float *x = state->bindings[0]; x;)
    ;
  return HEDDLE_KERNEL_OK;
}
