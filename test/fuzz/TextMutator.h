// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes a program's text by its words and lines, so that most of what comes of it still parses.
#ifndef HEDDLE_TEST_FUZZ_TEXTMUTATOR_H
#define HEDDLE_TEST_FUZZ_TEXTMUTATOR_H

#include "test/fuzz/Mutator.h"

namespace heddle::fuzz {

// One to three of: a word replaced by another of the text of its kind (a number, a name, an operation in quotes, a
// type), a number by one near a limit, a line left out, doubled or swapped, bytes by libFuzzer's own.
Bytes mutateText(Bytes text, Random &random, const MutateBytes &mutateBytes);

} // namespace heddle::fuzz

#endif // HEDDLE_TEST_FUZZ_TEXTMUTATOR_H
