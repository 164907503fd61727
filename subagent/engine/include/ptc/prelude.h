// Preludes: namespaces, written in PTC-Lisp, that a host adds to the language for all programs of an engine.
#pragma once
#include <string>
#include <vector>

namespace ptc {

/// The text of a prelude: (ns crm "doc") and below it def, defn and, for what programs shall not see, defn-.
struct PreludeSource {
    std::string file_name; ///< for messages
    std::string text;
};

/// A public definition of a prelude.
struct Export {
    std::string name;  ///< "crm/get-user"
    std::string usage; ///< "(crm/get-user id)"; the name itself for a constant
    std::string doc;
    bool is_function = false;
    bool in_prompt =
        true;           ///< the prompts of models list it; others are found with (ns-publics 'crm) and (apropos "text")
    std::string effect; ///< "read", "write" or "unknown"
    std::string provider;           ///< :provider-ref of its metadata
    std::vector<std::string> needs; ///< what it cannot do without: "tool:get_user", "upstream:crm/get_user"
};

struct ExportedNamespace {
    std::string name;
    std::string doc;
    std::vector<Export> exports; ///< by name
};

} // namespace ptc
