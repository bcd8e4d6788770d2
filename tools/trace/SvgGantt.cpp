// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timeline as a picture. Colours: a hue per device, transfers in one colour of their own, waits pale.
#include "tools/lib/Quantities.h"

#include "heddle/contract/Text.h"
#include "tools/trace/Timeline.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace heddle::tools {
namespace {

constexpr double kWidth = 1200, kLeft = 190, kRight = 24, kTop = 74, kLane = 30, kGap = 12, kAxis = 34, kLegend = 34;
constexpr double kTiny = 0.8;       // slices narrower than this are drawn together
constexpr size_t kMostArrows = 400; // more hide what they show
constexpr int kHues = 6;

constexpr const char *kStyle = R"(<style>
svg { --ink: #1f2430; --soft: #667085; --line: #e4e7ec; --paper: #ffffff; --band: #f7f8fa; --move: #d97706; --host: #98a2b3; --meet: #c2410c;
  --d0: #3b6fd4; --d1: #0f9f7f; --d2: #9b5de5; --d3: #d64582; --d4: #5b8c2a; --d5: #0e8fb3; --on: #ffffff;
  background: var(--paper); font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
@media (prefers-color-scheme: dark) { svg { --ink: #e6e9ef; --soft: #98a2b3; --line: #2b303b; --paper: #14171d; --band: #1a1e26;
  --move: #f5a524; --host: #5b6472; --meet: #fb923c; --d0: #6d9bf1; --d1: #3cc8a5; --d2: #b78cf2; --d3: #f078a8; --d4: #94c45c; --d5: #4cc0e0; --on: #10131a; } }
text { fill: var(--ink); font-size: 12px; } .title { font-size: 18px; font-weight: 600; } .soft { fill: var(--soft); }
.grid { stroke: var(--line); } .band { fill: var(--band); } .lane { font-weight: 600; } .small { font-size: 11px; }
.in { fill: var(--on); font-size: 11px; pointer-events: none; } .wait { fill: var(--soft); opacity: .22; } .move { fill: var(--move); }
.meet { fill: var(--meet); }
.host { fill: var(--host); } .aux { opacity: .55; } .call { fill: none; stroke: var(--soft); }
.arrow { fill: none; stroke: var(--move); stroke-width: 1.6; } .dependency { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 3 3; }
.head { fill: var(--move); stroke: none; } .d0 { fill: var(--d0); } .d1 { fill: var(--d1); } .d2 { fill: var(--d2); }
.d3 { fill: var(--d3); } .d4 { fill: var(--d4); } .d5 { fill: var(--d5); } rect:hover { opacity: .8; }
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5" orient="auto"><path class="head" d="M0 0 8 4 0 8z"/></marker></defs>
)";

std::string escape(const std::string &text) {
  std::string out;
  for (char c : contract::showText(text, contract::Lines::One)) {
    if (c == '<' || c == '>' || c == '&' || c == '"')
      out += "&#" + std::to_string(static_cast<int>(c)) + ";";
    else
      out += c;
  }
  return out;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f", value);
  return text;
}

std::string text(double x, double y, const std::string &content, const std::string &style, const char *more = "") {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" class=\"" + style + "\"" + more + ">" +
         escape(content) + "</text>\n";
}

// As many letters as fit, the last of which says that there are more.
std::string shorten(const std::string &content, double width) {
  constexpr double kLetter = 6.4;
  auto letters = static_cast<size_t>(width / kLetter);
  return content.size() <= letters ? content : content.substr(0, letters - 1) + "…";
}

// Adjacent slices of one look, drawn as one.
struct Block {
  double x, right;
  std::string style, label, title;
  size_t count = 1;
};

class Picture {
public:
  explicit Picture(const Timeline &timeline) : timeline_(timeline), lanes_(timeline.lanes()) {
    for (const Slice &slice : timeline.slices)
      end_ = std::max(end_, slice.end);
    for (const Call &call : timeline.calls)
      end_ = std::max(end_, call.end);
    bottom_ = kTop + static_cast<double>(std::max<size_t>(lanes_.size(), 1)) * (kLane + kGap);
    height_ = bottom_ + kAxis + kLegend;
  }

  std::string draw() {
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(kWidth) + " " + number(height_) +
           "\" width=\"" + number(kWidth) + "\" height=\"" + number(height_) + "\" role=\"img\">\n" + kStyle;
    out_ += "<title>" + escape(timeline_.title) +
            "</title>\n<rect width=\"100%\" height=\"100%\" style=\"fill: var(--paper)\"/>\n";
    header();
    axis();
    for (size_t i = 0; i < lanes_.size(); ++i)
      lane(i);
    arrows();
    legend();
    return out_ + "</svg>\n";
  }

private:
  double x(uint64_t ns) const {
    return kLeft + static_cast<double>(ns) * (kWidth - kLeft - kRight) / static_cast<double>(end_);
  }
  double y(size_t lane) const { return kTop + static_cast<double>(lane) * (kLane + kGap); }

  void header() {
    uint64_t transfers = 0, bytes = 0, dispatches = 0;
    for (const Slice &slice : timeline_.slices) {
      transfers += slice.isTransfer();
      bytes += slice.isTransfer() ? slice.bytes : 0;
      dispatches += slice.kind == HEDDLE_TRACE_DISPATCH;
    }
    out_ += text(20, 32, timeline_.title, "title");
    std::string facts = formatCount(timeline_.calls.size(), "call") + ", " +
                        formatDuration(static_cast<double>(timeline_.makespan())) + " · " +
                        formatCount(dispatches, "dispatch") + " · " + formatCount(transfers, "transfer");
    if (transfers)
      facts += ", " + formatBytes(bytes);
    out_ += text(20, 54, facts, "soft");
  }

  // Six to twelve ticks at 1, 2 or 5 times a power of ten.
  void axis() {
    double step = std::pow(10, std::floor(std::log10(static_cast<double>(end_) / 6)));
    for (double factor : {5.0, 2.0})
      if (static_cast<double>(end_) / (step * factor) >= 6) {
        step *= factor;
        break;
      }
    for (double at = 0; at <= static_cast<double>(end_); at += std::max(step, 1.0)) {
      double where = x(static_cast<uint64_t>(at));
      out_ += "<line class=\"grid\" x1=\"" + number(where) + "\" x2=\"" + number(where) + "\" y1=\"" +
              number(kTop - 8) + "\" y2=\"" + number(bottom_) + "\"/>\n";
      out_ += text(where, bottom_ + 16, at == 0 ? "0" : formatDuration(at), "soft small", " text-anchor=\"middle\"");
    }
  }

  std::string styleOf(const Slice &slice) const {
    if (slice.kind == HEDDLE_TRACE_WAIT)
      return "wait";
    if (slice.isTransfer())
      return "move";
    if (slice.kind == HEDDLE_TRACE_COLLECTIVE)
      return "meet";
    if (slice.device < 0)
      return slice.name == "await" || slice.name == "wait" ? "wait" : "host";
    std::string hue = "d" + std::to_string(slice.device % kHues);
    return slice.kind == HEDDLE_TRACE_DISPATCH ? hue : hue + " aux";
  }

  std::string titleOf(const Slice &slice) const {
    std::string out = slice.name + ": " + formatDuration(static_cast<double>(slice.end - slice.begin));
    if (!slice.source.empty())
      out += "\nfrom " + slice.source;
    if (slice.isTransfer())
      out += "\n" + timeline_.deviceName(slice.from) + " → " + timeline_.deviceName(slice.to);
    if (slice.bytes)
      out += "\n" + formatBytes(slice.bytes);
    return out;
  }

  std::vector<Block> blocksOf(size_t index) const {
    std::vector<const Slice *> slices;
    for (const Slice &slice : timeline_.slices)
      if (std::pair(slice.device, slice.stream) == lanes_[index] && slice.kind != HEDDLE_TRACE_RECORD)
        slices.push_back(&slice);
    std::sort(slices.begin(), slices.end(),
              [](auto *a, auto *b) { return std::pair(a->begin, a) < std::pair(b->begin, b); });
    std::vector<Block> blocks;
    for (const Slice *slice : slices) {
      Block next{x(slice->begin), x(slice->end), styleOf(*slice),
                 slice->isTransfer() ? formatBytes(slice->bytes) : slice->name, titleOf(*slice)};
      bool tiny = next.right - next.x < kTiny;
      if (tiny && !blocks.empty()) {
        Block &last = blocks.back();
        bool lastTiny = last.count > 1 || last.right - last.x < kTiny;
        if (lastTiny && last.style == next.style && next.right - last.x < 2 * kTiny) {
          last.right = std::max(last.right, next.right);
          last.label.clear();
          last.title = std::to_string(++last.count) + " short ones";
          continue;
        }
      }
      blocks.push_back(std::move(next));
    }
    return blocks;
  }

  void lane(size_t index) {
    auto [device, stream] = lanes_[index];
    double top = y(index);
    out_ += "<rect class=\"band\" x=\"12\" y=\"" + number(top - 4) + "\" width=\"" + number(kWidth - 24) +
            "\" height=\"" + number(kLane + 8) + "\" rx=\"6\"/>\n";
    bool isHost = device < 0 && stream == 0;
    std::string name = timeline_.deviceName(device), detail = isHost ? "issue of instructions" : "collectives";
    if (device >= 0) {
      char busy[16] = "";
      if (timeline_.makespan())
        std::snprintf(busy, sizeof(busy), "%.0f %% busy",
                      100 * static_cast<double>(timeline_.busy(device)) / static_cast<double>(timeline_.makespan()));
      bool first = index == 0 || lanes_[index - 1].first != device;
      detail = !first ? "stream " + std::to_string(stream)
                      : busy + std::string(" · ") + timeline_.devices[static_cast<size_t>(device)].uri;
    }
    out_ += text(20, top + 12, name, "lane") + text(20, top + 27, shorten(detail, kLeft - 20), "soft small");
    for (const Block &block : blocksOf(index))
      rectangle(block, isHost ? top + kLane / 4 : top, isHost ? kLane / 2 : kLane);
  }

  // Short ones, the host's, have no label.
  void rectangle(const Block &block, double top, double tall) {
    double width = std::max(block.right - block.x, 0.6);
    out_ += "<rect class=\"" + block.style + "\" x=\"" + number(block.x) + "\" y=\"" + number(top) + "\" width=\"" +
            number(width) + "\" height=\"" + number(tall) + "\"" + (width > 6 ? " rx=\"3\"" : "") + "><title>" +
            escape(block.title) + "</title></rect>\n";
    constexpr double kLeast = 36;
    if (tall >= kLane && width >= kLeast && block.style != "wait")
      out_ += text(block.x + 5, top + kLane / 2 + 4, shorten(block.label, width - 10), "in");
  }

  void arrows() {
    std::vector<Flow> flows;
    for (bool transfers : {true, false})
      for (const Flow &flow : timeline_.flows())
        if (flow.transfer == transfers)
          flows.push_back(flow);
    std::map<std::pair<int32_t, uint32_t>, size_t> rows;
    for (size_t i = 0; i < lanes_.size(); ++i)
      rows[lanes_[i]] = i;
    for (size_t i = 0; i < std::min(flows.size(), kMostArrows); ++i) {
      const Slice &from = timeline_.slices[flows[i].from], &to = timeline_.slices[flows[i].to];
      size_t a = rows[{from.device, from.stream}], b = rows[{to.device, to.stream}];
      if (a == b)
        continue;
      double x1 = x(from.end), x2 = x(to.begin), y1 = y(a) + (a < b ? kLane : 0), y2 = y(b) + (a < b ? 0 : kLane);
      double bend = (y2 - y1) / 2;
      out_ += std::string("<path class=\"arrow") + (flows[i].transfer ? "" : " dependency") +
              "\" marker-end=\"url(#head)\" d=\"M" + number(x1) + " " + number(y1) + " C" + number(x1) + " " +
              number(y1 + bend) + " " + number(x2) + " " + number(y2 - bend) + " " + number(x2) + " " + number(y2) +
              "\"/>\n";
    }
    hidden_ = flows.size() > kMostArrows ? flows.size() - kMostArrows : 0;
  }

  void legend() {
    double at = kLeft, line = height_ - 16;
    auto entry = [&](const std::string &style, const std::string &label) {
      out_ += "<rect class=\"" + style + "\" x=\"" + number(at) + "\" y=\"" + number(line - 10) +
              "\" width=\"14\" height=\"12\" rx=\"3\"/>\n" + text(at + 20, line, label, "small");
      at += 44 + 6.6 * static_cast<double>(label.size());
    };
    constexpr size_t kMostNamed = 6;
    for (size_t d = 0; d < std::min(timeline_.devices.size(), kMostNamed); ++d) {
      std::string hue = "d" + std::to_string(d % kHues);
      entry(hue, "dispatch on " + timeline_.devices[d].name);
    }
    entry("move", "transfer");
    if (timeline_.ranks > 1)
      entry("meet", "collective");
    entry("wait", "waits");
    entry("host", "host");
    if (hidden_)
      out_ += text(at, line, std::to_string(hidden_) + " more arrows not drawn", "soft small");
  }

  const Timeline &timeline_;
  std::vector<std::pair<int32_t, uint32_t>> lanes_;
  uint64_t end_ = 1;
  double bottom_ = 0, height_ = 0;
  size_t hidden_ = 0;
  std::string out_;
};

} // namespace

std::string toSvg(const Timeline &timeline) { return Picture(timeline).draw(); }

} // namespace heddle::tools
