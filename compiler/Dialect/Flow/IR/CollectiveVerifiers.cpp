// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What coordinates and collectives must be. What a mesh's free sizes decide is checked when the module is loaded.
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"

#include "compiler/Dialect/Suggest.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;
namespace contract = ::heddle::contract;

static constexpr int64_t kFree = device::MeshOp::kFree;

static device::MeshOp lookupMesh(Operation *op, FlatSymbolRefAttr name, SymbolTableCollection &symbols) {
  auto mesh = symbols.lookupNearestSymbolFrom<device::MeshOp>(op, name);
  if (!mesh)
    op->emitOpError() << "names no device.mesh: " << name;
  return mesh;
}

static LogicalResult verifyAxis(Operation *op, device::MeshOp mesh, StringRef axis) {
  if (mesh.findAxis(axis))
    return success();
  std::vector<std::string> known;
  for (StringRef name : mesh.getAxes().getAsValueRange<StringAttr>())
    known.push_back(name.str());
  return op->emitOpError() << "names axis '" << axis << "', which mesh @" << mesh.getSymName()
                           << " does not have; its axes: " << listNames(known) << didYouMean(axis, known);
}

template <typename Op> static LogicalResult verifyAlong(Op op, SymbolTableCollection &symbols) {
  device::MeshOp mesh = lookupMesh(op, op.getMeshAttr(), symbols);
  return mesh ? verifyAxis(op, mesh, op.getAxis()) : failure();
}

LogicalResult CoordinateOp::verifySymbolUses(SymbolTableCollection &symbols) { return verifyAlong(*this, symbols); }
LogicalResult MeshSizeOp::verifySymbolUses(SymbolTableCollection &symbols) { return verifyAlong(*this, symbols); }
LogicalResult MemberOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(lookupMesh(*this, getMeshAttr(), symbols) != nullptr);
}

//===--- Collectives ---------------------------------------------------------------------------------------------===//

namespace {

// The attributes `dim`, or `split` and `concat`, of the collective's kind.
struct Pieces {
  RankedTensorType whole, piece;
  int64_t dim;
};

class CollectiveVerifier {
public:
  CollectiveVerifier(CollectiveOpInterface op, device::MeshOp mesh) : op(op), mesh(mesh) {}

  LogicalResult verify() {
    if (failed(verifyMembers()) || failed(verifyTypes()) || failed(verifySpec()))
      return failure();
    size = getGroupSize(op, mesh);
    if (failed(verifyCutValues()))
      return failure();
    return TypeSwitch<Operation *, LogicalResult>(op)
        .Case<AllGatherOp, GatherOp>([&](auto gather) {
          return verifyPieces({op.getResultType(), op.getOperandType(), static_cast<int64_t>(gather.getDim())},
                              "result", "operand");
        })
        .Case<ReduceScatterOp, ScatterOp>([&](auto scatter) {
          return verifyPieces({op.getOperandType(), op.getResultType(), static_cast<int64_t>(scatter.getDim())},
                              "operand", "result");
        })
        .Case([&](AllToAllOp exchange) { return verifyExchange(exchange); })
        .Case([&](ExchangeOp exchange) { return verifyWindows(exchange); })
        .Default(success());
  }

private:
  InFlightDiagnostic error() { return op->emitOpError(); }

  LogicalResult verifyMembers() {
    ArrayAttr groups = op.getGroupsAttr();
    if (groups && !llvm::all_of(groups, llvm::IsaPred<DenseI64ArrayAttr>))
      return error() << "has groups that are no lists of ranks: " << groups;
    if (groups && (groups.empty() || !op.getAxes().empty()))
      return error() << "joins the ranks of axes or of groups, one or more, got axes " << op.getAxes() << " and groups "
                     << groups;
    if (groups && mesh.getNumRanks() == kFree)
      return error() << "lists groups of mesh @" << mesh.getSymName() << ", which has a free size, " << mesh.describe()
                     << "; name axes, or give the size (--mesh=)";
    llvm::StringSet<> seen;
    for (StringRef axis : op.getAxes().getAsValueRange<StringAttr>()) {
      if (failed(verifyAxis(op, mesh, axis)))
        return failure();
      if (!seen.insert(axis).second)
        return error() << "names axis '" << axis << "' twice";
    }
    if (!groups && op.getAxes().empty())
      return error() << "joins no ranks: name axes of mesh @" << mesh.getSymName() << ", " << mesh.describe();
    return success();
  }

  LogicalResult verifyTypes() {
    RankedTensorType operand = op.getOperandType(), result = op.getResultType();
    if (operand.getEncoding() || result.getEncoding())
      return error() << "takes and gives plain tensors, got " << operand << " and " << result;
    if (operand.getElementType() != result.getElementType())
      return error() << "keeps the element type, got " << operand << " and " << result;
    if (getElementType() == contract::ElementType::None)
      return error() << "moves numbers that a buffer can hold, got elements of " << operand.getElementType();
    if (operand == result && op.getOperandDims() == op.getResultDims())
      return verifyDims(op, operand, op.getOperandDims(), "operand");
    return failure(failed(verifyDims(op, operand, op.getOperandDims(), "operand")) ||
                   failed(verifyDims(op, result, op.getResultDims(), "result")));
  }

  // None for what is no element of a buffer, such as index.
  contract::ElementType getElementType() {
    Type element = op.getOperandType().getElementType();
    if (auto integer = dyn_cast<IntegerType>(element); integer && integer.isSigned())
      element = IntegerType::get(element.getContext(), integer.getWidth());
    std::string text;
    llvm::raw_string_ostream(text) << element;
    return contract::parseElementType(text);
  }

  LogicalResult verifyUnsigned(Reduction reduction) {
    auto integer = dyn_cast<IntegerType>(op.getOperandType().getElementType());
    bool compares = contract::Reduction::Min == getContractReduction(reduction) ||
                    contract::Reduction::Max == getContractReduction(reduction);
    if (isUnsigned(reduction) && (!integer || integer.isSigned()))
      return error() << stringifyReduction(reduction) << " is of unsigned integers, got elements of "
                     << op.getOperandType().getElementType();
    if (compares && integer && integer.getWidth() == 1)
      return error() << "combines i1 by 'and', 'or' and 'xor', got '" << stringifyReduction(reduction) << "'";
    if (compares && !isUnsigned(reduction) && integer && integer.isUnsigned())
      return error() << stringifyReduction(reduction) << " is of signed integers and floats; of unsigned ones it is u"
                     << stringifyReduction(reduction);
    return success();
  }

  // Everything that the runtime's half of the contract asks, too.
  LogicalResult verifySpec() {
    contract::CollectiveSpec spec;
    spec.kind = op.getKind();
    spec.type = getElementType();
    spec.group = getGroupSpec(op, mesh);
    if (std::optional<Reduction> reduction = op.getCombiner()) {
      if (failed(verifyUnsigned(*reduction)))
        return failure();
      spec.reduction = getContractReduction(*reduction);
    }
    if (auto root = op->getAttrOfType<IntegerAttr>("root"))
      spec.root = root.getInt();
    if (auto permute = dyn_cast<PermuteOp>(*op)) {
      spec.shift = permute.getShift();
      if (permute.getPairs())
        spec.pairs.assign(permute.getPairs()->begin(), permute.getPairs()->end());
    }
    ArrayRef<int64_t> sizes = mesh.getSizes();
    std::string why = contract::explainCollective(spec, {sizes.data(), sizes.size()});
    if (!why.empty())
      return error() << "over mesh @" << mesh.getSymName() << ", " << mesh.describe() << ": " << why;
    return success();
  }

  LogicalResult verifyDim(int64_t dim, RankedTensorType type) {
    if (dim >= 0 && dim < type.getRank())
      return success();
    return error() << "has no dimension " << dim << ": " << type;
  }

  // All dimensions of the two types but those are alike.
  LogicalResult verifyOthers(ArrayRef<int64_t> changed) {
    RankedTensorType operand = op.getOperandType(), result = op.getResultType();
    if (operand.getRank() != result.getRank())
      return error() << "keeps the number of dimensions, got " << operand << " and " << result;
    for (int64_t i = 0; i < operand.getRank(); ++i)
      if (!llvm::is_contained(changed, i) && operand.getDimSize(i) != result.getDimSize(i))
        return error() << "keeps dimension " << i << ", got " << operand << " and " << result;
    return success();
  }

  LogicalResult verifyPieces(Pieces pieces, StringRef whole, StringRef piece) {
    if (failed(verifyOthers({pieces.dim})) || failed(verifyDim(pieces.dim, pieces.whole)))
      return failure();
    return op.isCut() ? verifyCut(getCuts(op).front(), pieces) : verifyFactor(pieces, whole, piece);
  }

  // Who has which piece is said along axes: places in lists of ranks are nobody's coordinates.
  LogicalResult verifyCutValues() {
    bool isExchange = isa<ExchangeOp>(op);
    size_t values = isExchange ? kExchangeValues : 4 * contract::cutsOf(op.getKind());
    if (isExchange && op.getCut().size() != values)
      return error() << "says by " << values << " values how a dimension and a loop are cut (four each), scale, "
                     << "extent and first of its windows, and zeros in front and behind, got " << op.getCut().size();
    if (!op.isCut())
      return success();
    if (op.getCut().size() != values)
      return error() << "is cut by " << values << " values (granules, positions of a granule, the first part, parts"
                     << (values > 4 ? "; of 'split', then of 'concat')" : ")") << ", got " << op.getCut().size();
    if (op.getGroupsAttr())
      return error() << "cuts pieces that need not be of one size over lists of ranks; name axes";
    return success();
  }

  // What constants and types say; the rest is checked when it runs.
  LogicalResult verifyCut(const CutDim &dim, Pieces pieces) {
    SmallVector<int64_t, 4> numbers;
    for (Value value : {dim.granules, dim.granule, dim.first, dim.parts})
      if (std::optional<int64_t> number = getConstantIntValue(value))
        numbers.push_back(*number);
    if (numbers.size() != 4)
      return success();
    contract::Cut cut{numbers[0], numbers[1], numbers[2], numbers[3]};
    if (std::string why = contract::explainCut(cut, size == kFree ? 1 : size); !why.empty())
      return error() << "cuts dimension " << dim.dim << ": " << why;
    int64_t all = pieces.whole.getDimSize(dim.dim), one = pieces.piece.getDimSize(dim.dim);
    StringRef whole = dim.isOfOperand ? "operand" : "result", piece = dim.isOfOperand ? "result" : "operand";
    if (size != kFree && !ShapedType::isDynamic(all) && all != cut.begin(size))
      return error() << "cuts dimension " << dim.dim << " of its " << whole << " into parts of " << cut.begin(size)
                     << " positions, got " << all;
    // Sizes of parts differ by one granule at most, so a sum that is right says that all are.
    int64_t known = size == kFree ? 1 : size;
    if (ShapedType::isDynamic(one) || (cut.begin(known) == known * one && one % cut.granule == 0))
      return success();
    int64_t other = 0;
    while (cut.size(other) == one)
      ++other;
    return error() << "gives member " << other << " " << cut.size(other) << " positions of dimension " << dim.dim
                   << ", but its " << piece << " has " << one << " on each member";
  }

  // `whole` is `size` pieces along the dimension.
  LogicalResult verifyFactor(Pieces pieces, StringRef whole, StringRef piece) {
    int64_t all = pieces.whole.getDimSize(pieces.dim), one = pieces.piece.getDimSize(pieces.dim);
    if (ShapedType::isDynamic(all) || size == kFree)
      return success();
    if (all % size)
      return error() << "cuts dimension " << pieces.dim << " of its " << whole << ", " << all << ", into " << size
                     << " equal parts, which leaves a rest of " << all % size;
    if (!ShapedType::isDynamic(one) && all / size != one)
      return error() << "has " << size << " members, so dimension " << pieces.dim << " of its " << whole
                     << " is that many times its " << piece << "'s, got " << all << " and " << one;
    return success();
  }

  LogicalResult verifyExchange(AllToAllOp exchange) {
    int64_t split = exchange.getSplit(), concat = exchange.getConcat();
    RankedTensorType operand = op.getOperandType(), result = op.getResultType();
    if (failed(verifyOthers({split, concat})) || failed(verifyDim(split, operand)) ||
        failed(verifyDim(concat, operand)))
      return failure();
    if (op.isCut()) {
      if (split == concat)
        return error() << "cuts and joins one dimension, " << split << ", in pieces that need not be of one size";
      SmallVector<CutDim> cuts = getCuts(op);
      return failure(failed(verifyCut(cuts[0], {operand, result, split})) ||
                     failed(verifyCut(cuts[1], {result, operand, concat})));
    }
    if (split != concat)
      return failure(failed(verifyFactor({operand, result, split}, "operand", "result")) ||
                     failed(verifyFactor({result, operand, concat}, "result", "operand")));
    if (operand != result)
      return error() << "keeps the type where it splits and concatenates one dimension, got " << operand << " and "
                     << result;
    RankedTensorType anySize =
        RankedTensorType::get(SmallVector<int64_t>(operand.getRank(), ShapedType::kDynamic), operand.getElementType());
    return verifyFactor({operand, anySize, split}, "operand", "part");
  }

  // What constants and types say; the rest is checked when it runs.
  LogicalResult verifyWindows(ExchangeOp exchange) {
    int64_t dim = exchange.getDim();
    RankedTensorType operand = op.getOperandType(), result = op.getResultType();
    if (failed(verifyOthers({dim})) || failed(verifyDim(dim, operand)))
      return failure();
    SmallVector<int64_t> numbers;
    for (Value value : op.getCut())
      if (std::optional<int64_t> number = getConstantIntValue(value))
        numbers.push_back(*number);
    if (numbers.size() != kExchangeValues || size == kFree)
      return success();
    contract::Cut cuts[4] = {{numbers[0], numbers[1], numbers[2], numbers[3]},
                             {numbers[4], numbers[5], numbers[6], numbers[7]},
                             {numbers[8], numbers[9], numbers[10], 1},
                             {numbers[11], numbers[12], 0, 0}};
    if (std::string why = contract::explainCuts(op.getKind(), cuts, size); !why.empty())
      return error() << "along dimension " << dim << ": " << why;
    auto verifySide = [&](StringRef side, int64_t known, auto &&positionsOf) -> LogicalResult {
      for (int64_t member = 0; !ShapedType::isDynamic(known) && member < size; ++member)
        if (int64_t expected = positionsOf(cuts, member).size(); expected != known)
          return error() << (side == "operand" ? "takes " : "gives member ") << (side == "operand" ? "of member " : "")
                         << member << " " << expected << " positions of dimension " << dim << ", but its " << side
                         << " has " << known << " on each member";
      return success();
    };
    return failure(failed(verifySide("operand", operand.getDimSize(dim), contract::hadBy)) ||
                   failed(verifySide("result", result.getDimSize(dim), contract::neededOf)));
  }

  CollectiveOpInterface op;
  device::MeshOp mesh;
  int64_t size = kFree;
};

template <typename Op> LogicalResult verifyCollective(Op op, SymbolTableCollection &symbols) {
  device::MeshOp mesh = lookupMesh(op, op.getMeshAttr(), symbols);
  return mesh ? CollectiveVerifier(op, mesh).verify() : failure();
}

} // namespace

LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &symbols) { return verifyCollective(*this, symbols); }
LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &symbols) { return verifyCollective(*this, symbols); }
LogicalResult ReduceScatterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyCollective(*this, symbols);
}
LogicalResult AllToAllOp::verifySymbolUses(SymbolTableCollection &symbols) { return verifyCollective(*this, symbols); }
LogicalResult BroadcastOp::verifySymbolUses(SymbolTableCollection &symbols) { return verifyCollective(*this, symbols); }
LogicalResult PermuteOp::verifySymbolUses(SymbolTableCollection &symbols) { return verifyCollective(*this, symbols); }
LogicalResult GatherOp::verifySymbolUses(SymbolTableCollection &symbols) { return verifyCollective(*this, symbols); }
LogicalResult ScatterOp::verifySymbolUses(SymbolTableCollection &symbols) { return verifyCollective(*this, symbols); }
LogicalResult ExchangeOp::verifySymbolUses(SymbolTableCollection &symbols) { return verifyCollective(*this, symbols); }
