"""The small changes of a module that tests should notice."""

from __future__ import annotations

import ast
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_OTHER: dict[type[ast.AST], tuple[type[Any], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitAnd,),
    ast.MatMult: (ast.Mult,),
}
_TWINS = ("min", "max"), ("minimum", "maximum"), ("any", "all"), ("floor", "ceil"), ("zeros", "ones")
_NAMES = {one: other for pair in _TWINS for one, other in (pair, pair[::-1])}
# What a message says is for people, and types are for the type checker.
_SKIPPED = ("annotation", "returns", "decorator_list", "exc", "msg")


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change: which of a module's it is, where it is, what was there and what is there instead."""

    number: int
    line: int
    lines: range  # of the smallest statement around it; of one with a body, of its first lines
    owner: str | None  # the outermost function or method that it is in; None for the module's own code
    before: str
    after: str


def list_mutations(source: str) -> list[Mutation]:
    """Return all of a module."""
    tree = ast.parse(source)
    found = []
    for number, (owner, statement, parent, field, place, new) in enumerate(_walk(tree, "", None, tree)):
        old = _get(parent, field, place)
        before = _show(parent, field, old)
        _set(parent, field, place, new)
        after = _show(parent, field, new)
        _set(parent, field, place, old)
        body = getattr(statement, "body", None)
        first = body[0].lineno - 1 if isinstance(body, list) else statement.end_lineno
        line = getattr(old, "lineno", None) or getattr(parent, "lineno", statement.lineno)
        lines = range(statement.lineno, max(first, statement.lineno) + 1)
        found.append(Mutation(number, line, lines, owner, before, after))
    return found


def change(source: str, number: int | None) -> ast.Module:
    """Return a module with the mutation of that number; with none for None."""
    tree = ast.parse(source)
    if number is not None:
        *_, parent, field, place, new = next(itertools.islice(_walk(tree, "", None, tree), number, None))
        _set(parent, field, place, new)
    return tree


def _get(parent: Any, field: str, place: int | None) -> Any:
    value = getattr(parent, field)
    return value if place is None else value[place]


def _set(parent: Any, field: str, place: int | None, new: Any) -> None:
    if place is None:
        setattr(parent, field, new)
    else:
        getattr(parent, field)[place] = new


def _show(parent: ast.AST, field: str, value: Any) -> str:
    """Return the source of what changes, with what is around it if it is part of an expression."""
    whole = parent if field != "keywords" and isinstance(parent, ast.expr | ast.AugAssign) else value
    return ast.unparse(whole) if isinstance(whole, ast.AST) else str(whole)


def _walk(node: Any, name: str, owner: str | None, statement: Any) -> Iterator[tuple[Any, ...]]:
    """Yield owner, statement, parent, field, place in it and new value of each change below a node."""
    for field, value in ast.iter_fields(node):
        if field in _SKIPPED:
            continue
        # Defaults belong to the module: they are evaluated when it is imported.
        for place, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or _is_for_types(child):
                continue
            around = child if isinstance(child, ast.stmt) else statement
            inner, held = name, owner
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inner = f"{name}.{child.name}".lstrip(".")
                if isinstance(child, ast.FunctionDef) and owner is None:
                    held = inner
            if isinstance(child, ast.arguments) and owner is not None and inner == owner:
                held = None
            for new in _replace(child, field):
                yield held, around, node, field, place, new
            yield from _walk(child, inner, held, around)


def _is_for_types(node: Any) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _replace_constant(value: object) -> ast.Constant | None:
    match value:
        case bool():
            return ast.Constant(not value)
        case int():
            return ast.Constant(value + 1)
        case float():
            return ast.Constant(value * 2 or 1.0)
        case "left" | "right":
            return ast.Constant({"left": "right", "right": "left"}[value])
    return None


def _replace(node: Any, field: str) -> Iterator[Any]:
    """Yield what may take the place of a node."""
    for other in _OTHER.get(type(node), ()):
        yield other()
    new: Any = None
    match node:
        case ast.Constant():
            new = _replace_constant(node.value)
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
            new = node.operand
        case ast.Name(ctx=ast.Load()) if node.id in _NAMES:
            new = ast.Name(_NAMES[node.id], ast.Load())
        case ast.Attribute() if node.attr in _NAMES and field == "func":
            new = ast.Attribute(node.value, _NAMES[node.attr], ast.Load())
        # Without super(), a method is no closure of its class any more, and its code fits no other's place.
        case ast.Raise() | ast.AugAssign() | ast.Expr(value=ast.Call()) if "super()" not in ast.unparse(node):
            new = ast.Pass()
        case ast.Continue():
            new = ast.Break()
        case ast.keyword() if node.arg is not None:
            new = ast.keyword(None, ast.Dict([], []))
    if new is not None:
        yield ast.copy_location(ast.fix_missing_locations(new), node)
    if field in {"test", "ifs"} and isinstance(node, ast.expr) and not isinstance(node, ast.Compare | ast.UnaryOp):
        yield ast.copy_location(ast.fix_missing_locations(ast.UnaryOp(ast.Not(), node)), node)
