#include "tools/check/Specialize.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Encoding/IR/EncodingOps.h"
#include "compiler/Dialect/Encoding/Transforms/Retype.h"
#include "compiler/Dialect/Encoding/Transforms/SelectTarget.h"
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
  if (!name.empty())
    return executable.lookupSymbol<flow::VariantOp>(name);
  for (auto variant : executable.getBody().getOps<flow::VariantOp>())
    if (runsHere(variant.getFormat(), variant.getFeatures()))
      return variant;
  return {};
}

//===--- Types ---------------------------------------------------------------------------------------------------===//

// The first alternative's layout of what depends on a device.
static Type decide(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto choice = tensor ? dyn_cast_if_present<encoding::ByDeviceAttr>(tensor.getEncoding()) : encoding::ByDeviceAttr();
  if (!choice)
    return type;
  Attribute layout = choice.getLayouts().front();
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
      parameter.setType(cast<RankedTensorType>(decide(parameter.getType())));
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(encoding::retype(function, [](Value value, Operation *) { return decide(value.getType()); })))
        return failure();
    WalkResult walk = module.walk([&](flow::DispatchOp dispatch) {
      return failed(specialize(dispatch)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    for (flow::ExecutableOp executable : originals)
      executable.erase();
    PassManager packing(module.getContext());
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
      if (!best || (!runs(best) && runs(target)))
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

  static bool runs(Attribute target) {
    auto executable = cast<device::ExecutableAttr>(target);
    const Target *kind = findTarget(executable.getFormat().getValue());
    return kind && runsHere(executable.getFormat().getValue(), kind->getRequiredFeatures(executable));
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
