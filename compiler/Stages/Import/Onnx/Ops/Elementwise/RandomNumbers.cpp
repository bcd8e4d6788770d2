// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Ops/Elementwise/RandomNumbers.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "heddle/contract/Draw.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/xxhash.h"

#include <numbers>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

static constexpr uint64_t kStep = 0x9E3779B97F4A7C15;

static Value integer(Scalar &s, uint64_t value) {
  return arith::ConstantIntOp::create(s.b, s.loc, static_cast<int64_t>(value), 64);
}

// contract::mixBits() of a value.
static Value mix(Scalar &s, Value z) {
  auto fold = [&](Value x, uint64_t shift) -> Value {
    return arith::XOrIOp::create(s.b, s.loc, x, arith::ShRUIOp::create(s.b, s.loc, x, integer(s, shift)));
  };
  z = s.mul(fold(z, 30), integer(s, 0xBF58476D1CE4E5B9));
  z = s.mul(fold(z, 27), integer(s, 0x94D049BB133111EB));
  return fold(z, 31);
}

Value Generator::bits(Value counter) {
  Value next = s.add(counter, integer(s, 1));
  return mix(s, s.add(s.mul(next, integer(s, kStep)), key));
}

Value Generator::uniform(Value counter, unsigned width) {
  Value high = arith::ShRUIOp::create(s.b, s.loc, bits(counter), integer(s, 64 - width));
  Value real = arith::SIToFPOp::create(s.b, s.loc, s.type, high);
  return s.mul(real, s.constant(s.type, 1.0 / static_cast<double>(uint64_t(1) << width)));
}

Value Generator::normal(Value counter) {
  unsigned width = cast<FloatType>(s.type).getFPMantissaWidth();
  Value first = s.mul(counter, integer(s, 2)), second = s.add(first, integer(s, 1)), one = s.constant(s.type, 1);
  Value radius = s.sqrt(s.mul(s.constant(s.type, -2), s.log(s.sub(one, uniform(first, width)))));
  Value angle = s.mul(s.constant(s.type, 2 * std::numbers::pi), uniform(second, width));
  return s.mul(radius, math::CosOp::create(s.b, s.loc, angle));
}

namespace {

// What the numbers of a node differ by: index values that are there where the node is lowered.
struct Key {
  uint64_t constant;
  SmallVector<Value> drawn; // the call's number, then iterations, from the inside out; empty: the constant alone

  static Key of(NodeContext &node) {
    if (node.hasAttribute("seed")) {
      mlir::emitWarning(node.emitter.loc) << node.op() << ": every call gives the same numbers, those of 'seed'";
      return {llvm::bit_cast<uint64_t>(node.getFloat("seed", 0)), {}};
    }
    OpBuilder &b = node.emitter.builder;
    Key key{llvm::xxh3_64bits(node.name()),
            {flow::DimensionOp::create(b, node.emitter.loc, b.getIndexType(), ::heddle::contract::kDrawnSymbol)}};
    for (Operation *op = b.getInsertionBlock()->getParentOp(); op; op = op->getParentOp()) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        key.drawn.push_back(loop.getInductionVar());
      else if (auto loop = dyn_cast<scf::WhileOp>(op)) // the importer's carry the iteration first
        key.drawn.push_back(loop.getAfterArguments().front());
    }
    return key;
  }

  // In a body.
  Value value(Scalar &s) const {
    Value key = integer(s, constant);
    for (Value number : drawn) {
      Value wide = arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), number);
      key = mix(s, s.add(key, s.mul(s.add(wide, integer(s, 1)), integer(s, kStep))));
    }
    return key;
  }
};

} // namespace

Tensor mlir::heddle::importer::randomTensor(NodeContext &node, ArrayRef<OpFoldResult> sizes, Type type,
                                            ArrayRef<Tensor *> operands,
                                            llvm::function_ref<Value(Generator &, Value, ValueRange)> element) {
  Emitter &emitter = node.emitter;
  Type computed = type.isF64() ? type : Type(emitter.builder.getF32Type());
  Key key = Key::of(node);
  SmallVector<Value> extents = llvm::map_to_vector(sizes, [&](OpFoldResult size) { return emitter.sizes.value(size); });
  return emitter.generate(sizes, type, operands, [&](OpBuilder &b, Location loc, ValueRange v) {
    Generator generator{{b, loc, computed}, {}};
    generator.key = key.value(generator.s);
    Value number = arith::ConstantIndexOp::create(b, loc, 0);
    for (auto [extent, loop] : llvm::zip(extents, v.drop_front(operands.size())))
      number = generator.s.add(generator.s.mul(number, extent), loop);
    Value counter = arith::IndexCastOp::create(b, loc, b.getI64Type(), number);
    Value made = element(generator, counter, v.take_front(operands.size()));
    return convert(generator.s, made, made.getType(), type);
  });
}
