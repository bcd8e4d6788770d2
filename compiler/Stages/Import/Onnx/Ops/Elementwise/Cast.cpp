// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cast and its kin: conversions of element types.
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "onnx-ml.pb.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

static FailureOr<CastRules> readRules(NodeContext &node) {
  CastRules rules;
  rules.saturate = node.getInt("saturate", 1) != 0;
  std::string mode = node.getString("round_mode", "up");
  if (mode != "up" && mode != "down" && mode != "nearest")
    return node.refuse("round_mode must be 'up', 'down' or 'nearest', got '" + mode + "'");
  rules.scale = mode == "up" ? CastRules::Up : mode == "down" ? CastRules::Down : CastRules::Nearest;
  return rules;
}

// A constant table of bytes as floats: whoever reads it decides whether it reads the bytes.
static std::optional<Tensor> castTable(NodeContext &node, Tensor &operand, Type to) {
  if (!operand.data || !to.isF32() || operand.data->size() < node.emitter.forms.narrowTableBytes ||
      operand.elementType.isInteger(1) || storageType(operand.elementType).getIntOrFloatBitWidth() != 8)
    return std::nullopt;
  Quantization table{operand, makeScalar(node.emitter, to, 1), std::nullopt, std::nullopt};
  table.forBandwidth = false;
  return node.emitter.fromQuantization(std::move(table));
}

static LogicalResult castTo(NodeContext &node, Type to) {
  FailureOr<CastRules> rules = readRules(node);
  if (failed(rules))
    return failure();
  Tensor &operand = *node.input(0);
  if (operand.elementType == to) {
    node.setOutput(0, operand);
    return success();
  }
  if (operand.contents && to.isInteger(1)) {
    Sizes &sizes = node.emitter.sizes;
    SizeList holds = llvm::map_to_vector(*operand.contents, [&](OpFoldResult element) {
      return sizes.sub(sizes.constant(1), sizes.isEqual(element, sizes.constant(0)));
    });
    node.setOutput(0, node.emitter.fromContents(to, operand.sizes, std::move(holds)));
    return success();
  }
  if (operand.contents && isa<IntegerType>(to)) {
    Emitter &emitter = node.emitter;
    bool wraps = to.isSignlessInteger(32) || to.isSignlessInteger(64);
    auto fits = [&](OpFoldResult element) {
      Sizes::Range all = Sizes::rangeOf(to), range = emitter.sizes.range(element);
      return all.least <= range.least && range.most <= all.most && (!to.isUnsignedInteger(64) || range.least >= 0);
    };
    if (wraps || llvm::all_of(*operand.contents, fits)) {
      SizeList elements =
          llvm::map_to_vector(*operand.contents, [&](OpFoldResult element) { return emitter.narrow(element, to); });
      node.setOutput(0, emitter.fromContents(to, operand.sizes, std::move(elements)));
      return success();
    }
  }
  if (std::optional<Tensor> table = castTable(node, operand, to)) {
    node.setOutput(0, *table);
    return success();
  }
  return lowerElementwise(node, {&operand}, to, [&](OpBuilder &b, Location loc, ValueRange v) {
    return convert({b, loc}, v[0], operand.elementType, to, *rules);
  });
}

static LogicalResult lowerCast(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  int64_t code = node.getInt("to", 0);
  Type to = getElementType(node.emitter.builder.getContext(), code);
  if (!to)
    return node.unsupported("casts to " + getDataTypeName(code) + " are not supported");
  return castTo(node, to);
}

static LogicalResult lowerCastLike(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  return castTo(node, node.input(1)->elementType);
}

// The same bits as another type of as many.
static LogicalResult lowerBitCast(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  int64_t code = node.getInt("to", 0);
  Type from = node.input(0)->elementType, to = getElementType(node.emitter.builder.getContext(), code);
  auto isPart = [](Type type) { return type.getIntOrFloatBitWidth() < 8 && !type.isInteger(1); };
  if (!to || storageBytes(from) != storageBytes(to) || (from != to && (to.isInteger(1) || isPart(to) || isPart(from))))
    return node.unsupported("a bit cast to " + getDataTypeName(code) + " is not supported from this type");
  return lowerElementwise(node, {node.input(0)}, to, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Type stored = storageType(to);
    if (v[0].getType() == stored)
      return v[0];
    return from.isInteger(1) ? Value(arith::ExtUIOp::create(b, loc, stored, v[0]))
                             : Value(arith::BitcastOp::create(b, loc, stored, v[0]));
  });
}

void mlir::heddle::importer::registerCast(LoweringTable &table) {
  table.add("Cast", 6, lowerCast);
  table.add("CastLike", 15, lowerCastLike);
  table.add("BitCast", 26, lowerBitCast);
}
