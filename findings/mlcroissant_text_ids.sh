#!/usr/bin/env bash
# mlcroissant reads WordNet's entity ids, declared as text, as decimal numbers: 00260881 becomes b"260881.0".
#
# Seen 2026-11-28 with Python 3.11.7: mlcroissant 1.1.1, pandas 3.1.1, numpy 2.4.6.
# Guess before running: "00260881", perhaps as bytes, since the field says sc:Text.
# Behaviour: the CSV is parsed without regard for the declared types; the type is applied afterwards. A column of digits is
#   an integer by then, and a float if one cell is empty or looks so; the name NA has become None, 1e5 is 100000.0. The
#   same entity has other names in the head and in the tail column if only one of them has such a cell.
# Documented? No: the format says that the dataType is the type of the field, the package warns of nothing.
# Why it matters: entities of WN18 and WN18RR are such offsets. The triples load, and not one name is in the mapping any
#   more; where both ends are mangled differently, the graph falls apart and the filter removes nothing.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile 'mlcroissant==1.1.1' 'pandas==3.1.1' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
{'head': b'260881.0', 'relation': b'_hypernym', 'tail': b'260622'}
{'head': b'1332730.0', 'relation': b'_hypernym', 'tail': b'260881'}
{'head': None, 'relation': b'_hypernym', 'tail': b'1332730'}
END
cat > "$tmp/program.py" <<'END'
import hashlib
import json
import logging
import sys
from pathlib import Path

import mlcroissant as mlc

logging.disable()
folder = Path(sys.argv[1])
text = "head,relation,tail\n00260881,_hypernym,00260622\n01332730,_hypernym,00260881\nNA,_hypernym,01332730\n"
(folder / "triples.csv").write_text(text)
digest = hashlib.sha256(text.encode()).hexdigest()
file = mlc.FileObject(id="csv", name="csv", content_url="triples.csv", encoding_formats=["text/csv"], sha256=digest)
columns = ("head", "relation", "tail")
sources = [mlc.Source(file_object="csv", extract=mlc.Extract(column=name)) for name in columns]
fields = [
    mlc.Field(id=f"triples/{name}", name=name, data_types=[mlc.DataType.TEXT], source=source)
    for name, source in zip(columns, sources)
]
records = mlc.RecordSet(id="triples", name="triples", fields=fields)
metadata = mlc.Metadata(name="wordnet", description="d", url="u", distribution=[file], record_sets=[records])
(folder / "croissant.json").write_text(json.dumps(metadata.to_json(), default=str))
for record in mlc.Dataset(str(folder / "croissant.json")).records("triples"):
    print({key.removeprefix("triples/"): value for key, value in record.items()})
END
"$tmp/venv/bin/python" "$tmp/program.py" "$tmp" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: the ids are no longer read as seen"; exit 1; }
echo "as seen"
