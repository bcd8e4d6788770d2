#include "compiler/Target/LayoutResolvers.h"

#include "compiler/Dialect/Device/IR/DeviceQuery.h"
#include "compiler/Target/TargetRegistry.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::encoding;

namespace {

using ResolverPtr = std::unique_ptr<LayoutResolver>;

struct Identity : LayoutResolver {
  Resolution resolve(RankedTensorType) const override { return {}; }
};

struct Unsupported : LayoutResolver {
  Resolution resolve(RankedTensorType) const override {
    return {Resolution::Unsupported, {}, "this resolver supports no encoding"};
  }
};

// The last two dimensions in tiles of 8 x 16, in rows of tiles.
struct Blocked : LayoutResolver {
  Resolution resolve(RankedTensorType type) const override {
    int64_t rank = type.getRank();
    if (rank < 2)
      return {};
    SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    return {Resolution::Layout, LayoutAttr::get(type.getContext(), perm, {rank - 2, rank - 1}, {8, 16}, {}), ""};
  }
};

// What all of a device's targets can read.
class Common : public LayoutResolver {
public:
  explicit Common(std::vector<ResolverPtr> targets) : targets(std::move(targets)) {}

  Resolution resolve(RankedTensorType type) const override {
    Resolution common = targets.front()->resolve(type);
    for (const ResolverPtr &target : ArrayRef(targets).drop_front()) {
      Resolution next = target->resolve(type);
      if (common.kind == Resolution::Unsupported || next.kind == Resolution::Unsupported)
        return common.kind == Resolution::Unsupported ? common : next;
      if (!(common == next))
        common = {};
    }
    return common;
  }

private:
  std::vector<ResolverPtr> targets; // at least one
};

ResolverPtr createByName(StringRef name) {
  if (name == "identity")
    return std::make_unique<Identity>();
  if (name == "unsupported")
    return std::make_unique<Unsupported>();
  if (name == "blocked")
    return std::make_unique<Blocked>();
  return nullptr;
}

} // namespace

// Of "blocked" all of it; of "gpu=blocked,cpu=identity" what stands for the device, "" where nothing does.
static StringRef nameFor(device::GlobalOp device, StringRef names) {
  if (!names.contains('='))
    return names;
  for (StringRef entry : llvm::split(names, ','))
    if (entry.split('=').first == device.getSymName())
      return entry.split('=').second;
  return "";
}

FailureOr<ResolverPtr> mlir::heddle::createLayoutResolver(device::GlobalOp device, StringRef names) {
  StringRef name = nameFor(device, names);
  if (!name.empty()) {
    if (ResolverPtr resolver = createByName(name))
      return resolver;
    return device.emitError() << "unknown layout resolver '" << name << "'; known: identity, unsupported, blocked";
  }
  std::vector<ResolverPtr> resolvers;
  device::DeviceQuery query(device->getParentOfType<ModuleOp>());
  for (device::ExecutableAttr target : query.getTargets(device)) {
    FailureOr<const Target *> kind = getTarget(device, target);
    if (failed(kind))
      return failure();
    FailureOr<ResolverPtr> resolver = (*kind)->createLayoutResolver(device, target);
    if (failed(resolver))
      return failure();
    resolvers.push_back(std::move(*resolver));
  }
  if (resolvers.empty())
    return device.emitError() << "names no executable target: nothing can be laid out for it";
  return ResolverPtr(std::make_unique<Common>(std::move(resolvers)));
}
