// Types of other modules whose methods run no user code.
#pragma once

#include <nanobind/nanobind.h>

#include <initializer_list>
#include <vector>

namespace river_hier {

namespace nb = nanobind;

class Types {
  public:
    Types(const char* module, std::initializer_list<const char*> names) {
        const nb::module_ from = nb::module_::import_(module);
        for (const char* name : names) types_.push_back(from.attr(name));
    }

    // Whether an object is of one of them, and of no class derived from it.
    bool hold(PyObject* object) const {
        for (const nb::object& type : types_)
            if (reinterpret_cast<PyObject*>(Py_TYPE(object)) == type.ptr()) return true;
        return false;
    }

  private:
    std::vector<nb::object> types_;
};

}  // namespace river_hier
