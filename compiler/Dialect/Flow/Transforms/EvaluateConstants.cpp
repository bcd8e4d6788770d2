// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/IndexChecks.h"
#include "compiler/Dialect/Flow/Transforms/Passes.h"
#include "compiler/Evaluation/Evaluator.h"
#include "compiler/Evaluation/FilePages.h"

#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::heddle;
using evaluation::Array;

namespace mlir::heddle {
#define GEN_PASS_DEF_EVALUATECONSTANTS
#include "compiler/Dialect/Flow/Transforms/Passes.h.inc"
} // namespace mlir::heddle

// A result may be this many times as large as what it is computed from: 8-bit weights become f32.
static constexpr int64_t kMaximumGrowth = 4;
// Results of up to this many bytes may come from anything.
static constexpr int64_t kSmall = 4096;

static int64_t bytesOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getNumElements() * evaluation::byteWidth(type.getElementType()) : 0;
}

namespace {

// What to compute, decided without looking at any element.
class Plan {
public:
  Plan(ModuleOp module, int64_t maxWork) : workLeft(maxWork) {
    for (auto func : module.getOps<func::FuncOp>())
      func.walk<WalkOrder::PreOrder>([&](Operation *op) {
        add(op);
        // Bodies belong to their op.
        return isa<linalg::LinalgOp, tensor::PadOp, tensor::GenerateOp>(op) ? WalkResult::skip()
                                                                            : WalkResult::advance();
      });
    for (Operation *op : llvm::reverse(ops))
      decide(op);
  }

  // The ops to compute, operands first.
  SmallVector<Operation *> computed() const {
    SmallVector<Operation *> list;
    for (Operation *op : ops)
      if (computedOps.contains(op))
        list.push_back(op);
    return list;
  }
  // Whether the value is computed from nothing but scalars and splats.
  bool hasNoData(Value result) const { return known.lookup(result) == 0; }
  // Results that become constants.
  ArrayRef<Value> results() const { return replaced; }
  ArrayRef<Value> inputs(Operation *op) const { return inputsOf.find(op)->second; }

private:
  void add(Operation *op) {
    if (evaluation::isSource(op)) {
      Attribute value;
      bool isSplat =
          isa<tensor::EmptyOp>(op) || (matchPattern(op, m_Constant(&value)) && isa<SplatElementsAttr>(value));
      known[op->getResult(0)] = isSplat ? 0 : bytesOf(op->getResult(0));
      return;
    }
    if (!evaluation::isComputable(op))
      return;
    SmallVector<Value> inputs = evaluation::getInputs(op);
    int64_t bytes = 0;
    for (Value input : inputs) {
      auto it = known.find(input);
      if (it == known.end())
        return;
      bytes += it->second;
    }
    int64_t work = evaluation::workOf(op);
    if (work > workLeft)
      return;
    workLeft -= work;
    for (Value result : op->getResults())
      known[result] = bytes;
    ops.push_back(op);
    inputsOf[op] = std::move(inputs);
  }

  bool isAcceptable(Value result) const {
    // A fill is already the best form of its value.
    if (isa<linalg::FillOp, tensor::SplatOp>(result.getDefiningOp()))
      return false;
    int64_t bytes = bytesOf(result);
    return bytes <= kSmall || hasNoData(result) || bytes / kMaximumGrowth <= known.lookup(result);
  }

  // Whether something that stays in the program reads the value.
  bool isWanted(Value result) const {
    return llvm::any_of(result.getUsers(), [&](Operation *user) {
      while (user && !inputsOf.contains(user) && !isa<func::FuncOp>(user))
        user = user->getParentOp();
      return !user || isa<func::FuncOp>(user) || staying.contains(user);
    });
  }

  void decide(Operation *op) {
    bool isNeeded = false, stays = false;
    for (Value result : op->getResults()) {
      isNeeded |= needed.contains(result);
      if (!isWanted(result))
        continue;
      if (isAcceptable(result)) {
        replaced.push_back(result);
        isNeeded = true;
      } else {
        stays = true;
      }
    }
    if (stays)
      staying.insert(op);
    if (!isNeeded)
      return;
    computedOps.insert(op);
    for (Value input : inputsOf[op])
      needed.insert(input);
  }

  int64_t workLeft;
  DenseMap<Value, int64_t> known; // to the bytes of the parameters it is computed from
  SmallVector<Operation *> ops;   // computable ones on known values, in program order
  DenseMap<Operation *, SmallVector<Value>> inputsOf;
  DenseSet<Operation *> staying, computedOps;
  DenseSet<Value> needed;
  SmallVector<Value> replaced;
};

// The elements of values between the first and the last op that reads them.
class Memory {
public:
  Memory(const Plan &plan, SymbolTable &symbols) : symbols(symbols) {
    for (Operation *op : plan.computed())
      for (Value input : plan.inputs(op))
        ++readers[input];
    for (Value result : plan.results())
      ++readers[result];
  }

  FailureOr<Array> read(Value value) {
    if (Operation *op = value.getDefiningOp(); op && evaluation::isSource(op))
      return evaluation::readSource(op, symbols);
    auto it = arrays.find(value);
    return it == arrays.end() ? FailureOr<Array>() : it->second;
  }
  void release(Value value) {
    if (--readers[value] == 0)
      arrays.erase(value);
  }
  void write(Value value, Array array) {
    if (readers.lookup(value) != 0)
      arrays[value] = std::move(array);
  }

private:
  SymbolTable &symbols;
  DenseMap<Value, unsigned> readers;
  DenseMap<Value, Array> arrays;
};

struct EvaluateConstants : mlir::heddle::impl::EvaluateConstantsBase<EvaluateConstants> {
  using EvaluateConstantsBase::EvaluateConstantsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    Plan plan(module, maxWork);
    Memory memory(plan, symbols);
    for (Operation *op : plan.computed())
      compute(op, plan.inputs(op), memory);
    // In program order, whatever the order of planning.
    for (Value result : llvm::reverse(plan.results()))
      if (FailureOr<Array> array = memory.read(result); succeeded(array)) {
        if (array->hasEqualElements())
          replaceBySplat(result, *array);
        else if (!plan.hasNoData(result) || bytesOf(result) <= kSmall)
          replaceByParameter(result, *array, symbols);
        memory.release(result);
      }
    removeDead(module, symbols);
  }

  // Without results where an operand is missing or the op fails: it stays and fails at run time.
  static void compute(Operation *op, ArrayRef<Value> inputs, Memory &memory) {
    SmallVector<Array> operands;
    for (Value input : inputs)
      if (FailureOr<Array> array = memory.read(input); succeeded(array))
        operands.push_back(std::move(*array));
    bool isComplete = operands.size() == inputs.size();
    if (isComplete) {
      FailureOr<SmallVector<Array>> results = evaluation::compute(op, operands);
      if (succeeded(results))
        for (auto [result, array] : llvm::zip(op->getResults(), *results))
          memory.write(result, array);
    }
    operands.clear();
    for (Value input : inputs)
      memory.release(input);
  }

  static void replaceBySplat(Value result, const Array &array) {
    Type elementType = array.elementType;
    ArrayRef<char> element(array.origin, evaluation::byteWidth(elementType));
    DenseElementsAttr value = elementType.isInteger(1) ? DenseElementsAttr::get(array.type(), element[0] != 0)
                                                       : DenseElementsAttr::getFromRawBuffer(array.type(), element);
    for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
      if (auto extract = dyn_cast<tensor::ExtractOp>(user))
        flow::keepIndexCheck(extract, [&](OpBuilder &b) -> Value {
          auto element = cast<TypedAttr>(value.getSplatValue<Attribute>());
          return arith::ConstantOp::create(b, extract.getLoc(), element);
        });
    OpBuilder builder(result.getDefiningOp());
    result.replaceAllUsesWith(arith::ConstantOp::create(builder, result.getLoc(), value));
  }

  static void replaceByParameter(Value result, const Array &array, SymbolTable &symbols) {
    OpBuilder builder(result.getDefiningOp()), atFunction(result.getDefiningOp()->getParentOfType<func::FuncOp>());
    StringRef name = "folded";
    auto parameter = flow::ParameterOp::create(atFunction, result.getLoc(), name, builder.getStringAttr("private"),
                                               array.type(), evaluation::makeElements(array, name), StringAttr());
    symbols.insert(parameter);
    result.replaceAllUsesWith(
        flow::ParameterLoadOp::create(builder, result.getLoc(), array.type(), parameter.getSymName()));
  }

  // What only the computed ops read.
  static void removeDead(ModuleOp module, SymbolTable &symbols) {
    llvm::StringSet<> used;
    module.walk<WalkOrder::PostOrder, mlir::ReverseIterator>([&](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
      else if (auto load = dyn_cast<flow::ParameterLoadOp>(op))
        used.insert(load.getParameter());
    });
    SmallVector<ArrayRef<char>> unread;
    for (auto parameter : llvm::make_early_inc_range(module.getOps<flow::ParameterOp>()))
      if (parameter.isPrivate() && !used.contains(parameter.getSymName())) {
        if (FailureOr<Array> array = evaluation::readElements(parameter.getValue()); succeeded(array) && !array->owner)
          unread.push_back({array->origin, static_cast<size_t>(array->isDense() ? array->bytes() : 0)});
        symbols.erase(parameter);
      }
    evaluation::forgetFilePages(unread);
  }
};

} // namespace
