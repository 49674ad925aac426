"""Run the notebook of docs/ and write its outputs anew: ``python tests/notebook.py``.

Its cells are run in this process, as a kernel would: that needs no Jupyter.
"""

import ast
import json
from typing import Any

from pages import ROOT, empty_folder

NOTEBOOK = ROOT / "docs" / "adjust.ipynb"


def run_notebook(text: str) -> str:
    """Return a notebook with the outputs of today."""
    notebook = json.loads(text)
    names: dict[str, Any] = {}
    coded = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for count, cell in enumerate(coded, start=1):
        cell |= {
            "execution_count": count,
            "outputs": _run_cell("".join(cell["source"]), names, count),
        }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _run_cell(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Run a cell; return what is shown of its last line, if that is an expression."""
    *before, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        exec(source, names)  # noqa: S102 - our own notebook
        return []
    exec(compile(ast.Module(before, []), "cell", "exec"), names)  # noqa: S102 - as above
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307 - as above
    if value is None:
        return []
    data = {"text/plain": [repr(value)]}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = [value._repr_html_()]
    return [
        {"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data}
    ]


def main() -> None:
    """Write the outputs anew."""
    with empty_folder():
        text = run_notebook(NOTEBOOK.read_text(encoding="utf-8"))
    NOTEBOOK.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
