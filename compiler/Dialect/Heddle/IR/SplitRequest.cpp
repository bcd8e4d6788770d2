// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Heddle/IR/SplitRequest.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/SplitSyntax.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::split_keys;

std::optional<SplitRequest> mlir::heddle::getSplitRequest(Operation *op) {
  Attribute value = op->getAttr(kSplitAttr);
  return value ? std::optional(readSplitRequest(value)) : std::nullopt;
}

SplitRequest mlir::heddle::readSplitRequest(Attribute value) {
  SplitRequest request;
  if (auto parts = dyn_cast<IntegerAttr>(value)) {
    request.parts = parts.getInt();
    return request;
  }
  if (auto strategy = dyn_cast<StringAttr>(value)) {
    request.strategy = strategy;
    return request;
  }
  auto asked = cast<DictionaryAttr>(value);
  auto number = [&](StringRef key) {
    auto found = asked.getAs<IntegerAttr>(key);
    return found ? std::optional(found.getInt()) : std::nullopt;
  };
  request.parts = number(kParts);
  request.size = number(kSize);
  request.loop = number(kLoop);
  request.perUnit = asked.contains(kPerUnit);
  if (auto by = asked.getAs<StringAttr>(kBy))
    request.by = by;
  return request;
}

Attribute mlir::heddle::toAttribute(const SplitRequest &request, MLIRContext *context) {
  Builder builder(context);
  NamedAttrList asked;
  if (request.parts)
    asked.set(kParts, builder.getI64IntegerAttr(*request.parts));
  if (request.size)
    asked.set(kSize, builder.getI64IntegerAttr(*request.size));
  if (request.loop)
    asked.set(kLoop, builder.getI64IntegerAttr(*request.loop));
  if (request.perUnit)
    asked.set(kPerUnit, builder.getUnitAttr());
  if (!request.by.empty())
    asked.set(kBy, builder.getStringAttr(request.by));
  return asked.getDictionary(context);
}

bool mlir::heddle::mayBeSplit(Operation *op) {
  std::optional<SplitRequest> request = getSplitRequest(op);
  return request && !request->isWhole();
}
