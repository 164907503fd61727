#include "tools/line_source.h"
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <histedit.h>

namespace ptc {
namespace {

constexpr int kHistoryEntries = 1000;

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
    static char* prompt_of(EditLine* edit) {
        void* self = nullptr;
        el_get(edit, EL_CLIENTDATA, &self);
        return const_cast<char*>(static_cast<TerminalLines*>(self)->prompt_); // libedit only reads it
    }

    std::string history_file_;
    EditLine* edit_;
    History* history_;
    const char* prompt_ = "";
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
