// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Reference/Signature.h"

#include "compiler/Dialect/Flow/IR/FlowAttrs.h"
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/State.h"
#include "compiler/Stages/Ranks/Propagation/OwnValues.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::reference;
namespace contract = ::heddle::contract;

static FailureOr<func::FuncOp> findEntry(ModuleOp module, StringRef name) {
  StringRef wanted = name.empty() ? "main" : name;
  if (auto function = module.lookupSymbol<func::FuncOp>(wanted); function && !function.isExternal())
    return function;
  SmallVector<func::FuncOp> candidates;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      candidates.push_back(function);
  if (name.empty() && candidates.size() == 1)
    return candidates.front();
  return module.emitError() << "the reference needs an entry point: a function @" << wanted
                            << (name.empty() ? " or a single public one" : "") << ", got " << candidates.size()
                            << " public functions";
}

static LogicalResult addSharding(func::FuncOp function, flow::ShardingAttr sharding, BoundaryValue &value) {
  device::MeshOp mesh = flow::getMesh(function, sharding.getMesh());
  if (!mesh)
    return function.emitError() << "has a sharding over " << sharding.getMesh() << ", which is not a device.mesh";
  value.meshSizes.assign(mesh.getSizes().begin(), mesh.getSizes().end());
  value.firstRank = mesh.getFirst();
  for (ArrayAttr names : sharding.getAxes()) {
    value.shards.emplace_back();
    for (StringRef name : names.getAsValueRange<StringAttr>()) {
      std::optional<unsigned> axis = mesh.findAxis(name);
      if (!axis)
        return function.emitError() << "has a sharding over axis '" << name << "', which mesh " << sharding.getMesh()
                                    << " does not have";
      value.shards.back().push_back(*axis);
    }
  }
  for (int64_t dim = 0; dim < sharding.getRank(); ++dim) {
    value.wholes.push_back(sharding.getWhole(dim));
    value.granules.push_back(sharding.getWhole(dim) == -1 ? 1 : sharding.getGranule(dim).getFactor());
  }
  for (StringRef name : sharding.getPartial()) {
    std::optional<unsigned> axis = mesh.findAxis(name);
    if (!axis)
      return function.emitError() << "has a sharding over axis '" << name << "', which mesh " << sharding.getMesh()
                                  << " does not have";
    value.partial.push_back(*axis);
  }
  value.reduction = flow::getContractReduction(sharding.getReduction());
  return success();
}

// In a whole program all ranks have what no sharding says.
static void shareAmongAll(func::FuncOp function, BoundaryValue &value) {
  if (!value.meshSizes.empty() || !isWholeProgram(function))
    return;
  for (auto mesh : function->getParentOfType<ModuleOp>().getOps<device::MeshOp>()) {
    std::vector<int64_t> sizes(mesh.getSizes().begin(), mesh.getSizes().end());
    if (!value.meshSizes.empty() && contract::ranksOf(sizes) <= contract::ranksOf(value.meshSizes))
      continue;
    value.meshSizes.assign(sizes.begin(), sizes.end());
    value.firstRank = mesh.getFirst();
  }
  value.shards.assign(value.type.getRank(), {});
  value.wholes.assign(value.type.getRank(), -1);
  value.granules.assign(value.type.getRank(), 1);
}

static FailureOr<BoundaryValue> describe(func::FuncOp function, Type type, DictionaryAttr attributes,
                                         const Twine &fallback) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || elementTypeOf(tensor.getElementType()) == ElementType::None)
    return function.emitError() << "the reference takes and gives tensors of the boundary's element types, got "
                                << type;
  auto integer = dyn_cast<IntegerType>(tensor.getElementType());
  if (integer && !integer.isSignless())
    return function.emitError() << "the reference takes signless integers, got " << type
                                << "; run --import-convert-unsigned first";
  BoundaryValue value;
  value.name = fallback.str();
  value.type = getBoundaryType(tensor, attributes);
  value.dims.assign(tensor.getRank(), "");
  if (!attributes)
    return value;
  if (auto sharding = attributes.getAs<flow::ShardingAttr>(kShardingAttr))
    if (failed(addSharding(function, sharding, value)))
      return failure();
  if (auto name = attributes.getAs<StringAttr>(kNameAttr))
    value.name = name.str();
  value.defaultValue = attributes.getAs<DenseElementsAttr>(kDefaultAttr);
  if (auto dims = attributes.getAs<ArrayAttr>(kDimsAttr))
    for (auto [into, attribute] : llvm::zip(value.dims, dims))
      into = cast<StringAttr>(attribute).str();
  return value;
}

FailureOr<Signature> reference::signatureOf(ModuleOp module, StringRef entry) {
  FailureOr<func::FuncOp> function = findEntry(module, entry);
  if (failed(function))
    return failure();
  if (!function->getBody().hasOneBlock())
    return function->emitError() << "the reference needs structured control flow, got several blocks";
  Signature signature;
  signature.name = function->getName().str();
  signature.hasMesh = !module.getOps<device::MeshOp>().empty();
  for (auto mesh : module.getOps<device::MeshOp>())
    if (int64_t ranks = mesh.getNumRanks(); ranks != device::MeshOp::kFree)
      signature.ranks = std::max<int64_t>(signature.ranks, mesh.getFirst() + ranks);
  for (auto [i, type] : llvm::enumerate(function->getArgumentTypes())) {
    FailureOr<BoundaryValue> value = describe(*function, type, function->getArgAttrDict(i), "arg" + Twine(i));
    if (failed(value))
      return failure();
    shareAmongAll(*function, *value);
    signature.arguments.push_back(*value);
  }
  for (auto [i, type] : llvm::enumerate(function->getResultTypes())) {
    FailureOr<BoundaryValue> value = describe(*function, type, function->getResultAttrDict(i), "result" + Twine(i));
    if (failed(value))
      return failure();
    shareAmongAll(*function, *value);
    signature.results.push_back(*value);
  }
  return signature;
}

static std::string misfitOf(const BoundaryValue &argument, const Tensor &input, llvm::StringMap<int64_t> &sizes) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  ElementType type = elementTypeOf(argument.type.getElementType());
  if (input.type != type || static_cast<int64_t>(input.shape.size()) != argument.type.getRank()) {
    stream << "argument '" << argument.name << "' is " << argument.type << ", got " << spell(input);
    return text;
  }
  for (auto [i, size] : llvm::enumerate(input.shape)) {
    if (!argument.type.isDynamicDim(i) && size != argument.type.getDimSize(i)) {
      stream << "dimension " << i << " of argument '" << argument.name << "' is " << argument.type.getDimSize(i)
             << ", got " << size;
      return text;
    }
    if (!argument.type.isDynamicDim(i) || argument.dims[i].empty())
      continue;
    auto [known, isNew] = sizes.try_emplace(argument.dims[i], size);
    if (!isNew && known->second != size) {
      stream << "dimension \"" << argument.dims[i] << "\" is " << known->second << ", got " << size << " in argument '"
             << argument.name << "'";
      return text;
    }
  }
  return text;
}

std::string reference::misfit(const Signature &signature, ArrayRef<Tensor> inputs) {
  if (inputs.size() != signature.arguments.size())
    return "the entry point takes " + std::to_string(signature.arguments.size()) + " arguments, got " +
           std::to_string(inputs.size());
  llvm::StringMap<int64_t> sizes;
  for (auto [argument, input] : llvm::zip(signature.arguments, inputs))
    if (std::string text = misfitOf(argument, input, sizes); !text.empty())
      return text;
  return "";
}
