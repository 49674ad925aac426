"""Columns of values to an Excel workbook of one sheet, as small as it can be (ECMA-376)."""

from __future__ import annotations

import io
import math
import re
import zipfile
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from rankconst.names import show_controls
from rankconst.tables.encode import list_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# A text that is a number as printed: it is a number here, shown with as many decimals.
_PRINTED = re.compile(r"-?\d{0,9}(?:\.(\d{1,9}))?", re.ASCII)
_MOST_DECIMALS = 9
_NAMESPACE = "http://schemas.openxmlformats.org"
_MAIN = f'xmlns="{_NAMESPACE}/spreadsheetml/2006/main"'
_RELATION = f"{_NAMESPACE}/officeDocument/2006/relationships"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def write_workbook(columns: Mapping[str, Any]) -> Iterator[bytes]:
    """Write a workbook of one sheet with a header; the same columns give the same bytes."""
    parts = {
        "[Content_Types].xml": _list_types(),
        "_rels/.rels": _list_relations("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook {_MAIN} xmlns:r="{_RELATION}"><sheets>'
        '<sheet name="rankconst" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _list_relations(
            "worksheet", "worksheets/sheet1.xml", "styles", "styles.xml"
        ),
        "xl/styles.xml": _write_styles(),
        "xl/worksheets/sheet1.xml": _write_sheet(columns),
    }
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            entry = zipfile.ZipInfo(name)  # of 1980: the time is no part of the content
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    yield sink.getvalue()


def _list_types() -> str:
    types = {"workbook": "sheet.main", "styles": "styles", "worksheets/sheet1": "worksheet"}
    parts = [
        f'<Override PartName="/xl/{name}.xml" ContentType="{_TYPE}.{kind}+xml"/>'
        for name, kind in types.items()
    ]
    package = f"{_NAMESPACE}/package/2006"
    relations = "application/vnd.openxmlformats-package.relationships+xml"
    default = f'<Default Extension="rels" ContentType="{relations}"/>'
    return f'<Types xmlns="{package}/content-types">{default}{"".join(parts)}</Types>'


def _list_relations(*pairs: str) -> str:
    """Name the parts that a part consists of: kind, place, kind, place ..."""
    listed = [
        f'<Relationship Id="r{number}" Type="{_RELATION}/{kind}" Target="{place}"/>'
        for number, (kind, place) in enumerate(zip(pairs[::2], pairs[1::2], strict=True), 1)
    ]
    package = f"{_NAMESPACE}/package/2006/relationships"
    return f'<Relationships xmlns="{package}">{"".join(listed)}</Relationships>'


def _write_styles() -> str:
    """Write a style for each number of decimals, behind the usual one."""
    decimals = range(1, _MOST_DECIMALS + 1)
    formats = [
        f'<numFmt numFmtId="{200 + number}" formatCode={quoteattr("0." + "0" * number)}/>'
        for number in decimals
    ]
    styles = [f'<xf numFmtId="{200 + number}" applyNumberFormat="1"/>' for number in decimals]
    counted = f'count="{_MOST_DECIMALS}"'
    return (
        f"<styleSheet {_MAIN}><numFmts {counted}>{''.join(formats)}</numFmts>"
        '<fonts count="1"><font/></fonts><fills count="1"><fill><patternFill/></fill></fills>'
        '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
        f'<cellXfs count="{_MOST_DECIMALS + 1}"><xf/>{"".join(styles)}</cellXfs>'
        '<cellStyles count="1"><cellStyle name="Normal" xfId="0"/></cellStyles></styleSheet>'
    )


def _write_sheet(columns: Mapping[str, Any]) -> str:
    rows = [[_write_text(name) for name in columns]]
    listed = [list_values(values) for values in columns.values()]
    rows += [[_write_cell(value) for value in row] for row in zip(*listed, strict=True)]
    written = [f"<row>{''.join(cells)}</row>" for cells in rows]
    return f"<worksheet {_MAIN}><sheetData>{''.join(written)}</sheetData></worksheet>"


def _write_cell(value: Any) -> str:
    if value is None or value == "":
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, (int, float)):
        # Excel has no infinity.
        return f"<c><v>{value!r}</v></c>" if math.isfinite(value) else _write_text(str(value))
    if isinstance(value, (list, tuple)):
        return _write_text("; ".join(map(str, value)))
    text = str(value)
    printed = _PRINTED.fullmatch(text)
    if printed is None or not any(map(str.isdigit, text)):
        return _write_text(text)
    return f'<c s="{len(printed[1] or "")}"><v>{float(text)!r}</v></c>'


def _write_text(text: str) -> str:
    """Write a text, which Excel takes for no formula."""
    kept = escape(show_controls(text))
    return f'<c t="inlineStr"><is><t xml:space="preserve">{kept}</t></is></c>'
