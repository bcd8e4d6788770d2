// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a rank knows of its place, and what it does in a collective.
#include "compiler/Dialect/Host/IR/ElementTypes.h"
#include "compiler/Dialect/Host/Interpreter/ByteMachine.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::host;
namespace contract = ::heddle::contract;

static std::span<const int64_t> spanOf(ArrayRef<int64_t> list) { return {list.data(), list.size()}; }

//===--- Its place -----------------------------------------------------------------------------------------------===//

FailureOr<SmallVector<int64_t>> ByteMachine::sizesOf(Operation *op, device::MeshOp mesh) {
  int64_t ranks = (session.world ? session.world->size() : 1) - static_cast<int64_t>(mesh.getFirst());
  SmallVector<int64_t> sizes(mesh.getSizes());
  int64_t known = 1;
  for (int64_t size : sizes)
    known *= size == contract::kFreeSize ? 1 : size;
  if (llvm::count(sizes, contract::kFreeSize) > 1)
    return LogicalResult(fail(op, "asks for mesh @" + mesh.getSymName() + ", which has more than one free size"));
  llvm::replace(sizes, contract::kFreeSize, std::max<int64_t>(ranks / known, 1));
  if (int64_t needed = *contract::ranksOf(spanOf(sizes)); needed > ranks)
    return LogicalResult(fail(op, "asks for mesh @" + mesh.getSymName() + " of " + Twine(needed) +
                                      " ranks, there are " + Twine(std::max<int64_t>(ranks, 0))));
  return sizes;
}

std::optional<int64_t> ByteMachine::rankIn(device::MeshOp mesh, ArrayRef<int64_t> sizes) {
  int64_t rank = session.rank - static_cast<int64_t>(mesh.getFirst());
  return rank >= 0 && rank < *contract::ranksOf(spanOf(sizes)) ? std::optional(rank) : std::nullopt;
}

FailureOr<int64_t> ByteMachine::coordinateOf(Operation *op, device::MeshOp mesh, unsigned axis) {
  FailureOr<SmallVector<int64_t>> sizes = sizesOf(op, mesh);
  if (failed(sizes))
    return failure();
  std::optional<int64_t> rank = rankIn(mesh, *sizes);
  return rank ? contract::coordinatesOf(spanOf(*sizes), *rank)[axis] : 0;
}

FailureOr<int64_t> ByteMachine::meshSizeOf(Operation *op, device::MeshOp mesh, unsigned axis) {
  FailureOr<SmallVector<int64_t>> sizes = sizesOf(op, mesh);
  if (failed(sizes))
    return failure();
  return (*sizes)[axis];
}

FailureOr<int64_t> ByteMachine::isMember(Operation *op, device::MeshOp mesh) {
  FailureOr<SmallVector<int64_t>> sizes = sizesOf(op, mesh);
  if (failed(sizes))
    return failure();
  return int64_t{rankIn(mesh, *sizes).has_value()};
}

//===--- Collectives ---------------------------------------------------------------------------------------------===//

FailureOr<std::vector<contract::Cut>> ByteMachine::cutsOf(CollectiveOp op, int64_t members) {
  std::vector<contract::Cut> cuts;
  for (ValueRange values = op.getCut(); !values.empty(); values = values.drop_front(4))
    cuts.push_back({integer(values[0]), integer(values[1]), integer(values[2]), integer(values[3])});
  if (std::string why = contract::explainCuts(op.getCollectiveKind(), cuts, members); !why.empty())
    return LogicalResult(fail(op, "is cut so that " + Twine(why)));
  return cuts;
}

// It takes part when its stream comes to it, and goes on when all have: two steps, between which others run.
LogicalResult ByteMachine::collective(CollectiveOp op) {
  FailureOr<SmallVector<int64_t>> sizes = sizesOf(op, op.lookupMesh());
  if (failed(sizes))
    return failure();
  contract::CollectiveSpec spec = op.getSpec();
  if (std::string why = contract::explainCollective(spec, spanOf(*sizes)); !why.empty())
    return fail(op, "cannot run on this mesh: " + why);
  BufferView source = buffer(op.getSource()), target = buffer(op.getTarget());
  StreamId stream = this->stream(op.getStream());
  auto isFreed = [source, target] { return source.storage->freed || target.storage->freed; };
  auto write = [target](const std::vector<std::byte> &bytes) { llvm::copy(bytes, target.bytes().begin()); };
  std::optional<int64_t> rank = rankIn(op.lookupMesh(), *sizes);
  std::optional<contract::GroupPlace> place =
      rank ? contract::placeOf(spec.group, spanOf(*sizes), *rank) : std::nullopt;
  if (!place) {
    session.queues.enqueue(stream, [=]() -> std::string {
      return isFreed() ? "uses a buffer that is freed" : (write(std::vector<std::byte>(target.size)), "");
    });
    return success();
  }
  FailureOr<std::vector<contract::Cut>> cuts = cutsOf(op, place->size);
  if (failed(cuts))
    return failure();
  int64_t count = integer(op.getCount()), piece = count * contract::byteSize(spec.type);
  int64_t sourceBytes = contract::sourceElements(spec.kind, *cuts, piece, place->position, place->size);
  int64_t targetBytes = contract::targetElements(spec.kind, *cuts, piece, place->position, place->size);
  if (count < 0 || source.size != sourceBytes || target.size != targetBytes)
    return fail(op, "moves " + Twine(count) + " elements a piece, so " + Twine(sourceBytes) + " bytes to " +
                        Twine(targetBytes) + "; its buffers have " + Twine(source.size) + " and " + Twine(target.size));
  if (!session.world)
    return fail(op, "needs a world of ranks");
  if (source.overlaps(target) && !(source.offset == target.offset && sourceBytes == targetBytes))
    return fail(op, "has a source and a target that overlap");
  SmallVector<int64_t> members;
  for (int64_t member : contract::membersOf(spec.group, spanOf(*sizes), *rank))
    members.push_back(member + op.lookupMesh().getFirst());
  World &world = *session.world;
  World::Meeting meeting = world.nextMeeting(session.rank, members);
  auto size = static_cast<size_t>(place->size), position = static_cast<size_t>(place->position);
  session.queues.enqueue(stream, [=, &world]() -> std::string {
    if (isFreed())
      return "uses a buffer that is freed";
    std::span<std::byte> bytes = source.bytes();
    return world.arrive(meeting, position, size,
                        {spec, *cuts, count, std::vector<std::byte>(bytes.begin(), bytes.end())});
  });
  session.queues.enqueueGate(
      stream, [=, &world] { return world.haveAllMet(meeting); },
      [=, &world, type = op.getType()]() -> std::string {
        if (isFreed())
          return "uses a buffer that is freed";
        write(world.resultOf(meeting, position, type));
        return "";
      });
  return success();
}
