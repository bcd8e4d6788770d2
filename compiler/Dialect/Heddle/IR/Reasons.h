// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why values and nodes of the model are on their devices, where no op is left that could say so: `heddle.reasons` on
// the module, a dictionary of texts. What `heddle explain` prints; no pass decides by it.
//
//   Reasons reasons(module);
//   reasons.addPin("/encoder/MatMul_3", "gpu", "pinned by place.txt:2");
//   reasons.store(module);
#ifndef HEDDLE_COMPILER_DIALECT_HEDDLE_IR_REASONS_H
#define HEDDLE_COMPILER_DIALECT_HEDDLE_IR_REASONS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle {

inline constexpr llvm::StringLiteral kReasonsAttr = "heddle.reasons";

class Reasons {
public:
  explicit Reasons(ModuleOp module) : context(module.getContext()) {
    if (auto known = module->getAttrOfType<DictionaryAttr>(kReasonsAttr))
      entries = NamedAttrList(known);
  }

  void addPin(llvm::StringRef node, llvm::StringRef device, llvm::StringRef why) { add(pinKey(node, device), why); }
  void addArgument(llvm::StringRef function, unsigned argument, llvm::StringRef why) {
    add(argumentKey(function, argument), why);
  }
  // Leaves the module as it is when there is nothing to say.
  void store(ModuleOp module) const {
    if (!entries.empty())
      module->setAttr(kReasonsAttr, entries.getDictionary(context));
  }

  // "" when nothing was said.
  llvm::StringRef findPin(llvm::StringRef node, llvm::StringRef device) const { return find(pinKey(node, device)); }
  llvm::StringRef findArgument(llvm::StringRef function, unsigned argument) const {
    return find(argumentKey(function, argument));
  }

private:
  static std::string pinKey(llvm::StringRef node, llvm::StringRef device) {
    return ("pin " + device + " " + node).str();
  }
  static std::string argumentKey(llvm::StringRef function, unsigned argument) {
    return ("argument " + function + " " + llvm::Twine(argument)).str();
  }
  // The first reason stays.
  void add(const std::string &key, llvm::StringRef why) {
    if (!entries.get(key))
      entries.set(StringAttr::get(context, key), StringAttr::get(context, why));
  }
  llvm::StringRef find(const std::string &key) const {
    auto text = llvm::dyn_cast_if_present<StringAttr>(entries.get(key));
    return text ? text.getValue() : "";
  }

  MLIRContext *context;
  NamedAttrList entries;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_HEDDLE_IR_REASONS_H
