// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Ranks/Shardings.h"

#include "compiler/Stages/Import/StableHlo/Assembly/OpFormat.h"
#include "compiler/Stages/Import/StableHlo/Assembly/TextReader.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

int64_t MeshText::count() const {
  int64_t count = 1;
  for (const MeshAxis &axis : axes)
    count *= axis.size;
  return count;
}

const MeshAxis *MeshText::find(StringRef axis) const {
  const auto *found = llvm::find_if(axes, [&](const MeshAxis &candidate) { return candidate.name == axis; });
  return found == axes.end() ? nullptr : found;
}

bool ShardingText::isReplicated() const {
  return unreduced.empty() && llvm::all_of(dims, [](const SmallVector<AxisText> &axes) { return axes.empty(); });
}

bool ShardingText::saysNothing() const { return isReplicated() && open.size() == dims.size(); }

void ShardingText::forEachList(llvm::function_ref<void(SmallVector<AxisText> &)> visit) {
  for (SmallVector<AxisText> &axes : dims)
    visit(axes);
  visit(replicated);
  visit(unreduced);
  visit(manual);
}

// The text of an attribute of `dialect`.
static std::optional<TextReader> readerOf(Attribute attribute, StringRef dialect) {
  auto opaque = dyn_cast_or_null<OpaqueAttr>(attribute);
  if (!opaque || opaque.getDialectNamespace() != dialect)
    return std::nullopt;
  return TextReader{opaque.getAttrData()};
}

// Elements up to `close`, commas between them.
static bool readList(TextReader &reader, StringRef open, StringRef close, llvm::function_ref<bool()> readOne) {
  if (!reader.take(open))
    return false;
  while (!reader.take(close))
    if (!readOne() || (!reader.take(",") && !reader.text.ltrim().starts_with(close)))
      return false;
  return true;
}

// Sizes whose product is at most 2^31, so that ranks can be counted.
static bool fits(const MeshText &mesh) {
  int64_t count = 1;
  for (const MeshAxis &axis : mesh.axes) {
    if (axis.size < 1 || axis.size > (int64_t(1) << 31) / count)
      return false;
    count *= axis.size;
  }
  return true;
}

// `<["x"=2], device_ids=[0, 1]>`.
static bool readMeshBody(TextReader &reader, MeshText &mesh) {
  auto readAxis = [&] {
    std::optional<StringRef> name = reader.quoted();
    std::optional<int64_t> size = name && reader.take("=") ? reader.integer() : std::nullopt;
    if (size)
      mesh.axes.push_back({name->str(), *size});
    return size.has_value();
  };
  auto readId = [&] {
    std::optional<int64_t> id = reader.integer();
    if (id)
      mesh.deviceIds.push_back(*id);
    return id.has_value();
  };
  if (!reader.take("<") || !readList(reader, "[", "]", readAxis))
    return false;
  if (reader.take(",") && (!reader.take("device_ids") || !reader.take("=") || !readList(reader, "[", "]", readId)))
    return false;
  return reader.take(">") && fits(mesh);
}

std::optional<MeshText> mlir::heddle::hlo::readMesh(Attribute attribute) {
  std::optional<TextReader> reader = readerOf(attribute, "sdy");
  MeshText mesh;
  if (!reader || !reader->take("mesh") || !readMeshBody(*reader, mesh) || !reader->atEnd())
    return std::nullopt;
  return mesh;
}

// `(1)2`.
static bool readPart(TextReader &reader, AxisText &axis) {
  std::optional<int64_t> before = reader.take("(") ? reader.integer() : std::nullopt;
  std::optional<int64_t> size = before && reader.take(")") ? reader.integer() : std::nullopt;
  if (!size || *before < 1 || *size < 2)
    return false;
  axis.before = *before;
  axis.size = *size;
  return true;
}

// `"x"` or `"x":(1)2`.
static bool readAxis(TextReader &reader, SmallVectorImpl<AxisText> &axes) {
  std::optional<StringRef> name = reader.quoted();
  if (!name)
    return false;
  axes.push_back({name->str()});
  return !reader.take(":") || readPart(reader, axes.back());
}

// `{"x", "y", ?}p1`.
static bool readDimension(TextReader &reader, ShardingText &sharding) {
  int64_t dim = sharding.dims.size();
  SmallVector<AxisText> &axes = sharding.dims.emplace_back();
  bool isOpen = false;
  if (!readList(reader, "{", "}", [&] {
        bool isMark = reader.take("?");
        isOpen |= isMark;
        return isMark || readAxis(reader, axes);
      }))
    return false;
  if (isOpen)
    sharding.open.push_back(dim);
  if (!reader.text.starts_with("p")) {
    if (!sharding.priorities.empty())
      sharding.priorities.push_back(0);
    return true;
  }
  std::optional<int64_t> priority = reader.take("p") ? reader.integer() : std::nullopt;
  sharding.priorities.resize(dim);
  sharding.priorities.push_back(priority.value_or(0));
  return priority && *priority >= 0;
}

// `<@mesh, [{"x"}, {}], replicated={"y"}, unreduced={"z"}>`.
static bool readShardingBody(TextReader &reader, ShardingText &sharding) {
  if (!reader.take("<"))
    return false;
  if (std::optional<StringRef> symbol = reader.symbol())
    sharding.mesh = symbol->str();
  else if (!reader.take("mesh") || !readMeshBody(reader, sharding.inlined.emplace()))
    return false;
  if (!reader.take(",") || !readList(reader, "[", "]", [&] { return readDimension(reader, sharding); }))
    return false;
  while (reader.take(",")) {
    StringRef kind = reader.word();
    SmallVector<AxisText> &axes = kind == "unreduced" ? sharding.unreduced : sharding.replicated;
    if ((kind != "replicated" && kind != "unreduced") || !reader.take("=") ||
        !readList(reader, "{", "}", [&] { return readAxis(reader, axes); }))
      return false;
  }
  return reader.take(">");
}

std::optional<ShardingText> mlir::heddle::hlo::readSharding(Attribute attribute) {
  std::optional<TextReader> reader = readerOf(attribute, "sdy");
  ShardingText sharding;
  if (!reader || !reader->take("sharding") || !readShardingBody(*reader, sharding) || !reader->atEnd())
    return std::nullopt;
  return sharding;
}

std::optional<ShardingTexts> mlir::heddle::hlo::readShardings(Attribute attribute) {
  std::optional<TextReader> reader = readerOf(attribute, "sdy");
  ShardingTexts all;
  if (!reader || !reader->take("sharding_per_value") || !reader->take("<") ||
      !readList(*reader, "[", "]", [&] { return readShardingBody(*reader, all.emplace_back()); }) ||
      !reader->take(">") || !reader->atEnd())
    return std::nullopt;
  return all;
}

std::optional<SmallVector<std::string>> mlir::heddle::hlo::readManualAxes(Attribute attribute) {
  std::optional<TextReader> reader = readerOf(attribute, "sdy");
  SmallVector<std::string> names;
  auto readName = [&] {
    std::optional<StringRef> name = reader->quoted();
    if (name)
      names.push_back(name->str());
    return name.has_value();
  };
  if (!reader || !reader->take("manual_axes") || !readList(*reader, "{", "}", readName) || !reader->atEnd())
    return std::nullopt;
  return names;
}

//===--- Groups as axes ------------------------------------------------------------------------------------------===//

// `<axes = [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = dense<…>>`; ids are not supported here.
static bool readInlinedMesh(TextReader &reader, MeshText &mesh) {
  auto readOne = [&] {
    std::optional<StringRef> name;
    std::optional<int64_t> size;
    if (!reader.take("#stablehlo.mesh_axis") || !reader.take("<") || !reader.take("name") || !reader.take("=") ||
        !(name = reader.quoted()) || !reader.take(",") || !reader.take("size") || !reader.take("=") ||
        !(size = reader.integer()) || !reader.take(">"))
      return false;
    mesh.axes.push_back({name->str(), *size});
    return true;
  };
  return reader.take("<") && reader.take("axes") && reader.take("=") && readList(reader, "[", "]", readOne) &&
         reader.take(">") && fits(mesh);
}

// `#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>`.
static bool readAxisReference(TextReader &reader, SmallVectorImpl<AxisText> &axes) {
  std::optional<StringRef> name;
  if (!reader.take("#stablehlo.axis_ref") || !reader.take("<") || !reader.take("name") || !reader.take("=") ||
      !(name = reader.quoted()))
    return false;
  axes.push_back({name->str()});
  if (reader.take(",") && (!reader.take("sub_axis_info") || !reader.take("=") || !readPart(reader, axes.back())))
    return false;
  return reader.take(">");
}

std::optional<GroupAxes> mlir::heddle::hlo::readGroupAxes(Attribute attribute) {
  std::optional<TextReader> reader = readerOf(attribute, "stablehlo");
  GroupAxes groups;
  if (!reader || !reader->take("replica_group_mesh_axes") || !reader->take("<") || !reader->take("mesh") ||
      !reader->take("="))
    return std::nullopt;
  if (std::optional<StringRef> symbol = reader->symbol())
    groups.mesh = symbol->str();
  else if (!reader->take("#stablehlo.mesh") || !readInlinedMesh(*reader, groups.inlined.emplace()))
    return std::nullopt;
  if (!reader->take(",") || !reader->take("axes") || !reader->take("=") ||
      !readList(*reader, "[", "]", [&] { return readAxisReference(*reader, groups.axes); }) || !reader->take(">") ||
      !reader->atEnd())
    return std::nullopt;
  return groups;
}

Attribute mlir::heddle::hlo::makeGroupAxes(MLIRContext *context, StringRef mesh, ArrayRef<AxisText> axes) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "replica_group_mesh_axes<mesh = @\"" << mesh << "\", axes = [";
  llvm::interleaveComma(axes, out,
                        [&](const AxisText &axis) { out << "#stablehlo.axis_ref<name = \"" << axis.name << "\">"; });
  out << "]>";
  return textAttribute(context, text);
}

bool mlir::heddle::hlo::isShardingText(StringRef name) {
  return name.starts_with("xla.sdy.") && name.ends_with("sharding");
}

Attribute mlir::heddle::hlo::parseShardingText(Attribute text) {
  auto string = dyn_cast<StringAttr>(text);
  if (!string)
    return {};
  // Who reads it says that it cannot be read.
  ScopedDiagnosticHandler quiet(text.getContext(), [](Diagnostic &) { return success(); });
  return parseAttribute(string.getValue(), text.getContext());
}
