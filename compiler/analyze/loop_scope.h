// Loops, as far as all of them have something in common: the context's data that they read.
#pragma once
#include "compiler/analyze/context.h"
#include <string_view>

namespace ptc {

struct Analyzer;

/// A data/ name that a loop reads: read once, before the loop.
struct HoistedData {
    struct Item {
        std::string_view name;
        Local* local;
        Span span;
        const Item* next;
    };
    const Item* first = nullptr;
};

/// While it lives, a loop is analysed. Owns the list of what the outermost loop of a function reads; borrows the
/// analysis.
class LoopScope {
public:
    explicit LoopScope(Analyzer& a);
    LoopScope(const LoopScope&) = delete;
    LoopScope& operator=(const LoopScope&) = delete;
    /// Ends the scope: `loop`, within a Let of what was hoisted.
    Node* finish(Node* loop, Tail tail);

private:
    Analyzer& a_;
    HoistedData data_;
    bool is_outermost_;
};

/// data/name.
Node* data_reference(Analyzer& a, std::string_view name, Span span, Tail tail);

} // namespace ptc
