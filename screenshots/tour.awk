# awk -v seconds=N -f tour.awk FRAME.svg ...: puts pictures of one size into one that shows each for N seconds. Lines that
# a frame shares with the one before are drawn once more all the same: a frame is whole.
FNR == 1 {
    frames++
    if (frames == 1)
        head = $0
}
FNR == 2 && frames == 1 { ground = $0 }
FNR > 2 && !/<\/svg>/ { body[frames] = body[frames] $0 "\n" }
END {
    print head
    print "<style>.f{animation:f " frames * seconds "s step-end infinite}"
    printf "@keyframes f{0%%{visibility:visible}%.4g%%{visibility:hidden}100%%{visibility:hidden}}", 100 / frames
    for (i = 2; i <= frames; i++)
        printf ".f%d{animation-delay:%ds}", i, (i - 1) * seconds
    print "</style>"
    print ground
    for (i = 1; i <= frames; i++)
        printf "<g class=\"f f%d\" visibility=\"%s\">\n%s</g>\n", i, i == 1 ? "visible" : "hidden", body[i]
    print "</svg>"
}
