#!/usr/bin/env python3
# Compares what src/capi.jl declares with the library's headers: each ccall with the prototype of its function (number
# and types of arguments, result), each enum, struct and opaque type under a line "# C: NAME" with the type NAME. Prints
# every difference; exit status 1 if there is one.
#   check_calls.py SOURCE [FILE]     SOURCE: the checkout; FILE: another file than src/capi.jl
#   check_calls.py --self-test SOURCE     wrong copies of the file: the comparison must find every fault
# SPDX-License-Identifier: LGPL-3.0-or-later
import pathlib
import re
import sys

# GMP has no simple prototypes in its header: those of the two functions used, with mpz_t as a pointer.
GMP = """
GFP_API void *__gmpz_export(void *words, size_t *count, int order, size_t size, int endian, size_t nails, mpz *x);
GFP_API void __gmpz_import(mpz *x, size_t count, int order, size_t size, int endian, size_t nails, const void *words);
"""
# What may stand for a type of C. Any enum may be a Cint.
SCALARS = {
    "Cint": {"int", "enum"},
    "Cuint": {"unsigned"},
    "Csize_t": {"size_t"},
    "Cptrdiff_t": {"ptrdiff_t"},
    "UInt64": {"uint64_t"},
    "UInt8": {"char", "uint8_t"},
    "Bool": {"bool"},
    "Cdouble": {"double"},
    "Cvoid": {"void"},
    "BigInt": {"mpz"},
}


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def split_top(text, separator=","):
    """The parts of text between separators outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == separator and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in parts + [text[start:]] if part.strip()]


class Headers:
    """Prototypes, structs and enums of C headers. A type is (name, number of stars)."""

    def __init__(self, texts):
        self.functions, self.structs, self.enums, self.opaque = {}, {}, {}, set()
        for text in texts:
            self.read(without_comments(text))

    def read(self, text):
        text = re.sub(r"^\s*#.*(\\\n.*)*$", "", text, flags=re.M)
        for name, body, again in re.findall(r"typedef\s+enum\s+(\w+)\s*\{(.*?)\}\s*(\w+)\s*;", text, re.S):
            self.enums[again] = dict(re.findall(r"(\w+)\s*=\s*(-?\d+)", body))
        for name, again in re.findall(r"typedef\s+struct\s+(\w+)\s+(\w+)\s*;", text):
            self.opaque.add(again)
        for match in re.finditer(r"typedef\s+struct\s+(\w+)\s*\{", text):
            end, depth = match.end(), 1
            while depth:
                depth += (text[end] == "{") - (text[end] == "}")
                end += 1
            self.structs[match.group(1)] = text[match.end():end - 1]
        for prototype in re.findall(r"\bGFP_API\b([^;{]*);", text.replace("GFP_MUST_CHECK", " ")):
            result, name, arguments = re.match(r"(.*?)(\w+)\s*\((.*)\)\s*$", prototype, re.S).groups()
            self.functions[name] = (self.type(result), [] if arguments.strip() == "void" else
                                    [self.type(a, True) for a in split_top(arguments)])

    @staticmethod
    def type(text, named=False):
        """The type of a declaration; named: the last word is the name of an argument or member."""
        array = re.search(r"\[(\w*)\]\s*$", text)
        text = re.sub(r"\[\w*\]\s*$", "", text)
        stars = text.count("*") + bool(array)
        words = [w for w in re.findall(r"\w+", text) if w not in ("const", "struct", "enum")]
        if named and len(words) > 1:
            words.pop()
        return "unsigned" if words[0] == "unsigned" else " ".join(words), stars

    def members(self, name):
        """(name, type, array length or None) of each member; functions are pointers to void."""
        out = []
        for line in split_top(self.structs[name], ";"):
            pointer = re.match(r".*\(\*(\w+)\)\s*\(.*\)$", line, re.S)
            if pointer:
                out.append((pointer.group(1), ("void", 1), None))
                continue
            first, *more = split_top(line)
            array = re.search(r"\[(\w+)\]$", first)
            kind = self.type(re.sub(r"\[\w+\]$", "", first), True)
            for part in [first] + more:
                word = re.findall(r"\w+", re.sub(r"\[\w+\]$", "", part))[-1]
                base = kind if part is first else (kind[0], part.count("*"))
                out.append((word, base, array.group(1) if array else None))
        return out


class Julia:
    """The declarations of a file of Julia."""

    def __init__(self, text):
        self.text = text
        self.enums, self.structs, self.opaque, self.names = {}, {}, {}, {}
        for match in re.finditer(r"^# C: (\w+)\n(.*)$", text, re.M):
            c_name, head = match.groups()
            rest = text[match.end():].split("\nend\n", 1)[0]
            enum = re.match(r"@enum (\w+)::Cint begin$", head)
            empty = re.match(r"struct (\w+) end$", head)
            struct = re.match(r"(?:mutable )?struct (\w+)$", head)
            if enum:
                self.enums[c_name] = dict(re.findall(r"^    (\w+) = (-?\d+)$", rest, re.M))
            elif empty:
                self.names[empty.group(1)] = c_name
                self.opaque[c_name] = empty.group(1)
            elif struct:
                self.names[struct.group(1)] = c_name
                self.structs[c_name] = re.findall(r"^    (\w+)::(\S+)$", rest, re.M)
            else:
                raise SystemExit(f"line after '# C: {c_name}' is not understood: {head}")

    def calls(self):
        """(name, result, argument types, number of values) of each ccall."""
        for match in re.finditer(r"\bccall\(", self.text):
            depth, end = 1, match.end()
            while depth:
                depth += (self.text[end] == "(") - (self.text[end] == ")")
                end += 1
            what, result, types, *values = split_top(self.text[match.end():end - 1])
            name = re.match(r"\(:(\w+),", what).group(1)
            yield name, result, split_top(types[1:-1]), len(values)


def matches(julia, c, names, headers):
    """Whether the type of Julia may stand for the type of C."""
    name, stars = c
    kind = "enum" if name in headers.enums else name
    if julia == "Cstring":
        return (name, stars) == ("char", 1)
    pointer = re.match(r"(?:Ref|Ptr)\{(.*)\}$", julia)
    if pointer:
        inner = pointer.group(1)
        if inner == "Cvoid":
            return stars >= 1 and (name == "void")
        return stars >= 1 and matches(inner, (name, stars - 1), names, headers)
    array = re.match(r"NTuple\{\d+,(\w+)\}$", julia)
    if array:
        return matches(array.group(1), c, names, headers)
    if stars:
        return False
    return kind in SCALARS[julia] if julia in SCALARS else names.get(julia) == name


def compare(headers, text):
    """The differences between a file of Julia and the headers, as lines, and the number of calls."""
    julia = Julia(text)
    out, count = [], 0
    for name, members in julia.enums.items():
        if headers.enums.get(name) != members:
            out.append(f"enum {name}: the values differ")
    for name in julia.opaque:
        if name not in headers.opaque and name not in headers.structs:
            out.append(f"{name}: no such type")
    for name, members in julia.structs.items():
        if name not in headers.structs:
            out.append(f"{name}: no such struct")
            continue
        expected = headers.members(name)
        if [m[0] for m in members] != [m[0] for m in expected]:
            out.append(f"struct {name}: other members: {[m[0] for m in expected]} in C")
            continue
        for (member, kind), (_, c, array) in zip(members, expected):
            length = re.match(r"NTuple\{(\d+),", kind)
            if not matches(kind, c, julia.names, headers) or (length.group(1) if length else None) != array:
                out.append(f"struct {name}, {member}: {kind} for {c[0]} {'*' * c[1]}{f'[{array}]' if array else ''}")
    for name, result, types, values in julia.calls():
        count += 1
        if name not in headers.functions:
            out.append(f"{name}: no such function")
            continue
        c_result, c_types = headers.functions[name]
        if len(types) != len(c_types):
            out.append(f"{name}: {len(types)} arguments for {len(c_types)}")
        if values != len(types):
            out.append(f"{name}: {values} values for {len(types)} types")
        for i, (kind, c) in enumerate(zip(types, c_types), 1):
            if not matches(kind, c, julia.names, headers):
                out.append(f"{name}, argument {i}: {kind} for {c[0]} {'*' * c[1]}")
        if not matches(result, c_result, julia.names, headers):
            out.append(f"{name}, result: {result} for {c_result[0]} {'*' * c_result[1]}")
    return out, count


def self_test(headers, text):
    """Changes each declaration in turn, in several ways: the comparison must see every change."""
    faults = 0

    def wrong(changed, what):
        nonlocal faults
        faults += 1
        if changed == text:
            raise SystemExit(f"{what}: nothing was changed")
        try:
            seen = compare(headers, changed)[0]
        except (SystemExit, KeyError, AttributeError):
            seen = True
        if not seen:
            raise SystemExit(f"{what}: not seen")

    others = {"Cint": "UInt64", "Cuint": "Csize_t", "Csize_t": "Cuint", "Cptrdiff_t": "Csize_t", "UInt64": "Cint",
              "Bool": "Cint", "Cvoid": "Cint", "Cstring": "Cint", "Cdouble": "Cint"}
    for match in re.finditer(r"ccall\(\(:(\w+), :?\w+\), (\S+),\s*\(([^()]*)\),?", text):
        name = match.group(1)
        wrong(text[:match.start(1)] + name + "x" + text[match.end(1):], f"{name}: another name")
        result = match.group(2)
        wrong(text[:match.start(2)] + others.get(result, "Cint") + text[match.end(2):], f"{name}: another result")
        types = split_top(match.group(3))
        for i, kind in enumerate(types):
            for other in {others.get(kind, "UInt64"), "Ptr{" + kind + "}"}:
                list_ = types[:i] + [other] + types[i + 1:]
                wrong(text[:match.start(3)] + ", ".join(list_) + "," + text[match.end(3):], f"{name}: {other} for {kind}")
            list_ = types[:i] + types[i + 1:]
            wrong(text[:match.start(3)] + ", ".join(list_) + "," + text[match.end(3):], f"{name}: an argument less")
    blocks = [(m.start(), text.index("\nend\n", m.start())) for m in re.finditer(r"^# C: \w+\n.*struct \w+$", text, re.M)]
    for match in re.finditer(r"^    (\w+)::(\S+)$", text, re.M):
        if not any(start < match.start() < end for start, end in blocks):
            continue
        wrong(text[:match.start()] + text[match.end() + 1:], f"a member less: {match.group(1)}")
        kind = match.group(2)
        wrong(text[:match.start(2)] + others.get(kind, "UInt64" if kind != "UInt64" else "Cint") + text[match.end(2):],
              f"member {match.group(1)}: another type")
    wrong(text.replace("NTuple{240,UInt8}", "NTuple{239,UInt8}"), "a shorter array")
    for match in re.finditer(r"^    (GFP_\w+) = (-?\d+)$", text, re.M):
        wrong(text[:match.start(2)] + str(int(match.group(2)) + 50) + text[match.end(2):], f"{match.group(1)}: another value")
    print(f"{faults} faults, all seen")


def main():
    arguments = sys.argv[1:]
    testing = arguments[:1] == ["--self-test"]
    if testing:
        arguments.pop(0)
    if len(arguments) not in (1, 2):
        raise SystemExit("usage: check_calls.py [--self-test] SOURCE [FILE]")
    source = pathlib.Path(arguments[0])
    file = pathlib.Path(arguments[1]) if len(arguments) > 1 else source / "bindings/julia/src/capi.jl"
    text = file.read_text(encoding="utf-8")
    files = sorted(source.glob("include/gfpoly/*.h"))
    headers = Headers([f.read_text(encoding="utf-8") for f in files] + [GMP])
    out, count = compare(headers, text)
    if count == 0:
        out.append(f"{file}: no ccall")
    for line in out:
        print(line)
    if not out and testing:
        self_test(headers, text)
    print(f"{count} calls compared, {len(out)} differences")
    return 1 if out else 0


if __name__ == "__main__":
    sys.exit(main())
