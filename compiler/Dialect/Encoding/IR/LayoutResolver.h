// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a device lays out tensors: the question that stage `resolve` asks for each encoding, and what memory they take.
//
// A resolver is bound to one executable target and pure: equal questions have equal answers, in any order, on any
// thread. A dynamic size never changes a layout. The table behind it is the one that code generation reads. How to get
// the one of a device: compiler/Target/LayoutResolvers.h.
//
//   Resolution answer = resolver.resolve(type);
//   if (answer.kind == Resolution::Layout) … answer.layout …
#ifndef HEDDLE_COMPILER_DIALECT_ENCODING_IR_LAYOUTRESOLVER_H
#define HEDDLE_COMPILER_DIALECT_ENCODING_IR_LAYOUTRESOLVER_H

#include "compiler/Dialect/Encoding/IR/PhysicalLayout.h"

#include "mlir/IR/Builders.h"

#include <string>

namespace mlir::heddle::encoding {

struct Resolution {
  enum Kind {
    Identity,    // plain row-major
    Layout,      // `layout`, which has at least one tile
    Unsupported, // `reason`, a clause that ends a sentence
  } kind = Identity;
  LayoutAttr layout;
  std::string reason;

  bool operator==(const Resolution &other) const { return kind == other.kind && layout == other.layout; }
};

class LayoutResolver {
public:
  virtual ~LayoutResolver() = default;

  // Of a type whose encoding is abstract.
  virtual Resolution resolve(RankedTensorType type) const = 0;
};

// Lays out nothing: everything stays in rows.
struct IdentityResolver : LayoutResolver {
  Resolution resolve(RankedTensorType) const override { return {}; }
};

} // namespace mlir::heddle::encoding

#endif // HEDDLE_COMPILER_DIALECT_ENCODING_IR_LAYOUTRESOLVER_H
