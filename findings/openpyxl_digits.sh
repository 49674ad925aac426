#!/usr/bin/env bash
# openpyxl: two scores that differ, and two entity ids that differ, are equal once the workbook is saved.
#
# Seen 2026-11-29 with Python 3.11.7: openpyxl 3.1.5, xlsxwriter 3.3.1, python-calamine 0.9.1.
# Guess before running: xlsxwriter writes 16 digits (it does); openpyxl writes the 17 that a double needs, and integers whole.
# Behaviour: openpyxl writes 16 digits as well, of integers too: 12345678901234567 comes back as the number 1.234567890123457e16,
#   by any reader, while the cell in memory still has the integer. A quarter of random scores come back changed.
# Documented? We found it in neither package's docstrings. That Excel shows 15 digits is well known, but its files store 17.
# Why it matters: scores that differ in the last bit become tied, and scores read from the workbook do not match those of the
#   run. Ids of 17 digits and more, as of posts and patents, are merged in tens: entities become one, without an error.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'openpyxl==3.1.5' 'xlsxwriter==3.3.1' 'python-calamine==0.9.1'

cat > "$tmp/seen" <<'END'
openpyxl, in memory: [0.30000000000000004, 0.3, 12345678901234567, 12345678901234568]
openpyxl, in the file: ['0.3', '0.3', '1.234567890123457e+16', '1.234567890123457e+16']
xlsxwriter, in the file: ['0.3', '0.3', '1.234567890123457E+16', '1.234567890123457E+16']
openpyxl's file, by openpyxl and calamine: 2 of 4 values differ, 2 of 4 values differ
openpyxl, of 10000 random scores: 2527 changed
END
cat > "$tmp/program.py" <<'END'
import random
import re
import zipfile
from pathlib import Path

import openpyxl
import python_calamine
import xlsxwriter

folder = Path(__file__).parent


def write(values):
    book = openpyxl.Workbook()
    for value in values:
        book.active.append([value])
    book.save(folder / "openpyxl.xlsx")
    return book.active


def read():
    return [row[0].value for row in openpyxl.load_workbook(folder / "openpyxl.xlsx").active.iter_rows()]


def stored(name):
    return re.findall("<v>(.*?)</v>", zipfile.ZipFile(folder / name).read("xl/worksheets/sheet1.xml").decode())


values = [0.1 + 0.2, 0.3, 12345678901234567, 12345678901234568]
print("openpyxl, in memory:", [row[0].value for row in write(values).iter_rows()])
print("openpyxl, in the file:", stored("openpyxl.xlsx"))
with xlsxwriter.Workbook(folder / "xlsxwriter.xlsx") as book:
    book.add_worksheet().write_column(0, 0, values)
print("xlsxwriter, in the file:", stored("xlsxwriter.xlsx"))
sheet = python_calamine.load_workbook(folder / "openpyxl.xlsx").get_sheet_by_index(0)
counts = [len(set(read())), len({row[0] for row in sheet.to_python()})]
print("openpyxl's file, by openpyxl and calamine:", ", ".join(f"{count} of 4 values differ" for count in counts))
random.seed(1)
scores = [random.random() for _ in range(10_000)]
write(scores)
print("openpyxl, of 10000 random scores:", sum(a != b for a, b in zip(scores, read())), "changed")
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the digits of a workbook are no longer as seen"; exit 1; }
echo "as seen"
