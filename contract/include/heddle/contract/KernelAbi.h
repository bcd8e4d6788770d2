// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* The calling convention between generated CPU kernels and the runtime. C, because both sides of it are ABI.
 *
 * An export is a function over a linear range of workgroups. The runtime cuts [0, workgroups) into ranges, one or more
 * per core, and calls the export once per range, possibly at the same time from several threads:
 *
 *   status = export(&state, begin, end, scratch);
 *
 * A kernel never allocates, never traps, never throws, keeps no state, and writes only bindings it declared written.
 * The caller sees to it that a written binding overlaps no other binding, but where the kernel was made to write it
 * over a certain one (docs/design/memory.md): then both are the same range, and each byte is read before it is
 * overwritten. It may read up to nothing beyond a binding's bytes. Denormals are kept; the rounding mode is to nearest,
 * even.
 */
#ifndef HEDDLE_CONTRACT_KERNELABI_H
#define HEDDLE_CONTRACT_KERNELABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What one dispatch's calls share. Read only. */
typedef struct HeddleKernelState {
  void *const *bindings;    /* base addresses, row-major contiguous; at least 64-byte aligned for buffers of our own,
                               element-aligned for the caller's and for views */
  const int64_t *constants; /* index arguments: sizes and scalars, in the order of the executable's signature */
} HeddleKernelState;

/* `scratch`: 64-byte aligned memory of this worker, as many bytes as the host program asked for; contents undefined.
 * Returns a HeddleKernelStatus. After an error the written bindings hold unspecified values. */
typedef int32_t (*HeddleKernel)(const HeddleKernelState *state, int64_t begin, int64_t end, void *scratch);

enum HeddleKernelStatus {
  HEDDLE_KERNEL_OK = 0,
  HEDDLE_KERNEL_INDEX_OUT_OF_RANGE = 1, /* flow.checked_index: a gather or scatter index outside its dimension */
  HEDDLE_KERNEL_LOOP_ENDED = 2          /* of GPUs: the driver left a loop before its end */
};

#ifdef __cplusplus
}
#endif

#endif /* HEDDLE_CONTRACT_KERNELABI_H */
