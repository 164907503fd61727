// The search for a bound of fuel: a walk over a program's code with abstract values in its registers (fuel_bound.h).
// The state of a path is its registers and its cost; calls nest on a stack of activations. What cannot be bounded ends
// the search with the reason and its place in the program. fuel_search.cpp has paths, fuel_calls.cpp calls,
// fuel_steps.cpp instructions.
#pragma once
#include "compiler/bounds/abstract_tests.h"
#include "compiler/bounds/fuel_bound.h"
#include "compiler/bounds/native_bounds.h"
#include <deque>
#include <map>
#include <unordered_map>

namespace ptc {

inline constexpr double kMaxFuelBound = 1e12; ///< larger ones are of no use

/// What a path has come to.
struct FuelState {
    std::vector<AbstractValue> registers;
    double cost = 0;
};

/// Where a call stands, goes on, and leaves its result.
struct CodeSite {
    std::uint32_t at = 0, next = 0, window = 0;
};

/// A call under way.
struct Activation {
    const FunctionProto* proto = nullptr;
    AbstractValue self;
    std::map<std::uint32_t, FuelState> waiting;                 ///< by the address where they go on
    std::map<std::uint32_t, std::vector<AbstractValue>> rounds; ///< registers when a loop was last gone round
    std::optional<AbstractValue> result;
    double result_cost = 0;
    FuelState caller; ///< goes on at `site` with the result
    CodeSite site;
};

/// One search, on one thread. Owns its states; borrows the program, which outlives it. Members that continue a path
/// take its state; those that end the search leave `stopped_` set.
class FuelSearch {
public:
    FuelSearch(const Program& program, std::span<const KnownData> data, std::size_t max_steps);

    FuelBound run();

private:
    // ---- Paths

    void wait(Activation& call, std::uint32_t at, FuelState state);

    /// Goes on at `target` as well; on the way back, only if something has changed since the last time.
    void jump(Activation& call, std::uint32_t from, std::uint32_t target, FuelState state);

    void fork(Activation& call, std::uint32_t from, Tristate truth, std::uint32_t target, std::uint32_t next,
              FuelState state, double jump_cost = 0);

    void follow(Activation& call, std::uint32_t at, FuelState state);

    void end(Activation& call, std::uint32_t at, const Word* ip, FuelState& state);

    void leave();

    void branch(Activation& call, std::uint32_t at, std::uint32_t next, const Word* ip, FuelState state);

    void iterate(Activation& call, std::uint32_t at, std::uint32_t next, std::uint32_t target, Word w, FuelState state);

    // ---- Calls

    void enter(const FunctionProto* proto, AbstractValue self, std::vector<AbstractValue> arguments, FuelState caller,
               CodeSite site);

    void start_call(Activation& call, std::uint32_t at, std::uint32_t next, const Word* ip, FuelState state);

    void call_value(CodeSite site, const AbstractValue& callee, std::vector<AbstractValue> arguments, FuelState state);

    /// A path on which the run fails for certain: nothing more is used on it.
    void failed(const FuelState& state);

    void call_builtin(CodeSite site, std::uint32_t index, std::span<const AbstractValue> arguments, FuelState state);

    /// Keywords, maps, sets and vectors as functions.
    void call_key(CodeSite site, const AbstractValue& callee, std::span<const AbstractValue> arguments,
                  FuelState state);

    void apply(CodeSite site, const AbstractValue& callee, std::vector<AbstractValue> arguments, FuelState state);

    /// With the fewest and the most arguments, and one more and one less: signs of products alternate.
    void apply_builtin(CodeSite site, std::uint32_t index, std::vector<AbstractValue> arguments,
                       const AbstractValue& spread, FuelState state);

    // ---- Single instructions

    /// Charges the work of the builtin, not the call; false when that ended the search.
    bool run_native(std::uint32_t at, std::uint32_t index, std::span<const AbstractValue> arguments, double& cost,
                    AbstractValue& result);

    void native_step(std::uint32_t at, std::string_view name, std::span<const AbstractValue> arguments,
                     FuelState& state, std::uint32_t result_register);

    void step(Activation& call, std::uint32_t at, const Word* ip, FuelState& state);

    void collection_step(Activation& call, std::uint32_t at, const Word* ip, FuelState& state);

    void take_apart(std::uint32_t at, AbstractValue whole, std::uint32_t part, FuelState& state, std::uint32_t result);
    void builtin_step(Activation& call, std::uint32_t at, const Word* ip, FuelState& state);
    std::vector<AbstractValue> operands_of(const Activation& call, const Word* ip, const FuelState& state);

    void make_record(std::uint32_t window, std::uint32_t count, FuelState& state, AbstractValue key);

    void calculate(std::uint32_t at, NativeBound result, FuelState& state, std::uint32_t result_register);

    // ---- Operands

    AbstractValue constant(const Activation& call, std::uint32_t index);
    static std::string constant_text(const Activation& call, std::uint32_t index);
    static AbstractValue constant_keys(const Activation& call, std::uint32_t index);
    AbstractValue right_operand(const Activation& call, const FuelState& state, Word w);

    // ---- Names

    void count_definitions(const FunctionProto& proto);

    /// Definitions are followed before what can read them; a name that is defined again may have either value.
    void define(const std::string& name, const AbstractValue& value);
    AbstractValue global(const std::string& name);
    AbstractValue data(const std::string& name);

    std::uint16_t origin(const std::string& what);

    // ---- Giving up

    /// The place in the program that is behind what happens at `at` of the innermost call.
    [[nodiscard]] Span span_at(std::uint32_t at) const;
    void stop(std::uint32_t at, std::string why);
    /// What the program calls at this place: `filter`, though the compiler put other calls there.
    [[nodiscard]] std::string caller_name(std::uint32_t at, std::string_view fallback) const;
    void stop_at_size(std::uint32_t at, const std::string& what, const AbstractValue& value);
    void stop_at_cost(std::uint32_t at, const Word* ip);
    /// At one that the search does not know.
    void stop_at_instruction(std::uint32_t at, const Word* ip);
    void stop_following(std::uint32_t at);

    const Program& program_;
    std::unordered_map<std::string, AbstractValue> data_;
    std::unordered_map<std::string, AbstractValue> globals_;
    std::unordered_map<std::string, int> definitions_;
    std::unordered_map<Bits, AbstractValue> constants_;
    std::vector<std::string> origins_;
    std::unordered_map<std::string, std::uint16_t> origin_numbers_;
    std::deque<Activation> calls_;
    std::size_t max_steps_;
    std::size_t steps_ = 0;
    double total_ = 0;
    Span loop_span_;
    std::optional<FuelBound> stopped_;
};

} // namespace ptc
