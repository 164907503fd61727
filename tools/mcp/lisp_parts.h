// The parts of what `ptcc mcp` offers, for lisp_offer.cpp, which puts them together.
#pragma once
#include "subagent/engine/known_data.h"
#include "tools/mcp/lisp_offer.h"

namespace ptc::mcp {

inline constexpr std::size_t kShownNames = 40; ///< of tools and of data, in a description
inline constexpr std::string_view kToolsUri = "ptc://tools";

// What programs have (lisp_texts.cpp)

struct DataText {
    std::string name;
    std::string type;
    std::shared_ptr<const DataSet> set;
};
std::vector<DataText> described(const std::vector<std::shared_ptr<const DataSet>>& data);
/// Names and types, of at most `most`.
std::string data_text(const std::vector<DataText>& data, std::size_t most);
/// Of the first tools, for a description: of bounded size, however many there are and whatever they say.
std::string tools_text(const LispHost& host);
/// The same of all tools: those for which there is no room by name, or counted.
std::string all_tools_text(const LispHost& host);
/// One in full; "" when there is none of that name.
std::string tool_page(const LispHost& host, std::string_view name);

// Tools (lisp_eval.cpp, lisp_tools.cpp, lisp_reference.cpp)

/// `context` of a call's arguments: null when there is none.
Result<std::shared_ptr<const DataSet>> context_of(const Datum& arguments);
/// `session` of a call's arguments: "" when there is none, "new", or a handle.
Result<std::string> session_of(const Datum& arguments);

Answer structured(const std::string& text, const std::string& json, bool is_error = false);
std::vector<OfferedTool> offered_tools(const std::shared_ptr<LispHost>& host, const std::vector<DataText>& data);
/// The tool `lisp_reference`.
Answer look_up(const LispHost& host, Call& call);

// Resources and prompts (lisp_resources.cpp)

std::vector<OfferedResource> offered_resources(const std::shared_ptr<LispHost>& host,
                                               const std::vector<DataText>& data);
std::vector<OfferedTemplate> offered_templates(const std::shared_ptr<LispHost>& host);
OfferedPrompt solve_prompt(const std::shared_ptr<LispHost>& host, const std::vector<DataText>& data);
/// Names of the language, for the template of their pages.
Answer complete(const LispHost& host, Call& call);

} // namespace ptc::mcp
