// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/check/Specialize.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Encoding/IR/EncodingOps.h"
#include "compiler/Dialect/Encoding/Transforms/Retype.h"
#include "compiler/Dialect/Encoding/Transforms/SelectTarget.h"
#include "compiler/Dialect/SilentFailures.h"
#include "compiler/Stages/Resolve/Passes.h"
#include "compiler/Target/TargetRegistry.h"
#include "runtime/drivers/local/CpuFeatures.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::check;

static constexpr char kSeparator = '$';

std::pair<StringRef, StringRef> check::splitName(StringRef executable) { return executable.split(kSeparator); }

//===--- Variants ------------------------------------------------------------------------------------------------===//

static bool runsHere(StringRef format, ArrayAttr features) {
  const std::vector<std::string> &host = ::heddle::local::hostFeatures();
  return format == StringRef(::heddle::local::hostFormat()) &&
         llvm::all_of(features.getAsRange<StringAttr>(),
                      [&](StringAttr feature) { return llvm::is_contained(host, feature.getValue()); });
}

flow::VariantOp check::findVariant(flow::ExecutableOp executable, StringRef name) {
  for (auto variant : executable.getBody().getOps<flow::VariantOp>())
    if ((name.empty() || name == variant.getSymName()) && runsHere(variant.getFormat(), variant.getFeatures()))
      return variant;
  return {};
}

static bool runsHere(device::ExecutableAttr executable) {
  const Target *kind = findTarget(executable.getFormat().getValue());
  return kind && runsHere(executable.getFormat().getValue(), kind->getRequiredFeatures(executable));
}

unsigned check::chooseAlternative(device::GlobalOp device) {
  SmallVector<Attribute> alternatives = device.getAlternatives();
  for (auto [i, alternative] : llvm::enumerate(alternatives))
    if (auto target = dyn_cast<device::TargetAttr>(alternative);
        target && llvm::any_of(target.getExecutables(), [](device::ExecutableAttr e) { return runsHere(e); }))
      return i;
  return 0;
}

//===--- Types ---------------------------------------------------------------------------------------------------===//

// The chosen alternative's layout of what depends on a device.
static Type decide(Type type, ModuleOp module) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto choice = tensor ? dyn_cast_if_present<encoding::ByDeviceAttr>(tensor.getEncoding()) : encoding::ByDeviceAttr();
  if (!choice)
    return type;
  auto device = module.lookupSymbol<device::GlobalOp>(choice.getDevice().getAttr());
  unsigned alternative = device ? chooseAlternative(device) : 0;
  Attribute layout = choice.getLayouts()[alternative < choice.getLayouts().size() ? alternative : 0];
  return encoding::withEncoding(tensor, isa<encoding::IdentityAttr>(layout) ? Attribute() : layout);
}

static encoding::ByTargetAttr choiceOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_if_present<encoding::ByTargetAttr>(tensor.getEncoding()) : encoding::ByTargetAttr();
}

// Whether a binding of the type `taken` is `passed` in the variant for the target.
static bool fits(Type passed, Type taken, Attribute target) {
  encoding::ByTargetAttr choice = choiceOf(taken);
  if (!choice)
    return true;
  auto tensor = cast<RankedTensorType>(taken);
  Attribute layout = choice.getLayout(target);
  return layout && passed == encoding::withEncoding(tensor, isa<encoding::IdentityAttr>(layout) ? Attribute() : layout);
}

namespace {

class Specializer {
public:
  explicit Specializer(ModuleOp module) : module(module), symbols(module) {}

  LogicalResult run() {
    for (auto parameter : module.getOps<flow::ParameterOp>())
      parameter.setType(cast<RankedTensorType>(decide(parameter.getType(), module)));
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(encoding::retype(function, [&](Value value, Operation *) { return decide(value.getType(), module); })))
        return failure();
    WalkResult walk = module.walk([&](flow::DispatchOp dispatch) {
      return failed(specialize(dispatch)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    for (flow::ExecutableOp executable : originals)
      executable.erase();
    PassManager packing(module.getContext());
    nameSilentFailures(packing);
    packing.addPass(createPackParameters());
    return packing.run(module);
  }

private:
  LogicalResult specialize(flow::DispatchOp dispatch) {
    auto executable = symbols.lookup<flow::ExecutableOp>(dispatch.getExecutable());
    FunctionType type = executable.getFunction().getFunctionType();
    SmallVector<Type> taken(type.getInputs()), passed(dispatch.getBindings().getTypes());
    llvm::append_range(passed, dispatch.getConstants().getTypes());
    llvm::append_range(taken, type.getResults());
    llvm::append_range(passed, dispatch.getResultTypes());
    auto first = llvm::find_if(taken, choiceOf);
    if (first == taken.end())
      return success();
    Attribute best;
    for (Attribute target : choiceOf(*first).getTargets()) {
      auto each = llvm::zip_equal(passed, taken);
      if (!llvm::all_of(each, [&](auto pair) { return fits(std::get<0>(pair), std::get<1>(pair), target); }))
        continue;
      if (!best || (!runsHere(cast<device::ExecutableAttr>(best)) && runsHere(cast<device::ExecutableAttr>(target))))
        best = target;
    }
    if (!best)
      return dispatch.emitError() << "passes (" << passed << "), which no variant of " << dispatch.getExecutableAttr()
                                  << " takes";
    originals.insert(executable);
    FailureOr<flow::ExecutableOp> copy = copyFor(executable, cast<device::ExecutableAttr>(best));
    if (succeeded(copy))
      dispatch.setExecutableAttr(FlatSymbolRefAttr::get(copy->getSymNameAttr()));
    return copy;
  }

  FailureOr<flow::ExecutableOp> copyFor(flow::ExecutableOp executable, device::ExecutableAttr target) {
    FailureOr<const Target *> kind = getTarget(executable, target);
    if (failed(kind))
      return failure();
    std::string name = (executable.getSymName() + Twine(kSeparator) + (*kind)->getVariantName(target)).str();
    if (auto known = symbols.lookup<flow::ExecutableOp>(name))
      return known;
    OpBuilder builder(executable);
    auto copy = cast<flow::ExecutableOp>(builder.clone(*executable));
    func::FuncOp function = copy.getFunction();
    copy.setSymName(name);
    function.setName(name);
    symbols.insert(copy);
    if (failed(encoding::selectTarget(function, target)))
      return failure();
    return copy;
  }

  ModuleOp module;
  SymbolTable symbols;
  llvm::SetVector<flow::ExecutableOp> originals;
};

} // namespace

LogicalResult check::specialize(ModuleOp module) { return Specializer(module).run(); }
