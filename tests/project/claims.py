#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Tests tests/lab/claims.py: what it reads from sources, how a false claim ends a script, primes and radices; and that
the scripts of ranges have no claims of their own."""
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/lab"))
from claims import (Expression, all_hold, claim, constant, expression, is_prime, named_primes, radices,  # noqa: E402
                    says, table)

EXPRESSIONS = [
    ("88", {}, 88), ("0xFFu", {}, 255), ("UINT64_C(0x10)", {}, 16), ("1 + 2 * 3 - 4 / 3", {}, 6), ("-3 + 1", {}, -2),
    ("1 << 3 + 1", {}, 16), ("6 & 3 | 8 ^ 8", {}, 2), ("~0u", {}, 2**32 - 1),
    ("UINT64_MAX - 0xffff", {}, 2**64 - 2**16),
    ("~(u64)0 - (((u64)1 << 27) - 1)", {}, 2**64 - 2**27), ("0 - (1ull << 48)", {}, 2**64 - 2**48),
    ("(u32)r == 0 ? 7 : 8", {"r": 3 << 32}, 7), ("k <= 2 ? 1 : k <= 4 ? 2 : 3", {"k": 4}, 2),
    ("n > 5 ? q / 2 + q / 8 + 2 : 0", {"n": 6, "q": 64}, 42), ("k < 2 ? k + 2 : 5u << (k - 2)", {"k": 0}, 2),
    ("50 - (k >= 16) - (k >= 32)", {"k": 16}, 49), ("a == 1 || b == 1 && a == 2", {"a": 1, "b": 0}, 1),
    ("p[i] >> 4", {"p[i]": 32}, 2), ("s->k + a.most", {"s->k": 1, "a.most": 2}, 3),
]
HEADER = """\
#define STEP 12 /* 99 */
#define TOP ((uint64_t)1 << LOG) // 98
#define LEAST (STEP * STEP - 1)
/* #define STEP 13 */
enum { LOG = 40, NAMED(cut) = 50 - (K >= 16) -
                              (K >= 32), LAST = 1 };
static const uint64_t rows[2][2] = {{UINT64_C(0x1f), 1u}, [1] = {2, 3},};
    if (LAST == 2 && x.STEP == 3) {
"""


def ends(code, flags=()):
    """The status and the message of a script."""
    script = f"import sys; sys.path.insert(0, {str(ROOT / 'tests/lab')!r})\nfrom claims import *\n{code}"
    done = subprocess.run([sys.executable, "-B", *flags, "-c", script], capture_output=True, text=True)
    return done.returncode, done.stderr


def check_sources(folder):
    (folder / "a.h").write_text(HEADER)
    (folder / "b.h").write_text(f'#include "{folder}/a.h"\n#define TWICE (2 * STEP)\nint one = 1;\nint one = 2;\n')
    a, b = str(folder / "a.h"), str(folder / "b.h")
    claim(constant(a, "STEP") == constant(b, "STEP") == 12, "a constant, and one that is included")
    claim(constant(b, "TWICE") == 24, "a constant of an included one")
    claim(constant(a, "TOP") == 1 << 40 and constant(a, "LEAST") == 143, "constants of constants")
    claim([constant(a, "NAMED(cut)", K=k) for k in (8, 16, 32)] == [50, 49, 48] and constant(a, "LAST") == 1, "enum")
    claim(table(a, "rows") == [[31, 1], [2, 3]], "a table")
    claim(expression(a, r"LAST == (\d+ && x)")(x=1) == 1, "an expression")
    says(a, "if(LAST == 2&&x.STEP == 3){")
    for code in (f"constant({a!r}, 'OTHER')", f"constant({b!r}, 'one')", f"says({a!r}, 'LAST == 3')",
                 f"expression({a!r}, 'none (.*)')", f"table({a!r}, 'none')", f"constant({a!r}, 'NAMED(cut)')"):
        claim(ends(code)[0] == 1, f"refused: {code}")


def main():
    for text, values, expected in EXPRESSIONS:
        claim(Expression("test", text)(**values) == expected, f"{text} is {expected}")
    with tempfile.TemporaryDirectory() as folder:
        check_sources(Path(folder))
    for flags in ((), ("-O",)):
        status, message = ends("claim(1 < 2, 'right'); claim(2 < 1, 'two is less'); all_hold()", flags)
        claim(status == 1 and "two is less" in message, "a false claim ends the script, and is named")
        claim(ends("claim(True, ''); all_hold()", flags)[0] == 0, "true claims do not")
        claim(ends("all_hold()", flags)[0] == 1, "a script without claims fails")
    claim([n for n in range(2000) if is_prime(n)] ==
          [n for n in range(2, 2000) if all(n % d for d in range(2, n))], "small primes")
    claim(is_prime(2**61 - 1) and not is_prime(3215031751) and not is_prime(3825123056546413051), "large ones")
    cases = radices(1 << 32, 2**64 - 2, 12345678901)
    claim(cases == sorted(set(cases)) and all(r % 2 == 0 for r in cases), "radices are even, each of them once")
    claim({1 << 32, 2**64 - 2, 2**40 - 2, 2**40 + 2, 2**40 + 2**39, 2**63 - 2**62 + 2**61, 12345678900, 12345678902}
          | {prime.r for prime in named_primes()} <= set(cases), "radices: ends, neighbours, named and sparse ones")
    claim(radices(2, 8) == [2, 4, 6, 8], "least radices")
    scripts = [path for folders in ("*", "*/*", "*/*/*") for path in ROOT.glob(f"{folders}/*ranges.py")
               if not path.relative_to(ROOT).parts[0].startswith("build")]
    claim(len(scripts) > 0, "there are scripts of ranges")
    for path in scripts:
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(ROOT)
        claim("from claims import" in text and "all_hold(" in text, f"{name} takes tests/lab/claims.py")
        claim("\ndef claim(" not in text and "assert " not in text, f"{name} has no other claims")
    all_hold()


if __name__ == "__main__":
    main()
