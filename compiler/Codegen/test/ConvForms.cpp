// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/test/ConvForms.h"

#include "compiler/Codegen/test/Dispatches.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace heddle::test {

namespace {

std::string str(int64_t value) { return std::to_string(value); }

std::string join(const std::vector<std::string> &parts, const char *separator = ", ") {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : separator) + part;
  return text;
}

int64_t product(const std::vector<int64_t> &values) {
  return std::accumulate(values.begin(), values.end(), int64_t{1}, std::multiplies<>());
}

// The dimensions of one tensor: sizes, and the index expression of the loops each is read at.
struct Access {
  std::vector<int64_t> sizes;
  std::vector<bool> dynamic;
  std::vector<std::string> index;

  void add(int64_t size, const std::string &at, bool isDynamic = false) {
    sizes.push_back(size), index.push_back(at), dynamic.push_back(isDynamic);
  }
  std::string type() const {
    std::string text = "tensor<";
    for (size_t d = 0; d < sizes.size(); ++d)
      text += (dynamic[d] ? "?" : str(sizes[d])) + "x";
    return text + "f32>";
  }
};

// Loops and accesses of a form.
struct Layout {
  std::vector<std::string> parallel, reduced;
  Access x, w, y; // x as the convolution reads it: padded

  // How filters [group, taps…, channels, filters] lie.
  std::string filters() const {
    if (form.panel == 0 || form.channelsFirst || form.kind != ConvForm::Kind::Full)
      return "";
    size_t last = w.sizes.size() - 2;
    std::string perm = group ? "0, " : "";
    perm += str(last);
    for (size_t dim = group; dim < last; ++dim)
      perm += ", " + str(dim);
    return operandLayouts("perm = [" + perm + "], inner_dims = [" + str(last) + "], inner_tiles = [" + str(form.panel) +
                          "]");
  }

  explicit Layout(const ConvForm &form) : form(form) {
    for (int64_t d = 0; d < form.rank(); ++d)
      outs.push_back("o" + str(d)), taps.push_back("k" + str(d));
    group = form.kind == ConvForm::Kind::Full && form.groups > 1;
    form.channelsFirst ? first() : last();
  }

private:
  void addPositions(Access &access, bool read) {
    for (int64_t d = 0; d < form.rank(); ++d)
      if (read)
        access.add((form.output[d] - 1) * form.stride[d] + (form.kernel[d] - 1) * form.dilation[d] + 1,
                   "o" + str(d) + " * " + str(form.stride[d]) + " + k" + str(d) + " * " + str(form.dilation[d]),
                   form.dynamic);
      else
        access.add(form.output[d], outs[d], form.dynamic);
  }
  void addTaps(Access &access) {
    for (int64_t d = 0; d < form.rank(); ++d)
      access.add(form.kernel[d], taps[d]);
  }
  void last() {
    parallel = {"n"};
    parallel.insert(parallel.end(), outs.begin(), outs.end());
    reduced = taps;
    x.add(form.batch, "n", form.dynamic), y.add(form.batch, "n", form.dynamic);
    addPositions(x, true), addPositions(y, false);
    if (form.kind != ConvForm::Kind::Full) {
      parallel.push_back("c");
      addTaps(w);
      for (Access *access : {&x, &w, &y})
        if (access != &w || !form.isPool())
          access->add(form.channels, "c");
      return;
    }
    if (group) {
      parallel.push_back("g");
      for (Access *access : {&x, &w, &y})
        access->add(form.groups, "g");
    }
    parallel.push_back("f"), reduced.push_back("c");
    if (form.panel > 0)
      w.add((form.filters + form.panel - 1) / form.panel, "f floordiv " + str(form.panel));
    addTaps(w);
    x.add(form.channels, "c"), w.add(form.channels, "c"), y.add(form.filters, "f");
    form.panel > 0 ? w.add(form.panel, "f mod " + str(form.panel)) : w.add(form.filters, "f");
  }
  void first() {
    parallel = {"n"};
    x.add(form.batch, "n", form.dynamic), y.add(form.batch, "n", form.dynamic);
    if (form.kind != ConvForm::Kind::Full) {
      parallel.push_back("c");
      for (Access *access : {&x, &w, &y})
        if (access != &w || !form.isPool())
          access->add(form.channels, "c");
    } else {
      if (group) {
        parallel.push_back("g");
        for (Access *access : {&x, &w, &y})
          access->add(form.groups, "g");
      }
      parallel.push_back("f"), reduced.push_back("c");
      w.add(form.filters, "f"), y.add(form.filters, "f");
      x.add(form.channels, "c"), w.add(form.channels, "c");
    }
    parallel.insert(parallel.end(), outs.begin(), outs.end());
    reduced.insert(reduced.end(), taps.begin(), taps.end());
    addPositions(x, true), addPositions(y, false), addTaps(w);
  }

  const ConvForm &form;
  std::vector<std::string> outs, taps;
  bool group;
};

bool isPosition(const std::string &index) { return index[0] == 'o'; }

// The operand as it is passed: without the padding.
Access withoutPadding(const ConvForm &form, Access x) {
  for (size_t d = 0; d < x.sizes.size(); ++d)
    if (isPosition(x.index[d]))
      x.sizes[d] = form.inputSize(std::stoll(x.index[d].substr(1)));
  return x;
}

// The tensor.pad from %x to %p.
std::string padText(const ConvForm &form, const Access &source, const Access &padded) {
  std::vector<std::string> low, high, indices;
  for (size_t d = 0; d < source.sizes.size(); ++d) {
    bool position = isPosition(source.index[d]);
    low.push_back(position ? str(form.pad[2 * std::stoll(source.index[d].substr(1))]) : "0");
    high.push_back(position ? str(form.pad[2 * std::stoll(source.index[d].substr(1)) + 1]) : "0");
    indices.push_back("%i" + str(d) + ": index");
  }
  return "%p = tensor.pad %x low[" + join(low) + "] high[" + join(high) + "] {\n^bb0(" + join(indices) +
         "):\n  tensor.yield %init : f32\n} : " + source.type() + " to " + padded.type() + "\n";
}

std::string body(ConvForm::Kind kind) {
  switch (kind) {
  case ConvForm::Kind::MaxPool: return "%r = arith.maximumf %o, %a : f32\n";
  case ConvForm::Kind::SumPool: return "%r = arith.addf %o, %a : f32\n";
  default: return "%m = arith.mulf %a, %b : f32\n %r = arith.addf %o, %m : f32\n";
  }
}

int64_t extentOf(const ConvForm &form, const std::string &loop) {
  switch (loop[0]) {
  case 'n': return form.batch;
  case 'g': return form.groups;
  case 'f': return form.filters;
  case 'c': return form.channels;
  case 'o': return form.output[std::stoll(loop.substr(1))];
  default: return form.kernel[std::stoll(loop.substr(1))];
  }
}

} // namespace

int64_t ConvForm::inputSize(int64_t d) const {
  int64_t padded = (output[d] - 1) * stride[d] + (kernel[d] - 1) * dilation[d] + 1;
  return pad.empty() ? padded : padded - pad[2 * d] - pad[2 * d + 1];
}

std::vector<int64_t> ConvForm::elements() const {
  Layout layout(*this);
  std::vector<int64_t> counts = {product(withoutPadding(*this, layout.x).sizes), product(layout.w.sizes),
                                 product(layout.y.sizes)};
  if (isPool())
    counts.erase(counts.begin() + 1);
  return counts;
}

std::vector<int64_t> ConvForm::constants() const {
  if (!dynamic)
    return {};
  std::vector<int64_t> sizes = {batch};
  for (int64_t d = 0; d < rank(); ++d)
    sizes.push_back(inputSize(d));
  sizes.insert(sizes.end(), output.begin(), output.end());
  return sizes;
}

double ConvForm::flops() const {
  double each = 2.0 * static_cast<double>(product(kernel)) * (kind == Kind::Full ? channels : 1);
  return each * static_cast<double>(elements().back());
}

std::string ConvForm::text() const {
  Layout layout(*this);
  const Access &x = layout.x, &w = layout.w, &y = layout.y;
  Access source = withoutPadding(*this, x);
  std::vector<std::string> loops = layout.parallel, iterators(loops.size(), "\"parallel\""), scalars, sizes;
  loops.insert(loops.end(), layout.reduced.begin(), layout.reduced.end());
  iterators.resize(loops.size(), "\"reduction\"");
  std::string head = "(" + join(loops) + ") -> (", yt = y.type(), arguments = "%x: " + source.type();
  if (!isPool())
    arguments += ", %w: " + w.type();
  if (dynamic) {
    for (size_t i = 0; i < constants().size(); ++i)
      arguments += ", %s" + str(i) + ": index";
    for (size_t d = 0; d < y.sizes.size(); ++d)
      if (y.dynamic[d])
        sizes.push_back(isPosition(y.index[d]) ? "%s" + str(1 + rank() + std::stoll(y.index[d].substr(1))) : "%s0");
  }
  std::string init = kind == Kind::MaxPool ? "0xFF800000" : "0.0", operand = pad.empty() ? "%x" : "%p";
  std::string id = "affine_map<(" + join(layout.parallel) + ") -> (" + join(y.index) + ")>";
  std::string text = "func.func @conv(" + arguments + ") -> " + yt + " {\n%init = arith.constant " + init +
                     " : f32\n%zero = arith.constant 0.0 : f32\n";
  if (!pad.empty())
    text += padText(*this, source, x);
  std::string window = isPool() ? "%window" : "%w";
  if (isPool())
    text += "%window = tensor.empty() : " + w.type() + "\n";
  text += "%e = tensor.empty(" + join(sizes) + ") : " + yt + "\n%f = linalg.fill ins(%init : f32) outs(%e : " + yt +
          ") -> " + yt + "\n";
  text += "%c = linalg.generic {indexing_maps = [affine_map<" + head + join(x.index) + ")>, affine_map<" + head +
          join(w.index) + ")>, affine_map<" + head + join(y.index) + ")>], iterator_types = [" + join(iterators) + "]" +
          layout.filters() + "} ins(" + operand + ", " + window + " : " + x.type() + ", " + w.type() +
          ") outs(%f : " + yt + ") {\n^bb0(%a: f32, %b: f32, %o: f32):\n" + body(kind) + "linalg.yield %r : f32 } -> " +
          yt + "\n";
  iterators.assign(layout.parallel.size(), "\"parallel\"");
  text += "%y = linalg.generic {indexing_maps = [" + id + ", " + id + "], iterator_types = [" + join(iterators) +
          "]} ins(%c : " + yt + ") outs(%e : " + yt + ") {\n^bb0(%a: f32, %o: f32):\n" +
          "%r = arith.maximumf %a, %zero : f32\nlinalg.yield %r : f32 } -> " + yt + "\nreturn %y : " + yt + "\n}";
  return text;
}

std::vector<double> ConvForm::reference(std::span<const float> x, std::span<const float> w) const {
  Layout layout(*this);
  Access source = withoutPadding(*this, layout.x);
  std::vector<std::string> loops = layout.parallel;
  loops.insert(loops.end(), layout.reduced.begin(), layout.reduced.end());
  std::vector<double> y(elements().back(), kind == Kind::MaxPool ? -INFINITY : 0.0);
  std::vector<int64_t> at(128), k(rank()), o(rank()); // of each loop, by its name's first letter
  // The element of an access, or -1 in the padding.
  auto offset = [&](const Access &access) {
    int64_t linear = 0;
    for (size_t d = 0; d < access.sizes.size(); ++d) {
      const std::string &index = access.index[d];
      bool spatial = index[0] == 'o' || index[0] == 'k';
      int64_t dim = spatial ? std::stoll(index.substr(1)) : 0, i = at[index[0]];
      if (index.find("floordiv") != std::string::npos)
        i /= panel;
      else if (index.find("mod") != std::string::npos)
        i %= panel;
      else if (index[0] == 'k')
        i = k[dim];
      else if (index.find('*') != std::string::npos)
        i = o[dim] * stride[dim] + k[dim] * dilation[dim] - (pad.empty() ? 0 : pad[2 * dim]);
      else if (spatial)
        i = o[dim];
      if (i < 0 || i >= access.sizes[d])
        return int64_t{-1};
      linear = linear * access.sizes[d] + i;
    }
    return linear;
  };
  std::function<void(size_t)> walk = [&](size_t depth) {
    if (depth == loops.size()) {
      int64_t from = offset(source);
      double &sum = y[offset(layout.y)];
      if (kind == Kind::MaxPool)
        sum = from < 0 ? sum : std::max<double>(sum, x[from]);
      else if (from >= 0)
        sum += isPool() ? x[from] : double(x[from]) * w[offset(layout.w)];
      return;
    }
    const std::string &loop = loops[depth];
    int64_t &i = loop[0] == 'o'   ? o[std::stoll(loop.substr(1))]
                 : loop[0] == 'k' ? k[std::stoll(loop.substr(1))]
                                  : at[loop[0]];
    i = 0;
    for (int64_t end = extentOf(*this, loop); i < end; ++i)
      walk(depth + 1);
  };
  walk(0);
  for (double &value : y)
    value = std::max(value, 0.0);
  return y;
}

} // namespace heddle::test
