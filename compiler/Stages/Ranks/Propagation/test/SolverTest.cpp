// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases of propagation as data: *.cases beside this file, one case in a line (going on in lines that begin with a
// space):
//
//   name | axes | inputs | nodes | expected        # why, where another choice is usual
//   megatron | x=2 | p 8x4; w 4x16 - x; v 16x4 x - | h=mk,kn->mn : p,w; r=mk,kn->mn : h,v | h=- x; @r k=x; ~r=x
//
// Inputs: a size, and for each dimension what is asked of it: `x.y` axes (the outermost first), `-` whole, `x?` or `?`
// open, `x*64` at multiples of 64, `x^1` with priority 1; nothing: open. Nodes: loops by letters, `(ij)` one dimension
// of two loops, `.` a dimension that is needed whole; behind it `{i=2,!k}` extents and loops that cannot be cut, and
// `[4x3]` the size of the result; `shard : v x -` requests, `carry : init,yielded`, `fixed : v` needs and gives all.
// Expected: what is wanted of a value; @r the loops of the node of r; ~r what its result is partial along; !2 the
// number of conflicts.
#include "compiler/Stages/Ranks/Propagation/Solver.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle::propagation;
using llvm::StringRef;

namespace {

SmallVector<StringRef> wordsOf(StringRef text, char at) {
  SmallVector<StringRef> parts;
  text.split(parts, at, -1, /*KeepEmpty=*/false);
  for (StringRef &part : parts)
    part = part.trim();
  llvm::erase_if(parts, [](StringRef part) { return part.empty(); });
  return parts;
}

int64_t number(StringRef text) {
  int64_t value = 0;
  if (text.getAsInteger(10, value))
    ADD_FAILURE() << "no number: " << text.str();
  return value;
}

SmallVector<int64_t> sizesOf(StringRef text) {
  SmallVector<int64_t> sizes;
  for (StringRef size : wordsOf(text, 'x'))
    sizes.push_back(size == "?" ? ShapedType::kDynamic : number(size));
  return sizes;
}

// What a move sends: each axis that is combined, gathered or moved to another dimension counts by itself.
uint64_t simpleCost(const ShardingGraph &graph, const ShardedValue &value, const Layout &from, const Layout &to) {
  if (graph.areSame(from, to, value.sizes))
    return 0;
  auto isKept = [&](unsigned axis) {
    return llvm::any_of(llvm::zip_equal(from.dims, to.dims), [&](auto pair) {
      return llvm::is_contained(std::get<0>(pair).axes, axis) && llvm::is_contained(std::get<1>(pair).axes, axis);
    });
  };
  auto isIn = [](const Layout &layout, unsigned axis) {
    return llvm::any_of(layout.dims, [&](const Cut &cut) { return llvm::is_contained(cut.axes, axis); });
  };
  double local = value.bytes, sent = 0;
  for (auto [axis, info] : llvm::enumerate(graph.axes))
    if (isIn(from, axis))
      local /= std::max<int64_t>(info.size, 1);
  for (auto [axis, info] : llvm::enumerate(graph.axes)) {
    double n = info.size == Axis::kFree ? 2 : info.size, share = (n - 1) / n;
    if (llvm::is_contained(from.partial, axis))
      sent += local * share * (isIn(to, axis) ? 1 : 2);
    else if (isIn(from, axis) && !isKept(axis))
      sent += isIn(to, axis) ? local * share : local * (n - 1), local *= isIn(to, axis) ? 1 : n;
  }
  return sent;
}

// One case on its way from text to a solved graph.
class Case {
public:
  explicit Case(StringRef line) {
    SmallVector<StringRef> fields;
    line.split('#').first.split(fields, '|');
    ok = fields.size() == 5;
    if (!ok)
      return;
    name = fields[0].trim().str();
    for (StringRef axis : wordsOf(fields[1], ' ')) {
      auto [word, size] = axis.split('=');
      axes[word] = graph.addAxis({word.str(), word.contains('/') ? 1u : 0u, size == "?" ? Axis::kFree : number(size)});
    }
    for (StringRef input : wordsOf(fields[2], ';'))
      addInput(input);
    for (StringRef node : wordsOf(fields[3], ';'))
      addNode(node);
    for (auto &[node, names] : operands)
      for (auto [port, operand] : llvm::zip_equal(graph.nodes[node].operands, names))
        port.value = value(operand);
    expected = fields[4].str();
  }

  void check() {
    Solver(graph, [&](unsigned value, const Layout &from, const Layout &to) {
      return simpleCost(graph, graph.values[value], from, to);
    }).run(seeds);
    for (StringRef claim : wordsOf(expected, ';')) {
      auto [what, should] = claim.split('=');
      if (claim.starts_with("!"))
        EXPECT_EQ(static_cast<int64_t>(graph.conflicts.size()), number(claim.drop_front())) << name;
      else if (claim.starts_with("@"))
        checkLoops(claim.drop_front());
      else if (what.consume_front("~"))
        EXPECT_EQ(text({graph.values[value(what)].given.partial, {}}), should.trim().str()) << name << ": partial";
      else
        EXPECT_EQ(text(graph.values[value(what)].cuts), should.trim().str()) << name << ": " << what.str();
    }
  }

  bool ok = false;
  std::string name;

private:
  unsigned value(StringRef word) {
    auto found = values.find(word.trim());
    if (found == values.end()) {
      ADD_FAILURE() << name << ": no value " << word.str();
      return 0;
    }
    return found->second;
  }

  void ask(unsigned value, unsigned dim, StringRef text) {
    auto [cut, priority] = text.split('^');
    bool open = cut.consume_back("?");
    Cut asked;
    auto [list, granule] = cut.split('*');
    if (!granule.empty())
      asked.granule.factor = number(granule);
    if (list != "-")
      for (StringRef axis : wordsOf(list, '.'))
        asked.axes.push_back(axes.lookup(axis));
    if (priority.empty())
      graph.request(value, dim, asked, open);
    else
      seeds.push_back({value, dim, asked, open, number(priority)});
  }

  unsigned add(StringRef word, SmallVector<int64_t> sizes, bool isSource) {
    uint64_t bytes = 4;
    for (int64_t size : sizes)
      bytes *= ShapedType::isDynamic(size) ? 64 : size;
    return values[word.trim()] = graph.addValue(std::move(sizes), bytes, isSource);
  }

  void addInput(StringRef text) {
    SmallVector<StringRef> words = wordsOf(text, ' ');
    unsigned input = add(words[0], sizesOf(words[1]), true);
    for (auto [dim, word] : llvm::enumerate(ArrayRef(words).drop_front(2)))
      ask(input, dim, word);
    // As it lies: what is asked for and closed.
    graph.values[input].given.dims = graph.values[input].cuts;
  }

  void addNode(StringRef text) {
    auto [results, rest] = text.split('=');
    auto [word, tail] = rest.split(':');
    word = word.trim();
    tail = tail.trim();
    auto [list, after] =
        StringRef("{[").contains(tail.take_front(1)) ? std::make_pair(StringRef(), tail) : tail.split(' ');
    SmallVector<StringRef> names = wordsOf(list, ',');
    if (word.contains("->"))
      return addCompute(results, word, names, after);
    Node node;
    SmallVector<int64_t> sizes = graph.values[value(names[0])].sizes;
    bool isFixed = word == "fixed";
    node.role = isFixed ? Node::Role::Fixed : word == "carry" ? Node::Role::Carry : Node::Role::Request;
    Port port{add(results, sizes, isFixed), {}};
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      port.dims.push_back(isFixed ? Link{} : Link{static_cast<unsigned>(dim), {}});
      if (!isFixed)
        node.loops.push_back({Loop::Kind::Parallel, size, {}, {}});
    }
    node.results.push_back(port);
    node.operands.assign(names.size(), port);
    operands[graph.addNode(node)].assign(names.begin(), names.end());
    for (auto [dim, asked] : llvm::enumerate(wordsOf(after, ' ')))
      ask(port.value, dim, asked);
  }

  // The letters of each dimension: "i(jk)." has "i", "jk", "".
  static SmallVector<std::string> dimsOf(StringRef text) {
    SmallVector<std::string> dims;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '(') {
        dims.push_back(text[i] == '.' ? "" : std::string(1, text[i]));
        continue;
      }
      size_t end = text.find(')', i);
      dims.push_back(text.slice(i + 1, end).str());
      i = end;
    }
    return dims;
  }

  static SmallVector<int64_t> shapeOf(const Node &node, const std::map<char, unsigned> &letters, StringRef text) {
    SmallVector<int64_t> shape;
    for (const std::string &walked : dimsOf(text.trim())) {
      shape.push_back(1);
      for (char letter : walked)
        shape.back() *= node.loops[letters.at(letter)].extent;
    }
    return shape;
  }

  void addCompute(StringRef results, StringRef loops, ArrayRef<StringRef> names, StringRef after) {
    auto [from, to] = loops.split("->");
    Node node;
    std::map<char, unsigned> letters;
    auto loopOf = [&](char letter) {
      auto [entry, isNew] = letters.try_emplace(letter, node.loops.size());
      if (isNew)
        node.loops.push_back({Loop::Kind::Reduced, ShapedType::kDynamic, {}, {}});
      return entry->second;
    };
    StringRef sizes = after.contains('[') ? after.slice(after.find('[') + 1, after.find(']')) : "";
    if (size_t at = after.find('{'); at != StringRef::npos)
      for (StringRef word : wordsOf(after.slice(at + 1, after.find('}', at)), ',')) {
        Loop &loop = node.loops[loopOf(word[word[0] == '!'])];
        if (word[0] == '!')
          loop.kind = Loop::Kind::Whole;
        else
          loop.extent = number(word.drop_front(2));
      }
    SmallVector<StringRef> operandTexts, resultTexts;
    if (!names.empty())
      from.split(operandTexts, ',');
    to.split(resultTexts, ',');
    for (auto [text, operand] : llvm::zip_equal(operandTexts, names))
      for (auto [dim, walked] : llvm::enumerate(dimsOf(text.trim())))
        if (walked.size() == 1 && ShapedType::isDynamic(node.loops[loopOf(walked[0])].extent))
          node.loops[loopOf(walked[0])].extent = graph.values[value(operand)].sizes[dim];
    auto portOf = [&](StringRef text) {
      Port port{0, {}};
      for (const std::string &walked : dimsOf(text.trim())) {
        Link link;
        if (!walked.empty())
          link.loop = loopOf(walked[0]);
        for (char inner : StringRef(walked).drop_front(!walked.empty()))
          link.inner.factor *= node.loops[loopOf(inner)].extent;
        port.dims.push_back(link);
      }
      return port;
    };
    for (StringRef text : operandTexts)
      node.operands.push_back(portOf(text));
    for (auto [text, result] : llvm::zip_equal(resultTexts, wordsOf(results, ' '))) {
      Port port = portOf(text);
      for (const std::string &walked : dimsOf(text.trim()))
        for (char letter : StringRef(walked).drop_front(!walked.empty()))
          node.loops[loopOf(letter)].kind = Loop::Kind::Whole; // no part of the dimension
      for (const std::string &walked : dimsOf(text.trim()))
        for (char letter : walked)
          if (Loop &loop = node.loops[loopOf(letter)]; loop.kind == Loop::Kind::Reduced)
            loop.kind = Loop::Kind::Parallel;
      SmallVector<int64_t> shape = sizes.empty() ? shapeOf(node, letters, text) : sizesOf(sizes);
      port.value = add(result, shape, false);
      node.results.push_back(port);
    }
    node.isMade = names.empty();
    unsigned number = graph.addNode(node);
    operands[number].assign(names.begin(), names.end());
    lettersOf[number] = letters;
  }

  void checkLoops(StringRef claim) {
    SmallVector<StringRef> words = wordsOf(claim, ' ');
    for (auto [number, node] : llvm::enumerate(graph.nodes)) {
      if (node.results.front().value != value(words[0]))
        continue;
      for (StringRef word : ArrayRef(words).drop_front()) {
        auto letter = lettersOf[number].find(word[0]);
        ASSERT_NE(letter, lettersOf[number].end()) << name << ": no loop " << word.str();
        EXPECT_EQ(text(node.loops[letter->second].cut), word.drop_front(2).str()) << name << ": loop " << word[0];
      }
    }
  }

  std::string text(const Cut &cut) {
    if (cut.empty())
      return "-";
    std::string out = llvm::join(llvm::map_range(cut.axes, [&](unsigned axis) { return graph.axes[axis].name; }), ".");
    return cut.granule.isOne() ? out : out + "*" + std::to_string(cut.granule.factor);
  }
  std::string text(ArrayRef<Cut> cuts) {
    return llvm::join(llvm::map_range(cuts, [&](const Cut &cut) { return text(cut); }), " ");
  }

  ShardingGraph graph;
  llvm::StringMap<unsigned> axes, values;
  llvm::MapVector<unsigned, SmallVector<StringRef>> operands; // of each node
  std::map<unsigned, std::map<char, unsigned>> lettersOf;
  std::vector<Solver::Seed> seeds;
  std::string expected;
};

class Cases : public ::testing::TestWithParam<const char *> {};

TEST_P(Cases, AreSolvedAsExpected) {
  std::string path = std::string(HEDDLE_CASES) + "/" + GetParam();
  auto file = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(file) << path;
  std::vector<std::string> lines;
  SmallVector<StringRef> raw;
  (*file)->getBuffer().split(raw, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : raw) {
    if (line.starts_with(" ") && !lines.empty())
      lines.back() += line.str();
    else if (!line.trim().empty() && !line.starts_with("#"))
      lines.push_back(line.str());
  }
  ASSERT_FALSE(lines.empty());
  for (const std::string &line : lines) {
    Case one(line);
    ASSERT_TRUE(one.ok) << "not five fields: " << line;
    SCOPED_TRACE(line);
    one.check();
  }
  RecordProperty("cases", lines.size());
}

INSTANTIATE_TEST_SUITE_P(Propagation, Cases,
                         ::testing::Values("elementwise.cases", "products.cases", "reshapes.cases", "loops.cases",
                                           "priorities.cases", "conflicts.cases", "blocks.cases", "ops.cases"),
                         [](const auto &info) { return StringRef(info.param).split('.').first.str(); });

} // namespace
