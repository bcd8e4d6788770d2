// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What collectives compute, as plainly as can be; along any dimension.
#include "compiler/Reference/Ranks.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::reference;
namespace contract = ::heddle::contract;
using contract::CollectiveKind;
using contract::Reduction;

namespace {

// Positions [begin, begin + size) along a dimension of a tensor, as a place to copy from or to.
struct Part {
  const Tensor &tensor;
  int64_t dim, begin, size;

  static int64_t product(ArrayRef<int64_t> sizes) {
    int64_t product = 1;
    for (int64_t size : sizes)
      product *= size;
    return product;
  }
  int64_t runs() const { return product(ArrayRef(tensor.shape).take_front(dim)); }
  size_t bytesOfPosition() const {
    return product(ArrayRef(tensor.shape).drop_front(dim + 1)) * contract::byteSize(tensor.type);
  }
  char *run(int64_t i) const { return tensor.data + (i * tensor.shape[dim] + begin) * bytesOfPosition(); }
};

// Tensors of one shape but for the dimension that is cut.
void copy(Part from, Part to) {
  assert(from.runs() == to.runs() && from.size == to.size);
  size_t bytes = from.size * from.bytesOfPosition();
  for (int64_t i = 0; bytes && i < from.runs(); ++i)
    std::memcpy(to.run(i), from.run(i), bytes);
}

Tensor cut(const Tensor &whole, int64_t dim, int64_t begin, int64_t size) {
  SmallVector<int64_t> shape(whole.shape);
  shape[dim] = size;
  Tensor piece = Tensor::allocate(whole.type, shape);
  copy({whole, dim, begin, size}, {piece, dim, 0, size});
  return piece;
}

Tensor join(ArrayRef<Tensor> pieces, int64_t dim) {
  SmallVector<int64_t> shape(pieces[0].shape);
  shape[dim] = 0;
  for (const Tensor &piece : pieces)
    shape[dim] += piece.shape[dim];
  Tensor whole = Tensor::allocate(pieces[0].type, shape);
  int64_t begin = 0;
  for (const Tensor &piece : pieces) {
    copy({piece, dim, 0, piece.shape[dim]}, {whole, dim, begin, piece.shape[dim]});
    begin += piece.shape[dim];
  }
  return whole;
}

template <typename T> T combine(Reduction reduction, T a, T b) {
  switch (reduction) {
  case Reduction::Sum: return a + b;
  case Reduction::Product: return a * b;
  case Reduction::Min:
  case Reduction::Max:
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(a) || std::isnan(b))
        return std::numeric_limits<T>::quiet_NaN();
    return (reduction == Reduction::Min) == (b < a) ? b : a;
  case Reduction::And:
  case Reduction::Or:
  case Reduction::Xor:
    if constexpr (std::is_integral_v<T>)
      return reduction == Reduction::And ? a & b : reduction == Reduction::Or ? a | b : a ^ b;
  }
  llvm_unreachable("no reduction of the type");
}

template <typename T> void reduceAs(Reduction reduction, ArrayRef<Tensor> operands, Tensor &into) {
  for (int64_t i = 0, count = into.count(); i < count; ++i) {
    T value = operands[0].elements<T>()[i];
    for (const Tensor &operand : operands.drop_front()) {
      if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
        if (reduction == Reduction::Sum || reduction == Reduction::Product) { // which may wrap
          using U = std::make_unsigned_t<T>;
          value = static_cast<T>(
              combine<uint64_t>(reduction, static_cast<U>(value), static_cast<U>(operand.elements<T>()[i])));
          continue;
        }
      value = combine<T>(reduction, value, operand.elements<T>()[i]);
    }
    into.elements<T>()[i] = value;
  }
}

// Floats of 16 bits are combined as f32 and rounded once.
void reduceNarrow(Reduction reduction, ArrayRef<Tensor> operands, Tensor &into) {
  for (int64_t i = 0, count = into.count(); i < count; ++i) {
    float value = static_cast<float>(operands[0].asDouble(i));
    for (const Tensor &operand : operands.drop_front())
      value = combine<float>(reduction, value, static_cast<float>(operand.asDouble(i)));
    into.setDouble(i, value);
  }
}

Tensor reduce(const CollectiveInfo &info, ArrayRef<Tensor> operands) {
  Tensor into = Tensor::allocate(operands[0].type, operands[0].shape);
  Reduction reduction = info.spec.reduction;
  switch (info.spec.type) {
  case ElementType::I1:
  case ElementType::U8: reduceAs<uint8_t>(reduction, operands, into); break;
  case ElementType::U16: reduceAs<uint16_t>(reduction, operands, into); break;
  case ElementType::U32: reduceAs<uint32_t>(reduction, operands, into); break;
  case ElementType::U64: reduceAs<uint64_t>(reduction, operands, into); break;
  case ElementType::I8: reduceAs<int8_t>(reduction, operands, into); break;
  case ElementType::I16: reduceAs<int16_t>(reduction, operands, into); break;
  case ElementType::I32: reduceAs<int32_t>(reduction, operands, into); break;
  case ElementType::I64: reduceAs<int64_t>(reduction, operands, into); break;
  case ElementType::F32: reduceAs<float>(reduction, operands, into); break;
  case ElementType::F64: reduceAs<double>(reduction, operands, into); break;
  default: reduceNarrow(reduction, operands, into);
  }
  return into;
}

// The piece of the member at a position, of all along the dimension that the collective cuts.
Tensor cutPiece(const CollectiveInfo &info, ArrayRef<contract::Cut> cuts, const Tensor &whole, unsigned position,
                int64_t members) {
  int64_t equal = whole.shape[info.dim] / members;
  contract::Cut pieces = cuts.empty() ? contract::Cut{members, equal, 0, members} : cuts.front();
  return cut(whole, info.dim, pieces.begin(position), pieces.size(position));
}

} // namespace

SmallVector<int64_t> reference::shapeOfResult(const CollectiveInfo &info, ArrayRef<contract::Cut> cuts,
                                              ArrayRef<int64_t> operand, int64_t members) {
  SmallVector<int64_t> shape(operand);
  if (info.spec.kind == CollectiveKind::Exchange) {
    shape[info.dim] = contract::neededOf(cuts, 0).size();
    return shape;
  }
  bool hasSources = contract::hasSourcePieces(info.spec.kind), hasTargets = contract::hasTargetPieces(info.spec.kind);
  if (hasSources)
    shape[info.dim] = cuts.empty() ? shape[info.dim] / members : cuts.front().size(0);
  if (hasTargets) {
    int64_t dim = hasSources ? info.concat : info.dim;
    shape[dim] = cuts.empty() ? shape[dim] * members : cuts.back().begin(members);
  }
  return shape;
}

std::string reference::explainOperand(const CollectiveInfo &info, ArrayRef<contract::Cut> cuts,
                                      ArrayRef<int64_t> operand, unsigned position, int64_t members) {
  if (std::string why = contract::explainCuts(info.spec.kind, cuts, members); !why.empty())
    return info.name + ": " + why;
  bool isExchange = info.spec.kind == CollectiveKind::Exchange;
  for (auto [i, cut] : llvm::enumerate(isExchange ? cuts.take_front(1) : cuts)) {
    bool isOwn = i == 1 || !contract::hasSourcePieces(info.spec.kind);
    int64_t dim = i == 1 ? info.concat : info.dim, expected = isOwn ? cut.size(position) : cut.begin(members);
    if (operand[dim] != expected)
      return info.name + ": dimension " + std::to_string(dim) + " of its operand is " + std::to_string(operand[dim]) +
             ", by its parts " + std::to_string(expected);
  }
  return "";
}

Tensor reference::computeCollective(const CollectiveInfo &info, ArrayRef<contract::Cut> cuts, ArrayRef<Tensor> operands,
                                    unsigned position) {
  int64_t count = operands.size();
  const Tensor &own = operands[position], &root = operands[info.spec.root];
  switch (info.spec.kind) {
  case CollectiveKind::AllGather: return join(operands, info.dim);
  case CollectiveKind::AllReduce: return reduce(info, operands);
  case CollectiveKind::ReduceScatter: return cutPiece(info, cuts, reduce(info, operands), position, count);
  case CollectiveKind::AllToAll: {
    SmallVector<Tensor> pieces;
    for (const Tensor &operand : operands)
      pieces.push_back(cutPiece(info, cuts, operand, position, count));
    return join(pieces, info.concat);
  }
  case CollectiveKind::Broadcast: return root;
  case CollectiveKind::Permute: {
    int64_t from = info.isRing ? contract::partnersOf(info.spec, position, count).from : -1;
    for (size_t i = 0; !info.isRing && i + 1 < info.spec.pairs.size(); i += 2)
      if (info.spec.pairs[i + 1] == position)
        from = info.spec.pairs[i];
    return from < 0 ? Tensor::allocate(own.type, own.shape) : operands[from];
  }
  case CollectiveKind::Gather: {
    Tensor whole = join(operands, info.dim);
    return position == info.spec.root ? whole : Tensor::allocate(whole.type, whole.shape);
  }
  case CollectiveKind::Scatter: return cutPiece(info, cuts, root, position, count);
  case CollectiveKind::Exchange: {
    auto zeros = [&](int64_t size) {
      SmallVector<int64_t> shape(own.shape);
      shape[info.dim] = size;
      return Tensor::allocate(own.type, shape);
    };
    auto [front, behind] = contract::zerosOf(cuts, position);
    SmallVector<Tensor> pieces{zeros(front)};
    for (int64_t member = 0; member < count; ++member) {
      contract::Positions had = contract::hadBy(cuts, member), moved = contract::movedBetween(cuts, member, position);
      pieces.push_back(cut(operands[member], info.dim, moved.size() ? moved.begin - had.begin : 0, moved.size()));
    }
    pieces.push_back(zeros(behind));
    return join(pieces, info.dim);
  }
  }
  llvm_unreachable("no collective");
}
