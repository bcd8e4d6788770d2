// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions and pools of every form against naive loops, with pages that fault around every binding.
#include "compiler/Codegen/test/ConvForms.h"
#include "compiler/Codegen/test/CpuTest.h"
#include "compiler/Codegen/test/KernelHarness.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace heddle::test;

namespace {

using Kind = ConvForm::Kind;

void check(const ConvForm &form, const char *cpu) {
  SCOPED_TRACE(form.text());
  CompiledKernel kernel(form.text(), cpu);
  ASSERT_EQ(kernel.error(), "");
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (auto at : {GuardedArray::At::End, GuardedArray::At::Start}) {
    std::vector<GuardedArray> arrays;
    std::vector<void *> bindings;
    for (int64_t count : form.elements()) {
      arrays.emplace_back(count * 4, at);
      for (float &x : arrays.back().as<float>())
        x = uniform(random);
      bindings.push_back(arrays.back().data());
    }
    ASSERT_EQ(kernel.run(bindings, form.constants(), at == GuardedArray::At::End ? 1 : 3), 0);
    std::span<float> w = form.isPool() ? std::span<float>() : arrays[1].as<float>(), y = arrays.back().as<float>();
    std::vector<double> expected = form.reference(arrays[0].as<float>(), w);
    // Sums of k products of values up to 1, in any order.
    double bound = 1e-6 * (1 + 4 * std::sqrt(form.flops() / 2 / static_cast<double>(expected.size())));
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(y[i], expected[i], bound) << "at " << i;
  }
}

// The same form with every combination of layout and sizes known or not.
void checkVariants(ConvForm form, const char *cpu) {
  for (bool first : {false, true})
    for (bool dynamic : {false, true}) {
      form.channelsFirst = first;
      form.dynamic = dynamic;
      check(form, cpu);
    }
}

void checkChannelsFirst(ConvForm form, const char *cpu) {
  form.channelsFirst = true;
  for (bool dynamic : {false, true}) {
    form.dynamic = dynamic;
    check(form, cpu);
  }
}

class Conv : public CpuTest<const char *> {};

} // namespace

INSTANTIATE_TEST_SUITE_P(Cpu, Conv, testing::Values("x86-64-v4", "x86-64-v3", "x86-64"));

TEST_P(Conv, OneDimension) {
  ConvForm form{
      .batch = 2, .channels = 5, .filters = 19, .output = {23}, .kernel = {3}, .stride = {2}, .dilation = {3}};
  checkVariants(form, GetParam());
}

TEST_P(Conv, TwoDimensions) {
  ConvForm form{.batch = 2,
                .channels = 3,
                .filters = 33,
                .output = {7, 7},
                .kernel = {3, 3},
                .stride = {1, 1},
                .dilation = {1, 1}};
  checkVariants(form, GetParam());
  form = {.channels = 17, .filters = 32, .output = {5, 14}, .kernel = {2, 3}, .stride = {2, 1}, .dilation = {1, 2}};
  checkVariants(form, GetParam());
  form = {.batch = 3,
          .channels = 8,
          .filters = 64,
          .output = {1, 3},
          .kernel = {1, 1},
          .stride = {2, 2},
          .dilation = {1, 1}};
  checkVariants(form, GetParam());
}

TEST_P(Conv, ThreeDimensions) {
  ConvForm form{.channels = 3,
                .filters = 16,
                .output = {2, 3, 5},
                .kernel = {2, 1, 3},
                .stride = {1, 2, 1},
                .dilation = {1, 1, 1}};
  checkVariants(form, GetParam());
}

TEST_P(Conv, BlocksOfRows) {
  ConvForm form{.batch = 1,
                .channels = 2,
                .filters = 20,
                .output = {31, 17},
                .kernel = {2, 2},
                .stride = {1, 1},
                .dilation = {1, 1}};
  checkVariants(form, GetParam());
}

TEST_P(Conv, Padded) {
  ConvForm form{.batch = 2,
                .channels = 4,
                .filters = 24,
                .output = {6, 5},
                .kernel = {3, 3},
                .stride = {1, 2},
                .dilation = {1, 1},
                .pad = {1, 1, 0, 2}};
  checkVariants(form, GetParam());
  form.kernel = {5, 1}, form.dilation = {2, 1}, form.pad = {7, 0, 0, 0}; // windows of padding alone
  checkVariants(form, GetParam());
}

TEST_P(Conv, Groups) {
  ConvForm form{.batch = 2,
                .groups = 3,
                .channels = 4,
                .filters = 5,
                .output = {4, 6},
                .kernel = {3, 2},
                .stride = {1, 2},
                .dilation = {2, 1},
                .pad = {1, 1, 1, 0}};
  checkVariants(form, GetParam());
  form = {.groups = 2, .channels = 1, .filters = 3, .output = {5}, .kernel = {3}, .stride = {1}, .dilation = {1}};
  checkVariants(form, GetParam());
}

TEST_P(Conv, PanelsOfFilters) {
  for (int64_t panel : {4, 16})
    for (int64_t filters : {19, 64, 5}) {
      ConvForm form{.batch = 2,
                    .channels = 6,
                    .filters = filters,
                    .output = {4, 7},
                    .kernel = {3, 2},
                    .stride = {2, 1},
                    .dilation = {1, 1},
                    .pad = {1, 1, 1, 0},
                    .panel = panel};
      check(form, GetParam());
      form.groups = 2, form.dynamic = true;
      check(form, GetParam());
    }
  for (int64_t filters : {24, 34, 48, 80}) { // tiles of other numbers of vectors
    ConvForm form{
        .channels = 3, .filters = filters, .output = {5, 9}, .kernel = {1, 1}, .stride = {1, 1}, .dilation = {1, 1}};
    for (int64_t panel : {0, 16}) {
      form.panel = panel;
      check(form, GetParam());
    }
  }
  ConvForm dense{
      .channels = 40, .filters = 200, .output = {1}, .kernel = {1}, .stride = {1}, .dilation = {1}, .panel = 16};
  check(dense, GetParam());
}

TEST_P(Conv, Depthwise) {
  for (int64_t channels : {1, 19, 64}) {
    ConvForm form{.kind = Kind::Depthwise,
                  .batch = 2,
                  .channels = channels,
                  .output = {7, 5},
                  .kernel = {3, 3},
                  .stride = {1, 1},
                  .dilation = {1, 1},
                  .pad = {1, 1, 1, 1}};
    checkVariants(form, GetParam());
    form.stride = {2, 2}, form.dilation = {1, 2}, form.pad = {};
    checkVariants(form, GetParam());
  }
}

// Tiles in the middle of a row, at its ends and what is left; rows of padding; blocks of channels.
TEST_P(Conv, WindowsInTiles) {
  ConvForm form{.kind = Kind::Depthwise,
                .channels = 20,
                .output = {8, 31},
                .kernel = {3, 3},
                .stride = {1, 1},
                .dilation = {1, 1},
                .pad = {1, 1, 1, 1}};
  checkVariants(form, GetParam());
  form.kernel = {5, 5}, form.stride = {1, 2}, form.pad = {2, 2, 3, 1};
  checkVariants(form, GetParam());
  form = {.kind = Kind::Depthwise,
          .channels = 16,
          .output = {40},
          .kernel = {3},
          .stride = {1},
          .dilation = {5},
          .pad = {7, 6}};
  checkVariants(form, GetParam());
  form = {.kind = Kind::MaxPool,
          .channels = 530,
          .output = {2, 3, 9},
          .kernel = {2, 1, 3},
          .stride = {1, 1, 2},
          .dilation = {1, 1, 1},
          .pad = {1, 0, 0, 1, 1, 1}};
  check(form, GetParam());
  form = {.kind = Kind::SumPool,
          .channels = 16,
          .output = {3, 3},
          .kernel = {9, 9},
          .stride = {1, 1},
          .dilation = {1, 1}}; // loops
  check(form, GetParam());
}

TEST_P(Conv, Pools) {
  for (Kind kind : {Kind::MaxPool, Kind::SumPool}) {
    ConvForm form{.kind = kind,
                  .batch = 2,
                  .channels = 37,
                  .output = {5, 6},
                  .kernel = {3, 2},
                  .stride = {2, 1},
                  .dilation = {1, 2},
                  .pad = {1, 0, 2, 1}};
    checkVariants(form, GetParam());
    form = {.kind = kind, .channels = 40, .output = {1, 1}, .kernel = {7, 7}, .stride = {1, 1}, .dilation = {1, 1}};
    checkVariants(form, GetParam());
  }
}

// Vectors along the innermost positions: every stride, rows shorter than a vector, that end inside one, that are mostly
// border; rows of padding; more positions and more rows than a workgroup's.
TEST_P(Conv, WindowsAlongPositionsInStrides) {
  for (int64_t stride : {1, 2, 3, 4, 5})
    for (int64_t length : {3, 13, 37}) {
      ConvForm form{.kind = Kind::MaxPool,
                    .batch = 2,
                    .channels = 3,
                    .output = {6, length},
                    .kernel = {3, 3},
                    .stride = {stride, stride},
                    .dilation = {1, 1},
                    .pad = {1, 1, 1, 1}};
      checkChannelsFirst(form, GetParam());
    }
}

TEST_P(Conv, WindowsAlongPositions) {
  for (Kind kind : {Kind::MaxPool, Kind::SumPool, Kind::Depthwise}) {
    ConvForm form{.kind = kind,
                  .channels = 5,
                  .output = {9, 29},
                  .kernel = {2, 3},
                  .stride = {1, 2},
                  .dilation = {3, 2},
                  .pad = {2, 3, 1, 4}};
    checkChannelsFirst(form, GetParam());
    form = {.kind = kind, .batch = 3, .channels = 4, .output = {50}, .kernel = {3}, .stride = {2}, .dilation = {1}};
    checkChannelsFirst(form, GetParam());
    form.pad = {5, 6};
    checkChannelsFirst(form, GetParam());
    form = {.kind = kind,
            .channels = 2,
            .output = {3, 4, 19},
            .kernel = {2, 2, 2},
            .stride = {2, 1, 2},
            .dilation = {1, 1, 1},
            .pad = {1, 1, 1, 0, 0, 0}};
    checkChannelsFirst(form, GetParam());
    form = {.kind = kind,
            .channels = 1,
            .output = {2, 17000},
            .kernel = {1, 3},
            .stride = {1, 1},
            .dilation = {1, 1},
            .pad = {0, 1, 0, 1}};
    checkChannelsFirst(form, GetParam());
    form = {.kind = kind, .channels = 1, .output = {400, 64}, .kernel = {2, 2}, .stride = {2, 2}, .dilation = {1, 1}};
    checkChannelsFirst(form, GetParam());
  }
  for (int64_t length : {14, 37}) {
    ConvForm form{.kind = Kind::Depthwise,
                  .channels = 3,
                  .output = {4, length},
                  .kernel = {7, 7},
                  .stride = {1, 1},
                  .dilation = {1, 1},
                  .pad = {3, 3, 3, 3}};
    checkChannelsFirst(form, GetParam());
  }
}
