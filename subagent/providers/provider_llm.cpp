// A provider's model: address and key. What does not depend on the request is found and checked once, when the model is
// made, so that a wrong key variable or address fails before a mission starts. The key goes nowhere but into the
// header: messages do not show the address, which may have a password, and plain http to other machines is refused.
#include "frontend/try.h"
#include "subagent/agent/looped_model.h"
#include "subagent/engine/invalid_request.h"
#include "subagent/providers/provider_loop.h"
#include <algorithm>
#include <cstdlib>

namespace ptc {
namespace {

std::optional<std::string> process_variable(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
}

std::string value_of(const Environment& environment, std::string_view name) {
    if (name.empty()) return {};
    std::string value =
        (environment ? environment(std::string(name)) : process_variable(std::string(name))).value_or("");
    while (!value.empty() && (value.back() == '\n' || value.back() == '\r' || value.back() == ' '))
        value.pop_back();
    return value;
}

Result<void> find_address(ProviderClient& client, const Environment& environment) {
    const ProviderOptions& options = client.options;
    client.base_url = options.base_url;
    if (client.base_url.empty()) client.base_url = value_of(environment, client.row->base_url_variable);
    if (client.base_url.empty()) client.base_url = client.row->base_url;
    while (client.base_url.ends_with('/'))
        client.base_url.pop_back();
    const std::optional<HttpAddress> address = parse_address(client.base_url);
    // The address is not shown: a password may be in it.
    const std::string whose = "The address of the provider `" + options.provider + "`";
    if (!address || (address->scheme != "https" && address->scheme != "http") || address->host.empty())
        return invalid_request(whose + " is no http or https URL.");
    if (address->has_more) return invalid_request(whose + " has a user, a query or a fragment, which are not sent.");
    client.is_direct = address->is_this_machine();
    if (address->scheme == "http" && !client.is_direct && !options.allow_plain_http)
        return invalid_request(
            whose + " is plain http to another machine, where everybody on the way reads the key. Use https.");
    return {};
}

Result<void> find_key(ProviderClient& client, const Environment& environment) {
    const ProviderOptions& options = client.options;
    client.key = options.api_key;
    std::string variables = options.key_variable;
    if (client.key.empty() && !options.key_variable.empty()) client.key = value_of(environment, options.key_variable);
    if (client.key.empty() && options.key_variable.empty()) {
        for (const std::string_view variable : client.row->key_variables) {
            if (variable.empty()) continue;
            if (client.key.empty()) client.key = value_of(environment, variable);
            variables += (variables.empty() ? "" : " or ") + std::string(variable);
        }
    }
    if (client.key.empty() && !client.is_direct && !variables.empty())
        return invalid_request("The provider `" + options.provider + "` needs a key: set " + variables + ".");
    const bool is_text = std::ranges::all_of(client.key, [](char c) { return c > 0x20 && c < 0x7F; });
    if (!is_text)
        return invalid_request("The key of the provider `" + options.provider + "` has characters that no key has.");
    return {};
}

} // namespace

double ModelPrices::cost_usd(const TokenUsage& usage) const {
    const TokenPrices& prices = above && long_prompt > 0 && usage.input > long_prompt ? *above : usual;
    const auto read = std::min(usage.cache_read, usage.input);
    const auto written = std::min(usage.cache_creation, usage.input - read);
    const auto price = [](std::int64_t tokens, double dollars) { return static_cast<double>(tokens) * dollars / 1e6; };
    return price(usage.input - read - written, prices.input) + price(read, prices.cache_read.value_or(prices.input)) +
           price(written, prices.cache_write.value_or(prices.input)) + price(usage.output, prices.output);
}

Result<Llm> provider_llm(ProviderOptions options, const Environment& environment) {
    const ProviderRow* row = find_provider_row(options.provider);
    if (!row) return invalid_request("There is no provider `" + options.provider + "`.");
    if (options.model.empty())
        return invalid_request("The provider `" + options.provider + "` needs the name of a model.");
    if (!options.options.is_nil() && !options.options.map())
        return invalid_request("The options of a model are a map.");
    if (!http_problem().empty()) return invalid_request(http_problem());
    const auto client = std::make_shared<ProviderClient>();
    client->options = std::move(options);
    client->row = row;
    PTC_CHECK(find_address(*client, environment));
    PTC_CHECK(find_key(*client, environment));
    client->options.api_key.clear(); // one copy is enough
    return Llm(LoopedModel{.make_loop = ProviderLoopMaker{client}, .call = ProviderModel{client}});
}

} // namespace ptc
