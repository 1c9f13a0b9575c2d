/* option_table.c: the options of all subcommands, one row each: name, letter, kind and place of the
 * value, the subcommands that take the option, and its help.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <limits.h>
#include <stddef.h>

#include "cli/options.h"

#define AT(member) offsetof(struct request, member)

/* Subcommands over a field whose products inside need operands. */
#define POLYNOMIALS "divrem gcd xgcd powmod compose series roots factor multieval interp crt"
#define OPERATIONS POLYNOMIALS " resultant discriminant"
#define PRODUCTS "mul sqr"
#define TRANSFORMS "dft idft"
#define SUMS "add sub"
/* Subcommands over Z. */
#define COMPOSED "zcomposedsum zcomposeddifference zcomposedproduct zcomposedquotient"
#define ONE_METHOD COMPOSED " zdeterminant zcharpoly zsystem"
#define OVER_Z "zmul zgcd zresultant zdiscriminant zbiresultant " ONE_METHOD

#define Z_PRODUCT_METHODS "auto|words|short|big|flint|kronecker|classical"
#define Z_GCD_METHODS "auto|words|big|kronecker|flint"
#define Z_RESULTANT_METHODS "auto|words|big|flint"
#define Z_HOW "How to compute: words (word-size primes and the Chinese remainder theorem)"
#define Z_HOW_BIG                                                                                  \
    Z_HOW                                                                                          \
    ", big (one or several primes r^k + 1), or others that the manual explains (default: auto)"
#define COST_OF_MEMORY                                                                             \
    "Bytes that the computation may take in addition to operands and results, such as 64M or 2G "  \
    "(default: as many as the method needs)"
#define WRITE_TO(what) "Write " what " to FILE (-: standard output)"
#define EXPONENT_FORM "decimal, hexadecimal after 0x, of any size; or p, the characteristic"

/* compare's lengths, which are computed in double precision. */
#define MAX_COMPARED ((uint64_t)1 << 40)

/* Required options come in the order in which messages ask for them. */
const struct option_row option_rows[] = {
    /* ---- fields and lengths ---- */
    {"field", 0, FIELD, AT(field), "!random !methods !compare", "NAME",
     .text = "The field: a name (p8), a formula ((2^63+2^34)^8+1), or p in decimal"},
    {"field", 0, FIELD, AT(field),
     OPERATIONS " " PRODUCTS " " TRANSFORMS " " SUMS " eval equal convert verify", "NAME",
     .text = "The field of the input: needed for NTL's format, which does not name it; for FLINT's "
             "it selects one of several forms r^k + 1 of the modulus"},
    {"field", 0, FIELDS, AT(field), "demo", "NAME",
     .text = "The field; may be repeated; all stands for every named prime (default: p8)"},
    {"field", 0, FIELDS, AT(field), "tune", "NAME",
     .text = "The field (default: one named prime of each k, three minutes in all); may be "
             "repeated; all stands for every named prime"},
    {"field", 0, FIELD, AT(field), "scale", "NAME", .text = "The field of the table (default: p8)"},
    {"fields", 0, FIELDS, AT(field), "demo tune", "all", .text = "The same as --field"},
    {"len", 0, LENGTH, AT(own.random.len), "!random", "N", .text = "The number of coefficients"},
    {"len", 0, LENGTH, AT(own.methods.len), "!methods", "N",
     .text = "Coefficients of the first polynomial", .least = 1},
    {"len", 0, LENGTH, AT(own.demo.len), "demo", "N",
     .text = "Coefficients of both polynomials (default: 16384)", .least = 1, .usual = 16384},
    {"terms", 0, LENGTH, AT(own.power.length), "series", "N",
     .text = "The number of coefficients of the result", .least = 1},
    {"base", 0, TEXT, AT(own.power.base), "!powmod", "x|FILE",
     .text = "The base: x, the polynomial X, or a file (./x for a file called x)"},
    {"exponent", 0, EXPONENT, AT(own.power.exponent), "!powmod", "E",
     .text = "The exponent: " EXPONENT_FORM},
    {"exponent", 0, EXPONENT, AT(own.power.exponent), "series", "E",
     .text = "The exponent of power: " EXPONENT_FORM},
    {"modulus", 0, TEXT, AT(own.power.modulus), "!powmod", "FILE",
     .text = "The modulus, of degree 1 at least"},
    {"modulus", 0, TEXT, AT(own.power.modulus), "compose", "FILE",
     .text = "Compose modulo the polynomial in FILE, of degree 1 at least"},

    /* ---- how to compute ---- */
    {"method", 0, METHOD, AT(call.method), OPERATIONS, "auto|NAME",
     .text = "The method of the products inside, one that `gfpoly methods --operation operand' "
             "lists, or classical for quadratic algorithms (default: auto). A method of a GPU does "
             "all of divrem, gcd, resultant, powmod, multieval, interp and of the series inverse, "
             "quotient and shift on the GPU"},
    {"method", 0, METHOD, AT(call.method), PRODUCTS, "auto|NAME",
     .text = "The method (default auto: the pick of `gfpoly methods', which lists the names)"},
    {"method", 0, METHOD, AT(call.method), "zmul", Z_PRODUCT_METHODS, .text = Z_HOW_BIG},
    {"method", 0, METHOD, AT(call.method), "zgcd", Z_GCD_METHODS, .text = Z_HOW_BIG},
    {"method", 0, METHOD, AT(call.method), "zresultant zdiscriminant", Z_RESULTANT_METHODS,
     .text = Z_HOW_BIG},
    {"method", 0, METHOD, AT(call.method), "zbiresultant", "auto|words|words_gpu",
     .text = Z_HOW ", or words_gpu (the same on a GPU) (default: auto)"},
    {"method", 0, METHOD, AT(call.method), ONE_METHOD, "auto|words",
     .text = Z_HOW ", the only method (default: auto)"},
    {"strategy", 0, METHOD, AT(call.method), "zmul", Z_PRODUCT_METHODS,
     .text = "The same as --method"},
    {"strategy", 0, METHOD, AT(call.method), "zgcd", Z_GCD_METHODS, .text = "The same as --method"},
    {"strategy", 0, METHOD, AT(call.method), "zresultant zdiscriminant", Z_RESULTANT_METHODS,
     .text = "The same as --method"},
    {"explain", 0, FLAG, AT(call.explain), "methods", NULL,
     .text =
         "Show the methods by estimate, the source of each estimate, and the reason of the pick"},
    {"explain", 0, FLAG, AT(call.explain), PRODUCTS, NULL,
     .text = "Print the plan of the product on standard error: method and reason, range, threads, "
             "bytes, transforms, blocks"},
    {"verify", 0, VERIFY, AT(call.verify), OPERATIONS, "none|point|full",
     .text = "How to check the result: at random points, or in full by products of a second "
             "method, which mul calls cross (default: point)"},
    {"verify", 0, VERIFY, AT(call.verify), PRODUCTS, "none|point|cross",
     .text = "How to check the product: modulo a random polynomial, or by a second, independent "
             "method (default: point)"},
    {"verify", 0, VERIFY, AT(call.verify), OVER_Z, "none|point|full",
     .text = "How to check the result: modulo random primes, or in full by a second method "
             "(default: point)"},
    {"by", 0, WORD, AT(call.verify), "verify", "point|cross",
     .text = "How to check: modulo a random polynomial (default), or by computing the product",
     .least = GFP_VERIFY_POINT},
    {"points", 0, LENGTH, AT(own.check.points), "verify", "N",
     .text = "Use at least N random digits (default: as many as make a wrong product pass with a "
             "probability of at most 2^-40)",
     .least = 1, .most = 1000000},
    {"tuning", 0, TEXT, AT(call.tuning), OPERATIONS " " PRODUCTS " " OVER_Z " methods demo",
     "FILE|none",
     .text = "Take the costs of the methods from FILE, which `gfpoly tune' wrote (default: the "
             "user's tuning file, if it exists), or with none the built-in costs"},
    {"memory", 0, BYTES, AT(call.memory), OPERATIONS " " OVER_Z " zreconstruct", "SIZE",
     .text = COST_OF_MEMORY},
    {"memory", 0, BYTES, AT(call.memory), PRODUCTS, "SIZE",
     .text =
         "Bytes that the product may take in addition to operands and result, such as 64M or 2G "
         "(default: as many as the method needs; with --binary a quarter of the machine's memory; "
         "with --resume a 32nd, at least 256M)"},
    {"memory", 0, BYTES, AT(call.memory), TRANSFORMS, "SIZE",
     .text = "Bytes that the transform may take in addition to the values, such as 64M or 2G "
             "(default: as many as needed; with --binary a quarter of the machine's memory, and "
             "longer files are transformed by blocks)"},
    {"memory", 0, BYTES, AT(call.memory), "methods", "SIZE",
     .text = "Use at most SIZE bytes of work space, such as 64M or 2G"},
    {"memory", 0, BYTES, AT(call.memory), "verify", "SIZE",
     .text = "With --by cross: bytes that the product may take in addition to its coefficients"},
    {"timeout", 0, SECONDS, AT(call.timeout), OVER_Z " zreconstruct", "SECONDS",
     .text = "Stop after this time, without a result and with exit status 3 (default: none)"},
    {"checkpoint", 0, TEXT, AT(call.checkpoint),
     "zgcd zresultant zdiscriminant zbiresultant zdeterminant zcharpoly zsystem", "FILE",
     .text = "Keep finished images in FILE, and take those that are there: the same command goes "
             "on after it was stopped; FILE is removed once the result is written"},
    {"threads", 'j', THREADS, AT(call.threads),
     OPERATIONS " " PRODUCTS " " TRANSFORMS " " OVER_Z " random methods compare verify", "T",
     .text = "Use at most T threads (default 1); the result does not depend on T", .least = 1},
    {"threads", 'j', THREADS, AT(call.threads), "tune", "T",
     .text = "Measure with T threads in addition to one (default: 1)", .least = 1},
    {"gpu-device", 0, SMALL, AT(call.gpu_device), OPERATIONS, "N", .text = "The GPU (default: 0)"},
    {"gpu-device", 0, SMALL, AT(call.gpu_device), PRODUCTS, "N",
     .text = "The GPU for methods on a GPU (default: 0)"},
    {"gpu-device", 0, SMALL, AT(call.gpu_device), "zbiresultant", "N",
     .text = "The GPU for the method words_gpu (default: 0; over ranks one after the other)"},
    {"gpu-count", 0, SMALL, AT(call.gpu_count), PRODUCTS, "N",
     .text = "The number of GPUs, from the one of --gpu-device on, for the method dealt_gpu "
             "(default: 1)",
     .least = 1},
    {"gpu-memory", 0, BYTES, AT(call.gpu_memory), OPERATIONS, "SIZE",
     .text = "Bytes of device memory that the computation may take (default: all)"},
    {"gpu-memory", 0, BYTES, AT(call.gpu_memory), PRODUCTS, "SIZE",
     .text = "Bytes of each GPU's memory that the product may take (default: all that is free)"},
    {"gpu-memory", 0, BYTES, AT(call.gpu_memory), "zbiresultant", "SIZE",
     .text = "Bytes of the GPU's memory that the resultant may take (default: all that is free)"},
    {"binary", 0, FLAG, AT(call.binary), PRODUCTS, NULL,
     .text = "The operands are binary files: map them instead of reading them, and write the "
             "binary file that -o names; the files need not fit in memory"},
    {"resume", 0, FLAG, AT(call.resume), PRODUCTS, NULL,
     .text = "With --binary: keep finished parts of the product in OUT.part and "
             "OUT.part.journal. After a stop the same command with the same --memory goes on "
             "from there"},
    {"binary", 0, FLAG, AT(call.binary), TRANSFORMS, NULL,
     .text = "The input is a binary file: map it instead of reading it, and write the binary file "
             "that -o names; the files need not fit in memory"},

    /* ---- reports ---- */
    {"time", 0, FLAG, AT(call.time),
     OPERATIONS " " PRODUCTS " " TRANSFORMS " " OVER_Z " zreconstruct", NULL,
     .text = "Print the times on standard error"},
    {"time", 0, FLAG, AT(call.time), "verify", NULL, .text = "Print the time on standard error"},
    {"json", 0, FLAG, AT(call.json), "info primes methods verify scale", NULL,
     .text = "Print JSON"},
    {"json", 0, FLAG, AT(call.json), OPERATIONS " " OVER_Z " zreconstruct", NULL,
     .text = "Print a JSON report on standard output; results are written to named files only"},
    {"json", 0, FLAG, AT(call.json), PRODUCTS, NULL,
     .text = "Print a JSON report on standard output; the product is written only with -o FILE"},
    {"json", 0, FLAG, AT(call.json), TRANSFORMS, NULL,
     .text = "Print a JSON report on standard output; values are written to a named file only"},

    /* ---- results ---- */
    {"output", 'o', TEXT, AT(output),
     "powmod compose series roots factor multieval interp crt gcd resultant discriminant zmul "
     "zresultant zdiscriminant zbiresultant zreconstruct " ONE_METHOD " " PRODUCTS " " TRANSFORMS
     " " SUMS " eval convert random",
     "FILE", .text = "Write to FILE (default and -: standard output)"},
    {"output", 'o', TEXT, AT(output), "xgcd", "FILE", .text = WRITE_TO("G")},
    {"output", 'o', TEXT, AT(output), "zgcd", "FILE",
     .text = "Write G to FILE (-: standard output, which is the default without -u and -v)"},
    {"output", 'o', TEXT, AT(output), "tune", "FILE",
     .text = "Write to FILE (-: standard output) instead of the user's tuning file"},
    {"output", 'o', TEXT, AT(output), "compare", "DIR",
     .text = "Write compare.csv, compare.json, compare.gp, of a map also compare.md, and through "
             "gnuplot compare.svg and compare.png, to the folder DIR"},
    {"format", 0, WORD, AT(format), POLYNOMIALS " " PRODUCTS " " TRANSFORMS " " SUMS,
     "flint|ntl|binary", .text = "Output format (default: that of the first input)",
     .usual = AS_INPUT},
    {"format", 0, WORD, AT(format), "random", "flint|ntl|binary",
     .text = "Output format (default: flint)", .usual = GFP_FORMAT_FLINT},
    {"format", 0, WORD, AT(format), "convert", "flint|ntl|binary",
     .text = "Output format (default: binary for text, flint for binary)", .usual = UNLIKE_INPUT},
    {"force", 'f', FLAG, AT(force),
     POLYNOMIALS " " PRODUCTS " " TRANSFORMS " " SUMS " random convert", NULL,
     .text = "Allow the binary format on a terminal"},
    {"quotient", 'q', TEXT, AT(own.division.quotient), "divrem", "FILE",
     .text = WRITE_TO("the quotient")},
    {"remainder", 'r', TEXT, AT(own.division.remainder), "divrem", "FILE",
     .text = WRITE_TO("the remainder")},
    {"first-cofactor", 'u', TEXT, AT(own.gcd.first_cofactor), "xgcd", "FILE",
     .text = WRITE_TO("U")},
    {"second-cofactor", 'v', TEXT, AT(own.gcd.second_cofactor), "xgcd", "FILE",
     .text = WRITE_TO("V")},
    {"first-cofactor", 'u', TEXT, AT(own.gcd.first_cofactor), "zgcd", "FILE",
     .text = WRITE_TO("A / G")},
    {"second-cofactor", 'v', TEXT, AT(own.gcd.second_cofactor), "zgcd", "FILE",
     .text = WRITE_TO("B / G")},

    /* ---- one family each ---- */
    {"length", 0, LENGTH, AT(own.power.length), "compose", "N",
     .text = "Compute the first N coefficients of F(G) alone", .least = 1},
    {"point", 0, POINT, AT(own.power.point), "series", "C",
     .text = "The point of shift: a whole number in decimal, or in hexadecimal after 0x, of either "
             "sign"},
    {"n", 0, LENGTH, AT(own.transform.n), TRANSFORMS, "N",
     .text = "Length, a divisor of p - 1 (default: the least power of two that holds the input, "
             "which is padded with zeros)",
     .least = 1},
    {"order", 0, WORD, AT(own.transform.order), "dft", "natural|permuted",
     .text = "Order of the output (default: natural)"},
    {"order", 0, WORD, AT(own.transform.order), "idft", "natural|permuted",
     .text = "Order of the input (default: natural)"},
    {"count", 0, LENGTH, AT(own.points.count), "multieval interp", "N",
     .text = "The number of points: those behind the end of the file X are 0 (default: as many as "
             "the file has)",
     .least = 1},
    {"boxes", 0, FLAG, AT(own.system.boxes), "zsystem", NULL,
     .text = "Write boxes of the real solutions"},
    {"digits", 0, LENGTH, AT(own.system.digits), "zsystem", "D",
     .text = "Sides of boxes are at most 10^-D (default 15)", .least = 1, .most = 1000000,
     .usual = 15},
    {"irreducible", 0, FLAG, AT(own.random.irreducible), "random", NULL,
     .text = "Write a monic irreducible polynomial, of degree N - 1, uniform among all of them"},

/* ---- seeds ---- */
#define SEED(family, subcommand)                                                                   \
    {                                                                                              \
        "seed", 0, NUMBER, AT(own.family.seed), subcommand, "S",                                   \
            .text = "Seed of the generator, 64 bits (default 0)"                                   \
    }
    SEED(random, "random"),
    SEED(primes, "primes"),
    SEED(methods, "methods"),
    SEED(demo, "demo"),
    SEED(compare, "compare"),
    {"seed", 0, NUMBER, AT(own.factor.seed), "roots factor", "S",
     .text = "Seed of the random choices, 64 bits (default 0: from the system); the result does "
             "not depend on it"},
    {"seed", 0, NUMBER, AT(own.check.seed), "verify", "S",
     .text = "Seed of the points, 64 bits (default and 0: random numbers of the system)"},

    /* ---- primes ---- */
    {"search", 0, FLAG, AT(own.primes.search), "primes", NULL,
     .text = "Search for primes instead of listing the named ones"},
    {"stock", 0, FLAG, AT(own.primes.stock), "primes", NULL,
     .text = "List the primes in stock: all, or those of --k"},
    {"k", 0, SMALL, AT(own.primes.range.k), "primes", "K", .text = "The exponent: 2, 4, ..., 256",
     .least = 1},
    {"fields", 0, TEXT, AT(own.compare.fields), "compare", "NAME,...",
     .text = "Instead of methods over one field, the methods of products on a map of lengths and "
             "these fields (all: every named prime)",
     .alone = true},
    {"levels", 0, TEXT, AT(own.compare.levels), "compare", "all|NAME,...",
     .text = "With --fields, at these kernel levels of this CPU, each in a process of its own "
             "(default: the level in use)"},
    {"min-bits", 0, SMALL, AT(own.primes.range.min_bits), "primes", "B",
     .text = "Least number of bits of p", .least = 1},
    {"max-bits", 0, SMALL, AT(own.primes.range.max_bits), "primes", "B",
     .text = "Largest number of bits of p", .least = 1},
    {"min-v2", 0, SMALL, AT(own.primes.range.min_v2_r), "primes", "V",
     .text = "Only radices divisible by 2^V, which have transforms of lengths up to 2^(K V) "
             "(default 1)"},
    {"count", 0, LENGTH, AT(own.primes.count), "primes", "N",
     .text = "Find or list at most N primes (default: all; with --random, one)", .least = 1},
    {"random", 0, FLAG, AT(own.primes.random), "primes", NULL,
     .text = "Any even radix r, in a random order"},

    /* ---- measuring ---- */
    {"len-b", 0, LENGTH, AT(own.methods.len_b), "methods", "N",
     .text = "Coefficients of the second polynomial (default: as many; for middle, half as many)",
     .least = 1},
    {"operation", 0, OPERATION, AT(own.methods.operation), "methods",
     "product|square|low|middle|operand|high|batch|file",
     .text = "The operation (default: product): square; low, high, middle (parts of a product); "
             "operand (the second factor is already transformed); batch; file (mul --binary)",
     .most = GFP_OPERATION_COUNT},
    {"operation", 0, OPERATION, AT(own.compare.operation), "compare",
     "product|square|low|middle|operand",
     .text = "The operation: product (default), square, low (the lower half of a product), middle, "
             "operand (the second factor is already transformed)",
     .most = GFP_OPERATION_OPERAND + 1},
    {"operation", 0, OPERATION_SET, AT(own.tune.operations), "tune",
     "product|square|low|middle|operand",
     .text = "Measure this operation: product, square, low (the lower half of a product), middle, "
             "operand (the second factor is already transformed); may be repeated (default: all "
             "but middle)",
     .most = GFP_OPERATION_OPERAND + 1},
    {"n", 0, LENGTH, AT(own.methods.n), "methods", "N",
     .text = "Coefficients of low, high and middle (default: half of the product; for middle, "
             "those to which all of the shorter factor adds)",
     .least = 1},
    {"count", 0, LENGTH, AT(own.methods.count), "methods", "N",
     .text = "Products of a batch (default: 1000)", .least = 1, .usual = 1000},
    {"resident", 0, FLAG, AT(own.methods.resident), "methods", NULL,
     .text = "Factors and result lie in the memory of a GPU: only its methods can serve"},
    {"measure", 0, FLAG, AT(own.methods.measure), "methods", NULL,
     .text = "Run every method for about a second, except those estimated at more than 20 times "
             "the pick's time"},
#define RUN_ALL "Also run methods estimated at more than 20 times the pick's time"
    {"all", 0, FLAG, AT(own.methods.all), "methods", NULL, .text = RUN_ALL},
    {"all", 0, FLAG, AT(own.demo.all), "demo", NULL, .text = RUN_ALL},
    {"quick", 0, FLAG, AT(own.tune.quick), "tune", NULL,
     .text = "Fewer lengths and shorter runs: about three seconds a field"},
    {"merge", 0, FLAG, AT(own.tune.merge), "tune", NULL,
     .text = "Keep the file's times of other fields, lengths, operations and threads"},
    {"resume", 0, FLAG, AT(own.tune.resume), "tune", NULL,
     .text =
         "As --merge, and measure only times that the file lacks: continues after an interrupt"},
    {"min-len", 0, LENGTH, AT(own.compare.min_len), "compare", "N",
     .text = "Coefficients of the shortest factors (default: 2)", .least = 1, .most = MAX_COMPARED},
    {"max-len", 0, LENGTH, AT(own.compare.max_len), "compare", "N",
     .text = "Coefficients of the longest factors (default: 65536)", .least = 1,
     .most = MAX_COMPARED},
    {"points-per-octave", 0, LENGTH, AT(own.compare.points), "compare", "N",
     .text = "Number of lengths for each doubling (default: 2)", .least = 1, .most = 64},
    {"methods", 0, TEXT, AT(own.compare.methods), "compare", "NAME,...",
     .text = "Only these methods and libraries (default: all)"},
    {"strategies", 0, WORD, AT(own.compare.zoperation), "compare", "mul|gcd|resultant",
     .text = "Instead of methods over a field, the strategies over the integers on a map of "
             "lengths and bits, for products (default), gcds or resultants",
     .optional = true, .alone = true},
    {"min-bits", 0, SMALL, AT(own.compare.min_bits), "compare", "B",
     .text = "Bits of the shortest coefficients of --strategies (default: 16)", .least = 1},
    {"max-bits", 0, SMALL, AT(own.compare.max_bits), "compare", "B",
     .text = "Bits of the longest coefficients of --strategies (default: 4096)", .least = 1},
    {"max-seconds", 0, SECONDS, AT(own.compare.seconds), "compare", "S",
     .text = "Measure for about S seconds (default: 60); methods that take too long are left out",
     .usual = 60},

    /* ---- scale ---- */
    {"points", 0, TEXT, AT(own.scale.points), "scale", "FILE",
     .text = "Take the measured points from FILE (-: standard input; default: those that the "
             "command brings along)"},
    {"machine", 0, TEXT, AT(own.scale.machine), "scale", "NAME",
     .text = "Only this machine (default: all)"},
    {"kind", 0, WORD, AT(own.scale.kind), "scale", "ranks|gpus|files",
     .text = "Only points of ranks, of GPUs, or of ranks that share files (default: all)"},

    /* ---- all subcommands ---- */
    /* The last rows, since argp gives a row without a group that of the row before. */
    {"quiet", 0, FLAG, AT(quiet), "*", NULL,
     .text = "Print only errors on standard error: no progress, notes or warnings"},
    {"verbose", 0, FLAG, AT(verbose), "*", NULL, .text = "Report each step on standard error"},
};

const size_t option_row_count = sizeof option_rows / sizeof option_rows[0];
_Static_assert(sizeof option_rows / sizeof option_rows[0] <= MAX_ROWS, "more rows than MAX_ROWS");
