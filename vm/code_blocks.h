// A function's code as blocks that control enters at the first instruction only, and the bound on unpaid work, which is
// found on them. Linear in the code, in time and in memory.
#pragma once
#include "ptc/result.h"
#include "runtime/meter.h"
#include "vm/program.h"
#include <functional>
#include <vector>

namespace ptc {

/// Instructions up to a branch, an end or the place that a branch leads to.
struct CodeBlock {
    std::uint32_t begin = 0;
    std::uint32_t last = 0; ///< its last instruction
    std::uint32_t next = 0; ///< blocks; CodeBlocks::kNone where control does not go on so
    std::uint32_t jump = 0;
};

class CodeBlocks {
public:
    static constexpr std::uint32_t kNone = UINT32_MAX;

    CodeBlocks() = default;
    /// `starts` has the words at which instructions start; every jump leads to one of them.
    CodeBlocks(const FunctionProto& proto, const std::vector<bool>& starts);

    [[nodiscard]] std::size_t size() const { return blocks_.size(); }
    [[nodiscard]] const CodeBlock& operator[](std::size_t i) const { return blocks_[i]; } ///< [0] is the entry
    [[nodiscard]] const FunctionProto& proto() const { return *proto_; }
    /// The blocks that control can reach, each in front of those that it leads to unless they lead back to it.
    [[nodiscard]] std::vector<std::uint32_t> in_order() const;

private:
    const FunctionProto* proto_ = nullptr;
    std::vector<CodeBlock> blocks_;
};

/// Whether no way through the code has more than `most` instructions beyond those that its charges pay for, each unit
/// of fuel so many. `refuse` makes the error for a word in front of which there may be more.
Result<void> bound_work(const CodeBlocks& blocks, std::int64_t instructions_per_fuel, std::int64_t most, Meter& meter,
                        const std::function<Error(std::size_t at)>& refuse);

} // namespace ptc
