// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/IR/HostOps.h"
#include "compiler/Stages/Package/Package.h"
#include "compiler/Stages/Package/Passes.h"

using namespace mlir;

namespace mlir::heddle {
#define GEN_PASS_DEF_WRITEARTIFACT
#include "compiler/Stages/Package/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct WriteArtifact : mlir::heddle::impl::WriteArtifactBase<WriteArtifact> {
  using WriteArtifactBase::WriteArtifactBase;

  void runOnOperation() override {
    if (path.empty()) {
      getOperation().emitError() << "package-write-artifact needs the option path";
      return signalPassFailure();
    }
    if (failed(mlir::heddle::writeArtifact(getOperation(), path)))
      signalPassFailure();
  }
};

} // namespace
