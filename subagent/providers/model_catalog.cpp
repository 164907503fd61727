// Models by names: rows of builtin_models.def, and over them those of a file. A specification is split at its first
// colon; one that names a provider gets the prices of the entry with the same model, or of the model that it is a
// release of.
#include "frontend/quoted.h"
#include "frontend/suggest.h"
#include "frontend/try.h"
#include "subagent/engine/invalid_request.h"
#include "subagent/providers/wire.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::string_view kAlias = "model:";

constexpr ModelInputs kImagesAndFiles{.images = true, .files = true};

struct BuiltinModel {
    const char* name;
    const char* provider;
    const char* model;
    ModelInputs takes;
    ModelPrices prices;
};

std::vector<BuiltinModel> builtin_models() {
#define PTC_PRICES(in, out, read, write, date)                                                                         \
    ModelPrices { TokenPrices{in, out, read, write}, 0, std::nullopt, date }
#define PTC_PRICES_ABOVE(in, out, read, write, date, tokens, in2, out2, read2, write2)                                 \
    ModelPrices { TokenPrices{in, out, read, write}, tokens, TokenPrices{in2, out2, read2, write2}, date }
#define PTC_MODEL(name, provider, model, takes, ...) {name, provider, model, takes, __VA_ARGS__},
    return {
#include "subagent/providers/builtin_models.def"
    };
#undef PTC_MODEL
#undef PTC_PRICES_ABOVE
#undef PTC_PRICES
}

// ---- The file

/// Members of an entry, each read by a function that says false when it is something else.
class EntryReader {
public:
    EntryReader(std::string where, const Datum& object) : where_(std::move(where)), object_(object) {}

    EntryReader& text(std::string_view name, std::string& out) {
        return read(name, "a text", [&](const Datum& value) {
            if (value.text()) out = *value.text();
            return value.text() != nullptr;
        });
    }
    EntryReader& count(std::string_view name, std::optional<std::int64_t>& out) {
        return read(name, "a positive integer", [&](const Datum& value) {
            std::int64_t number = 0;
            if (!value.to_int64(&number) || number <= 0) return false;
            out = number;
            return true;
        });
    }
    EntryReader& number(std::string_view name, std::optional<double>& out) {
        return read(name, "a number that is not negative", [&](const Datum& value) {
            double number = 0;
            if (!value.to_double(&number) || !(number >= 0 && number < 1e12)) return false;
            out = number;
            return true;
        });
    }
    EntryReader& map(std::string_view name, Datum& out) {
        return read(name, "an object", [&](const Datum& value) {
            if (value.map()) out = value;
            return value.map() != nullptr;
        });
    }
    EntryReader& inputs(std::string_view name, std::optional<ModelInputs>& out) {
        return read(name, "a list of `image` and `file`", [&](const Datum& value) {
            if (!value.list()) return false;
            out.emplace();
            for (const Datum& item : *value.list()) {
                const bool is_image = item == Datum("image");
                if (!is_image && !(item == Datum("file"))) return false;
                (is_image ? out->images : out->files) = true;
            }
            return true;
        });
    }
    /// The first thing that is wrong, also a member that nothing has read.
    Result<void> finish() {
        for (const auto& [key, value] : *object_.map()) {
            if (problem_.empty() && std::ranges::find(known_, *key.text()) == known_.end())
                problem_ = where_ + " has no member `" + *key.text() + "`" +
                           (key.text()->find("key") == std::string::npos ? "." : ": keys belong into the environment.");
        }
        if (!problem_.empty()) return invalid_request(problem_);
        return {};
    }

private:
    template <class Read> EntryReader& read(std::string_view name, const char* what, Read read_value) {
        known_.emplace_back(name);
        const Datum* value = object_.find(name);
        if (value && !value->is_nil() && !read_value(*value) && problem_.empty())
            problem_ = where_ + ": `" + std::string(name) + "` is not " + what + ".";
        return *this;
    }
    std::string where_;
    const Datum& object_;
    std::vector<std::string> known_;
    std::string problem_;
};

Result<TokenPrices> token_prices(const std::optional<double>& input, const std::optional<double>& output,
                                 const TokenPrices& caches, const std::string& where) {
    if (!input || !output) return invalid_request(where + " needs `input` and `output`.");
    return TokenPrices{*input, *output, caches.cache_read, caches.cache_write};
}

Result<ModelPrices> read_prices(const std::string& where, const Datum& json) {
    ModelPrices prices;
    std::optional<double> input;
    std::optional<double> output;
    std::optional<std::int64_t> long_prompt;
    TokenPrices caches;
    Datum above;
    PTC_CHECK(EntryReader(where, json)
                  .number("input", input)
                  .number("output", output)
                  .number("cache_read", caches.cache_read)
                  .number("cache_write", caches.cache_write)
                  .count("long_prompt", long_prompt)
                  .map("above", above)
                  .text("as_of", prices.as_of)
                  .finish());
    prices.usual = PTC_TRY(token_prices(input, output, caches, where));
    if (long_prompt.has_value() != (above.map() != nullptr))
        return invalid_request(where +
                               ": `long_prompt`, a number of tokens, and `above`, the prices then, belong together.");
    if (!long_prompt) return prices;
    prices.long_prompt = *long_prompt;
    std::optional<double> input_above;
    std::optional<double> output_above;
    TokenPrices caches_above;
    PTC_CHECK(EntryReader(where + ", above", above)
                  .number("input", input_above)
                  .number("output", output_above)
                  .number("cache_read", caches_above.cache_read)
                  .number("cache_write", caches_above.cache_write)
                  .finish());
    prices.above = PTC_TRY(token_prices(input_above, output_above, caches_above, where + ", above,"));
    return prices;
}

Result<ProviderOptions> read_entry(const std::string& name, const Datum& json) {
    const std::string where = "The model `" + name + "`";
    if (!json.map()) return invalid_request(where + " is not an object.");
    ProviderOptions options;
    std::string provider;
    Datum prices;
    std::optional<std::int64_t> timeout;
    PTC_CHECK(EntryReader(where, json)
                  .text("provider", provider)
                  .text("model", options.model)
                  .text("base_url", options.base_url)
                  .text("key_variable", options.key_variable)
                  .text("ca_file", options.ca_file)
                  .count("max_tokens", options.max_tokens)
                  .number("temperature", options.temperature)
                  .count("timeout_ms", timeout)
                  .map("options", options.options)
                  .inputs("takes", options.takes)
                  .map("prices", prices)
                  .finish());
    if (!find_provider_row(provider))
        return invalid_request(where + " has no known `provider`, but `" + provider + "`.");
    if (options.model.empty()) return invalid_request(where + " has no `model`.");
    options.provider = provider;
    if (timeout) options.timeout = std::chrono::milliseconds(std::min(*timeout, std::int64_t{1} << 40));
    if (prices.map()) options.prices = PTC_TRY(read_prices(where + ", prices,", prices));
    return options;
}

/// "openai:gpt-x" as the row and the model; null when no provider is named so.
std::pair<const ProviderRow*, std::string_view> provider_and_model(std::string_view spec) {
    const std::size_t colon = spec.find(':');
    if (colon == std::string_view::npos) return {nullptr, {}};
    return {find_provider_row(spec.substr(0, colon)), spec.substr(colon + 1)};
}

/// "-2026-09-22", "-20260922" or "-latest" at the end of an id: a release of the model that is named before it.
std::string_view without_release(std::string_view model) {
    for (const std::string_view form :
         {std::string_view("-####-##-##"), std::string_view("-########"), std::string_view("-latest")}) {
        const auto fits = [](char given, char wanted) {
            return wanted == '#' ? given >= '0' && given <= '9' : given == wanted;
        };
        if (model.size() <= form.size()) continue;
        const std::string_view end = model.substr(model.size() - form.size());
        if (std::ranges::equal(end, form, fits)) return model.substr(0, model.size() - form.size());
    }
    return model;
}

} // namespace

const ModelCatalog& ModelCatalog::builtin() {
    static const ModelCatalog catalog = [] {
        ModelCatalog made;
        for (const BuiltinModel& row : builtin_models()) {
            ProviderOptions options;
            options.provider = row.provider;
            options.model = row.model;
            options.takes = row.takes;
            options.prices = row.prices;
            made.models_.emplace(row.name, std::move(options));
        }
        return made;
    }();
    return catalog;
}

Result<ModelCatalog> ModelCatalog::from_json(std::string_view json) {
    const Datum read = PTC_TRY(Datum::from_json(json));
    if (!read.map()) return invalid_request("A catalogue of models is a JSON object.");
    ModelCatalog catalog = builtin();
    for (const auto& [key, value] : *read.map()) {
        const std::string& name = *key.text();
        if (name.empty() || name.find(':') != std::string::npos)
            return invalid_request(quoted(name) + " is no name of a model: it is empty, or has a colon.");
        catalog.models_.insert_or_assign(name, PTC_TRY(read_entry(name, value)));
    }
    return catalog;
}

bool ModelCatalog::is_spec(std::string_view spec) const {
    return spec.starts_with(kAlias) || provider_and_model(spec).first || models_.contains(spec);
}

Result<ProviderOptions> ModelCatalog::find(std::string_view spec) const {
    const auto [row, model] = provider_and_model(spec);
    if (row) {
        ProviderOptions options;
        options.provider = row->name;
        options.model = model;
        for (const std::string_view name : {std::string_view(options.model), without_release(options.model)}) {
            for (const auto& [alias, entry] : models_) {
                if (entry.provider != options.provider || entry.model != name) continue;
                if (!options.prices) options.prices = entry.prices;
                if (!options.takes) options.takes = entry.takes;
            }
        }
        return options;
    }
    const std::string_view name = spec.starts_with(kAlias) ? spec.substr(kAlias.size()) : spec;
    if (const auto found = models_.find(name); found != models_.end()) return found->second;
    const std::vector<std::string> known = names();
    const std::vector<std::string_view> candidates(known.begin(), known.end());
    const std::string hint = did_you_mean(suggest(name, candidates));
    return invalid_request("There is no model `" + std::string(name) + "`." + (hint.empty() ? "" : " " + hint));
}

Result<Llm> ModelCatalog::llm(std::string_view spec, const Environment& environment) const {
    return provider_llm(PTC_TRY(find(spec)), environment);
}

std::vector<std::string> ModelCatalog::names() const {
    std::vector<std::string> out;
    for (const auto& [name, options] : models_)
        out.push_back(name);
    return out;
}

} // namespace ptc
