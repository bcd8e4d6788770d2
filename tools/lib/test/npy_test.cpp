// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Npy.h"

#include "tools/lib/Error.h"
#include "tools/lib/Print.h"
#include "tools/lib/ValueSyntax.h"
#include "tools/lib/test/Expect.h"

namespace heddle::tools {
namespace {

using test::messageOf;
using test::TemporaryFolder;

// A file of the given version around a dictionary.
std::string npy(const std::string &dictionary, const std::string &data, char version = 1) {
  std::string out = "\x93NUMPY";
  out += {version, '\0', static_cast<char>(dictionary.size() & 0xff), static_cast<char>(dictionary.size() >> 8)};
  if (version > 1)
    out += std::string(2, '\0');
  return out + dictionary + data;
}

std::string dictionary(const std::string &descr, const std::string &shape, const std::string &fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

class Npy : public ::testing::Test {
protected:
  std::string load(const std::string &bytes) { return formatTensor(readNpy(folder.write("x.npy", bytes)).view()); }
  // The message without the path.
  std::string refusal(const std::string &bytes) {
    std::string path = folder.write("x.npy", bytes);
    std::string text = messageOf<Failure>([&] { readNpy(path); });
    return text.starts_with("'" + path + "': ") ? text.substr(path.size() + 4) : "<no path> " + text;
  }
  TemporaryFolder folder;
};

TEST_F(Npy, EveryTypeSurvives) {
  for (const char *value :
       {"2x2xi1=[[1 0][0 1]]", "3xi8=[-1 0 127]", "2xi16=[-32768 5]", "1xi32=[-7]", "2xi64=[1 -9223372036854775808]",
        "2xui8=[0 255]", "1xui16=[65535]", "1xui32=[4294967295]", "1xui64=[18446744073709551615]", "2xf16=[0.1 -inf]",
        "2x1xf32=[[1.5][nan]]", "f64=0.25", "0x3xf32="}) {
    {
      OutputFile file(folder.path("y.npy"));
      writeNpy(file, parseValue(value).view());
      file.commit();
    }
    EXPECT_EQ(TemporaryFolder::read(folder.path("y.npy")).find('\n') % 64, 63u);
    EXPECT_EQ(formatTensor(readNpy(folder.path("y.npy")).view()), value);
  }
}

TEST_F(Npy, Bf16StandsAsUnsigned) {
  {
    OutputFile file(folder.path("y.npy"));
    writeNpy(file, parseValue("2xbf16=1,-2").view());
    file.commit();
  }
  HostTensor back = readNpy(folder.path("y.npy"));
  EXPECT_EQ(formatTensor(back.view()), "2xui16=[16256 49152]");
  back.retype(ElementType::BF16);
  EXPECT_EQ(formatTensor(back.view()), "2xbf16=[1 -2]");
}

TEST_F(Npy, RowsOnly) {
  std::string bytes =
      npy(dictionary("<i4", "(3, 2)"), std::string("\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5\0\0\0\6\0\0\0", 24));
  std::string path = folder.write("x.npy", bytes);
  EXPECT_EQ(readNpyHeader(path).dims, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(formatTensor(readNpyRows(path, 1, 2).view()), "2x2xi32=[[3 4][5 6]]");
  EXPECT_EQ(formatTensor(readNpyRows(path, 3, 0).view()), "0x2xi32=");
  for (auto [first, count] : {std::pair<int64_t, int64_t>{2, 2}, {-1, 1}, {4, 0}, {INT64_MAX, 1}})
    EXPECT_NE(messageOf<Failure>([&] { readNpyRows(path, first, count); }).find("x.npy': has no rows"),
              std::string::npos);
  EXPECT_EQ(refusal(bytes.substr(0, bytes.size() - 1)),
            "an array of 3x2xi32 has 24 bytes, the file has 23 after its header");
  EXPECT_NE(messageOf<Failure>([&] { readNpyHeader(path); }).find("has 24 bytes"),
            std::string::npos); // it was replaced
  path = folder.write("f.npy", npy(dictionary("<i4", "(1, 2)", "True"), std::string(8, '\1')));
  EXPECT_NE(messageOf<Failure>([&] { readNpyRows(path, 0, 1); }), "<no exception>");
}

TEST_F(Npy, VersionsAndSpellings) {
  EXPECT_EQ(load(npy(dictionary("|u1", "(3,)"), "\1\2\3", 1)), "3xui8=[1 2 3]");
  EXPECT_EQ(load(npy(dictionary("|u1", "(3,)"), "\1\2\3", 2)), "3xui8=[1 2 3]");
  EXPECT_EQ(load(npy(dictionary("|u1", "(3,)"), "\1\2\3", 3)), "3xui8=[1 2 3]");
  EXPECT_EQ(load(npy("{\"shape\":(1L,2L),\"fortran_order\":False,\"descr\":\"|i1\"}", "\1\2")), "1x2xi8=[[1 2]]");
  EXPECT_EQ(load(npy(dictionary("<i2", "()"), std::string("\1\0", 2))), "i16=1");
  EXPECT_EQ(load(npy(dictionary("|b1", "(2,)"), std::string("\0\5", 2))), "2xi1=[0 1]");
}

TEST_F(Npy, FortranOrderIsConverted) {
  EXPECT_EQ(load(npy(dictionary("|u1", "(2, 3)", "True"), "\1\4\2\5\3\6")), "2x3xui8=[[1 2 3][4 5 6]]");
  EXPECT_EQ(load(npy(dictionary("|u1", "(2, 1, 2)", "True"), "\1\3\2\4")), "2x1x2xui8=[[[1 2]][[3 4]]]");
  EXPECT_EQ(load(npy(dictionary("|u1", "(0, 3)", "True"), "")), "0x3xui8=");
}

TEST_F(Npy, MalformedFiles) {
  EXPECT_EQ(refusal(""), "not a .npy file: it does not begin with \\x93NUMPY");
  EXPECT_EQ(refusal("PK\3\4 and more than ten bytes"),
            "not a .npy file but an archive (.npz?); save one array with numpy.save");
  EXPECT_EQ(refusal(npy(dictionary("|u1", "(3,)"), "\1\2\3", 4)), ".npy version 4 is not supported (1, 2 and 3 are)");
  EXPECT_EQ(refusal(npy(dictionary("|u1", "(3,)"), "").substr(0, 40)), "cut off inside the header");
  EXPECT_EQ(refusal(std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12)), "cut off inside the header");
  EXPECT_EQ(refusal(npy(dictionary("<f4", "(3,)"), "\1\2\3")),
            "an array of 3xf32 has 12 bytes, the file has 3 after its header");
  EXPECT_EQ(refusal(npy(dictionary("|u1", "(1,)"), "\1\2")),
            "an array of 1xui8 has 1 bytes, the file has 2 after its header");
  EXPECT_EQ(refusal(npy(dictionary("<f8", "(4611686018427387904, 4)"), "")),
            "an array of 4611686018427387904x4xf64 has more bytes than a file can hold, the file has 0 after its "
            "header");
  EXPECT_EQ(refusal(npy(dictionary(">f4", "(1,)"), "1234")),
            "the elements are big-endian ('>f4'); save array.astype(array.dtype.newbyteorder('<'))");
  EXPECT_EQ(refusal(npy(dictionary("<c8", "(1,)"), "12345678")),
            "element type '<c8' is not supported; save array.astype(…) with one of bool, int8…int64, uint8…uint64, "
            "float16…float64");
  EXPECT_EQ(refusal(npy(dictionary("<V2", "(1,)"), "12")),
            "element type '<V2' is not supported; save a type that NumPy lacks as array.view(numpy.uint8 or "
            "numpy.uint16)");
}

TEST(NpyHeader, Malformed) {
  auto refusal = [](const std::string &text) { return messageOf<Failure>([&] { parseNpyHeader(text); }); };
  const std::string it = "malformed .npy header: it ";
  EXPECT_EQ(refusal(""), it + "has its end where '{' is expected");
  EXPECT_EQ(refusal("{'descr': '<f4', 'shape': (1,)}"), it + "lacks key 'fortran_order'");
  EXPECT_EQ(refusal("{'descr': '<f4', 'descr': '<f4'}"), it + "has key 'descr' twice");
  EXPECT_EQ(refusal("{'colour': 'red'}"), it + "has key 'colour' beside descr, fortran_order, shape");
  EXPECT_EQ(refusal("{'descr': '<f4"), it + "lacks a quoted string");
  EXPECT_EQ(refusal("{'fortran_order': 1}"), it + "has a fortran_order that is neither True nor False");
  EXPECT_EQ(refusal("{'shape': (-1,)}"), it + "has a shape that is not a tuple of sizes");
  EXPECT_EQ(refusal("{'shape': (99999999999999999999,)}"), it + "has a shape that is not a tuple of sizes");
  EXPECT_EQ(refusal("{'shape': (1 2)}"), it + "has '2' where ')' is expected");
  EXPECT_EQ(refusal(dictionary("<f4", "(1,)") + "x"), it + "has text after its end");
  EXPECT_EQ(refusal("{'descr': [('a', '<f4')]}"), "the array is structured (it has named fields); save one field");
  EXPECT_EQ(refusal("{'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}"), "the array has more than 16 dimensions");
}

} // namespace
} // namespace heddle::tools
