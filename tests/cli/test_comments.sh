# SPDX-License-Identifier: Apache-2.0
# scripts/comments.py: the house as it is has no comment of the folders named there that does not stand
# alone; one that is planted is found, with its file, its line and what to do.
source "$(dirname "$0")/common.sh"
root=$(cd "$here/../.." && pwd)

comments() { python3 "$root/scripts/comments.py" "$@"; }
run 0 comments "$root"

mkdir -p house/src/core house/emulator
cat >house/src/core/good.h <<'END'
/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets of the rows, and what follows from them. */
struct rows {
    int64_t count;    /* number of rows */
    int64_t *offsets; /* offsets of the rows in `columns`, count + 1 */
    bool sorted;      // true when columns rise
                      // in each row
    const char *text; /* "// What is this" */
};
static const char *const strings[] = {"/* What? */", "// of rows"};
END
run 0 comments house

# A comment to be found is in line 2: its words, and those that the script must say of it.
planted() {
    printf '%s\n' '#include "core/good.h"' "$1" >house/src/core/bad.c
    run 1 comments house
    check "finds $1" grep -qF "src/core/bad.c:2: a comment $2" "$err"
    check "one line" test "$(wc -l <"$err")" -eq 1
}
planted '/* What the rows need. */' 'begins with "What": say what the thing is'
planted '/* Whether the rows are sorted. */' 'begins with "Whether"'
planted '// That of the rows' 'begins with "That"'
planted '/** whether the columns rise. */' 'begins with "whether"'
planted '    int64_t rows; /**< of the matrix */' 'begins with "of"'
planted '    int64_t cols; /* and columns */' 'begins with "and", as if it went on'
planted '    int64_t rows; /* number of rows, */' 'ends with a comma'
planted $'/*\n * What stands in its second line. */' 'begins with "What"'
planted $'/** @file\n * How rows are stored. */' 'begins with "How"'

# Folders that are not named are not looked at yet.
rm house/src/core/bad.c
echo '/* What a mesh is like. */' >house/emulator/mesh.c
run 0 comments house
finish
