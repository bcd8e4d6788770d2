// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsing, printing and verifying of the attributes.
#include "compiler/Dialect/Encoding/IR/EncodingOps.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle::encoding;

StringRef mlir::heddle::encoding::stringify(Role role) {
  switch (role) {
  case Role::Lhs: return "lhs";
  case Role::Rhs: return "rhs";
  case Role::Acc: return "acc";
  }
  return "";
}

StringRef mlir::heddle::encoding::stringify(ConvolutionRole role) {
  switch (role) {
  case ConvolutionRole::Input: return "input";
  case ConvolutionRole::Filter: return "filter";
  case ConvolutionRole::Result: return "result";
  }
  return "";
}

StringRef mlir::heddle::encoding::stringify(QuantizedRole role) {
  switch (role) {
  case QuantizedRole::Codes: return "codes";
  case QuantizedRole::Scales: return "scales";
  case QuantizedRole::Zeros: return "zeros";
  }
  return "";
}

template <typename RoleT> static FailureOr<RoleT> parseRole(AsmParser &parser, ArrayRef<RoleT> roles, StringRef known) {
  SMLoc location = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  for (RoleT role : roles)
    if (keyword == stringify(role))
      return role;
  return parser.emitError(location) << "a role is " << known << ", got " << keyword;
}

FailureOr<Role> FieldParser<Role>::parse(AsmParser &parser) {
  return parseRole<Role>(parser, {Role::Lhs, Role::Rhs, Role::Acc}, "lhs, rhs or acc");
}

FailureOr<ConvolutionRole> FieldParser<ConvolutionRole>::parse(AsmParser &parser) {
  return parseRole<ConvolutionRole>(parser, {ConvolutionRole::Input, ConvolutionRole::Filter, ConvolutionRole::Result},
                                    "input, filter or result");
}

FailureOr<QuantizedRole> FieldParser<QuantizedRole>::parse(AsmParser &parser) {
  return parseRole<QuantizedRole>(parser, {QuantizedRole::Codes, QuantizedRole::Scales, QuantizedRole::Zeros},
                                  "codes, scales or zeros");
}

// `, constant`, if it is.
static ParseResult parseConstant(AsmParser &parser, bool &constant) {
  constant = succeeded(parser.parseOptionalComma());
  return constant ? parser.parseKeyword("constant") : ParseResult(success());
}

static void printConstant(AsmPrinter &printer, bool constant) {
  if (constant)
    printer << ", constant";
}

static ParseResult parseGrouped(AsmParser &parser, bool &grouped) {
  grouped = succeeded(parser.parseOptionalComma());
  return grouped ? parser.parseKeyword("grouped") : ParseResult(success());
}

static void printGrouped(AsmPrinter &printer, bool grouped) {
  if (grouped)
    printer << ", grouped";
}

// `64, ?, 32`
static ParseResult parseSizes(AsmParser &parser, SmallVector<int64_t> &sizes) {
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    int64_t &size = sizes.emplace_back(ShapedType::kDynamic);
    return succeeded(parser.parseOptionalQuestion()) ? ParseResult(success()) : parser.parseInteger(size);
  });
}

static void printSizes(AsmPrinter &printer, ArrayRef<int64_t> sizes) {
  llvm::interleaveComma(sizes, printer.getStream(), [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      printer << '?';
    else
      printer << size;
  });
}

// `affine_map<…>, affine_map<…>`
static ParseResult parseMaps(AsmParser &parser, SmallVector<AffineMap> &maps) {
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    AffineMapAttr map;
    if (parser.parseAttribute(map))
      return failure();
    maps.push_back(map.getValue());
    return success();
  });
}

static void printMaps(AsmPrinter &printer, ArrayRef<AffineMap> maps) {
  llvm::interleaveComma(maps, printer.getStream(), [&](AffineMap map) { printer << AffineMapAttr::get(map); });
}

#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/Encoding/IR/EncodingAttrs.cpp.inc"

void EncodingDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/Dialect/Encoding/IR/EncodingAttrs.cpp.inc"
      >();
}

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

static bool isPermutation(ArrayRef<int64_t> values) {
  llvm::SmallBitVector seen(values.size());
  for (int64_t value : values) {
    if (value < 0 || value >= static_cast<int64_t>(values.size()) || seen.test(value))
      return false;
    seen.set(value);
  }
  return true;
}

//===--- contraction, convolution --------------------------------------------------------------------------------===//

// What both have to fulfil; `name` and `tensors` are for messages, `windowed` the map that may have a window or -1.
static LogicalResult verifyUse(EmitError emitError, StringRef name, StringRef tensors, ArrayRef<Type> types,
                               ArrayRef<AffineMap> maps, ArrayRef<int64_t> sizes, int windowed) {
  if (types.size() != 3 || maps.size() != 3)
    return emitError() << "a " << name << " has three types and three maps (" << tensors << "), got " << types.size()
                       << " and " << maps.size();
  for (Type type : types)
    if (!type.isIntOrFloat())
      return emitError() << "the element types of a " << name << " are integers or floats, got " << type;
  for (auto [i, map] : llvm::enumerate(maps)) {
    if (map.getNumSymbols() != 0 || map.getNumDims() != sizes.size())
      return emitError() << "each map of a " << name << " takes its " << sizes.size() << " loops and no symbols, got "
                         << AffineMapAttr::get(map);
    if (static_cast<int>(i) != windowed && !map.isProjectedPermutation())
      return emitError() << "the maps of a " << name << (windowed < 0 ? "" : " but its input's")
                         << " are projected permutations, got " << AffineMapAttr::get(map);
  }
  for (int64_t size : sizes)
    if (!ShapedType::isDynamic(size) && size < 0)
      return emitError() << "the sizes of a " << name << " are not negative, got " << size;
  return success();
}

template <typename AttrT>
static LogicalResult verifyTensor(AttrT self, StringRef name, ArrayRef<int64_t> shape, Type elementType,
                                  EmitError emitError) {
  AffineMap map = self.getOperandMap();
  if (map.getNumResults() != shape.size())
    return emitError() << "the " << stringify(self.getRole()) << " of this " << name << " has rank "
                       << map.getNumResults() << ", got a tensor of rank " << shape.size();
  if (self.getOperandElementType() != elementType)
    return emitError() << "the " << stringify(self.getRole()) << " of this " << name << " has elements of type "
                       << self.getOperandElementType() << ", got " << elementType;
  for (auto [dimension, expr] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      continue; // a window: the operand may be larger than what the loops read
    int64_t size = self.getSizes()[loop.getPosition()];
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(shape[dimension]) && size != shape[dimension])
      return emitError() << "dimension " << dimension << " of the " << stringify(self.getRole()) << " of this " << name
                         << " has size " << size << ", got " << shape[dimension];
  }
  return success();
}

LogicalResult ContractionAttr::verify(EmitError emitError, Role, ArrayRef<Type> types, ArrayRef<AffineMap> maps,
                                      ArrayRef<int64_t> sizes, bool) {
  return verifyUse(emitError, "contraction", "lhs, rhs, acc", types, maps, sizes, /*windowed=*/-1);
}

LogicalResult ContractionAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType, EmitError emitError) const {
  return verifyTensor(*this, "contraction", shape, elementType, emitError);
}

LogicalResult ConvolutionAttr::verify(EmitError emitError, ConvolutionRole, ArrayRef<Type> types,
                                      ArrayRef<AffineMap> maps, ArrayRef<int64_t> sizes, bool) {
  return verifyUse(emitError, "convolution", "input, filter, result", types, maps, sizes, /*windowed=*/0);
}

LogicalResult ConvolutionAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType, EmitError emitError) const {
  return verifyTensor(*this, "convolution", shape, elementType, emitError);
}

//===--- quantized -----------------------------------------------------------------------------------------------===//

LogicalResult QuantizedAttr::verify(EmitError emitError, QuantizedRole, Type code, bool) {
  if (!code.isIntOrFloat() || code.getIntOrFloatBitWidth() > 8)
    return emitError() << "codes are integers or floats of at most 8 bits, got " << code;
  return success();
}

LogicalResult QuantizedAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType, EmitError emitError) const {
  if (shape.empty())
    return emitError() << "the " << stringify(getRole()) << " of a quantised product have a dimension of columns, got "
                       << "a tensor of rank 0";
  if (getRole() == QuantizedRole::Codes && !elementType.isInteger(8))
    return emitError() << "codes lie in bytes, i8, got " << elementType;
  return success();
}

//===--- layout --------------------------------------------------------------------------------------------------===//

LogicalResult LayoutAttr::verify(EmitError emitError, ArrayRef<int64_t> perm, ArrayRef<int64_t> innerDims,
                                 ArrayRef<int64_t> innerTiles, ArrayRef<int64_t> swizzle) {
  int64_t rank = perm.size();
  if (!isPermutation(perm))
    return emitError() << "perm of a layout is a permutation of its dimensions, got [" << perm << "]";
  if (innerDims.size() != innerTiles.size())
    return emitError() << "a layout has a tile for each inner dimension, got " << innerDims.size() << " dimensions and "
                       << innerTiles.size() << " tiles";
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : innerDims) {
    if (dim < 0 || dim >= rank || seen.test(dim))
      return emitError() << "inner_dims of a layout are different dimensions below " << rank << ", got [" << innerDims
                         << "]";
    seen.set(dim);
  }
  for (int64_t tile : innerTiles)
    if (tile < 1)
      return emitError() << "inner_tiles of a layout are at least 1, got " << tile;
  if (!swizzle.empty() && (swizzle.size() != innerDims.size() || !isPermutation(swizzle)))
    return emitError() << "swizzle of a layout is empty or a permutation of its " << innerDims.size()
                       << " inner dimensions, got [" << swizzle << "]";
  return success();
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, EmitError emitError) const {
  if (getPerm().size() != shape.size())
    return emitError() << "this layout is for rank " << getPerm().size() << ", got a tensor of rank " << shape.size();
  return success();
}

int64_t LayoutAttr::getGranule(int64_t dimension) {
  for (auto [inner, tile] : llvm::zip(getInnerDims(), getInnerTiles()))
    if (inner == dimension)
      return tile;
  return 1;
}

//===--- by_device, by_target ------------------------------------------------------------------------------------===//

// Of a choice among `name`: what it holds.
static LogicalResult verifyChoice(EmitError emitError, StringRef name, StringRef among, ArrayRef<Attribute> layouts) {
  if (layouts.size() < 2)
    return emitError() << name << " has a layout for each of at least two " << among << ", got " << layouts.size();
  for (Attribute layout : layouts)
    if (!isa<LayoutAttr, IdentityAttr>(layout))
      return emitError() << name << " holds #encoding.layout and #encoding.identity, got " << layout;
  if (llvm::all_equal(layouts))
    return emitError() << name << " is for " << among << " that differ; use " << layouts.front();
  return success();
}

static LogicalResult verifyAll(EmitError emitError, ArrayRef<Attribute> layouts, ArrayRef<int64_t> shape,
                               Type elementType) {
  for (Attribute layout : layouts)
    if (auto checked = dyn_cast<LayoutAttr>(layout);
        checked && failed(checked.verifyEncoding(shape, elementType, emitError)))
      return failure();
  return success();
}

LogicalResult ByDeviceAttr::verify(EmitError emitError, FlatSymbolRefAttr, ArrayRef<Attribute> layouts) {
  return verifyChoice(emitError, "by_device", "alternatives", layouts);
}

LogicalResult ByDeviceAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType, EmitError emitError) const {
  return verifyAll(emitError, getLayouts(), shape, elementType);
}

LogicalResult ByTargetAttr::verify(EmitError emitError, ArrayRef<Attribute> targets, ArrayRef<Attribute> layouts) {
  if (targets.size() != layouts.size())
    return emitError() << "by_target has one layout for each target, got " << layouts.size() << " for "
                       << targets.size();
  return verifyChoice(emitError, "by_target", "targets", layouts);
}

LogicalResult ByTargetAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType, EmitError emitError) const {
  return verifyAll(emitError, getLayouts(), shape, elementType);
}

Attribute ByTargetAttr::getLayout(Attribute target) {
  const Attribute *found = llvm::find(getTargets(), target);
  return found == getTargets().end() ? Attribute() : getLayouts()[found - getTargets().begin()];
}
