#include "subagent/store/pq_library.h"
#include <dlfcn.h>

namespace ptc {
namespace {

struct Loaded {
    PqLibrary functions;
    std::string problem;
};

template <class Function> bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr;
}

Loaded load() {
    Loaded loaded;
    void* library = ::dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        loaded.problem = std::string("A store on PostgreSQL needs libpq, which cannot be loaded: ") + ::dlerror() + ".";
        return loaded;
    }
    bool is_whole = true;
#define PTC_PQ_FIND(name) is_whole = find(library, "PQ" #name, loaded.functions.name) && is_whole;
    PTC_PQ_FUNCTIONS(PTC_PQ_FIND)
#undef PTC_PQ_FIND
    if (!is_whole) loaded.problem = "A store on PostgreSQL needs libpq, and this one lacks functions.";
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
