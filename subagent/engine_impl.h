#pragma once
#include "compiler/compile.h"
#include "ptc/engine.h"
#include "runtime/heap.h"
#include "subagent/thread_pool.h"
#include <span>

namespace ptc {

/// What an engine shares among its sessions. Only the pools change, under their own locks.
struct Engine::Impl {
    explicit Impl(EngineOptions options);
    EngineOptions options;
    std::vector<ToolInfo> tools;
    CoreLibrary core;
    mutable ChunkPool pool;
    mutable ThreadPool workers; ///< run branches
    mutable ThreadPool callers; ///< call the tools that branches wait for

    [[nodiscard]] const Tool* find_tool(std::string_view name) const;
    [[nodiscard]] Compiled compile(std::string_view source, std::string_view file_name, std::span<const std::string_view> names,
                                   bool any_name, const Limits& limits,
                                   const std::vector<std::string>* data_names = nullptr) const;
};

} // namespace ptc
