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

// Part `part` of `count` along a dimension of a tensor, as a place to copy from or to.
struct Part {
  const Tensor &tensor;
  int64_t dim, part, count;

  int64_t runs() const {
    int64_t runs = 1;
    for (int64_t size : ArrayRef(tensor.shape).take_front(dim))
      runs *= size;
    return runs;
  }
  // Bytes of one run of the tensor, and of the part.
  size_t stride() const { return runs() ? tensor.byteCount() / runs() : 0; }
  size_t bytes() const { return stride() / count; }
  char *run(int64_t i) const { return tensor.data + i * stride() + part * bytes(); }
};

// Tensors of one shape but for the dimension that is cut.
void copy(Part from, Part to) {
  if (from.runs() == to.runs()) {
    for (int64_t i = 0; i < from.runs(); ++i)
      if (size_t bytes = from.bytes())
        std::memcpy(to.run(i), from.run(i), bytes);
    return;
  }
  llvm_unreachable("parts of different dimensions");
}

Tensor cut(const Tensor &whole, int64_t dim, int64_t part, int64_t count) {
  SmallVector<int64_t> shape(whole.shape);
  shape[dim] /= count;
  Tensor piece = Tensor::allocate(whole.type, shape);
  copy({whole, dim, part, count}, {piece, dim, 0, 1});
  return piece;
}

Tensor join(ArrayRef<Tensor> pieces, int64_t dim) {
  SmallVector<int64_t> shape(pieces[0].shape);
  int64_t count = pieces.size();
  shape[dim] *= count;
  Tensor whole = Tensor::allocate(pieces[0].type, shape);
  for (int64_t i = 0; i < count; ++i)
    copy({pieces[i], dim, 0, 1}, {whole, dim, i, count});
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

} // namespace

Tensor reference::computeCollective(const CollectiveInfo &info, ArrayRef<Tensor> operands, unsigned position) {
  int64_t count = operands.size();
  const Tensor &own = operands[position], &root = operands[info.spec.root];
  switch (info.spec.kind) {
  case CollectiveKind::AllGather: return join(operands, info.dim);
  case CollectiveKind::AllReduce: return reduce(info, operands);
  case CollectiveKind::ReduceScatter: return cut(reduce(info, operands), info.dim, position, count);
  case CollectiveKind::AllToAll: {
    SmallVector<Tensor> pieces;
    for (const Tensor &operand : operands)
      pieces.push_back(cut(operand, info.dim, position, count));
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
  case CollectiveKind::Scatter: return cut(root, info.dim, position, count);
  }
  llvm_unreachable("no collective");
}
