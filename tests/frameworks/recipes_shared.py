"""A recipe's text from the program, and its lines run where the text says they belong."""
from intervention import diverge

INVESTIGATION = "recipes.investigation.json"


def recipe(name, file):
    diverge("give", INVESTIGATION, "target", ".", codes=(0,))
    diverge("recipe", INVESTIGATION, name, "-o", file, codes=(0,))


def paste(file, **names):
    exec(compile(open(file).read(), file, "exec"), names)
