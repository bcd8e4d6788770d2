// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowGlobals.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/State.h"
#include "compiler/Dialect/Suggest.h"
#include "compiler/Stages/Import/Annotations/KeptMemory.h"
#include "compiler/Stages/Import/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_BINDSTATE
#include "compiler/Stages/Import/Passes.h.inc"
} // namespace mlir::heddle

static std::vector<std::string> namesOf(func::FuncOp func, bool results) {
  if (!results)
    return argumentNames(func);
  std::vector<std::string> names;
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    auto name = func.getResultAttrOfType<StringAttr>(i, kNameAttr);
    names.push_back(name ? name.str() : "result" + std::to_string(i));
  }
  return names;
}

static std::optional<unsigned> indexOf(const std::vector<std::string> &names, StringRef name) {
  auto found = llvm::find(names, name);
  return found == names.end() ? std::nullopt : std::optional<unsigned>(found - names.begin());
}

namespace {

struct BindState : mlir::heddle::impl::BindStateBase<BindState> {
  using BindStateBase::BindStateBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> entries;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && !func.isExternal())
        entries.push_back(func);
    for (const std::string &flag : states)
      if (failed(holdPairs(entries, flag)))
        return signalPassFailure();
    for (const std::string &flag : donations)
      if (failed(donate(entries, flag)))
        return signalPassFailure();
    for (func::FuncOp func : entries)
      if (failed(moveStateLast(func)) || failed(chooseResults(func)))
        return signalPassFailure();
  }

  // INPUT=OUTPUT, a star on both sides for several pairs, in every entry point that has them.
  LogicalResult holdPairs(ArrayRef<func::FuncOp> entries, StringRef flag) {
    auto [input, output] = flag.split('=');
    if (input.empty() || output.empty() || input.count('*') != output.count('*'))
      return getOperation().emitError() << "--state takes INPUT=OUTPUT with as many stars on both sides, got '" << flag
                                        << "'";
    bool any = false;
    for (func::FuncOp func : entries) {
      std::vector<std::string> inputs = namesOf(func, false), outputs = namesOf(func, true);
      for (auto [i, name] : llvm::enumerate(inputs)) {
        auto texts = matchStars(input, name);
        if (!texts)
          continue;
        std::string target = fillStars(output, *texts);
        std::optional<unsigned> result = indexOf(outputs, target);
        if (!result)
          return func.emitError() << "--state=" << flag << ": input '" << name << "' has no output '" << target << "'"
                                  << didYouMean(target, outputs);
        if (failed(hold(func, i, *result, name)))
          return failure();
        any = true;
      }
      any |= holdStores(func, input, output, inputs, outputs);
    }
    if (any)
      return success();
    std::vector<std::string> inputs = entries.empty() ? std::vector<std::string>() : namesOf(entries.front(), false);
    return getOperation().emitError() << "--state=" << flag << ": no input has this name" << didYouMean(input, inputs)
                                      << "; inputs: " << listNames(inputs);
  }

  // Outputs without their input only write the state, as a graph does that starts a sequence.
  bool holdStores(func::FuncOp func, StringRef input, StringRef output, const std::vector<std::string> &inputs,
                  const std::vector<std::string> &outputs) {
    bool any = false;
    for (auto [i, name] : llvm::enumerate(outputs)) {
      auto texts = matchStars(output, name);
      std::string source = texts ? fillStars(input, *texts) : "";
      if (!texts || indexOf(inputs, source) || !getOperation().lookupSymbol<flow::GlobalOp>(source))
        continue;
      func.setResultAttr(i, kStateAttr, FlatSymbolRefAttr::get(&getContext(), source));
      any = true;
    }
    return any;
  }

  LogicalResult hold(func::FuncOp func, unsigned argument, unsigned result, StringRef name) {
    auto in = cast<RankedTensorType>(func.getArgumentTypes()[argument]);
    auto out = cast<RankedTensorType>(func.getResultTypes()[result]);
    if (in.getElementType() != out.getElementType() || in.getRank() != out.getRank() ||
        failed(verifyCompatibleShape(in.getShape(), out.getShape())))
      return func.emitError() << "the value of '" << name << "' is kept from call to call, so its output has its type, "
                              << in << ", got " << out;
    auto global = getOperation().lookupSymbol<flow::GlobalOp>(name);
    if (!global) {
      OpBuilder builder(func);
      global =
          flow::GlobalOp::create(builder, func.getLoc(), builder.getStringAttr(name), builder.getStringAttr("private"),
                                 TypeAttr::get(in), ElementsAttr(), flow::ShardingAttr());
    } else if (global.getType() != in) {
      return func.emitError() << "holds '" << name << "' as " << in << ", another entry point as " << global.getType();
    }
    auto symbol = FlatSymbolRefAttr::get(global.getSymNameAttr());
    func.setArgAttr(argument, kStateAttr, symbol);
    func.setResultAttr(result, kStateAttr, symbol);
    return success();
  }

  // INPUT[=OUTPUT] of the entry points that have it.
  LogicalResult donate(ArrayRef<func::FuncOp> entries, StringRef flag) {
    auto [input, output] = flag.split('=');
    bool any = false;
    for (func::FuncOp func : entries)
      if (std::optional<unsigned> index = indexOf(namesOf(func, false), input)) {
        std::vector<std::string> outputs = namesOf(func, true);
        if (!output.empty() && !indexOf(outputs, output))
          return func.emitError() << "--donate=" << flag << ": no output is called '" << output << "'"
                                  << didYouMean(output, outputs) << "; outputs: " << listNames(outputs);
        Builder builder(&getContext());
        func.setArgAttr(*index, kDonatedAttr,
                        output.empty() ? Attribute(builder.getUnitAttr()) : builder.getStringAttr(output));
        any = true;
      }
    if (any)
      return success();
    std::vector<std::string> inputs = entries.empty() ? std::vector<std::string>() : namesOf(entries.front(), false);
    return getOperation().emitError() << "--donate=" << flag << ": no input has this name" << didYouMean(input, inputs)
                                      << "; inputs: " << listNames(inputs);
  }

  // What the caller gives and gets comes first, in its order; the module's own state behind it.
  static LogicalResult moveStateLast(func::FuncOp func) {
    SmallVector<unsigned> arguments, results;
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (func.getArgAttr(i, kStateAttr))
        arguments.push_back(i);
    for (unsigned i = 0; i < func.getNumResults(); ++i)
      if (func.getResultAttr(i, kStateAttr))
        results.push_back(i);
    for (auto [moved, from] : llvm::enumerate(arguments)) {
      unsigned index = from - moved, end = func.getNumArguments();
      BlockArgument old = func.getArgument(index);
      if (failed(func.insertArgument(end, old.getType(), func.getArgAttrDict(index), old.getLoc())))
        return failure();
      func.getArgument(index).replaceAllUsesWith(func.getArgument(end));
      if (failed(func.eraseArgument(index)))
        return failure();
    }
    Operation *end = func.getBody().front().getTerminator();
    for (auto [moved, from] : llvm::enumerate(results)) {
      unsigned index = from - moved;
      Value value = end->getOperand(index);
      if (failed(func.insertResult(func.getNumResults(), value.getType(), func.getResultAttrDict(index))) ||
          failed(func.eraseResult(index)))
        return failure();
      end->eraseOperand(index);
      end->insertOperands(end->getNumOperands(), value);
    }
    return success();
  }

  // Which result lies in a donated argument's memory: the named one, else the first of its type that is still free.
  static LogicalResult chooseResults(func::FuncOp func) {
    std::vector<std::string> names = namesOf(func, true), inputs = namesOf(func, false);
    SmallVector<bool> taken(func.getNumResults());
    for (unsigned i = 0; i < func.getNumResults(); ++i)
      taken[i] = func.getResultAttr(i, kStateAttr) != nullptr;
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      Attribute donated = func.getArgAttr(i, kDonatedAttr);
      if (func.getArgAttr(i, kDefaultAttr) && (donated || func.getArgAttr(i, kStateAttr)))
        return func.emitError() << "'" << inputs[i] << "' has a default, so it cannot be state or donated; make it an "
                                << "input that has no initialiser";
      if (!donated)
        continue;
      if (func.getArgAttr(i, kStateAttr))
        return func.emitError() << "'" << inputs[i] << "' is the module's own; only a caller donates";
      std::optional<unsigned> chosen;
      if (auto name = dyn_cast<StringAttr>(donated)) {
        chosen = indexOf(names, name.getValue());
        if (!chosen)
          return func.emitError() << "'" << inputs[i] << "' is donated to '" << name.getValue()
                                  << "', which is not an output" << didYouMean(name.str(), names);
      } else if (auto index = dyn_cast<IntegerAttr>(donated)) {
        if (index.getInt() < 0 || index.getInt() >= func.getNumResults())
          return func.emitError() << "'" << inputs[i] << "' is donated to result " << index.getInt() << " of "
                                  << func.getNumResults();
        chosen = index.getInt();
      }
      for (unsigned r = 0; r < func.getNumResults() && !chosen; ++r)
        if (!taken[r] && func.getResultTypes()[r] == func.getArgumentTypes()[i])
          chosen = r;
      if (!chosen || taken[*chosen] || func.getResultTypes()[*chosen] != func.getArgumentTypes()[i])
        return func.emitError() << "'" << inputs[i] << "' is donated to a result of its type "
                                << func.getArgumentTypes()[i] << " that has no memory yet, got "
                                << (chosen ? "'" + names[*chosen] + "'" : std::string("none"));
      taken[*chosen] = true;
      func.setArgAttr(i, kDonatedAttr, Builder(func.getContext()).getI64IntegerAttr(*chosen));
    }
    return success();
  }
};

} // namespace
