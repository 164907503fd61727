"""What three providers take and answer. A dialect checks a request as strictly as its provider does, and writes replies its way:
a reply is {"text", "thought", "calls": [(id, name, arguments)], "tokens": (input, output, cached), "stop", "state"}, each member optional."""
import json
import re

PIECE = 5  # characters of text in an event of a stream


class Refused(Exception):
    """A request that the provider would not take: status, kind in the provider's words, message."""

    def __init__(self, message, status=400, kind=None):
        super().__init__(message)
        self.status, self.kind = status, kind


def need(condition, message):
    if not condition:
        raise Refused(message)


def only(value, members, where):
    """`value` is an object with no members but these."""
    need(isinstance(value, dict), f"{where}: not an object")
    for name in value:
        need(name in members.split(), f"{where}: unknown member {name}")


def one_of(value, words, where):
    need(value in words.split(), f"{where}: {value!r} is none of {words}")


def check_schema(schema, where):
    need(isinstance(schema, dict) and schema.get("type") == "object", f"{where}: not the schema of an object")
    need(isinstance(schema.get("properties", {}), dict), f"{where}: properties")


def check_closed(schema, where):
    """Schemas that a provider keeps to without exception: every object names all that it has, and needs it."""
    if isinstance(schema, list):
        for part in schema:
            check_closed(part, where)
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object":
        need(schema.get("additionalProperties") is False, f"{where}: additionalProperties is not false")
        need(sorted(schema.get("required", [])) == sorted(schema.get("properties", {})), f"{where}: not all properties are required")
    for part in schema.values():
        check_closed(part, where)


def pieces(text):
    return [text[i:i + PIECE] for i in range(0, len(text), PIECE)]


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class OpenAI:
    name = "openai"
    key_variable, url_variable, base_path = "OPENAI_API_KEY", "OPENAI_BASE_URL", "/v1"
    end = "data: [DONE]\n\n"
    thought = "reasoning_content"  # OpenAI shows none; servers that speak as it does
    other_limit = "max_tokens"  # the name of the highest number of tokens that this server does not take
    MEMBERS = ("model messages tools tool_choice parallel_tool_calls response_format stream stream_options max_tokens max_completion_tokens "
               "temperature top_p stop seed n user reasoning_effort metadata store service_tier prompt_cache_key")

    def check(self, request, key):
        need(request.path == "/v1/chat/completions", f"there is no {request.path}")
        if request.headers.get("authorization") != ("Bearer " + key if key else None):
            raise Refused("Incorrect API key provided.", 401, "invalid_api_key")
        body = request.body
        only(body, self.MEMBERS, "request")
        need(isinstance(body.get("model"), str) and body["model"], "you must provide a model parameter")
        need(self.other_limit not in body, f"'{self.other_limit}' is not supported")
        need("stream_options" not in body or body.get("stream") is True, "stream_options only when streaming")
        self.check_tools(body)
        self.check_messages(body.get("messages"), {tool["function"]["name"] for tool in body.get("tools", [])})
        if "response_format" in body:
            self.check_format(body["response_format"])
        one_of(body.get("reasoning_effort", "low"), "none minimal low medium high xhigh max", "reasoning_effort")
        self.check_choice(body)

    @staticmethod
    def check_choice(body):
        choice = body.get("tool_choice", "auto")
        need("tool_choice" not in body or body.get("tools"), "'tool_choice' is only allowed when 'tools' are specified")
        if isinstance(choice, str):
            return one_of(choice, "none auto required", "tool_choice")
        only(choice, "type function", "tool_choice")
        only(choice["function"], "name", "tool_choice")
        need(choice["type"] == "function" and choice["function"]["name"] in {tool["function"]["name"] for tool in body["tools"]}, "tool_choice: no such tool")

    def check_tools(self, body):
        need(body.get("tools") != [], "[] is too short - 'tools'")
        for tool in body.get("tools", []):
            only(tool, "type function", "tool")
            need(tool.get("type") == "function", "tool: type")
            function = tool.get("function")
            only(function, "name description parameters strict", "function")
            need(re.fullmatch("[a-zA-Z0-9_-]{1,64}", function.get("name", "")), "function: name")
            check_schema(function.get("parameters", {"type": "object"}), "function: parameters")
            if function.get("strict"):
                check_closed(function["parameters"], "function: parameters")

    def check_format(self, given):
        if given.get("type") in ("json_object", "text"):
            return
        only(given, "type json_schema", "response_format")
        need(given.get("type") == "json_schema", "response_format: type")
        schema = given.get("json_schema")
        only(schema, "name description schema strict", "json_schema")
        need(re.fullmatch("[a-zA-Z0-9_-]{1,64}", schema.get("name", "")), "json_schema: name")
        check_schema(schema.get("schema"), "json_schema")
        if schema.get("strict"):
            check_closed(schema["schema"], "json_schema")

    def check_messages(self, messages, tools):
        need(isinstance(messages, list) and messages, "messages: too short")
        pending = set()
        for index, message in enumerate(messages):
            where = f"messages[{index}]"
            only(message, "role content tool_calls tool_call_id name refusal", where)
            role, content = message.get("role"), message.get("content")
            if role == "tool":
                need(message.get("tool_call_id") in pending, f"{where}: answers no call")
                need(isinstance(content, str), f"{where}: content")
                pending.remove(message["tool_call_id"])
                continue
            need(not pending, f"{where}: tool_call_ids without answers: {sorted(pending)}")
            need(role in ("system", "developer", "user", "assistant"), f"{where}: role")
            calls = message.get("tool_calls")
            if role == "assistant" and calls is not None:
                need(content is None or isinstance(content, str), f"{where}: content")
                pending = self.check_calls(calls, where)
            else:
                need(calls is None and isinstance(content, str), f"{where}: content")
        need(not pending, f"tool_call_ids without answers: {sorted(pending)}")

    @staticmethod
    def check_calls(calls, where):
        need(isinstance(calls, list) and calls, f"{where}: tool_calls")
        for call in calls:
            only(call, "id type function", where)
            need(isinstance(call.get("id"), str) and call["id"] and call.get("type") == "function", f"{where}: a call")
            only(call.get("function"), "name arguments", where)
            need(isinstance(call["function"].get("arguments"), str), f"{where}: arguments are no text")
            need(isinstance(json.loads(call["function"]["arguments"]), dict), f"{where}: arguments are no object")
        ids = {call["id"] for call in calls}
        need(len(ids) == len(calls), f"{where}: an id twice")
        return ids

    def streams(self, request):
        return request.body.get("stream") is True

    def usage(self, reply):
        tokens, output, cached = reply.get("tokens", (20, 4, 0))
        return {"prompt_tokens": tokens, "completion_tokens": output, "total_tokens": tokens + output,
                "prompt_tokens_details": {"cached_tokens": cached}}

    @staticmethod
    def stop(reply):
        return reply.get("stop") or ("tool_calls" if reply.get("calls") else "stop")

    def reply(self, reply):
        calls = [{"id": id, "type": "function", "function": {"name": name, "arguments": compact(arguments)}}
                 for id, name, arguments in reply.get("calls", [])]
        message = {"role": "assistant", "content": reply.get("text"), "refusal": None, **({"tool_calls": calls} if calls else {}),
                   **({self.thought: reply["thought"]} if reply.get("thought") else {})}
        return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1700000000, "model": "gpt-test",
                "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": self.stop(reply)}], "usage": self.usage(reply)}

    def chunk(self, delta, finish=None, **rest):
        return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000, "model": "gpt-test",
                "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}], **rest}

    def events(self, reply, request=None):
        out = [self.chunk({"role": "assistant", "content": None if reply.get("calls") else ""})]
        out += [self.chunk({self.thought: piece}) for piece in pieces(reply.get("thought") or "")]
        out += [self.chunk({"content": piece}) for piece in pieces(reply.get("text") or "")]
        for index, (id, name, arguments) in enumerate(reply.get("calls", [])):
            out.append(self.chunk({"tool_calls": [{"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}]}))
            out += [self.chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}) for piece in pieces(compact(arguments))]
        out.append(self.chunk({}, self.stop(reply)))
        if request is None or (request.body.get("stream_options") or {}).get("include_usage"):
            out.append({**self.chunk({}), "choices": [], "usage": self.usage(reply)})
        return ["data: " + compact(event) + "\n\n" for event in out]

    CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}

    def error(self, status, message, kind=None):
        general = "requests" if status == 429 else "server_error" if status >= 500 else "invalid_request_error"
        return {"error": {"message": message, "type": kind or general, "param": None, "code": kind or self.CODES.get(status)}}

    def error_event(self, message):
        return "data: " + compact({"error": {"message": message, "type": "server_error", "param": None, "code": None}}) + "\n\n"


class OpenRouter(OpenAI):
    """Speaks as OpenAI does, and tells what a call cost."""
    name = "openrouter"
    key_variable, url_variable = "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL"
    thought = "reasoning"
    other_limit = "max_completion_tokens"

    def usage(self, reply):
        return {**super().usage(reply), "cost": 0.25}


class Ollama(OpenAI):
    """Speaks as OpenAI does, on one's own machine and without a key."""
    name = "ollama"
    key_variable, url_variable = "NO_KEY", "OLLAMA_BASE_URL"
    other_limit = "max_completion_tokens"


class Anthropic:
    name = "anthropic"
    key_variable, url_variable, base_path = "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", ""
    end = ""
    MEMBERS = "model max_tokens messages system tools tool_choice stream stop_sequences output_config thinking metadata service_tier cache_control"
    SAMPLING = " temperature top_p top_k"  # not in the newest version

    def check(self, request, key):
        need(request.path == "/v1/messages", f"there is no {request.path}")
        version = request.headers.get("anthropic-version")
        need(version in ("2023-06-01", "2026-10-21"), "anthropic-version: header is required")
        bearer, own = request.headers.get("authorization"), request.headers.get("x-api-key")
        if [bearer, own] not in (["Bearer " + key, None], [None, key]):
            raise Refused("invalid x-api-key", 401, "authentication_error")
        body = request.body
        only(body, self.MEMBERS + (self.SAMPLING if version == "2023-06-01" else ""), "request")
        need(isinstance(body.get("model"), str) and body["model"], "model: Field required")
        need(isinstance(body.get("max_tokens"), int) and body["max_tokens"] >= 1, "max_tokens: Field required")
        need(body.get("system") != "", "system: text content blocks must be non-empty")
        for tool in body.get("tools", []):
            only(tool, "name description input_schema type strict cache_control", "tool")
            need(re.fullmatch("[a-zA-Z0-9_-]{1,128}", tool.get("name", "")), "tools: name")
            check_schema(tool.get("input_schema"), "tools: input_schema")
        output = body.get("output_config") or {}
        only(output, "format effort", "output_config")
        if "format" in output:
            only(output["format"], "type schema", "output_config.format")
            need(output["format"].get("type") == "json_schema", "output_config.format: type")
            check_schema(output["format"].get("schema"), "output_config.format")
        one_of(output.get("effort", "low"), "low medium high xhigh max", "output_config.effort")
        self.check_choice(body)
        self.check_messages(body.get("messages"))

    @staticmethod
    def check_choice(body):
        choice, thinking = body.get("tool_choice", {"type": "auto"}), body.get("thinking", {"type": "disabled"})
        only(choice, "type name disable_parallel_tool_use", "tool_choice")
        one_of(choice.get("type"), "auto any none tool", "tool_choice.type")
        need("tool_choice" not in body or body.get("tools"), "tool_choice: may only be specified while providing tools")
        need(choice["type"] != "tool" or choice.get("name") in {tool["name"] for tool in body["tools"]}, "tool_choice.name: no such tool")
        only(thinking, "type display budget_tokens", "thinking")
        one_of(thinking.get("type"), "adaptive disabled enabled between_tools", "thinking.type")
        need(thinking["type"] == "disabled" or choice["type"] in ("auto", "none"), "Thinking may not be enabled when tool_choice forces tool use.")

    def check_messages(self, messages):
        need(isinstance(messages, list) and messages, "messages: at least one message is required")
        need(messages[0].get("role") == "user" and messages[-1].get("role") == "user", "messages: first and last are the user's")
        pending = set()
        for index, message in enumerate(messages):
            where = f"messages.{index}"
            only(message, "role content", where)
            need(message["role"] == ("user" if index % 2 == 0 else "assistant"), f"{where}: roles must alternate")
            blocks = message.get("content")
            if isinstance(blocks, str):
                need(blocks, f"{where}: text content blocks must be non-empty")
                blocks = [{"type": "text", "text": blocks}]
            need(isinstance(blocks, list) and blocks, f"{where}: content")
            pending = self.check_blocks(blocks, message["role"], pending, where)
        need(not pending, f"tool_use ids without tool_result: {sorted(pending)}")

    def check_blocks(self, blocks, role, pending, where):
        results = [block for block in blocks if block.get("type") == "tool_result"]
        need(results == blocks[:len(results)], f"{where}: tool_result blocks come first")
        need({block.get("tool_use_id") for block in results} == pending and len(results) == len(pending),
             f"{where}: tool_use ids without tool_result: {sorted(pending)}")
        ids = set()
        for block in blocks:
            kind = block.get("type")
            if kind == "text":
                only(block, "type text cache_control", where)
                need(isinstance(block.get("text"), str) and block["text"].strip(), f"{where}: text content blocks must contain non-whitespace text")
            elif kind == "tool_result":
                only(block, "type tool_use_id content is_error cache_control", where)
                need(role == "user" and isinstance(block.get("content", ""), str), f"{where}: tool_result")
            elif kind == "tool_use":
                only(block, "type id name input cache_control caller", where)
                need(role == "assistant" and isinstance(block.get("input"), dict), f"{where}: tool_use.input")
                need(re.fullmatch("[a-zA-Z0-9_-]+", block.get("id", "")) and block["id"] not in ids, f"{where}: tool_use.id")
                ids.add(block["id"])
            else:
                need(kind == "thinking" and role == "assistant" and block.get("signature"), f"{where}: {kind}")
        return ids

    def streams(self, request):
        return request.body.get("stream") is True

    @staticmethod
    def usage(reply, output=None):
        tokens, told, cached = reply.get("tokens", (20, 4, 0))
        return {"input_tokens": tokens - cached, "output_tokens": told if output is None else output, "cache_read_input_tokens": cached,
                "cache_creation_input_tokens": 0, "cache_creation": None, "inference_geo": None, "output_tokens_details": None,
                "server_tool_use": None, "service_tier": "standard", "speed": None}

    @staticmethod
    def stop(reply):
        return reply.get("stop") or ("tool_use" if reply.get("calls") else "end_turn")

    @staticmethod
    def message(content, stop, usage):
        return {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test", "content": content, "stop_reason": stop,
                "stop_sequence": None, "usage": usage, "container": None, "diagnostics": None, "stop_details": None}

    @staticmethod
    def blocks(reply):
        has_thought = reply.get("state") or reply.get("thought")
        thought = [{"type": "thinking", "thinking": reply.get("thought") or "Well.", "signature": reply.get("state") or "sig"}] if has_thought else []
        text = [{"type": "text", "text": reply["text"], "citations": None}] if reply.get("text") else []
        return thought + text + [{"type": "tool_use", "id": id, "name": name, "input": arguments, "caller": {"type": "direct"}}
                                 for id, name, arguments in reply.get("calls", [])]

    def reply(self, reply):
        return self.message(self.blocks(reply), self.stop(reply), self.usage(reply))

    @staticmethod
    def deltas(block):
        """A block as it begins, and what is added to it."""
        if block["type"] == "text":
            return {**block, "text": ""}, [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
        if block["type"] == "thinking":
            return ({**block, "thinking": "", "signature": ""},
                    [{"type": "thinking_delta", "thinking": block["thinking"]}, {"type": "signature_delta", "signature": block["signature"]}])
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *pieces(compact(block["input"]))]]

    def events(self, reply, request=None):
        out = [{"type": "message_start", "message": self.message([], None, self.usage(reply, 1))}, {"type": "ping"}]
        for index, block in enumerate(self.blocks(reply)):
            begun, deltas = self.deltas(block)
            out.append({"type": "content_block_start", "index": index, "content_block": begun})
            out += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
            out.append({"type": "content_block_stop", "index": index})
        usage = {"output_tokens": reply.get("tokens", (20, 4, 0))[1], "input_tokens": None, "cache_read_input_tokens": None,
                 "cache_creation_input_tokens": None, "output_tokens_details": None, "server_tool_use": None}
        delta = {"stop_reason": self.stop(reply), "stop_sequence": None, "container": None, "stop_details": None}
        out += [{"type": "message_delta", "delta": delta, "usage": usage}, {"type": "message_stop"}]
        return [self.event(event) for event in out]

    @staticmethod
    def event(value):
        return f"event: {value['type']}\ndata: {compact(value)}\n\n"

    KINDS = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
             409: "conflict_error", 413: "request_too_large", 429: "rate_limit_error", 504: "timeout_error", 529: "overloaded_error"}

    def error(self, status, message, kind=None):
        return {"type": "error", "error": {"type": kind or self.KINDS.get(status, "api_error"), "message": message}, "request_id": "req_1"}

    def error_event(self, message):
        return self.event({"type": "error", "error": {"type": "overloaded_error", "message": message}})


class Gemini:
    name = "gemini"
    key_variable, url_variable, base_path = "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", ""
    end = ""
    MEMBERS = "contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent"
    GENERATION = ("maxOutputTokens temperature topP topK stopSequences responseMimeType responseSchema responseJsonSchema candidateCount seed "
                  "thinkingConfig")
    STATUS = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 409: "ABORTED", 429: "RESOURCE_EXHAUSTED",
              500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"}

    def check(self, request, key):
        need(re.fullmatch(r"/v1(beta)?/models/[\w.-]+:(generateContent|streamGenerateContent\?alt=sse)", request.path), f"there is no {request.path}")
        if request.headers.get("x-goog-api-key") != key:
            raise Refused("API key not valid. Please pass a valid API key.")
        body = request.body
        only(body, self.MEMBERS, "request")
        if "systemInstruction" in body:
            only(body["systemInstruction"], "role parts", "systemInstruction")
        for tool in body.get("tools", []):
            only(tool, "functionDeclarations", "tool")
            for function in tool["functionDeclarations"]:
                only(function, "name description parameters parametersJsonSchema", "functionDeclaration")
                need(re.fullmatch("[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}", function.get("name", "")), "functionDeclaration: name")
                if "parametersJsonSchema" in function:
                    check_schema(function["parametersJsonSchema"], "functionDeclaration")
        only(body.get("generationConfig", {}), self.GENERATION, "generationConfig")
        generation = body.get("generationConfig", {})
        need("responseJsonSchema" not in generation or generation.get("responseMimeType") == "application/json", "responseMimeType")
        thinking = generation.get("thinkingConfig", {})
        only(thinking, "includeThoughts thinkingBudget thinkingLevel", "thinkingConfig")
        one_of(thinking.get("thinkingLevel", "LOW"), "MINIMAL LOW MEDIUM HIGH", "thinkingLevel")
        calling = body.get("toolConfig", {"functionCallingConfig": {}}).get("functionCallingConfig")
        only(calling, "mode allowedFunctionNames", "functionCallingConfig")
        one_of(calling.get("mode", "AUTO"), "AUTO ANY NONE VALIDATED", "functionCallingConfig.mode")
        names = {function["name"] for tool in body.get("tools", []) for function in tool["functionDeclarations"]}
        need(set(calling.get("allowedFunctionNames", [])) <= names, "allowedFunctionNames: no such function")
        self.check_contents(body.get("contents"))

    def check_contents(self, contents):
        need(isinstance(contents, list) and contents, "contents is not specified")
        need(contents[0].get("role") == "user" and contents[-1].get("role") == "user", "contents: first and last are the user's")
        calls = []
        for index, content in enumerate(contents):
            where = f"contents[{index}]"
            only(content, "role parts", where)
            need(content.get("role") in ("user", "model"), "Please use a valid role: user, model.")
            parts = content.get("parts")
            need(isinstance(parts, list) and parts, f"{where}: parts")
            for part in parts:
                only(part, "text thought thoughtSignature functionCall functionResponse", where)
                need(sum(name in part for name in ("text", "functionCall", "functionResponse")) == 1, f"{where}: a part has one kind of data")
            answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
            need(len(answers) == len(calls), "the number of function response parts is not that of the function call parts")
            for call, answer in zip(calls, answers):
                only(answer, "id name response", where)
                need(isinstance(answer.get("response"), dict) and answer.get("name") == call["name"] and answer.get("id") == call.get("id"),
                     f"{where}: functionResponse")
            calls = [part["functionCall"] for part in parts if "functionCall" in part]
            need(not calls or content["role"] == "model", f"{where}: functionCall")
            for call in calls:
                only(call, "id name args", where)
                need(isinstance(call.get("args", {}), dict), f"{where}: args")

    def streams(self, request):
        return ":streamGenerateContent" in request.path

    @staticmethod
    def stop(reply):
        return reply.get("stop") or "STOP"

    @staticmethod
    def parts(reply):
        calls = [{"functionCall": {"name": name, "args": arguments, **({"id": id} if id else {})}} for id, name, arguments in reply.get("calls", [])]
        if reply.get("state"):
            calls[0]["thoughtSignature"] = reply["state"]
        return calls

    @staticmethod
    def content(parts, stop=None, usage=None):
        return {"candidates": [{"content": {"parts": parts, "role": "model"}, **({"finishReason": stop} if stop else {}), "index": 0}],
                **({"usageMetadata": usage} if usage else {}), "modelVersion": "gemini-test", "responseId": "r1"}

    @staticmethod
    def usage(reply):
        tokens, output, cached = reply.get("tokens", (20, 4, 0))
        return {"promptTokenCount": tokens, "candidatesTokenCount": output, "totalTokenCount": tokens + output,
                **({"cachedContentTokenCount": cached} if cached else {})}

    def reply(self, reply):
        thought = [{"text": reply["thought"], "thought": True}] if reply.get("thought") else []
        text = [{"text": reply["text"]}] if reply.get("text") else []
        return self.content(thought + text + self.parts(reply), self.stop(reply), self.usage(reply))

    def events(self, reply, request=None):
        out = [self.content([{"text": piece, "thought": True}]) for piece in pieces(reply.get("thought") or "")]
        out += [self.content([{"text": piece}]) for piece in pieces(reply.get("text") or "")]
        out.append(self.content(self.parts(reply) or [{"text": ""}], self.stop(reply), self.usage(reply)))
        return ["data: " + compact(event) + "\r\n\r\n" for event in out]

    def error(self, status, message, kind=None):
        return {"error": {"code": status, "message": message, "status": kind or self.STATUS.get(status, "UNKNOWN")}}

    def error_event(self, message):
        return "data: " + compact(self.error(503, message)) + "\r\n\r\n"


DIALECTS = {dialect.name: dialect for dialect in (OpenAI(), OpenRouter(), Ollama(), Anthropic(), Gemini())}
