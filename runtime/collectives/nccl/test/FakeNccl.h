// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests ask of the fake libnccl.so.2, by dlsym.
#ifndef HEDDLE_RUNTIME_COLLECTIVES_NCCL_TEST_FAKENCCL_H
#define HEDDLE_RUNTIME_COLLECTIVES_NCCL_TEST_FAKENCCL_H

extern "C" {
// The calls so far that change something, one per line: "rank: name arguments", without addresses.
const char *fakeNcclLog();
void fakeNcclClear();
// The next call of a function gives this result and does nothing.
void fakeNcclFail(const char *function, int result);
// What collectives of the last communicator are said to have come to.
void fakeNcclAsyncError(int result);
// Whether collectives on streams go on for ever, until a communicator is aborted.
void fakeNcclHang(int hangs);
// What later calls put on streams gets there only when their communicator was asked so often how it is.
void fakeNcclSlow(int questions);
}

#endif // HEDDLE_RUNTIME_COLLECTIVES_NCCL_TEST_FAKENCCL_H
