// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of #flow.sharding, and what it says.
#include "compiler/Dialect/Flow/IR/FlowAttrs.h"
#include "compiler/Dialect/Flow/IR/GranuleText.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::heddle::flow;

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

// With arguments of exactly these types, the overload that is defined with the storage classes is taken.
static GranuleAttr makeGranule(AsmParser &parser, SMLoc loc, int64_t factor, ArrayRef<StringAttr> names) {
  auto error = [&] { return parser.emitError(loc); };
  return GranuleAttr::getChecked(EmitError(error), parser.getContext(), factor, names);
}

static ShardingAttr makeSharding(AsmParser &parser, SMLoc loc, FlatSymbolRefAttr mesh, ArrayRef<ArrayAttr> axes,
                                 ArrayRef<GranuleAttr> granules, ArrayRef<int64_t> open, ArrayRef<StringAttr> partial,
                                 Reduction reduction, ArrayRef<int64_t> wholes) {
  auto error = [&] { return parser.emitError(loc); };
  return ShardingAttr::getChecked(EmitError(error), parser.getContext(), mesh, axes, granules, open, partial, reduction,
                                  wholes);
}

//===--- Granules ------------------------------------------------------------------------------------------------===//

Attribute GranuleAttr::parse(AsmParser &parser, Type) {
  int64_t factor;
  SmallVector<StringAttr> names;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseGranule(parser, factor, names) || parser.parseGreater())
    return {};
  return makeGranule(parser, loc, factor, names);
}

void GranuleAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printGranule(printer, getFactor(), getNames());
  printer << '>';
}

LogicalResult GranuleAttr::verify(EmitError emitError, int64_t factor, ArrayRef<StringAttr>) {
  return factor < 1 ? LogicalResult(emitError() << "a granule is at least 1, got " << factor) : success();
}

//===--- Text of shardings ---------------------------------------------------------------------------------------===//

namespace {
struct ShardingText {
  SmallVector<ArrayAttr> axes;
  SmallVector<GranuleAttr> granules;
  SmallVector<int64_t> open, wholes;
};
} // namespace

// `["x", "y"] by 64`, `["x"] of 66`, `["x", ?]`, `?`
static ParseResult parseDim(AsmParser &parser, ShardingText &text) {
  SmallVector<Attribute> axes;
  bool isOpen = succeeded(parser.parseOptionalQuestion());
  auto parseAxis = [&]() -> ParseResult {
    if (isOpen)
      return parser.emitError(parser.getCurrentLocation(), "'?' is the last of a dimension");
    if (succeeded(parser.parseOptionalQuestion())) {
      isOpen = true;
      return success();
    }
    std::string name;
    if (parser.parseString(&name))
      return failure();
    axes.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  if (!isOpen && parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis))
    return failure();
  if (isOpen)
    text.open.push_back(text.axes.size());
  text.axes.push_back(parser.getBuilder().getArrayAttr(axes));
  int64_t factor = 1;
  SmallVector<StringAttr> names;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("by")) && parseGranule(parser, factor, names))
    return failure();
  text.granules.push_back(makeGranule(parser, loc, factor, names));
  text.wholes.push_back(-1);
  if (succeeded(parser.parseOptionalKeyword("of")) && parser.parseInteger(text.wholes.back()))
    return failure();
  return success(text.granules.back() != nullptr);
}

// `partial sum ["x"]`
static ParseResult parsePartial(AsmParser &parser, Reduction &reduction, SmallVectorImpl<StringAttr> &partial) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword("partial") || parser.parseKeyword(&word))
    return failure();
  std::optional<Reduction> known = symbolizeReduction(word);
  if (!known)
    return parser.emitError(loc) << "no reduction is called '" << word << "'";
  reduction = *known;
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    std::string name;
    if (parser.parseString(&name))
      return failure();
    partial.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  });
}

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  FlatSymbolRefAttr mesh;
  ShardingText text;
  SmallVector<StringAttr> partial;
  Reduction reduction = Reduction::Sum;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseAttribute(mesh) || parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] { return parseDim(parser, text); }) ||
      (succeeded(parser.parseOptionalComma()) && parsePartial(parser, reduction, partial)) || parser.parseGreater())
    return {};
  if (llvm::all_of(text.granules, [](GranuleAttr granule) { return granule.isOne(); }))
    text.granules.clear();
  if (llvm::all_of(text.wholes, [](int64_t whole) { return whole == -1; }))
    text.wholes.clear();
  return makeSharding(parser, loc, mesh, text.axes, text.granules, text.open, partial, reduction, text.wholes);
}

void ShardingAttr::print(AsmPrinter &printer) const {
  printer << '<' << getMesh() << ", [";
  for (int64_t dim = 0; dim < getRank(); ++dim) {
    printer << (dim ? ", " : "");
    SmallVector<StringAttr> axes = getDimAxes(dim);
    if (axes.empty() && isOpen(dim)) {
      printer << '?';
    } else {
      printer << '[';
      llvm::interleaveComma(axes, printer.getStream(), [&](StringAttr axis) { printer << axis; });
      printer << (isOpen(dim) ? ", ?]" : "]");
    }
    if (GranuleAttr granule = getGranule(dim); !granule.isOne()) {
      printer << " by ";
      printGranule(printer, granule.getFactor(), granule.getNames());
    }
    if (getWhole(dim) != -1)
      printer << " of " << getWhole(dim);
  }
  printer << ']';
  if (!getPartial().empty()) {
    printer << ", partial " << stringifyReduction(getReduction()) << " [";
    llvm::interleaveComma(getPartial(), printer.getStream(), [&](StringAttr axis) { printer << axis; });
    printer << ']';
  }
  printer << '>';
}

LogicalResult ShardingAttr::verify(EmitError emitError, FlatSymbolRefAttr, ArrayRef<ArrayAttr> dims,
                                   ArrayRef<GranuleAttr> granules, ArrayRef<int64_t>, ArrayRef<StringAttr> partial,
                                   Reduction reduction, ArrayRef<int64_t> wholes) {
  llvm::StringSet<> seen;
  for (ArrayAttr axes : dims)
    for (Attribute axis : axes) {
      auto name = dyn_cast<StringAttr>(axis);
      if (!name)
        return emitError() << "a sharding has the names of axes for each dimension, got " << axis;
      if (!seen.insert(name).second)
        return emitError() << "a sharding cuts along axis '" << name.getValue() << "' twice";
    }
  for (StringAttr axis : partial)
    if (!seen.insert(axis).second)
      return emitError() << "a sharding names axis '" << axis.getValue() << "' as cut or partial before";
  if (!granules.empty() && granules.size() != dims.size())
    return emitError() << "a sharding of " << dims.size() << " dimensions has " << granules.size() << " granules";
  if (!wholes.empty() && wholes.size() != dims.size())
    return emitError() << "a sharding of " << dims.size() << " dimensions has " << wholes.size() << " sizes";
  for (auto [dim, whole] : llvm::enumerate(wholes)) {
    int64_t factor = granules.empty() ? 1 : granules[dim].getFactor();
    if (whole < -1 || (whole != -1 && whole % factor))
      return emitError() << "a sharding cuts dimension " << dim << " of " << whole << " positions at multiples of "
                         << factor << ", which does not divide it";
  }
  return success();
}

//===--- Queries -------------------------------------------------------------------------------------------------===//

SmallVector<StringAttr> ShardingAttr::getDimAxes(int64_t dim) const {
  return llvm::to_vector(getAxes()[dim].getAsRange<StringAttr>());
}

GranuleAttr ShardingAttr::getGranule(int64_t dim) const {
  return getGranules().empty() ? GranuleAttr::get(getContext(), 1, {}) : getGranules()[dim];
}

bool ShardingAttr::isCutBy(StringRef axis) const {
  return llvm::any_of(getAxes(),
                      [&](ArrayAttr axes) { return llvm::is_contained(axes.getAsValueRange<StringAttr>(), axis); });
}

bool ShardingAttr::variesAlong(StringRef axis) const {
  return isCutBy(axis) || llvm::any_of(getPartial(), [&](StringAttr name) { return name.getValue() == axis; });
}

bool ShardingAttr::isReplicated() const {
  return getPartial().empty() && llvm::all_of(getAxes(), [](ArrayAttr axes) { return axes.empty(); });
}

ShardingAttr ShardingAttr::withWholes(ArrayRef<int64_t> wholes) const {
  bool isStated = llvm::any_of(wholes, [](int64_t whole) { return whole != -1; });
  return get(getContext(), getMesh(), getAxes(), getGranules(), getOpen(), getPartial(), getReduction(),
             isStated ? wholes : ArrayRef<int64_t>());
}

ShardingAttr ShardingAttr::getReplicated(FlatSymbolRefAttr mesh, int64_t rank) {
  return get(mesh.getContext(), mesh, SmallVector<ArrayAttr>(rank, ArrayAttr::get(mesh.getContext(), {})));
}

ShardingAttr ShardingAttr::withoutPartial() const {
  auto granules = llvm::map_to_vector(llvm::seq<int64_t>(0, getRank()), [&](int64_t dim) { return getGranule(dim); });
  return getNormalized(getMesh(), getAxes(), granules);
}

ShardingAttr ShardingAttr::getNormalized(FlatSymbolRefAttr mesh, ArrayRef<ArrayAttr> axes,
                                         ArrayRef<GranuleAttr> granules, ArrayRef<StringAttr> partial,
                                         Reduction reduction) {
  SmallVector<GranuleAttr> kept(granules);
  GranuleAttr one = GranuleAttr::get(mesh.getContext(), 1, {});
  for (auto [axes, granule] : llvm::zip(axes, kept)) // what is not cut has none
    granule = axes.empty() ? one : granule;
  if (llvm::all_of(kept, [](GranuleAttr granule) { return granule.isOne(); }))
    kept.clear();
  return get(mesh.getContext(), mesh, axes, kept, {}, partial, partial.empty() ? Reduction::Sum : reduction);
}
