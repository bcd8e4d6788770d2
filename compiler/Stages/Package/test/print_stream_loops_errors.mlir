// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --package-print-instructions --verify-diagnostics

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
  %c2 = arith.constant 2 : index
  // expected-error @+1 {{'host.stream_for' op is no jump yet; run package-flatten-stream-loops first}}
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
  }
  host.return shape()
}
