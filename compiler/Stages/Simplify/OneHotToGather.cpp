// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Evaluation/Evaluator.h"
#include "compiler/Stages/Simplify/Contraction.h"
#include "compiler/Stages/Simplify/Passes.h"

#include "mlir/IR/Matchers.h"

#include <cstring>

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_ONEHOTTOGATHER
#include "compiler/Stages/Simplify/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// An elementwise op whose element is 1 where `index`, a value of its body that does not depend on the last loop, equals
// the last loop's index, else 0.
struct OneHot {
  linalg::GenericOp op;
  Value index;
};

} // namespace

static unsigned classLoop(linalg::GenericOp op) { return op.getNumLoops() - 1; }

// Whether the integers 0, 1, 2, … stand in the constant.
static bool isIota(Value value, SymbolTable &symbols) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() != 1 || !type.getElementType().isSignlessInteger() || type.getElementTypeBitWidth() < 8 ||
      !evaluation::isConstantExpression(value))
    return false;
  FailureOr<evaluation::Array> array = evaluation::evaluate(value, symbols);
  if (failed(array))
    return false;
  evaluation::Array dense = array->dense();
  unsigned width = evaluation::byteWidth(type.getElementType());
  for (int64_t i = 0; i < dense.count(); ++i) {
    int64_t element = 0;
    std::memcpy(&element, dense.origin + i * width, width); // little endian
    if (element != i || !llvm::isIntN(width * 8, i))
      return false;
  }
  return true;
}

// Whether a value of the body is the last loop's index.
static bool isClass(linalg::GenericOp op, Value value, SymbolTable &symbols) {
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  if (auto index = value.getDefiningOp<linalg::IndexOp>())
    return index.getDim() == classLoop(op);
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBody())
    return false;
  OpOperand &operand = op->getOpOperand(argument.getArgNumber());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return op.isDpsInput(&operand) && map.getNumResults() == 1 &&
         map.getResult(0) == getAffineDimExpr(classLoop(op), op.getContext()) && isIota(operand.get(), symbols);
}

// Whether a value of the body can be computed from operands that all loops but the last one walk along in order.
static bool isIndex(linalg::GenericOp op, Value value) {
  Operation *def = value.getDefiningOp();
  if (def && def->getBlock() != op.getBody())
    return matchPattern(value, m_Constant());
  if (def)
    return isPure(def) && def->getNumRegions() == 0 && !isa<linalg::IndexOp, tensor::ExtractOp>(def) &&
           llvm::all_of(def->getOperands(), [&](Value operand) { return isIndex(op, operand); });
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBody())
    return false;
  OpOperand &operand = op->getOpOperand(argument.getArgNumber());
  return op.isDpsInput(&operand) &&
         op.getMatchingIndexingMap(&operand) ==
             AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext()).dropResult(classLoop(op));
}

// The condition under which the body's result is 1, otherwise 0.
static Value oneIf(Value result) {
  Operation *def = result.getDefiningOp();
  if (auto conversion = dyn_cast_or_null<arith::UIToFPOp>(def))
    return conversion.getIn().getType().isInteger(1) ? conversion.getIn() : Value();
  auto choice = dyn_cast_or_null<arith::SelectOp>(def);
  if (choice && matchPattern(choice.getTrueValue(), m_OneFloat()) &&
      matchPattern(choice.getFalseValue(), m_AnyZeroFloat()))
    return choice.getCondition();
  return {};
}

static std::optional<OneHot> matchOneHot(Value value, SymbolTable &symbols) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumReductionLoops() != 0 || op.getNumDpsInits() != 1 || op.getNumLoops() < 2 ||
      !op.getIndexingMapsArray().back().isIdentity())
    return std::nullopt;
  Value condition = oneIf(op.getBody()->getTerminator()->getOperand(0));
  auto compare = condition ? condition.getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  if (!compare || compare->getBlock() != op.getBody() || compare.getPredicate() != arith::CmpIPredicate::eq)
    return std::nullopt;
  for (auto [index, number] : {std::pair(compare.getLhs(), compare.getRhs()), {compare.getRhs(), compare.getLhs()}})
    if (isClass(op, number, symbols) && isIndex(op, index))
      return OneHot{op, index};
  return std::nullopt;
}

//===--- Rewriting -----------------------------------------------------------------------------------------------===//

static Value cloneValue(OpBuilder &b, Block *body, Value value, IRMapping &mapping) {
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != body || mapping.contains(value))
    return mapping.lookupOrDefault(value);
  for (Value operand : def->getOperands())
    cloneValue(b, body, operand, mapping);
  return b.clone(*def, mapping)->getResult(cast<OpResult>(value).getResultNumber());
}

// The row of `table` at `index`, or zeros.
static Value readRow(OpBuilder &b, Location loc, Value index, Value table, Value column) {
  auto type = cast<RankedTensorType>(table.getType());
  if (!index.getType().isIndex())
    index = arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
  Value rows = arith::ConstantIndexOp::create(b, loc, type.getDimSize(0));
  Value first = arith::ConstantIndexOp::create(b, loc, 0);
  // Unsigned: a negative index is a very large one.
  Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, rows);
  Value row = arith::SelectOp::create(b, loc, inside, index, first);
  Value element = tensor::ExtractOp::create(b, loc, table, ValueRange{row, column});
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  return arith::SelectOp::create(b, loc, inside, element, zero);
}

static void rewrite(linalg::MatmulOp matmul, OneHot oneHot) {
  OpBuilder builder(matmul);
  Location loc = matmul.getLoc();
  Block *body = oneHot.op.getBody();
  SmallVector<Value> inputs;
  SmallVector<BlockArgument> elements; // of the one-hot op's body, one for each input
  ReassociationIndices rows = llvm::to_vector(llvm::seq<int64_t>(0, classLoop(oneHot.op)));
  for (OpOperand *input : oneHot.op.getDpsInputOperands()) {
    BlockArgument element = body->getArgument(input->getOperandNumber());
    if (!isIndex(oneHot.op, element))
      continue;
    Value value = input->get();
    if (rows.size() != 1)
      value = tensor::CollapseShapeOp::create(builder, loc, value, ArrayRef<ReassociationIndices>{rows});
    inputs.push_back(value);
    elements.push_back(element);
  }
  AffineMap identity = builder.getMultiDimIdentityMap(2);
  SmallVector<AffineMap> maps(inputs.size(), identity.dropResult(1));
  maps.push_back(identity);
  Value init = matmul.getDpsInits()[0].getDefiningOp<linalg::FillOp>().getOutputs()[0];
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
  auto gather =
      linalg::GenericOp::create(builder, loc, TypeRange{init.getType()}, inputs, ValueRange{init}, maps, iterators,
                                [&](OpBuilder &b, Location l, ValueRange arguments) {
                                  IRMapping mapping;
                                  for (auto [element, argument] : llvm::zip(elements, arguments))
                                    mapping.map(element, argument);
                                  Value index = cloneValue(b, body, oneHot.index, mapping);
                                  Value column = linalg::IndexOp::create(b, l, 1);
                                  linalg::YieldOp::create(b, l, readRow(b, l, index, matmul.getDpsInputs()[1], column));
                                });
  matmul->replaceAllUsesWith(gather->getResults());
  matmul.erase();
}

// The one-hot rows, also where all dimensions but the last one were made one.
static std::optional<OneHot> matchRows(Value value, SymbolTable &symbols) {
  auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
  std::optional<OneHot> oneHot = matchOneHot(collapse ? collapse.getSrc() : value, symbols);
  if (!oneHot || (collapse && collapse.getReassociationIndices()[1].size() != 1))
    return std::nullopt;
  return oneHot;
}

namespace {

struct OneHotToGather : mlir::heddle::impl::OneHotToGatherBase<OneHotToGather> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<linalg::MatmulOp> products;
    getOperation().walk([&](linalg::MatmulOp op) { products.push_back(op); });
    for (linalg::MatmulOp product : products) {
      bool isPlain = !product.hasUserDefinedMaps() && product.hasPureTensorSemantics() && isSumOfProducts(product);
      if (!isPlain || !evaluation::isConstantExpression(product.getDpsInputs()[1]))
        continue;
      std::optional<OneHot> oneHot = matchRows(product.getDpsInputs()[0], symbols);
      if (oneHot && evaluation::isBounded(product.getDpsInputs()[1], std::numeric_limits<double>::max(), symbols))
        rewrite(product, *oneHot);
    }
  }
};

} // namespace
