// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An MPI library opened at run time, as far as groups use it: messages of bytes between ranks of the world. Three
// binary interfaces are known, so nothing of MPI is needed to build: MPI 5's standard one (libmpi_abi.so.1), Open MPI's
// since 3.0 (libmpi.so.40) and MPICH's since 3.1, which Intel's and others have too (libmpi.so.12).
//
// Sources: "MPI: A Message-Passing Interface Standard", 5.0, chapter 20 (ABI); mpi.h of Open MPI 5.0 and MPICH 4.0.
#ifndef HEDDLE_RUNTIME_COLLECTIVES_MPI_MPILIBRARY_H
#define HEDDLE_RUNTIME_COLLECTIVES_MPI_MPILIBRARY_H

#include "runtime/base/Status.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::collectives {

// Messages in flight, by this process. At most 2^30 bytes each. Ranks are the world's. A result is MPI's error code, 0
// for success.
class Messages {
public:
  enum class Channel { Data, Control }; // two communicators: neither sees the other's messages
  static constexpr int kAnyRank = -1;

  virtual ~Messages() = default;
  // The memory is MPI's until the message is done.
  virtual int send(const void *bytes, int count, int to, int tag, Channel channel) = 0;
  virtual int receive(void *bytes, int count, int from, int tag, Channel channel) = 0;
  // Goes on with them; whether all are done.
  virtual int test(bool &done) = 0;
  // Whether the message is, in the order of their beginning. After test() has said no.
  virtual bool isDone(size_t message) = 0;
  // Ends receiving; the memory is the caller's again.
  virtual void cancelReceives() = 0;
  // Forgets them. What is not done goes on.
  virtual void clear() = 0;
  virtual size_t size() const = 0;
};

class MpiLibrary {
public:
  virtual ~MpiLibrary() = default;
  // Opens the library `path`, or where it is empty the first that is found (findMpi() below), and starts MPI unless the
  // process has. Thread safe afterwards: a library that allows one thread at a time is locked. Unsupported: none is
  // found, it lacks a function, or it was ended; the remedy is named. Lives until the process ends.
  static StatusOr<MpiLibrary *> open(const std::string &path);

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual std::unique_ptr<Messages> messages() = 0;
  virtual std::string describe(int error) const = 0;
  // "libmpi_abi.so.1 (MPICH Version: 5.0.2)"
  virtual const std::string &name() const = 0;
  // Whether finish() ends MPI: this library has started it.
  virtual bool isOwner() const = 0;
  virtual void finish() = 0;
  [[noreturn]] virtual void abort(int exitCode) = 0;
};

// The files to try, best first: $HEDDLE_MPI (a file, or a folder), what lies beside the launcher of this process, in
// the running Python environment, beside mpiexec on the PATH, and above this library; then names that the loader looks
// for. A launcher of Open MPI's, or one whose ranks are found by PMIx alone, comes with Open MPI's library, others with
// the standard interface's.
std::vector<std::string> findMpi();

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_MPI_MPILIBRARY_H
