// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/check/Inputs.h"

#include "heddle/contract/Text.h"
#include "tools/lib/Arguments.h"
#include "tools/lib/Elements.h"
#include "tools/lib/Error.h"
#include "tools/lib/Npy.h"
#include "tools/lib/Print.h"
#include "tools/lib/Suggest.h"
#include "tools/lib/ValueSyntax.h"

#include <cstdio>
#include <map>
#include <random>

namespace heddle::tools {
namespace reference = mlir::heddle::reference;
namespace {

ReferenceTensor share(HostTensor tensor) {
  auto owner = std::make_shared<HostTensor>(std::move(tensor));
  ReferenceTensor shared;
  shared.type = owner->type();
  shared.shape.assign(owner->dims().begin(), owner->dims().end());
  shared.data = reinterpret_cast<char *>(owner->data().data());
  shared.owner = owner;
  return shared;
}

using Names = llvm::SmallVector<reference::BoundaryValue>;

std::vector<std::string> namesOf(const Names &values) {
  std::vector<std::string> names;
  for (const reference::BoundaryValue &value : values)
    names.push_back(value.name);
  return names;
}

size_t find(const Names &values, const std::string &name, const char *what) {
  std::vector<std::string> known = namesOf(values);
  if (auto found = std::find(known.begin(), known.end(), name); found != known.end())
    return static_cast<size_t>(found - known.begin());
  throw UsageError("the model has no " + std::string(what) + " '" + name + "'" + didYouMean(name, known));
}

using Sizes = std::map<std::string, int64_t>;

// The free size that INPUT.DIMENSION names, or "". One that is fixed is what it is.
std::string dimensionOf(const ReferenceSignature &signature, const std::string &name, int64_t size) {
  auto [input, digits] = llvm::StringRef(name).rsplit('.');
  unsigned dim = 0;
  for (const reference::BoundaryValue &argument : signature.arguments)
    if (argument.name == input.str() && !digits.getAsInteger(10, dim) && dim < argument.dims.size()) {
      if (argument.dims[dim].empty() && argument.type.getDimSize(dim) != size)
        throw UsageError("--dim=" + name + "=" + std::to_string(size) + ": the program says that it is " +
                         std::to_string(argument.type.getDimSize(dim)));
      return argument.dims[dim].empty() ? name : argument.dims[dim];
    }
  return "";
}

Sizes parseDims(const ReferenceSignature &signature, const std::vector<std::string> &flags) {
  std::vector<std::string> known;
  for (const reference::BoundaryValue &argument : signature.arguments)
    for (const std::string &name : argument.dims)
      if (!name.empty() && std::find(known.begin(), known.end(), name) == known.end())
        known.push_back(name);
  Sizes sizes;
  for (const std::string &flag : flags) {
    size_t at = flag.rfind('=');
    std::string name = flag.substr(0, at);
    int64_t size;
    if (at == std::string::npos || llvm::StringRef(flag).drop_front(at + 1).getAsInteger(10, size) || size < 0)
      throw UsageError("--dim takes NAME=SIZE, got '" + flag + "'");
    if (std::find(known.begin(), known.end(), name) == known.end())
      name = dimensionOf(signature, name, size);
    if (name.empty())
      throw UsageError("the model has no dimension '" + flag.substr(0, at) + "'" +
                       didYouMean(flag.substr(0, at), known) + "; it has: " + quotedList(known) +
                       " (or INPUT.DIMENSION)");
    sizes[name] = size;
  }
  return sizes;
}

// What stands for an argument that is left out, if something does.
std::optional<ReferenceTensor> defaultOf(const reference::BoundaryValue &argument) {
  if (!argument.defaultValue)
    return std::nullopt;
  llvm::FailureOr<ReferenceTensor> value = reference::tensorOf(argument.defaultValue);
  if (failed(value))
    return std::nullopt;
  value->type = reference::elementTypeOf(argument.type.getElementType());
  return *value;
}

ReferenceTensor makeUp(const reference::BoundaryValue &argument, Sizes &sizes, std::mt19937_64 &generator) {
  static constexpr int64_t kSmall[] = {3, 5, 7, 11};
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < argument.type.getRank(); ++i) {
    if (!argument.type.isDynamicDim(i)) {
      dims.push_back(argument.type.getDimSize(i));
    } else if (argument.dims[i].empty()) {
      dims.push_back(kSmall[0]);
    } else {
      dims.push_back(sizes.try_emplace(argument.dims[i], kSmall[std::min<size_t>(sizes.size(), 3)]).first->second);
    }
  }
  ReferenceTensor tensor = share(HostTensor(reference::elementTypeOf(argument.type.getElementType()), dims));
  for (int64_t i = 0, count = tensor.count(); i < count; ++i) {
    uint64_t bits = generator(); // not std::uniform_*: the same numbers on every machine
    tensor.setDouble(i, isFloatType(tensor.type) ? static_cast<double>(bits >> 40) / (1 << 23) - 1.0
                                                 : static_cast<double>(bits >> 63));
  }
  return tensor;
}

} // namespace

TensorView viewOf(const ReferenceTensor &tensor) {
  return {tensor.type,
          {tensor.shape.data(), tensor.shape.size()},
          {reinterpret_cast<const std::byte *>(tensor.data), tensor.byteCount()}};
}

namespace {

// What flags give, in the order of the arguments; no data: nothing.
std::vector<ReferenceTensor> parseInputs(const ReferenceSignature &signature, const InputFlags &flags) {
  std::vector<ReferenceTensor> inputs(signature.arguments.size());
  size_t next = 0;
  for (const std::string &flag : flags.inputs) {
    NamedValue named = splitName(flag, namesOf(signature.arguments));
    size_t i = named.name.empty() ? next++ : find(signature.arguments, named.name, "input");
    if (i >= inputs.size())
      throw UsageError("the model has " + std::to_string(inputs.size()) + " inputs, got one more: '" + flag + "'");
    ElementType wanted = reference::elementTypeOf(signature.arguments[i].type.getElementType());
    inputs[i] = share(parseValueAs(named.value, wanted));
  }
  return inputs;
}

// Makes up those without data. Returns whether there were any.
bool completeInputs(const ReferenceSignature &signature, const InputFlags &flags, std::vector<ReferenceTensor> &inputs,
                    uint64_t seed) {
  Sizes sizes = parseDims(signature, flags.dims);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const reference::BoundaryValue &argument = signature.arguments[i];
    if (inputs[i].data && inputs[i].shape.size() == argument.dims.size())
      for (size_t d = 0; d < argument.dims.size(); ++d)
        if (!argument.dims[d].empty())
          sizes.try_emplace(argument.dims[d], inputs[i].shape[d]);
  }
  std::mt19937_64 generator(seed);
  bool random = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].data)
      continue;
    if (std::optional<ReferenceTensor> standard = defaultOf(signature.arguments[i])) {
      inputs[i] = *standard;
      continue;
    }
    inputs[i] = makeUp(signature.arguments[i], sizes, generator);
    random = true;
  }
  return random;
}

std::string forRank(std::string text, unsigned rank) {
  static const std::string kRank = "{rank}";
  for (size_t at; (at = text.find(kRank)) != std::string::npos;)
    text.replace(at, kRank.size(), std::to_string(rank));
  return text;
}

} // namespace

std::vector<ReferenceTensor> makeInputs(const ReferenceSignature &signature, const InputFlags &flags, bool &random) {
  std::vector<ReferenceTensor> inputs = parseInputs(signature, flags);
  random = completeInputs(signature, flags, inputs, flags.seed);
  return inputs;
}

std::vector<std::vector<ReferenceTensor>> makeRankInputs(const ReferenceSignature &signature, const InputFlags &flags,
                                                         unsigned ranks, bool &random) {
  std::vector<std::vector<ReferenceTensor>> given, made;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    InputFlags own = flags;
    for (std::string &input : own.inputs)
      input = forRank(input, rank);
    given.push_back(parseInputs(signature, own));
    for (size_t i = 0; i < given[rank].size(); ++i) {
      const reference::BoundaryValue &argument = signature.arguments[i];
      if (!given[rank][i].data || argument.meshSizes.empty())
        continue;
      ReferenceTensor part;
      if (std::string error = reference::cutPart(argument, given[rank][i], rank, part); !error.empty())
        throw UsageError(error);
      given[rank][i] = part;
    }
  }
  random = false;
  for (unsigned number = 0; number < ranks; ++number) {
    made.push_back(given[0]); // for the sizes of named dimensions
    ReferenceSignature own = signature;
    for (reference::BoundaryValue &argument : own.arguments)
      argument.type = reference::partType(argument, number);
    random |= completeInputs(own, flags, made.back(), flags.seed + number);
  }
  for (unsigned rank = 0; rank < ranks; ++rank)
    for (size_t i = 0; i < given[rank].size(); ++i)
      if (!given[rank][i].data)
        given[rank][i] = made[reference::partNumber(signature.arguments[i], rank)][i];
  return given;
}

namespace {

// The file of each result; "" where it is printed.
std::vector<std::string> parseOutputs(const ReferenceSignature &signature, const std::vector<std::string> &outputs) {
  std::vector<std::string> paths(signature.results.size());
  size_t next = 0;
  for (const std::string &flag : outputs) {
    NamedValue named = splitName(flag, namesOf(signature.results));
    size_t i = named.name.empty() ? next++ : find(signature.results, named.name, "output");
    if (i >= paths.size() || !named.value.starts_with('@'))
      throw UsageError("--output takes [NAME=]@FILE.npy, one for each of " + std::to_string(paths.size()) +
                       " outputs, got '" + flag + "'");
    paths[i] = named.value.substr(1);
  }
  return paths;
}

void writeOutput(const std::string &name, const ReferenceTensor &result, const std::string &path) {
  if (path.empty()) {
    std::printf("%s: %s\n", ::heddle::contract::showText(name).c_str(), formatTensor(viewOf(result)).c_str());
    return;
  }
  OutputFile file(path);
  writeNpy(file, viewOf(result));
  file.commit();
}

} // namespace

void writeOutputs(const ReferenceSignature &signature, const std::vector<ReferenceTensor> &results,
                  const std::vector<std::string> &outputs) {
  std::vector<std::string> paths = parseOutputs(signature, outputs);
  for (size_t i = 0; i < results.size(); ++i)
    writeOutput(signature.results[i].name, results[i], paths[i]);
}

void writeRankOutputs(const ReferenceSignature &signature, const std::vector<std::vector<ReferenceTensor>> &results,
                      const std::vector<std::string> &outputs) {
  std::vector<std::string> paths = parseOutputs(signature, outputs);
  for (size_t i = 0; i < paths.size(); ++i) {
    const reference::BoundaryValue &value = signature.results[i];
    if (!value.meshSizes.empty()) {
      std::vector<ReferenceTensor> parts;
      for (const std::vector<ReferenceTensor> &own : results)
        parts.push_back(own[i]);
      ReferenceTensor whole;
      if (std::string error = reference::joinParts(value, parts, whole); !error.empty())
        throw Failure(error);
      writeOutput(value.name, whole, paths[i]);
      continue;
    }
    for (unsigned rank = 0; rank < results.size(); ++rank) {
      std::string path = forRank(paths[i], rank);
      if (!path.empty() && path == paths[i])
        throw UsageError("'" + value.name + "' is each rank's own: write {rank} into the file's name, got '" + path +
                         "'");
      writeOutput(value.name + " of rank " + std::to_string(rank), results[rank][i], path);
    }
  }
}

} // namespace heddle::tools
