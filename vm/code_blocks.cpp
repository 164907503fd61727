// Blocks of code, and how much work no fuel pays for.
//
// There is a potential that grows by each instruction and falls by what it charges; at a place it is the most on any
// way from the entry, and code in which it stays below what entering costs does no work for nothing, as going in a
// circle never gains. It is found by going through the blocks in an order in which only loops lead back. Where each
// loop is entered at its head, which is all that the compiler makes, what is carried back changes nothing unless a
// round gains: one pass finds the potential, and the next one that it stays. Loops that are entered at several places
// may take a few passes more; code that needs many is refused.
#include "vm/code_blocks.h"
#include "vm/ownership.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr int kMaxPasses = 16;
/// Credit beyond this makes no difference: less than so many instructions can stand behind each other.
constexpr std::int64_t kMostCredit = std::int64_t{1} << 30;

/// What a block adds to the potential.
struct BlockWork {
    std::int32_t peak = 0;  ///< the most inside of it
    std::int32_t going = 0; ///< for the one behind it, before what a branch charges
    std::int32_t potential = INT32_MIN;
    std::uint32_t place = 0; ///< in the order of the passes
};

std::int32_t with_limited_credit(std::int64_t potential) {
    return static_cast<std::int32_t>(std::max(potential, -kMostCredit));
}

} // namespace

CodeBlocks::CodeBlocks(const FunctionProto& proto, const std::vector<bool>& starts) : proto_(&proto) {
    const std::size_t size = proto.code.size();
    std::vector<bool> leads(size + 1, false);
    leads[0] = true;
    for (std::uint32_t at = 0; at < size; ++at) {
        if (!starts[at]) continue;
        const OpInfo& info = op_info(word_op(proto.code[at]));
        if (!info.has(kBranch | kEnd)) continue;
        leads[std::min<std::size_t>(at + info.words(), size)] = true;
        if (info.has(kBranch)) leads[successors(proto, at).jump] = true;
    }
    blocks_.reserve(static_cast<std::size_t>(std::count(leads.begin(), leads.end() - 1, true)));
    for (std::uint32_t at = 0; at < size; ++at) {
        if (!starts[at]) continue;
        if (leads[at]) blocks_.push_back({at, at, kNone, kNone});
        blocks_.back().last = at;
    }
    const auto block_at = [&](std::uint32_t word) {
        if (word >= size) return kNone;
        const auto found = std::ranges::lower_bound(blocks_, word, {}, &CodeBlock::begin);
        return static_cast<std::uint32_t>(found - blocks_.begin());
    };
    for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
        const Successors s = successors(proto, blocks_[i].last);
        if (s.jump != UINT32_MAX) blocks_[i].jump = block_at(s.jump);
        if (s.next != UINT32_MAX && i + 1 < blocks_.size()) blocks_[i].next = i + 1;
    }
}

std::vector<std::uint32_t> CodeBlocks::in_order() const {
    enum : std::uint8_t { New, Entered, JumpSeen };
    std::vector<std::uint8_t> state(blocks_.size(), New);
    std::vector<std::uint32_t> order, open;
    const auto enter = [&](std::uint32_t block) {
        if (block == kNone || state[block] != New) return;
        state[block] = Entered;
        open.push_back(block);
    };
    enter(0);
    while (!open.empty()) {
        const std::uint32_t block = open.back();
        const std::size_t depth = open.size();
        if (state[block] == Entered) {
            state[block] = JumpSeen;
            enter(blocks_[block].jump);
            if (open.size() == depth) enter(blocks_[block].next);
        } else {
            enter(blocks_[block].next);
        }
        if (open.size() != depth) continue;
        order.push_back(block);
        open.pop_back();
    }
    std::ranges::reverse(order);
    return order;
}

namespace {

BlockWork work_of(const FunctionProto& proto, const CodeBlock& block, std::int64_t instructions_per_fuel) {
    BlockWork work;
    std::int64_t potential = 0;
    for (std::uint32_t at = block.begin;; at += op_info(word_op(proto.code[at])).words()) {
        const Word w = proto.code[at];
        work.peak = std::max(work.peak, static_cast<std::int32_t>(++potential));
        if (at != block.last || !op_info(word_op(w)).has(kBranch))
            potential -= std::int64_t{charge_of(w)} * instructions_per_fuel;
        potential = with_limited_credit(potential);
        if (at == block.last) break;
    }
    work.going = static_cast<std::int32_t>(potential);
    return work;
}

} // namespace

Result<void> bound_work(const CodeBlocks& blocks, std::int64_t instructions_per_fuel, std::int64_t most, Meter& meter,
                        const std::function<Error(std::size_t at)>& refuse) {
    const FunctionProto& proto = blocks.proto();
    if (!meter.charge(static_cast<std::int64_t>(blocks.size()))) return meter.error();
    std::vector<BlockWork> work(blocks.size());
    const std::vector<std::uint32_t> order = blocks.in_order();
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        if (!meter.charge(1 + (blocks[order[i]].last - blocks[order[i]].begin))) return meter.error();
        work[order[i]] = work_of(proto, blocks[order[i]], instructions_per_fuel);
        work[order[i]].place = i;
    }
    work[0].potential = 0;
    for (int pass = 0; pass < kMaxPasses; ++pass) {
        if (!meter.charge(static_cast<std::int64_t>(order.size()))) return meter.error();
        bool is_settled = true;
        for (const std::uint32_t i : order) {
            const BlockWork& here = work[i];
            const CodeBlock& block = blocks[i];
            if (std::int64_t{here.potential} + here.peak > most) return refuse(block.begin);
            const std::int64_t after = std::int64_t{here.potential} + here.going;
            const auto raise = [&](std::uint32_t to, std::int64_t by) {
                if (to == CodeBlocks::kNone || work[to].potential >= by) return;
                work[to].potential = with_limited_credit(by);
                is_settled = is_settled && work[to].place > here.place;
            };
            raise(block.next, after);
            if (block.jump != CodeBlocks::kNone)
                raise(block.jump, after - std::int64_t{charge_of(proto.code[block.last])} * instructions_per_fuel);
        }
        if (is_settled) return {};
    }
    return refuse(0);
}

} // namespace ptc
