// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Polynomials of the functions on f64, lowest coefficient first. Made by scripts/fit_polynomials.py.
#ifndef HEDDLE_COMPILER_CODEGEN_MATH_DOUBLEPOLYNOMIALS_H
#define HEDDLE_COMPILER_CODEGEN_MATH_DOUBLEPOLYNOMIALS_H

namespace mlir::heddle::codegen {

// (e^r - 1 - r - r^2 / 2) / r^3 for |r| <= ln 2 / 2.
// Error 2^-61.7.
inline constexpr double kExpTail[] = {
    0x1.5555555555559p-3,  0x1.5555555555559p-5,  0x1.111111110f6dcp-7,  0x1.6c16c16c14a7ap-10, 0x1.a01a01afd5b35p-13,
    0x1.a01a01af66506p-16, 0x1.71ddf87615711p-19, 0x1.27e4c7bf604d8p-22, 0x1.af5e8890deeb6p-26, 0x1.1f92c732ac678p-29};

// (2 atanh(s) - 2 s) / s^3 as a function of z = s^2, s <= (sqrt 2 - 1) / (sqrt 2 + 1).
// Error 2^-59.5.
inline constexpr double kLogTail[] = {0x1.5555555555592p-1, 0x1.999999997fdbbp-2, 0x1.24924941f107ap-2,
                                      0x1.c71c52096c7fbp-3, 0x1.74663ee67c182p-3, 0x1.39a1bad2b7fe8p-3,
                                      0x1.2f05631e66c78p-3};

// (atanh(s) / s - 1 - z / 3) / z^2 as a function of z = s^2: for a logarithm of twice the digits.
// Error 2^-57.3.
inline constexpr double kLogFine[] = {0x1.9999999999b30p-3, 0x1.2492492457dbbp-3, 0x1.c71c722d5d970p-4,
                                      0x1.745ce9e67bf4bp-4, 0x1.3b1eeb76f7580p-4, 0x1.0f7ff757a068ep-4,
                                      0x1.0e422ac7ec59ap-4};

// (sin(r) - r) / r^3 as a function of r^2, |r| <= pi / 4.
// Error 2^-58.0.
inline constexpr double kSinTail[] = {-0x1.5555555555549p-3, 0x1.111111110f87ap-7,   -0x1.a01a019c11978p-13,
                                      0x1.71de3577b56b8p-19, -0x1.ae5e6639d4703p-26, 0x1.5d9300cf2b059p-33};

// (cos(r) - 1 + r^2 / 2) / r^4 as a function of r^2, |r| <= pi / 4.
// Error 2^-63.2.
inline constexpr double kCosTail[] = {0x1.555555555554cp-5,   -0x1.6c16c16c1517ep-10, 0x1.a01a019cb1bebp-16,
                                      -0x1.27e4f809f15fbp-22, 0x1.1ee9ebe9ab814p-29,  -0x1.8fae9cb48d5d1p-37};

// (atan(x) / x - 1) / x^2 as a function of x^2, |x| <= tan(pi / 8).
// Error 2^-59.5.
inline constexpr double kAtanTail[] = {-0x1.555555555553dp-2, 0x1.999999999588bp-3,  -0x1.24924922aea15p-3,
                                       0x1.c71c70e69d23ap-4,  -0x1.745cf8ec9fbc5p-4, 0x1.3b111a33e8e78p-4,
                                       -0x1.10ebc3f9ae0ddp-4, 0x1.df0fe83ca2474p-5,  -0x1.9cd53da025107p-5,
                                       0x1.37db4c6234f5dp-5,  -0x1.257527548508fp-6};

// (asin(x) / x - 1) / x^2 as a function of x^2, |x| <= 1 / 2.
// Error 2^-59.8.
inline constexpr double kAsinTail[] = {
    0x1.5555555555578p-3, 0x1.333333332df03p-4,  0x1.6db6db722c0fep-5, 0x1.f1c71a8b679afp-6, 0x1.6e8bdfeb99d99p-6,
    0x1.1c49ddb2c0b9ep-6, 0x1.ca214ad8a5e11p-7,  0x1.75775d19087eap-7, 0x1.618bad6edcfbap-7, 0x1.e14e4405a31e7p-9,
    0x1.65059a37287c6p-6, -0x1.59fb29e8a46fep-6, 0x1.0be5bb6f5805dp-5};

// erf(x) / x - 1 as a function of x^2, |x| <= 1.
// Error 2^-62.8.
inline constexpr double kErfNear[] = {0x1.06eba8214db69p-3,   -0x1.812746b0379e6p-2,  0x1.ce2f21a042b32p-4,
                                      -0x1.b82ce31284ea4p-6,  0x1.565bcd0dbc15ep-8,   -0x1.c02db3db01a36p-11,
                                      0x1.f9a321dc260ddp-14,  -0x1.f4d1e388e5fcfp-17, 0x1.b9df27691b6b4p-20,
                                      -0x1.5f1ef255d0816p-23, 0x1.f7b6332b6bf99p-27,  -0x1.38a14094beb3ep-30,
                                      0x1.060910eadf56dp-34};

// erfc(x) e^(x^2) as a function of t = 2 / (2 + x), 1 <= x <= 6.
// Error 2^-59.7.
inline constexpr double kErfFar[] = {
    -0x1.a330d21b874f8p-19, 0x1.20f608349f096p-2,  0x1.1f8ec499580fbp-2, 0x1.0779de79837cfp-2,  0x1.e5f1f58126787p-4,
    0x1.3c4487bcd8002p-2,   -0x1.48c8e5cd3902dp-1, 0x1.425348b76be37p+0, -0x1.fead392a5ad4dp+0, 0x1.f145bfcd009b6p+0,
    -0x1.203090a2667d5p+0,  0x1.75eab96debd84p-2,  -0x1.a8277ca870321p-5};

// erfc(x) e^(x^2) / t as a function of t - 7/16, t = 2 / (2 + x), 1/2 <= x <= 28.
// Error 2^-57.1.
inline constexpr double kErfcFar[] = {
    0x1.e144d0fea7ee3p-2,  0x1.3d029aa657600p-1, 0x1.0e42d9bbc24fdp-1,  0x1.796d851a5fd62p-3,  -0x1.1355cded57fd5p-3,
    -0x1.14f55e627a022p-3, 0x1.10cd8c2b79dd0p-4, 0x1.7acff2568a23ap-4,  -0x1.0e0c2f3d71af2p-4, -0x1.e6eb31988374fp-5,
    0x1.4fe357f6f7da3p-4,  0x1.236481afa58a5p-6, -0x1.7cec285668d20p-4, 0x1.53967d7bee9bbp-5,  0x1.2b2493ef779b3p-4,
    -0x1.b55aef6ac1b7ep-4, 0x1.1edc8e29bb591p-8, 0x1.179968d59842ep-3,  -0x1.1274273b9f67dp-3, -0x1.69a2d5e50c45fp-4,
    0x1.dec850e2efc46p-3,  0x1.c31267f93f62ap-8, -0x1.6505996ad5b17p-3};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_MATH_DOUBLEPOLYNOMIALS_H
