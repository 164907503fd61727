// HTTP/1.1 on Boost.Beast and Asio, on one thread. A Connection reads a request, hands it out with a Responder, and
// writes what the Responder is given, in pieces; it lives as long as an operation of its own is under way. Heads are
// judged before bodies are read, and who keeps the server waiting goes first when there is no more room. Responders may
// be used on any thread and post everything to the server's. Requests that proxies could read in two ways are refused.
#include "tools/serve/http_server.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cctype>
#include <csignal>
#include <deque>
#include <map>
#include <optional>
#include <poll.h>
#include <regex>
#include <set>
#include <sys/resource.h>
#include <utility>

namespace ptc {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;
using ErrorCode = boost::system::error_code;

constexpr std::chrono::seconds kLinger{2};
constexpr std::size_t kMostDrained = std::size_t{64} << 20; ///< of what a client sends after its answer
constexpr std::size_t kSlice = std::size_t{256} << 10; ///< of an answer, that a client takes in the time for a write
constexpr std::size_t kReadAhead = 64u << 10; ///< bytes beside headers; also bounds chunk extensions and trailers
constexpr std::chrono::milliseconds kPollForEnd{250};
// At the end, for what waits for a time; whoever has not answered by then keeps its connection.
constexpr std::chrono::milliseconds kRound{50};
constexpr int kMostRounds = 20;

std::string text_of(beast::string_view view) { return {view.data(), view.size()}; }

/// See HttpRequest::client.
std::string client_of(const asio::ip::address& address) {
    if (!address.is_v6() || address.to_v6().is_loopback()) return address.to_string();
    if (address.to_v6().is_v4_mapped())
        return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
    auto bytes = address.to_v6().to_bytes();
    std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
    return asio::ip::make_address_v6(bytes).to_string();
}

/// What the headers say.
template <class Fields> HttpRequest head_of(const Fields& message, bool keeps_headers) {
    HttpRequest request;
    request.method = text_of(message.method_string());
    request.path = text_of(message.target());
    request.path.resize(std::min(request.path.size(), request.path.find('?')));
    request.host = host_name(text_of(message[http::field::host]));
    const beast::string_view site = message["Sec-Fetch-Site"];
    request.is_of_a_page = message.count(http::field::origin) > 0 || !(site.empty() || site == "none");
    request.authorization = text_of(message[http::field::authorization]);
    if (!keeps_headers) return request;
    for (const auto& field : message) {
        std::string name = text_of(field.name_string());
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        request.headers.emplace_back(std::move(name), text_of(field.value()));
    }
    return request;
}

/// Of an answer: what frames it, and what may be long and is never copied.
struct Piece {
    std::string head{}, body{}, tail{};
    [[nodiscard]] std::size_t size() const { return head.size() + body.size() + tail.size(); }
};

/// The bytes `from` to `end` of it.
std::array<asio::const_buffer, 3> slice_of(const Piece& piece, std::size_t from, std::size_t end) {
    std::array<asio::const_buffer, 3> slice;
    std::size_t begin = 0, count = 0; // of the part, in the piece
    for (const std::string* part : {&piece.head, &piece.body, &piece.tail}) {
        const std::size_t first = std::clamp(from, begin, begin + part->size());
        const std::size_t last = std::clamp(end, begin, begin + part->size());
        slice[count++] = asio::buffer(part->data() + (first - begin), last - first);
        begin += part->size();
    }
    return slice;
}

class Connection;

/// What connections share. Everything but what says `gone` is touched on the server's thread only.
struct Shared {
    Shared(HttpLimits l, HttpGate g, HttpHandler h, HttpErrorBody e)
        : limits(l), gate(std::move(g)), handler(std::move(h)), error_body(std::move(e)) {}
    /// Ends a connection that waits for its client, if there is one besides `wants`.
    bool make_room(const Connection* wants);
    /// Ends the connection whose client leaves most of its answer unread. False where there is one at most.
    bool end_most_unread();
    asio::io_context context{1};
    HttpLimits limits;
    HttpGate gate;
    HttpHandler handler;
    HttpErrorBody error_body;
    std::set<Connection*> connections;
    std::uint64_t last_number = 0;
    std::size_t arriving_bytes = 0; ///< that bodies under way may have
    std::size_t unsent_bytes = 0;   ///< of all connections
    bool is_stopping = false;
    std::function<void()> on_idle{}; ///< a connection ended
};

/// One client: a request is read, handed out, answered; then the next one is read.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(tcp::socket socket, std::shared_ptr<Shared> shared)
        : stream_(std::move(socket)), shared_(std::move(shared)),
          buffer_(shared_->limits.max_header_bytes + kReadAhead) {
        shared_->connections.insert(this);
        ErrorCode ignored;
        address_ = stream_.socket().remote_endpoint(ignored).address();
    }
    ~Connection() {
        has_arrived();
        has_sent(unsent_bytes_);
        shared_->connections.erase(this);
        if (shared_->on_idle) shared_->on_idle();
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void start() { read(); }
    void refuse(int status, std::string_view message) {
        is_last_ = true;
        answer({.status = status, .body = shared_->error_body(status, message), .headers = {}});
    }
    /// At a stop: a connection that waits for a request ends.
    void close_if_idle() {
        is_last_ = true;
        if (!is_busy_) close();
    }
    void close() {
        ErrorCode ignored;
        stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
        stream_.close();
        has_arrived();
        mark_gone();
    }
    /// It waits for a request, or the rest of one.
    [[nodiscard]] bool waits_for_client() const { return !is_busy_ && !is_closed_; }
    [[nodiscard]] const asio::ip::address& address() const { return address_; }
    [[nodiscard]] std::uint64_t waits_since() const { return waits_since_; } ///< in order, not in time
    [[nodiscard]] std::size_t unsent_bytes() const { return unsent_bytes_; }

private:
    class Responder;
    friend class Responder;

    void read();
    void on_header(ErrorCode error);
    void read_body();
    void refuse_for_room() {
        has_arrived();
        refuse(503, "Too many requests are arriving.");
    }
    [[nodiscard]] bool may_arrive(std::size_t bytes);
    void has_arrived() { shared_->arriving_bytes -= std::exchange(arriving_bytes_, 0); }
    void has_sent(std::size_t bytes) {
        bytes = std::min(bytes, unsent_bytes_);
        unsent_bytes_ -= bytes;
        shared_->unsent_bytes -= bytes;
    }
    void on_request(ErrorCode error);
    void on_read_error(ErrorCode error);
    void watch();
    void poll_for_end();
    [[nodiscard]] bool is_refused_framing() const;
    void mark_gone();
    void answer(HttpReply reply);
    void begin_stream(const HttpHeaders& headers);
    void send(std::string bytes);
    void end_stream();
    void push(Piece piece);
    void write_next();
    void write_slice(const std::shared_ptr<const Piece>& piece, std::size_t from);
    void finish_answer();
    void drain();
    template <class Message> static std::string head_text(const Message& message);

    beast::tcp_stream stream_;
    std::shared_ptr<Shared> shared_;
    beast::flat_buffer buffer_;
    std::optional<http::request_parser<http::string_body>> parser_;
    std::shared_ptr<std::stop_source> gone_; ///< of the request under way
    std::deque<Piece> unsent_;
    std::size_t unsent_bytes_ = 0;   ///< its part of Shared's
    std::size_t arriving_bytes_ = 0; ///< its part of Shared's
    std::uint64_t waits_since_ = 0;
    asio::ip::address address_;
    unsigned version_ = 11;
    bool is_busy_ = false; ///< a request is being answered
    std::size_t drained_ = 0;
    bool is_last_ = false; ///< the connection ends with this answer
    bool is_over_ = false; ///< all of the answer is in unsent_
    bool is_writing_ = false;
    bool is_closed_ = false;
    bool is_head_ = false; ///< the request wants the head of its answer only
};

bool Shared::make_room(const Connection* wants) {
    std::map<asio::ip::address, std::size_t> counts;
    for (const Connection* connection : connections)
        ++counts[connection->address()];
    Connection* oldest = nullptr;
    for (Connection* connection : connections) {
        if (connection == wants || !connection->waits_for_client()) continue;
        const std::size_t count = counts[connection->address()], most = oldest ? counts[oldest->address()] : 0;
        if (count > most || (count == most && connection->waits_since() < oldest->waits_since())) oldest = connection;
    }
    if (!oldest) return false;
    oldest->close();
    return true;
}

bool Shared::end_most_unread() {
    std::map<asio::ip::address, std::size_t> sums;
    for (const Connection* connection : connections)
        sums[connection->address()] += connection->unsent_bytes();
    Connection* worst = nullptr;
    std::size_t count = 0;
    for (Connection* connection : connections) {
        if (connection->unsent_bytes() == 0) continue;
        ++count;
        const auto weight = [&](const Connection& one) { return std::pair(sums[one.address()], one.unsent_bytes()); };
        if (!worst || weight(*connection) > weight(*worst)) worst = connection;
    }
    if (count < 2) return false;
    worst->close();
    return true;
}

/// Hands over to the server's thread.
class Connection::Responder : public HttpResponder {
public:
    Responder(std::shared_ptr<Connection> connection, std::shared_ptr<std::stop_source> gone)
        : connection_(std::move(connection)), gone_(std::move(gone)) {}
    ~Responder() override {
        auto& context = connection_->shared_->context;
        const bool is_answered = is_answered_;
        asio::post(context, [connection = std::move(connection_), is_answered] {
            if (!is_answered) connection->close();
        });
    }
    Responder(const Responder&) = delete;
    Responder& operator=(const Responder&) = delete;

    void reply(HttpReply reply) override {
        is_answered_ = true;
        post([reply = std::move(reply)](Connection& c) mutable { c.answer(std::move(reply)); });
    }
    void begin_stream(HttpHeaders headers) override {
        post([headers = std::move(headers)](Connection& c) { c.begin_stream(headers); });
    }
    void send(std::string bytes) override {
        post([bytes = std::move(bytes)](Connection& c) mutable { c.send(std::move(bytes)); });
    }
    void end_stream() override {
        is_answered_ = true;
        post([](Connection& c) { c.end_stream(); });
    }
    [[nodiscard]] std::stop_token gone() const override { return gone_->get_token(); }

private:
    template <class Action> void post(Action action) {
        asio::post(connection_->shared_->context,
                   [connection = connection_, gone = gone_, action = std::move(action)]() mutable {
                       if (connection->gone_ == gone) action(*connection);
                   });
    }
    std::shared_ptr<Connection> connection_;
    const std::shared_ptr<std::stop_source> gone_;
    bool is_answered_ = false;
};

void Connection::read() {
    if (shared_->is_stopping) return close();
    is_busy_ = is_over_ = is_head_ = false;
    waits_since_ = ++shared_->last_number;
    parser_.emplace();
    parser_->body_limit(shared_->limits.max_body_bytes);
    parser_->header_limit(static_cast<std::uint32_t>(shared_->limits.max_header_bytes));
    stream_.expires_after(shared_->limits.read_timeout);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](ErrorCode error, std::size_t) { self->on_header(error); });
}

/// What servers and proxies may take for different requests (RFC 9112, sections 3.2 and 6.1), or for those of others.
bool Connection::is_refused_framing() const {
    const auto& fields = parser_->get();
    const auto encoding = fields.find(http::field::transfer_encoding);
    const bool is_known = encoding == fields.end() || (beast::iequals(encoding->value(), "chunked") &&
                                                       fields.count(http::field::transfer_encoding) == 1);
    constexpr http::field kSingle[] = {http::field::host, http::field::authorization, http::field::origin,
                                       http::field::content_type, http::field::content_length};
    return !is_known || std::ranges::any_of(kSingle, [&](http::field name) { return fields.count(name) > 1; });
}

/// Takes what the body is to be from what all may be that are on their way; of chunks nobody knows before they come.
bool Connection::may_arrive(std::size_t bytes) {
    const std::size_t all = std::max(shared_->limits.max_arriving_bytes, shared_->limits.max_body_bytes);
    const std::size_t more = bytes - std::min(bytes, arriving_bytes_);
    while (shared_->arriving_bytes + more > all && shared_->make_room(this))
        continue;
    if (shared_->arriving_bytes + more > all) return false;
    shared_->arriving_bytes += more;
    arriving_bytes_ += more;
    return true;
}

void Connection::on_header(ErrorCode error) {
    if (error) return on_read_error(error);
    if (is_refused_framing()) return refuse(400, "The request is malformed.");
    version_ = parser_->get().version();
    is_head_ = parser_->get().method() == http::verb::head;
    if (std::optional<HttpReply> refusal = shared_->gate(head_of(parser_->get(), shared_->limits.keeps_headers))) {
        is_last_ = is_last_ || !parser_->is_done() || !parser_->get().keep_alive();
        is_busy_ = true;
        return answer(std::move(*refusal));
    }
    const std::uint64_t length = parser_->content_length().value_or(0);
    if (!may_arrive(std::min<std::uint64_t>(length, shared_->limits.max_body_bytes))) return refuse_for_room();
    if (!beast::iequals(parser_->get()[http::field::expect], "100-continue")) return read_body();
    static const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(go_on), [self = shared_from_this()](ErrorCode failed, std::size_t) {
        if (!failed) self->read_body();
    });
}

void Connection::read_body() {
    if (parser_->is_done()) return on_request({});
    http::async_read_some(stream_, buffer_, *parser_, [self = shared_from_this()](ErrorCode error, std::size_t) {
        if (error) return self->on_request(error);
        if (!self->may_arrive(self->parser_->get().body().size())) return self->refuse_for_room();
        self->read_body();
    });
}

void Connection::on_read_error(ErrorCode error) {
    if (error == http::error::body_limit)
        return refuse(413, "The body is larger than " + std::to_string(shared_->limits.max_body_bytes) + " bytes.");
    if (error == http::error::header_limit || error == http::error::buffer_overflow)
        return refuse(431, "The headers are too long.");
    const bool is_end = error == http::error::end_of_stream || error == http::error::partial_message;
    if (error.category() == http::make_error_code(http::error::bad_method).category() && !is_end)
        return refuse(400, "The request is malformed.");
    close(); // the client went, or took too long
}

void Connection::on_request(ErrorCode error) {
    has_arrived();
    if (error) return on_read_error(error);
    http::request<http::string_body> message = parser_->release();
    is_last_ = is_last_ || !message.keep_alive() || shared_->is_stopping;
    is_busy_ = true;
    gone_ = std::make_shared<std::stop_source>();
    HttpRequest request = head_of(message, shared_->limits.keeps_headers);
    request.client = client_of(address_);
    request.body = std::move(message.body());
    stream_.expires_never(); // as long as a mission takes
    watch();
    shared_->handler(std::move(request), std::make_shared<Responder>(shared_from_this(), gone_));
}

/// Notices when the client goes while its answer is made. It may have closed its own direction only, which looks the
/// same: whoever answers may stop, but what is answered all the same is sent. What the client sends already, the next
/// request, stays unread.
void Connection::watch() {
    stream_.socket().async_wait(tcp::socket::wait_read, [self = shared_from_this(), gone = gone_](ErrorCode error) {
        if (self->gone_ != gone || !self->is_busy_ || error) return;
        ErrorCode failed;
        if (self->stream_.socket().available(failed) == 0 || failed) return void(gone->request_stop());
        self->poll_for_end();
    });
}

/// The end of a client that has sent more than its request: it lies behind bytes that are not read yet.
void Connection::poll_for_end() {
    const auto timer = std::make_shared<asio::steady_timer>(stream_.get_executor(), kPollForEnd);
    timer->async_wait([self = shared_from_this(), gone = gone_, timer](ErrorCode) {
        if (self->gone_ != gone || !self->is_busy_ || self->is_closed_) return;
        pollfd end{.fd = self->stream_.socket().native_handle(), .events = POLLRDHUP, .revents = 0};
        if (::poll(&end, 1, 0) == 1) return void(gone->request_stop());
        self->poll_for_end();
    });
}

void Connection::mark_gone() {
    is_closed_ = true;
    if (gone_) gone_->request_stop();
    unsent_.clear();
    has_sent(unsent_bytes_);
}

/// Without the body, which for a stream would be an end of chunks.
template <class Message> std::string Connection::head_text(const Message& message) {
    std::ostringstream out;
    out << message.base();
    return out.str();
}

void Connection::answer(HttpReply reply) {
    http::response<http::empty_body> message(static_cast<http::status>(reply.status), version_);
    if (!reply.body.empty()) message.set(http::field::content_type, "application/json");
    for (const auto& [name, value] : reply.headers)
        message.set(name, value);
    message.keep_alive(!is_last_);
    if (reply.status != 204) message.content_length(reply.body.size());
    is_over_ = true;
    push({.head = head_text(message), .body = is_head_ ? std::string() : std::move(reply.body)});
}

void Connection::begin_stream(const HttpHeaders& headers) {
    http::response<http::empty_body> message(http::status::ok, version_);
    for (const auto& [name, value] : headers)
        message.set(name, value);
    message.set(http::field::content_type, "text/event-stream");
    message.set(http::field::cache_control, "no-cache");
    is_last_ = is_last_ || version_ < 11; // its end is that of the connection
    message.keep_alive(!is_last_);
    if (version_ >= 11) message.set(http::field::transfer_encoding, "chunked");
    push({.head = head_text(message)});
}

void Connection::send(std::string bytes) {
    if (bytes.empty()) return; // the chunk that ends a stream
    if (version_ < 11) return push({.body = std::move(bytes)});
    std::ostringstream size;
    size << std::hex << bytes.size() << "\r\n";
    push({.head = size.str(), .body = std::move(bytes), .tail = "\r\n"});
}

void Connection::end_stream() {
    is_over_ = true;
    push({.head = version_ >= 11 ? "0\r\n\r\n" : ""});
}

void Connection::push(Piece piece) {
    if (is_closed_) return;
    unsent_bytes_ += piece.size();
    shared_->unsent_bytes += piece.size();
    unsent_.push_back(std::move(piece));
    // A result that is larger than that by itself goes out all the same: it is bounded, and there is one of it.
    if (unsent_.size() > 1 && unsent_bytes_ > shared_->limits.max_unsent_bytes) return close();
    const auto self = shared_from_this(); // it may be the one that ends
    while (shared_->unsent_bytes > shared_->limits.max_unsent_of_all && shared_->end_most_unread()) {
    }
    if (!is_writing_ && !is_closed_) write_next();
}

void Connection::write_next() {
    if (unsent_.empty()) {
        stream_.expires_never();
        if (is_over_) finish_answer();
        return;
    }
    is_writing_ = true;
    const auto piece = std::make_shared<const Piece>(std::move(unsent_.front()));
    unsent_.pop_front();
    write_slice(piece, 0);
}

/// The time to write is for each slice, so that who reads slowly, but reads, has all of a long answer.
void Connection::write_slice(const std::shared_ptr<const Piece>& piece, std::size_t from) {
    const std::size_t end = std::min(piece->size(), from + kSlice);
    stream_.expires_after(shared_->limits.write_timeout);
    asio::async_write(stream_, slice_of(*piece, from, end),
                      [self = shared_from_this(), piece, end](ErrorCode error, std::size_t count) {
                          if (!error && end < piece->size()) {
                              self->has_sent(count);
                              return self->write_slice(piece, end);
                          }
                          self->is_writing_ = false;
                          if (error) return self->close();
                          self->has_sent(count);
                          self->write_next();
                      });
}

void Connection::finish_answer() {
    gone_.reset();
    ErrorCode ignored;
    stream_.socket().cancel(ignored); // `watch`
    if (!is_last_) return read();
    is_busy_ = false;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(kLinger);
    drain();
}

/// What the client still sends is read for a while: closing at once could take back the answer that is on its way.
void Connection::drain() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(1 << 14), [self = shared_from_this()](ErrorCode error, std::size_t count) {
        self->drained_ += count;
        error || self->drained_ > kMostDrained ? self->close() : self->drain();
    });
}

} // namespace

std::string host_name(const std::string& host) {
    static const std::regex form(R"((?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::[0-9]{0,5})?)");
    std::smatch parts;
    if (host.size() > 255 || !std::regex_match(host, parts, form)) return "";
    std::string name = parts[parts[1].matched ? 1 : 2];
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
}

const std::string* HttpRequest::header(std::string_view name) const {
    const auto found = std::ranges::find(headers, name, &std::pair<std::string, std::string>::first);
    return found == headers.end() ? nullptr : &found->second;
}

struct HttpServer::Impl {
    std::shared_ptr<Shared> shared;
    tcp::acceptor acceptor;
    std::optional<asio::signal_set> signals{};
    std::optional<asio::steady_timer> deadline{};
    std::optional<asio::steady_timer> ticker{};
    bool is_cut_off = false;

    explicit Impl(std::shared_ptr<Shared> s) : shared(std::move(s)), acceptor(shared->context) {}
    /// What is under way holds its connection, and that the context in which it waits: neither would ever go.
    ~Impl() {
        shared->on_idle = {};
        signals.reset();
        deadline.reset();
        ticker.reset();
        ErrorCode ignored;
        acceptor.close(ignored);
        for (Connection* connection : std::set<Connection*>(shared->connections))
            connection->close();
        shared->context.restart();
        for (int i = 0; i < kMostRounds && !shared->connections.empty(); ++i)
            shared->context.run_one_for(kRound);
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void accept() {
        acceptor.async_accept([this](ErrorCode error, tcp::socket socket) {
            if (!acceptor.is_open()) return;
            if (!error) take(std::move(socket));
            // Out of descriptors, say: then one that waits for its client makes room, too.
            if (error == asio::error::no_descriptors) (void)shared->make_room(nullptr);
            if (error && error != asio::error::connection_aborted) return pause();
            accept();
        });
    }
    void take(tcp::socket socket) {
        ErrorCode ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        const bool is_full =
            shared->connections.size() >= shared->limits.max_connections && !shared->make_room(nullptr);
        const auto connection = std::make_shared<Connection>(std::move(socket), shared);
        if (is_full) return connection->refuse(503, "There are too many connections.");
        connection->start();
    }
    void pause() {
        const auto timer = std::make_shared<asio::steady_timer>(shared->context, std::chrono::milliseconds(100));
        timer->async_wait([this, timer](ErrorCode) {
            if (acceptor.is_open()) accept();
        });
    }
    void tick(std::chrono::milliseconds interval, const std::function<void()>& action) {
        ticker.emplace(shared->context, interval);
        ticker->async_wait([this, interval, action](ErrorCode error) {
            if (error) return;
            action();
            tick(interval, action);
        });
    }
    void end_when_idle() {
        if (shared->is_stopping && shared->connections.empty()) shared->context.stop();
    }
    void cut_off() {
        is_cut_off = !shared->connections.empty();
        shared->context.stop();
    }
    void stop(std::chrono::milliseconds grace, const std::function<void()>& on_stop) {
        if (shared->is_stopping) return cut_off();
        shared->is_stopping = true;
        acceptor.close();
        on_stop();
        deadline.emplace(shared->context, grace);
        deadline->async_wait([this](ErrorCode error) {
            if (!error) cut_off();
        });
        wait_for_signal(grace, on_stop);
        shared->on_idle = [this] { asio::post(shared->context, [this] { end_when_idle(); }); };
        for (Connection* connection : std::set<Connection*>(shared->connections))
            connection->close_if_idle();
        end_when_idle();
    }
    void wait_for_signal(std::chrono::milliseconds grace, const std::function<void()>& on_stop) {
        signals->async_wait([this, grace, &on_stop](ErrorCode error, int) {
            if (!error) stop(grace, on_stop);
        });
    }
};

namespace {

/// As many connections as there may be descriptors for, beside those of everything else. The process takes as many as
/// that needs, if it may.
std::size_t that_fit(std::size_t connections) {
    constexpr rlim_t kOthers = 96;
    const rlim_t needed = connections + kOthers;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return connections;
    const rlimit raised{.rlim_cur = std::min(needed, limit.rlim_max), .rlim_max = limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
    const rlim_t left = limit.rlim_cur > 2 * kOthers ? limit.rlim_cur - kOthers : limit.rlim_cur / 2;
    return std::clamp<std::size_t>(left, 1, connections);
}

} // namespace

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::listen(const std::string& host, std::uint16_t port, HttpLimits limits,
                                                       HttpGate gate, HttpHandler handler, HttpErrorBody error_body) {
    const auto failed = [&](const std::string& why) {
        return Error(Reason::InvalidRequest,
                     "Cannot listen on " + host + ":" + std::to_string(port) + ": " + why + ".");
    };
    ErrorCode error;
    const auto address = asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
    if (error) return failed("this is no IP address");
    limits.max_connections = that_fit(limits.max_connections);
    auto impl = std::make_unique<Impl>(
        std::make_shared<Shared>(limits, std::move(gate), std::move(handler), std::move(error_body)));
    const tcp::endpoint endpoint(address, port);
    impl->acceptor.open(endpoint.protocol(), error);
    if (!error) impl->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) impl->acceptor.bind(endpoint, error);
    if (!error) impl->acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) return failed(error.message());
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

std::uint16_t HttpServer::port() const { return impl_->acceptor.local_endpoint().port(); }
bool HttpServer::is_loopback() const { return impl_->acceptor.local_endpoint().address().is_loopback(); }

void HttpServer::every(std::chrono::milliseconds interval, std::function<void()> action) {
    impl_->tick(interval, action);
}

bool HttpServer::run(std::chrono::milliseconds grace, const std::function<void()>& on_stop) {
    impl_->signals.emplace(impl_->shared->context, SIGINT, SIGTERM);
    impl_->wait_for_signal(grace, on_stop);
    impl_->accept();
    impl_->shared->context.run();
    impl_->shared->on_idle = {};
    return !impl_->is_cut_off;
}

void HttpServer::run_until_end() {
    impl_->accept();
    impl_->shared->context.run();
}

void HttpServer::end() { impl_->shared->context.stop(); }

} // namespace ptc
