// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Interpreter/Combine.h"

#include "compiler/Analysis/StorageBytes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

#include <cstring>

using namespace mlir;
using namespace mlir::heddle;
using ::heddle::contract::Reduction;

static llvm::APFloat combineFloats(Reduction reduction, const llvm::APFloat &a, const llvm::APFloat &b) {
  switch (reduction) {
  case Reduction::Sum: return a + b;
  case Reduction::Product: return a * b;
  case Reduction::Min: return llvm::minimum(a, b);
  case Reduction::Max: return llvm::maximum(a, b);
  default: llvm_unreachable("no reduction of floats");
  }
}

static llvm::APInt combineIntegers(Reduction reduction, const llvm::APInt &a, const llvm::APInt &b, bool isUnsigned) {
  switch (reduction) {
  case Reduction::Sum: return a + b;
  case Reduction::Product: return a * b;
  case Reduction::Min: return isUnsigned ? llvm::APIntOps::umin(a, b) : llvm::APIntOps::smin(a, b);
  case Reduction::Max: return isUnsigned ? llvm::APIntOps::umax(a, b) : llvm::APIntOps::smax(a, b);
  case Reduction::And: return a & b;
  case Reduction::Or: return a | b;
  case Reduction::Xor: return a ^ b;
  }
  llvm_unreachable("no reduction");
}

std::vector<std::byte> mlir::heddle::host::combine(Reduction reduction, Type type,
                                                   const std::vector<std::span<const std::byte>> &sources) {
  size_t bytes = storageBytes(type);
  unsigned bits = 8 * bytes; // what is narrower is kept extended
  auto element = [&](size_t source, size_t i) {
    uint64_t raw = 0;
    std::memcpy(&raw, sources[source].data() + i * bytes, bytes);
    return llvm::APInt(bits, raw);
  };
  auto floatType = dyn_cast<FloatType>(type);
  const llvm::fltSemantics &wide = bits == 64 ? llvm::APFloat::IEEEdouble() : llvm::APFloat::IEEEsingle();
  auto widen = [&](const llvm::APInt &raw) {
    llvm::APFloat value(floatType.getFloatSemantics(), raw);
    bool isInexact = false;
    value.convert(wide, llvm::APFloat::rmNearestTiesToEven, &isInexact);
    return value;
  };
  std::vector<std::byte> out(sources[0].size());
  for (size_t i = 0; i < out.size() / bytes; ++i) {
    llvm::APInt result = element(0, i);
    if (floatType) {
      llvm::APFloat value = widen(result);
      for (size_t source = 1; source < sources.size(); ++source)
        value = combineFloats(reduction, value, widen(element(source, i)));
      bool isInexact = false;
      value.convert(floatType.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &isInexact);
      result = value.bitcastToAPInt();
    } else {
      for (size_t source = 1; source < sources.size(); ++source)
        result = combineIntegers(reduction, result, element(source, i), type.isUnsignedInteger() || type.isInteger(1));
    }
    uint64_t raw = result.getZExtValue();
    std::memcpy(out.data() + i * bytes, &raw, bytes);
  }
  return out;
}
