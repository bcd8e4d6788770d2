// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/seeded_bugs/SeededBugs.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Host/IR/HostOps.h"

#include "heddle/contract/ArtifactHash.h"
#include "heddle/contract/Artifact_generated.h"

#include "llvm/Support/FileOutputBuffer.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::test;
namespace contract = ::heddle::contract;
namespace fb = ::heddle::fb;

// The first op of the kind for which `matches` holds; null if there is none.
template <typename Op> static Op find(Operation *root, llvm::function_ref<bool(Op)> matches) {
  Op found;
  root->walk([&](Op op) {
    if (!matches(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

static bool isInNode(Operation *op, StringRef node) {
  for (; op; op = op->getParentOp())
    if (auto name = dyn_cast<NameLoc>(op->getLoc()); name && name.getName() == node)
      return true;
  return false;
}

static func::FuncOp functionOf(ModuleOp module, StringRef executable) {
  auto op = module.lookupSymbol<flow::ExecutableOp>(executable);
  return op ? op.getFunction() : func::FuncOp();
}

//===--- simplify ------------------------------------------------------------------------------------------------===//

// Folds a·0.5 as if it were a·0.25.
static LogicalResult foldScaleWrongly(ModuleOp module) {
  auto multiply = find<arith::MulFOp>(module, [](arith::MulFOp op) { return isInNode(op, "Sub_4"); });
  if (!multiply)
    return failure();
  OpBuilder builder(multiply);
  multiply.setOperand(1, arith::ConstantOp::create(builder, multiply.getLoc(), builder.getF32FloatAttr(0.25f)));
  return success();
}

// Takes subtraction for commutative.
static LogicalResult commuteSubtraction(ModuleOp module) {
  auto subtract = find<arith::SubFOp>(module, [](arith::SubFOp op) { return isInNode(op, "Normalize_7"); });
  if (!subtract)
    return failure();
  Value left = subtract.getLhs();
  subtract.setOperand(0, subtract.getRhs());
  subtract.setOperand(1, left);
  return success();
}

//===--- form ----------------------------------------------------------------------------------------------------===//

// Loses the last op of a region.
static LogicalResult dropRelu(ModuleOp module) {
  func::FuncOp function = functionOf(module, "matmul_0");
  auto relu = function ? find<arith::MaximumFOp>(function, [](arith::MaximumFOp) { return true; }) : nullptr;
  if (!relu)
    return failure();
  relu.replaceAllUsesWith(relu.getLhs());
  relu.erase();
  return success();
}

static flow::DispatchOp dispatchOf(ModuleOp module, StringRef executable) {
  return find<flow::DispatchOp>(module, [&](flow::DispatchOp op) { return op.getExecutable() == executable; });
}

// Hands the dispatch a wrong value as its operand, in the encoding it expects.
static void setBinding(flow::DispatchOp dispatch, unsigned number, Value value) {
  Type expected = dispatch.getBindings()[number].getType();
  OpBuilder builder(dispatch);
  if (value.getType() != expected)
    value = flow::EncodeOp::create(builder, dispatch.getLoc(), expected, value, dispatch.getBindingDims().take_front());
  dispatch.getBindingsMutable().slice(number, 1).assign(value);
}

// Captures a region's operands in the wrong order.
static LogicalResult swapCaptures(ModuleOp module) {
  flow::DispatchOp dispatch = dispatchOf(module, "reduction_2");
  if (!dispatch)
    return failure();
  Value first = dispatch.getBindings()[0], second = dispatch.getBindings()[1];
  setBinding(dispatch, 0, second);
  setBinding(dispatch, 1, first);
  return success();
}

// Clones another literal into the executable than the region used: layer normalisation with a wrong epsilon.
static LogicalResult wrongEpsilon(ModuleOp module) {
  func::FuncOp function = functionOf(module, "reduction_2");
  auto epsilon = function ? find<arith::ConstantOp>(function,
                                                    [](arith::ConstantOp op) {
                                                      auto value = dyn_cast<FloatAttr>(op.getValue());
                                                      return value && value.getValueAsDouble() > 0 &&
                                                             value.getValueAsDouble() < 1e-4;
                                                    })
                          : nullptr;
  if (!epsilon)
    return failure();
  epsilon.setValueAttr(FloatAttr::get(epsilon.getType(), 0.1));
  return success();
}

//===--- place ---------------------------------------------------------------------------------------------------===//

// Hands a dispatch a value that is one dispatch old.
static LogicalResult staleOperand(ModuleOp module) {
  flow::DispatchOp last = dispatchOf(module, "matmul_3"), before = dispatchOf(module, "matmul_1");
  if (!last || !before)
    return failure();
  setBinding(last, 0, before.getResult(0));
  return success();
}

//===--- schedule ------------------------------------------------------------------------------------------------===//

// Two buffers that live at the same time get the same place in the slab.
static LogicalResult overlapLives(ModuleOp module) {
  SmallVector<host::ViewOp> views;
  module.walk([&](host::ViewOp view) { views.push_back(view); });
  if (views.size() < 2)
    return failure();
  views[1].getOffsetMutable().assign(views[0].getOffset());
  return success();
}

// A dispatch is issued before the one whose result it reads.
static LogicalResult reorderDispatches(ModuleOp module) {
  SmallVector<host::DispatchOp> dispatches;
  module.walk([&](host::DispatchOp dispatch) { dispatches.push_back(dispatch); });
  if (dispatches.size() < 3)
    return failure();
  dispatches[1]->moveAfter(dispatches[2]);
  return success();
}

//===--- codegen -------------------------------------------------------------------------------------------------===//

LogicalResult mlir::heddle::test::dropWorkgroup(ModuleOp module, StringRef name) {
  auto executable = module.lookupSymbol<flow::ExecutableOp>(name);
  if (!executable)
    return failure();
  for (auto variant : executable.getBody().getOps<flow::VariantOp>()) {
    Operation *terminator = variant.getWorkgroups().getBody().front().getTerminator();
    OpBuilder builder(terminator);
    Value one = arith::ConstantIndexOp::create(builder, terminator->getLoc(), 1);
    Value less = arith::SubIOp::create(builder, terminator->getLoc(), terminator->getOperand(0), one);
    terminator->setOperand(0, less);
  }
  return success();
}

static LogicalResult dropRemainder(ModuleOp module) { return dropWorkgroup(module, "matmul_1"); }

//===--- package -------------------------------------------------------------------------------------------------===//

// Two parameters of one size stand at each other's offset.
static void swapParameterOffsets(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, false, false, true, llvm::Align(64));
  if (!file)
    return;
  std::string bytes = (*file)->getBuffer().str();
  std::span<const std::byte> original(reinterpret_cast<const std::byte *>((*file)->getBufferStart()), bytes.size());
  contract::ArtifactView artifact = contract::viewArtifact(original);
  // Where the offset stands in the file; 0 where it does not, being 0.
  auto placeOf = [&](const char *key) -> size_t {
    for (const fb::Parameter *parameter : *artifact.module->parameters()) {
      const uint8_t *place =
          reinterpret_cast<const flatbuffers::Table *>(parameter)->GetAddressOf(fb::Parameter::VT_OFFSET);
      if (parameter->key()->str() == key && place)
        return place - reinterpret_cast<const uint8_t *>(original.data());
    }
    return 0;
  };
  size_t first = placeOf("b1"), second = placeOf("b2");
  if (!first || !second)
    return;
  std::swap_ranges(bytes.begin() + first, bytes.begin() + first + 8, bytes.begin() + second);
  contract::rehash({reinterpret_cast<std::byte *>(bytes.data()), bytes.size()});
  std::error_code error;
  llvm::raw_fd_ostream(path, error) << bytes;
}

ArrayRef<SeededBug> mlir::heddle::test::getSeededBugs() {
  static constexpr const char *kProduct = "@matmul_0 (node \"Relu_2\", node \"MatMul_0\")";
  static constexpr const char *kNorm =
      "@reduction_2 (node \"Normalize_7\", node \"Sub_4\", node \"Mean_5\" and 1 more)";
  static const SeededBug bugs[] = {
      {"fold_scale_wrongly", Stage::Simplify, "linalg.generic (node \"Sub_4\")", foldScaleWrongly, nullptr},
      {"commute_subtraction", Stage::Simplify, "linalg.generic (node \"Normalize_7\")", commuteSubtraction, nullptr},
      {"drop_relu", Stage::Form, kProduct, dropRelu, nullptr},
      {"swap_captures", Stage::Form, kNorm, swapCaptures, nullptr},
      {"wrong_epsilon", Stage::Form, kNorm, wrongEpsilon, nullptr},
      {"stale_operand", Stage::Place, "@matmul_3 (node \"Residual_10\", node \"MatMul_8\")", staleOperand, nullptr},
      {"overlap_lives", Stage::Schedule, kNorm, overlapLives, nullptr},
      {"reorder_dispatches", Stage::Schedule, "@matmul_1 (node \"MatMul_3 (scaled)\")", reorderDispatches, nullptr},
      {"drop_remainder", Stage::Codegen, "@matmul_1 (node \"MatMul_3 (scaled)\")", dropRemainder, nullptr},
      {"swap_parameter_offsets", Stage::Package, kProduct, nullptr, swapParameterOffsets},
  };
  return bugs;
}
