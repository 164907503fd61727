#include "subagent/store/pq_library.h"
#include "subagent/providers/shared_library.h"

namespace ptc {
namespace {

struct Loaded {
    PqLibrary functions;
    std::string problem;
};

Loaded load() {
    Loaded loaded;
    std::string why;
    void* const library = load_library({"libpq.so.5"}, why);
    if (!library) {
        loaded.problem = "A store on PostgreSQL needs libpq, which cannot be loaded: " + why + ".";
        return loaded;
    }
    bool is_whole = true;
#define PTC_PQ_FIND(name) is_whole = find_function(library, "PQ" #name, loaded.functions.name) && is_whole;
    PTC_PQ_FUNCTIONS(PTC_PQ_FIND)
#undef PTC_PQ_FIND
    if (!is_whole) loaded.problem = "A store on PostgreSQL needs libpq 14 or later.";
    return loaded;
}

const Loaded& loaded_pq() {
    static const Loaded& loaded = *new Loaded(load()); // never destroyed: a host's last store may outlive statics
    return loaded;
}

} // namespace

const std::string& pq_problem() { return loaded_pq().problem; }
const PqLibrary& pq() { return loaded_pq().functions; }

} // namespace ptc
