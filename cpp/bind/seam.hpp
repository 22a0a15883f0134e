// How arguments and results cross between Python and the kernels; all files of the binding use it.
//
// Down: an array becomes a span, an object with `offsets` and `targets` becomes Rows, and so on.
// Nothing is copied, and what was read stays alive until the call ends. Up: a vector becomes an
// array, several vectors a tuple, and rows icsched.arrays.Rows.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "icsched/graph.hpp"
#include "icsched/interrupt.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace seam {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

struct OutRows {
  Out<std::int32_t> offsets, targets;
};

// Hands a vector's memory to numpy without copying it. The other results of kernels have a
// `give` next to their bindings, in namespace icsched.
template <class T>
Out<T> give(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Out<T>(owned->data(), {owned->size()}, owner);
}

inline std::int64_t give(std::int64_t number) { return number; }

inline OutRows give_rows(std::vector<std::int32_t>& offsets, std::vector<std::int32_t>& targets) {
  return {give(std::move(offsets)), give(std::move(targets))};
}

template <class... T>
auto give_all(std::vector<T>&... vectors) {
  return std::tuple(give(std::move(vectors))...);
}

// Remembers how often kernels were given up before this thread's kernel began.
void begin_kernel();

// Whether the user wants out (Ctrl-C). If so, Python's error is set. Kernels ask without the GIL.
bool wants_out();

// Ends all kernels that run now, on any thread.
void give_up_kernels();

// Runs a kernel without the GIL. Ctrl-C ends the kernel with Python's own error.
template <class Kernel>
auto without_gil(Kernel kernel) {
  begin_kernel();
  try {
    nb::gil_scoped_release release;
    const icsched::InterruptScope scope(wants_out);
    return kernel();
  } catch (const icsched::Interrupted&) {
    throw nb::python_error();
  }
}

template <auto kernel>
struct Called;

template <class Result, class... Arguments, Result (*kernel)(Arguments...)>
struct Called<kernel> {
  static auto call(Arguments... arguments) {
    return give(without_gil([&] { return kernel(arguments...); }));
  }
};

// A kernel as Python calls it.
template <auto kernel>
constexpr auto called = &Called<kernel>::call;

}  // namespace seam

namespace nanobind::detail {

// Reads a struct of spans and numbers from the attributes of a Python object. `Caster::names` has
// their names, in the order of the struct's fields.
template <class Caster, class Struct, class... Fields>
struct StructCaster {
  NB_TYPE_CASTER(Struct, const_name("object"))

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      if (!(read(source, i, flags, cleanup, std::get<i>(fields_)) && ...)) return false;
      value = Struct{std::get<i>(fields_).value...};
      return true;
    }(std::index_sequence_for<Fields...>());
  }

 private:
  static bool read(handle source, std::size_t field, std::uint32_t flags, cleanup_list* cleanup,
                   auto& caster) noexcept {
    const auto found = steal(PyObject_GetAttr(source.ptr(), interned(field)));
    if (found.is_valid()) return caster.from_python(found, flags, cleanup);
    PyErr_Clear();
    return false;
  }

  // The name as Python looks it up, made once.
  static PyObject* interned(std::size_t field) {
    static const auto all = [] {
      std::array<PyObject*, sizeof...(Fields)> made;
      std::ranges::transform(Caster::names, made.begin(), PyUnicode_InternFromString);
      return made;
    }();
    return all[field];
  }

  std::tuple<make_caster<Fields>...> fields_;
};

template <class T>
struct type_caster<std::span<const T>> {
  NB_TYPE_CASTER(std::span<const T>, make_caster<seam::In<T>>::Name)

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    if (!array_.from_python(source, flags, cleanup)) return false;
    value = {array_.value.data(), array_.value.size()};
    return true;
  }

 private:
  make_caster<seam::In<T>> array_;
};

template <>
struct type_caster<icsched::Rows>
    : StructCaster<type_caster<icsched::Rows>, icsched::Rows, icsched::Ids, icsched::Ids> {
  static constexpr auto Name = const_name("icsched.arrays.Rows");
  static constexpr const char* names[] = {"offsets", "targets"};
};

template <>
struct type_caster<seam::OutRows> {
  NB_TYPE_CASTER(seam::OutRows, const_name("icsched.arrays.Rows"))

  static handle from_cpp(const seam::OutRows& rows, rv_policy, cleanup_list*) noexcept {
    try {
      return module_::import_("icsched.arrays").attr("Rows")(rows.offsets, rows.targets).release();
    } catch (python_error& error) {
      error.restore();
      return {};
    }
  }
};

}  // namespace nanobind::detail
