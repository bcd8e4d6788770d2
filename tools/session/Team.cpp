// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/session/Team.h"

#include "heddle/contract/Artifact_generated.h"
#include "runtime/base/RankStatus.h"
#include "tools/lib/Error.h"
#include "tools/session/Launched.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace heddle::tools {
namespace {

const fb::Module &metadataOf(const Artifact &artifact) {
  uint64_t bytes = 0;
  return *fb::GetModule(heddle_artifact_metadata(artifact.raw(), &bytes));
}

// What heddle_module_load() takes where no device is named: of the drivers that the program names, and the default
// ones.
std::vector<std::string> machineDevices(const fb::Module &metadata) {
  std::set<std::string> named;
  for (const fb::Device *device : *metadata.devices())
    for (uint32_t i = 0; device->alternatives() && i < device->alternatives()->size(); ++i)
      if (const auto *driver = device->alternatives()->Get(i)->driver())
        named.insert(driver->str());
  DeviceList list;
  std::vector<std::string> out;
  for (uint32_t i = 0; i < list.size(); ++i)
    if (list[i].available && (list[i].is_default || named.contains(list[i].driver)))
      out.emplace_back(list[i].uri);
  return out;
}

std::string textOf(const std::exception_ptr &failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception &error) {
    return error.what();
  }
}

bool isOfAnotherRank(const std::exception_ptr &failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error &error) {
    return error.code() == HEDDLE_RANK_FAILED;
  } catch (...) {
    return false;
  }
}

// The same failure with text in front, of the kind that has the same exit status.
[[noreturn]] void rethrowWith(const std::string &prefix, const std::exception_ptr &failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error &error) {
    if (error.code() == HEDDLE_INVALID_ARGUMENT)
      throw UsageError(prefix + error.what());
    throw Failure(prefix + error.what());
  } catch (const UsageError &error) {
    throw UsageError(prefix + error.what());
  } catch (const std::bad_alloc &) {
    throw Failure(prefix + "out of memory");
  } catch (const std::exception &error) {
    throw Failure(prefix + error.what());
  }
}

// The first cause among the members' failures; with its rank, unless all failed alike.
void rethrowCause(const std::vector<std::exception_ptr> &failures, const std::function<uint32_t(uint32_t)> &rankOf) {
  size_t cause = failures.size();
  bool isAlike = true;
  std::string first;
  for (size_t i = 0; i < failures.size(); ++i) {
    if (!failures[i]) {
      isAlike = false;
      continue;
    }
    std::string text = textOf(failures[i]);
    isAlike &= first.empty() || text == first;
    first = first.empty() ? text : first;
    if (cause == failures.size() || (isOfAnotherRank(failures[cause]) && !isOfAnotherRank(failures[i])))
      cause = i;
  }
  if (cause == failures.size())
    return;
  if (isAlike || isOfAnotherRank(failures[cause]))
    std::rethrow_exception(failures[cause]);
  rethrowWith("rank " + std::to_string(rankOf(static_cast<uint32_t>(cause))) + ": ", failures[cause]);
}

// Which members are done, and how.
class MemberRun {
public:
  explicit MemberRun(uint32_t members) : failures_(members), isDone_(members) {}

  void end(uint32_t member, std::exception_ptr failure) {
    std::lock_guard lock(mutex_);
    failures_[member] = std::move(failure);
    isDone_[member] = true;
    hasFailed_ |= failures_[member] != nullptr;
    ++done_;
    changed_.notify_all();
  }
  // Until all are done; false where some are not, seconds after one failed: they hang in what nobody can end.
  bool wait() {
    constexpr std::chrono::seconds kPatience(3);
    std::unique_lock lock(mutex_);
    auto allDone = [&] { return done_ == failures_.size(); };
    changed_.wait(lock, [&] { return allDone() || hasFailed_; });
    return changed_.wait_for(lock, kPatience, allDone);
  }
  std::vector<std::exception_ptr> failures() {
    std::lock_guard lock(mutex_);
    return failures_;
  }
  std::vector<uint32_t> unfinished() {
    std::lock_guard lock(mutex_);
    std::vector<uint32_t> out;
    for (uint32_t member = 0; member < isDone_.size(); ++member)
      if (!isDone_[member])
        out.push_back(member);
    return out;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::exception_ptr> failures_;
  std::vector<bool> isDone_;
  size_t done_ = 0;
  bool hasFailed_ = false;
};

// A rank that hangs cannot be ended without its process, which says why and ends.
[[noreturn]] void endProcess(MemberRun &run, const std::function<uint32_t(uint32_t)> &rankOf) {
  std::string text = "ranks failed";
  try {
    rethrowCause(run.failures(), rankOf);
  } catch (const std::exception &error) {
    text = error.what();
  }
  for (uint32_t member : run.unfinished())
    text += "\nrank " + std::to_string(rankOf(member)) + " does not end, so the process does";
  std::string tool = program_invocation_short_name;
  std::replace(tool.begin(), tool.end(), '-', ' ');
  _exit(runTool(tool.c_str(), [&]() -> int { throw Failure(text); }));
}

} // namespace

void RankFlags::addTo(CommandLine &line) {
  line.value(threads, "--threads", "N",
             "let N threads work on a call, on any core; default: one for each core that the process may use");
  line.value(mesh, "--mesh", "AXIS=SIZE,…", "for many ranks: set sizes of the axes that the program leaves free");
  line.value(timeout, "--timeout", "SECONDS", "for many ranks: how long a rank waits for the others; default: forever");
}

void RankFlags::check() const {
  constexpr uint64_t kMostThreads = 1024;
  if (threads && (*threads < 1 || *threads > kMostThreads))
    throw UsageError("--threads takes a number from 1 to " + std::to_string(kMostThreads) + ", got " +
                     std::to_string(*threads));
  if (timeout && !(*timeout > 0 && *timeout <= 1e6))
    throw UsageError("--timeout takes seconds, more than 0 and at most 1000000");
}

Team::Team(const TeamOptions &options) {
  options.ranks.check();
  create(options);
  std::vector<std::optional<Module>> loaded(members_);
  try {
    onEach([&](uint32_t member) { loaded[member].emplace(load(member, options)); });
  } catch (...) {
    sayFailed();
    throw;
  }
  for (std::optional<Module> &module : loaded)
    modules_.push_back(std::move(*module));
}

Team::~Team() {
  if (std::uncaught_exceptions() <= exceptions_)
    return;
  sayFailed(); // its end may take a while
  if (world_)
    heddle_world_abort(world_->raw(), 0, heddle_status_create(HEDDLE_CANCELLED, "the rank ended before the others"));
}

// The world, and which part of the machine is this process's.
void Team::create(const TeamOptions &options) {
  Artifact artifact(options.artifact);
  const fb::Module &metadata = metadataOf(artifact);
  bool hasMesh = metadata.meshes() && metadata.meshes()->size() > 0;
  std::optional<LaunchedProcess> launched = launchedProcess();
  if (launched) {
    firstRank_ = launched->rank;
    size_ = launched->size;
    if (hasAllCores())
      onMachine_ = {launched->localRank, launched->localSize};
  }
  if (!hasMesh) {
    if (!options.ranks.mesh.empty())
      throw UsageError("--mesh: the program has no mesh; heddle compile --mesh=" + options.ranks.mesh +
                       " gives a program with collectives one");
  } else if (size_ > 1) {
    world_.emplace(0, nullptr, options.ranks.timeoutNs());
    size_ = world_->size();
  } else {
    uint64_t ranks = 1;
    heddle::check(heddle_artifact_ranks(artifact.raw(), options.ranks.mesh.c_str(), 0, &ranks));
    world_.emplace(static_cast<uint32_t>(ranks), "local", options.ranks.timeoutNs());
    size_ = world_->size();
  }
  members_ = world_ ? world_->members() : 1;
  onMachine_ = {onMachine_.index * members_, onMachine_.count * members_};
  devicesPerRank_ = metadata.devices() ? metadata.devices()->size() : 1;
  if (options.devices.empty() && onMachine_.count > 1)
    machine_ = machineDevices(metadata);
}

uint32_t Team::rank(uint32_t member) const { return world_ ? world_->rank(member) : firstRank_; }

std::vector<std::string> Team::devicesOf(uint32_t member, const TeamOptions &options) const {
  RankPosition position{onMachine_.index + member, onMachine_.count};
  std::vector<uint32_t> cores = localCores();
  if (!options.devices.empty()) {
    std::vector<std::string> mine = devicesOfRank(options.devices, devicesPerRank_, position, cores);
    for (std::string &uri : mine)
      uri = withRank(std::move(uri), rank(member));
    return mine;
  }
  // All devices go to each rank, but each begins with others of a kind, so that alike ones are dealt out.
  std::vector<std::string> rest, out;
  for (const std::string &uri : machine_)
    if (uri == "local" || uri.starts_with("local?"))
      for (std::string &mine : devicesOfRank(std::span(&uri, 1), 1, position, cores))
        out.push_back(std::move(mine));
    else
      rest.push_back(uri);
  if (!rest.empty())
    std::rotate(rest.begin(), rest.begin() + position.index * devicesPerRank_ % rest.size(), rest.end());
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

Module Team::load(uint32_t member, const TeamOptions &options) const {
  std::vector<std::string> devices = devicesOf(member, options);
  std::vector<const char *> uris;
  for (const std::string &device : devices)
    uris.push_back(device.c_str());
  heddle_load_options load{};
  load.struct_size = sizeof(load);
  load.device_count = static_cast<uint32_t>(uris.size());
  load.devices = uris.data();
  load.on_device_lost = options.onDeviceLost;
  load.allow_native = options.allowNative;
  load.world = world_ ? world_->raw() : nullptr;
  load.member = member;
  load.mesh = options.ranks.mesh.c_str();
  load.threads = options.ranks.threadCount();
  heddle_module *module = nullptr;
  heddle::check(heddle_module_load_file(options.artifact.c_str(), &load, &module));
  return Module(module);
}

void Team::sayFailed() const {
  if (!isOthersFailure_)
    rankstatus::fail(rank(0));
}

void Team::abort(uint32_t member, const std::exception_ptr &cause) const {
  if (world_)
    heddle_world_abort(world_->raw(), member, heddle_status_create(HEDDLE_CANCELLED, textOf(cause).c_str()));
}

void Team::onEach(const std::function<void(uint32_t)> &work) const {
  MemberRun run(members());
  auto guard = [&](uint32_t member) {
    std::exception_ptr failure;
    try {
      work(member);
    } catch (...) {
      failure = std::current_exception();
      if (!isOfAnotherRank(failure)) // before the others can hear of it and end
        rankstatus::fail(rank(member));
      abort(member, failure); // of no effect where a cause is known already
    }
    run.end(member, failure);
  };
  std::vector<std::thread> threads;
  for (uint32_t member = 0; members() > 1 && member < members(); ++member) {
    try {
      threads.emplace_back(guard, member);
    } catch (const std::system_error &error) {
      auto failure = std::make_exception_ptr(
          Failure("cannot start a thread for each of " + std::to_string(members()) + " ranks: " + error.what()));
      abort(member, failure);
      for (; member < members(); ++member)
        run.end(member, failure);
    }
  }
  if (members() == 1)
    guard(0);
  auto rankOf = [this](uint32_t member) { return rank(member); };
  if (!run.wait())
    endProcess(run, rankOf);
  for (std::thread &thread : threads)
    thread.join();
  const std::vector<std::exception_ptr> failures = run.failures();
  const auto isHere = [](const std::exception_ptr &failure) { return failure && !isOfAnotherRank(failure); };
  isOthersFailure_ = std::any_of(failures.begin(), failures.end(), [](const auto &failure) { return bool(failure); }) &&
                     std::none_of(failures.begin(), failures.end(), isHere);
  rethrowCause(failures, rankOf);
}

std::vector<std::vector<std::byte>> Team::gather(const std::function<std::vector<std::byte>(uint32_t)> &bytesOf) const {
  std::vector<std::vector<std::byte>> out(isProgram() ? size_ : 1);
  if (!isProgram() || members() == size_) {
    onEach([&](uint32_t member) { out[isProgram() ? rank(member) : 0] = bytesOf(member); });
    return out;
  }
  // Of other processes: sizes first, then bytes, as many for each rank.
  onEach([&](uint32_t member) {
    std::vector<std::byte> mine = bytesOf(member);
    uint64_t bytes = mine.size();
    std::vector<uint64_t> sizes(size_);
    heddle::check(heddle_world_all_gather(world_->raw(), member, &bytes, sizeof(bytes), sizes.data()));
    uint64_t most = std::max<uint64_t>(*std::max_element(sizes.begin(), sizes.end()), 1);
    mine.resize(most);
    std::vector<std::byte> all(most * size_);
    heddle::check(heddle_world_all_gather(world_->raw(), member, mine.data(), most, all.data()));
    if (member == 0)
      for (uint32_t rank = 0; rank < size_; ++rank)
        out[rank].assign(all.begin() + static_cast<ptrdiff_t>(most * rank),
                         all.begin() + static_cast<ptrdiff_t>(most * rank + sizes[rank]));
  });
  return out;
}

std::string withRank(std::string text, uint32_t rank) {
  constexpr std::string_view kRank = "{rank}";
  std::string number = std::to_string(rank);
  for (size_t at = 0; (at = text.find(kRank, at)) != text.npos; at += number.size())
    text.replace(at, kRank.size(), number);
  return text;
}

} // namespace heddle::tools
