// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/EntryChecks.h"

#include "heddle/contract/ArtifactVerifier.h"
#include "heddle/contract/ElementType.h"

#include <algorithm>

namespace heddle {
namespace {

std::string number(int64_t value) { return std::to_string(value); }

std::string typeName(uint32_t type) {
  if (type == 0 || type >= contract::kElementTypes)
    return "type " + number(type);
  return std::string(contract::spelling(static_cast<contract::ElementType>(type)));
}

std::string argumentName(const Function &function, size_t index) {
  std::string name = function.info.arguments[index].name;
  return "argument " + number(index) + (name.empty() ? "" : " '" + name + "'");
}

std::string text(const ValueName &name) {
  if (!name.isResult)
    return argumentName(name.function, name.index);
  std::string symbol = name.function.info.results[name.index].name;
  return "result " + number(static_cast<int64_t>(name.index)) + (symbol.empty() ? "" : " '" + symbol + "'");
}

std::string dimensionName(const Function &function, size_t index, size_t d) {
  std::string symbol = function.info.arguments[index].dims[d].symbol;
  return argumentName(function, index) + ": dimension " + number(d) + (symbol.empty() ? "" : " '" + symbol + "'");
}

Status invalid(std::string message) { return Status(StatusCode::InvalidArgument, std::move(message)); }

std::string shapeText(std::span<const int64_t> dims) {
  std::string out;
  for (int64_t dim : dims)
    out += number(dim) + "x";
  return out.empty() ? "scalar" : out.substr(0, out.size() - 1);
}

// The argument that gave a symbol its value: the first that has it.
size_t binder(const Function &function, int32_t symbol) {
  for (size_t i = 0; i < function.arguments.size(); ++i)
    for (const DimCheck &dim : function.arguments[i].dims)
      if (dim.symbol == symbol)
        return i;
  return 0;
}

Status refuseDim(const Function &function, size_t index, size_t d, int64_t got, const int64_t *symbols) {
  const DimCheck &dim = function.arguments[index].dims[d];
  std::string name = dimensionName(function, index, d);
  if (dim.symbol < 0)
    return invalid(name + " is " + number(dim.size) + ", got " + number(got) + "; give that size");
  if (got < dim.min || got > dim.max) {
    std::string bounds = got < dim.min && dim.max == contract::kMostElements ? "at least " + number(dim.min)
                         : dim.min == dim.max ? number(dim.min) + " on this rank"
                                              : "between " + number(dim.min) + " and " + number(dim.max);
    return invalid(name + " must be " + bounds + ", got " + number(got));
  }
  return invalid(name + " is " + number(symbols[dim.symbol]) + " in " +
                 argumentName(function, binder(function, dim.symbol)) + ", got " + number(got) + "; give equal sizes");
}

Status refuseType(const Function &function, size_t index, const heddle_tensor &tensor) {
  if (tensor.type == HEDDLE_NONE)
    return invalid(argumentName(function, index) + " is left out, and has no default; give it");
  return invalid(argumentName(function, index) + " has element type " + typeName(function.arguments[index].type) +
                 ", got " + typeName(tensor.type) + "; convert it");
}

Status refuseMemory(const Function &function, size_t index, const heddle_tensor &tensor, uint64_t needed) {
  std::string name = argumentName(function, index);
  if (tensor.bytes < needed || tensor.bytes > INT64_MAX)
    return invalid(name + " of shape " + shapeText({tensor.dims, tensor.rank}) + " has " + std::to_string(needed) +
                   " bytes, got " + std::to_string(tensor.bytes));
  if (!tensor.data)
    return invalid(name + " has no data; set heddle_tensor::data");
  return invalid(name + " must be aligned to its elements of " + number(function.arguments[index].elementBytes) +
                 " bytes");
}

} // namespace

Status bindArgument(const Function &function, size_t index, const heddle_tensor &tensor, int64_t *symbols) {
  const ArgumentCheck &check = function.arguments[index];
  if (static_cast<uint32_t>(tensor.type) != check.type) [[unlikely]]
    return refuseType(function, index, tensor);
  if (tensor.rank != check.dims.size()) [[unlikely]]
    return invalid(argumentName(function, index) + " has " + number(check.dims.size()) + " dimensions, got " +
                   number(tensor.rank) +
                   (tensor.rank <= HEDDLE_MAX_RANK ? " (" + shapeText({tensor.dims, tensor.rank}) + ")" : ""));
  uint64_t bytes = check.elementBytes;
  for (size_t d = 0; d < check.dims.size(); ++d) {
    const DimCheck &dim = check.dims[d];
    int64_t got = tensor.dims[d];
    bool fits = dim.symbol < 0 ? got == dim.size
                               : got >= dim.min && got <= dim.max && (dim.binds || symbols[dim.symbol] == got);
    if (!fits) [[unlikely]]
      return refuseDim(function, index, d, got, symbols);
    if (dim.binds)
      symbols[dim.symbol] = got;
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(got), &bytes)) [[unlikely]]
      return invalid(argumentName(function, index) + " of shape " + shapeText({tensor.dims, tensor.rank}) +
                     " has more bytes than 64 bits count");
  }
  bool aligned = reinterpret_cast<uintptr_t>(tensor.data) % check.elementBytes == 0;
  if (tensor.bytes < bytes || tensor.bytes > INT64_MAX || (!tensor.data && bytes) || !aligned) [[unlikely]]
    return refuseMemory(function, index, tensor, bytes);
  return {};
}

Status bindArguments(const Function &function, std::span<const heddle_tensor> arguments, int64_t *symbols) {
  if (arguments.size() != function.info.argument_count) [[unlikely]]
    return invalid("'" + std::string(function.info.name) + "' takes " + number(function.info.argument_count) +
                   " arguments, got " + number(arguments.size()));
  for (size_t i = 0; i < arguments.size(); ++i)
    HEDDLE_RETURN_IF_ERROR(bindArgument(function, i, arguments[i], symbols));
  return {};
}

Status checkDonation(const Function &function, const Donation &donation, std::span<const heddle_tensor> arguments,
                     const heddle_tensor &result) {
  const heddle_tensor &given = arguments[donation.argument];
  const char *begin = static_cast<const char *>(given.data), *end = begin + given.bytes;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const char *other = static_cast<const char *>(arguments[i].data);
    if (i != donation.argument && other && begin && other < end && begin < other + arguments[i].bytes)
      return invalid(argumentName(function, donation.argument) + " is donated, its memory is that of " +
                     argumentName(function, i) + " too; give one of them a copy");
  }
  if (result.data && result.data != given.data)
    return invalid("result " + number(donation.result) + " '" + function.info.results[donation.result].name +
                   "' lies in the memory of " + argumentName(function, donation.argument) +
                   ", which is donated; give it no storage");
  return {};
}

Status checkResultStorage(const Function &function, std::span<const heddle_tensor> results) {
  if (results.size() != function.info.result_count) [[unlikely]]
    return invalid("'" + std::string(function.info.name) + "' gives " + number(function.info.result_count) +
                   " results, got room for " + number(results.size()));
  for (size_t i = 0; i < results.size(); ++i) {
    auto type = static_cast<contract::ElementType>(function.info.results[i].type);
    if (reinterpret_cast<uintptr_t>(results[i].data) % contract::byteSize(type)) [[unlikely]]
      return invalid("result " + number(i) + " '" + function.info.results[i].name +
                     "': its storage must be aligned to its elements of " + number(contract::byteSize(type)) +
                     " bytes");
  }
  return {};
}

Status checkView(const ValueName &name, const Place &place, uint64_t bytes) {
  if (!place.buffer)
    return {};
  uint64_t room = place.buffer->bytes();
  if (place.offset > room || bytes > room - place.offset)
    return invalid(text(name) + ": " + std::to_string(bytes) + " bytes at " + std::to_string(place.offset) +
                   " must lie in its buffer of " + std::to_string(room) + " bytes");
  if (place.device() && place.device()->device().lost())
    return invalid(text(name) + " lies in memory of the device '" + place.device()->device().info().uri +
                   "', which was lost; give it anew");
  return {};
}

Status checkWritable(const ValueName &name, const Place &place) {
  if (!place.readOnly())
    return {};
  return invalid(text(name) + (name.isResult ? " has storage" : " is donated and lies") +
                 " in a buffer that is only read; give other memory");
}

Status refuseDevice(const ValueName &name, uint32_t device, bool exists) {
  return invalid(text(name) + " must be on device " + std::to_string(device) +
                 (exists ? ", which the program does not use here" : ", which the module does not have") +
                 "; give another index, or HEDDLE_HOST");
}

Status checkApart(const Function &function, std::span<const heddle_tensor> arguments,
                  std::span<const heddle_tensor> results) {
  auto overlap = [](const heddle_tensor &a, const heddle_tensor &b) {
    auto *x = static_cast<const char *>(a.data), *y = static_cast<const char *>(b.data);
    return a.bytes && b.bytes && x && y && x < y + b.bytes && y < x + a.bytes;
  };
  auto refuse = [&](size_t result, const std::string &other) {
    return invalid(text({function, true, result}) + ": its storage overlaps " + other + "; give other memory");
  };
  for (size_t i = 0; i < results.size(); ++i) {
    for (size_t a = 0; a < arguments.size(); ++a) {
      bool donated = std::any_of(function.donations.begin(), function.donations.end(),
                                 [&](const Donation &d) { return d.argument == a && d.result == i; });
      if (!donated && overlap(results[i], arguments[a]))
        return refuse(i, "that of " + argumentName(function, a));
    }
    for (size_t r = 0; r < i; ++r)
      if (overlap(results[i], results[r]))
        return refuse(i, "that of " + text({function, true, r}));
  }
  return {};
}

} // namespace heddle
