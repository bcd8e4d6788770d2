// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Annotations/ShardRequests.h"

#include "compiler/Dialect/Suggest.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::heddle;

//===--- Reading -------------------------------------------------------------------------------------------------===//

FailureOr<ShardRequests> ShardRequests::read(StringRef path, MLIRContext *context, ArrayRef<device::MeshOp> known) {
  context->loadDialect<device::DeviceDialect, flow::FlowDialect>();
  ShardRequests requests(path, context);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return emitError(FileLineColLoc::get(context, path, 0, 0))
           << "cannot read the sharding file: " << buffer.getError().message();
  std::string error;
  if (!parseShardFile((*buffer)->getBuffer(), requests.file, error)) {
    auto [line, message] = StringRef(error).split(": ");
    unsigned number = 0;
    (void)line.getAsInteger(10, number);
    return emitError(requests.at(number)) << message;
  }
  if (failed(requests.resolveMeshes(known)))
    return failure();
  requests.matched.resize(requests.file.rules.size());
  return requests;
}

LogicalResult ShardRequests::resolveMeshes(ArrayRef<device::MeshOp> known) {
  for (device::MeshOp mesh : known)
    for (StringRef axis : mesh.getAxes().getAsValueRange<StringAttr>())
      axes[mesh.getSymName()].push_back(axis.str());
  for (const ShardMesh &mesh : file.meshes)
    if (!axes.try_emplace(mesh.name, mesh.axes).second)
      return emitError(at(mesh.line)) << "the model declares a mesh '" << mesh.name
                                      << "' itself; remove this line, or give this one a name: 'mesh NAME: …'";
  for (ShardRule &rule : file.rules)
    if (failed(resolveMesh(rule)))
      return failure();
  return success();
}

static std::vector<std::string> axesOf(const ShardRule &rule) {
  std::vector<std::string> names;
  for (const ShardDim &dim : rule.dims.value_or(std::vector<ShardDim>()))
    llvm::append_range(names, dim.axes);
  for (const ShardAxis &axis : rule.axes)
    names.push_back(axis.axis);
  return names;
}

// Fills in the mesh that a rule leaves out, and looks its axes up.
LogicalResult ShardRequests::resolveMesh(ShardRule &rule) {
  std::vector<std::string> meshes;
  for (StringRef name : axes.keys())
    meshes.push_back(name.str());
  llvm::sort(meshes);
  if (meshes.empty())
    return emitError(at(rule.line)) << "there is no mesh; add a line such as 'mesh tp = 2' for two ranks";
  if (rule.mesh.empty() && meshes.size() > 1)
    return emitError(at(rule.line)) << "there are several meshes (" << listNames(meshes)
                                    << "); say which one: 'pattern = @" << meshes.front() << " …'";
  if (rule.mesh.empty())
    rule.mesh = meshes.front();
  auto mesh = axes.find(rule.mesh);
  if (mesh == axes.end())
    return emitError(at(rule.line)) << "there is no mesh '" << rule.mesh << "'; meshes: " << listNames(meshes)
                                    << didYouMean(rule.mesh, meshes);
  llvm::StringSet<> used;
  for (const std::string &axis : axesOf(rule)) {
    if (!llvm::is_contained(mesh->second, axis))
      return emitError(at(rule.line)) << "the mesh '" << rule.mesh << "' has no axis '" << axis
                                      << "'; axes: " << listNames(mesh->second) << didYouMean(axis, mesh->second);
    if (!used.insert(axis).second)
      return emitError(at(rule.line)) << "the axis '" << axis << "' is named twice; it cuts one dimension, once";
  }
  std::string reduction;
  for (const ShardAxis &axis : rule.axes) {
    if (axis.reduction.empty())
      continue;
    if (!flow::symbolizeReduction(axis.reduction))
      return emitError(at(rule.line)) << "no reduction is called '" << axis.reduction
                                      << "'; there are sum, product, min, max, umin, umax, and, or, xor";
    if (!reduction.empty() && reduction != axis.reduction)
      return emitError(at(rule.line)) << "a value's parts are combined in one way, got '" << reduction << "' and '"
                                      << axis.reduction << "'";
    reduction = axis.reduction;
  }
  return success();
}

//===--- Values --------------------------------------------------------------------------------------------------===//

static flow::GranuleAttr makeGranule(MLIRContext *context, const ShardGranule &granule) {
  auto names =
      llvm::map_to_vector(granule.names, [&](const std::string &name) { return StringAttr::get(context, name); });
  return flow::GranuleAttr::get(context, granule.factor, names);
}

// What cuts each dimension of a value of that rank. Of one dimension the axes are in the order in which they are named.
static std::optional<std::vector<ShardDim>> dimsOf(const ShardRule &rule, int64_t rank, std::string &why) {
  if (rule.dims && static_cast<int64_t>(rule.dims->size()) != rank)
    return why = "shards " + std::to_string(rule.dims->size()) + " dimensions", std::nullopt;
  std::vector<ShardDim> dims = rule.dims.value_or(std::vector<ShardDim>(rank));
  for (const ShardAxis &axis : rule.axes) {
    if (!axis.dim)
      continue;
    int64_t dim = *axis.dim < 0 ? *axis.dim + rank : *axis.dim;
    if (dim < 0 || dim >= rank)
      return why = "shards dimension " + std::to_string(*axis.dim), std::nullopt;
    bool hasGranule = axis.granule.factor != 1 || !axis.granule.names.empty();
    if (hasGranule)
      dims[dim].granule = axis.granule;
    dims[dim].axes.push_back(axis.axis);
  }
  return dims;
}

FailureOr<flow::ShardingAttr> ShardRequests::makeSharding(const ShardRule &rule, StringRef name, int64_t rank) const {
  std::string why;
  std::optional<std::vector<ShardDim>> dims = dimsOf(rule, rank, why);
  if (!dims)
    return emitError(at(rule.line)) << "the pattern '" << rule.pattern << "' " << why << " and fits '" << name
                                    << "', which has " << rank << (rank == 1 ? " dimension" : " dimensions")
                                    << "; put a line that fits it in front of this one";
  Builder builder(context);
  SmallVector<ArrayAttr> cuts;
  SmallVector<flow::GranuleAttr> granules;
  SmallVector<int64_t> open;
  for (auto [index, dim] : llvm::enumerate(*dims)) {
    SmallVector<StringRef> names(dim.axes.begin(), dim.axes.end());
    cuts.push_back(builder.getStrArrayAttr(names));
    granules.push_back(makeGranule(context, dim.granule));
    if (dim.isOpen)
      open.push_back(index);
  }
  if (llvm::all_of(granules, [](flow::GranuleAttr granule) { return granule.isOne(); }))
    granules.clear();
  SmallVector<StringAttr> partial;
  flow::Reduction reduction = flow::Reduction::Sum;
  for (const ShardAxis &axis : rule.axes)
    if (!axis.reduction.empty()) {
      partial.push_back(builder.getStringAttr(axis.axis));
      reduction = *flow::symbolizeReduction(axis.reduction);
    }
  return flow::ShardingAttr::get(context, FlatSymbolRefAttr::get(context, rule.mesh), cuts, granules, open, partial,
                                 reduction);
}

FailureOr<flow::ShardingAttr> ShardRequests::find(ValueNames names, int64_t rank) {
  for (StringRef name : {names.value, names.node})
    if (!name.empty())
      seen.insert(StringAttr::get(context, name));
  for (auto [index, rule] : llvm::enumerate(file.rules))
    for (StringRef name : {names.value, names.node})
      if (!name.empty() && rule.fits(name)) {
        matched[index] = true;
        return makeSharding(rule, name, rank);
      }
  return flow::ShardingAttr();
}

void ShardRequests::noteHost(ValueNames names) {
  for (StringRef name : {names.value, names.node})
    if (!name.empty())
      onHost.insert(StringAttr::get(context, name));
}

//===--- The module ----------------------------------------------------------------------------------------------===//

LogicalResult ShardRequests::declareMeshes(ModuleOp module) const {
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  for (const ShardMesh &mesh : file.meshes) {
    if (module.lookupSymbol(mesh.name))
      return emitError(at(mesh.line)) << "the model has something else that is called '" << mesh.name
                                      << "'; give the mesh another name: 'mesh NAME: …'";
    SmallVector<StringRef> names(mesh.axes.begin(), mesh.axes.end());
    auto device = mesh.device.empty() ? FlatSymbolRefAttr() : FlatSymbolRefAttr::get(context, mesh.device);
    device::MeshOp::create(builder, at(mesh.line), builder.getStringAttr(mesh.name), builder.getStrArrayAttr(names),
                           builder.getDenseI64ArrayAttr(mesh.sizes), builder.getI64IntegerAttr(mesh.first), device);
  }
  return success();
}

LogicalResult ShardRequests::reportIdle() const {
  auto fitsAny = [](const ShardRule &rule, const llvm::SetVector<StringAttr> &names) {
    return llvm::any_of(names, [&](StringAttr name) { return rule.fits(name); });
  };
  LogicalResult result = success();
  for (auto [rule, used] : llvm::zip_equal(file.rules, matched)) {
    // A rule may stand behind one that takes all of its values; then it is right.
    if (used || fitsAny(rule, seen))
      continue;
    result = failure();
    if (fitsAny(rule, onHost)) {
      emitError(at(rule.line))
          << "the pattern '" << rule.pattern
          << "' fits only what the host computes, sizes and counters, which every rank has; remove "
             "the line";
      continue;
    }
    SmallVector<StringRef> names = llvm::map_to_vector(seen, [](StringAttr name) { return name.getValue(); });
    emitError(at(rule.line))
        << "the pattern '" << rule.pattern
        << "' fits no input, parameter, value or node of the model, or import computed what it fits away"
        << didYouMean(rule.pattern, names);
  }
  return result;
}
