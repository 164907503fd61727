#include "runtime/builtins/arguments.h"
#include "frontend/try.h"
#include "runtime/access.h"
#include "runtime/number.h"
#include <cmath>

namespace ptc {
namespace {

bool is_swapped(Args args, std::size_t position) {
    if (args.size() != 2) return false;
    const Value& wrong = args[position - 1];
    const Value& other = args[2 - position];
    return wrong.is_number() ? is_seqable(other) && !other.is_nil() : is_seqable(wrong) && other.is_number();
}

Result<void> charge_conversion(Call& call, const Value& seqable) {
    if (seqable.is_vector()) return {};
    return charge(call, PTC_TRY(seq_count(call.heap, seqable, call.who())));
}

} // namespace

Error argument_error(const Call& call, Args args, std::size_t position, const char* expected) {
    Error error = wrong_type(call.who(), expected, args[position - 1], static_cast<int>(position));
    if (!is_swapped(args, position)) return error;
    return std::move(error).with_hint(std::string("The arguments seem to be swapped: write `") + call.self.usage +
                                      "`.");
}

Result<std::int64_t> count_argument(const Call& call, Args args, std::size_t position) {
    const Value& argument = args[position - 1];
    if (argument.is_double()) return nearest_int64(std::ceil(argument.as_double()));
    return index_argument(call, args, position);
}

Result<std::int64_t> index_argument(const Call& call, Args args, std::size_t position) {
    const Value& argument = args[position - 1];
    if (argument.is_small_integer()) [[likely]]
        return argument.small_integer();
    if (!argument.is_number()) return argument_error(call, args, position, "a number");
    return index_of_number(argument);
}

Result<std::int64_t> bits_argument(const Call& call, Args args, std::size_t position) {
    const Value& argument = args[position - 1];
    std::int64_t bits = 0;
    if (!argument.is_integer() || !fits_int64(argument, &bits)) {
        return argument_error(call, args, position, "an integer of at most 64 bits");
    }
    return bits;
}

Result<Value> sequence_argument(Call& call, Args args, std::size_t position) {
    Value& argument = args[position - 1];
    if (argument.is_vector()) [[likely]]
        return std::move(argument);
    if (!is_seqable(argument)) return argument_error(call, args, position, "a collection");
    PTC_CHECK(charge_conversion(call, argument));
    return to_vector(call.heap, std::move(argument), call.who());
}

Result<Value> positions_argument(Call& call, Args args, std::size_t position) {
    Value& argument = args[position - 1];
    if (argument.is_vector()) [[likely]]
        return std::move(argument);
    if (!is_seqable(argument)) return argument_error(call, args, position, "a vector or string");
    if (argument.is_string()) PTC_CHECK(charge_conversion(call, argument)); // maps and sets: to_positions does
    return to_positions(call.heap, std::move(argument), call.who());
}

Result<Value> slice(Call& call, const Value& vector, std::size_t start, std::size_t end) {
    return vector_slice(call.heap, vector.copy(), start, end);
}

Result<Value> to_flat(Call& call, Value vector) {
    if (vector_data_or_null(vector)) return vector;
    VectorReader reader(vector);
    VectorBuilder flat(call.heap);
    if (!flat.reserve(reader.size())) return flat.finish();
    for (std::size_t i = 0; i < reader.size(); ++i) {
        PTC_CHECK(charge(call, 1));
        if (!flat.push(reader.at(i))) break;
    }
    return flat.finish();
}

Result<Value> pair_of(Heap& heap, Value first, Value second) {
    Value items[] = {std::move(first), std::move(second)};
    return make_vector(heap, items);
}

} // namespace ptc
