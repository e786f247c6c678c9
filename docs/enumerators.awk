# SPDX-License-Identifier: Apache-2.0
# Doxygen reads headers through this: a list of rows X(NAME, number, "text"), which an enum expands, stands there as
# enumerators with their texts. In the definition of X its parameter `name` may have a prefix: TULLE_##name.
/^#define [A-Z_]+\(X\)/ {
    list = $2
    sub(/\(X\).*/, "", list)
    count[list] = 0
}
list != "" && /^ +X\(/ {
    row = $0
    match(row, /"[^"]*"/)
    text[list, ++count[list]] = substr(row, RSTART + 1, RLENGTH - 2)
    sub(/^ +X\(/, "", row)
    split(row, fields, /, /)
    name[list, count[list]] = fields[1]
    number[list, count[list]] = fields[2] ~ /^-?[0-9]+$/ ? " = " fields[2] : ""
}
!/\\$/ && list != "" && !/^#define/ { list = "" }
/^#define X\(/ { prefix = /TULLE_##name/ ? "TULLE_" : "" }
/^ +[A-Z_]+\(X\)$/ {
    used = $1
    sub(/\(X\)/, "", used)
    for (i = 1; i <= count[used]; i++) {
        printf "    %s%s%s, /**< %s */", prefix, name[used, i], number[used, i], text[used, i]
    }
    print ""
    next
}
{ print }
