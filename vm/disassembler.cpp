#include "vm/disassembler.h"
#include "runtime/builtin.h"
#include "runtime/print.h"
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

std::string operand_text(const FunctionProto& f, Operand kind, std::uint32_t field, bool dies, std::string& note) {
    switch (kind) {
    case Operand::Dst:
    case Operand::Win:
    case Operand::Edit: return " r" + std::to_string(field);
    case Operand::Use: return " r" + std::to_string(field) + (dies ? "!" : "");
    case Operand::Take: return " r" + std::to_string(field) + "!";
    case Operand::Num: return " " + std::to_string(field);
    case Operand::Const: note += " " + constant_text(f, field); return " k" + std::to_string(field);
    default: return "";
    }
}

void second_word_text(const FunctionProto& f, std::size_t at, const OpInfo& info, std::string& line,
                      std::string& note) {
    const Word w = info.words() == 2 ? f.code[at + 1] : 0;
    switch (info.w) {
    case Operand::Jump32:
        line += " -> " + std::to_string(static_cast<std::int64_t>(at) + 2 + static_cast<std::int32_t>(w));
        break;
    case Operand::KeyCache32:
        line += " k" + std::to_string(w & 0xFFFF);
        note += " " + constant_text(f, w & 0xFFFF);
        break;
    case Operand::Const32:
        line += " k" + std::to_string(w);
        note += " " + constant_text(f, w);
        break;
    case Operand::Function32:
        line += " k" + std::to_string(w & 0xFFFF);
        note += " " + constant_text(f, w >> 16);
        break;
    case Operand::Native32:
        line += " n" + std::to_string(w);
        note += std::string(" ") + (w < all_builtins().size() ? builtin_at(w).name : "?");
        break;
    default: break;
    }
}

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
        std::string line = head, note;
        line += operand_text(f, info.a, word_a(w), false, note);
        if (info.b == Operand::Num16 || info.b == Operand::Const16) {
            line += " " + (info.b == Operand::Num16 ? std::to_string(static_cast<std::int16_t>(word_bc(w)))
                                                    : "k" + std::to_string(word_bc(w)));
            if (info.b == Operand::Const16) note += " " + constant_text(f, word_bc(w));
        } else {
            line += operand_text(f, info.b, word_b(w), (f.takes[at] & kTakeB) != 0, note);
            line += operand_text(f, info.c, word_c(w), (f.takes[at] & kTakeC) != 0, note);
        }
        second_word_text(f, at, info, line, note);
        if (!note.empty()) line.resize(std::max<std::size_t>(line.size(), 44), ' ');
        out += line + (note.empty() ? "" : "  ;" + note) + "\n";
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
