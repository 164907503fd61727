// Values of data sets as prompts look at them: the first few of a hundred thousand rows, with the number of all.
#pragma once
#include "ptc/agent.h"
#include "ptc/data_set.h"
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

namespace ptc {

/// How long lists, maps, sets and texts really are that stand in a Datum in part; by their addresses.
using FullSizes = std::unordered_map<const void*, std::size_t>;

/// The full size of a part of a value; `sizes` may be null.
template <class Part> std::size_t full_size(const FullSizes* sizes, const Part& part) {
    if (!sizes) return part.size();
    const auto found = sizes->find(&part);
    return found == sizes->end() ? part.size() : found->second;
}

/// Neither moves nor changes.
struct Excerpt {
    Datum value;
    FullSizes sizes;
};
using Excerpts = std::map<std::string, Excerpt, std::less<>>;

/// By name, as much of each value as a preview within `limit` and the search for its type look at. Made once for all
/// missions with the same limit.
std::shared_ptr<const Excerpts> excerpts_of(const DataSet& set, const PromptLimit& limit);

} // namespace ptc
