// RUN: heddle-opt %s --devices-verify --verify-diagnostics --split-input-file

// expected-error @+1 {{unknown driver "gpu"; known: null, local, vulkan}}
device.global @a = #device.target<"gpu", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>

// -----

// expected-error @+1 {{unknown executable format 'ptx'}}
device.global @a = #device.target<"local", [#device.executable<"ptx", {cpu = "sm_90", features = ""}>]>

// -----

// expected-error @+1 {{heddle.default_device names no device.global: @b}}
module attributes {heddle.default_device = @b} {
  device.global @a = #device.target<"null", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
}
