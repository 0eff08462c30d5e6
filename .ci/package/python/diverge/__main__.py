"""python -m diverge: the program itself."""
import os
import sys

from . import program

path = program()
os.execv(path, [path, *sys.argv[1:]])
