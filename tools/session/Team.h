// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ranks of an artifact that this process runs: one for a program without a mesh, all of them where a program with a
// mesh is started alone, this process's own under a launcher (mpirun, srun, torchrun, heddle launch). Each is a module
// of its own, loaded and called on a thread of its own, since ranks meet in both.
#ifndef HEDDLE_TOOLS_SESSION_TEAM_H
#define HEDDLE_TOOLS_SESSION_TEAM_H

#include "heddle/ranks.hpp"
#include "tools/lib/CommandLine.h"
#include "tools/session/RankDevices.h"
#include "tools/session/Session.h"

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::tools {

// Flags of every tool that calls programs: of how many ranks and threads.
struct RankFlags {
  std::string mesh;                     // "x=2,y=2": sizes of free axes
  std::optional<double> timeout;        // seconds
  std::optional<uint64_t> threads = {}; // of devices `local` that say nothing of it
  void addTo(CommandLine &line);
  // Throws UsageError.
  void check() const;
  // heddle_load_options::threads
  uint32_t threadCount() const { return static_cast<uint32_t>(threads.value_or(0)); }
  uint64_t timeoutNs() const { return timeout ? static_cast<uint64_t>(*timeout * 1e9) : 0; }
};

struct TeamOptions {
  std::string artifact;
  std::vector<std::string> devices; // URIs, dealt out to the ranks; {rank} in one is the rank that gets it
  RankFlags ranks;
  heddle_on_device_lost onDeviceLost = HEDDLE_ON_DEVICE_LOST_FAIL;
  heddle_allow_native allowNative = HEDDLE_ALLOW_NATIVE_ALWAYS;
};

class Team {
public:
  // Loads. Throws heddle::Error, UsageError.
  explicit Team(const TeamOptions &options);
  // Where it goes because of an exception, the program's other ranks end, too: they would wait for this process.
  ~Team();
  Team(const Team &) = delete;

  uint32_t members() const { return members_; } // of this process, at least 1
  const Module &module(uint32_t member = 0) const { return modules_[member]; }
  // Of all ranks. A program without a mesh that a launcher started several times has as many, each for itself.
  uint32_t size() const { return size_; }
  uint32_t rank(uint32_t member) const;
  // Whether ranks are parts of one program, with a mesh; else each is alone.
  bool isProgram() const { return world_.has_value(); }
  // Whether rank 0 is here, which says what is to be said once.
  bool isLeader() const { return rank(0) == 0; }

  // Runs work(member) on a thread for each. Where it throws, all ranks of the program end; throws the first cause then,
  // with its rank where other ranks failed otherwise.
  void onEach(const std::function<void(uint32_t)> &work) const;

  // Bytes of each rank, in the order of ranks, from bytesOf(member); on every process. Collective.
  std::vector<std::vector<std::byte>> gather(const std::function<std::vector<std::byte>(uint32_t)> &bytesOf) const;

private:
  void create(const TeamOptions &options);
  Module load(uint32_t member, const TeamOptions &options) const;
  std::vector<std::string> devicesOf(uint32_t member, const TeamOptions &options) const;
  void abort(uint32_t member, const std::exception_ptr &cause) const;
  // Tells the launcher, unless the failure is another rank's: that one tells of it.
  void sayFailed() const;

  std::optional<World> world_;
  std::vector<Module> modules_;
  uint32_t members_ = 1, size_ = 1, firstRank_ = 0;
  RankPosition onMachine_; // of this process, among those that share its cores
  uint32_t devicesPerRank_ = 1;
  mutable bool isOthersFailure_ = false; // the last failure of onEach()
  int exceptions_ = std::uncaught_exceptions();
  std::vector<std::string> machine_; // devices, where none is given
};

// Text with every "{rank}" replaced.
std::string withRank(std::string text, uint32_t rank);
inline bool hasRank(const std::string &text) { return text.find("{rank}") != text.npos; }

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_SESSION_TEAM_H
