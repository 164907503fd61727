"""Reads what Clojure and ptcc print (EDN), for comparing: keywords, symbols and texts are one, as JSON has texts only where programs
write keywords; lists and vectors are one; numbers are compared by value."""
import math


class Bad(Exception):
    pass


ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
CHARACTERS = {"newline": "\n", "space": " ", "tab": "\t", "return": "\r", "backspace": "\b", "formfeed": "\f"}
CLOSING = {"(": ")", "[": "]", "{": "}"}


class Reader:
    def __init__(self, text):
        self.text = text
        self.at = 0

    def peek(self):
        while self.at < len(self.text) and (self.text[self.at].isspace() or self.text[self.at] == ","):
            self.at += 1
        return self.text[self.at:self.at + 1]

    def items(self, closing):
        out = []
        while self.peek() != closing:
            if not self.peek():
                raise Bad("the text ends early")
            out.append(self.value())
        self.at += 1
        return out

    def string(self):
        out = []
        while True:
            c = self.text[self.at:self.at + 1]
            self.at += 1
            if c in ('"', ""):
                return "".join(out)
            if c != "\\":
                out.append(c)
                continue
            c = self.text[self.at]
            self.at += 1
            if c == "u":
                out.append(chr(int(self.text[self.at:self.at + 4], 16)))
                self.at += 4
            else:
                out.append(ESCAPES.get(c, c))

    def token(self):
        begin = self.at
        while self.at < len(self.text) and not self.text[self.at].isspace() and self.text[self.at] not in ',()[]{}"':
            self.at += 1
        return self.text[begin:self.at]

    def value(self):
        """Nested tuples with a tag in front: what can be compared, and be a member of a set."""
        c = self.peek()
        if c == "#" and self.text[self.at + 1:self.at + 2] == "{":
            self.at += 2
            return ("set", frozenset(self.items("}")))
        if c == "#":
            self.at += 1
            self.token()
            return self.value()
        if c in CLOSING:
            self.at += 1
            items = self.items(CLOSING[c])
            if c != "{":
                return ("list", tuple(items))
            return ("map", frozenset(zip(items[::2], items[1::2])))
        if c == '"':
            self.at += 1
            return ("text", self.string())
        if c == "\\":
            self.at += 1
            if self.text[self.at] in '()[]{}",;':
                self.at += 1
                return ("text", self.text[self.at - 1])
            name = self.text[self.at] + (self.at + 1 < len(self.text) and self._rest() or "")
            return ("text", CHARACTERS.get(name, name))
        return atom(self.token())

    def _rest(self):
        self.at += 1
        return self.token()


def atom(token):
    if not token:
        raise Bad("no value")
    if token in ("nil", "true", "false"):
        return (token,)
    if token.startswith("::") or token.startswith(":"):
        return ("text", token.lstrip(":"))
    if token.startswith("##"):
        return ("text", token[2:])
    digits = token.rstrip("NM")
    try:
        if "/" in digits:
            over, under = digits.split("/")
            return number(int(over) / int(under))
        return number(float(digits) if any(c in digits for c in ".eE") else int(digits))
    except ValueError:
        return ("text", token)


def number(n):
    """To nine digits, as sums of floats depend on their order."""
    if isinstance(n, int) and abs(n) >= 1 << 53:
        return ("number", str(n))
    if n == 0 or math.isinf(n) or math.isnan(n):
        return ("number", str(float(n)))
    return ("number", "%.9g" % n)


def comparable(text):
    """The value that a text spells, so that == tells whether two are the same."""
    reader = Reader(text)
    value = reader.value()
    if reader.peek():
        raise Bad("there is more behind the value")
    return value
