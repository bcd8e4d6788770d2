// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Arrays.h"

#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#include <numpy/arrayobject.h>

#include <nanobind/ndarray.h>

#include <array>
#include <string_view>

namespace nb = nanobind;

namespace heddle::python {
namespace {

struct KnownType {
  nb::object dtype;        // as results have it
  int number = -1;         // NumPy's, of a type that arrays may have; -1: none has it
  bool standsAlone = true; // else unsigned integers of its width stand for it, too
};

// By element type; those that the runtime does not know are empty. Never freed: the interpreter is gone before it.
constexpr int kTypes = 64;
std::array<KnownType, kTypes> &knownTypes() {
  static auto *types = new std::array<KnownType, kTypes>();
  return *types;
}

heddle_element_type asType(int value) { return static_cast<heddle_element_type>(value); }

// "f8E4M3FN" is float8_e4m3fn of ml_dtypes.
std::string numpyName(std::string_view name) {
  if (name == "i1")
    return "bool";
  if (name == "bf16")
    return "bfloat16";
  std::string out;
  if (name.starts_with("ui"))
    return "uint" + std::string(name.substr(2));
  if (name.starts_with('i'))
    return "int" + std::string(name.substr(1));
  size_t exponent = name.find('E');
  out = "float" + std::string(name.substr(1, exponent - 1));
  if (exponent != std::string_view::npos) {
    out += '_';
    for (char c : name.substr(exponent))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

int unsignedOf(uint64_t width) {
  return width == 1 ? NPY_UINT8 : width == 2 ? NPY_UINT16 : width == 4 ? NPY_UINT32 : NPY_UINT64;
}

// ml_dtypes, once imported, has told NumPy the names of its types.
KnownType makeKnownType(heddle_element_type type) {
  KnownType known;
  std::string name = numpyName(heddle_element_type_name(type));
  PyArray_Descr *descr = nullptr;
  if (PyArray_DescrConverter(nb::str(name.c_str()).ptr(), &descr) == NPY_SUCCEED) {
    known.dtype = nb::steal(reinterpret_cast<PyObject *>(descr));
    known.number = descr->type_num;
    known.standsAlone = !PyTypeNum_ISUSERDEF(known.number);
    return known;
  }
  PyErr_Clear();
  known.standsAlone = false;
  known.dtype =
      nb::steal(reinterpret_cast<PyObject *>(PyArray_DescrFromType(unsignedOf(heddle_element_type_bytes(type)))));
  return known;
}

// A 4-bit value as ml_dtypes keeps it has no sign in the upper half of its byte; the runtime's has.
bool needsSign(heddle_element_type type) {
  std::string_view name = heddle_element_type_name(type);
  return name == "i4" || name == "i2";
}

// HEDDLE_NONE for one that the runtime does not have.
heddle_element_type typeOf(PyArrayObject *array) {
  int number = PyArray_TYPE(array);
  switch (number) {
  case NPY_FLOAT: return HEDDLE_F32;
  case NPY_LONGLONG: return HEDDLE_I64;
  case NPY_ULONGLONG: return HEDDLE_U64;
  }
  for (int type = 1; type < kTypes; ++type)
    if (knownTypes()[type].number == number)
      return asType(type);
  return HEDDLE_NONE;
}

std::string nameOf(PyArrayObject *array) {
  return nb::str(nb::handle(reinterpret_cast<PyObject *>(PyArray_DESCR(array)))).c_str();
}

// Whether an array of `got` is taken for bits of `wanted`.
bool standsFor(PyArrayObject *array, heddle_element_type got, heddle_element_type wanted) {
  return got != wanted && wanted != HEDDLE_NONE && !knownTypes()[wanted].standsAlone &&
         PyTypeNum_ISUNSIGNED(PyArray_TYPE(array)) &&
         static_cast<uint64_t>(PyArray_ITEMSIZE(array)) == heddle_element_type_bytes(wanted);
}

void checkRank(int rank, const char *name) {
  if (rank > HEDDLE_MAX_RANK)
    invalid("'" + std::string(name) + "': a tensor has at most " + std::to_string(HEDDLE_MAX_RANK) +
            " dimensions, got " + std::to_string(rank));
}

// The type of the parts of complex numbers.
heddle_element_type partsOf(PyArrayObject *array) {
  switch (PyArray_TYPE(array)) {
  case NPY_CFLOAT: return HEDDLE_F32;
  case NPY_CDOUBLE: return HEDDLE_F64;
  default: return HEDDLE_NONE;
  }
}

void describe(PyArrayObject *array, heddle_element_type type, const char *name, heddle_tensor &tensor) {
  int rank = PyArray_NDIM(array);
  checkRank(rank, name);
  tensor.data = PyArray_DATA(array);
  tensor.bytes = static_cast<uint64_t>(PyArray_NBYTES(array));
  tensor.type = type;
  tensor.rank = static_cast<uint32_t>(rank);
  for (int i = 0; i < rank; ++i)
    tensor.dims[i] = PyArray_DIM(array, i);
  tensor.owner = nullptr;
}

void readArray(PyArrayObject *array, heddle_element_type wanted, uint32_t rank, const char *name, heddle_tensor &tensor,
               nb::object &keep) {
  heddle_element_type type = typeOf(array);
  if (wanted == HEDDLE_NONE && type == HEDDLE_NONE)
    invalid("'" + std::string(name) + "' is an array of " + nameOf(array) +
            ", a type that Heddle does not have; convert it with astype");
  bool isComplex =
      wanted != HEDDLE_NONE && partsOf(array) == wanted && PyArray_NDIM(array) + 1 == static_cast<int>(rank);
  if (isComplex || standsFor(array, type, wanted))
    type = wanted;
  else if (type == HEDDLE_NONE)
    invalid("'" + std::string(name) + "' takes " + heddle_element_type_name(wanted) + ", got an array of " +
            nameOf(array) + ", a type that Heddle does not have; convert it with astype");
  int number = PyArray_TYPE(array);
  bool convert = needsSign(type) && number == knownTypes()[type].number;
  if (!PyArray_ISCARRAY_RO(array) || convert) [[unlikely]] {
    PyArray_Descr *native = PyArray_DescrFromType(convert ? static_cast<int>(NPY_INT8) : number);
    keep = nb::steal(PyArray_FromArray(array, native, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST));
    if (!keep.is_valid())
      throw nb::python_error();
    array = reinterpret_cast<PyArrayObject *>(keep.ptr());
  }
  describe(array, type, name, tensor);
  if (isComplex) { // real and imaginary part are a last dimension
    checkRank(static_cast<int>(tensor.rank) + 1, name);
    tensor.dims[tensor.rank++] = 2;
  }
}

// DLPack's codes beyond the first are its float types of one byte.
heddle_element_type typeOf(nb::dlpack::dtype dtype) {
  static constexpr const char *kFloat8[] = {"f8E3M4",     "f8E4M3", "f8E4M3B11FNUZ", "f8E4M3FN",
                                            "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ",    "f8E8M0FNU"};
  if (dtype.lanes != 1)
    return HEDDLE_NONE;
  std::string bits = std::to_string(dtype.bits);
  switch (dtype.code) {
  case 0: return heddle_element_type_parse(("i" + bits).c_str());
  case 1: return heddle_element_type_parse(("ui" + bits).c_str());
  case 2: return heddle_element_type_parse(("f" + bits).c_str());
  case 4: return HEDDLE_BF16;
  case 6: return dtype.bits == 8 ? HEDDLE_I1 : HEDDLE_NONE;
  default: return dtype.code >= 7 && dtype.code < 15 ? heddle_element_type_parse(kFloat8[dtype.code - 7]) : HEDDLE_NONE;
  }
}

bool isDense(const nb::ndarray<nb::ro> &memory) {
  int64_t stride = 1;
  for (size_t i = memory.ndim(); i-- > 0;) {
    if (memory.shape(i) != 1 && memory.stride(i) != stride)
      return memory.size() == 0;
    stride *= static_cast<int64_t>(memory.shape(i));
  }
  return true;
}

[[noreturn]] void refuseObject(nb::handle object, const char *name) {
  if (nb::hasattr(object, "__dlpack__"))
    (void)object.attr("__dlpack__")(); // says why
  invalid("'" + std::string(name) + "' takes an array, got an object of type " +
          nb::str(object.type().attr("__name__")).c_str() +
          "; give a NumPy array (numpy.asarray) or one that speaks DLPack");
}

// The device types of DLPack whose memory is the host's.
bool isHost(int device) { return device == 1 || device == 3; }

void readDlpack(nb::handle object, const char *name, heddle_tensor &tensor, nb::object &keep) {
  nb::ndarray<nb::ro> memory;
  if (!nb::try_cast(object, memory))
    refuseObject(object, name);
  if (!isHost(memory.device_type()))
    invalid("'" + std::string(name) + "' is in memory of a device (DLPack device type " +
            std::to_string(memory.device_type()) + "); copy it to the host first");
  heddle_element_type type = typeOf(memory.dtype());
  uint64_t width = heddle_element_type_bytes(type);
  if (!width || width * 8 != memory.dtype().bits)
    invalid("'" + std::string(name) + "' has elements that Heddle does not have (DLPack type code " +
            std::to_string(memory.dtype().code) + ", " + std::to_string(memory.dtype().bits) + " bits); convert it");
  // A NumPy array of bits on the memory, which it keeps alive, and which NumPy copies where that is necessary.
  npy_intp dims[HEDDLE_MAX_RANK], strides[HEDDLE_MAX_RANK];
  int rank = static_cast<int>(memory.ndim());
  checkRank(rank, name);
  for (int i = 0; i < rank; ++i) {
    dims[i] = static_cast<npy_intp>(memory.shape(i));
    strides[i] = static_cast<npy_intp>(memory.stride(i)) * static_cast<npy_intp>(width);
  }
  auto *owner = new nb::ndarray<nb::ro>(memory);
  nb::capsule capsule(owner, [](void *p) noexcept { delete static_cast<nb::ndarray<nb::ro> *>(p); });
  void *data = const_cast<void *>(memory.data());
  nb::object bits = nb::steal(PyArray_New(&PyArray_Type, rank, dims, unsignedOf(width), strides, data, 0, 0, nullptr));
  if (!bits.is_valid())
    throw nb::python_error();
  auto *array = reinterpret_cast<PyArrayObject *>(bits.ptr());
  PyArray_SetBaseObject(array, capsule.release().ptr());
  if (!isDense(memory) || reinterpret_cast<uintptr_t>(data) % width != 0) {
    bits = nb::steal(PyArray_NewCopy(array, NPY_CORDER));
    if (!bits.is_valid())
      throw nb::python_error();
  }
  describe(reinterpret_cast<PyArrayObject *>(bits.ptr()), type, name, tensor);
  keep = std::move(bits);
}

// A number of Python for an argument without dimensions: of its type. A float is none of integers; invalid for what is
// no such number.
nb::object readNumber(nb::handle object, heddle_element_type type, uint32_t rank, const char *name) {
  bool isInteger = PyLong_Check(object.ptr());
  if (rank != 0 || type == HEDDLE_NONE || knownTypes()[type].number < 0 || (!isInteger && !PyFloat_Check(object.ptr())))
    return {};
  std::string_view kind = heddle_element_type_name(type);
  bool takesFloats = kind.starts_with("f") || kind.starts_with("bf"), isBool = PyBool_Check(object.ptr());
  if ((!isInteger && !takesFloats) || isBool != (type == HEDDLE_I1))
    invalid("'" + std::string(name) + "' takes " + std::string(kind) + ", got " + nb::repr(object).c_str() +
            "; convert it");
  return nb::module_::import_("numpy").attr("asarray")(object, dtypeOf(type));
}

} // namespace

bool isArray(PyObject *object) { return PyArray_Check(object); }

void importNumpy() {
  if (_import_array() < 0)
    throw nb::python_error();
  try {
    nb::module_::import_("ml_dtypes");
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_ImportError))
      throw;
  }
  for (int type = 1; type < kTypes; ++type)
    if (heddle_element_type_bytes(asType(type)))
      knownTypes()[type] = makeKnownType(asType(type));
}

nb::object dtypeOf(heddle_element_type type) { return knownTypes()[type].dtype; }

heddle_element_type typeOfDtype(nb::handle dtype) {
  PyArray_Descr *descr = nullptr;
  if (PyArray_DescrConverter(dtype.ptr(), &descr) != NPY_SUCCEED)
    throw nb::python_error();
  nb::object kept = nb::steal(reinterpret_cast<PyObject *>(descr));
  for (int type = 1; type < kTypes; ++type)
    if (knownTypes()[type].number >= 0 && knownTypes()[type].number == descr->type_num)
      return asType(type);
  invalid(std::string(nb::str(kept).c_str()) + " is a type that Heddle does not have");
}

void readArgument(nb::handle object, heddle_element_type type, uint32_t rank, const char *name, heddle_tensor &tensor,
                  nb::object &keep) {
  if (PyArray_Check(object.ptr())) [[likely]]
    return readArray(reinterpret_cast<PyArrayObject *>(object.ptr()), type, rank, name, tensor, keep);
  if (PyArray_CheckScalar(object.ptr())) {
    nb::object array = nb::steal(PyArray_FromScalar(object.ptr(), nullptr));
    if (!array.is_valid())
      throw nb::python_error();
    keep = array;
    return readArray(reinterpret_cast<PyArrayObject *>(array.ptr()), type, rank, name, tensor, keep);
  }
  if (nb::object array = readNumber(object, type, rank, name); array.is_valid()) {
    keep = array;
    return readArray(reinterpret_cast<PyArrayObject *>(array.ptr()), type, rank, name, tensor, keep);
  }
  readDlpack(object, name, tensor, keep);
}

static void readWritable(nb::handle object, heddle_element_type type, const std::string &whose, const char *name,
                         heddle_tensor &tensor) {
  if (!PyArray_Check(object.ptr()))
    invalid(whose + " must be a NumPy array, got an object of type " + nb::str(object.type().attr("__name__")).c_str());
  auto *array = reinterpret_cast<PyArrayObject *>(object.ptr());
  heddle_element_type got = typeOf(array);
  if (got != type && !standsFor(array, got, type))
    invalid(whose + " must have elements of type " + heddle_element_type_name(type) + ", got " + nameOf(array));
  if (!PyArray_ISCARRAY(array))
    invalid(whose + " must be writable, aligned and contiguous in C order");
  describe(array, type, name, tensor);
}

void readDonated(nb::handle object, heddle_element_type type, const char *name, heddle_tensor &tensor) {
  std::string whose = "'" + std::string(name) + "' is donated and so overwritten: it";
  readWritable(object, type, whose, name, tensor);
  if (needsSign(type) && PyArray_TYPE(reinterpret_cast<PyArrayObject *>(object.ptr())) == knownTypes()[type].number)
    invalid(whose + " cannot be of " + heddle_element_type_name(type) +
            ", which ml_dtypes keeps without a sign; give uint8");
}

void readStorage(nb::handle object, heddle_element_type type, const char *name, heddle_tensor &tensor) {
  readWritable(object, type, "result '" + std::string(name) + "': its storage", name, tensor);
}

nb::object takeResult(heddle_tensor &tensor, nb::handle donor) {
  npy_intp dims[HEDDLE_MAX_RANK];
  for (uint32_t i = 0; i < tensor.rank; ++i)
    dims[i] = tensor.dims[i];
  auto *descr = reinterpret_cast<PyArray_Descr *>(dtypeOf(tensor.type).release().ptr());
  nb::object array = nb::steal(PyArray_NewFromDescr(&PyArray_Type, descr, static_cast<int>(tensor.rank), dims, nullptr,
                                                    tensor.data, tensor.data ? NPY_ARRAY_CARRAY : 0, nullptr));
  if (!array.is_valid())
    throw nb::python_error();
  if (!tensor.owner) {
    if (donor.is_valid())
      PyArray_SetBaseObject(reinterpret_cast<PyArrayObject *>(array.ptr()), nb::borrow(donor).release().ptr());
    return array;
  }
  nb::capsule owner(tensor.owner, [](void *buffer) noexcept {
    heddle_tensor share{};
    share.owner = static_cast<heddle_buffer *>(buffer);
    heddle_tensor_reset(&share);
  });
  tensor = {};
  PyArray_SetBaseObject(reinterpret_cast<PyArrayObject *>(array.ptr()), owner.release().ptr());
  return array;
}

nb::object resultIn(nb::handle storage, const heddle_tensor &tensor) {
  auto *array = reinterpret_cast<PyArrayObject *>(storage.ptr());
  npy_intp dims[HEDDLE_MAX_RANK];
  bool same = PyArray_NDIM(array) == static_cast<int>(tensor.rank);
  for (uint32_t i = 0; i < tensor.rank; ++i) {
    dims[i] = tensor.dims[i];
    same = same && PyArray_DIM(array, static_cast<int>(i)) == dims[i];
  }
  if (same)
    return nb::borrow(storage);
  PyArray_Descr *descr = PyArray_DESCR(array);
  Py_INCREF(reinterpret_cast<PyObject *>(descr));
  nb::object view = nb::steal(PyArray_NewFromDescr(&PyArray_Type, descr, static_cast<int>(tensor.rank), dims, nullptr,
                                                   PyArray_DATA(array), NPY_ARRAY_CARRAY, nullptr));
  if (!view.is_valid())
    throw nb::python_error();
  PyArray_SetBaseObject(reinterpret_cast<PyArrayObject *>(view.ptr()), nb::borrow(storage).release().ptr());
  return view;
}

} // namespace heddle::python
