// How replies are written down: {stream, status, headers, body}, and `values`, the JSON that the body carries.

const jsonHeaders = {"content-type": "application/json"};
const streamHeaders = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"};

export const json = (value, status = 200) => ({stream: false, status, headers: jsonHeaders, body: JSON.stringify(value), values: [value]});

/** A body that is no JSON, such as a gateway's. */
export const page = (status, body, type = "text/html") => ({stream: false, status, headers: {"content-type": type}, body, values: []});

/** Events whose data is `values`; with names when they have a `type` and `named`. `end` is what follows the last. */
export const sse = (values, {named = false, end = "", lineEnd = "\n"} = {}) => ({
  stream: true,
  status: 200,
  headers: streamHeaders,
  body: values.map((value) => `${named ? `event: ${value.type}${lineEnd}` : ""}data: ${JSON.stringify(value)}${lineEnd}${lineEnd}`).join("") + end,
  values,
});

/** The same stream with another text. */
export const withBody = (reply, change, values = reply.values) => ({...reply, body: change(reply.body), values});

/** The same reply with another content type. */
export const withType = (reply, type) => ({...reply, headers: {...reply.headers, "content-type": type}});
