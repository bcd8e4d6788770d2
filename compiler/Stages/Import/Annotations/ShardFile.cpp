// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Annotations/ShardFile.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/NodeNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::heddle;

bool ShardRule::fits(StringRef name) const { return fitsPattern(pattern, name); }

namespace {

// Reads one line's words. The first thing that is wrong stays as `error`; what is read afterwards is nothing.
class LineReader {
public:
  explicit LineReader(StringRef text) : rest(text.trim()) {}

  std::string error;

  bool atEnd() const { return rest.empty() || !error.empty(); }

  // A sign or word, if it is next.
  bool take(StringRef token) {
    if (!error.empty() || !rest.starts_with(token))
      return false;
    bool isWord = isWordCharacter(token.back());
    if (isWord && rest.size() > token.size() && isWordCharacter(rest[token.size()]))
      return false;
    rest = rest.drop_front(token.size()).ltrim();
    return true;
  }

  void expect(StringRef token, StringRef where) {
    if (!take(token))
      fail("'" + token + "' " + where);
  }

  std::optional<int64_t> takeNumber() {
    StringRef digits = rest;
    digits.consume_front("-");
    int64_t value = 0;
    if (!error.empty() || digits.empty() || !llvm::isDigit(digits.front()) || rest.consumeInteger(10, value))
      return std::nullopt;
    rest = rest.ltrim();
    return value;
  }

  // Letters, digits, '_' and '.', the first one no digit; "" where that is not next.
  std::string takeName() {
    size_t length = 0;
    while (length < rest.size() && isWordCharacter(rest[length]))
      ++length;
    if (!error.empty() || length == 0 || llvm::isDigit(rest.front()))
      return "";
    std::string name = rest.take_front(length).str();
    rest = rest.drop_front(length).ltrim();
    return name;
  }

  std::string expectName(StringRef what) {
    std::string name = takeName();
    if (name.empty())
      fail(what);
    return name;
  }

  void fail(const Twine &expected) {
    if (error.empty())
      error = ("expected " + expected + (rest.empty() ? ", got the line's end" : ", got '" + rest + "'")).str();
  }

private:
  static bool isWordCharacter(char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }

  StringRef rest;
};

} // namespace

// `by 64`, `by 2 * seq`; nothing where it does not begin so.
static ShardGranule readGranule(LineReader &line) {
  ShardGranule granule;
  if (!line.take("by"))
    return granule;
  do {
    if (std::optional<int64_t> number = line.takeNumber()) {
      if (*number < 1 || llvm::MulOverflow(granule.factor, *number, granule.factor))
        line.fail("a number of positions from 1 after 'by'");
    } else {
      granule.names.push_back(line.expectName("a number of positions, or a dimension's name, behind 'by'"));
    }
  } while (line.take("*"));
  llvm::sort(granule.names);
  return granule;
}

// `-`, `?`, `tp`, `(dp, tp)`, `(tp, ?)`, with a granule.
static ShardDim readDim(LineReader &line) {
  ShardDim dim;
  if (line.take("-"))
    return dim;
  if (line.take("?")) {
    dim.isOpen = true;
    return dim;
  }
  if (line.take("(")) {
    do {
      dim.isOpen = line.take("?");
      if (!dim.isOpen)
        dim.axes.push_back(line.expectName("the name of an axis, or '?' as the last"));
    } while (!dim.isOpen && line.take(","));
    line.expect(")", "after the axes of a dimension");
  } else {
    dim.axes.push_back(line.expectName("an axis, '(AXIS, …)', '-' or '?' for each dimension"));
  }
  dim.granule = readGranule(line);
  return dim;
}

static std::string readReduction(LineReader &line) {
  return line.expectName("how parts combine behind 'partial', such as 'sum'");
}

// `tp: 0`, `tp: -1 by 64`, `tp: partial sum`, `tp: -`
static ShardAxis readAxis(LineReader &line) {
  ShardAxis axis;
  axis.axis = line.expectName("'AXIS: DIMENSION', such as 'tp: 0'");
  line.expect(":", "behind the name of an axis");
  if ((axis.dim = line.takeNumber()))
    axis.granule = readGranule(line);
  else if (line.take("partial"))
    axis.reduction = readReduction(line);
  else if (!line.take("-"))
    line.fail("a dimension's number, 'partial sum' or '-' behind '" + axis.axis + ":'");
  return axis;
}

static void readSharding(LineReader &line, ShardRule &rule) {
  if (line.take("@"))
    rule.mesh = line.expectName("the name of a mesh behind '@'");
  if (line.take("{")) {
    if (line.take("}"))
      return;
    do
      rule.axes.push_back(readAxis(line));
    while (line.take(","));
    return line.expect("}", "behind the last axis");
  }
  line.expect("[", "or '{' to begin a sharding, such as '[tp, -]' or '{tp: 0}'");
  std::vector<ShardDim> &dims = rule.dims.emplace();
  if (!line.take("]")) {
    do
      dims.push_back(readDim(line));
    while (line.take(","));
    line.expect("]", "behind the last dimension");
  }
  while (line.take("partial")) {
    std::string reduction = readReduction(line);
    do
      rule.axes.push_back(
          {line.expectName("the name of an axis behind 'partial " + reduction + "'"), {}, {}, reduction});
    while (line.take(","));
  }
}

// Behind the word 'mesh': `tp = 2, dp = ?`, `name: tp = 2 at 4 of gpu`.
static ShardMesh readMesh(LineReader &line) {
  ShardMesh mesh;
  std::string name = line.expectName("'mesh AXIS = SIZE, …', such as 'mesh tp = 2'");
  mesh.name = "mesh";
  if (line.take(":")) {
    mesh.name = name;
    name = line.expectName("the name of an axis behind the mesh's");
  }
  while (line.error.empty()) {
    mesh.axes.push_back(name);
    line.expect("=", "behind the name of an axis");
    if (line.take("?"))
      mesh.sizes.push_back(device::MeshOp::kFree);
    else if (std::optional<int64_t> size = line.takeNumber(); size && *size >= 1)
      mesh.sizes.push_back(*size);
    else
      line.fail("a size from 1, or '?', for the axis '" + name + "'");
    if (!line.take(","))
      break;
    name = line.expectName("the name of an axis behind ','");
  }
  if (line.take("at")) {
    std::optional<int64_t> first = line.takeNumber();
    if (!first || *first < 0)
      line.fail("the number of the mesh's first rank after 'at'");
    mesh.first = first.value_or(0);
  }
  if (line.take("of")) {
    (void)line.take("@");
    mesh.device = line.expectName("the name of a device behind 'of'");
  }
  return mesh;
}

// The word, and a blank: no pattern begins so.
static bool isMeshLine(StringRef line) { return line.consume_front("mesh") && line.ltrim() != line; }

static std::string parseLine(StringRef text, unsigned number, ShardFile &file) {
  if (isMeshLine(text)) {
    LineReader line(text.drop_front(4));
    ShardMesh mesh = readMesh(line);
    mesh.line = number;
    if (!line.atEnd())
      line.fail("',', 'at RANK', 'of DEVICE' or nothing after the axes");
    for (const ShardMesh &other : file.meshes)
      if (line.error.empty() && other.name == mesh.name)
        return "a mesh '" + mesh.name + "' is declared in line " + std::to_string(other.line) +
               "; give one a name: 'mesh NAME: AXIS = SIZE'";
    file.meshes.push_back(std::move(mesh));
    return line.error;
  }
  // No sharding has a '='; names may.
  size_t equals = text.rfind('=');
  StringRef pattern = text.take_front(equals).rtrim();
  if (equals == StringRef::npos || pattern.empty())
    return ("expected 'pattern = sharding', such as '*.weight = [tp, -]', or 'mesh AXIS = SIZE', got '" + text + "'")
        .str();
  LineReader line(text.drop_front(equals + 1));
  ShardRule rule;
  rule.pattern = pattern.str();
  rule.line = number;
  readSharding(line, rule);
  if (!line.atEnd())
    line.fail(rule.dims ? "'partial REDUCTION AXIS' or nothing after ']'" : "nothing after '}'");
  file.rules.push_back(std::move(rule));
  return line.error;
}

bool mlir::heddle::parseShardFile(StringRef text, ShardFile &file, std::string &error) {
  unsigned number = 0;
  for (StringRef line : llvm::split(text, '\n')) {
    ++number;
    line = line.trim();
    if (line.empty() || line.starts_with("#"))
      continue;
    if (std::string wrong = parseLine(line, number, file); !wrong.empty()) {
      error = std::to_string(number) + ": " + wrong;
      return false;
    }
  }
  return true;
}
