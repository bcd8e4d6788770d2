// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Splitter.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

bool mlir::heddle::hlo::isComplex(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto element = tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
  return element && (element.getElementType().isF32() || element.getElementType().isF64());
}

static bool hasComplex(Operation *op) {
  auto found = [](TypeRange types) { return llvm::any_of(types, isComplex); };
  return op
      ->walk([&](Operation *inner) {
        bool has = found(inner->getOperandTypes()) || found(inner->getResultTypes());
        for (Region &region : inner->getRegions())
          for (Block &block : region)
            has |= found(block.getArgumentTypes());
        return has ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

//===--- The program ---------------------------------------------------------------------------------------------===//

void Splitter::refuse(Operation *op, const Twine &reason) {
  refused = true;
  op->emitError() << "op " << op->getName() << ": " << reason;
}

SmallVector<Value> Splitter::partsOf(ValueRange list) {
  SmallVector<Value> all;
  for (Value value : list) {
    Parts parts = values.lookup(value);
    all.push_back(parts.real);
    if (parts.isComplex())
      all.push_back(parts.imaginary);
  }
  return all;
}

void Splitter::setAll(Operation *op, ValueRange results) {
  unsigned next = 0;
  for (Value result : op->getResults()) {
    Parts parts{results[next++], {}};
    if (isComplex(result.getType()))
      parts.imaginary = results[next++];
    set(result, parts);
  }
}

// With the attributes of `like` and as many regions, which are empty.
Operation *Splitter::create(Operation *like, ValueRange operands, TypeRange results) {
  OperationState state(like->getLoc(), like->getName());
  state.addOperands(operands);
  state.addTypes(results);
  state.attributes = like->getDiscardableAttrDictionary();
  state.propertiesAttr = like->getPropertiesAsAttribute();
  for (unsigned i = 0; i < like->getNumRegions(); ++i)
    state.addRegion();
  return b.create(state);
}

// Arguments of the region's block in `order`, each split.
void Splitter::splitRegion(Region &from, Region &to, ArrayRef<BlockArgument> order) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types;
  for (BlockArgument argument : order)
    types.push_back(argument.getType());
  SmallVector<Type> all = splitTypes(types);
  Block *block = b.createBlock(&to, {}, all, SmallVector<Location>(all.size(), from.getLoc()));
  unsigned next = 0;
  for (BlockArgument argument : order) {
    Parts parts{block->getArgument(next++), {}};
    if (isComplex(argument.getType()))
      parts.imaginary = block->getArgument(next++);
    set(argument, parts);
  }
  splitBlock(from.front());
}

void Splitter::splitBlock(Block &from) {
  for (Operation &op : from)
    split(&op);
}

void Splitter::split(Operation *op) {
  auto isMissing = [&](Value operand) { return !values.lookup(operand).real; };
  if (llvm::any_of(op->getOperands(), isMissing))
    return; // what makes it was refused
  if (!hasComplex(op)) {
    Operation *copy = b.clone(*op, reals);
    for (auto [result, made] : llvm::zip_equal(op->getResults(), copy->getResults()))
      values[result] = {made, {}};
    return;
  }
  StringRef name = op->getName().getStringRef();
  if (Rule rule = findRule(name))
    (this->*rule)(op);
  else if (const ComplexRule *arithmetic = findComplexRule(name))
    splitArithmetic(op, *arithmetic);
  else
    refuse(op, "complex numbers are not supported here");
}

//===--- Structure -----------------------------------------------------------------------------------------------===//

void Splitter::splitReturn(Operation *op) {
  SmallVector<Value> operands = partsOf(op->getOperands());
  RealOps r{b, op->getLoc()};
  if (isPublic && isa<func::ReturnOp>(op)) {
    operands.clear();
    for (Value operand : op->getOperands()) {
      Parts parts = values.lookup(operand);
      operands.push_back(parts.isComplex() ? joinParts(r, parts) : parts.real);
    }
  }
  create(op, operands, {});
}

// A public function takes and gives joined parts.
void Splitter::splitCall(Operation *op) {
  StringRef attribute = isa<func::CallOp>(op) ? "callee" : "decomposition";
  auto name = op->getAttrOfType<FlatSymbolRefAttr>(attribute);
  auto callee = name ? symbols.lookup<func::FuncOp>(name.getValue()) : func::FuncOp();
  if (!callee || !callee.isPublic())
    return setAll(op, create(op, partsOf(op->getOperands()), splitTypes(op->getResultTypes()))->getResults());
  RealOps r{b, op->getLoc()};
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Parts parts = values.lookup(operand);
    operands.push_back(parts.isComplex() ? joinParts(r, parts) : parts.real);
  }
  SmallVector<Type> types = llvm::map_to_vector(op->getResultTypes(), joinedType);
  Operation *call = create(op, operands, types);
  for (auto [result, made] : llvm::zip_equal(op->getResults(), call->getResults()))
    set(result, isComplex(result.getType()) ? cutParts(r, made, partType(result.getType())) : Parts{made, {}});
}

// while, case, if, and ops that pass all operands on: everything is there twice.
void Splitter::splitRegions(Operation *op) {
  Operation *made = create(op, partsOf(op->getOperands()), splitTypes(op->getResultTypes()));
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), made->getRegions())) {
    if (!from.hasOneBlock())
      return refuse(op, "needs regions of one block");
    splitRegion(from, to, from.getArguments());
  }
  setAll(op, made->getResults());
}

// The comparator's arguments are two for each operand.
void Splitter::splitSort(Operation *op) {
  unsigned count = op->getNumOperands();
  if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock() || op->getRegion(0).getNumArguments() != 2 * count ||
      TypeRange(op->getOperandTypes()) != TypeRange(op->getResultTypes()))
    return refuse(op, "needs as many results as operands, and a region with two arguments for each");
  Region &from = op->getRegion(0);
  Operation *made = create(op, partsOf(op->getOperands()), splitTypes(op->getResultTypes()));
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&made->getRegion(0));
  for (unsigned i = 0; i < count; ++i) {
    BlockArgument left = from.getArgument(2 * i), right = from.getArgument(2 * i + 1);
    if (left.getType() != right.getType())
      return refuse(op, "the region compares different types");
    Parts first, second;
    for (Type type : splitTypes(left.getType())) {
      (first.real ? first.imaginary : first.real) = block->addArgument(type, left.getLoc());
      (second.real ? second.imaginary : second.real) = block->addArgument(type, right.getLoc());
    }
    set(left, first);
    set(right, second);
  }
  splitBlock(from.front());
  setAll(op, made->getResults());
}

//===--- Functions -----------------------------------------------------------------------------------------------===//

func::FuncOp Splitter::splitFunction(func::FuncOp from) {
  isPublic = from.isPublic();
  auto typesOf = [&](TypeRange types) { return isPublic ? llvm::map_to_vector(types, joinedType) : splitTypes(types); };
  SmallVector<Type> arguments = typesOf(from.getArgumentTypes()), results = typesOf(from.getResultTypes());
  b.setInsertionPoint(from);
  auto made = func::FuncOp::create(b, from.getLoc(), from.getName(), b.getFunctionType(arguments, results));
  made.setVisibility(from.getVisibility());
  made->setDiscardableAttrs(from->getDiscardableAttrDictionary());
  if (isPublic) {
    if (ArrayAttr all = from.getAllArgAttrs())
      made.setAllArgAttrs(all);
    if (ArrayAttr all = from.getAllResultAttrs())
      made.setAllResultAttrs(all);
  }
  if (from.isExternal())
    return made;
  if (!from.getBody().hasOneBlock()) {
    refuse(from, "a function of a StableHLO program has one block");
    return made;
  }
  if (!isPublic) {
    splitRegion(from.getBody(), made.getBody(), from.getArguments());
    return made;
  }
  b.setInsertionPointToEnd(made.addEntryBlock());
  RealOps r{b, from.getLoc()};
  for (auto [argument, given] : llvm::zip_equal(from.getArguments(), made.getArguments())) {
    given.setLoc(argument.getLoc()); // which has its name
    set(argument, isComplex(argument.getType()) ? cutParts(r, given, partType(argument.getType())) : Parts{given, {}});
  }
  splitBlock(from.getBody().front());
  return made;
}

LogicalResult Splitter::run() {
  SmallVector<func::FuncOp> old = llvm::to_vector(module.getOps<func::FuncOp>()), made;
  for (func::FuncOp function : old)
    made.push_back(splitFunction(function));
  for (func::FuncOp function : llvm::reverse(refused ? made : old)) {
    function.walk([](Operation *op) { op->dropAllUses(); });
    function.erase();
  }
  return failure(refused);
}

LogicalResult mlir::heddle::hlo::splitComplex(ModuleOp module) {
  return hasComplex(module) ? Splitter(module).run() : success();
}
