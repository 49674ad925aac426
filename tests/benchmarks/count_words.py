"""Count in how many reference files each word of the lexicon stands, and write it into vocabulary.toml.

Run: python tests/benchmarks/count_words.py FOLDER, the folder reference.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path

from rankconst.results.labels import read_label
from rankconst.results.vocabulary import list_lexicon

VOCABULARY = Path(__file__).resolve().parents[2] / "rankconst" / "results" / "vocabulary.toml"
_ROW = re.compile(r'\["([^"]+)", \d+\]')


def count_words(folder: Path) -> Counter[str]:
    """Return in how many text files of a folder each word stands."""
    counts: Counter[str] = Counter()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "README.md":
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            counts.update(
                {word.text for line in dict.fromkeys(lines) for word in read_label(line).words}
            )
    return counts


def main() -> None:
    """Write the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    counts = count_words(parser.parse_args().folder / "real")
    text = VOCABULARY.read_text(encoding="utf-8")
    VOCABULARY.write_text(
        _ROW.sub(lambda found: f'["{found[1]}", {counts[found[1]]}]', text), encoding="utf-8"
    )
    print(f"{sum(count > 0 for count in counts.values())} of {len(list_lexicon())} words occur")


if __name__ == "__main__":
    main()
