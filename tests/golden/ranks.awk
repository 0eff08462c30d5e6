# one side of a job: the statistics of so many calls on so many ranks, below FOLDER/stepN (step, 0 if not given), whose rank folders are there; rank
# `off` is off from call `from` (from 1) on, and all of them are from call `all` on; 0: none
function tensor(scale) {
    return sprintf("{\"type\":\"torch.Tensor\",\"dtype\":\"torch.float32\",\"shape\":[4,16],\"Max\":%.6g,\"Min\":%.6g,\"Mean\":%.6g,\"Norm\":%.6g,\"requires_grad\":true}",
                   2.5 * scale, -2.25 * scale, 0.0125 * scale, 8.125 * scale)
}
function wrong(r, i) { return (from && r == off && i >= from) || (all && i >= all) ? 1.25 : 1 }
BEGIN {
    split("linear gelu dropout layer_norm", kind, " ")
    for (r = 0; r < ranks; r++) {
        file = folder "/step" step + 0 "/rank" r "/dump.json"
        printf "{\"task\":\"statistics\",\"level\":\"L1\",\"framework\":\"pytorch\",\"dump_data_dir\":null,\"data\":{" > file
        own = 1 + r / 1024
        for (i = 1; i <= calls; i++) {
            weight = (i - 1) % 4 ? "" : "," tensor(0.5)
            printf "%s\n\"Functional.%s.%d.forward\":{\"input_args\":[%s%s],\"input_kwargs\":{},\"output\":[%s]}", (i > 1 ? "," : ""),
                   kind[(i - 1) % 4 + 1], int((i - 1) / 4), tensor(own * (1 + (i - 1) / 64) * wrong(r, i - 1)), weight,
                   tensor(own * (1 + i / 64) * wrong(r, i)) > file
        }
        printf "}}\n" > file
        close(file)
        for (i = 1; i <= 2; i++) {
            file = folder "/step" step + 0 "/rank" r (i == 1 ? "/stack.json" : "/construct.json")
            print "{}" > file
            close(file)
        }
    }
}
