# Fills a template whose fields stand as {{kind:value}}: all with their value, but the one numbered `at` with the text
# in ENVIRON["BAD"]. Without `at` prints the number and kind of each field instead if `list` is set.
{
    rest = $0
    line = ""
    while ((i = index(rest, "{{")) > 0) {
        line = line substr(rest, 1, i - 1)
        rest = substr(rest, i + 2)
        end = index(rest, "}}")
        field = substr(rest, 1, end - 1)
        kind = substr(field, 1, 1)
        n++
        if (list)
            print n, kind
        line = line (n == at ? ENVIRON["BAD"] : substr(field, 3))
        rest = substr(rest, end + 2)
    }
    if (!list)
        print line rest
}
