"""A recipe's text from the program, and its lines run where the text says they belong."""
from intervention import diverge


def recipe(name, file):
    diverge("recipe", "none.investigation.json", name, "-o", file)


def paste(file, **names):
    exec(compile(open(file).read(), file, "exec"), names)
