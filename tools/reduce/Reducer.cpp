// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/reduce/Reducer.h"

#include "tools/reduce/Survives.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/RegionUtils.h"

#include <set>

using namespace mlir;
using namespace mlir::heddle;

namespace {

bool isSmall(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() || op->hasTrait<OpTrait::ConstantLike>() ||
         isa<func::FuncOp, tensor::EmptyOp, tensor::DimOp>(op) || op->getName().getStringRef() == "flow.dimension" ||
         op->getName().getStringRef() == "flow.parameter.load";
}

// What steps are applied to, in an order that a copy of the module has too.
SmallVector<Operation *> opsOf(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (op->getParentOfType<func::FuncOp>() && !op->hasTrait<OpTrait::IsTerminator>())
      ops.push_back(op);
  });
  return ops;
}

SmallVector<func::FuncOp> functionsOf(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      functions.push_back(function);
  return functions;
}

bool isEntry(func::FuncOp function) {
  return SymbolTable::symbolKnownUseEmpty(function, function->getParentOfType<ModuleOp>());
}

// Dead code, unused arguments of entry points, symbols nobody names.
void tidy(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  for (func::FuncOp function : functionsOf(module)) {
    (void)runRegionDCE(rewriter, function->getRegions());
    if (!isEntry(function))
      continue;
    llvm::BitVector unused(function.getNumArguments());
    for (BlockArgument argument : function.getArguments())
      unused[argument.getArgNumber()] = argument.use_empty();
    (void)function.eraseArguments(unused);
  }
  SmallVector<Operation *> symbols;
  for (Operation &op : module.getOps())
    if (isa<SymbolOpInterface>(op) && !isa<func::FuncOp>(op) && SymbolTable::symbolKnownUseEmpty(&op, module))
      symbols.push_back(&op);
  for (Operation *op : symbols)
    op->erase();
}

// Of an argument with this type, so that equal dimensions keep one name.
Attribute dimensionNames(func::FuncOp function, Type type) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgument(i).getType() == type)
      if (Attribute names = function.getArgAttr(i, kDimsAttr))
        return names;
  return {};
}

Value zeroOf(OpBuilder &builder, Location location, Type type) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (shaped && (!shaped.hasStaticShape() || shaped.getEncoding()))
    return {};
  if (!shaped && !type.isIntOrIndexOrFloat())
    return {};
  auto zero = dyn_cast_or_null<TypedAttr>(builder.getZeroAttr(type));
  return zero ? arith::ConstantOp::create(builder, location, zero) : Value();
}

// Calls `visit(position, digits)` for the dimensions in a module's text; with `everywhere` for all whole numbers.
void forEachNumber(StringRef text, bool everywhere, llvm::function_ref<void(size_t, StringRef)> visit) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '%' || c == '#'; };
  for (size_t at = text.find_first_of("0123456789"); at != StringRef::npos; at = text.find_first_of("0123456789", at)) {
    size_t end = text.find_first_not_of("0123456789", at);
    char before = at ? text[at - 1] : ' ', after = end < text.size() ? text[end] : ' ';
    bool isDimension = (before == '<' || before == 'x') && after == 'x';
    if (isDimension || (everywhere && !isWord(before) && !isWord(after)))
      visit(at, text.slice(at, end));
    at = end;
  }
}

class Reducer {
public:
  Reducer(ModuleOp module, llvm::function_ref<bool(ModuleOp)> isInteresting, unsigned maxTests,
          llvm::function_ref<void(ModuleOp)> observe)
      : module(module.clone()), isInteresting(isInteresting), maxTests(maxTests), observe(observe) {}

  Reduction run() {
    bool changed = true;
    attempt([](ModuleOp) { return success(); }); // without what nobody uses
    while (changed && tests < maxTests) {
      changed = dropFunctions();
      changed |= dropResults();
      changed |= cutOps();
      changed |= replaceOps();
      changed |= splatLiterals();
      changed |= shrinkDimensions();
    }
    return {std::move(module), tests, tests < maxTests};
  }

private:
  // Takes the changed copy if it verifies, is another module and still interesting.
  bool attempt(llvm::function_ref<LogicalResult(ModuleOp)> change) {
    OwningOpRef<ModuleOp> copy = module->clone();
    if (failed(change(*copy)) || failed(verify(*copy)))
      return false;
    tidy(*copy);
    return take(std::move(copy));
  }

  bool take(OwningOpRef<ModuleOp> copy) {
    if (tests >= maxTests || failed(verify(*copy)))
      return false;
    if (!tried.insert(llvm::hash_value(StringRef(spell(*copy)))).second)
      return false;
    ++tests;
    if (!isInteresting(*copy))
      return false;
    module = std::move(copy);
    observe(*module);
    return true;
  }

  bool dropFunctions() {
    bool changed = false;
    for (unsigned i = 0; i < functionsOf(*module).size();) {
      bool dropped = functionsOf(*module).size() > 1 && attempt([&](ModuleOp copy) {
                       func::FuncOp function = functionsOf(copy)[i];
                       if (!isEntry(function))
                         return failure();
                       function.erase();
                       return success();
                     });
      i += !dropped;
      changed |= dropped;
    }
    return changed;
  }

  static LogicalResult keepResults(func::FuncOp function, const llvm::BitVector &dropped) {
    if (!isEntry(function) || !llvm::hasSingleElement(function.getBody()) || failed(function.eraseResults(dropped)))
      return failure();
    Operation *terminator = function.getBody().front().getTerminator();
    terminator->eraseOperands(dropped);
    return success();
  }

  // All results but one, else one after another.
  bool dropResults() {
    bool changed = false;
    for (unsigned f = 0; f < functionsOf(*module).size(); ++f) {
      unsigned count = functionsOf(*module)[f].getNumResults();
      auto drop = [&](llvm::BitVector dropped) {
        return attempt([&](ModuleOp copy) { return keepResults(functionsOf(copy)[f], dropped); });
      };
      bool single = false;
      for (unsigned i = 0; i < count && count > 1 && !single; ++i)
        single = drop(llvm::BitVector(count, true).reset(i));
      changed |= single;
      for (unsigned i = count; !single && count > 1 && i-- > 0;) {
        if (!drop(llvm::BitVector(functionsOf(*module)[f].getNumResults()).set(i)))
          continue;
        changed = true;
        --count;
      }
    }
    return changed;
  }

  // What the op gives comes from outside: tensors as arguments of the function, other values as zero.
  static LogicalResult cut(Operation *op) {
    auto function = dyn_cast<func::FuncOp>(op->getParentOp());
    if (!function || !isEntry(function) || isSmall(op))
      return failure();
    OpBuilder builder(op);
    for (Value result : op->getResults()) {
      if (result.use_empty())
        continue;
      if (!isa<RankedTensorType>(result.getType())) {
        Value zero = zeroOf(builder, op->getLoc(), result.getType());
        if (!zero)
          return failure();
        result.replaceAllUsesWith(zero);
        continue;
      }
      unsigned number = function.getNumArguments();
      DictionaryAttr attributes;
      if (Attribute names = dimensionNames(function, result.getType()))
        attributes = builder.getDictionaryAttr(builder.getNamedAttr(kDimsAttr, names));
      if (failed(function.insertArgument(number, result.getType(), attributes, op->getLoc())))
        return failure();
      result.replaceAllUsesWith(function.getArgument(number));
    }
    return success();
  }

  // Halves, quarters, …, single ops.
  bool cutOps() {
    bool changed = false;
    for (size_t chunk = std::max<size_t>(1, opsOf(*module).size() / 2); chunk; chunk /= 2)
      for (size_t at = 0; at < opsOf(*module).size();) {
        size_t before = opsOf(*module).size();
        bool done = attempt([&](ModuleOp copy) {
          SmallVector<Operation *> ops = opsOf(copy);
          unsigned cuts = 0;
          for (size_t i = at; i < std::min(at + chunk, ops.size()); ++i)
            cuts += succeeded(cut(ops[i]));
          return success(cuts != 0);
        });
        changed |= done;
        if (!done || opsOf(*module).size() >= before)
          at += chunk;
      }
    return changed;
  }

  // Each op by one of its operands, or by zero; in regions too.
  bool replaceOps() {
    bool changed = false;
    for (size_t i = opsOf(*module).size(); i-- > 0;) {
      if (i >= opsOf(*module).size())
        continue;
      Operation *op = opsOf(*module)[i];
      if (op->getNumResults() != 1 || op->hasTrait<OpTrait::ConstantLike>())
        continue;
      unsigned operands = op->getNumOperands();
      for (unsigned choice = 0; choice <= operands; ++choice)
        if (attempt([&](ModuleOp copy) { return replace(opsOf(copy)[i], choice); })) {
          changed = true;
          break;
        }
    }
    return changed;
  }

  static LogicalResult replace(Operation *op, unsigned choice) {
    OpBuilder builder(op);
    Value by = choice < op->getNumOperands() ? op->getOperand(choice)
                                             : zeroOf(builder, op->getLoc(), op->getResult(0).getType());
    if (!by || by.getType() != op->getResult(0).getType())
      return failure();
    op->getResult(0).replaceAllUsesWith(by);
    return success();
  }

  // Literals of many values by ones of one value: the first.
  bool splatLiterals() {
    return attempt([](ModuleOp copy) {
      bool found = false;
      copy.walk([&](Operation *op) {
        for (NamedAttribute attribute : op->getAttrs()) {
          auto dense = dyn_cast<DenseElementsAttr>(attribute.getValue());
          if (!dense || dense.isSplat() || dense.empty() || !isa<RankedTensorType>(dense.getType()))
            continue;
          found = true;
          op->setAttr(attribute.getName(), DenseElementsAttr::get(dense.getType(), *dense.value_begin<Attribute>()));
        }
      });
      return success(found);
    });
  }

  // A size is written in many types and attributes that must agree: it is changed in the text, everywhere.
  bool shrinkDimensions() {
    bool changed = false;
    std::set<int64_t, std::greater<>> sizes;
    forEachNumber(spell(*module), /*everywhere=*/false, [&](size_t, StringRef number) {
      int64_t size;
      if (!number.getAsInteger(10, size))
        sizes.insert(size);
    });
    for (int64_t size : sizes)
      for (int64_t smaller : {int64_t(1), int64_t(2), int64_t(3), size / 2})
        if (smaller < size && smaller > 0 &&
            (shrinkTo(size, smaller, /*everywhere=*/false) || shrinkTo(size, smaller, /*everywhere=*/true))) {
          changed = true;
          break;
        }
    return changed;
  }

  bool shrinkTo(int64_t size, int64_t smaller, bool everywhere) {
    std::string old = spell(*module), text;
    size_t done = 0;
    forEachNumber(old, everywhere, [&](size_t at, StringRef number) {
      if (number != std::to_string(size))
        return;
      text += old.substr(done, at - done) + std::to_string(smaller);
      done = at + number.size();
    });
    text += old.substr(done);
    ScopedDiagnosticHandler quiet(module->getContext(), [](Diagnostic &) { return success(); });
    auto parse = [&] { return parseSourceString<ModuleOp>(text, module->getContext()); }; // which verifies
    if (tests >= maxTests || !survives([&] { (void)parse(); }))
      return false;
    OwningOpRef<ModuleOp> copy = parse();
    return copy && take(std::move(copy));
  }

  OwningOpRef<ModuleOp> module;
  llvm::function_ref<bool(ModuleOp)> isInteresting;
  unsigned maxTests, tests = 0;
  llvm::function_ref<void(ModuleOp)> observe;
  std::set<size_t> tried;
};

} // namespace

// Whether the location says which node of the model an op is of.
static bool hasName(Location location) {
  if (auto fused = dyn_cast<FusedLoc>(location))
    return llvm::any_of(fused.getLocations(), hasName);
  return isa<NameLoc>(location);
}

std::string heddle::spell(ModuleOp module) {
  OpPrintingFlags flags;
  if (module.walk([](Operation *op) { return WalkResult(hasName(op->getLoc()) ? failure() : success()); })
          .wasInterrupted())
    flags.enableDebugInfo();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, flags);
  return text + "\n";
}

unsigned heddle::countOps(ModuleOp module) {
  unsigned count = 0;
  for (Operation *op : opsOf(module))
    count += !isSmall(op);
  return count;
}

Reduction heddle::reduce(ModuleOp module, llvm::function_ref<bool(ModuleOp)> isInteresting, unsigned maxTests,
                         llvm::function_ref<void(ModuleOp)> observe) {
  ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) { return success(); });
  return Reducer(module, isInteresting, maxTests, observe).run();
}
