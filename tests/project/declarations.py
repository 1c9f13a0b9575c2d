#!/usr/bin/env python3
# Reads every declaration of the installed headers against rules 1 to 4 at the top of gfpoly.h: the order of arguments,
# what a call that can fail returns, names. First it reads a header whose every declaration is wrong, and expects one
# complaint for each.
# Usage: declarations.py INCLUDE, the folder of gfpoly.h.
# SPDX-License-Identifier: LGPL-3.0-or-later
import pathlib
import re
import sys

# What a call is made with, behind its inputs: objects that it does not change, or whose state moves on.
CONTEXTS = {
    "FILE", "fmpz_mod_ctx_t", "gfp_allocator", "gfp_compose_argument", "gfp_field", "gfp_fft_plan", "gfp_modulus",
    "gfp_gpu", "gfp_gpu_fft_plan", "gfp_mpi", "gfp_gpu_modulus", "gfp_gpu_product_plan", "gfp_gpu_ring", "gfp_gpu_tree",
    "gfp_prime_supply", "gfp_random", "gfp_space", "gfp_tree", "gfp_zring",
}
# Calls on plain arrays, and questions to a field: the field or ring stands first.
ON_ARRAYS = re.compile(r"gfp_(elem|vec|wvec|field|gpu_vec)_?")
# Types of other libraries that are arrays of one element.
FOREIGN = {"fmpz_t", "fmpz_poly_t", "fmpz_mod_poly_t", "gr_ctx_t", "mpz_ptr"}
FOREIGN_INPUTS = {"mpz_srcptr"}
# Descriptions of places that a call writes.
PLACES = {"gfp_gpu_rows"}
# What an object is made with besides the options.
SETTINGS = re.compile(r"\bgfp_\w+_options\b")

SYNONYMS = {
    r"_copy$": "_set", r"_(new|alloc|make)$": "_create or _init", r"_(delete|dispose)$": "_destroy or _clear",
    r"determinant": "det", r"_free$(?<!^gfp_free)": "gfp_free", r"mul_low": "mullow", r"mul_high": "mulhigh",
    r"mul_mid(dle)?": "mulmid", r"from_roots": "product_roots", r"multieval": "eval_vec", r"_scale$": "scalar_mul",
    r"vec_(addmul|submul)$": "scalar_addmul, scalar_submul", r"poly_(quotient|remainder)s?$": "div, rem",
    r"(extended|ext_|e)gcd": "xgcd", r"_inverse_series": "inv_series", r"char_poly|min_poly": "charpoly, minpoly",
    r"_(memory_)?size$(?<!string_size)": "_bytes, _length", r"differentiate|integrate": "derivative, integral",
    r"_reversion": "revert", r"_square$": "sqr", r"_subtract$|_negate$|_multiply$": "sub, neg, mul",
}

WRONG = """
GFP_API void gfp_poly_value(const gfp_poly *a, uint64_t *y, const uint64_t *x);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_rem_modulo(gfp_poly *c, const gfp_modulus *M, const gfp_poly *a,
                                                      const gfp_options *options);
GFP_API void gfp_poly_pick(size_t i, uint64_t *x, const gfp_poly *a);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_power(gfp_poly *c, const gfp_options *options, const gfp_poly *a);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_sum(const gfp_field *field, gfp_poly *c, const gfp_poly *a);
GFP_API gfp_status gfp_poly_unchecked(gfp_poly *a);
GFP_API void gfp_poly_product(gfp_poly *c, const gfp_poly *a, const gfp_options *options);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_copy(gfp_poly *b, const gfp_poly *a);
GFP_API void gfp_string_free(char *text);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_mul_low(gfp_poly *c, const gfp_poly *a);
GFP_API GFP_MUST_CHECK gfp_status gfp_zmatrix_determinant(gfp_zvec *r, const gfp_zmatrix *a);
GFP_API void gfp_lonely_init(gfp_lonely *a);
GFP_API GFP_MUST_CHECK gfp_status gfp_orphan_create(gfp_orphan **a);
"""


class Parameter:
    def __init__(self, text):
        text = text.strip()
        self.text = text
        words = re.sub(r"\bconst\b|[*\[\]]", " ", text).split()
        self.type = words[0]
        pointer = "*" in text or "[" in text
        # Of `const T *const *x` the elements are not written, of `T *const *x` they are.
        constant = re.match(r"const\b", text) is not None
        if re.search(r"\bgfp_options\b|\bgfp_error\b", text):
            self.kind = "options"
        elif SETTINGS.search(text):
            self.kind = "scalar"
        elif self.type in PLACES:
            self.kind = "output"
        elif self.type in CONTEXTS and text.count("*") <= 1:
            self.kind = "context"
        elif self.type in FOREIGN_INPUTS:
            self.kind = "input"
        elif self.type in FOREIGN or pointer:
            self.kind = "input" if constant else "output"
        else:
            self.kind = "scalar"


def declarations(text):
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    for found in re.finditer(r"GFP_API\b([^;{]*?)\b(gfp_[a-z0-9_]+)\s*\(([^;]*)\)\s*;", text, flags=re.S):
        before, name, list_ = (" ".join(part.split()) for part in found.groups())
        list_ = re.sub(r"\bvoid \*", "byte *", list_)
        parameters = [] if list_ == "void" else [Parameter(p) for p in list_.split(",")]
        # Macros add FLINT's version.
        yield before, name, [p for p in parameters if p.text != "int flint_release"]


def order(name, parameters):
    """Rule 1."""
    kinds = [p.kind for p in parameters]
    first = 0
    if kinds[:1] == ["context"] and ON_ARRAYS.match(name):
        first = 1
    elif re.search(r"_(create|init|open|adopt)(_[a-z]+)?$", name) and kinds[1:2] == ["context"]:
        kinds[1] = "scalar"  # an object stands next to what it is over
    kinds = kinds[first:]
    ranks = [{"output": 0, "input": 1, "context": 2, "options": 3}[k] for k in kinds if k != "scalar"]
    if ranks != sorted(ranks):
        return "outputs, inputs, contexts, options is the order"
    if kinds[:1] == ["scalar"] and "output" in kinds:
        return "a number stands before the output"
    if "options" in kinds and (kinds[-1] != "options" or kinds.count("options") > 1):
        return "options or the error are not last"
    return None


def result(before, parameters):
    """Rule 2."""
    status = re.search(r"\bgfp_status$", before) is not None
    if status and "GFP_MUST_CHECK" not in before:
        return "a status that need not be checked"
    options = any(re.search(r"const gfp_options \*", p.text) for p in parameters)
    if options and not status and "char *" not in before:
        return "options without a status"
    return None


def naming(name, names):
    """Rules 3 and 4."""
    for pattern, word in SYNONYMS.items():
        if re.search(pattern, name):
            return f"a synonym of {word}"
    for begin, end in ("init", "clear"), ("create", "destroy"):
        made = re.fullmatch(rf"(.*)_{begin}(_[a-z]+)?", name)
        # FLINT clears its rings; files are closed; gfp_dealer_destroy serves dealers of ranks, too.
        if made and made[1] not in ("gfp_gr_ctx", "gfp_file", "gfp_mpi_dealer") and f"{made[1]}_{end}" not in names:
            return f"{begin} without {end}"
    return None


def complaints(text, every):
    found = list(declarations(text))
    for before, name, parameters in found:
        wrong = order(name, parameters) or result(before, parameters) or naming(name, every)
        if wrong:
            yield name, wrong


def names_of(text):
    return {name for _, name, _ in declarations(text)}


def main():
    include = pathlib.Path(sys.argv[1])
    wrong = names_of(WRONG)
    missed = wrong - {name for name, _ in complaints(WRONG, wrong)}
    if missed or len(wrong) < 13:
        sys.exit(f"declarations.py accepts what is wrong: {', '.join(sorted(missed))}")
    headers = sorted(include.glob("gfpoly/*.h"))
    every = set().union(*(names_of(h.read_text()) for h in headers))
    failed = False
    for header in headers:
        for name, why in complaints(header.read_text(), every):
            print(f"{header.name}: {name}: {why}", file=sys.stderr)
            failed = True
    if len(every) < 200:
        sys.exit(f"only {len(every)} declarations")
    print(f"{len(every)} functions")
    sys.exit(1 if failed else 0)


main()
