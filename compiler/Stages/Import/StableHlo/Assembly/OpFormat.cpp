// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Assembly/OpFormat.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

static void addElementwise(llvm::StringMap<OpFormat> &table) {
  static constexpr StringLiteral same =
      "abs add after_all and atan2 cbrt ceil clamp convert cosine divide count_leading_zeros "
      "exponential floor exponential_minus_one imag log log_plus_one logistic maximum minimum "
      "multiply negate not or popcnt power real remainder round_nearest_afz rsqrt shift_left "
      "round_nearest_even sign sine shift_right_arithmetic sqrt subtract shift_right_logical tan tanh "
      "uniform_dequantize xor uniform_quantize";
  for (StringRef name : llvm::split(same, ' '))
    table[("stablehlo." + name).str()] = {.name = name, .types = TypesForm::Same};
  static constexpr StringLiteral arrow =
      "_asin_acos_kernel acos acosh asin asinh atan atanh bessel_i1e conj cosh digamma erf erf_inv "
      "erfc is_inf is_neg_inf is_pos_inf lgamma mulhi polygamma next_after sinh square tan zeta";
  for (StringRef name : llvm::split(arrow, ' '))
    table[("chlo." + name).str()] = {.name = name, .types = TypesForm::Arrow};
  static constexpr StringLiteral grouped =
      "add and atan2 complex divide maximum minimum multiply next_after or polygamma power remainder "
      "select shift_left subtract xor zeta shift_right_arithmetic shift_right_logical";
  for (StringRef name : llvm::split(grouped, ' '))
    table[("chlo.broadcast_" + name).str()] = {.name = name, .types = TypesForm::Grouped};
}

static void addRest(llvm::StringMap<OpFormat> &table) {
  using F = FieldKind;
  using S = OpShape;
  using T = TypesForm;
  auto add = [&](StringRef name, T types, S shape = S::Plain, SmallVector<FieldFormat> fields = {}) {
    table[("stablehlo." + name).str()] = {name, types, shape, std::move(fields)};
  };
  for (StringRef name : {"bitcast_convert", "dynamic_pad", "dynamic_reshape", "dynamic_update_slice", "is_finite",
                         "real_dynamic_slice", "reshape"})
    add(name, T::Function);
  for (StringRef name : {"create_token", "partition_id", "replica_id"})
    add(name, T::Results);
  FieldFormat dims{"dims", "broadcast_dimensions", F::Integers}, dim{"dim", "dimension", F::Integer};
  FieldFormat config{"config", "einsum_config", F::Text};
  FieldFormat precision{"precision", "precision_config", F::Precisions, true};
  add("broadcast", T::Function, S::Plain, {{"sizes", "broadcast_sizes", F::Integers}});
  add("broadcast_in_dim", T::Function, S::Plain, {dims});
  add("cholesky", T::Same, S::Plain, {{"lower", "lower", F::Flag, true}});
  add("compare", T::Function, S::Compare);
  add("complex", T::Complex);
  add("composite", T::Function, S::Named);
  add("concatenate", T::Function, S::Plain, {dim});
  add("convolution", T::Function, S::Window,
      {{"dim_numbers", "dimension_numbers", F::Convolution}, {"window", "window", F::WindowParts}});
  add("custom_call", T::Function, S::Call);
  add("dot", T::Function, S::Plain, {precision});
  add("dot_general", T::Function, S::Plain,
      {{"batching_dims", "dot_dimension_numbers", F::Batching, true},
       {"contracting_dims", "dot_dimension_numbers", F::Contracting},
       precision,
       {"algorithm", "algorithm", F::Algorithm, true}});
  add("dynamic_broadcast_in_dim", T::Function, S::Plain, {dims});
  add("dynamic_iota", T::Function, S::Plain, {{"dim", "iota_dimension", F::Integer}});
  add("dynamic_slice", T::Function, S::Plain, {{"sizes", "slice_sizes", F::Integers}});
  add("einsum", T::Function, S::Plain, {config});
  add("fft", T::Function, S::Plain,
      {{"type", "fft_type", F::Word, false, "fft_type"}, {"length", "fft_length", F::Integers}});
  add("get_dimension_size", T::Function, S::Plain, {dim});
  add("get_tuple_element", T::Function, S::Index);
  add("iota", T::Results, S::Plain, {{"dim", "iota_dimension", F::Integer}});
  add("optimization_barrier", T::Pairwise, S::Barrier);
  add("pad", T::Function, S::Plain,
      {{"low", "edge_padding_low", F::Integers},
       {"high", "edge_padding_high", F::Integers},
       {"interior", "interior_padding", F::Integers}});
  add("reduce_precision", T::Same, S::Plain, {{"format", "exponent_bits", F::FloatFormat}});
  add("return", T::Operands);
  add("reverse", T::Same, S::Plain, {{"dims", "dimensions", F::Integers}});
  add("rng", T::Function, S::Plain, {{"distribution", "rng_distribution", F::Word, false, "rng_distribution"}});
  add("rng_bit_generator", T::Function, S::Plain, {{"algorithm", "rng_algorithm", F::Word, false, "rng_algorithm"}});
  add("select", T::Select);
  add("set_dimension_size", T::Function, S::Plain, {dim});
  add("slice", T::Function, S::Ranges);
  add("transpose", T::Function, S::Plain, {{"dims", "permutation", F::Integers}});
  add("tuple", T::Tuple);
  add("unary_einsum", T::Function, S::Plain, {config});
  table["sdy.return"] = {.name = "return", .types = T::Operands};
  table["chlo.top_k"] = {
      "top_k", T::Arrow, S::Enclosed, {{"k", "k", F::Integer}, {"is_stable", "is_stable", F::Flag, true}}};
}

const OpFormat *mlir::heddle::hlo::findFormat(StringRef name) {
  static const llvm::StringMap<OpFormat> table = [] {
    llvm::StringMap<OpFormat> made;
    addElementwise(made);
    addRest(made);
    return made;
  }();
  auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

SmallVector<NamedAttribute> mlir::heddle::hlo::attributesOf(Operation *op) {
  SmallVector<NamedAttribute> all(op->getDiscardableAttrs().begin(), op->getDiscardableAttrs().end());
  if (auto inherent = dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute()))
    llvm::append_range(all, inherent);
  llvm::sort(all, [](NamedAttribute a, NamedAttribute b) { return a.getName().strref() < b.getName().strref(); });
  return all;
}

Attribute mlir::heddle::hlo::textAttribute(MLIRContext *context, const Twine &text) {
  return OpaqueAttr::get(StringAttr::get(context, "stablehlo"), text.str(), NoneType::get(context));
}
