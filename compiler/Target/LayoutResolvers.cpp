// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Target/LayoutResolvers.h"

#include "compiler/Target/TargetRegistry.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::encoding;

namespace {

using ResolverPtr = std::unique_ptr<LayoutResolver>;

struct Unsupported : LayoutResolver {
  Resolution resolve(RankedTensorType) const override {
    return {Resolution::Unsupported, {}, "this resolver supports no encoding"};
  }
};

// The last two dimensions in tiles, 8 x 16 unless told, in rows of tiles.
struct Blocked : LayoutResolver {
  Blocked(int64_t rows, int64_t columns) : rows(rows), columns(columns) {}

  Resolution resolve(RankedTensorType type) const override {
    int64_t rank = type.getRank();
    if (rank < 2)
      return {};
    SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    return {Resolution::Layout, LayoutAttr::get(type.getContext(), perm, {rank - 2, rank - 1}, {rows, columns}, {}),
            ""};
  }

  int64_t rows, columns;
};

ResolverPtr createByName(StringRef name) {
  if (name == "identity")
    return std::make_unique<IdentityResolver>();
  if (name == "unsupported")
    return std::make_unique<Unsupported>();
  if (name == "blocked")
    return std::make_unique<Blocked>(8, 16);
  auto [rows, columns] = name.split('x');
  int64_t tileRows = 0, tileColumns = 0;
  if (rows.consume_front("blocked:") && !rows.getAsInteger(10, tileRows) && !columns.getAsInteger(10, tileColumns) &&
      tileRows > 0 && tileColumns > 0)
    return std::make_unique<Blocked>(tileRows, tileColumns);
  return nullptr;
}

std::string explainUnknown(StringRef name) {
  return ("unknown layout resolver '" + name + "'; known: identity, unsupported, blocked, blocked:RxC").str();
}

} // namespace

// Of "blocked" all of it; of "gpu=blocked,x86-64-v3=identity" what stands for the device or else for the target, ""
// where nothing does.
StringRef mlir::heddle::findLayoutResolver(device::GlobalOp device, device::ExecutableAttr target, StringRef names) {
  if (!names.contains('='))
    return names;
  const Target *kind = findTarget(target.getFormat().getValue());
  for (const std::string &key : {device.getSymName().str(), kind ? kind->spell(target) : std::string()})
    for (StringRef entry : llvm::split(names, ','))
      if (auto [known, name] = entry.rsplit('='); known == key)
        return name;
  return "";
}

FailureOr<ResolverPtr> mlir::heddle::createLayoutResolver(Operation *op, device::ExecutableAttr target,
                                                          StringRef name) {
  if (name.empty()) {
    FailureOr<const Target *> kind = getTarget(op, target);
    if (failed(kind))
      return failure();
    return (*kind)->createLayoutResolver(op, target);
  }
  if (ResolverPtr resolver = createByName(name))
    return resolver;
  return op->emitError() << explainUnknown(name);
}

std::string mlir::heddle::explainUnknownResolver(StringRef names) {
  if (names.empty() || !names.contains('='))
    return names.empty() || createByName(names) ? "" : explainUnknown(names);
  for (StringRef entry : llvm::split(names, ','))
    if (StringRef name = entry.contains('=') ? entry.rsplit('=').second : entry; !createByName(name))
      return explainUnknown(name);
  return "";
}
