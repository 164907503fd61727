// The part of the core library that takes functions, written in PTC-Lisp (runtime/core/*.ptc, embedded by the build).
#pragma once
#include "compiler/language/scope.h"
#include "compiler/language/transducers.h"
#include "frontend/form.h"
#include "ptc/diagnostic.h"
#include "ptc/source.h"
#include "runtime/builtin.h"
#include <atomic>
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

/// One `defn` of runtime/core. Its forms are read when a program first names it; a call with the right number of
/// arguments is inlined by the analyzer unless the definition is recursive or marked {:call true}; as a value, or when
/// not inlined, it is a function of the core program.
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
    // A variant `lazy-NAME%` of NAME, for arguments that are computed by need (compiler/analyze/endless.cpp).
    bool lazy = false;        ///< what it gives is by need as well
    bool lazy_if_all = false; ///< only if all collections are; else `bounded-NAME%` is called
    bool reads_all = false;   ///< it reads to the end, unless a function that it is given ends that
    bool keeps_rest = false;  ///< what it gives holds what is left, by need
    bool else_whole = false;  ///< for what is known to have no end, and where the caller asks for it; else all is read
    std::uint8_t first_lazy = 1;  ///< the arguments from here on are collections
    bool special = false;         ///< a wrong number of arguments is an invalid_arity, as for special forms
    bool calls_for_items = false; ///< its first argument, for the items of the last one, and for nothing else
    bool checked = false;         ///< what is no function is refused when given, not when called
    Traits traits = 0;
    std::uint8_t endless = kNeverEndless;     ///< the arguments with which it gives a sequence without an end
    Transducer transducer = Transducer::None; ///< the stage that its shortest call makes; `cat` is one itself

    [[nodiscard]] bool makes_transducer(std::size_t arguments) const;
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
    Traits traits = 0;
    std::uint8_t endless = kNeverEndless;
    const CoreFunction* core = nullptr;
};

/// Of the core function, the native one or the special form: "(get m key) (get m key default)".
[[nodiscard]] std::string_view usage_of(const CoreName& name);

/// What all compilations of an Engine share. Any thread may ask it anything: it looks immutable, but a definition is
/// read when it is first looked up, as most programs name few, and the core program is compiled when a program first
/// uses a function of it as a value, as most programs have all their calls inlined.
class CoreLibrary {
public:
    /// Finds the definitions in the embedded sources.
    CoreLibrary();
    ~CoreLibrary();
    CoreLibrary(const CoreLibrary&) = delete;
    CoreLibrary& operator=(const CoreLibrary&) = delete;
    [[nodiscard]] const CoreFunction* find(std::string_view name) const;
    /// The core function of this name, if it is defined before `function`.
    [[nodiscard]] const CoreFunction* find_before(const CoreFunction& function, std::string_view name) const;
    [[nodiscard]] const CoreName* lookup(std::string_view name, std::uint32_t hash) const {
        for (std::uint32_t i = hash & mask_; slots_[i] != 0; i = (i + 1) & mask_) {
            const CoreName& entry = names_[slots_[i] - 1];
            if (entry.hash == hash && same_name(entry.name, name)) {
                if (entry.core) read(index_of(*entry.core));
                return &entry;
            }
        }
        return nullptr;
    }
    [[nodiscard]] const std::vector<CoreFunction>& all() const;
    /// Every special form, native and core function, in the order of the table's slots.
    [[nodiscard]] std::span<const CoreName> names() const;
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
    /// The text of a definition, and its forms once it is read.
    struct Definition {
        Span text;
        Forms forms;
        std::atomic<bool> is_read = false; ///< with `reading_` held, and last of all, set
    };

    void find_definitions();
    CoreName& add_name(std::string_view name);
    /// The slot of the name, or the free one that it would get.
    [[nodiscard]] std::uint32_t slot_of(std::string_view name, std::uint32_t hash) const;
    [[nodiscard]] CoreName& entry_of(std::string_view name) const {
        return names_[slots_[slot_of(name, name_hash(name))] - 1];
    }
    void index_names();
    [[nodiscard]] std::size_t index_of(const CoreFunction& function) const {
        return static_cast<std::size_t>(&function - functions_.data());
    }
    void read(std::size_t index) const {
        if (!definitions_[index].is_read.load(std::memory_order_acquire)) read_definition(index);
    }
    void read_definition(std::size_t index) const;
    void read_all() const;
    static void read_metadata(CoreFunction& function, const Form& map);
    void read_arity(CoreFunction& function, const Form& params, std::span<const Form> body) const;
    void ensure_compiled() const;

    Source source_;
    mutable std::recursive_mutex reading_; ///< a definition asks for those that it calls
    std::unique_ptr<Definition[]> definitions_;
    mutable std::vector<CoreFunction> functions_; ///< functions_[i] is made of definitions_[i]
    mutable std::vector<CoreName> names_;         ///< complete but for what reading finds out
    /// Where the names are in `names_`, counted from 1; open addressing, so small that most look-ups find it in a
    /// cache.
    std::vector<std::uint16_t> slots_;
    std::uint32_t mask_ = 0;
    Compiler compiler_ = nullptr; ///< null: the program is bound before it is used
    mutable std::once_flag compiled_;
    mutable std::shared_ptr<const Program> program_;
    mutable std::vector<const FunctionInfo*> values_; ///< of functions_
};

} // namespace ptc
