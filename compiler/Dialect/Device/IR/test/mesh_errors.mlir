// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'device.mesh' op needs one axis or more, each with a size, got [] and sizes []}}
device.mesh @m = []

// -----

// expected-error @+1 {{'device.mesh' op has axis 'x' of size 0; a size is at least 1, or '?'}}
device.mesh @m = [x = 0]

// -----

// expected-error @+1 {{has axis 'y' of size -2; a size is at least 1, or '?'}}
device.mesh @m = [x = ?, y = -2]

// -----

// expected-error @+1 {{has two axes 'x'}}
device.mesh @m = [x = 2, y = 3, x = 2]

// -----

// expected-error @+1 {{has an axis without a name}}
device.mesh @m = ["" = 2]

// -----

// expected-error @+1 {{begins at rank -1; ranks count from 0}}
device.mesh @m = [x = 2] at -1

// -----

// expected-error @+1 {{has more ranks than a world can: [x = 1099511627776] from rank 0 on; at most 1048576}}
device.mesh @m = [x = 1099511627776]

// -----

// expected-error @+1 {{has more ranks than a world can: [x = 4294967296, y = 4294967296] from rank 0 on}}
device.mesh @m = [x = 4294967296, y = 4294967296]

// -----

// expected-error @+1 {{has more ranks than a world can: [x = 2, y = ?] from rank 1048575 on}}
device.mesh @m = [x = 2, y = ?] at 1048575

// -----

// expected-error @+1 {{needs one axis or more, each with a size, got ["x"] and sizes [1, 2]}}
"device.mesh"() <{sym_name = "m", axes = ["x"], sizes = array<i64: 1, 2>}> : () -> ()
