# functions.awk: prints functions that take more than 8 parameters, and bodies of more than 60 lines. Sources are
# laid out by clang-format: braces of a body stand alone on their lines, indented alike.
# SPDX-License-Identifier: LGPL-3.0-or-later

# Whether a list is one of parameters: types and names, and pointers to functions.
function is_parameters(list,    i, depth, c, part) {
    depth = 0
    part = ""
    list = list ","
    for (i = 1; i <= length(list); i++) {
        c = substr(list, i, 1)
        depth += c ~ /[([{]/ ? 1 : c ~ /[])}]/ ? -1 : 0
        if (c != "," || depth > 0) {
            part = part c
            continue
        }
        gsub(/^ +| +$/, "", part)
        if (part !~ /^([A-Za-z_][A-Za-z0-9_:]*(<.*>)?( |\*|&)+)+[A-Za-z0-9_]*(\[.*\])?$/ && part !~ /\(\*[a-z0-9_]+\)/) {
            return 0
        }
        part = ""
    }
    return 1
}

# Looks for lists of more than 8 parameters in a declaration or the head of a definition.
function check_head(head,    i, c, level, open, commas, name) {
    level = 0
    for (i = 1; i <= length(head); i++) {
        c = substr(head, i, 1)
        if (c == "(") {
            open[++level] = i
            commas[level] = 0
        } else if (c == "," && level > 0) {
            commas[level]++
        } else if (c == ")" && level > 0) {
            if (commas[level] >= 8 && is_parameters(substr(head, open[level] + 1, i - open[level] - 1))) {
                name = substr(head, 1, open[level] - 1)
                sub(/[ )]*$/, "", name)
                sub(/.*[ (*]/, "", name)
                print FILENAME ":" first ": " name " takes " commas[level] + 1 " parameters"
            }
            level--
        }
    }
}

FNR == 1 {
    in_comment = 0
    head = ""
    before = ""
    split("", start)
}
{
    line = $0
    sub(/ *\\$/, "", line)
    if (in_comment) {
        if (line !~ /\*\//) {
            next
        }
        sub(/^.*\*\//, "", line)
        in_comment = 0
    }
    gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
    gsub(/'([^'\\]|\\.)'/, "0", line)
    gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
    if (line ~ /\/\*/) {
        sub(/\/\*.*$/, "", line)
        in_comment = 1
    }
    sub(/\/\/.*$/, "", line)
}
# A body begins behind a line "{" and ends before the next line "}" of the same indentation.
line ~ /^ *\{$/ && before !~ /^(namespace|extern)/ {
    start[length(line)] = FNR
}
line ~ /^ *\}$/ && length(line) in start {
    if (FNR - start[length(line)] - 1 > 60) {
        print FILENAME ":" start[length(line)] ": a body of " FNR - start[length(line)] - 1 " lines"
    }
    delete start[length(line)]
}
line !~ /^ *$/ {
    before = line
}
{
    if (head == "" || line ~ /^#/) {
        head = ""
        first = FNR
    }
    head = head line
    if (line ~ /[;{}]/) {
        if (gsub(/,/, ",", head) >= 8) {
            check_head(head)
        }
        head = ""
    }
}
