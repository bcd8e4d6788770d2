// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/load/LiveModule.h"

namespace heddle {

StatusOr<std::shared_ptr<LiveModule>> LiveModule::load(std::shared_ptr<const Artifact> artifact,
                                                       std::vector<std::string> uris, OnLoss onLoss, BindRunner run,
                                                       bool keepsPacked, RankOptions ranks) {
  std::shared_ptr<LiveModule> live(
      new LiveModule(std::move(artifact), std::move(uris), onLoss, run, keepsPacked, std::move(ranks)));
  StatusOr<std::shared_ptr<Module>> module =
      Module::load(live->artifact_, live->uris_, run, {}, 0, keepsPacked, live->ranks_);
  if (!module.ok())
    return module.takeStatus();
  live->state_ = std::make_shared<State>(**module);
  live->add(std::move(*module));
  return live;
}

void LiveModule::add(std::shared_ptr<const Module> module) {
  if (!generations_.empty())
    module->draws().continueAs(generations_.back()->draws());
  generations_.push_back(std::move(module));
  current_.store(generations_.back().get(), std::memory_order_release);
}

std::shared_ptr<const Module> LiveModule::current() const {
  std::lock_guard lock(mutex_);
  return generations_.back();
}

StatusOr<std::shared_ptr<const Module>> LiveModule::replace(const Module *used) {
  std::lock_guard lock(mutex_);
  if (generations_.back().get() != used)
    return generations_.back();
  std::string names;
  for (const std::string &uri : used->lostDevices()) {
    names += (names.empty() ? "" : ", ") + uri;
    if (onLoss_ == OnLoss::Fallback)
      lost_.push_back(uri);
  }
  current_.store(nullptr, std::memory_order_release);
  StatusOr<std::shared_ptr<Module>> module =
      Module::load(artifact_, uris_, run_, lost_, used->generation() + 1, keepsPacked_, ranks_);
  if (!module.ok())
    return module.takeStatus().note("while the program was loaded anew, without " + names);
  losses_.push_back("the device " + names + " was lost; the program was loaded anew" +
                    (onLoss_ == OnLoss::Fallback ? " without it" : ""));
  add(std::move(*module));
  return generations_.back();
}

std::string LiveModule::warnings() const {
  std::lock_guard lock(mutex_);
  std::string out;
  for (const std::string &loss : losses_)
    out += loss + "\n";
  if (const std::string &warning = generations_.back()->warning(); !warning.empty())
    out += warning + "\n";
  if (const Ranks *ranks = generations_.back()->ranks(); ranks && !ranks->detour().empty())
    out += "collectives of the devices go through the host, not by NCCL: " + ranks->detour() + "\n";
  return out;
}

} // namespace heddle
