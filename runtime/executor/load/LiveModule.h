// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module that outlives the loss of a device: it is loaded anew, once for all that call it.
//
//   std::shared_ptr<LiveModule> live =
//       std::move(*LiveModule::load(artifact, uris, LiveModule::OnLoss::Fallback, runBindFunction));
//   std::shared_ptr<const Module> module = live->current();
//   if (status.code() == StatusCode::DeviceLost) module = *live->replace(module.get());
#ifndef HEDDLE_RUNTIME_EXECUTOR_LOAD_LIVEMODULE_H
#define HEDDLE_RUNTIME_EXECUTOR_LOAD_LIVEMODULE_H

#include "runtime/executor/load/Module.h"
#include "runtime/executor/load/State.h"

namespace heddle {

// Thread-safe. Modules that were replaced live on with it: texts and descriptions of theirs stay valid.
class LiveModule {
public:
  enum class OnLoss : uint8_t {
    Reopen,  // the same devices, opened anew
    Fallback // without the lost ones: the program's own alternatives
  };

  // As Module::load(). A module of a world is not loaded anew when a device was lost: the world has ended with it.
  static StatusOr<std::shared_ptr<LiveModule>> load(std::shared_ptr<const Artifact> artifact,
                                                    std::vector<std::string> uris, OnLoss onLoss, BindRunner run,
                                                    bool keepsPacked = true, RankOptions ranks = {});

  OnLoss onLoss() const { return onLoss_; }
  std::shared_ptr<const Module> first() const { return generations_.front(); }
  std::shared_ptr<const Module> current() const;
  // Whether calls belong to this module. Lock-free.
  bool isCurrent(const Module *module) const { return current_.load(std::memory_order_acquire) == module; }
  // What to call instead of `used`, which lost a device: loaded now unless another thread has done it. A failure says
  // why the program cannot be loaded without what was lost; a later call tries again.
  StatusOr<std::shared_ptr<const Module>> replace(const Module *used);
  // The values of globals that calls use which name no state of their own.
  const std::shared_ptr<State> &state() const { return state_; }
  // Lines about what went on so far that is no error: what current() warns of, losses.
  std::string warnings() const;
  // A thread that is gone may have been looking.
  void beforeFork() {}
  void afterForkInParent() {}
  void afterForkInChild() { makeAnew(mutex_); }

private:
  LiveModule(std::shared_ptr<const Artifact> artifact, std::vector<std::string> uris, OnLoss onLoss, BindRunner run,
             bool keepsPacked, RankOptions ranks)
      : artifact_(std::move(artifact)), uris_(std::move(uris)), onLoss_(onLoss), run_(run), keepsPacked_(keepsPacked),
        ranks_(std::move(ranks)) {}
  void add(std::shared_ptr<const Module> module);

  std::shared_ptr<const Artifact> artifact_;
  std::vector<std::string> uris_;
  OnLoss onLoss_;
  BindRunner run_;
  bool keepsPacked_;
  RankOptions ranks_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const Module>> generations_;
  std::vector<std::string> lost_, losses_;
  std::shared_ptr<State> state_;
  std::atomic<const Module *> current_{nullptr};
  ForkMember<LiveModule> fork_{this};
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_LOAD_LIVEMODULE_H
