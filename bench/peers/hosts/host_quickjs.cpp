// QuickJS as an embedded language. It runs the programs that node runs.
//
//   h_quickjs bench SCRIPT_DIR DATA_DIR WORKLOAD REPS  workload<TAB>ms<TAB>check, one line a repetition
//   h_quickjs fresh SCRIPT JSON N NAME                 create, load context, compile, run, destroy
//   h_quickjs trivial N NAME                           the same for 1 + 2 without a context
//   h_quickjs idle N                                   kilobytes of a runtime that nothing was run in
//
// A runtime is what a sandbox would have for itself: a heap, and one context with the whole library.
#include "host.h"
#include <memory>
#include <pthread.h>
#include <quickjs.h>

namespace {

using namespace bench;

constexpr std::size_t kStack = std::size_t{512} << 20; ///< deep_rec goes 10,000 calls deep

/// Sets the globals `run` and `input`. WORKLOAD.mjs exports run, which gets what WORKLOAD.json holds; the first
/// workloads stand together in bench.mjs.
constexpr const char* kSetUp = "import * as loaded from 'workload';\n"
                               "const { setup, run } = loaded.workloads?.[workload] ?? loaded;\n"
                               "globalThis.run = run;\n"
                               "globalThis.input = loaded.workloads ? setup?.(readData) : "
                               "JSON.parse(readData(workload + '.json'));\n";

struct Runtime {
    Runtime() {
        JS_SetMaxStackSize(runtime, kStack / 2);
        context = JS_NewContext(runtime);
    }
    ~Runtime() {
        JS_FreeContext(context);
        JS_FreeRuntime(runtime);
    }
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;

    JSValue must(JSValue value, const char* doing) const {
        if (JS_IsException(value)) die(std::string(doing) + ": " + text_of(JS_GetException(context)));
        return value;
    }
    /// Consumes `value`.
    std::string text_of(JSValue value) const {
        const char* bytes = JS_ToCString(context, value);
        const std::string text = bytes ? bytes : "";
        JS_FreeCString(context, bytes);
        JS_FreeValue(context, value);
        return text;
    }
    JSValue evaluate(const std::string& source, int flags, const char* doing) const {
        return must(JS_Eval(context, source.c_str(), source.size(), doing, flags), doing);
    }
    /// Consumes `value`.
    void set_global(const char* name, JSValue value) const {
        const JSValue global = JS_GetGlobalObject(context);
        JS_SetPropertyStr(context, global, name, value);
        JS_FreeValue(context, global);
    }
    JSValue global(const char* name) const {
        const JSValue object = JS_GetGlobalObject(context);
        const JSValue value = JS_GetPropertyStr(context, object, name);
        JS_FreeValue(context, object);
        return value;
    }
    void load_context(const std::string& json) const {
        set_global("ctx", must(JS_ParseJSON(context, json.c_str(), json.size(), "context"), "context"));
    }

    JSRuntime* runtime = JS_NewRuntime();
    JSContext* context = nullptr;
};

bool exists(const std::string& path) { return static_cast<bool>(std::ifstream(path)); }

struct Files {
    std::string module, data;
};

/// The one module there is, whatever it is called.
JSModuleDef* load_module(JSContext* context, const char* name, void* opaque) {
    const std::string text = read_file(static_cast<const Files*>(opaque)->module);
    const JSValue code =
        JS_Eval(context, text.c_str(), text.size(), name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    if (JS_IsException(code)) return nullptr;
    auto* module = static_cast<JSModuleDef*>(JS_VALUE_GET_PTR(code));
    JS_FreeValue(context, code);
    return module;
}

JSValue read_data(JSContext* context, JSValueConst, int, JSValueConst* arguments) {
    const char* name = JS_ToCString(context, arguments[0]);
    const std::string text = read_file(static_cast<const Files*>(JS_GetContextOpaque(context))->data + "/" + name);
    JS_FreeCString(context, name);
    return JS_NewStringLen(context, text.data(), text.size());
}

void run_workload(const std::string& scripts, const std::string& data, const std::string& workload, int repetitions) {
    const Runtime js;
    const std::string own = scripts + "/" + workload + ".mjs";
    Files files{exists(own) ? own : scripts + "/bench.mjs", data};
    JS_SetContextOpaque(js.context, &files);
    JS_SetModuleLoaderFunc(js.runtime, nullptr, load_module, &files);
    js.set_global("readData", JS_NewCFunction(js.context, read_data, "readData", 1));
    js.set_global("workload", JS_NewString(js.context, workload.c_str()));
    JS_FreeValue(js.context, js.evaluate(kSetUp, JS_EVAL_TYPE_MODULE, "set-up"));
    const JSValue run = js.global("run");
    JSValue input = js.global("input");
    for (int i = 0; i < repetitions; ++i) {
        JS_RunGC(js.runtime);
        const double before = cpu_ms();
        const JSValue answer = js.must(JS_Call(js.context, run, JS_UNDEFINED, 1, &input), "run");
        const double ms = cpu_ms() - before;
        double check = 0;
        JS_ToFloat64(js.context, &check, answer);
        JS_FreeValue(js.context, answer);
        std::printf("%s\t%.3f\t%.0f\n", workload.c_str(), ms, check);
    }
    JS_FreeValue(js.context, input);
    JS_FreeValue(js.context, run);
}

void run_fresh(const std::string& source, const std::string* context, int n, const char* name) {
    FreshTimes times;
    std::string answer;
    for (int i = -kWarmUps; i < n; ++i) {
        if (i == 0) times.forget();
        times.start();
        auto js = std::make_unique<Runtime>();
        times.done(FreshTimes::Create);
        if (context) {
            js->load_context(*context);
            times.done(FreshTimes::Context);
        }
        const JSValue code = js->evaluate(source, JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY, "compile");
        times.done(FreshTimes::Compile);
        const JSValue value = js->must(JS_EvalFunction(js->context, code), "run");
        if (i == n - 1)
            answer = js->text_of(value);
        else
            JS_FreeValue(js->context, value);
        times.done(FreshTimes::Run);
        js.reset();
        times.done(FreshTimes::Destroy);
    }
    times.print(name);
    std::printf("answer\t%s\n", answer.c_str());
}

void show_idle(int n) {
    std::vector<std::unique_ptr<Runtime>> all;
    all.reserve(static_cast<std::size_t>(n) + 1000);
    print_idle(n, [&] { all.push_back(std::make_unique<Runtime>()); });
}

void run_command(const std::vector<std::string>& args) {
    const std::string command = args.empty() ? "" : args[0];
    if (command == "bench" && args.size() == 5) {
        run_workload(args[1], args[2], args[3], std::atoi(args[4].c_str()));
    } else if (command == "fresh" && args.size() == 5) {
        const std::string context = read_file(args[2]);
        run_fresh(read_file(args[1]), &context, std::atoi(args[3].c_str()), args[4].c_str());
    } else if (command == "trivial" && args.size() == 3) {
        run_fresh("1 + 2", nullptr, std::atoi(args[1].c_str()), args[2].c_str());
    } else if (command == "idle" && args.size() == 2) {
        show_idle(std::atoi(args[1].c_str()));
    } else {
        die("usage: bench SCRIPT_DIR DATA_DIR WORKLOAD REPS | fresh SCRIPT JSON N NAME | trivial N NAME | idle N");
    }
}

} // namespace

// Calls of the program are calls of the interpreter, which need a stack that is larger than that of the process.
int main(int argc, char** argv) {
    std::vector<std::string> args(argv + 1, argv + argc);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStack);
    const auto body = [](void* given) -> void* {
        run_command(*static_cast<std::vector<std::string>*>(given));
        return nullptr;
    };
    pthread_t thread{};
    if (pthread_create(&thread, &attributes, body, &args) != 0) die("no thread");
    pthread_join(thread, nullptr);
    return 0;
}
