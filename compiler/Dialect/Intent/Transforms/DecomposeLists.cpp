// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Flow/IR/FlowRows.h"
#include "compiler/Dialect/Intent/Transforms/ListPlace.h"
#include "compiler/Dialect/Intent/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::intent;
using importer::SizeList;
using importer::Tensor;

namespace mlir::heddle {
#define GEN_PASS_DEF_DECOMPOSELISTS
#include "compiler/Dialect/Intent/Transforms/Passes.h.inc"
} // namespace mlir::heddle

ListPlace::ListPlace(Operation *op, const FormModel &forms)
    : emitter(op->getParentOfType<ModuleOp>(), op->getBlock(), forms), op(op), before(op->getPrevNode()) {
  emitter.builder.setInsertionPoint(op);
  emitter.loc = op->getLoc();
}

OpFoldResult ListPlace::sizeOf(Value index, bool isExtent) {
  importer::Sizes &sizes = emitter.sizes;
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return sizes.constant(*constant);
  Operation *made = index.getDefiningOp();
  auto part = [&](unsigned i) { return sizeOf(made->getOperand(i), /*isExtent=*/false); };
  if (isa_and_nonnull<arith::MulIOp>(made))
    return sizes.mul(part(0), part(1));
  if (isa_and_nonnull<arith::AddIOp>(made))
    return sizes.add(part(0), part(1));
  if (isa_and_nonnull<arith::SubIOp>(made))
    return sizes.sub(part(0), part(1));
  return sizes.atom(index, isExtent || isa_and_nonnull<flow::DimensionOp, tensor::DimOp>(made));
}

// The sizes of what a reshape is of, from those it gives; none where that is not known.
static std::optional<SizeList> sizesBefore(importer::Sizes &sizes, Operation *reshape, ArrayRef<OpFoldResult> given) {
  SizeList before;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape)) {
    ArrayRef<int64_t> shape = expand.getSrcType().getShape();
    for (auto [size, group] : llvm::zip_equal(shape, expand.getReassociationIndices()))
      before.push_back(ShapedType::isDynamic(size) ? sizes.product(given.slice(group.front(), group.size()))
                                                   : sizes.constant(size));
    return before;
  }
  auto collapse = cast<tensor::CollapseShapeOp>(reshape);
  ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
  if (given.empty())
    return std::nullopt;
  for (auto [size, group] : llvm::zip_equal(given, collapse.getReassociationIndices())) {
    int64_t known = 1, free = 0;
    for (int64_t d : group)
      ShapedType::isDynamic(shape[d]) ? ++free : known *= shape[d];
    if (free > 1 || known == 0)
      return std::nullopt;
    for (int64_t d : group)
      before.push_back(ShapedType::isDynamic(shape[d]) ? sizes.floorDiv(size, sizes.constant(known))
                                                       : sizes.constant(shape[d]));
  }
  return before;
}

void ListPlace::rememberViews(Value value, ArrayRef<OpFoldResult> sizes) {
  SizeList given(sizes);
  while (Operation *view = value.getDefiningOp()) {
    if (auto transpose = dyn_cast<linalg::TransposeOp>(view)) {
      SizeList before(given.size());
      for (auto [size, from] : llvm::zip_equal(given, transpose.getPermutation()))
        before[from] = size;
      given = before;
    } else if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(view)) {
      std::optional<SizeList> before = sizesBefore(emitter.sizes, view, given);
      if (!before)
        return;
      given = *before;
    } else {
      return;
    }
    value = view->getOperand(0);
    emitter.fromValue(value, given);
  }
}

Tensor ListPlace::tensorOf(Value value, ValueRange sizes, bool isUnsigned, bool views) {
  auto type = cast<RankedTensorType>(value.getType());
  SizeList known = mixedSizes(emitter.builder, emitter.loc, value, sizes);
  for (OpFoldResult &size : known)
    if (auto free = dyn_cast<Value>(size); free && !getConstantIntValue(size))
      size = sizeOf(free);
  Type element = type.getElementType();
  if (isUnsigned)
    element = emitter.builder.getIntegerType(element.getIntOrFloatBitWidth(), /*isSigned=*/false);
  if (views)
    rememberViews(value, known);
  return emitter.fromValue(value, known, element);
}

SizeList ListPlace::columnsOf(ArrayRef<OpFoldResult> sizes, int64_t dim) {
  return {emitter.sizes.product(sizes.take_front(dim)), sizes[dim], emitter.sizes.product(sizes.drop_front(dim + 1))};
}

void ListPlace::replace(MutableArrayRef<Tensor> results) {
  SmallVector<Value> values;
  for (auto [tensor, result] : llvm::zip_equal(results, op->getResults())) {
    Value value = emitter.value(tensor);
    if (value.getType() != result.getType())
      value = tensor::CastOp::create(emitter.builder, emitter.loc, result.getType(), value);
    values.push_back(value);
  }
  DictionaryAttr attributes = op->getDiscardableAttrDictionary();
  auto name = emitter.builder.getStringAttr(op->getName().stripDialect());
  auto mark = [&](Operation *made) {
    if (llvm::any_of(made->getResultTypes(), llvm::IsaPred<RankedTensorType>))
      for (NamedAttribute attribute : attributes)
        made->setAttr(attribute.getName(), attribute.getValue());
    if (isa<flow::RowsOp>(made))
      made->setAttr(kOfAttr, name);
    // Their bodies are of elements.
    return isa<flow::RowsOp, linalg::LinalgOp, tensor::PadOp>(made) ? WalkResult::skip() : WalkResult::advance();
  };
  Block::iterator begin = before ? std::next(before->getIterator()) : op->getBlock()->begin();
  for (Operation &made : llvm::make_range(begin, op->getIterator()))
    made.walk<WalkOrder::PreOrder>(mark);
  op->replaceAllUsesWith(values);
  op->erase();
}

bool intent::decomposeLists(ModuleOp module, const FormModel &forms, llvm::function_ref<bool(Operation *)> which) {
  SmallVector<Operation *> found;
  module.walk([&](Operation *op) {
    if (isa<SortOp, ScanOp, ScatterOp>(op) && (!which || which(op)))
      found.push_back(op);
  });
  for (Operation *op : found) {
    ListPlace place(op, forms);
    SmallVector<Tensor> results;
    if (auto sort = dyn_cast<SortOp>(op))
      results = emitSort(place, sort);
    else if (auto scan = dyn_cast<ScanOp>(op))
      results = emitScan(place, scan);
    else
      results = emitScatter(place, cast<ScatterOp>(op));
    place.replace(results);
  }
  return !found.empty();
}

namespace {

struct DecomposeLists : mlir::heddle::impl::DecomposeListsBase<DecomposeLists> {
  using DecomposeListsBase::DecomposeListsBase;
  explicit DecomposeLists(const FormModel &forms) : forms(forms) { shortRows = forms.shortRows; }

  void runOnOperation() override {
    FormModel chosen = forms;
    chosen.shortRows = shortRows;
    intent::decomposeLists(getOperation(), chosen);
  }

  FormModel forms;
};

} // namespace

std::unique_ptr<Pass> mlir::heddle::createDecomposeListsFor(const FormModel &forms) {
  return std::make_unique<DecomposeLists>(forms);
}
