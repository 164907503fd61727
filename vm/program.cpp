// What is known of a program from its code once it is complete.
#include "vm/program.h"
#include <algorithm>

namespace ptc {
namespace {

/// Null for constants that are no functions.
const FunctionProto* function_in(Bits constant) {
    const Value value = Value::adopt(constant);
    return value.is_static_function() ? proto_of(constant) : nullptr;
}

} // namespace

void note_by_need(Program& program) {
    std::vector<bool>& by_need = program.by_need;
    by_need.assign(program.functions.size(), false);
    std::vector<std::vector<std::uint32_t>> users(by_need.size()); // of each function of the program
    std::vector<std::uint32_t> found;
    const auto note = [&](std::uint32_t index) {
        if (by_need[index]) return;
        by_need[index] = true;
        found.push_back(index);
    };
    for (const auto& function : program.functions) {
        const std::string_view name = function->name_text;
        if (name == kCellName || name == kLazySeqName) note(function->index);
        for (const Bits constant : function->constants) {
            const FunctionProto* used = function_in(constant);
            if (!used || !used->program) continue;
            if (used->program == &program)
                users[used->index].push_back(function->index);
            else if (used->program->by_need.size() > used->index && used->program->by_need[used->index])
                note(function->index);
        }
    }
    while (!found.empty()) {
        const std::uint32_t index = found.back();
        found.pop_back();
        for (const std::uint32_t user : users[index])
            note(user);
    }
}

} // namespace ptc
