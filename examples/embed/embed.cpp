// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole of embedding Heddle: load an artifact, call it, read the result. `embed FILE.heddle` runs main(x: n x f32).
#include "heddle/heddle.hpp"

#include <cstdio>
#include <vector>

int main(int argc, char **argv) try {
  if (argc != 2)
    return std::fprintf(stderr, "usage: embed FILE.heddle\n"), 2;

  heddle::Module module(argv[1], {"local://0"});
  const heddle_entry_point_info &entry = module.entryPoint(module.find(nullptr));
  std::printf("%s takes %u and gives %u tensors\n", entry.name, entry.argument_count, entry.result_count);

  heddle::Invocation call(module);
  std::vector<float> x = {1, 2, 3, 4}, y(4);
  std::vector<heddle::Tensor> out = call({heddle::Tensor::borrow(x, {4})});
  for (float value : out[0].values<float>())
    std::printf("%g ", value);

  // In memory of our own, without waiting: an event says when it is done.
  heddle::Tensor in[] = {heddle::Tensor::borrow(x, {4})}, into[] = {heddle::Tensor::borrow(y, {4})};
  heddle::Event done = call.start(in, into);
  done.wait();
  std::printf("| %g %g %g %g\n", y[0], y[1], y[2], y[3]);
  return 0;
} catch (const heddle::Error &error) {
  std::fprintf(stderr, "embed: %s\n", error.what());
  return 1;
}
