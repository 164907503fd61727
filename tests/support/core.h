// The core library, compiled once for all tests of a program.
#pragma once
#include "compiler/compile.h"
#include "compiler/language/core_library.h"
#include <memory>

namespace ptc::test {

inline const CoreLibrary& core() {
    static const std::unique_ptr<CoreLibrary> library = [] {
        auto made = std::make_unique<CoreLibrary>();
        Diagnostics diagnostics;
        compile_core(*made, diagnostics);
        return made;
    }();
    return *library;
}

} // namespace ptc::test
