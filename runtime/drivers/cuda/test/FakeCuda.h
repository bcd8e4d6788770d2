// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests ask of the fake libcuda.so.1, by dlsym.
#ifndef HEDDLE_RUNTIME_DRIVERS_CUDA_TEST_FAKECUDA_H
#define HEDDLE_RUNTIME_DRIVERS_CUDA_TEST_FAKECUDA_H

#include <cstddef>

extern "C" {
// The calls so far, one per line, with the arguments that do not change from run to run.
const char *fakeCudaLog();
void fakeCudaClear();
// The next call of a function gives this result and does nothing.
void fakeCudaFail(const char *function, int result);
// Work for a stream from another library. kNotReady: it cannot run yet and is asked again. Under the fake's lock.
int fakeCudaIssue(void *stream, int (*work)(void *), void *user);
// A device's memory as the host can use it, from such work only; null: so many bytes are not there.
void *fakeCudaAt(const void *address, size_t bytes);
}

#endif // HEDDLE_RUNTIME_DRIVERS_CUDA_TEST_FAKECUDA_H
