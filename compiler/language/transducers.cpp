#include "compiler/language/transducers.h"
#include <algorithm>
#include <iterator>

namespace ptc {
namespace {

constexpr TransducerName kNames[] = {
    {"cat", Transducer::Cat, 1},
    {"dedupe", Transducer::Dedupe, 0},
    {"distinct", Transducer::Distinct, 0},
    {"drop", Transducer::Drop, 1},
    {"drop-while", Transducer::DropWhile, 1},
    {"filter", Transducer::Filter, 1},
    {"interpose", Transducer::Interpose, 1},
    {"keep", Transducer::Keep, 1},
    {"keep-indexed", Transducer::KeepIndexed, 1},
    {"map", Transducer::Map, 1},
    {"map-indexed", Transducer::MapIndexed, 1},
    {"mapcat", Transducer::Mapcat, 1},
    {"partition-all", Transducer::PartitionAll, 1},
    {"partition-by", Transducer::PartitionBy, 1},
    {"remove", Transducer::Remove, 1},
    {"replace", Transducer::Replace, 1},
    {"take", Transducer::Take, 1},
    {"take-nth", Transducer::TakeNth, 1},
    {"take-while", Transducer::TakeWhile, 1},
};

} // namespace

const TransducerName* find_transducer(std::string_view name) {
    const auto found =
        std::find_if(std::begin(kNames), std::end(kNames), [&](const TransducerName& t) { return t.name == name; });
    return found == std::end(kNames) ? nullptr : found;
}

} // namespace ptc
