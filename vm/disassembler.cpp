// Code as text: one instruction a line, its operands by their kinds in opcodes.def, so a new opcode needs nothing here.
// A register that dies is marked with `!`; what constants, names and builtins an operand refers to stands behind `;`.
#include "vm/disassembler.h"
#include "runtime/builtin.h"
#include "runtime/print.h"
#include <algorithm>
#include <cstdio>

namespace ptc {
namespace {

std::string constant_text(const FunctionProto& f, std::uint32_t i) {
    if (i >= f.constants.size()) return "?";
    const Bits b = f.constants[i];
    if (bits::is_object(b) && bits::to_object(b)->type == ObjectType::Shape) {
        const auto* shape = static_cast<const ShapeObject*>(bits::to_object(b));
        std::string text = "shape(";
        Heap scratch;
        for (std::uint32_t k = 0; k < shape->count; ++k)
            text += (k ? " " : "") + print_to_string(scratch, shape->keys()[k], PrintStyle::Readable);
        return text + ")";
    }
    Heap scratch;
    Value v = Value::adopt(b);
    std::string text = print_to_string(scratch, v, PrintStyle::Readable, 60);
    (void)v.give_up();
    return text;
}

/// A line being written: what the instruction is, and what its operands refer to.
struct Line {
    const FunctionProto& f;
    std::string text;
    std::string note{};

    void constant(std::uint32_t index) {
        text += " k" + std::to_string(index);
        note += " " + constant_text(f, index);
    }
    /// An operand of the first word by its kind: `field` is its part of `w`, `dies` its bit of the take mask.
    void operand(Operand kind, std::uint32_t field, bool dies, Word w) {
        if (is_register(kind)) {
            text += " r" + std::to_string(field) + (dies || kind == Operand::Take ? "!" : "");
            return;
        }
        switch (general_kind(kind)) {
        case Operand::Num: text += " " + std::to_string(field); break;
        case Operand::Num16:
            text += " " + (kind != Operand::Charge16 ? std::to_string(static_cast<std::int16_t>(word_bc(w)))
                                                     : std::to_string(word_bc(w)));
            break;
        case Operand::Const: constant(field); break;
        case Operand::Const16: constant(word_bc(w)); break;
        default: break;
        }
    }
    void second_word(Operand kind, Word w, std::size_t next) {
        switch (general_kind(kind)) {
        case Operand::Jump32:
            text += " -> " + std::to_string(static_cast<std::int64_t>(next) + static_cast<std::int32_t>(w));
            break;
        case Operand::KeyCache32: constant(w & 0xFFFF); break;
        case Operand::Const32: constant(w); break;
        case Operand::Function32:
            text += " k" + std::to_string(w & 0xFFFF);
            note += " " + constant_text(f, w >> 16);
            break;
        case Operand::Native32:
            text += " n" + std::to_string(w);
            note += std::string(" ") + (w < all_builtins().size() ? builtin_at(w).name : "?");
            break;
        default: break;
        }
    }
};

} // namespace

std::string disassemble(const FunctionProto& f) {
    std::string out = "function " + std::to_string(f.index) + " " + f.name_text + ": " + std::to_string(f.param_count) +
                      " parameters, " + std::to_string(f.frame_size) + " registers, " +
                      std::to_string(f.capture_count) + " captures, " + std::to_string(f.entry_cost) + " fuel\n";
    for (std::size_t at = 0; at < f.code.size();) {
        const Word w = f.code[at];
        const OpInfo& info = op_info(word_op(w));
        char head[48];
        std::snprintf(head, sizeof head, "  %4zu  %-14s", at, std::string(info.mnemonic).c_str());
        Line line{f, head};
        line.operand(info.a, word_a(w), false, w);
        line.operand(info.b, word_b(w), (f.takes[at] & kTakeB) != 0, w);
        line.operand(info.c, word_c(w), (f.takes[at] & kTakeC) != 0, w);
        if (info.words() == 2) line.second_word(info.w, f.code[at + 1], at + 2);
        if (!line.note.empty()) line.text.resize(std::max<std::size_t>(line.text.size(), 44), ' ');
        out += line.text + (line.note.empty() ? "" : "  ;" + line.note) + "\n";
        at += info.words();
    }
    return out;
}

std::string disassemble(const Program& program) {
    std::string out;
    for (const auto& f : program.functions)
        out += disassemble(*f) + "\n";
    return out;
}

} // namespace ptc
