// The REPL's lines: from libedit at a terminal, from a descriptor else. The difficult part is Ctrl-C: SIGINT stays
// blocked but while we wait for input, so that none is lost between looking at the flag and a read that blocks.
#include "tools/line_source.h"
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cwchar>
#include <histedit.h>
#include <poll.h>
#include <unistd.h>

namespace ptc {
namespace {

constexpr int kHistoryEntries = 1000;

/// While it lives, a SIGINT waits until somebody asks for it, so that none can fall between a look and a blocking read.
class DeferredInterrupts {
public:
    DeferredInterrupts() {
        sigset_t interrupts;
        sigemptyset(&interrupts);
        sigaddset(&interrupts, SIGINT);
        ::sigprocmask(SIG_BLOCK, &interrupts, &previous_);
    }
    ~DeferredInterrupts() { ::sigprocmask(SIG_SETMASK, &previous_, nullptr); }
    DeferredInterrupts(const DeferredInterrupts&) = delete;
    DeferredInterrupts& operator=(const DeferredInterrupts&) = delete;

    /// Waits for input on `fd`; false with EINTR when a SIGINT came, before or during the wait.
    bool wait_for_input(int fd) const {
        sigset_t open = previous_;
        sigdelset(&open, SIGINT);
        pollfd input{.fd = fd, .events = POLLIN, .revents = 0};
        return ::ppoll(&input, 1, nullptr, &open) > 0;
    }

private:
    sigset_t previous_;
};

class TerminalLines : public LineSource {
public:
    explicit TerminalLines(std::string history_file)
        : history_file_(std::move(history_file)), edit_(el_init("ptcc", stdin, stdout, stderr)),
          history_(history_init()) {
        HistEvent event;
        history(history_, &event, H_SETSIZE, kHistoryEntries);
        history(history_, &event, H_SETUNIQUE, 1);
        if (!history_file_.empty()) history(history_, &event, H_LOAD, history_file_.c_str());
        el_set(edit_, EL_CLIENTDATA, this);
        el_set(edit_, EL_PROMPT, prompt_of);
        el_set(edit_, EL_GETCFN, read_character);
        el_set(edit_, EL_EDITOR, "emacs");
        el_set(edit_, EL_HIST, history, history_);
        el_set(edit_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
        el_source(edit_, nullptr); // the user's ~/.editrc
    }
    ~TerminalLines() override {
        HistEvent event;
        if (!history_file_.empty()) history(history_, &event, H_SAVE, history_file_.c_str());
        history_end(history_);
        el_end(edit_);
    }

    Event read(const char* prompt, std::string* line) override {
        prompt_ = prompt;
        const DeferredInterrupts deferred;
        deferred_ = &deferred;
        // libedit would leave the line mode only after the prompt: a Ctrl-D typed at once would be lost.
        el_set(edit_, EL_PREP_TERM, 1);
        int size = 0;
        errno = 0;
        const char* text = el_gets(edit_, &size);
        if (!text || size <= 0) {
            if (errno != EINTR) return Event::End;
            el_reset(edit_);
            return Event::Cancelled;
        }
        line->assign(text, static_cast<std::size_t>(size));
        if (line->back() == '\n') line->pop_back();
        return Event::Line;
    }

    void remember(const std::string& entry) override {
        HistEvent event;
        history(history_, &event, H_ENTER, entry.c_str());
    }

private:
    static TerminalLines& of(EditLine* edit) {
        void* self = nullptr;
        el_get(edit, EL_CLIENTDATA, &self);
        return *static_cast<TerminalLines*>(self);
    }
    static char* prompt_of(EditLine* edit) { return const_cast<char*>(of(edit).prompt_); } // libedit only reads it

    /// As libedit wants it: 1 and a character, 0 at the end of the input, -1 with errno.
    static int read_character(EditLine* edit, wchar_t* character) {
        std::mbstate_t state{};
        for (;;) {
            char byte = 0;
            if (!of(edit).deferred_->wait_for_input(STDIN_FILENO)) return -1;
            const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
            if (count <= 0) return static_cast<int>(count);
            const std::size_t used = std::mbrtowc(character, &byte, 1, &state);
            if (used == 0 || used == 1) return 1;
            if (used == static_cast<std::size_t>(-1))
                state = {}; // no character of this locale: dropped, as libedit does
        }
    }

    std::string history_file_;
    EditLine* edit_;
    History* history_;
    const char* prompt_ = "";
    const DeferredInterrupts* deferred_ = nullptr; // that of the read() under way
};

class PipedLines : public LineSource {
public:
    explicit PipedLines(int fd) : reader_(fd) {}
    Event read(const char*, std::string* line) override {
        InputLine input;
        if (!reader_.next(&input)) return Event::End;
        if (input.too_long) return Event::TooLong;
        line->assign(input.text);
        return Event::Line;
    }
    void remember(const std::string&) override {}

private:
    LineReader reader_;
};

} // namespace

std::unique_ptr<LineSource> terminal_lines(const std::string& history_file) {
    // libedit converts what is typed by the locale; without one it knows ASCII only.
    const char* locale = std::setlocale(LC_CTYPE, "");
    if (!locale || std::string_view(locale) == "C") std::setlocale(LC_CTYPE, "C.UTF-8");
    return std::make_unique<TerminalLines>(history_file);
}

std::unique_ptr<LineSource> piped_lines(int fd) { return std::make_unique<PipedLines>(fd); }

} // namespace ptc
