// Names of tools as providers take them.
#pragma once
#include "ptc/llm.h"

namespace ptc {

/// Providers want names of letters, digits, `_` and `-`, at most 64, beginning with a letter or `_`. Other names are
/// given one, that is the same in each request, and back. Of the tools and the calls of one request.
class ToolNames {
public:
    explicit ToolNames(const LlmRequest& request);
    /// As the provider knows the tool.
    [[nodiscard]] std::string sent(const std::string& name) const;
    /// As the mission knows what the provider calls `name`; a name that was not sent stays as it is.
    [[nodiscard]] std::string received(const std::string& name) const;

private:
    void add(const std::string& name);
    std::map<std::string, std::string, std::less<>> sent_; ///< only those that differ
    std::map<std::string, std::string, std::less<>> received_;
};

/// `text` if only letters, digits, `_` and `-` are in it and it has at most 64; else such a text, which is another one
/// for another text. For ids of calls that another provider gave.
std::string plain_name(const std::string& text);

} // namespace ptc
