// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect with all of its ops: the one place that sees every group of them. Nobody includes it.
#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Encoding/IR/EncodingOps.h"
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Dialect/Flow/IR/FlowGlobals.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Flow/IR/FlowPieces.h"
#include "compiler/Dialect/Flow/IR/FlowProducts.h"
#include "compiler/Dialect/Flow/IR/FlowRows.h"
#include "compiler/Dialect/Flow/IR/FlowShardings.h"

#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;

#include "compiler/Dialect/Flow/IR/FlowDialect.cpp.inc"

// A called function may hold any op of the dialect: what they mean does not depend on the function around them.
namespace {
struct FlowInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void FlowDialect::initialize() {
  addInterfaces<FlowInlinerInterface>();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/Flow/IR/FlowOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/Flow/IR/FlowRows.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/Flow/IR/FlowGlobals.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/Flow/IR/FlowCollectives.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/Flow/IR/FlowShardings.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/Flow/IR/FlowPieces.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/Flow/IR/FlowProducts.cpp.inc"
      >();
}
