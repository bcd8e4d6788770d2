// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/SizeEstimates.h"
#include "compiler/Dialect/Flow/Analysis/WorkEstimate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;

namespace {

struct SizeEstimatesTest : testing::Test {
  SizeEstimatesTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect, scf::SCFDialect,
                        tensor::TensorDialect, FlowDialect, HeddleDialect>();
  }

  // Bytes of each tensor result of the ops of @main, in program order.
  std::vector<uint64_t> bytes(const char *source) {
    module = parseSourceString<ModuleOp>(source, &context);
    EXPECT_TRUE(module);
    SizeEstimates sizes(*module);
    std::vector<uint64_t> found;
    module->lookupSymbol<func::FuncOp>("main").walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Value result : op->getResults())
        if (isa<RankedTensorType>(result.getType()))
          found.push_back(sizes.bytes(result));
    });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr const char *kProgram = R"(
module attributes {heddle.expect = {batch = 3, seq = 5}} {
flow.executable private @e {
  func.func @e(%x: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
    %i = tensor.empty(%m, %n) : tensor<?x?xf32>
    %0 = linalg.exp ins(%x : tensor<?x?xf32>) outs(%i : tensor<?x?xf32>) -> tensor<?x?xf32>
    return %0 : tensor<?x?xf32>
  }
}
func.func @main(%x: tensor<?x?xf32> {heddle.dims = ["batch", "seq"]}, %c: i1, %k: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = flow.dimension "batch"
  %s = flow.dimension "seq"
  %u = flow.dimension "unknown"
  %t = arith.muli %s, %c2 : index
  %0 = flow.dispatch @e(%x)[%b, %t] : (tensor<?x?xf32>{%b, %s}) -> (tensor<?x?xf32>{%b, %t})
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %2 = tensor.extract_slice %1[0][%b][1] : tensor<?xf32> to tensor<?xf32>
  %3 = scf.if %c -> tensor<?xf32> {
    scf.yield %2 : tensor<?xf32>
  } else {
    scf.yield %1 : tensor<?xf32>
  }
  %4 = scf.for %i = %c1 to %k step %c1 iter_args(%v = %3) -> tensor<?xf32> {
    scf.yield %v : tensor<?xf32>
  }
  %5 = tensor.empty(%u, %k) : tensor<?x?xf32>
  return
}
}
)";

TEST_F(SizeEstimatesTest, FollowSizes) {
  EXPECT_EQ(bytes(kProgram), (std::vector<uint64_t>{3 * 10 * 4, 30 * 4, 3 * 4, 3 * 4, 3 * 4, 64 * 64 * 4}));
}

TEST_F(SizeEstimatesTest, NothingExpected) {
  std::string source = kProgram;
  source.replace(source.find("attributes"), source.find("} {") + 2 - source.find("attributes"), "");
  // As the type alone says, also of a collapsed one.
  EXPECT_EQ(bytes(source.c_str()), (std::vector<uint64_t>{64 * 64 * 4, 64 * 4, 64 * 4, 64 * 4, 64 * 4, 64 * 64 * 4}));
}

TEST_F(SizeEstimatesTest, WorkOfADispatch) {
  bytes(kProgram);
  SizeEstimates sizes(*module);
  DispatchOp dispatch;
  module->walk([&](DispatchOp op) { dispatch = op; });
  Work work = estimateWork(dispatch, module->lookupSymbol<ExecutableOp>("e").getFunction(), sizes);
  EXPECT_EQ(work.flops, 15u); // as large as its operand
  EXPECT_EQ(work.bytes, (3 * 5 + 3 * 10) * 4u);
}

} // namespace
