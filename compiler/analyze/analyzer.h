// Forms to the resolved tree: special forms, threading, destructuring, scopes, arity and name checks, constant folding,
// inlining of core functions.
#pragma once
#include "compiler/language/tree.h"
#include "frontend/form.h"
#include "ptc/diagnostic.h"
#include "ptc/signature_text.h"
#include "ptc/source.h"
#include <optional>

namespace ptc {

/// What the analyzer knows of a tool.
struct ToolInfo {
    std::string name;
    std::string description;
    std::optional<Signature> signature{}; ///< what its arguments and results are checked against; none: anything fits
};

struct Fact;
class Prelude;
struct PreludeScope;

/// What is known of data/NAME (type_facts.h).
struct DataInfo {
    std::string_view name;
    const Fact* fact = nullptr;
};

/// Names that a program may use besides its own. Borrowed for the call.
struct Environment {
    std::span<const std::string_view> globals; ///< the session's defined names
    std::span<const ToolInfo> tools;
    std::span<const DataInfo> data; ///< what is not among them may be anything
    bool any_global = false;        ///< accept every name as a global (building a file to be run in another session)
    bool any_tool = false;          ///< accept every tool (checking without a tool list)
    /// Arguments with which a tool's signature fails every call are errors, not warnings: where the host checks them.
    bool strict_arguments = false;
    bool fold = true; ///< false: no call is made while compiling (for differential tests)
    /// Names below data/ that the run will have; null when they are not known. For suggestions only.
    const std::vector<std::string>* data_names = nullptr;
    const Prelude* prelude = nullptr; ///< namespaces that the host adds to the language; null: none
};

struct CompileLimits {
    std::uint32_t max_source_bytes = 1u << 20;
    std::uint32_t max_nesting = 512;
    std::uint32_t max_symbols = 20'000; ///< distinct names
    std::uint32_t max_constants = 200'000;
    std::uint32_t max_nodes = 2'000'000;        ///< tree size after expansion
    std::size_t max_constant_bytes = 64u << 20; ///< of all constants; a regex takes much
    std::int64_t max_work = 50'000'000;         ///< units of fuel: a node, building a constant, folding
};

class CoreLibrary; ///< core_library.h: functions written in PTC-Lisp, inlined or called

/// Reports every error that it can find to `diagnostics`; the tree is only meaningful when it reported none. Constants
/// are built in `heap` with `shapes`. The forms must outlive the tree.
Tree analyze(const Forms& forms, const Source& source, const Environment& environment, const CoreLibrary& core,
             const CompileLimits& limits, Heap& heap, ShapeTable& shapes, Diagnostics& diagnostics);

/// The same for a namespace of a prelude, as far as `scope` asks for it; what it uses is noted there.
Tree analyze_namespace(PreludeScope& scope, const Environment& environment, const CoreLibrary& core,
                       const CompileLimits& limits, Heap& heap, Diagnostics& diagnostics);

} // namespace ptc
