// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Model/FixedSizes.h"

#include "compiler/Dialect/Suggest.h"
#include "compiler/Stages/Import/Onnx/Model/Model.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

// Of one dimension; more is a mistake, and products of a few such sizes still fit.
static constexpr int64_t kLargest = int64_t{1} << 40;

std::string importer::dimName(const Port &port, size_t dim) {
  return port.dimNames[dim].empty() ? port.name + "_d" + std::to_string(dim) : port.dimNames[dim];
}

FailureOr<FixedSizes> FixedSizes::parse(ArrayRef<std::string> flags, Location location) {
  FixedSizes fixed;
  for (StringRef flag : flags) {
    auto [name, digits] = flag.rsplit('=');
    int64_t size = 0;
    if (!flag.contains('=') || name.empty() || digits.getAsInteger(10, size) || size < 1 || size > kLargest)
      return emitError(location) << "--dim takes NAME=SIZE, a size of at least 1, got '" << flag << "'";
    auto [entry, isNew] = fixed.sizes.try_emplace(name.str(), size);
    if (!isNew && entry->second != size)
      return emitError(location) << "--dim gives '" << name << "' two sizes, " << entry->second << " and " << size;
    fixed.isUsed[name.str()] = false;
  }
  return fixed;
}

FailureOr<std::string> FixedSizes::resolve(const std::string &name, int64_t size, const Model &model,
                                           Location location) {
  auto [input, digits] = StringRef(name).rsplit('.');
  uint64_t dim = 0;
  auto port = llvm::find_if(model.inputs, [&, input = input](const Port &one) { return one.name == input; });
  if (port == model.inputs.end() || digits.getAsInteger(10, dim))
    return std::string();
  if (dim >= port->shape.size())
    return emitError(location) << "--dim=" << name << "=" << size << ": input '" << input << "' has "
                               << port->shape.size() << " dimensions, the first is 0";
  isUsed[name] = true;
  if (ShapedType::isDynamic(port->shape[dim]))
    return dimName(*port, dim);
  if (port->shape[dim] != size)
    return emitError(location) << "--dim=" << name << "=" << size << ": the model says that it is " << port->shape[dim];
  return std::string();
}

LogicalResult FixedSizes::apply(Model &model, Location location) {
  for (const Port &port : model.inputs)
    for (size_t dim = 0; dim < port.shape.size(); ++dim)
      if (ShapedType::isDynamic(port.shape[dim]))
        known.try_emplace(dimName(port, dim), 0);
  for (const auto &[name, size] : sizes) {
    std::string own = name;
    if (known.count(name)) {
      isUsed[name] = true;
    } else {
      FailureOr<std::string> resolved = resolve(name, size, model, location);
      if (failed(resolved))
        return failure();
      own = *resolved;
    }
    if (own.empty())
      continue;
    int64_t &before = known[own];
    if (before != 0 && before != size)
      return emitError(location) << "--dim=" << name << "=" << size << ": '" << own << "' is the same size, and "
                                 << before << " by another --dim";
    before = size;
  }
  auto fix = [&](Port &port) {
    for (size_t dim = 0; dim < port.shape.size(); ++dim)
      if (auto found = known.find(dimName(port, dim));
          ShapedType::isDynamic(port.shape[dim]) && found != known.end() && found->second)
        port.shape[dim] = found->second;
  };
  llvm::for_each(model.inputs, fix);
  llvm::for_each(model.outputs, fix);
  return success();
}

LogicalResult FixedSizes::reportUnknown(Location location) const {
  for (const auto &[name, used] : isUsed) {
    if (used)
      continue;
    InFlightDiagnostic error = emitError(location) << "--dim: no free size is called '" << name << "'; ";
    std::vector<std::string> names;
    for (const auto &entry : known)
      names.push_back(entry.first);
    if (names.empty())
      return error << "the model has none";
    return error << "there are: " << listNames(names) << " (or INPUT.DIMENSION)" << didYouMean(name, names);
  }
  return success();
}
