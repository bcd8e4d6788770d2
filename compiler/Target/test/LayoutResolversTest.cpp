// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What devices choose for an operand, from plain descriptions of its use.
#include "compiler/Target/LayoutResolvers.h"

#include "compiler/Dialect/Encoding/IR/StorageSize.h"
#include "compiler/Target/CPU/Backend/CpuBackend.h"
#include "compiler/Target/CPU/CpuTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle;
using encoding::AbstractEncoding;
using encoding::Resolution;

namespace {

struct LayoutResolvers : testing::Test {
  MLIRContext context;
  Builder builder{&context};
  OwningOpRef<ModuleOp> module;
  Type f32, i8, i32;

  static void SetUpTestSuite() { cpu::registerBackend(); }

  LayoutResolvers() {
    context.loadDialect<device::DeviceDialect, encoding::EncodingDialect, arith::ArithDialect, func::FuncDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
    f32 = builder.getF32Type();
    i8 = builder.getI8Type();
    i32 = builder.getI32Type();
  }

  std::unique_ptr<encoding::LayoutResolver> make(StringRef cpu, StringRef name = "") {
    auto resolver = createLayoutResolver(*module, *cpu::getExecutable(*module, cpu), name);
    return succeeded(resolver) ? std::move(*resolver) : nullptr;
  }

  AffineMap map(unsigned loops, ArrayRef<unsigned> results) {
    SmallVector<AffineExpr> exprs;
    for (unsigned loop : results)
      exprs.push_back(builder.getAffineDimExpr(loop));
    return AffineMap::get(loops, 0, exprs, &context);
  }

  // x[b, m, k] by w, both of `type`, summed in `sum`, loops (b, m, n, k).
  RankedTensorType weights(ArrayRef<unsigned> dims, ArrayRef<int64_t> shape, Type type, Type sum, bool constant = true,
                           unsigned role = 1) {
    SmallVector<int64_t> sizes(4, ShapedType::kDynamic);
    for (auto [dim, size] : llvm::zip_equal(dims, shape))
      sizes[dim] = size;
    AffineMap left = map(4, {0, 1, 3}), right = map(4, dims), result = map(4, {0, 1, 2});
    AbstractEncoding use{false, role, {type, type, sum}, {left, right, result}, sizes, constant};
    if (role == 0)
      std::swap(use.maps[0], use.maps[1]);
    return RankedTensorType::get(shape, type, encoding::getAttribute(&context, use));
  }

  std::string answer(const encoding::LayoutResolver &resolver, RankedTensorType type) {
    Resolution resolution = resolver.resolve(type);
    if (resolution.kind == Resolution::Identity)
      return "identity";
    if (resolution.kind == Resolution::Unsupported)
      return resolution.reason;
    std::string text;
    llvm::raw_string_ostream(text) << resolution.layout;
    return text;
  }
};

constexpr const char *kPanels = "#encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>";
constexpr const char *kGroups =
    "#encoding.layout<perm = [1, 0], inner_dims = [1, 0], inner_tiles = [16, 4], swizzle = []>";

TEST_F(LayoutResolvers, ConstantColumnsLieInPanels) {
  for (StringRef cpu : {"x86-64", "x86-64-v3", "x86-64-v4", "aarch64:generic", "riscv64:generic+v"}) {
    auto resolver = make(cpu);
    EXPECT_EQ(answer(*resolver, weights({3, 2}, {64, 40}, f32, f32)), kPanels) << cpu.str();
    EXPECT_EQ(answer(*resolver, weights({3, 2}, {64, 40}, i8, i32)), kGroups) << cpu.str();
  }
}

// As the filters of a window of one position: what is reduced comes behind the columns.
TEST_F(LayoutResolvers, ColumnsThatComeFirstLieInPanels) {
  auto resolver = make("x86-64-v4");
  EXPECT_EQ(answer(*resolver, weights({2, 3}, {40, 64}, f32, f32)),
            "#encoding.layout<perm = [0, 1], inner_dims = [0], inner_tiles = [16], swizzle = []>");
  EXPECT_EQ(answer(*resolver, weights({2, 3}, {40, 64}, i8, i32)),
            "#encoding.layout<perm = [0, 1], inner_dims = [0, 1], inner_tiles = [16, 4], swizzle = []>");
  EXPECT_EQ(answer(*resolver, weights({0, 2, 3}, {4, 40, 64}, f32, f32)),
            "#encoding.layout<perm = [0, 1, 2], inner_dims = [1], inner_tiles = [16], swizzle = []>");
}

// All that is stored of quantised weights has panels of one width: the widest that divides the columns.
TEST_F(LayoutResolvers, QuantizedWeightsLieInPanelsOfOneWidth) {
  Type code = builder.getIntegerType(4, /*isSigned=*/false);
  auto stored = [&](ArrayRef<int64_t> shape, Type type, encoding::QuantizedRole role, bool grouped = false) {
    return RankedTensorType::get(shape, type, encoding::QuantizedAttr::get(&context, role, code, grouped));
  };
  auto panels = [](StringRef perm, int dim, int columns) {
    return ("#encoding.layout<perm = [" + perm + "], inner_dims = [" + Twine(dim) + "], inner_tiles = [" +
            Twine(columns) + "], swizzle = []>")
        .str();
  };
  auto resolver = make("x86-64-v4");
  for (auto [columns, width] : {std::pair(4096, 128), std::pair(192, 64), std::pair(96, 32), std::pair(40, 16)}) {
    EXPECT_EQ(answer(*resolver, stored({8, 16, columns}, i8, encoding::QuantizedRole::Codes)),
              panels("2, 0, 1", 2, width));
    EXPECT_EQ(answer(*resolver, stored({8, columns}, f32, encoding::QuantizedRole::Scales)), panels("1, 0", 1, width));
    EXPECT_EQ(answer(*resolver, stored({columns}, i8, encoding::QuantizedRole::Zeros)), panels("0", 0, width));
  }
  EXPECT_EQ(answer(*resolver, stored({8, 16, 16}, i8, encoding::QuantizedRole::Codes)), "identity");
  // For dot products groups of four bytes lie together, and few columns are a panel.
  EXPECT_EQ(answer(*resolver, stored({8, 16, 7}, i8, encoding::QuantizedRole::Codes, /*grouped=*/true)),
            "#encoding.layout<perm = [2, 0, 1], inner_dims = [2, 1], inner_tiles = [16, 4], swizzle = []>");
  EXPECT_EQ(answer(*resolver, stored({8, 7}, f32, encoding::QuantizedRole::Scales, /*grouped=*/true)),
            panels("1, 0", 1, 16));
}

// Whether weights come first or second in the product does not matter, only which dimension vectors walk.
TEST_F(LayoutResolvers, ColumnsMayBeTheLeftSide) {
  EXPECT_EQ(answer(*make("x86-64-v4"), weights({3, 2}, {64, 40}, f32, f32, true, 0)), kPanels);
}

TEST_F(LayoutResolvers, BatchesStayOutermost) {
  EXPECT_EQ(answer(*make("x86-64-v4"), weights({0, 3, 2}, {5, 64, 40}, f32, f32)),
            "#encoding.layout<perm = [0, 2, 1], inner_dims = [2], inner_tiles = [16], swizzle = []>");
}

TEST_F(LayoutResolvers, FiltersOfConvolutions) {
  // x[n, o * 2 + t, c] by w[t, c, f], loops (n, o, f, t, c)
  AffineExpr o = builder.getAffineDimExpr(1), t = builder.getAffineDimExpr(3);
  auto input = AffineMap::get(5, 0, {builder.getAffineDimExpr(0), o * 2 + t, builder.getAffineDimExpr(4)}, &context);
  SmallVector<int64_t> sizes = {ShapedType::kDynamic, 28, 64, 3, 32};
  AbstractEncoding use{true, 1, {f32, f32, f32}, {input, map(5, {3, 4, 2}), map(5, {0, 1, 2})}, sizes, true};
  auto type = [&](Type element) {
    return RankedTensorType::get({3, 32, 64}, element, encoding::getAttribute(&context, use));
  };
  EXPECT_EQ(answer(*make("x86-64-v4"), type(f32)),
            "#encoding.layout<perm = [2, 0, 1], inner_dims = [2], inner_tiles = [16], swizzle = []>");
  use.types = {i8, i8, i32};
  EXPECT_EQ(answer(*make("x86-64-v4"), type(i8)),
            "#encoding.layout<perm = [2, 0, 1], inner_dims = [2, 1], inner_tiles = [16, 4], swizzle = []>");
}

TEST_F(LayoutResolvers, EverythingElseStaysInRows) {
  auto resolver = make("x86-64-v4");
  EXPECT_EQ(answer(*resolver, weights({3, 2}, {64, 40}, f32, f32, false)), "identity"); // computed
  EXPECT_EQ(answer(*resolver, weights({3, 2}, {64, 16}, f32, f32)), "identity");        // one panel is rows
  EXPECT_EQ(answer(*resolver, weights({3, 2}, {64, 40}, builder.getF64Type(), builder.getF64Type())), "identity");
  EXPECT_EQ(answer(*resolver, weights({3, 2}, {64, 40}, i8, i8)), "identity"); // not summed in 32 bits
}

TEST_F(LayoutResolvers, ThoseForTests) {
  RankedTensorType type = weights({3, 2}, {64, 40}, f32, f32, false);
  EXPECT_EQ(answer(*make("x86-64-v4", "blocked"), type),
            "#encoding.layout<perm = [0, 1], inner_dims = [0, 1], inner_tiles = [8, 16], swizzle = []>");
  EXPECT_EQ(answer(*make("x86-64-v4", "blocked:4x2"), type),
            "#encoding.layout<perm = [0, 1], inner_dims = [0, 1], inner_tiles = [4, 2], swizzle = []>");
  EXPECT_EQ(answer(*make("x86-64-v4", "identity"), weights({3, 2}, {64, 40}, f32, f32)), "identity");
  EXPECT_EQ(answer(*make("x86-64-v4", "unsupported"), type), "this resolver supports no encoding");
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  EXPECT_EQ(make("x86-64-v4", "best"), nullptr);
  EXPECT_EQ(message, "unknown layout resolver 'best'; known: identity, unsupported, blocked, blocked:RxC");
}

TEST_F(LayoutResolvers, NamesAreOfDevicesOrTargets) {
  auto target = *cpu::getExecutable(*module, "x86-64-v3");
  OpBuilder at = OpBuilder::atBlockEnd(module->getBody());
  auto device = device::GlobalOp::create(at, module->getLoc(), "d",
                                         device::TargetAttr::get(builder.getStringAttr("local"), -1, {target}));
  EXPECT_EQ(findLayoutResolver(device, target, ""), "");
  EXPECT_EQ(findLayoutResolver(device, target, "blocked"), "blocked");
  EXPECT_EQ(findLayoutResolver(device, target, "e=identity,x86-64-v3=blocked:4x2"), "blocked:4x2");
  EXPECT_EQ(findLayoutResolver(device, target, "x86-64-v3=blocked,d=identity"), "identity");
  EXPECT_EQ(findLayoutResolver(device, target, "x86-64-v4=blocked"), "");
}

// The bytes of packBytes, also where sizes are only known to the host.
TEST_F(LayoutResolvers, StorageSizes) {
  auto layout = encoding::LayoutAttr::get(&context, {1, 0}, {0, 1}, {8, 16}, {});
  auto bytes = [&](int64_t m, int64_t n) {
    auto type = RankedTensorType::get({ShapedType::kDynamic, n}, f32, layout);
    auto function = func::FuncOp::create(module->getLoc(), "f", builder.getFunctionType({}, {}));
    OpBuilder at = OpBuilder::atBlockBegin(function.addEntryBlock());
    // An opaque size: a cast of a constant that folds only when asked.
    Value constant = arith::ConstantOp::create(at, module->getLoc(), at.getI64IntegerAttr(m));
    Value size = arith::IndexCastOp::create(at, module->getLoc(), at.getIndexType(), constant);
    Value columns = arith::ConstantIndexOp::create(at, module->getLoc(), n);
    Value result = encoding::storageSize(at, module->getLoc(), type, {size, columns});
    for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
      at.setInsertionPoint(&op);
      SmallVector<Value> folded;
      if (op.hasTrait<OpTrait::ConstantLike>() || failed(at.tryFold(&op, folded)))
        continue;
      if (op.getResult(0) == result)
        result = folded[0];
      op.replaceAllUsesWith(folded);
    }
    APInt value;
    EXPECT_TRUE(matchPattern(result, m_ConstantInt(&value)));
    function.erase();
    return value.getSExtValue();
  };
  EXPECT_EQ(bytes(33, 29), 5 * 2 * 8 * 16 * 4);
  EXPECT_EQ(bytes(8, 16), 8 * 16 * 4);
  EXPECT_EQ(bytes(0, 16), 0);
  EXPECT_EQ(bytes(1, 0), 0);
}

} // namespace
