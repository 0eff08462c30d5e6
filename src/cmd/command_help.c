/* What a command does with the words a key gives it, where its own sentence tells of all its words. */
#include "cmd/cmd.h"

#include "base/msg.h"

static const struct {
    const char *text, *help;
} sentences[] = {
    {"next start", N_("go to the next row at which a deviation starts")},
    {"prev start", N_("go to the previous row at which a deviation starts")},
    {"next deviation", N_("go to the next row that deviates")},
    {"prev deviation", N_("go to the previous row that deviates")},
    {"next drift", N_("go to the next row that drifts")},
    {"prev drift", N_("go to the previous row that drifts")},
    {"next gap", N_("go to the next gap: rows that only one side has")},
    {"prev gap", N_("go to the previous gap: rows that only one side has")},
    {"next precision", N_("go to the next pair of different precision")},
    {"prev precision", N_("go to the previous pair of different precision")},
    {"next excess", N_("go to the next output found wrong by recomputation")},
    {"prev excess", N_("go to the previous output found wrong by recomputation")},
    {"next edge", N_("go to the next start or end of a range of deviating rows")},
    {"prev edge", N_("go to the previous start or end of a range of deviating rows")},
    {"jump back", N_("go back to the position before a jump")},
    {"jump forward", N_("go forward to the position after a jump")},
    {"sort next", N_("sort by the next column")},
    {"sort prev", N_("sort by the previous column")},
    {"sort reverse", N_("reverse the order of the rows")},
    {"sort none", N_("put the rows into execution order")},
    {"filter-line !", N_("ask for a filter and hide the rows that match")},
    {"copy name", N_("copy the row's name to the clipboard")},
    {"copy row", N_("copy the row with its figures to the clipboard")},
    {"pane next", N_("move the focus to the next pane")},
    {"pane prev", N_("move the focus to the previous pane")},
    {"pane stack", N_("show the stack of the call under the cursor")},
    {"list starts", N_("list what starts here, with the rows that inherit it")},
    {"list problems", N_("list everything that was found: starts, doubts, unreadable data, findings")},
    {"list gaps", N_("list the calls that only one side has")},
    {"group layers", N_("show the step by layer: a row per call, a column per layer")},
    {"list bookmarks", N_("list the bookmarks")},
    {"unpair ask", N_("reject this pair; again: the whole call")},
    {"panel 0", N_("show all panels of the procedure")},
    {"panel next", N_("open the panel that comes next")},
    {"panel do", N_("do what the panel says is next")},
    {"tell-line give", N_("give a file to the input under the cursor")},
    {"tell-line waive", N_("waive the line under the cursor, with a reason")},
    {"tell-line answer", N_("answer the line under the cursor")},
    {"plot in", N_("zoom into the curves around the cursor")},
    {"plot out", N_("zoom out of the curves")},
    {"plot left", N_("move the cursor of the curves left")},
    {"plot right", N_("move the cursor of the curves right")},
    {"plot all", N_("show all steps of the curves")},
    {"side target", N_("select the target's stack")},
    {"side golden", N_("select the golden stack")},
    {"ranks first", N_("go to the first bad cell of all ranks")},
    {"ranks next", N_("go to the next bad cell")},
    {"ranks prev", N_("go to the previous bad cell")},
    {"ranks list", N_("move between the strip and the findings below it")},
    {"ranks in", N_("show fewer ranks and calls in a cell")},
    {"ranks out", N_("show more ranks and calls in a cell")},
    {"ranks later", N_("show the next step")},
    {"ranks earlier", N_("show the previous step")},
    {"ranks left-end", N_("go to the first call")},
    {"ranks right-end", N_("go to the last call")},
    {"command open", N_("open other dumps")},
    {"cells up", N_("move up in the map")},
    {"cells down", N_("move down in the map")},
    {"cells left", N_("move left in the map")},
    {"cells right", N_("move right in the map")},
    {"cells up page", N_("move up in the map by a page")},
    {"cells down page", N_("move down in the map by a page")},
    {"cells left all", N_("go to the first column of the map")},
    {"cells right all", N_("go to the last column of the map")},
    {"cells up all", N_("go to the first row of the map")},
    {"cells down all", N_("go to the last row of the map")},
    {"axes next", N_("show the next two axes of the tensor")},
    {"axes prev", N_("show the previous two axes of the tensor")},
    {"slider next", N_("select the next hidden axis")},
    {"slider prev", N_("select the previous hidden axis")},
    {"slide +1", N_("move along the hidden axis by 1")},
    {"slide -1", N_("move back along the hidden axis by 1")},
    {"slide +10", N_("move along the hidden axis by 10")},
    {"slide -10", N_("move back along the hidden axis by 10")},
    {"magnify in", N_("show fewer elements in a cell")},
    {"magnify out", N_("show more elements in a cell")},
    {"worst next", N_("go to the element with the next largest error")},
    {"worst prev", N_("go back to the element with the larger error")},
    {"nonfinite next", N_("go to the next element that is NaN or infinite")},
    {"nonfinite prev", N_("go to the previous element that is NaN or infinite")},
};

const char *command_help(const char *text)
{
    struct str name, rest;
    for (size_t i = 0; i < ARRAY_LEN(sentences); i++)
        if (strcmp(sentences[i].text, text) == 0)
            return _(sentences[i].help);
    unsigned long long panel;
    if (str_starts(str_of(text), "panel ") && str_u64(str_cut(str_of(text), 6), &panel) && panel >= 1 &&
        panel <= PANELS)
        return _(panels[panel - 1].title);
    str_split(str_of(text), ' ', &name, &rest);
    const struct command *c = command_find(name);
    return c ? _(c->help) : "";
}
