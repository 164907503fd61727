// The part of the core library that takes functions, written in PTC-Lisp (runtime/core/*.ptc, embedded by the build).
#pragma once
#include "compiler/language/tree.h"
#include "frontend/form.h"
#include "ptc/diagnostic.h"
#include "ptc/source.h"
#include "runtime/builtin.h"
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace ptc {

class Program;

/// How often a body calls one of its parameters, by number of arguments, and whether it uses it in any other way. What
/// decides whether a function literal is inlined where it is called or made a value.
struct ParamUse {
    static constexpr std::size_t kCounted = 5;
    std::uint8_t calls[kCounted] = {}; ///< with 0..4 arguments, saturating
    bool escapes = false;              ///< used as a value, or called with more
    bool direct = false;               ///< called by the body itself, not only by a function that the body returns
    bool string_key = false;           ///< called by key-call%: a string may stand for a function
    /// The argument is evaluated exactly once, before anything else and in the order of the arguments: it needs no
    /// temporary.
    bool in_place = false;
};

/// One `defn` of runtime/core. The forms are read once; a call with the right number of arguments is inlined by the
/// analyzer unless the definition is recursive or marked {:call true}; as a value, or when not inlined, it is a
/// function of the core program.
struct CoreFunction {
    struct ArityForm {
        const Form* params = nullptr;
        std::span<const Form> body;
        std::uint8_t count = 0; ///< parameters before `&`
        bool variadic = false;
        bool combinator = false;    ///< the body is one (fn ..): a call of it can be inlined as if it were that literal
        std::vector<ParamUse> uses; ///< of the parameters before `&`
        [[nodiscard]] bool accepts(std::size_t n) const { return variadic ? n >= count : n == count; }
    };
    std::string_view name;
    std::string_view usage;
    std::string_view doc;
    std::string_view example_source;
    std::string_view example_result;
    std::string_view category; ///< "core", "walk", ..: where qualified names find it
    std::string_view differs;
    std::string_view section; ///< in the reference
    Work work = Work::Items;  ///< beyond what the functions cost that it is given
    Gives gives;
    WrittenArguments written;
    std::vector<ArityForm> arities;
    bool inlined = true;
    bool special = false; ///< a wrong number of arguments is an invalid_arity, as for special forms
    bool checked = false; ///< what is no function is refused when given, not when called

    [[nodiscard]] const ArityForm* arity(std::size_t arguments) const {
        for (const ArityForm& form : arities) {
            if (form.accepts(arguments)) return &form;
        }
        return nullptr;
    }
};

/// What a plain name means in any program that does not define it. `apply` is a special form and, as a value, a
/// function.
struct CoreName {
    std::string_view name;
    std::uint32_t hash = 0;
    std::int16_t special = -1; ///< row of special_forms.def
    std::int16_t builtin = -1; ///< index of the native function
    Arity arity;               ///< of the native function
    Gives gives;               ///< of the native or core function
    const CoreFunction* core = nullptr;
};

/// Immutable after construction, shared by all compilations of an Engine; but for the core program, which is compiled
/// when a program first uses a function of it as a value: most programs have all their calls inlined and need none.
class CoreLibrary {
public:
    /// Reads the embedded sources.
    CoreLibrary();
    ~CoreLibrary();
    CoreLibrary(const CoreLibrary&) = delete;
    CoreLibrary& operator=(const CoreLibrary&) = delete;
    [[nodiscard]] const CoreFunction* find(std::string_view name) const;
    [[nodiscard]] const CoreName* lookup(std::string_view name, std::uint32_t hash) const {
        for (std::uint32_t i = hash & mask_;; i = (i + 1) & mask_) {
            const CoreName& entry = names_[i];
            if (entry.name.empty()) return nullptr;
            if (entry.hash == hash && entry.name == name) return &entry;
        }
    }
    [[nodiscard]] const std::vector<CoreFunction>& all() const { return functions_; }
    /// Every special form, native and core function; entries with an empty name are free slots.
    [[nodiscard]] std::span<const CoreName> names() const { return names_; }
    [[nodiscard]] const Source& source() const { return source_; }

    /// Who compiles the core program: called at most once, on the thread that needs it first; it calls `bind`.
    using Compiler = void (*)(const CoreLibrary& core);
    void compile_when_needed(Compiler compiler) { compiler_ = compiler; }
    /// Keeps the compiled core program alive and gives every function its value: infos[i] belongs to all()[i].
    void bind(std::shared_ptr<const Program> program, std::vector<const FunctionInfo*> infos) const;
    /// The function of the core program that `function`, one of all(), is as a value.
    [[nodiscard]] const FunctionInfo* value_of(const CoreFunction& function) const;
    [[nodiscard]] const std::shared_ptr<const Program>& program() const;

private:
    void read_definition(const Form& form, std::string_view section);
    void read_metadata(CoreFunction& function, const Form& map);
    void read_arity(CoreFunction& function, const Form& params, std::span<const Form> body);
    CoreName& add_name(std::string_view name);
    void index_names();
    void ensure_compiled() const;

    Source source_;
    Forms forms_;
    std::vector<CoreFunction> functions_;
    std::vector<CoreName> names_; ///< open addressing
    std::uint32_t mask_ = 0;
    Compiler compiler_ = nullptr; ///< null: the program is bound before it is used
    mutable std::once_flag compiled_;
    mutable std::shared_ptr<const Program> program_;
    mutable std::vector<const FunctionInfo*> values_; ///< of functions_
};

} // namespace ptc
