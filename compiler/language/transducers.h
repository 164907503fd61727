// Which functions of the language make transducers when their collection is left out.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ptc {

enum class Transducer : std::uint8_t {
    Map,
    Filter,
    Remove,
    Keep,
    Mapcat,
    Cat,
    TakeWhile,
    DropWhile,
    MapIndexed,
    KeepIndexed,
    PartitionBy,
    Take, // from here on: no function
    PartitionAll,
    Drop,
    TakeNth,
    Interpose,
    Replace,
    Distinct,
    Dedupe,
};

struct TransducerName {
    std::string_view name;
    Transducer kind;
    std::size_t arguments; ///< of the call that gives the transducer; `cat` is one itself
};

/// Null: calls of `name` give none.
const TransducerName* find_transducer(std::string_view name);

/// Whether it may still hold items when the collection is at its end.
inline bool holds_items(Transducer kind) { return kind == Transducer::PartitionBy || kind == Transducer::PartitionAll; }

/// Whether what it is given is a function that it calls, not a number, separator or map.
inline bool takes_function(Transducer kind) { return kind < Transducer::Take && kind != Transducer::Cat; }

} // namespace ptc
