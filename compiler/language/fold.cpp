#include "compiler/language/fold.h"
#include "runtime/clock.h"
#include "runtime/freeze.h"
#include "runtime/silent_host.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include <array>

namespace ptc {
namespace {

constexpr std::size_t kMaxArguments = 8;
constexpr std::size_t kMaxTextBytes = 4096;
constexpr std::size_t kScratchBytes = 64 * 1024;
constexpr std::int64_t kScratchFuel = 20'000;
constexpr std::int64_t kScratchFuelInAll = 1'000'000;

} // namespace

struct Folder::Scratch {
    Heap heap;
    ShapeTable shapes{heap};
    SilentHost host;
};

Folder::Folder(Heap& constants) : constants_(constants) {}
Folder::~Folder() = default;

std::optional<Bits> Folder::call(const Builtin& builtin, std::span<const Bits> arguments) {
    if (builtin.effect != SideEffect::None || !builtin.call || arguments.size() > kMaxArguments ||
        used_ >= kScratchFuelInAll || constants_.meter.has_run_out())
        return std::nullopt;
    if (!scratch_) {
        scratch_ = std::make_unique<Scratch>();
        scratch_->heap.set_limit(kScratchBytes);
    }
    scratch_->heap.meter.start(kScratchFuel, Meter::Clock::time_point::max(), nullptr);
    std::array<Value, kMaxArguments> values;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        values[i] = Value::adopt(arguments[i]); // frozen: nothing to count
    Call call{scratch_->heap, scratch_->shapes, scratch_->host, builtin};
    Result<Value> result = builtin.call(call, Args(values.data(), arguments.size()));
    const std::int64_t work = scratch_->heap.meter.used() + builtin.cost;
    used_ += work;
    constants_.meter.charge_unchecked(work);
    if (!result.ok()) return std::nullopt;
    return keep(result.value());
}

/// `result` as a constant: what is counted belongs to the scratch heap and is made anew when it is a text.
std::optional<Bits> Folder::keep(const Value& result) {
    if (!result.is_counted()) {
        if (result.is_vector() && vector_ends(result) != 0) return std::nullopt; // program files know vectors alone
        return result.raw();
    }
    if (!result.is_string() && !result.is_keyword()) return std::nullopt;
    const std::string_view text = text_of(result);
    if (text.size() > kMaxTextBytes) return std::nullopt;
    Result<Value> made = result.is_string() ? make_string(constants_, text) : make_keyword(constants_, text);
    if (!made.ok()) return std::nullopt;
    freeze_value(made.value());
    return made.value().give_up();
}

} // namespace ptc
