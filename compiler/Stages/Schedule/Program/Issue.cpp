// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Schedule/Program/Issue.h"

#include "heddle/contract/ArtifactVerifier.h"

using namespace mlir;
using namespace mlir::heddle;

FailureOr<FlatSymbolRefAttr> Issue::deviceFrom(Operation *op, Attribute affinity) const {
  if (!affinity)
    return defaultDevice;
  auto named = dyn_cast<device::AffinityAttr>(affinity);
  if (!named)
    return op->emitOpError() << "needs one device after placement, got affinity " << affinity, failure();
  if (!SymbolTable::lookupNearestSymbolFrom<device::GlobalOp>(op, named.getDevice()))
    return op->emitOpError() << "belongs on " << named.getDevice() << ", which is not a device.global", failure();
  return named.getDevice();
}

int64_t Issue::queueOf(Attribute affinity) {
  auto named = dyn_cast_if_present<device::AffinityAttr>(affinity);
  return named && !named.getQueues().empty() ? named.getQueues().front() : 0;
}

Value Issue::stream(FlatSymbolRefAttr device, int64_t queue) {
  if (!loops.empty() && loops.back().device == device)
    return loops.back().mine;
  if (device == defaultDevice && queue == 0)
    return program.getStream();
  Value &known = streams[{device, queue}];
  if (!known) {
    OpBuilder &builder = scalars.builder;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&program.getBody().front());
    auto index = static_cast<int32_t>(device == defaultDevice ? queue - 1 : queue);
    known = host::StreamOp::create(builder, program.getLoc(), device, builder.getI32IntegerAttr(index));
  }
  return known;
}

Value Issue::commStream() {
  if (!collectives) {
    OpBuilder::InsertionGuard guard(scalars.builder);
    scalars.builder.setInsertionPointToStart(&program.getBody().front());
    collectives = host::CommStreamOp::create(scalars.builder, program.getLoc(),
                                             host::StreamType::get(scalars.builder.getContext()));
  }
  return collectives;
}

uint32_t Issue::firstLoopStream(FlatSymbolRefAttr device) const {
  constexpr uint32_t kMostOfDevice = 16; // streams of a loop that has as many as the device
  uint32_t first = device == defaultDevice ? 0 : 1;
  for (const Loop &loop : loops)
    first += loop.streams ? static_cast<uint32_t>(std::min<int64_t>(loop.streams, ::heddle::contract::kMaxStreams))
                          : kMostOfDevice;
  return first;
}

Value Issue::parameterOn(Value buffer, FlatSymbolRefAttr device) {
  if (auto view = buffer.getDefiningOp<host::ViewOp>()) {
    Value root = parameterOn(view.getSource(), device);
    return root == view.getSource()
               ? buffer
               : host::ViewOp::create(scalars.builder, scalars.loc, root, view.getOffset(), view.getSize());
  }
  auto parameter = buffer.getDefiningOp<host::ParameterOp>();
  if (!parameter || parameter.getDeviceAttr() == device)
    return buffer;
  return host::ParameterOp::create(scalars.builder, scalars.loc, parameter.getParameterAttr(), device);
}

bool Issue::readsInPlace(FlatSymbolRefAttr owner, FlatSymbolRefAttr reader) const {
  std::optional<unsigned> from = topology.find(owner.getValue()), to = topology.find(reader.getValue());
  if (!from || !to)
    return false;
  flow::Link link = topology.link(*from, *to);
  return link.unified || link.transparent;
}
