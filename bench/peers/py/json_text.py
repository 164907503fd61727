"""A JSON reader and writer written in the language itself: character tests, recursive descent, strings put together."""
import re

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
UNESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
SPACE = re.compile(r"[ \n\t\r]*")
NUMBER = re.compile(r"[-+.eE0-9]+")
SPECIAL = re.compile(r'["\\]')
UNSAFE = re.compile(r'["\\\n\t]')


# Each of these gets the text and a position, and gives the value and the position behind it.
def parse_string(text, start):
    parts = []
    at = start + 1
    while True:
        i = SPECIAL.search(text, at).start()
        parts.append(text[at:i])
        if text[i] == '"':
            return "".join(parts), i + 1
        c = text[i + 1]
        if c == "u":
            parts.append(chr(int(text[i + 2 : i + 6], 16)))
            at = i + 6
        else:
            parts.append(ESCAPES.get(c, c))
            at = i + 2


def parse_number(text, start):
    found = NUMBER.match(text, start)
    digits = found[0]
    return float(digits) if "." in digits or "e" in digits or "E" in digits else int(digits), found.end()


def skip_space(text, at):
    return SPACE.match(text, at).end()


def next_item(text, at):
    at = skip_space(text, at)
    return skip_space(text, at + 1) if text[at] == "," else at


def parse_array(text, start):
    items = []
    i = skip_space(text, start + 1)
    while text[i] != "]":
        item, i = parse_value(text, i)
        items.append(item)
        i = next_item(text, i)
    return items, i + 1


def parse_object(text, start):
    fields = {}
    i = skip_space(text, start + 1)
    while text[i] != "}":
        key, i = parse_string(text, i)
        value, i = parse_value(text, skip_space(text, i) + 1)
        fields[key] = value
        i = next_item(text, i)
    return fields, i + 1


def parse_value(text, start):
    i = skip_space(text, start)
    c = text[i]
    if c == "{":
        return parse_object(text, i)
    if c == "[":
        return parse_array(text, i)
    if c == '"':
        return parse_string(text, i)
    if c == "t":
        return True, i + 4
    if c == "f":
        return False, i + 5
    if c == "n":
        return None, i + 4
    return parse_number(text, i)


def write_string(text):
    return '"' + UNSAFE.sub(lambda found: UNESCAPES[found[0]], text) + '"'


def write_value(value):
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return write_string(value)
    if isinstance(value, list):
        return "[" + ",".join([write_value(item) for item in value]) + "]"
    if isinstance(value, dict):
        return "{" + ",".join([write_string(key) + ":" + write_value(value[key]) for key in sorted(value)]) + "}"
    return str(value)


def count_values(value):
    if isinstance(value, list):
        return 1 + sum(map(count_values, value))
    if isinstance(value, dict):
        return 1 + sum(map(count_values, value.values()))
    return 1


def run(data):
    text, values = data["text"], 0
    for _ in range(data["rounds"]):
        value = parse_value(text, 0)[0]
        values += count_values(value)
        text = write_value(value)
    h = values
    for byte in text.encode():
        h = (h * 31 + byte) % 1000000007
    return h
