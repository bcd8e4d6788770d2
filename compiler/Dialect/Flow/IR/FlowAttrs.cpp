// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowAttrs.h"
#include "compiler/Dialect/Flow/IR/GranuleText.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;

#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/Flow/IR/FlowAttrs.cpp.inc"

void FlowDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/Dialect/Flow/IR/FlowAttrs.cpp.inc"
      >();
}

// A number of streams, or '?'.
static ParseResult parseCount(AsmParser &parser, int64_t &count) {
  count = StreamsAttr::kAll;
  if (succeeded(parser.parseOptionalQuestion()))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseInteger(count))
    return failure();
  if (count < 1)
    return parser.emitError(loc) << "a loop runs on at least 1 stream, or on '?', got " << count;
  return success();
}

static void printCount(AsmPrinter &printer, int64_t count) {
  if (count == StreamsAttr::kAll)
    printer << '?';
  else
    printer << count;
}

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

static LogicalResult verifyCount(EmitError emitError, int64_t count) {
  if (count < 0)
    return emitError() << "a loop runs on at least 1 stream, or on '?', got " << count;
  return success();
}

Attribute StreamsAttr::parse(AsmParser &parser, Type) {
  int64_t count;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseCount(parser, count))
    return {};
  bool ordered = succeeded(parser.parseOptionalComma());
  if ((ordered && parser.parseKeyword("ordered")) || parser.parseGreater())
    return {};
  return parser.getChecked<StreamsAttr>(loc, parser.getContext(), count, ordered);
}

void StreamsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printCount(printer, getCount());
  printer << (getOrdered() ? ", ordered>" : ">");
}

LogicalResult StreamsAttr::verify(EmitError emitError, int64_t count, bool) { return verifyCount(emitError, count); }

Attribute StreamAxisAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  AxisKind kind = AxisKind::Loop;
  int64_t axis, streams, parts = kAll, granule = 1;
  SmallVector<StringAttr> sizes;
  bool ordered = false;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("result")))
    kind = AxisKind::Result;
  else if (succeeded(parser.parseOptionalKeyword("reduced")))
    kind = AxisKind::Reduced;
  if (parser.parseInteger(axis) || parser.parseComma() || parseCount(parser, streams))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef word;
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return {};
    if (word == "ordered" && !ordered) {
      ordered = true;
    } else if ((word == "parts" && parts == kAll) || (word == "granule" && granule == 1 && sizes.empty())) {
      int64_t &number = word == "parts" ? parts : granule;
      if (parser.parseEqual() || (word == "parts" ? parser.parseInteger(number) : parseGranule(parser, number, sizes)))
        return {};
      if (number < 1) {
        parser.emitError(at) << word << " of a loop are at least 1, got " << number;
        return {};
      }
    } else {
      parser.emitError(at) << "expected 'parts = N', 'granule = N' or 'ordered', each once, got '" << word << "'";
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<StreamAxisAttr>(loc, parser.getContext(), kind, axis, streams, parts, granule, sizes,
                                           ordered);
}

void StreamAxisAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (getKind() != AxisKind::Loop)
    printer << (getKind() == AxisKind::Result ? "result " : "reduced ");
  printer << getAxis() << ", ";
  printCount(printer, getStreams());
  if (getParts() != kAll)
    printer << ", parts = " << getParts();
  if (getGranule() != 1 || !getGranuleSizes().empty()) {
    printer << ", granule = ";
    printGranule(printer, getGranule(), getGranuleSizes());
  }
  printer << (getOrdered() ? ", ordered>" : ">");
}

LogicalResult StreamAxisAttr::verify(EmitError emitError, AxisKind, int64_t axis, int64_t streams, int64_t parts,
                                     int64_t granule, ArrayRef<StringAttr>, bool) {
  if (axis < 0)
    return emitError() << "an axis is counted from 0, got " << axis;
  if (parts < 0 || granule < 1)
    return emitError() << "parts and granule of a loop are at least 1, got " << parts << " and " << granule;
  return verifyCount(emitError, streams);
}

StreamsAttr StreamAxisAttr::getStreamsOfLoop() const {
  return StreamsAttr::get(getContext(), getStreams(), getOrdered());
}
