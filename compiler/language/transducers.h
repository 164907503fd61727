// The stages that transducers are made of; the rows are in transducers.def.
#pragma once
#include <cstdint>
#include <string_view>

namespace ptc {

enum class Transducer : std::uint8_t {
    None, ///< no function that makes a stage
#define PTC_TRANSDUCER(Name, word) Name,
#include "compiler/language/transducers.def"
#undef PTC_TRANSDUCER
};

/// Whether it may still hold items when the collection is at its end.
inline bool holds_items(Transducer kind) { return kind == Transducer::PartitionBy || kind == Transducer::PartitionAll; }

/// Whether what it is given is a function that it calls.
inline bool takes_function(Transducer kind) { return kind < Transducer::Cat; }

} // namespace ptc
