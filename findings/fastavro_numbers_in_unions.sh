#!/usr/bin/env bash
# fastavro and avro: entity 16777217 becomes 16777216 in one if its type is ["float", "long"], in the other if it is ["long", "float"].
#
# Seen 2026-11-30 with Python 3.11.7: fastavro 1.13.1, avro 1.12.2.
# Guess before running: a whole number stays whole in a union that has long (72 %, of fastavro with ["null", "double", "long"], and of avro
#   with ["float", "long"], which was right; of the other order we had not thought).
# Behaviour: both let a whole number pass as a float or a double. fastavro writes the first type of the union that fits, except
#   that it prefers double to float; avro writes the last. So whole numbers become floats in opposite orders, and from 2^24
#   (float) or 2^53 (double) on they change. 0.5 is right in all.
# Documented? No. fastavro's page on writing tells of records that fit two types of a union, not of numbers; avro's package of neither.
# Why it matters: ["null", "double", "long"] is a column of scores or counts or ids that may be missing. Two entities become one, and a
#   file that one library writes right is wrong from the other, though both read it alike.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary 'fastavro==1.13.1' 'avro==1.12.2'

cat > "$tmp/seen" <<'END'
['float', 'long'] written by fastavro: [16777216.0, 16777216.0, 9007199254740992.0, 0.5], read alike by both: True
['float', 'long'] written by avro: [16777216, 16777217, 9007199254740993, 0.5], read alike by both: True
['long', 'float'] written by fastavro: [16777216, 16777217, 9007199254740993, 0.5], read alike by both: True
['long', 'float'] written by avro: [16777216.0, 16777216.0, 9007199254740992.0, 0.5], read alike by both: True
['null', 'double', 'long'] written by fastavro: [16777216.0, 16777217.0, 9007199254740992.0, 0.5], read alike by both: True
['null', 'double', 'long'] written by avro: [16777216, 16777217, 9007199254740993, 0.5], read alike by both: True
['null', 'long', 'double'] written by fastavro: [16777216, 16777217, 9007199254740993, 0.5], read alike by both: True
['null', 'long', 'double'] written by avro: [16777216.0, 16777217.0, 9007199254740992.0, 0.5], read alike by both: True
END
cat > "$tmp/program.py" <<'END'
import io
import json

import avro.schema
import fastavro
from avro.datafile import DataFileReader, DataFileWriter
from avro.io import DatumReader, DatumWriter


def write_fastavro(schema, values):
    """Return the bytes of a file that fastavro wrote."""
    file = io.BytesIO()
    fastavro.writer(file, fastavro.parse_schema(schema), [{"x": value} for value in values])
    return file.getvalue()


def write_avro(schema, values):
    """Return the bytes of a file that avro wrote."""
    file = io.BytesIO()
    writer = DataFileWriter(file, DatumWriter(), avro.schema.parse(json.dumps(schema)))
    for value in values:
        writer.append({"x": value})
    writer.flush()
    return file.getvalue()


numbers = [16777216, 16777217, 9007199254740993, 0.5]
for union in (["float", "long"], ["long", "float"], ["null", "double", "long"], ["null", "long", "double"]):
    schema = {"type": "record", "name": "result", "fields": [{"name": "x", "type": union}]}
    for name, write in (("fastavro", write_fastavro), ("avro", write_avro)):
        data = write(schema, numbers)
        read = [row["x"] for row in fastavro.reader(io.BytesIO(data))]
        other = [row["x"] for row in DataFileReader(io.BytesIO(data), DatumReader())]
        print(f"{union} written by {name}: {read}, read alike by both: {read == other}")
END
"$tmp/venv/bin/python" -W ignore "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: numbers in unions are no longer as seen"; exit 1; }
echo "as seen"
