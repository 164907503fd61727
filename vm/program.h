// Compiled code: immutable, shared by any number of VMs on any number of threads.
#pragma once
#include "ptc/source.h"
#include "runtime/function.h"
#include "runtime/heap.h"
#include "runtime/shape.h"
#include "runtime/signature/checks.h"
#include "vm/opcode.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptc {

class Program;

/// One function (one arity of it). Its address is what a function value holds.
struct FunctionProto : FunctionInfo {
    const Program* program = nullptr;
    std::uint32_t index = 0;
    std::uint32_t frame_size = 0; ///< registers
    std::uint32_t entry_cost = 0; ///< fuel for entering: the dearest path to a loop, call or end
    std::uint16_t capture_count = 0;
    std::uint8_t param_count = 0;               ///< registers that arguments fill, the rest parameter included
    std::uint8_t exact_arity = 0;               ///< param_count, or 255 when variadic
    const FunctionProto* next_arity = nullptr;  ///< of the same function, which has the same captures
    const FunctionProto* first_arity = nullptr; ///< where that chain begins; null: here
    std::vector<Word> code;
    std::vector<std::uint8_t> takes; ///< take mask of each word
    std::vector<Span> spans;         ///< source of each word
    std::vector<Bits> constants;     ///< frozen values, immediates and shapes; owned by the program's heap
    std::string name_text;
    std::string doc_text;
    std::string parameters_text;
};

/// The prototype behind a function value (static or closure).
inline const FunctionProto* proto_of(Bits function) {
    if (bits::is_object(function)) {
        return static_cast<const FunctionProto*>(
            static_cast<const ClosureObject*>(bits::to_object(function))->function);
    }
    return static_cast<const FunctionProto*>(reinterpret_cast<const FunctionInfo*>(function & bits::kPointerMask));
}
/// The function in constant `index` of `proto`.
inline const FunctionProto& proto_of_constant(const FunctionProto& proto, std::uint32_t index) {
    return *static_cast<const FunctionProto*>(
        reinterpret_cast<const FunctionInfo*>(proto.constants[index] & bits::kPointerMask));
}

/// The arity of `function`'s that takes `n` arguments, whichever of them it is itself; null when none does.
inline const FunctionProto* choose_arity(const FunctionProto* function, std::size_t n) {
    const FunctionProto* variadic = nullptr;
    for (const FunctionProto* p = function->first_arity ? function->first_arity : function; p; p = p->next_arity) {
        if (!p->variadic && p->param_count == n) return p;
        if (p->variadic && n + 1 >= p->param_count) variadic = p;
    }
    return variadic;
}

/// What the compiler makes and .ptcb files hold.
class Program {
public:
    Program() : shapes(heap) {}
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    Source source;
    Heap heap{Heap::Mode::Frozen}; ///< constants
    ShapeTable shapes;
    std::vector<std::unique_ptr<FunctionProto>> functions; ///< [0] is the top level
    std::vector<std::string> defined_names;
    std::vector<std::string> data_names;
    std::vector<std::string> tool_names;
    std::shared_ptr<const Program> core; ///< the core program that constants may refer to
    std::int64_t compile_cost = 0;       ///< fuel charged for reading and compiling
    /// What the session remembers when the program has run (compiler/language/declarations.h); none: what it did.
    std::optional<std::string> declarations;
    std::size_t own_bytes = SIZE_MAX;             ///< of the source: behind are declarations of earlier programs
    std::vector<bool> by_need;                    ///< of each function: note_by_need
    std::unique_ptr<const CheckTable> validation; ///< of a validator
};

/// Sets `by_need` of a program that is complete: which of its functions make a sequence by need, or use one that does,
/// of this program or the core library. What uses such a function later, in the same session, is
/// compiled to ask what it has got.
void note_by_need(Program& program);

} // namespace ptc
