// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Model/ShardingSpecs.h"

#include "onnx-ml.pb.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

#include <set>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

//===--- Reading -------------------------------------------------------------------------------------------------===//

static InFlightDiagnostic refuse(const Node &node, const onnx::ShardingSpecProto &spec, Location location) {
  return std::move(emitError(location) << "node '" << node.name << "': the sharding of '" << spec.tensor_name()
                                       << "' ");
}

// The devices that have what an entry of `device` stands for: a device, or a group.
static std::vector<int64_t> devicesOf(const onnx::ShardingSpecProto &spec, int64_t entry) {
  for (const auto &group : spec.index_to_device_group_map())
    if (group.key() == entry)
      return {group.value().begin(), group.value().end()};
  return {entry};
}

static bool isOverSeveral(const onnx::ShardingSpecProto &spec) {
  std::set<int64_t> devices;
  for (int64_t entry : spec.device())
    for (int64_t device : devicesOf(spec, entry))
      devices.insert(device);
  return devices.size() > 1;
}

LogicalResult importer::readShardings(const onnx::ModelProto &model, const onnx::NodeProto &proto, Node &node,
                                      Location location) {
  for (const auto &entry : proto.device_configurations()) {
    if (model.configuration_size() == 0 || entry.configuration_id() != model.configuration(0).name())
      continue;
    for (const auto &spec : entry.sharding_spec()) {
      if (!isOverSeveral(spec))
        continue;
      if (!llvm::is_contained(node.inputs, spec.tensor_name()) && !llvm::is_contained(node.outputs, spec.tensor_name()))
        return refuse(node, spec, location) << "is of a tensor that the node neither reads nor gives";
      node.shardings.emplace_back(spec.tensor_name(), &spec);
    }
    if (!node.shardings.empty() && entry.has_pipeline_stage())
      emitWarning(location) << "node '" << node.name << "': pipeline_stage " << entry.pipeline_stage()
                            << " is not used with a sharding: the devices of the sharding say where it runs";
  }
  return success();
}

// The granule that the inner factors of a dimension make: [8 in 2 shards, 64 in 1] is cut at multiples of 64.
static FailureOr<flow::GranuleAttr> readGranule(const Node &node, const onnx::ShardingSpecProto &spec,
                                                const onnx::ShardedDimProto &dim, MLIRContext *context,
                                                Location location) {
  int64_t factor = 1;
  SmallVector<StringAttr> names;
  for (const auto &inner : llvm::drop_begin(dim.simple_sharding())) {
    if (inner.has_dim_param())
      names.push_back(StringAttr::get(context, inner.dim_param()));
    else if (inner.dim_value() < 1 || llvm::MulOverflow(factor, inner.dim_value(), factor))
      return refuse(node, spec, location) << "has a factor of size " << inner.dim_value() << " in dimension "
                                          << dim.axis() << "; sizes are at least 1";
  }
  llvm::sort(names, [](StringAttr a, StringAttr b) { return a.getValue() < b.getValue(); });
  return flow::GranuleAttr::get(context, factor, names);
}

FailureOr<ShardingSpecs::Reading> ShardingSpecs::readSpec(const Node &node, const onnx::ShardingSpecProto &spec,
                                                          int64_t count, Location location) {
  int64_t blocks = 1;
  std::vector<int64_t> shards;
  for (const auto &dim : spec.sharded_dim()) {
    if (dim.simple_sharding_size() == 0)
      return refuse(node, spec, location) << "says nothing of dimension " << dim.axis();
    for (auto [i, factor] : llvm::enumerate(dim.simple_sharding())) {
      if (factor.num_shards() < 1)
        return refuse(node, spec, location)
               << "cuts dimension " << dim.axis() << " in " << factor.num_shards() << " shards; there is at least one";
      if (i > 0 && factor.num_shards() > 1)
        return refuse(node, spec, location) << "cuts an inner factor of dimension " << dim.axis()
                                            << ", so that a shard would be of pieces that lie apart; only the first "
                                               "factor of a dimension can be cut";
    }
    shards.push_back(dim.simple_sharding(0).num_shards());
    if (llvm::MulOverflow(blocks, shards.back(), blocks) || blocks > count)
      return refuse(node, spec, location) << "has more shards than the configuration's " << count << " devices";
  }
  if (blocks > 1 && blocks != spec.device_size())
    return refuse(node, spec, location) << "has " << blocks << " shards and a list of " << spec.device_size()
                                        << " devices; each shard has one entry, a device or a group";
  std::map<int64_t, int64_t> blockOf; // by device
  for (auto [index, entry] : llvm::enumerate(spec.device()))
    for (int64_t device : devicesOf(spec, entry)) {
      if (device < 0 || device >= count)
        return refuse(node, spec, location) << "is on device " << device << ", and the configuration has " << count;
      if (!blockOf.try_emplace(device, blocks > 1 ? index : 0).second)
        return refuse(node, spec, location) << "names device " << device << " twice; a device has one shard";
    }
  int64_t first = blockOf.begin()->first, size = blockOf.size();
  if (blockOf.rbegin()->first != first + size - 1)
    return refuse(node, spec, location) << "is on " << size << " devices from " << first << " to "
                                        << blockOf.rbegin()->first
                                        << " that do not follow one another, and a mesh is of ranks that do";
  Reading reading{{first, size}, {}};
  int64_t stride = blocks;
  for (auto [dim, parts] : llvm::zip_equal(spec.sharded_dim(), shards)) {
    stride /= parts;
    Blocks along;
    for (auto [device, block] : blockOf)
      along.push_back(block / stride % parts);
    reading.dims.emplace_back(dim.axis(), std::move(along));
  }
  return reading;
}

//===--- Meshes --------------------------------------------------------------------------------------------------===//

std::optional<std::vector<unsigned>> ShardingSpecs::findAxes(ArrayRef<int64_t> sizes, const Blocks &blocks) {
  // The weight of a place along an axis is the block of the device that is one on along it.
  std::vector<int64_t> strides(sizes.size(), 1), weights;
  for (size_t i = sizes.size(); i-- > 1;)
    strides[i - 1] = strides[i] * sizes[i];
  std::vector<unsigned> used;
  for (unsigned i = 0; i < sizes.size(); ++i) {
    weights.push_back(sizes[i] > 1 ? blocks[strides[i]] : 0);
    if (weights.back() != 0)
      used.push_back(i);
  }
  llvm::sort(used, [&](unsigned a, unsigned b) { return weights[a] > weights[b]; });
  int64_t expected = 1;
  for (unsigned i : llvm::reverse(used)) {
    if (weights[i] != expected)
      return std::nullopt;
    expected *= sizes[i];
  }
  for (size_t device = 0; device < blocks.size(); ++device) {
    int64_t block = 0;
    for (unsigned i : used)
      block += weights[i] * (static_cast<int64_t>(device) / strides[i] % sizes[i]);
    if (block != blocks[device])
      return std::nullopt;
  }
  return used;
}

// Joins neighbours that are always used side by side, or both not at all.
static void joinAxes(std::vector<int64_t> &sizes, llvm::function_ref<bool(ArrayRef<int64_t>)> fits) {
  for (size_t i = 0; i + 1 < sizes.size();) {
    std::vector<int64_t> joined = sizes;
    joined[i] *= joined[i + 1];
    joined.erase(joined.begin() + i + 1);
    if (fits(joined))
      sizes = std::move(joined);
    else
      ++i;
  }
}

// Axes of prime size in all orders, until all blocks can be told by them; then as few as do.
std::optional<ShardingSpecs::Mesh> ShardingSpecs::findMesh(Devices devices, ArrayRef<Blocks> dims) {
  std::vector<int64_t> primes;
  for (int64_t rest = devices.second, prime = 2; rest > 1;) {
    if (rest % prime == 0) {
      primes.push_back(prime);
      rest /= prime;
    } else {
      ++prime;
    }
  }
  auto fits = [&](ArrayRef<int64_t> sizes) {
    return llvm::all_of(dims, [&](const Blocks &blocks) { return findAxes(sizes, blocks).has_value(); });
  };
  do {
    if (!fits(primes))
      continue;
    Mesh mesh;
    mesh.name = devices.first == 0 ? "ranks" : "ranks_" + std::to_string(devices.first);
    mesh.sizes = primes;
    joinAxes(mesh.sizes, fits);
    for (size_t i = 0; i < mesh.sizes.size(); ++i)
      mesh.axes.push_back("d" + std::to_string(i));
    return mesh;
  } while (std::next_permutation(primes.begin(), primes.end()));
  return std::nullopt;
}

namespace {
// All specifications over the same devices.
struct Together {
  const Node *node; // the first
  const onnx::ShardingSpecProto *spec;
};
} // namespace

static void collect(ArrayRef<Node> nodes, llvm::function_ref<void(const Node &)> visit) {
  for (const Node &node : nodes) {
    visit(node);
    for (const auto &graph : node.graphs)
      collect(graph.second->nodes, visit);
  }
}

FailureOr<ShardingSpecs> ShardingSpecs::plan(ArrayRef<Node> nodes, const onnx::ModelProto &model, Location location) {
  ShardingSpecs specs;
  if (model.configuration_size() == 0)
    return specs;
  specs.count = std::max<int64_t>(model.configuration(0).num_devices(), model.configuration(0).device_size());
  std::map<Devices, std::pair<Together, std::set<Blocks>>> groups;
  bool failed = false;
  std::vector<const Node *> placed;
  collect(nodes, [&](const Node &node) {
    for (const auto &[tensor, spec] : node.shardings) {
      FailureOr<Reading> reading = readSpec(node, *spec, specs.count, location);
      if ((failed |= mlir::failed(reading)))
        return;
      auto &[together, blocks] =
          groups.try_emplace(reading->devices, Together{&node, spec}, std::set<Blocks>()).first->second;
      for (auto &[dim, along] : reading->dims)
        blocks.insert(along);
    }
    if (node.shardings.empty() && !node.device.empty())
      placed.push_back(&node);
  });
  if (failed)
    return failure();
  for (const auto &[devices, group] : groups) {
    std::optional<Mesh> mesh = findMesh(devices, std::vector<Blocks>(group.second.begin(), group.second.end()));
    if (!mesh)
      return refuse(*group.first.node, *group.first.spec, location)
             << "and others over the same " << devices.second
             << " devices give blocks to devices in orders that no mesh has";
    specs.meshes[devices] = std::move(*mesh);
  }
  if (!specs.empty() && !placed.empty())
    return emitError(location) << "node '" << placed.front()->name << "' is placed on device '"
                               << placed.front()->device
                               << "' alone, and other nodes are sharded over several: all ranks of a sharded model run "
                                  "all of its nodes; remove that placement, or give it a sharding";
  return specs;
}

//===--- Values --------------------------------------------------------------------------------------------------===//

static LogicalResult checkDim(const Node &node, const onnx::ShardingSpecProto &spec, const onnx::ShardedDimProto &dim,
                              int64_t axis, ArrayRef<int64_t> shape, Location location) {
  int64_t rank = shape.size();
  if (axis < 0 || axis >= rank)
    return refuse(node, spec, location) << "is of dimension " << dim.axis() << ", and the tensor has " << rank;
  int64_t stated = 1;
  for (const auto &factor : dim.simple_sharding())
    if (!factor.has_dim_value() || llvm::MulOverflow(stated, factor.dim_value(), stated))
      return success();
  if (!ShapedType::isDynamic(shape[axis]) && stated != 0 && stated != shape[axis])
    return refuse(node, spec, location) << "takes dimension " << dim.axis() << " for one of " << stated
                                        << ", and it has " << shape[axis];
  return success();
}

FailureOr<flow::ShardingAttr> ShardingSpecs::find(const Node &node, StringRef tensor, ArrayRef<int64_t> shape,
                                                  Location location) const {
  auto entry = llvm::find_if(node.shardings, [&](const auto &one) { return one.first == tensor; });
  if (entry == node.shardings.end())
    return flow::ShardingAttr();
  MLIRContext *context = location.getContext();
  const onnx::ShardingSpecProto &spec = *entry->second;
  FailureOr<Reading> reading = readSpec(node, spec, count, location);
  if (failed(reading))
    return failure();
  const Mesh &mesh = meshes.at(reading->devices);
  SmallVector<ArrayAttr> axes(shape.size(), ArrayAttr::get(context, {}));
  SmallVector<flow::GranuleAttr> granules(shape.size(), flow::GranuleAttr::get(context, 1, {}));
  for (auto [dim, read] : llvm::zip_equal(spec.sharded_dim(), reading->dims)) {
    int64_t axis = read.first < 0 ? read.first + static_cast<int64_t>(shape.size()) : read.first;
    FailureOr<flow::GranuleAttr> granule = readGranule(node, spec, dim, context, location);
    if (failed(checkDim(node, spec, dim, axis, shape, location)) || failed(granule))
      return failure();
    if (!axes[axis].empty())
      return refuse(node, spec, location) << "cuts dimension " << dim.axis() << " twice";
    SmallVector<Attribute> names;
    std::optional<std::vector<unsigned>> cutting = findAxes(mesh.sizes, read.second);
    for (unsigned index : *cutting)
      names.push_back(StringAttr::get(context, mesh.axes[index]));
    axes[axis] = ArrayAttr::get(context, names);
    granules[axis] = *granule;
  }
  return flow::ShardingAttr::getNormalized(FlatSymbolRefAttr::get(context, mesh.name), axes, granules);
}

std::vector<std::string> ShardingSpecs::meshNames() const {
  std::vector<std::string> names;
  for (const auto &[devices, mesh] : meshes)
    names.push_back(mesh.name);
  return names;
}

void ShardingSpecs::declareMeshes(ModuleOp module) const {
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  for (const auto &[devices, mesh] : meshes) {
    SmallVector<StringRef> axes(mesh.axes.begin(), mesh.axes.end());
    device::MeshOp::create(builder, module.getLoc(), builder.getStringAttr(mesh.name), builder.getStrArrayAttr(axes),
                           builder.getDenseI64ArrayAttr(mesh.sizes), builder.getI64IntegerAttr(devices.first),
                           FlatSymbolRefAttr());
  }
}
