// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Graph/Sharder.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

Sharder::Sharder(const ShardingSpecs &specs, ShardRequests *requests, Emitter &emitter, Location location)
    : specs(specs), requests(requests), emitter(emitter), location(location) {
  if (requests && !specs.empty())
    emitWarning(location)
        << "the model's own sharding specifications are not used: the sharding file takes their place";
}

// Whether ranks can share it: no size that the host computes, and nothing that is no tensor.
static bool isValue(const Tensor &tensor) { return tensor.elementType && !tensor.aggregate && !tensor.contents; }

void Sharder::shardValue(StringRef name, Tensor &tensor) { shardByFile({name, ""}, tensor); }

void Sharder::shardOutputs(const Node &node, llvm::StringMap<Tensor> &values) {
  if (!requests && node.shardings.empty())
    return;
  for (const std::string &name : node.outputs) {
    auto found = values.find(name);
    if (name.empty() || found == values.end())
      continue;
    shardByFile({name, node.name}, found->second);
    shardBySpec(node, name, found->second);
  }
}

void Sharder::shardOperands(const Node &node, SmallVectorImpl<Tensor *> &operands, std::deque<Tensor> &own) {
  if (node.shardings.empty())
    return;
  for (auto [name, operand] : llvm::zip_equal(node.inputs, operands)) {
    if (!operand || !isValue(*operand))
      continue;
    Tensor &copy = own.emplace_back(*operand);
    shardBySpec(node, name, copy);
    operand = &copy;
  }
}

void Sharder::warnOfOperands(const Node &node) {
  for (const auto &[name, spec] : node.shardings)
    if (llvm::is_contained(node.inputs, name) && !requests)
      emitWarning(location) << "node '" << node.name << "' (" << node.op << "): the sharding of its input '" << name
                            << "' is not used: it reads its inputs in graphs of its own; shard what gives '" << name
                            << "', or the nodes in there that read it";
}

void Sharder::shardByFile(ValueNames names, Tensor &tensor) {
  if (!requests)
    return;
  if (!isValue(tensor)) {
    if (tensor.elementType)
      requests->noteHost(names);
    return;
  }
  FailureOr<flow::ShardingAttr> sharding = requests->find(names, tensor.rank());
  if (mlir::failed(sharding))
    hasFailed = true;
  else if (*sharding)
    write(names.value, tensor, *sharding);
}

void Sharder::shardBySpec(const Node &node, StringRef name, Tensor &tensor) {
  if (requests || !tensor.elementType)
    return;
  FailureOr<flow::ShardingAttr> sharding = specs.find(node, name, shapeOf(tensor.sizes), location);
  if (mlir::failed(sharding)) {
    hasFailed = true;
  } else if (*sharding && !isValue(tensor)) {
    emitWarning(location) << "node '" << node.name << "': the sharding of '" << name
                          << "' is not used: the host computes it, and every rank has it";
  } else if (*sharding) {
    write(name, tensor, *sharding);
  }
}

// The tensor is a value from here on: a lowering that would rewrite a weight's bytes must not leave the request behind.
void Sharder::write(StringRef name, Tensor &tensor, flow::ShardingAttr sharding) {
  Location before = emitter.loc;
  emitter.loc = NameLoc::get(emitter.builder.getStringAttr(name));
  Value value = emitter.value(tensor);
  auto shard = flow::ShardOp::create(emitter.builder, emitter.loc, value.getType(), value, sharding);
  Tensor sharded = emitter.fromValue(shard, tensor.sizes, tensor.elementType);
  sharded.name = tensor.name;
  tensor = std::move(sharded);
  emitter.loc = before;
}
