#include "compiler/Stages/Schedule/Passes.h"

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYHOST
#include "compiler/Stages/Schedule/Passes.h.inc"
} // namespace mlir::heddle

using namespace mlir;
using namespace mlir::heddle;

namespace {

struct VerifyHost : impl::VerifyHostBase<VerifyHost> {
  void runOnOperation() override {
  }
};

} // namespace
