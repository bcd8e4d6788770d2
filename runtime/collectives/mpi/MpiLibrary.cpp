// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/mpi/MpiLibrary.h"

#include "runtime/base/LaunchedRank.h"
#include "runtime/collectives/mpi/PmiServer.h"

#include <cstring>
#include <mutex>

#include <dlfcn.h>

namespace heddle::collectives {
namespace {

constexpr const char *kRemedy = "install one (pip install mpich), or name it: HEDDLE_MPI=/path/to/libmpi_abi.so.1";

Status unsupported(std::string why) { return Status(StatusCode::Unsupported, std::move(why)); }

// Name in the table, parameters; each is MPI_ and the name in the library. `H` is the type of handles.
#define HEDDLE_MPI_FUNCTIONS(F)                                                                                        \
  F(Initialized, int *flag)                                                                                            \
  F(Finalized, int *flag)                                                                                              \
  F(Init_thread, int *argc, char ***argv, int wanted, int *given)                                                      \
  F(Query_thread, int *given)                                                                                          \
  F(Finalize, void)                                                                                                    \
  F(Abort, H communicator, int code)                                                                                   \
  F(Comm_rank, H communicator, int *rank)                                                                              \
  F(Comm_size, H communicator, int *size)                                                                              \
  F(Comm_dup, H communicator, H *copy)                                                                                 \
  F(Comm_set_errhandler, H communicator, H handler)                                                                    \
  F(Isend, const void *bytes, int count, H type, int to, int tag, H communicator, H *request)                          \
  F(Irecv, void *bytes, int count, H type, int from, int tag, H communicator, H *request)                              \
  F(Test, H *request, int *flag, void *status)                                                                         \
  F(Testall, int count, H *requests, int *flag, void *statuses)                                                        \
  F(Cancel, H *request)                                                                                                \
  F(Wait, H *request, void *status)                                                                                    \
  F(Request_free, H *request)                                                                                          \
  F(Get_library_version, char *text, int *length)                                                                      \
  F(Error_string, int error, char *text, int *length)

// What one binary interface calls its constants.
template <typename H> struct Constants {
  H world, byte, errorsReturn, nullRequest;
  int anySource, serialized, multiple;
  void *ignore;          // MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE
  bool asksByPmi = true; // whether the library may find its ranks by $PMI_PORT (PmiServer.h); Open MPI's does not
};

template <typename H> struct Table {
#define HEDDLE_MPI_MEMBER(name, ...) int (*name)(__VA_ARGS__) = nullptr;
  HEDDLE_MPI_FUNCTIONS(HEDDLE_MPI_MEMBER)
#undef HEDDLE_MPI_MEMBER

  // The function that is missing, or null.
  const char *find(void *library) {
    const char *missing = nullptr;
#define HEDDLE_MPI_FIND(name, ...)                                                                                     \
  name = reinterpret_cast<decltype(name)>(dlsym(library, "MPI_" #name));                                               \
  if (!name)                                                                                                           \
    missing = "MPI_" #name;
    HEDDLE_MPI_FUNCTIONS(HEDDLE_MPI_FIND)
#undef HEDDLE_MPI_FIND
    return missing;
  }
};

const char *remedyOf(LaunchedRank::Launcher launcher) {
  switch (launcher) {
  case LaunchedRank::Launcher::Torchrun:
    return ": torchrun's processes meet through MPICH (pip install mpich), or start them with mpiexec";
  case LaunchedRank::Launcher::Slurm:
    return ": start it with srun --mpi=pmi2 (MPICH) or --mpi=pmix (Open MPI); srun --mpi=list says what this Slurm has";
  default: return ": it is of another MPI than the launcher; name the launcher's with HEDDLE_MPI";
  }
}

template <typename H> class Library final : public MpiLibrary {
public:
  Library(const Table<H> &api, const Constants<H> &constants) : api_(api), constants_(constants) {}

  Status start(const std::string &file);
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::unique_ptr<Messages> messages() override;
  std::string describe(int error) const override;
  const std::string &name() const override { return name_; }
  bool isOwner() const override { return isOwner_; }
  void finish() override {
    const std::unique_lock lock = this->lock();
    api_.Finalize();
  }
  [[noreturn]] void abort(int exitCode) override {
    api_.Abort(constants_.world, exitCode);
    std::_Exit(exitCode);
  }

private:
  template <typename> friend class List;
  // Held around each call where the library allows one thread at a time.
  std::unique_lock<std::mutex> lock() {
    return isSerialized_ ? std::unique_lock(mutex_) : std::unique_lock(mutex_, std::defer_lock);
  }

  const Table<H> api_;
  const Constants<H> constants_;
  H communicators_[2]; // by channel
  int rank_ = 0, size_ = 1;
  bool isOwner_ = false, isSerialized_ = false;
  std::mutex mutex_;
  std::string name_;
};

template <typename H> class List final : public Messages {
public:
  explicit List(Library<H> &library) : library_(library) {}

  int send(const void *bytes, int count, int to, int tag, Channel channel) override {
    const auto lock = library_.lock();
    H request;
    const int error =
        library_.api_.Isend(bytes, count, library_.constants_.byte, to, tag, communicator(channel), &request);
    return add(error, request, false);
  }
  int receive(void *bytes, int count, int from, int tag, Channel channel) override {
    const auto lock = library_.lock();
    H request;
    const int source = from == kAnyRank ? library_.constants_.anySource : from;
    const int error =
        library_.api_.Irecv(bytes, count, library_.constants_.byte, source, tag, communicator(channel), &request);
    return add(error, request, true);
  }
  int test(bool &done) override {
    const auto lock = library_.lock();
    int flag = 0;
    const int error = library_.api_.Testall(int(requests_.size()), requests_.data(), &flag, library_.constants_.ignore);
    done = flag;
    return error;
  }
  bool isDone(size_t message) override {
    const auto lock = library_.lock();
    int flag = 1;
    if (requests_[message] != library_.constants_.nullRequest)
      library_.api_.Test(&requests_[message], &flag, library_.constants_.ignore);
    return flag;
  }
  void cancelReceives() override {
    const auto lock = library_.lock();
    for (size_t i = 0; i < requests_.size(); ++i) {
      if (!isReceive_[i] || requests_[i] == library_.constants_.nullRequest)
        continue;
      library_.api_.Cancel(&requests_[i]);
      library_.api_.Wait(&requests_[i], library_.constants_.ignore);
    }
  }
  void clear() override {
    const auto lock = library_.lock();
    for (H &request : requests_)
      if (request != library_.constants_.nullRequest)
        library_.api_.Request_free(&request);
    requests_.clear();
    isReceive_.clear();
  }
  size_t size() const override { return requests_.size(); }

private:
  H communicator(Channel channel) const { return library_.communicators_[channel == Channel::Control]; }
  int add(int error, H request, bool isReceive) {
    if (!error) {
      requests_.push_back(request);
      isReceive_.push_back(isReceive);
    }
    return error;
  }

  Library<H> &library_;
  std::vector<H> requests_;
  std::vector<bool> isReceive_;
};

template <typename H> std::unique_ptr<Messages> Library<H>::messages() { return std::make_unique<List<H>>(*this); }

template <typename H> std::string Library<H>::describe(int error) const {
  char text[2048] = "";
  int length = 0;
  api_.Error_string(error, text, &length);
  return text[0] ? text : "error " + std::to_string(error);
}

template <typename H> Status Library<H>::start(const std::string &file) {
  int isStarted = 0, isOver = 0, given = 0;
  api_.Initialized(&isStarted);
  api_.Finalized(&isOver);
  if (isOver)
    return unsupported("MPI was ended in this process (MPI_Finalize); ranks must be made before");
  StatusOr<std::optional<LaunchedRank>> launched = launchedRank();
  if (!launched.ok())
    return launched.takeStatus();
  if (!isStarted && constants_.asksByPmi && *launched && (*launched)->launcher == LaunchedRank::Launcher::Torchrun)
    HEDDLE_RETURN_IF_ERROR(joinTorchrun(**launched));
  if (!isStarted && api_.Init_thread(nullptr, nullptr, constants_.multiple, &given))
    return unsupported(file + " does not start (MPI_Init_thread)");
  isOwner_ = !isStarted;
  api_.Query_thread(&given);
  isSerialized_ = given < constants_.multiple;
  if (given < constants_.serialized)
    return unsupported("MPI was started for one thread only; start it with MPI_THREAD_MULTIPLE");
  for (H &communicator : communicators_)
    if (api_.Comm_dup(constants_.world, &communicator) ||
        api_.Comm_set_errhandler(communicator, constants_.errorsReturn))
      return unsupported(file + " has no communicators left (MPI_Comm_dup)");
  api_.Comm_rank(constants_.world, &rank_);
  api_.Comm_size(constants_.world, &size_);
  char version[8192 + 1] = "";
  int length = 0;
  api_.Get_library_version(version, &length);
  version[std::strcspn(version, "\n")] = 0;
  name_ = file + " (" + version + ")";
  if (*launched && (*launched)->size != uint32_t(size_))
    return unsupported(std::string(spelling((*launched)->launcher)) + " started " + std::to_string((*launched)->size) +
                       " ranks, but " + name_ + " knows of " + std::to_string(size_) + remedyOf((*launched)->launcher));
  return {};
}

template <typename H>
StatusOr<MpiLibrary *> openAs(void *handle, const std::string &file, const Constants<H> &constants) {
  Table<H> api;
  if (const char *missing = api.find(handle))
    return unsupported(file + " lacks " + missing + "; " + kRemedy);
  auto library = std::make_unique<Library<H>>(api, constants);
  HEDDLE_RETURN_IF_ERROR(library->start(file));
  return library.release();
}

// MPI 5.0, appendix A.1.1.
constexpr int kStandardSerialized = 2048, kStandardMultiple = 4096;
void *standardHandle(uintptr_t value) { return reinterpret_cast<void *>(value); }

StatusOr<MpiLibrary *> openFile(const std::string &file) {
  const bool isStandard = file.find("mpi_abi") != std::string::npos;
  // Open MPI's plugins look for its symbols among all that are loaded.
  void *handle = dlopen(file.c_str(), RTLD_NOW | (isStandard ? RTLD_LOCAL : RTLD_GLOBAL));
  if (!handle)
    return Status(StatusCode::NotFound, dlerror());
  if (isStandard)
    return openAs<void *>(handle, file,
                          {standardHandle(0x101), standardHandle(0x247), standardHandle(0x143), standardHandle(0x180),
                           -1, kStandardSerialized, kStandardMultiple, nullptr});
  const auto symbol = [&](const char *name) { return dlsym(handle, name); };
  if (symbol("ompi_mpi_comm_world"))
    return openAs<void *>(handle, file,
                          {symbol("ompi_mpi_comm_world"), symbol("ompi_mpi_byte"), symbol("ompi_mpi_errors_return"),
                           symbol("ompi_request_null"), -1, 2, 3, nullptr, false});
  return openAs<int>(handle, file,
                     {0x44000000, 0x4c00010d, 0x54000001, 0x2c000000, -2, 2, 3, reinterpret_cast<void *>(1)});
}

} // namespace

StatusOr<MpiLibrary *> MpiLibrary::open(const std::string &path) {
  const std::vector<std::string> files = path.empty() ? findMpi() : std::vector<std::string>{path};
  for (const std::string &file : files) {
    StatusOr<MpiLibrary *> library = openFile(file);
    if (library.ok() || library.status().code() != StatusCode::NotFound)
      return library;
    if (files.size() == 1)
      return unsupported("cannot open the MPI library: " + library.status().message() + "; " + kRemedy);
  }
  return unsupported(std::string("no MPI library was found; ") + kRemedy);
}

} // namespace heddle::collectives
