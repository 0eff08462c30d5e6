"""A recipe's text from the program, and its lines run where the text says they belong."""
import os

from intervention import diverge

INVESTIGATION = "recipes.investigation.json"


def recipe(name, file):
    os.makedirs("target_dump", exist_ok=True)  # nothing is written into an input's folder: the investigation lies beside it
    diverge("give", INVESTIGATION, "target", "target_dump", codes=(0,))
    diverge("recipe", INVESTIGATION, name, "-o", file, codes=(0,))


def paste(file, **names):
    exec(compile(open(file).read(), file, "exec"), names)
