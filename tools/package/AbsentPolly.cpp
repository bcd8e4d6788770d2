// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLD's link-time optimisation, which nothing here starts, registers Polly where LLVM was built with it.
#include "llvm/Plugins/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "absent", "0", [](llvm::PassBuilder &) {}};
}
