// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowGlobals.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/State.h"
#include "compiler/Stages/Import/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_CONVERTGLOBALS
#include "compiler/Stages/Import/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// Makes the values of globals flow through one entry point: in by its arguments, out by its results.
class Threader {
public:
  Threader(func::FuncOp func, SymbolTable &symbols) : func(func), symbols(symbols) {}
  LogicalResult thread();

private:
  using Names = llvm::SetVector<StringAttr>;

  LogicalResult threadBlock(Block &block);
  LogicalResult threadOp(Operation &op);
  LogicalResult threadIf(scf::IfOp op, const Names &names);
  LogicalResult threadFor(scf::ForOp op, const Names &names);
  LogicalResult threadWhile(scf::WhileOp op, const Names &names);
  FailureOr<Names> storedIn(Operation &op);
  LogicalResult addArgument(StringAttr name);
  LogicalResult addResult(func::ReturnOp end, StringAttr name);

  func::FuncOp func;
  SymbolTable &symbols;
  llvm::DenseMap<StringAttr, Value> current;
};

struct ConvertGlobals : mlir::heddle::impl::ConvertGlobalsBase<ConvertGlobals> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<ml_program::GlobalOp> globals(getOperation().getOps<ml_program::GlobalOp>());
    if (globals.empty())
      return;
    for (ml_program::GlobalOp global : globals)
      if (failed(convert(global, symbols)))
        return signalPassFailure();
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal() && failed(Threader(func, symbols).thread()))
        return signalPassFailure();
  }

  // A mutable one becomes a flow.global of its name, any other a parameter.
  static LogicalResult convert(ml_program::GlobalOp global, SymbolTable &symbols) {
    auto type = dyn_cast<RankedTensorType>(global.getType());
    if (!type)
      return global.emitError() << "a global is a ranked tensor, got " << global.getType();
    auto value = dyn_cast_if_present<ElementsAttr>(global.getValueAttr());
    if (global.getValueAttr() && !value)
      return global.emitError() << "the initial value of a global stands in the module, got " << global.getValueAttr();
    OpBuilder builder(global);
    StringAttr name = global.getSymNameAttr(), visibility = builder.getStringAttr("private");
    Operation *made = nullptr;
    if (global.getIsMutable())
      made = flow::GlobalOp::create(builder, global.getLoc(), name, visibility, TypeAttr::get(type), value,
                                    /*sharding=*/flow::ShardingAttr());
    else
      made = flow::ParameterOp::create(builder, global.getLoc(), name, visibility, TypeAttr::get(type), value,
                                       /*scope=*/StringAttr());
    if (Attribute affinity = global->getAttr(kAffinityAttr))
      made->setAttr(kAffinityAttr, affinity);
    symbols.remove(global);
    global.erase();
    symbols.insert(made);
    return success();
  }
};

} // namespace

static StringAttr globalOf(Operation &op) {
  if (auto load = dyn_cast<ml_program::GlobalLoadOp>(op))
    return load.getGlobal().getRootReference();
  if (auto load = dyn_cast<ml_program::GlobalLoadConstOp>(op))
    return load.getGlobal().getRootReference();
  if (auto store = dyn_cast<ml_program::GlobalStoreOp>(op))
    return store.getGlobal().getRootReference();
  return {};
}

LogicalResult Threader::thread() {
  Names loaded, stored;
  WalkResult walked = func.walk([&](Operation *op) {
    StringAttr name = globalOf(*op);
    if (!name)
      return WalkResult::advance();
    Operation *global = symbols.lookup(name);
    bool isStore = isa<ml_program::GlobalStoreOp>(op);
    if (!isa_and_nonnull<flow::GlobalOp>(global) && (isStore || !isa_and_nonnull<flow::ParameterOp>(global))) {
      op->emitError() << (isStore ? "stores to" : "loads") << " @" << name.getValue()
                      << (global ? ", which is not mutable" : ", which is not a global of the module");
      return WalkResult::interrupt();
    }
    if (isa<flow::GlobalOp>(global))
      (isStore ? stored : loaded).insert(name);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  if (!func.getBody().hasOneBlock() && !(loaded.empty() && stored.empty()))
    return func.emitError() << "uses globals and has unstructured control flow; use scf";
  if (!func.isPublic() && !(loaded.empty() && stored.empty()))
    return func.emitError() << "uses globals and cannot be inlined into an entry point";
  for (const Names &names : {loaded, stored})
    for (StringAttr name : names)
      if (failed(addArgument(name)))
        return failure();
  if (failed(threadBlock(func.getBody().front())))
    return failure();
  auto end = dyn_cast<func::ReturnOp>(func.getBody().front().getTerminator());
  for (StringAttr name : stored)
    if (failed(addResult(end, name)))
      return failure();
  return success();
}

LogicalResult Threader::addArgument(StringAttr name) {
  if (current.contains(name))
    return success();
  Builder builder(func.getContext());
  auto type = cast<RankedTensorType>(cast<flow::GlobalOp>(symbols.lookup(name)).getType());
  SmallVector<Attribute> dims;
  for (int64_t d = 0; d < type.getRank(); ++d)
    dims.push_back(builder.getStringAttr(type.isDynamicDim(d) ? name.getValue() + "_d" + Twine(d) : Twine()));
  NamedAttribute attributes[] = {
      {kNameAttr, name}, {kDimsAttr, builder.getArrayAttr(dims)}, {kStateAttr, FlatSymbolRefAttr::get(name)}};
  unsigned index = func.getNumArguments();
  if (failed(func.insertArgument(index, type, builder.getDictionaryAttr(attributes), func.getLoc())))
    return failure();
  current[name] = func.getArgument(index);
  return success();
}

LogicalResult Threader::addResult(func::ReturnOp end, StringAttr name) {
  Builder builder(func.getContext());
  NamedAttribute attributes[] = {{kNameAttr, name}, {kStateAttr, FlatSymbolRefAttr::get(name)}};
  if (failed(func.insertResult(func.getNumResults(), current[name].getType(), builder.getDictionaryAttr(attributes))))
    return failure();
  end->insertOperands(end->getNumOperands(), current[name]);
  return success();
}

LogicalResult Threader::threadBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(threadOp(op)))
      return failure();
  return success();
}

LogicalResult Threader::threadOp(Operation &op) {
  if (StringAttr name = globalOf(op)) {
    if (auto store = dyn_cast<ml_program::GlobalStoreOp>(op)) {
      if (store.getValue().getType() != current[name].getType())
        return store.emitError() << "stores " << store.getValue().getType() << " to @" << name.getValue() << " of type "
                                 << current[name].getType();
      current[name] = store.getValue();
    } else {
      Value value = current.lookup(name);
      if (!value) {
        OpBuilder builder(&op);
        value = flow::ParameterLoadOp::create(builder, op.getLoc(), op.getResult(0).getType(),
                                              FlatSymbolRefAttr::get(name));
      }
      if (value.getType() != op.getResult(0).getType())
        return op.emitError() << "loads " << op.getResult(0).getType() << " from @" << name.getValue() << " of type "
                              << value.getType();
      op.getResult(0).replaceAllUsesWith(value);
    }
    op.erase();
    return success();
  }
  if (op.getNumRegions() == 0)
    return success();
  FailureOr<Names> stored = storedIn(op);
  if (failed(stored))
    return failure();
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && !stored->empty())
    return threadIf(branch, *stored);
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && !stored->empty())
    return threadFor(loop, *stored);
  if (auto loop = dyn_cast<scf::WhileOp>(op); loop && !stored->empty())
    return threadWhile(loop, *stored);
  // What is only loaded has one value in all of the op.
  for (Region &region : op.getRegions())
    for (Block &block : region)
      if (failed(threadBlock(block)))
        return failure();
  return success();
}

FailureOr<Threader::Names> Threader::storedIn(Operation &op) {
  Names names;
  WalkResult walked = op.walk([&](ml_program::GlobalStoreOp store) {
    for (Operation *parent = store->getParentOp(); parent != op.getParentOp(); parent = parent->getParentOp())
      if (!isa<scf::IfOp, scf::ForOp, scf::WhileOp>(parent)) {
        store.emitError() << "a global is stored in scf.if, scf.for, scf.while or at the function's top, got "
                          << parent->getName();
        return WalkResult::interrupt();
      }
    names.insert(store.getGlobal().getRootReference());
    return WalkResult::advance();
  });
  return walked.wasInterrupted() ? FailureOr<Names>() : names;
}

// Each stored global is one more result.
LogicalResult Threader::threadIf(scf::IfOp op, const Names &names) {
  IRRewriter rewriter(op);
  SmallVector<Type> types(op.getResultTypes());
  for (StringAttr name : names)
    types.push_back(current[name].getType());
  auto branch = scf::IfOp::create(rewriter, op.getLoc(), types, op.getCondition(), /*withElseRegion=*/true);
  llvm::DenseMap<StringAttr, Value> before = current;
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), branch->getRegions())) {
    if (!from.empty()) {
      to.takeBody(from);
    } else {
      OpBuilder end = OpBuilder::atBlockEnd(&to.front());
      scf::YieldOp::create(end, op.getLoc());
    }
    current = before;
    if (failed(threadBlock(to.front())))
      return failure();
    Operation *yield = to.front().getTerminator();
    for (StringAttr name : names)
      yield->insertOperands(yield->getNumOperands(), current[name]);
  }
  current = before;
  for (auto [name, result] : llvm::zip_equal(names, branch.getResults().drop_front(op.getNumResults())))
    current[name] = result;
  rewriter.replaceOp(op, branch.getResults().take_front(op.getNumResults()));
  return success();
}

// Each stored global is one more carried value.
LogicalResult Threader::threadFor(scf::ForOp op, const Names &names) {
  IRRewriter rewriter(op);
  SmallVector<Value> inits;
  for (StringAttr name : names)
    inits.push_back(current[name]);
  unsigned carried = op.getNumResults();
  auto yields = [&](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
    SmallVector<Value> values;
    llvm::append_range(values, arguments);
    return values;
  };
  FailureOr<LoopLikeOpInterface> loop =
      op.replaceWithAdditionalYields(rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, yields);
  if (failed(loop))
    return failure();
  auto made = cast<scf::ForOp>(loop->getOperation());
  for (auto [name, argument] : llvm::zip_equal(names, made.getRegionIterArgs().drop_front(carried)))
    current[name] = argument;
  LogicalResult threaded = threadBlock(*made.getBody());
  for (auto [i, name] : llvm::enumerate(names)) {
    made.getBody()->getTerminator()->setOperand(carried + i, current[name]);
    current[name] = made.getResult(carried + i);
  }
  return threaded;
}

// Each stored global is one more value that goes around: to the condition, on to the body, out with the results.
LogicalResult Threader::threadWhile(scf::WhileOp op, const Names &names) {
  IRRewriter rewriter(op);
  SmallVector<Value> inits(op.getInits());
  SmallVector<Type> types(op.getResultTypes());
  for (StringAttr name : names) {
    inits.push_back(current[name]);
    types.push_back(current[name].getType());
  }
  auto loop = scf::WhileOp::create(rewriter, op.getLoc(), types, inits);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), loop->getRegions())) {
    to.takeBody(from);
    for (StringAttr name : names)
      current[name] = to.front().addArgument(current[name].getType(), op.getLoc());
    if (failed(threadBlock(to.front())))
      return failure();
    Operation *end = to.front().getTerminator();
    for (StringAttr name : names)
      end->insertOperands(end->getNumOperands(), current[name]);
  }
  for (auto [name, result] : llvm::zip_equal(names, loop.getResults().drop_front(op.getNumResults())))
    current[name] = result;
  rewriter.replaceOp(op, loop.getResults().take_front(op.getNumResults()));
  return success();
}
