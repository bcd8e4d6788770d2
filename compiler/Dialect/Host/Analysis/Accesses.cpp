// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Accesses.h"

using namespace mlir;
using namespace mlir::heddle::host;

static BufferRegion resolve(const HostAccess &access, const Assumptions &assumptions) {
  BufferRegion region = regionOf(access.buffer, assumptions);
  if (access.extent == HostAccess::Extent::Buffer)
    return region;
  if (access.extent == HostAccess::Extent::Root) {
    BufferRegion whole;
    whole.root = region.root;
    return whole;
  }
  region.offset = region.offset + Polynomial::of(access.offset);
  region.size = access.size ? Polynomial::of(access.size) : Polynomial(access.bytes);
  return region;
}

SmallVector<Access> mlir::heddle::host::accessesOf(Operation *op, const Assumptions &assumptions) {
  auto row = dyn_cast<HostOpInterface>(op);
  if (!row)
    return {};
  return llvm::map_to_vector(row.getAccesses(), [&](const HostAccess &access) {
    return Access{access.buffer, resolve(access, assumptions), access.reads, access.writes, access.ends};
  });
}

StorageKind mlir::heddle::host::storageKindOf(Value root) {
  auto row = dyn_cast_if_present<HostOpInterface>(root.getDefiningOp());
  return row ? row.getStorageKind() : StorageKind::None;
}

// Of an extra stream, which its value names.
static std::optional<StringRef> deviceOfExtra(Value stream) {
  if (auto extra = stream.getDefiningOp<StreamOp>())
    return extra.getDevice();
  if (auto extra = stream.getDefiningOp<StreamAtOp>())
    return extra.getDevice();
  auto loop = dyn_cast<StreamForOp>(stream.getParentBlock()->getParentOp());
  return loop && stream == loop.getMine() ? std::optional(loop.getDevice()) : std::nullopt;
}

llvm::SetVector<StringRef> mlir::heddle::host::devicesOf(Value stream) {
  llvm::SetVector<StringRef> devices;
  llvm::SetVector<Value> seen;
  seen.insert(stream);
  for (size_t i = 0; i < seen.size(); ++i) {
    SmallVector<Value> sources = sourcesOf(seen[i], Assumptions());
    seen.insert(sources.begin(), sources.end());
    if (std::optional<StringRef> device = deviceOfExtra(seen[i]))
      devices.insert(*device);
    else if (sources.empty())
      devices.insert(StringRef());
  }
  return devices;
}

SmallVector<bool> mlir::heddle::host::writtenArguments(FuncOp func) {
  SmallVector<Value> open;
  func.walk([&](Operation *op) {
    for (const Access &access : accessesOf(op))
      if (access.writes && !access.ends)
        open.push_back(access.region.root);
  });
  SmallVector<bool> written(func.getArgumentsAttr().size());
  for (llvm::DenseSet<Value> seen; !open.empty();) {
    Value next = regionOf(open.pop_back_val()).root;
    if (!seen.insert(next).second)
      continue;
    if (func.describe(next))
      written[cast<BlockArgument>(next).getArgNumber() - 1] = true;
    llvm::append_range(open, sourcesOf(next, Assumptions()));
  }
  return written;
}

std::string mlir::heddle::host::describe(Operation *op) {
  std::string text = "'" + op->getName().getStringRef().str() + "'";
  if (auto dispatch = dyn_cast<DispatchOp>(op))
    text += " of @" + dispatch.getExecutable().str();
  return text;
}

LogicalResult mlir::heddle::host::reportViolation(Operation *op, const Twine &message, const Assumptions &assumptions,
                                                  Operation *other) {
  InFlightDiagnostic diagnostic = op->emitOpError() << message << assumptions.describe();
  if (other)
    diagnostic.attachNote(other->getLoc()) << "the other op";
  return diagnostic;
}
