#pragma once
#include "compiler/compile.h"
#include "compiler/language/prelude.h"
#include "compiler/signature/signature_compiler.h"
#include "ptc/engine.h"
#include "runtime/chunk_pool.h"
#include "runtime/clock.h"
#include "subagent/engine/session_names.h"
#include "subagent/engine/thread_pool.h"
#include "vm/program_file.h"
#include <functional>
#include <mutex>
#include <span>

namespace ptc {

struct FunctionProto;

/// What an engine shares among its sessions. Only the pools change, under their own locks.
struct Engine::Impl {
    explicit Impl(EngineOptions options);
    void add_tool(const Tool& tool);
    void add_prelude(const PreludeSource& prelude);
    void check_needs(const PreludeMember& member, Diagnostics& diagnostics) const;
    void list_exports();
    void share_constants();
    [[nodiscard]] std::uint64_t sum_of_parts() const;
    EngineOptions options;
    std::vector<ToolInfo> tools;          ///< what the compiler knows of them
    std::vector<SignaturePtr> signatures; ///< of options.tools; null for those without
    std::vector<Error> problems;          ///< of signatures that cannot be read, then of preludes
    std::vector<std::size_t> unusable;    ///< the tools that have them
    CoreLibrary core;
    Prelude prelude;
    std::vector<ExportedNamespace> exports;
    /// Texts of preludes with errors, and those: tools that are missing have the reason invalid_prelude.
    std::vector<Compiled> bad_preludes;
    std::optional<Error> refusal; ///< why no program runs
    SharedConstants shared;       ///< of preludes, for bytecode
    mutable ChunkPool pool;
    mutable ThreadPool workers; ///< run branches
    mutable ThreadPool callers; ///< call the tools that branches wait for
    /// What sessions measure by how long runs take and wait for tools; tests put a clock of their own here.
    std::function<Meter::Clock::time_point()> now = Meter::Clock::now;
    mutable std::once_flag fingerprint_taken;
    mutable std::uint64_t known_fingerprint = 0;

    /// Of everything that a snapshot counts on: taken when it is first asked for.
    [[nodiscard]] std::uint64_t fingerprint() const;

    /// What programs are compiled with; null when there are no preludes.
    [[nodiscard]] const Prelude* known_prelude() const { return prelude.empty() ? nullptr : &prelude; }
    [[nodiscard]] const Tool* find_tool(std::string_view name) const;
    /// A function of the core library, or of a prelude, that bytecode refers to by name; null when there is none.
    [[nodiscard]] const FunctionProto* find_function(std::string_view name, std::uint32_t arity) const;
    /// Null for a tool without a signature.
    [[nodiscard]] const CompiledSignature* signature_of(const Tool& tool) const {
        return signatures[static_cast<std::size_t>(&tool - options.tools.data())].get();
    }
    /// Why the tool cannot be called; null when it can.
    [[nodiscard]] const Error* problem_of(const Tool& tool) const;
    [[nodiscard]] Compiled compile(std::string_view source, std::string_view file_name, const SessionNames& names,
                                   bool any_name, const Limits& limits,
                                   const std::function<std::vector<std::string>()>& data_names = {},
                                   const std::atomic<bool>* interrupt = nullptr, bool is_repeatable = false) const;
    /// What the program looks like it does not mean, going by what the data hold as well.
    [[nodiscard]] Diagnostics check(std::string_view source, const SessionNames& names, const Limits& limits,
                                    const RunOptions& run, std::span<const ToolRecord> calls) const;
    [[nodiscard]] CompileOptions compile_options(const SessionNames& names, const Limits& limits) const;
    /// For what is done with a program before it runs: it ends at the timeout of the limits, counted from now, or with
    /// `interrupt`, which is borrowed.
    [[nodiscard]] Meter budget(const Limits& limits, const std::atomic<bool>* interrupt = nullptr) const;
};

/// The way in for the library's own files; hosts have none.
struct EngineAccess {
    using Impl = Engine::Impl;
    static Impl& impl(const Engine& engine) { return *engine.impl_; }
};
using EngineImpl = EngineAccess::Impl;
inline EngineImpl& impl_of(const Engine& engine) { return EngineAccess::impl(engine); }

} // namespace ptc
