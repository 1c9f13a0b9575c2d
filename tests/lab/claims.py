# SPDX-License-Identifier: LGPL-3.0-or-later
"""What the proofs of ranges (*ranges.py, next to the code that relies on them) share: claims; constants, tables and
expressions, read from the C and CUDA sources; the named primes; the radices that a proof tries; intervals.

Paths are those from the root of the repository. A script ends with status 1 at the first claim that does not hold, and
at the first constant that it does not find.
"""
import ast
import os
import re
import sys
from collections import namedtuple
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORD = 1 << 64
TYPES = {"uint64_t": 64, "u64": 64, "size_t": 64, "uint32_t": 32, "u32": 32, "unsigned": 32, "int": None}
LIMITS = {"UINT64_MAX": 64, "UINT32_MAX": 32}
OPERATORS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", ">", "<=", ">="], ["<<", ">>"], ["+", "-"],
             ["*", "/", "%"]]
NAME = r"NAMED\(\w+\)|[A-Za-z_]\w*(?:(?:::|\.|->)\w+|\[\w+\])*"
TOKEN = re.compile(rf"0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*|{NAME}|\|\||&&|<<|>>|[=!<>]=|\S")

Named = namedtuple("Named", "name k r")
claims = 0  # that held so far


# ---- claims ----


def claim(condition, text):
    """Ends the script with status 1 unless the condition holds."""
    global claims
    if not condition:
        sys.exit(f"{script()}: this claim does not hold: {text}")
    claims += 1


def need(condition, text):
    """Ends the script unless the condition holds, which is no claim: what is read has the form that is expected."""
    if not condition:
        sys.exit(f"{script()}: {text}: not so")


def script():
    return os.path.relpath(sys.argv[0], ROOT)


def all_hold(what=""):
    """The last line of a proof."""
    if claims == 0:
        sys.exit(f"{script()}: no claims")
    print(f"{script()}: {claims} claims hold{what and ': '}{what}")


# ---- sources ----


@lru_cache(None)
def source(path):
    return (ROOT / path).read_text(encoding="utf-8")


@lru_cache(None)
def code(path):
    """The source without comments, every run of blanks as one blank but for ends of lines."""
    text = re.sub(r'("(?:\\.|[^"\\\n])*")|/\*.*?\*/|//[^\n]*', lambda found: found[1] or " ", source(path), flags=re.S)
    return re.sub(r"[ \t]+", " ", text.replace("\\\n", " "))


def says(path, text):
    """Claims that the code has this text, blanks and ends of lines aside."""
    claim("".join(text.split()) in "".join(code(path).split()), f"{path} has the code {text}")


class Expression:
    """The expression of C that a text begins with: natural numbers, names, casts and operators. Arithmetic of unsigned
    words wraps around as in C; that of other numbers is exact."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.tokens, self.at = TOKEN.findall(text) + [""], 0
        self.tree = self.read_choice()
        need(self.tokens[self.at] in ("", ",", ";", "}", ")", "]", "{"), f"{path}: an expression is read: {text}")

    def __call__(self, **values):
        return self.evaluate(self.tree, values)[0]

    def take(self, *tokens):
        if self.tokens[self.at] not in tokens:
            return None
        self.at += 1
        return self.tokens[self.at - 1]

    def read_choice(self):
        tree = self.read_level(0)
        if self.take("?"):
            yes = self.read_choice()
            need(self.take(":"), f"{self.path}: a choice has two sides: {self.text}")
            tree = ("?", tree, yes, self.read_choice())
        return tree

    def read_level(self, level):
        if level == len(OPERATORS):
            return self.read_unary()
        tree = self.read_level(level + 1)
        while operator := self.take(*OPERATORS[level]):
            tree = (operator, tree, self.read_level(level + 1))
        return tree

    def read_unary(self):
        if operator := self.take("-", "~", "!"):
            return (operator, self.read_unary())
        if self.take("("):
            if self.tokens[self.at] in TYPES and self.tokens[self.at + 1] == ")":
                self.at += 2
                return ("cast", TYPES[self.tokens[self.at - 2]], self.read_unary())
            tree = self.read_choice()
            need(self.take(")"), f"{self.path}: a parenthesis ends: {self.text}")
            return tree
        token = self.tokens[self.at]
        self.at += 1
        if token == "UINT64_C":
            return ("cast", 64, self.read_unary())
        if token in LIMITS:
            return ("number", (1 << LIMITS[token]) - 1, LIMITS[token])
        if token[:1].isdigit():
            digits = token.rstrip("uUlL") if token[:2] in ("0x", "0X") else re.match(r"\d+", token)[0]
            suffix = token[len(digits):].lower()
            return ("number", int(digits, 0), None if "u" not in suffix else 64 if "l" in suffix else 32)
        need(re.fullmatch(NAME, token), f"{self.path}: a number or a name: {self.text}")
        return ("name", token)

    def evaluate(self, tree, values):
        """The value, and the number of bits of its type if that is unsigned."""
        kind, rest = tree[0], tree[1:]
        if kind == "number":
            return rest
        if kind == "name":
            return (values[rest[0]], None) if rest[0] in values else constant_of(self.path, rest[0], values)
        if kind == "?":
            return self.evaluate(rest[1] if self.evaluate(rest[0], values)[0] else rest[2], values)
        if kind == "cast":
            return wrapped(self.evaluate(rest[1], values)[0], rest[0])
        x, bits = self.evaluate(rest[0], values)
        if len(rest) == 1:
            return wrapped({"-": -x, "~": ~x, "!": int(not x)}[kind], bits)
        y, other = self.evaluate(rest[1], values)
        if kind not in ("<<", ">>"):
            bits = max(bits or 0, other or 0) or None
        return wrapped(operate(kind, x, y), bits)


def wrapped(x, bits):
    return (x & ((1 << bits) - 1) if bits else x), bits


def operate(operator, x, y):
    if operator in ("/", "%"):
        need(x >= 0 and y > 0, "divisions are of natural numbers")
    return {"||": lambda: int(bool(x or y)), "&&": lambda: int(bool(x and y)), "|": lambda: x | y, "^": lambda: x ^ y,
            "&": lambda: x & y, "==": lambda: int(x == y), "!=": lambda: int(x != y), "<": lambda: int(x < y),
            ">": lambda: int(x > y), "<=": lambda: int(x <= y), ">=": lambda: int(x >= y), "<<": lambda: x << y,
            ">>": lambda: x >> y, "+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y, "/": lambda: x // y,
            "%": lambda: x % y}[operator]()


@lru_cache(None)
def definition(path, name):
    """The value of `#define name value` or of `name = value`, in the file or in one that it includes; None without."""
    macros = re.findall(rf"^ ?# ?define {re.escape(name)} (.+)$", code(path), re.M)
    values = macros or re.findall(rf"(?<![\w.>\"]){re.escape(name)} ?=(?!=)\s*([^;{{]*)", code(path))
    if values:
        need(len(values) == 1, f"{path} defines {name} once")
        return Expression(path, values[0])
    for included in re.findall(r'^ ?# ?include "([^"]+)"', code(path), re.M):
        for file in (included, f"include/{included}"):
            if (ROOT / file).is_file() and (found := definition(file, name)):
                return found
    return None


def constant_of(path, name, values):
    found = definition(path, name)
    need(found, f"{path} has a constant {name}")
    return found.evaluate(found.tree, values)


def constant(path, name, **values):
    """The constant of that name, read from the file or from one that it includes; values are those of other names."""
    return constant_of(path, name, values)[0]


def expression(path, pattern):
    """The expression that the pattern's group finds in the code, as a function of its names' values."""
    found = re.findall(pattern, code(path))
    need(len(found) == 1, f"{path} has one expression like {pattern}")
    return Expression(path, found[0])


def table(path, name):
    """The numbers of `name[...] = {...};`, rows as lists."""
    found = re.findall(rf"\b{re.escape(name)}(?:\[[^]]*\])+ = (\{{[^;]*\}});", code(path))
    need(len(found) == 1, f"{path} has one table {name}")
    text = re.sub(r"\[\w+\] =|UINT64_C|(?<=[0-9a-fA-F])[uUlL]+\b", "", found[0])
    return ast.literal_eval(re.sub(r"\s+", " ", text.replace("{", "[").replace("}", "]")))


# ---- primes and radices ----


@lru_cache(None)
def named_primes():
    """The named primes r^k + 1: their names, k and r."""
    path = "field/primes/named.inc"
    rows = re.findall(r'^GFP_NAMED_PRIME\("(\w+)", "[^"]*", (0x[0-9a-f]+), (\d+),', source(path), re.M)
    need(len(rows) == source(path).count("\nGFP_NAMED_PRIME(") > 0, f"{path}: a radix in each line")
    return [Named(name, int(k), int(r, 16)) for name, r, k in rows]


def is_prime(n):
    """Miller's test; its bases decide below 2^64."""
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    if n < 2 or any(n % p == 0 for p in bases):
        return n in bases
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for a in bases:
        x = pow(a, d, n)
        if x not in (1, n - 1) and not any((x := x * x % n) == n - 1 for _ in range(s - 1)):
            return False
    return True


def digit_counts():
    """The powers of 2 up to GFP_MAX_K, without 1."""
    most = constant("include/gfpoly/field.h", "GFP_MAX_K")
    return [1 << j for j in range(1, most.bit_length())]


def radices(least, most, *bounds):
    """Even radices from least to most, in order: the named ones; the ends and next to them; those next to each power of
    2 and to each of the bounds; sparse ones, 2^w +- 2^u with u near 1, w / 2 and w; and two thirds of powers of 2."""
    found = {prime.r for prime in named_primes()}
    for bound in (least, most, *bounds):
        found.update(x for x in range(bound - 3, bound + 4) if x % 2 == 0)
    for w in range(1, 65):
        found.update([(1 << w) - 2, 1 << w, (1 << w) + 2, (1 << w) // 3 * 2])
        for u in (1, 2, 3, w // 2, w - 3, w - 2, w - 1):
            if 1 <= u < w:
                found.update([(1 << w) - (1 << u), (1 << w) + (1 << u)])
    return sorted(r for r in found if max(least, 2) <= r <= most)


# ---- intervals (low, high), both ends included ----


def plus(x, y):
    return x[0] + y[0], x[1] + y[1]


def minus(x, y):
    return x[0] - y[1], x[1] - y[0]


def hull(intervals):
    return min(x[0] for x in intervals), max(x[1] for x in intervals)
