// Tools from C++ callables: the signature is deduced, arguments are decoded, the result is encoded.
//
//   struct Search { std::string query; std::optional<std::int64_t> limit; };
//   BOOST_DESCRIBE_STRUCT(Search, (), (query, limit))
//   ptc::tool("search", "Finds products.", [&](const Search& s) { return shop.find(s.query); })
//   ptc::tool("add", "Adds.", {"x", "y"}, [](std::int64_t x, std::int64_t y) { return x + y; })
//
// A last parameter `const ptc::ToolContext&` is no parameter of the tool: it says who calls (ptc/tool_context.h).
//
// Needs the headers of Boost.Describe.
#pragma once
#include "ptc/tool_primitive.h"
#include "ptc/typed.h"
#include <tuple>
#include <utility>

namespace ptc {

namespace typed {
/// @cond INTERNAL
template <class F> struct CallTraits : CallTraits<decltype(&F::operator())> {};
template <class R, class... A> struct CallTraits<R (*)(A...)> {
    using Return = R;
    using Arguments = std::tuple<std::remove_cvref_t<A>...>;
    static constexpr std::size_t arity = sizeof...(A);
};
template <class R, class... A> struct CallTraits<R (*)(A...) noexcept> : CallTraits<R (*)(A...)> {};
template <class C, class R, class... A> struct CallTraits<R (C::*)(A...)> : CallTraits<R (*)(A...)> {};
template <class C, class R, class... A> struct CallTraits<R (C::*)(A...) const> : CallTraits<R (*)(A...)> {};
template <class C, class R, class... A> struct CallTraits<R (C::*)(A...) noexcept> : CallTraits<R (*)(A...)> {};
template <class C, class R, class... A> struct CallTraits<R (C::*)(A...) const noexcept> : CallTraits<R (*)(A...)> {};
/// @endcond
template <class Tuple> constexpr bool ends_in_context() {
    if constexpr (std::tuple_size_v<Tuple> == 0)
        return false;
    else
        return std::same_as<std::tuple_element_t<std::tuple_size_v<Tuple> - 1, Tuple>, ToolContext>;
}
template <class Tuple, std::size_t... I>
std::tuple<std::tuple_element_t<I, Tuple>...> first_ones(std::index_sequence<I...>);

/// The parameters that a caller sees, and whether a ToolContext comes behind them.
template <class F> struct ToolParameters {
    using All = typename CallTraits<F>::Arguments;
    static constexpr bool has_context = ends_in_context<All>();
    static constexpr std::size_t count = std::tuple_size_v<All> - has_context;
    using Arguments = decltype(first_ones<All>(std::make_index_sequence<count>()));
};

template <class F>
concept Deducible = std::is_function_v<std::remove_pointer_t<std::remove_cvref_t<F>>> || requires {
    &std::remove_cvref_t<F>::operator();
};

template <class F> constexpr void require_deducible() {
    static_assert(Deducible<F>,
                  "ptc::tool: the parameters of this callable cannot be deduced: it is generic or overloaded. "
                  "Write their types, as in [](const Search& s) or [](std::int64_t x), or make a ptc::Tool with "
                  "a signature text and a function of const ptc::Datum&.");
}

template <class T> struct Unwrap { using Value = T; };
template <class T> struct Unwrap<Result<T>> { using Value = T; };

/// What a callable gave, or why it failed.
template <class T> Result<Datum> encode_result(T&& given) {
    using Given = std::remove_cvref_t<T>;
    if constexpr (!std::same_as<typename Unwrap<Given>::Value, Given>) {
        if (!given.ok()) return given.take_error();
        if constexpr (std::same_as<Given, Result<void>>)
            return Datum();
        else
            return encode(given.value());
    } else {
        return encode(given);
    }
}

template <class F, class... A> Result<Datum> call(F& function, A&&... arguments) {
    if constexpr (std::is_void_v<std::invoke_result_t<F&, A...>>) {
        function(std::forward<A>(arguments)...);
        return Datum();
    } else {
        return encode_result(function(std::forward<A>(arguments)...));
    }
}

/// `body` takes arguments and, if the callable does, a context.
template <class F, class Body> void set_function(Tool& tool, Body body) {
    if constexpr (ToolParameters<F>::has_context)
        tool.context_function = std::move(body);
    else
        tool.function = std::move(body);
}

/// Decodes the arguments called `names` in order and calls. The first that cannot be decoded is the error.
template <class Arguments, class F, class Names, std::size_t... I, class... Context>
Result<Datum> call_with_names(F& function, const Names& names, const Datum& given, std::index_sequence<I...>,
                              const Context&... context) {
    static const Datum kNil;
    const Path root;
    ErrorPtr error;
    Arguments arguments;
    const auto read = [&](auto& argument, const std::string& name) {
        if (error) return;
        const Datum* datum = given.find(name);
        auto decoded = decode<std::remove_reference_t<decltype(argument)>>(datum ? *datum : kNil, Path{&root, name});
        if (decoded.ok())
            argument = std::move(decoded).value();
        else
            error = decoded.take_error();
    };
    (read(std::get<I>(arguments), names[I]), ...);
    if (error) return error;
    return call(function, std::move(std::get<I>(arguments))..., context...);
}

template <auto Function> std::string qualified_name() {
    const std::string_view text = __PRETTY_FUNCTION__;
    const std::size_t begin = text.find("Function = ") + std::string_view("Function = ").size();
    return plain_function_name(text.substr(begin, text.find_first_of("];", begin) - begin));
}

template <auto Function>
inline constexpr std::size_t parameter_count = ToolParameters<std::remove_cvref_t<decltype(Function)>>::count;

/// As many texts as a callable has parameters. No array, which g++ 12 would make of `{.description = ".."}`.
template <std::size_t Count> struct Names {
    const char* all[Count];
    template <std::convertible_to<const char*>... Text>
    requires(sizeof...(Text) > 0) Names(Text... texts) : all{texts...} { // NOLINT: made of a list in braces
        static_assert(sizeof...(Text) == Count,
                      "ptc::tool: there must be one name for each parameter of the callable.");
    }
};

template <class R> Type return_type() { return type_of<typename Unwrap<std::remove_cvref_t<R>>::Value>(); }

} // namespace typed

/// A tool without parameters, or with one that is the whole argument map: a described struct, whose fields are the
/// parameters, or a Datum, a boost::json::value or a std::map, which take any arguments unchecked.
/// What the callable returns may be a Result.
template <class F> Tool tool(std::string name, std::string description, F function) {
    typed::require_deducible<F>();
    using Traits = typed::CallTraits<F>;
    using Parameters = typed::ToolParameters<F>;
    Tool made{.name = std::move(name), .description = std::move(description)};
    Signature signature{{}, typed::return_type<typename Traits::Return>()};
    if constexpr (Parameters::count == 0) {
        made.signature = signature_text(signature);
        typed::set_function<F>(made, [f = std::move(function)](const Datum&, const auto&... context) mutable {
            return typed::call(f, context...);
        });
    } else {
        using Argument = std::tuple_element_t<0, typename Parameters::Arguments>;
        constexpr bool is_whole = typed::Struct<Argument> || typed::IsTextMap<Argument>::value ||
                                  std::same_as<Argument, Datum> || typed::Json<Argument>;
        static_assert(
            Parameters::count == 1 && is_whole,
            "ptc::tool: C++ does not know the names of parameters. Give them, as in ptc::tool(\"add\", \"Adds.\", "
            "{\"x\", \"y\"}, [](std::int64_t x, std::int64_t y) {..}), or take one struct that is described with "
            "BOOST_DESCRIBE_STRUCT.");
        if constexpr (typed::Struct<Argument>) {
            signature.params = type_of<Argument>().fields;
            made.signature = signature_text(signature);
        }
        typed::set_function<F>(
            made, [f = std::move(function)](const Datum& arguments, const auto&... context) mutable -> Result<Datum> {
                Result<Argument> decoded = decode<Argument>(arguments);
                if (!decoded.ok()) return decoded.take_error();
                return typed::call(f, std::move(decoded).value(), context...);
            });
    }
    return made;
}

/// A tool whose parameters are called `names`, in the order of the callable's.
template <std::size_t N, class F>
Tool tool(std::string name, std::string description, const char* const (&names)[N], F function) {
    typed::require_deducible<F>();
    using Arguments = typename typed::ToolParameters<F>::Arguments;
    static_assert(std::tuple_size_v<Arguments> == N,
                  "ptc::tool: there must be one name for each parameter of the callable.");
    std::array<std::string, N> kept;
    for (std::size_t i = 0; i < N; ++i)
        kept[i] = names[i];
    Signature signature{{}, typed::return_type<typename typed::CallTraits<F>::Return>()};
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (signature.params.push_back({kept[I], type_of<std::tuple_element_t<I, Arguments>>()}), ...);
    }
    (std::make_index_sequence<N>());
    Tool made{.name = std::move(name), .description = std::move(description), .signature = signature_text(signature)};
    typed::set_function<F>(
        made, [f = std::move(function), kept](const Datum& arguments, const auto&... context) mutable {
            return typed::call_with_names<Arguments>(f, kept, arguments, std::make_index_sequence<N>(), context...);
        });
    return made;
}

/// A tool from a function of no parameter or of one that is the whole argument map (requirement 235): it is called as
/// the function is, `from_fn<&app::search>()` gives "app::search". Programs can call a tool only by a plain name, which
/// an override gives it; models can call all of them.
template <auto Function> Tool from_fn(const ToolOverrides& overrides = {}) {
    return with_overrides(tool(typed::qualified_name<Function>(), "", Function), overrides);
}

/// The same of a function whose parameters are called `names`.
template <auto Function>
requires(typed::parameter_count<Function> > 0) Tool
    from_fn(const typed::Names<typed::parameter_count<Function>>& names, const ToolOverrides& overrides = {}) {
    return with_overrides(tool(typed::qualified_name<Function>(), "", names.all, Function), overrides);
}

/// An entry of for_agent: a function as from_fn<Function>() takes it.
template <auto Function> struct FunctionEntry {
    operator Tool() const { return from_fn<Function>(); } // NOLINT: a conversion is what it is for
};
template <auto Function> inline constexpr FunctionEntry<Function> fn{};

/// The tools of an agent from functions and tools, in their order (requirement 236):
/// `for_agent(fn<&app::search>, web_tool)`.
template <class... Entries> std::vector<Tool> for_agent(Entries&&... entries) {
    std::vector<Tool> tools;
    tools.reserve(sizeof...(Entries));
    (tools.push_back(std::forward<Entries>(entries)), ...);
    return tools;
}

} // namespace ptc
