#include "subagent/mcp/field_words.h"
#include <algorithm>
#include <array>

namespace ptc::mcp {
namespace {

constexpr auto kWords = std::to_array<std::string_view>({
    "account",      "active",      "address",   "admin",       "after",      "age",         "altitude",
    "amount",       "argument",    "assignee",  "attachment",  "attribute",  "audio",       "author",
    "available",    "avatar",      "average",   "avg",         "balance",    "bearing",     "before",
    "begin",        "birthday",    "body",      "bottom",      "branch",     "bytes",       "can",
    "cancelled",    "capacity",    "caption",   "category",    "checksum",   "child",       "children",
    "city",         "class",       "client",    "close",       "closed",     "code",        "color",
    "comment",      "commit",      "company",   "completed",   "confidence", "config",      "contact",
    "content",      "coordinate",  "cost",      "count",       "country",    "county",      "cpu",
    "created",      "creator",     "currency",  "current",     "cursor",     "customer",    "data",
    "date",         "datetime",    "day",       "deadline",    "default",    "deleted",     "depth",
    "description",  "destination", "deviation", "digest",      "direction",  "directory",   "disabled",
    "discount",     "disk",        "distance",  "done",        "download",   "duration",    "element",
    "email",        "enabled",     "encoding",  "end",         "entry",      "error",       "expires",
    "extension",    "failed",      "fax",       "fee",         "file",       "filename",    "filter",
    "finished",     "first",       "folder",    "follower",    "following",  "font",        "fork",
    "format",       "free",        "from",      "gender",      "group",      "guid",        "has",
    "hash",         "header",      "height",    "high",        "host",       "hostname",    "hour",
    "href",         "humidity",    "icon",      "id",          "image",      "index",       "ip",
    "is",           "issue",       "item",      "key",         "kind",       "label",       "language",
    "last",         "lat",         "latest",    "latitude",    "left",       "length",      "level",
    "like",         "limit",       "link",      "list",        "lng",        "locale",      "location",
    "login",        "lon",         "longitude", "low",         "mail",       "max",         "mean",
    "median",       "member",      "memory",    "message",     "meta",       "metadata",    "method",
    "milestone",    "mime",        "min",       "minute",      "mobile",     "modified",    "month",
    "name",         "nationality", "new",       "next",        "node",       "note",        "object",
    "offset",       "ok",          "old",       "open",        "option",     "optional",    "order",
    "organization", "origin",      "owner",     "page",        "pages",      "param",       "parent",
    "passed",       "path",        "pending",   "percent",     "percentage", "permission",  "person",
    "phone",        "photo",       "port",      "position",    "postal",     "postcode",    "pressure",
    "prev",         "previous",    "price",     "priority",    "private",    "probability", "process",
    "project",      "property",    "protocol",  "province",    "public",     "pull",        "quantity",
    "query",        "rank",        "rate",      "rating",      "ratio",      "read",        "reason",
    "recipient",    "record",      "ref",       "region",      "related",    "repository",  "required",
    "response",     "result",      "reviewer",  "revision",    "right",      "role",        "row",
    "scope",        "score",       "second",    "sender",      "setting",    "severity",    "sha",
    "share",        "signature",   "since",     "size",        "skipped",    "sort",        "source",
    "speed",        "star",        "start",     "started",     "state",      "status",      "street",
    "subject",      "subtotal",    "success",   "sum",         "summary",    "tag",         "target",
    "task",         "tax",         "temp",      "temperature", "text",       "thread",      "thumbnail",
    "time",         "timestamp",   "timezone",  "title",       "to",         "todo",        "token",
    "top",          "total",       "town",      "type",        "unit",       "until",       "updated",
    "uri",          "url",         "usage",     "used",        "user",       "username",    "uuid",
    "valid",        "value",       "variance",  "verified",    "version",    "video",       "view",
    "visible",      "volume",      "vote",      "warning",     "week",       "weight",      "width",
    "wind",         "write",       "x",         "y",           "year",       "z",           "zip",
});
static_assert(std::ranges::is_sorted(kWords));

} // namespace

bool is_field_word(std::string_view word) {
    if (std::ranges::binary_search(kWords, word)) return true;
    return word.size() > 3 && word.ends_with('s') &&
           std::ranges::binary_search(kWords, word.substr(0, word.size() - 1));
}

} // namespace ptc::mcp
