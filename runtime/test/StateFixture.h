// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of state and of donated arguments share.
#ifndef HEDDLE_RUNTIME_TEST_STATEFIXTURE_H
#define HEDDLE_RUNTIME_TEST_STATEFIXTURE_H

#include "ExecutorFixture.h"
#include "runtime/executor/call/Recovery.h"

namespace heddle::test {

// An artifact loaded as the C interface does, and its calls.
struct Program {
  explicit Program(fb::ModuleT &&source, std::vector<std::string> uris = {"local://0"}) : bytes(build(source)) {
    auto loaded =
        LiveModule::load(*Artifact::openMemory(bytes), std::move(uris), LiveModule::OnLoss::Reopen, runBindFunction);
    EXPECT_TRUE(loaded.ok()) << loaded.status().text();
    module = *loaded;
  }
  std::unique_ptr<RecoveringInvocation> call(const char *name) {
    return std::move(*RecoveringInvocation::create(module, *module->first()->findEntryPoint(name)));
  }
  std::shared_ptr<State> newState() { return std::make_shared<State>(*module->current()); }
  AlignedBytes bytes;
  std::shared_ptr<LiveModule> module;
};

} // namespace heddle::test

#endif // HEDDLE_RUNTIME_TEST_STATEFIXTURE_H
