// Lua 5.4, and LuaJIT with -DPTC_LUAJIT, as embedded languages.
//
//   h_lua54 bench [--nojit] SCRIPT_DIR DATA_DIR WORKLOAD REPS  workload<TAB>ms<TAB>check, one line a repetition
//   h_lua54 fresh [--nojit] SCRIPT JSON N NAME                 create, load context, compile, run, destroy
//   h_lua54 trivial [--nojit] N NAME                           the same for 1 + 2 without a context
#include "host.h"
#include "json_walk.h"
extern "C" {
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#ifdef PTC_LUAJIT
#include <luajit.h>
#endif
}

namespace {

using namespace bench;

constexpr const char* kTrivial = "return 1 + 2";

// LuaJIT speaks Lua 5.1, which has no table.move.
constexpr const char* kTableMove = "function table.move(a, f, e, t, b)\n"
                                   "  b = b or a\n"
                                   "  for i = f, e do b[t + i - f] = a[i] end\n"
                                   "  return b\n"
                                   "end";

[[noreturn]] void die_lua(lua_State* lua, const char* doing) { die(std::string(doing) + ": " + lua_tostring(lua, -1)); }

void call(lua_State* lua, int arguments, int results, const char* doing) {
    if (lua_pcall(lua, arguments, results, 0)) die_lua(lua, doing);
}

void load(lua_State* lua, const std::string& source) {
    if (luaL_loadbuffer(lua, source.data(), source.size(), "=program")) die_lua(lua, "load");
}

void open_library(lua_State* lua, const char* name, lua_CFunction open) {
#ifdef PTC_LUAJIT
    lua_pushcfunction(lua, open);
    lua_pushstring(lua, name);
    lua_call(lua, 1, 0);
#else
    luaL_requiref(lua, name, open, 1);
    lua_pop(lua, 1);
#endif
}

/// A state with the libraries that a sandbox would offer and no more.
lua_State* create([[maybe_unused]] bool with_jit) {
    lua_State* lua = luaL_newstate();
    open_library(lua, "_G", luaopen_base);
    open_library(lua, "table", luaopen_table);
    open_library(lua, "string", luaopen_string);
    open_library(lua, "math", luaopen_math);
#ifdef PTC_LUAJIT
    open_library(lua, "bit", luaopen_bit);
    if (with_jit)
        open_library(lua, "jit", luaopen_jit);
    else
        luaJIT_setmode(lua, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
#else
    open_library(lua, "utf8", luaopen_utf8);
#endif
    return lua;
}

/// Makes Lua tables of JSON.
struct TableBuilder {
    lua_State* lua;
    void null() { lua_pushnil(lua); }
    void boolean(bool value) { lua_pushboolean(lua, value); }
    void integer(long long value) {
#ifdef PTC_LUAJIT
        lua_pushnumber(lua, static_cast<double>(value));
#else
        lua_pushinteger(lua, value);
#endif
    }
    void number(double value) { lua_pushnumber(lua, value); }
    void string(const char* bytes, std::size_t size) { lua_pushlstring(lua, bytes, size); }
    void array_begin() { table(8, 0); }
    void array_item(std::size_t index) { lua_rawseti(lua, -2, static_cast<int>(index + 1)); }
    void object_begin() { table(0, 6); }
    void key(const char* bytes, std::size_t size) { lua_pushlstring(lua, bytes, size); }
    void object_item() { lua_rawset(lua, -3); }
    void table(int items, int fields) {
        luaL_checkstack(lua, 8, "json");
        lua_createtable(lua, items, fields);
    }
};

void load_context(lua_State* lua, const std::string& json) {
    TableBuilder builder{lua};
    JsonWalk<TableBuilder>(builder, json).value();
    lua_setglobal(lua, "ctx");
}

bool exists(const std::string& path) { return static_cast<bool>(std::ifstream(path)); }

/// Leaves what the first run is given, and the function below it. WORKLOAD.lua gives {setup =, run =}; setup gets what
/// WORKLOAD.json holds. The first workloads stand together, as {set-up, run} by name, in bench.lua.
void set_up(lua_State* lua, const std::string& scripts, const std::string& data, const char* workload) {
    const std::string own = scripts + "/" + workload + ".lua";
    const bool is_alone = exists(own);
    load(lua, read_file(is_alone ? own : scripts + "/bench.lua"));
    call(lua, 0, 1, "load");
    if (!is_alone) {
        lua_getfield(lua, -1, workload);
        if (!lua_istable(lua, -1)) die(std::string("no workload ") + workload);
        lua_rawgeti(lua, -1, 2);
        lua_rawgeti(lua, -2, 1);
        return call(lua, 0, 1, "set-up");
    }
    lua_getfield(lua, -1, "run");
    lua_getfield(lua, -2, "setup");
    TableBuilder builder{lua};
    const std::string json = read_file(data + "/" + workload + ".json");
    JsonWalk<TableBuilder>(builder, json).value();
    call(lua, 1, 1, "set-up");
}

void run_workload(bool with_jit, const char* scripts, const char* data, const char* workload, int repetitions) {
    lua_State* lua = create(with_jit);
#ifdef PTC_LUAJIT
    load(lua, kTableMove);
    call(lua, 0, 0, "table.move");
#endif
    lua_pushcfunction(lua, [](lua_State* l) {
        const std::string text = read_file(luaL_checkstring(l, 1));
        lua_pushlstring(l, text.data(), text.size());
        return 1;
    });
    lua_setglobal(lua, "read_file");
    lua_pushstring(lua, data);
    lua_setglobal(lua, "DATA");
    set_up(lua, scripts, data, workload);
    const int input = lua_gettop(lua);
    for (int i = 0; i < repetitions; ++i) {
        lua_gc(lua, LUA_GCCOLLECT, 0);
        lua_pushvalue(lua, input - 1);
        lua_pushvalue(lua, input);
        const double before = cpu_ms();
        call(lua, 1, 1, "run");
        std::printf("%s\t%.3f\t%.0f\n", workload, cpu_ms() - before, lua_tonumber(lua, -1));
        lua_pop(lua, 1);
    }
    lua_close(lua);
}

void run_fresh(bool with_jit, const std::string& source, const std::string* context, int n, const char* name) {
    FreshTimes times;
    std::string answer;
    for (int i = -kWarmUps; i < n; ++i) {
        if (i == 0) times.forget();
        times.start();
        lua_State* lua = create(with_jit);
        times.done(FreshTimes::Create);
        if (context) {
            load_context(lua, *context);
            times.done(FreshTimes::Context);
        }
        load(lua, source);
        times.done(FreshTimes::Compile);
        call(lua, 0, 1, "run");
        if (i == n - 1) answer = lua_tostring(lua, -1);
        times.done(FreshTimes::Run);
        lua_close(lua);
        times.done(FreshTimes::Destroy);
    }
    times.print(name);
    std::printf("answer\t%s\n", answer.c_str());
}

void show_idle(bool with_jit, int n) {
    std::vector<lua_State*> states;
    states.reserve(static_cast<std::size_t>(n) + 1000);
    print_idle(n, [&] { states.push_back(create(with_jit)); });
    for (lua_State* lua : states)
        lua_close(lua);
}

} // namespace

int main(int argc, char** argv) {
    std::vector<char*> args(argv + 1, argv + argc);
    const auto no_jit = std::find(args.begin(), args.end(), std::string("--nojit"));
    const bool with_jit = no_jit == args.end();
    if (!with_jit) args.erase(no_jit);
    const std::string command = args.empty() ? "" : args[0];
    if (command == "bench" && args.size() == 5) {
        run_workload(with_jit, args[1], args[2], args[3], std::atoi(args[4]));
    } else if (command == "fresh" && args.size() == 5) {
        const std::string context = read_file(args[2]);
        run_fresh(with_jit, read_file(args[1]), &context, std::atoi(args[3]), args[4]);
    } else if (command == "trivial" && args.size() == 3) {
        run_fresh(with_jit, kTrivial, nullptr, std::atoi(args[1]), args[2]);
    } else if (command == "idle" && args.size() == 2) {
        show_idle(with_jit, std::atoi(args[1]));
    } else {
        die("usage: bench SCRIPT_DIR DATA_DIR WORKLOAD REPS | fresh SCRIPT JSON N NAME | trivial N NAME | idle N");
    }
    return 0;
}
