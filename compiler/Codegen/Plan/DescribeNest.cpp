// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/Nest.h"
#include "compiler/Codegen/Plan/Window.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

static std::string describeTile(const Nest &nest) {
  const ContractionConfig &config = nest.contraction;
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(config.tile, stream, "*");
  stream << (config.tile.empty() ? "1x" : "x") << config.vectors << "x" << config.width
         << (config.packing == Packing::Never    ? ""
             : config.packing == Packing::Always ? ", columns packed"
                                                 : ", columns packed for many rows")
         << (nest.usesTileRegisters() ? ", in tile registers" : "");
  if (config.copiesRows)
    stream << ", rows copied";
  if (config.depth > 0)
    stream << (config.depthOutside ? ", all rows by " : ", by ") << config.depth << " steps";
  if (config.lastVectors > 0)
    stream << ", last " << config.lastVectors;
  return text;
}

std::string mlir::heddle::codegen::describe(const Nest &nest) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  switch (nest.kind) {
  case NestKind::Elements:
    stream << "elements, width " << nest.width << ", " << nest.collapsed << " dimensions as one";
    if (!nest.joined.empty())
      stream << ", rows of " << nest.joined.size() + 1;
    if (!nest.joins.dims.empty())
      stream << ", rows of up to " << nest.joins.dims.size() + 1 << " by the call's sizes";
    for (const Nest &few : nest.fewer)
      stream << "; of up to " << few.mostRows << " elements without loops";
    break;
  case NestKind::Transpose:
    stream << "transpose, squares of " << nest.transpose.tile << " in blocks of " << nest.transpose.rows << "x"
           << nest.transpose.columns;
    if (!nest.joined.empty() || !nest.turnedJoined.empty())
      stream << ", rows of " << nest.joined.size() + 1 << " and " << nest.turnedJoined.size() + 1;
    break;
  case NestKind::Chain:
    stream << "chain, " << nest.chainRows << " rows at a time";
    if (nest.groupDim)
      stream << " of each of " << nest.groupRows;
    for (const Nest &stage : nest.stages)
      stream << "; " << describe(stage);
    for (const Nest &few : nest.fewer)
      stream << "; up to " << few.mostRows << (few.mostRows == 1 ? " row " : " rows ")
             << describeTile(few.stages.front()) << " and " << describeTile(few.stages.back());
    return text + (nest.binding < 0 ? ", staged" : "");
  case NestKind::Border: return "border, width " + std::to_string(nest.width);
  case NestKind::Rows:
    stream << "rows, " << nest.steps.size() << " steps, width " << nest.width;
    for (const Nest &few : nest.fewer)
      stream << "; of up to " << few.mostRows << " elements without loops";
    break;
  case NestKind::Columns:
    stream << "columns, " << nest.steps.size() << " steps, width " << nest.width;
    if (!nest.joined.empty())
      stream << ", rows of " << nest.joined.size() + 1;
    break;
  case NestKind::Windows:
    stream << "windows, tile " << nest.window.height << "x" << nest.window.length << "x" << nest.width
           << (liesAlongPositions(nest.tileDims, *nest.laneDim) ? " positions" : "");
    break;
  case NestKind::Contraction:
    stream << (nest.integer ? "integer contraction, tile " : "contraction, tile ") << describeTile(nest);
    for (const Nest &few : nest.fewer) {
      stream << "; up to ";
      few.mostColumns > 0 ? stream << few.mostColumns << " columns "
                          : stream << few.mostRows << (few.mostRows == 1 ? " row " : " rows ");
      stream << describeTile(few);
    }
    break;
  }
  if (nest.binding < 0)
    stream << ", staged";
  if (nest.width == 1 && nest.kind != NestKind::Contraction && nest.kind != NestKind::Transpose)
    stream << " (scalar)";
  return text;
}
