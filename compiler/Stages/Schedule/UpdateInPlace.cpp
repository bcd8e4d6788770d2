// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Device/IR/DeviceQuery.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Flow/IR/Overwrites.h"
#include "compiler/Dialect/Host/Analysis/Accesses.h"
#include "compiler/Dialect/Host/IR/ElementTypes.h"
#include "compiler/Stages/Schedule/Passes.h"
#include "compiler/Target/TargetRegistry.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_UPDATEINPLACE
#include "compiler/Stages/Schedule/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// What the targets of an executable promise, asked once.
class Promises {
public:
  explicit Promises(ModuleOp module) : devices(module), symbols(module) {}

  flow::ExecutableOp find(FlatSymbolRefAttr name) const { return symbols.lookup<flow::ExecutableOp>(name.getAttr()); }

  // Pairs that hold on all targets of the executable.
  ArrayRef<flow::Overwrite> of(flow::ExecutableOp executable) {
    auto [entry, isNew] = known.try_emplace(executable);
    if (isNew)
      entry->second = ask(executable);
    return entry->second;
  }

private:
  SmallVector<flow::Overwrite> ask(flow::ExecutableOp executable) const {
    func::FuncOp function = executable.getFunction();
    SmallVector<device::ExecutableAttr> targets(devices.getAllTargets());
    if (ArrayAttr own = executable.getTargetsAttr())
      targets = llvm::to_vector(own.getAsRange<device::ExecutableAttr>());
    if (!function || function.isExternal() || targets.empty())
      return {};
    std::optional<SmallVector<flow::Overwrite>> pairs;
    for (device::ExecutableAttr executableTarget : targets) {
      const Target *target = findTarget(executableTarget.getFormat().getValue());
      SmallVector<flow::Overwrite> more;
      if (target)
        more = target->findOverwrites(function, executableTarget);
      if (pairs)
        llvm::erase_if(*pairs, [&](const flow::Overwrite &pair) { return !llvm::is_contained(more, pair); });
      else
        pairs = std::move(more);
      if (pairs->empty())
        break;
    }
    return *pairs;
  }

  device::DeviceQuery devices;
  SymbolTable symbols;
  std::map<Operation *, SmallVector<flow::Overwrite>> known;
};

class InPlace {
public:
  InPlace(host::FuncOp func, Promises &promises) : func(func), promises(promises) {}

  void run() {
    SmallVector<host::DispatchOp> dispatches;
    func.walk([&](host::DispatchOp dispatch) { dispatches.push_back(dispatch); });
    for (host::DispatchOp dispatch : dispatches)
      for (unsigned result = 0; result < dispatch.getBindings().size(); ++result)
        if (dispatch.writes(result) && !dispatch.reads(result))
          update(dispatch, result);
    SmallVector<host::CollectiveOp> collectives;
    func.walk([&](host::CollectiveOp collective) { collectives.push_back(collective); });
    for (host::CollectiveOp collective : collectives)
      update(collective);
    for (host::CollectiveOp collective : collectives)
      leaveLoops(collective.getTarget());
  }

private:
  // Gives the result the memory of the first operand that allows it.
  void update(host::DispatchOp dispatch, unsigned result) {
    Value made = dispatch.getBindings()[result];
    if (!isMadeHere(made, dispatch))
      return;
    for (unsigned operand = 0; operand < dispatch.getBindings().size(); ++operand) {
      Value read = dispatch.getBindings()[operand];
      if (read == made || !dispatch.reads(operand) || dispatch.writes(operand) || !canHold(read, made, dispatch) ||
          !isPromised(dispatch, {operand, result}))
        continue;
      made.replaceAllUsesWith(read);
      return made.getDefiningOp()->erase();
    }
  }

  // Whether the op is the first to touch the buffer, and names it once.
  static bool isMadeHere(Value made, Operation *op) {
    Operation *def = made.getDefiningOp();
    Block *block = op->getBlock();
    if (!isa_and_nonnull<host::AllocOp, host::ResultOp>(def) || def->getBlock() != block ||
        llvm::count(op->getOperands(), made) != 1)
      return false;
    return llvm::all_of(made.getUsers(),
                        [&](Operation *user) { return !block->findAncestorOpInBlock(*user)->isBeforeInBlock(op); });
  }

  // What is read elsewhere stays as it is: the collective would wait for that. The caller's storage is then where the
  // source is computed.
  void update(host::CollectiveOp op) {
    auto source = op.getSource().getDefiningOp<host::AllocOp>();
    Operation *made = op.getTarget().getDefiningOp();
    if (op.isInPlace() || !op.isOfOneSize() || !source || source->getBlock() != op->getBlock() ||
        !isMadeHere(op.getTarget(), op) || !isWrittenOnly(source.getResult(), op) ||
        host::Polynomial::of(source.getSize()) != host::Polynomial::of(sizeOf(made)) ||
        source.getDevice() != made->getAttrOfType<FlatSymbolRefAttr>("device").getValue())
      return;
    if (isa<host::AllocOp>(made)) {
      op.getTarget().replaceAllUsesWith(source);
      return made->erase();
    }
    if (isKept(cast<host::ResultOp>(made)))
      return;
    made->moveBefore(source);
    made->setOperand(0, source.getSize());
    source.getResult().replaceAllUsesWith(made->getResult(0));
    source->erase();
  }

  // What a loop allocates is freed on one stream and written on another, so that iterations would need an order that
  // only memory of all of them has. What a loop carries or a branch gives has a life that goes on behind them.
  static void leaveLoops(Value buffer) {
    auto alloc = buffer.getDefiningOp<host::AllocOp>();
    if (llvm::any_of(buffer.getUsers(), [](Operation *user) { return user->hasTrait<OpTrait::IsTerminator>(); }))
      return;
    Operation *outermost = nullptr;
    for (Operation *parent = alloc ? alloc->getParentOp() : nullptr; parent && !isa<host::FuncOp>(parent);
         parent = parent->getParentOp())
      if (isa<scf::ForOp, scf::WhileOp>(parent))
        outermost = parent;
    if (outermost && !outermost->isAncestor(alloc.getSize().getParentBlock()->getParentOp()))
      alloc->moveBefore(outermost);
  }

  static Value sizeOf(Operation *made) { return made->getOperand(0); }

  // Whether the result's memory may be that of an argument, which something may still read.
  bool isKept(host::ResultOp result) {
    auto isHome = [&](host::ValueAttr argument) {
      return argument.getDonated() && argument.getDonated().getInt() == static_cast<int64_t>(result.getIndex());
    };
    return cast<host::ValueAttr>(func.getResultsAttr()[result.getIndex()]).getState() ||
           llvm::any_of(func.getArgumentsAttr().getAsRange<host::ValueAttr>(), isHome);
  }

  // Whether nothing but the op reads the buffer, which is written ahead of it.
  static bool isWrittenOnly(Value buffer, host::CollectiveOp op) {
    return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
      if (user == op)
        return true;
      Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
      SmallVector<host::Access> accesses = host::accessesOf(user);
      return here && here->isBeforeInBlock(op) && !accesses.empty() &&
             llvm::all_of(accesses, [&](const host::Access &access) {
               return access.buffer != buffer || (access.writes && !access.reads && !access.ends);
             });
    });
  }

  bool canHold(Value read, Value made, host::DispatchOp dispatch) {
    if (llvm::count(dispatch.getBindings(), read) != 1 || !diesAt(read, dispatch))
      return false;
    auto allocation = read.getDefiningOp<host::AllocOp>();
    if (auto result = made.getDefiningOp<host::ResultOp>())
      return isDonated(read, result);
    auto target = made.getDefiningOp<host::AllocOp>();
    return allocation && allocation->getBlock() == dispatch->getBlock() &&
           allocation.getDeviceAttr() == target.getDeviceAttr() &&
           host::Polynomial::of(allocation.getSize()) == host::Polynomial::of(target.getSize());
  }

  // Whether the dispatch is the last to use the buffer, of which no other op than it may be a part, and all before it
  // are of its stream: then nothing waits that did not before.
  static bool diesAt(Value buffer, host::DispatchOp dispatch) {
    return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
      if (auto view = dyn_cast<host::ViewOp>(user))
        return diesAt(view.getResult(), dispatch) && llvm::count(dispatch.getBindings(), view.getResult()) == 0;
      if (user == dispatch)
        return true;
      Operation *here = dispatch->getBlock()->findAncestorOpInBlock(*user);
      auto row = dyn_cast<host::HostOpInterface>(user);
      return here && here->isBeforeInBlock(dispatch) && row && !row.getAccesses().empty() && !isa<host::FreeOp>(user) &&
             row.getQueue() == dispatch.getStream();
    });
  }

  // The result's own memory. State is computed anew: a call that fails keeps it.
  bool isDonated(Value read, host::ResultOp result) {
    host::ValueAttr argument = func.describe(read);
    auto home = argument ? argument.getDonated() : IntegerAttr();
    if (!home || home.getInt() != result.getIndex())
      return false;
    device::GlobalOp byDefault = device::getDefaultDevice(func->getParentOfType<ModuleOp>());
    StringRef device = argument.getDevice() ? argument.getDevice().getValue()
                       : byDefault          ? byDefault.getSymName()
                                            : StringRef();
    return device == result.getDevice() && bytesOf(argument) == host::Polynomial::of(result.getSize());
  }

  host::Polynomial bytesOf(host::ValueAttr argument) {
    RankedTensorType type = argument.getType();
    host::Polynomial bytes(::heddle::contract::byteSize(host::getElementType(type.getElementType())));
    auto symbols = func.getSymbolsAttr().getAsRange<StringAttr>();
    for (auto [size, name] : llvm::zip_equal(type.getShape(), argument.getDims().getAsRange<StringAttr>())) {
      auto symbol = llvm::find(symbols, name);
      bytes = bytes * (ShapedType::isDynamic(size)
                           ? host::Polynomial::of(func.getSymbol(std::distance(symbols.begin(), symbol)))
                           : host::Polynomial(size));
    }
    return bytes;
  }

  bool isPromised(host::DispatchOp dispatch, flow::Overwrite pair) {
    flow::ExecutableOp executable = promises.find(dispatch.getExecutableAttr());
    if (!executable || !llvm::is_contained(promises.of(executable), pair))
      return false;
    flow::addOverwrite(executable, pair);
    return true;
  }

  host::FuncOp func;
  Promises &promises;
};

struct UpdateInPlace : mlir::heddle::impl::UpdateInPlaceBase<UpdateInPlace> {
  void runOnOperation() override {
    Promises promises(getOperation());
    for (auto func : getOperation().getOps<host::FuncOp>())
      InPlace(func, promises).run();
  }
};

} // namespace
