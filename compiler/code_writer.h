// The code and the constants of the function that is being emitted: words with their spans and take masks, jumps to
// places that are not known yet, each constant once. What goes into them is the emitter's.
#pragma once
#include "runtime/freeze.h"
#include "runtime/string.h"
#include "vm/program.h"
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ptc {

/// A place in the code that jumps lead to; bound once.
struct CodeLabel {
    std::int64_t at = -1;
    std::vector<std::uint32_t> sources; ///< words behind the jump instructions
};

/// Fills a FunctionProto; borrows it, and the program whose heap has the constants.
class CodeWriter {
protected:
    /// `next_cache`: the program's next inline cache. They are numbered through, so that functions which work on the
    /// same records share no caches before there are more places than caches.
    CodeWriter(FunctionProto& proto, Program& program, std::uint32_t& next_cache)
        : proto_(proto), program_(program), next_cache_(next_cache) {}

    // ---- code ------------------------------------------------------------------------------------------------------
    std::uint32_t here() const { return static_cast<std::uint32_t>(proto_.code.size()); }
    void raw(Word w, Span span, std::uint8_t takes = 0) {
        proto_.code.push_back(w);
        proto_.takes.push_back(takes);
        proto_.spans.push_back(span);
    }
    void word(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t c, Span span, std::uint8_t takes = 0) {
        if (op == Op::Move && moves_result(a, b)) return;
        if (op == Op::Return && returns_what_moved(b)) return;
        last_ = here();
        raw(make_word(op, a, b, repeats_take_mask(op_info(op)) ? takes : c), span, takes);
        ++cost_;
    }
    void word16(Op op, std::uint32_t a, std::uint32_t bc, Span span, std::uint8_t takes = 0) {
        word(op, a, bc & 0xFF, bc >> 8, span, takes);
    }
    void second(std::uint32_t w, Span span) { raw(w, span); }
    void emit_label(CodeLabel& label) {
        remove_jump_to(label);
        label.at = here();
        last_label_ = here();
        last_ = kNone;
        for (std::uint32_t s : label.sources)
            patch(s, here());
    }
    /// A jump over nothing, to the label that comes here, is no instruction; unless another label leads behind it.
    void remove_jump_to(CodeLabel& label) {
        if (label.sources.empty() || label.sources.back() != here() || last_label_ == here()) return;
        if (word_op(proto_.code[here() - 2]) != Op::Jump) return;
        label.sources.pop_back();
        proto_.code.resize(here() - 2);
        proto_.takes.resize(here());
        proto_.spans.resize(here());
    }
    /// A move of what the last instruction has just made: that instruction writes to the move's register instead. None
    /// when a jump leads to here, or when its result is where its window is.
    bool moves_result(std::uint32_t to, std::uint32_t from) {
        if (last_ == kNone) return false;
        Word& w = proto_.code[last_];
        const OpInfo& info = op_info(word_op(w));
        if (last_ + info.words() != here()) return false;
        if (info.a == Operand::Dst && word_a(w) == from) {
            if (word_op(w) == Op::Move && word_b(w) == to) { // there and back
                proto_.code.resize(last_);
                proto_.takes.resize(last_);
                proto_.spans.resize(last_);
                --cost_;
                last_ = kNone;
                return true;
            }
            w = make_word(word_op(w), to, word_b(w), word_c(w));
            return true;
        }
        // What was taken out of a collection; not into a register that the same instruction reads.
        if (info.c != Operand::Dst || word_c(w) != from || word_a(w) == to) return false;
        if (info.b == Operand::Use && word_b(w) == to) return false;
        w = make_word(word_op(w), word_a(w), word_b(w), to);
        return true;
    }
    /// A return of what was just moved returns it from where it was.
    bool returns_what_moved(std::uint32_t from) {
        if (last_ == kNone || last_ + 1 != here()) return false;
        Word& w = proto_.code[last_];
        if (word_op(w) != Op::Move || word_a(w) != from) return false;
        w = make_word(Op::Return, 0, word_b(w), 0);
        return true;
    }
    void patch(std::uint32_t behind, std::uint32_t target) {
        proto_.code[behind - 1] =
            static_cast<Word>(static_cast<std::int32_t>(target) - static_cast<std::int32_t>(behind));
    }
    /// The offset word of a jump just written.
    void jump_to(CodeLabel& label, Span span) {
        second(0, span);
        if (label.at >= 0)
            patch(here(), static_cast<std::uint32_t>(label.at));
        else
            label.sources.push_back(here());
    }
    /// Whether nothing is written behind `at`, and no label is there.
    [[nodiscard]] bool ends_at(std::uint32_t at) const { return here() == at && last_label_ != at; }
    void set_field_c(std::uint32_t at, std::uint32_t c) {
        const Word w = proto_.code[at];
        proto_.code[at] = make_word(word_op(w), word_a(w), word_b(w), c);
    }
    /// Charges what is more than `most` of a round's cost, and gives the rest, for the jump back to charge.
    std::uint32_t charge_all_but(std::uint32_t most, std::int64_t cost, Span span) {
        constexpr std::int64_t kMostAtOnce = 65'535;
        while (cost > most) {
            const std::int64_t part = std::min(cost - most, kMostAtOnce);
            word16(Op::Fuel, 0, static_cast<std::uint32_t>(part), span);
            cost -= part;
        }
        return static_cast<std::uint32_t>(cost);
    }
    /// At the end: jumps that lead to a jump lead to where that goes.
    void shorten_jumps() {
        constexpr int kMostHops = 8;
        const auto target_of = [this](std::uint32_t at) {
            return static_cast<std::uint32_t>(at + 2 + static_cast<std::int32_t>(proto_.code[at + 1]));
        };
        for (std::uint32_t at = 0; at < here();) {
            const OpInfo& info = op_info(word_op(proto_.code[at]));
            if (info.w == Operand::Jump32) {
                std::uint32_t target = target_of(at);
                for (int hop = 0; hop < kMostHops && target < here() && word_op(proto_.code[target]) == Op::Jump; ++hop)
                    target = target_of(target);
                patch(at + 2, target);
            }
            at += info.words();
        }
    }
    void jump(CodeLabel& label, Span span) {
        word(Op::Jump, 0, 0, 0, span);
        jump_to(label, span);
    }

    // ---- constants -------------------------------------------------------------------------------------------------
    std::uint32_t constant(Bits value) {
        if (bits::is_counted(value)) {
            Value v = Value::adopt(value);
            freeze_value(v);
            value = v.give_up();
        }
        auto [it, added] = constant_index_.try_emplace(value, static_cast<std::uint32_t>(proto_.constants.size()));
        if (added) proto_.constants.push_back(value);
        if (it->second > 0xFFFF) failed_ = true;
        return it->second & 0xFFFF;
    }
    std::uint32_t text_constant(ObjectType type, std::string_view text) {
        auto [it, added] = text_index_.try_emplace(std::string(1, static_cast<char>(type)) + std::string(text), 0);
        if (added) {
            Result<Value> v =
                type == ObjectType::Var ? make_var(program_.heap, text) : make_string(program_.heap, text);
            if (!v.ok()) {
                failed_ = true;
                return 0;
            }
            Value value = std::move(v).value();
            it->second = constant(value.give_up());
        }
        return it->second;
    }
    std::uint32_t cache_number() { return next_cache_++; }

    FunctionProto& proto_;
    Program& program_;
    std::int64_t cost_ = 0; ///< of the dearest path from the last charge to here
    bool failed_ = false;   ///< too many constants, or no memory for them

private:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    std::uint32_t last_ = kNone;       ///< the last instruction, unless a jump leads behind it
    std::uint32_t last_label_ = kNone; ///< where the last label is
    std::unordered_map<Bits, std::uint32_t> constant_index_;
    std::unordered_map<std::string, std::uint32_t> text_index_;
    std::uint32_t& next_cache_;
};

} // namespace ptc
