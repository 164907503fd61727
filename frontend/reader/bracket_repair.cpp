// A beam search for the cheapest set of edits that makes the brackets match, from the first token to the last.
//
// A hypothesis is a stack of open frames, the edits that led to it and their cost. Each token extends every hypothesis
// as written and, for kEdit more, with a closer put in before it, or with a closer dropped or replaced. A second search
// looks for one missing or surplus opening bracket, which closers could only make up for; the cheaper answer wins. Many
// sets of edits make brackets match; which one the author meant shows in two ways, both worth less than an edit but
// enough to choose between sets of equal size:
//   layout   a line that starts left of, or level with, an open bracket is outside of it; siblings at starts of lines
//            are aligned;
//   meaning  `let` takes pairs and a body, parameters are names, `filter` takes two arguments, maps have even counts.
// Two hypotheses with equal stacks have the same future, so only the cheaper one is kept, and on a tie the one whose
// last edit is later: what is missing is mostly missing at the end.
#include "frontend/reader/bracket_repair.h"

#include "frontend/reader/bracket_scan.h"
#include "frontend/reader/reader_errors.h"
#include "frontend/work.h"
#include <algorithm>
#include <climits>
#include <deque>
#include <utility>

namespace ptc {
namespace {

constexpr int kEdit = 100;
constexpr std::size_t kWorkOfToken = 200; ///< each hypothesis is extended in several ways, and all are sorted
constexpr int kEditAnOpener = 108;        ///< they are what authors think of; closers are what they miscount
constexpr int kUnlikelyPlace = 8;         ///< for an opening bracket that has to be put in
constexpr int kLayout = 30;               ///< a line that starts outside of its frame
constexpr int kNestedDefinition = 80;     ///< a definition at the left margin inside another form
constexpr int kAlignment = 12;            ///< a line that does not start where its sibling did
constexpr int kMeaning = 20;              ///< a form that the analyzer would reject
constexpr int kUseless = 9;               ///< a value that nobody uses, or more arguments than usual
constexpr int kOddMap = 40;               ///< a form that the reader would reject
constexpr int kInsideALine = 4;           ///< an insertion neither beside a closing bracket nor at a line's end
constexpr int kCutoff = 330;              ///< hypotheses that much worse than the best cannot win any more, in practice
constexpr std::size_t kMaxTokens = 10'000; ///< longer texts get the greedy repair
constexpr std::size_t kMaxWork = 40'000;   ///< tokens times width
constexpr std::size_t kMaxWidth = 32;

struct Repair {
    enum Kind : std::uint8_t { InsertCloser, DropCloser, ReplaceCloser, ReplaceOpener, DropOpener, InsertOpener } kind;
    OpenBracket bracket;          ///< the opening bracket concerned
    std::uint32_t offset;         ///< of the closer, or of the insertion
    const Repair* before;         ///< list, last first
    mutable bool is_live = false; ///< of Pool
};

enum class Role : std::uint8_t { Plain, Bindings, ForBindings, Parameters, Threaded };

/// An open bracket as one hypothesis sees it. Immutable: hypotheses share tails.
struct Frame {
    const Frame* parent = nullptr;
    OpenBracket bracket;
    std::int32_t column = -1;       ///< of the opening bracket; everything inside starts right of it
    std::int32_t items_column = -1; ///< where the first item that starts a line starts
    std::uint32_t items = 0;
    const KnownHead* head = nullptr;
    Role role = Role::Plain;
    bool is_short_fn = false;
    bool is_call = false;
    bool layout_broken = false; ///< each frame is charged once, or a long badly laid out text would outweigh edits
    bool alignment_broken = false;
    bool is_keyword_call = false;
    bool last_is_useless = false;    ///< the last item has no effect, so it should stand at the end of a body
    std::uint32_t body_begins = 0;   ///< index of the first body form of a function or binding form, 0 when unknown
    std::uint32_t recur_args = kAny; ///< what `recur` must give to this loop or function
    static constexpr std::uint32_t kAny = UINT32_MAX;
    std::uint64_t hash = 0;
    mutable bool is_live = false; ///< of Pool
};

struct Hypothesis {
    const Frame* top = nullptr;
    int cost = 0;
    const Repair* repairs = nullptr;
};

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    hash ^= value + 0x9E3779B97F4A7C15u + (hash << 6) + (hash >> 2);
    return hash * 0xD6E8FEB86659FD93u;
}

struct Answer {
    int cost = INT_MAX;
    std::vector<Repair> repairs; ///< in the order of the text
};

/// Records whose addresses stay while something leads to them. Each token makes new ones for each hypothesis, most of
/// which die at once: their records are used again, else a text of 12 KB would take 100 MB.
template <class Record> class Pool {
public:
    const Record* add(const Record& record) {
        if (free_.empty()) return &records_.emplace_back(record);
        Record* place = free_.back();
        free_.pop_back();
        *place = record;
        return place;
    }
    /// Whether it is worth while to look for what is dead: it costs as much as all there are.
    [[nodiscard]] bool is_full() const { return free_.empty() && records_.size() >= most_; }
    /// Frees the records that are not marked as live, and takes the marks away.
    void sweep() {
        free_.clear();
        for (Record& record : records_) {
            if (!std::exchange(record.is_live, false)) free_.push_back(&record);
        }
        most_ = std::max(kLeast, 2 * (records_.size() - free_.size()));
    }

private:
    static constexpr std::size_t kLeast = 4096;
    std::deque<Record> records_;
    std::vector<Record*> free_;
    std::size_t most_ = kLeast;
};

class Search {
public:
    enum class Edits : std::uint8_t { Closers, OneOpener };

    Search(const std::vector<BracketToken>& tokens, Edits edits) : tokens_(tokens), edits_(edits) {
        width_ = std::clamp<std::size_t>(kMaxWork / std::max<std::size_t>(tokens.size(), 1), 2, kMaxWidth);
        if (edits == Edits::OneOpener) width_ *= 4; // most of these die at the next closer
    }

    /// The edits of the best hypothesis; cost INT_MAX when there is none.
    Answer run() {
        beam_ = {{make_root(), 0, nullptr}};
        for (index_ = 0; index_ < tokens_.size(); ++index_) {
            if (!work::charge(kWorkOfToken)) return {};
            next_.clear();
            for (const Hypothesis& hypothesis : beam_) {
                if (edits_ == Edits::Closers) {
                    extend(hypothesis, 0);
                } else {
                    extend_strictly(hypothesis);
                }
            }
            prune();
            if (frames_.is_full() || repairs_.is_full()) free_the_dead();
        }
        next_.clear();
        for (const Hypothesis& hypothesis : beam_)
            close_all(hypothesis);
        prune();
        if (beam_.empty()) return {};
        Answer answer{beam_.front().cost, {}};
        for (const Repair* r = beam_.front().repairs; r != nullptr; r = r->before)
            answer.repairs.push_back(*r);
        std::reverse(answer.repairs.begin(), answer.repairs.end());
        return answer;
    }

private:
    [[nodiscard]] const BracketToken& token() const { return tokens_[index_]; }
    /// Where an insertion before the current token goes: right behind the one before it.
    [[nodiscard]] std::uint32_t insertion_point() const { return index_ == 0 ? 0 : tokens_[index_ - 1].end; }

    const Frame* make_root() { return frames_.add({}); }

    const Frame* make(Frame frame) {
        std::uint64_t hash = mix(frame.parent == nullptr ? 0 : frame.parent->hash, frame.bracket.offset);
        hash = mix(hash, frame.items * 4u + (frame.layout_broken ? 2u : 0u) + (frame.alignment_broken ? 1u : 0u));
        hash = mix(hash, static_cast<std::uint64_t>(frame.items_column) * 256u +
                             static_cast<unsigned char>(frame.bracket.closer));
        hash = mix(hash, frame.body_begins);
        hash = mix(hash, std::uint64_t{frame.recur_args} * 2u + (frame.last_is_useless ? 1u : 0u));
        frame.hash = hash;
        return frames_.add(frame);
    }

    static bool is_root(const Frame* frame) { return frame->parent == nullptr; }

    Hypothesis with(Hypothesis h, Repair::Kind kind, OpenBracket bracket, std::uint32_t offset, int cost) {
        return {h.top, h.cost + cost, repairs_.add({kind, bracket, offset, h.repairs, false})};
    }

    // ---- One token

    void extend(const Hypothesis& h, int inserted) {
        const BracketToken& t = token();
        if (t.kind == BracketToken::Close) {
            extend_closer(h, t);
        } else {
            next_.push_back(read(h));
        }
        constexpr int kMaxInserted = 4;
        if (inserted < kMaxInserted && !is_root(h.top) && index_ > 0) {
            extend(insert_closer(h, insertion_point(), insertion_cost()), inserted + 1);
        }
    }

    /// The current token, which is no closer, as it is written.
    Hypothesis read(const Hypothesis& h) {
        const BracketToken& t = token();
        return t.kind == BracketToken::Open ? open(h, t.begin, t.closer) : add_item(h);
    }

    /// Takes closers at their word, and allows for one wrong opening bracket in all.
    void extend_strictly(const Hypothesis& h) {
        const BracketToken& t = token();
        if (t.kind == BracketToken::Close) {
            if (!is_root(h.top) && h.top->bracket.closer == t.closer) next_.push_back(close(h));
            return;
        }
        next_.push_back(read(h));
        if (h.repairs != nullptr) return;
        if (t.kind == BracketToken::Open)
            next_.push_back(with(h, Repair::DropOpener, bracket_of(t), t.begin, kEditAnOpener));
        for (const char closer : {')', ']', '}'}) {
            const Hypothesis repaired =
                with(h, Repair::InsertOpener, {t.begin, 0, closer}, t.begin, kEditAnOpener + opener_cost(t, closer));
            next_.push_back(read(open_frame(repaired, {t.begin, 0, closer})));
        }
    }

    static int opener_cost(const BracketToken& t, char closer) {
        if (closer == '}')
            return t.kind == BracketToken::Keyword || t.kind == BracketToken::Literal ? 0 : kUnlikelyPlace;
        if (closer == ']') return t.kind == BracketToken::Keyword ? kUnlikelyPlace : kInsideALine;
        return t.kind == BracketToken::Symbol && t.head ? 0 : kUnlikelyPlace;
    }

    void extend_closer(const Hypothesis& h, const BracketToken& t) {
        next_.push_back(with(h, Repair::DropCloser, h.top->bracket, t.begin, kEdit));
        if (is_root(h.top)) return;
        if (h.top->bracket.closer == t.closer) {
            next_.push_back(close(h));
            return;
        }
        next_.push_back(close(with(h, Repair::ReplaceCloser, h.top->bracket, t.begin, kEdit)));
        Frame other = *h.top;
        other.bracket.closer = t.closer;
        other.is_call = t.closer == ')';
        other.role = role_in(*other.parent, t.closer);
        Hypothesis reopened = with(h, Repair::ReplaceOpener, other.bracket, t.begin, kEditAnOpener);
        reopened.top = make(other);
        next_.push_back(close(reopened));
    }

    [[nodiscard]] int insertion_cost() const {
        const bool is_beside_closer =
            token().kind == BracketToken::Close || tokens_[index_ - 1].kind == BracketToken::Close;
        return kEdit + (is_beside_closer || token().is_first_on_line ? 0 : kInsideALine);
    }

    Hypothesis insert_closer(const Hypothesis& h, std::uint32_t at, int cost) {
        return close(with(h, Repair::InsertCloser, h.top->bracket, at, cost));
    }

    void close_all(Hypothesis h) {
        const std::uint32_t end = tokens_.empty() ? 0 : tokens_.back().end;
        if (!is_root(h.top) && edits_ == Edits::OneOpener) return;
        while (!is_root(h.top))
            h = insert_closer(h, end, kEdit);
        next_.push_back(h);
    }

    static OpenBracket bracket_of(const BracketToken& t) { return {t.begin, t.end - t.begin, t.closer}; }

    // ---- Frames

    Hypothesis open(const Hypothesis& h, std::uint32_t begin, char closer) {
        return open_frame(h, {begin, token().end - token().begin, closer});
    }

    /// The bracket is, or is put in before, the current token.
    Hypothesis open_frame(Hypothesis h, OpenBracket bracket) {
        const BracketToken& t = token();
        h = add_item(h, bracket);
        Frame frame;
        frame.parent = h.top;
        frame.bracket = bracket;
        frame.column = bracket.size > 0 ? t.column : t.column - 1;
        frame.is_short_fn = bracket.size > 0 && t.is_short_fn;
        frame.is_call = bracket.closer == ')';
        frame.role = role_in(*h.top, bracket.closer);
        h.top = make(frame);
        return h;
    }

    /// What a bracket that has just become the last item of `parent` is there.
    static Role role_in(const Frame& parent, char closer) {
        if (parent.head == nullptr) return Role::Plain;
        const std::uint32_t position = parent.items - 1;
        switch (parent.head->shape) {
        case KnownHead::Binding:
            if (closer != ']' || position != 1) return Role::Plain;
            return parent.head->name == "for" || parent.head->name == "doseq" ? Role::ForBindings : Role::Bindings;
        case KnownHead::Function: // behind the name and the doc, once
            return closer == ']' && position <= 3 && parent.body_begins == 0 ? Role::Parameters : Role::Plain;
        case KnownHead::Threading: return closer == ')' && position >= 2 ? Role::Threaded : Role::Plain;
        case KnownHead::Call:
        case KnownHead::Special: return Role::Plain;
        }
        return Role::Plain;
    }

    /// One more item of the top frame: what `bracket`, put in before the current token, opens.
    Hypothesis add_item(const Hypothesis& h, OpenBracket bracket) {
        BracketToken t = token();
        if (bracket.size == 0) {
            t.kind = BracketToken::Open;
            t.closer = bracket.closer;
            t.is_short_fn = false;
            t.head.reset();
        }
        return add_item(h, t);
    }

    Hypothesis add_item(const Hypothesis& h) { return add_item(h, token()); }

    Hypothesis add_item(Hypothesis h, const BracketToken& t) {
        Frame frame = *h.top;
        if (t.is_first_on_line)
            h.cost += layout_cost(frame, t) + (is_nested_definition(frame, t) ? kNestedDefinition : 0);
        if (is_root(h.top) && frame.items > 0 && !t.is_first_on_line) h.cost += kInsideALine;
        h.cost += meaning_of_item(frame, t);
        if (frame.items == 0 && frame.is_call) {
            frame.head = t.head ? &*t.head : nullptr;
            frame.is_keyword_call = t.kind == BracketToken::Keyword;
        }
        if (frame.last_is_useless && frame.body_begins > 0 && frame.items > frame.body_begins) h.cost += kUseless;
        frame.last_is_useless = t.kind != BracketToken::Open;
        ++frame.items;
        h.top = make(frame);
        return h;
    }

    [[nodiscard]] bool is_nested_definition(const Frame& frame, const BracketToken& t) const {
        if (is_root(&frame) || t.column > 0 || t.kind != BracketToken::Open || index_ + 1 == tokens_.size())
            return false;
        const std::optional<KnownHead>& head = tokens_[index_ + 1].head;
        return head && head->name.starts_with("def");
    }

    static int layout_cost(Frame& frame, const BracketToken& t) {
        int cost = 0;
        if (t.column <= frame.column && !frame.layout_broken) {
            frame.layout_broken = true;
            cost += kLayout;
        }
        const std::int32_t expected = frame.parent == nullptr ? 0 : frame.items_column;
        if (expected >= 0 && t.column != expected && !frame.alignment_broken) {
            frame.alignment_broken = true;
            cost += kAlignment;
        }
        if (frame.items_column < 0) frame.items_column = t.column;
        return cost;
    }

    static int meaning_of_item(const Frame& frame, const BracketToken& t) {
        const bool is_list = t.kind == BracketToken::Open && t.closer == ')';
        int cost = 0;
        switch (frame.role) {
        case Role::Bindings:
        case Role::ForBindings: {
            const bool is_name_place = frame.items % 2 == 0;
            const bool is_modifier = frame.role == Role::ForBindings && t.kind == BracketToken::Keyword;
            if (is_name_place && !is_modifier &&
                (is_list || t.kind == BracketToken::Literal || t.kind == BracketToken::Keyword))
                cost += kMeaning;
            break;
        }
        case Role::Parameters:
            if (is_list || t.kind == BracketToken::Literal || t.kind == BracketToken::Keyword) cost += kMeaning;
            break;
        case Role::Plain:
        case Role::Threaded: break;
        }
        const bool is_head = frame.is_call && frame.items == 0;
        const bool is_form_name =
            t.head && (t.head->shape == KnownHead::Binding || t.head->shape == KnownHead::Function);
        if (is_form_name && !is_head) cost += kLayout;
        if (is_head && t.kind == BracketToken::Literal) cost += kMeaning;
        if (t.is_short_fn && is_inside_short_fn(&frame)) cost += kMeaning;
        return cost;
    }

    static bool is_inside_short_fn(const Frame* frame) {
        constexpr int kFarEnough = 8; // bounds the walk
        for (int i = 0; frame != nullptr && i < kFarEnough; ++i, frame = frame->parent) {
            if (frame->is_short_fn) return true;
        }
        return false;
    }

    Hypothesis close(Hypothesis h) {
        const Frame& frame = *h.top;
        h.cost += closing_cost(frame);
        Frame parent = *frame.parent;
        if (parent.is_call && parent.items == 1) h.cost += callee_cost(frame);
        parent.last_is_useless = !frame.is_call || frame.is_short_fn || frame.is_keyword_call ||
                                 (frame.head != nullptr && frame.head->shape == KnownHead::Call);
        if (frame.role == Role::Parameters || frame.role == Role::Bindings || frame.role == Role::ForBindings) {
            parent.body_begins = parent.items;
            if (frame.role == Role::Parameters) parent.recur_args = frame.items;
            if (parent.head != nullptr && parent.head->name == "loop") parent.recur_args = frame.items / 2;
        }
        h.top = make(parent);
        return h;
    }

    /// `frame` is what its parent calls: ((+ 1 2)) is a bracket too many.
    static int callee_cost(const Frame& frame) {
        if (frame.is_short_fn || frame.bracket.closer == '}') return 0;
        if (frame.is_keyword_call) return kUseless;
        if (!frame.is_call) return kMeaning;
        if (frame.head == nullptr || frame.head->name == "fn") return 0;
        return kMeaning;
    }

    /// What the nearest loop or function around `frame` takes.
    static std::uint32_t recur_target(const Frame& frame) {
        constexpr int kFarEnough = 24; // bounds the walk
        const Frame* at = frame.parent;
        for (int i = 0; at != nullptr && i < kFarEnough; ++i, at = at->parent) {
            if (at->recur_args != Frame::kAny) return at->recur_args;
        }
        return Frame::kAny;
    }

    static int closing_cost(const Frame& frame) {
        if (frame.bracket.closer == '}' && frame.bracket.size == 1) return frame.items % 2 == 0 ? 0 : kOddMap;
        if (frame.role == Role::Bindings) return frame.items % 2 == 0 ? 0 : kMeaning;
        if (!frame.is_call) return 0;
        if (frame.items == 0) return kMeaning;
        const std::uint32_t arguments = frame.items - 1 + (frame.role == Role::Threaded ? 1 : 0);
        if (frame.is_keyword_call) return arguments == 1 ? 0 : arguments == 2 ? kUseless : kMeaning;
        if (frame.head == nullptr) return 0;
        int cost = arguments < frame.head->min_args || (frame.head->max_args < 255 && arguments > frame.head->max_args)
                       ? kMeaning
                       : 0;
        const bool needs_vector = frame.head->shape == KnownHead::Binding || frame.head->shape == KnownHead::Function;
        if (needs_vector && frame.body_begins == 0) cost += kMeaning;
        if (arguments > frame.head->usual_args) cost += kUseless;
        const std::string_view name = frame.head->name;
        if (name == "recur" && recur_target(frame) != Frame::kAny && arguments != recur_target(frame)) cost += kMeaning;
        if ((name == "cond" && arguments % 2 != 0) || (name == "assoc" && arguments % 2 == 0)) cost += kMeaning;
        return cost;
    }

    // ---- The beam

    static std::uint32_t last_offset(const Hypothesis& h) {
        return h.repairs == nullptr ? UINT32_MAX : h.repairs->offset;
    }

    void prune() {
        std::sort(next_.begin(), next_.end(), [](const Hypothesis& a, const Hypothesis& b) {
            if (a.cost != b.cost) return a.cost < b.cost;
            if (last_offset(a) != last_offset(b)) return last_offset(a) > last_offset(b);
            return a.top->hash < b.top->hash;
        });
        beam_.clear();
        for (const Hypothesis& h : next_) {
            if (beam_.size() == width_ || h.cost > next_.front().cost + kCutoff) break;
            const bool is_known = std::any_of(beam_.begin(), beam_.end(),
                                              [&](const Hypothesis& kept) { return kept.top->hash == h.top->hash; });
            if (!is_known) beam_.push_back(h);
        }
    }

    /// What no hypothesis of the beam leads to.
    void free_the_dead() {
        for (const Hypothesis& h : beam_) {
            for (const Frame* f = h.top; f && !f->is_live; f = f->parent)
                f->is_live = true;
            for (const Repair* r = h.repairs; r && !r->is_live; r = r->before)
                r->is_live = true;
        }
        frames_.sweep();
        repairs_.sweep();
    }

    const std::vector<BracketToken>& tokens_;
    Edits edits_;
    std::size_t index_ = 0;
    std::size_t width_ = kMaxWidth;
    std::vector<Hypothesis> beam_;
    std::vector<Hypothesis> next_;
    Pool<Frame> frames_;
    Pool<Repair> repairs_;
};

/// For texts too long to search: takes every closer at its word. Their tokens are not kept, as they may be ten times
/// the size of the text.
std::vector<Repair> repair_greedily(std::string_view text) {
    std::vector<Repair> repairs;
    std::vector<OpenBracket> open;
    std::uint32_t end = 0;
    const auto close = [&](const BracketToken& t) {
        if (open.empty()) {
            repairs.push_back({Repair::DropCloser, {}, t.begin, nullptr, false});
            return;
        }
        if (open.back().closer != t.closer)
            repairs.push_back({Repair::ReplaceCloser, open.back(), t.begin, nullptr, false});
        open.pop_back();
    };
    scan_brackets(text, nullptr, [&](const BracketToken& t) {
        end = t.end;
        if (t.kind == BracketToken::Open) open.push_back({t.begin, t.end - t.begin, t.closer});
        if (t.kind == BracketToken::Close) close(t);
        return repairs.size() <= Diagnostics::kMaxDiagnostics; // one more than is kept
    });
    if (repairs.size() > Diagnostics::kMaxDiagnostics) return repairs;
    for (std::size_t i = open.size(); i-- > 0;)
        repairs.push_back({Repair::InsertCloser, open[i], end, nullptr, false});
    return repairs;
}

std::vector<Repair> find_repairs(std::string_view text, const Vocabulary* vocabulary) {
    std::vector<BracketToken> tokens;
    scan_brackets(text, vocabulary, [&](const BracketToken& token) {
        tokens.push_back(token);
        return tokens.size() <= kMaxTokens;
    });
    if (tokens.size() > kMaxTokens) return repair_greedily(text);
    find_own_functions(text, tokens);
    Answer closers = Search(tokens, Search::Edits::Closers).run();
    if (closers.cost == kEdit) return std::move(closers.repairs); // beyond doubt
    Answer opener = Search(tokens, Search::Edits::OneOpener).run();
    return std::move(opener.cost < closers.cost ? opener.repairs : closers.repairs);
}

/// Insertions at one place become one error, whose edit puts all closers in.
void report_insertions(const Source& source, std::span<const Repair> repairs, Diagnostics& diagnostics) {
    std::vector<OpenBracket> opened; // outermost first; the innermost is closed first
    for (std::size_t i = repairs.size(); i-- > 0;)
        opened.push_back(repairs[i].bracket);
    diagnostics.error(unclosed_brackets(source, opened, repairs.front().offset));
}

void report(const Source& source, const Repair& repair, Diagnostics& diagnostics) {
    switch (repair.kind) {
    case Repair::InsertCloser: return;
    case Repair::DropCloser: return diagnostics.error(surplus_bracket(source, repair.offset));
    case Repair::ReplaceCloser: return diagnostics.error(mismatched_bracket(source, repair.bracket, repair.offset));
    case Repair::ReplaceOpener: return diagnostics.error(wrong_opening_bracket(source, repair.bracket, repair.offset));
    case Repair::DropOpener: return diagnostics.error(surplus_opening_bracket(source, repair.bracket));
    case Repair::InsertOpener: return diagnostics.error(missing_opening_bracket(source, repair.bracket));
    }
}

} // namespace

void repair_brackets(const Source& source, const Vocabulary* vocabulary, Diagnostics& diagnostics) {
    const std::vector<Repair> repairs = find_repairs(source.text(), vocabulary);
    for (std::size_t i = 0; i < repairs.size() && diagnostics.dropped() == 0;) {
        if (repairs[i].kind != Repair::InsertCloser) {
            report(source, repairs[i++], diagnostics);
            continue;
        }
        std::size_t end = i;
        while (end < repairs.size() && repairs[end].kind == Repair::InsertCloser &&
               repairs[end].offset == repairs[i].offset)
            ++end;
        report_insertions(source, std::span(repairs).subspan(i, end - i), diagnostics);
        i = end;
    }
}

} // namespace ptc
