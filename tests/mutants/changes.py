"""Small faults for source text; each changes one expression.

A fault reverses a comparison; exchanges + and -, * and /, `and` and `or`, min and max, and so on;
adds one to a number; negates a truth value; or drops `not`, a sign, or a sort key.
"""

import ast
from dataclasses import dataclass

PAIRS = [("min", "max"), ("argmin", "argmax"), ("minimum", "maximum"), ("any", "all")]
NAMES = {a: b for pair in PAIRS for a, b in (pair, pair[::-1])}
OPERATORS = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In},
    **{ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult},
    **{ast.FloorDiv: ast.Mod, ast.Mod: ast.FloorDiv},
}
DROPPED = {"key", "reverse", "ascending", "kind", "axis", "ddof", "keepdims"}
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Mutant:
    """A change in a file: its bytes, and the first line of its function (0 outside functions)."""

    file: str
    line: int
    function: int
    start: int
    end: int
    was: str
    now: str
    text: str

    def applied(self, source):
        """Apply the change to the source's bytes."""
        return source[: self.start] + self.now.encode() + source[self.end :]

    def __str__(self):
        was, now = (" ".join(text.split()) for text in (self.was, self.now))
        return f"{self.file}:{self.line}  {was:.150}  →  {now:.150}  in  {self.text:.100}"


def mutants(file, source):
    """List all changes of a file's source (bytes), in order."""
    starts = [0]
    lines = source.splitlines(keepends=True)
    for line in lines:
        starts.append(starts[-1] + len(line))
    for node, function in _expressions(ast.parse(source)):
        for changed in _changes(node):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            was, now = source[start:end].decode(), ast.unparse(changed)
            text = lines[node.lineno - 1].decode().strip()
            yield Mutant(file, node.lineno, function, start, end, was, now, text)


def _expressions(node, function=0):
    """Yield nodes with the first line of their function; skip annotations and f-strings."""
    for name, value in ast.iter_fields(node):
        inner = function
        if isinstance(node, DEFINITIONS) and name == "body":
            inner = min(part.lineno for part in (node, *node.decorator_list))
        for child in value if isinstance(value, list) else [value]:
            skipped = isinstance(child, ast.JoinedStr) or name in ("annotation", "returns")
            if isinstance(child, ast.AST) and not skipped:
                yield child, inner
                yield from _expressions(child, inner)


def _changes(node):
    def as_(**fields):
        return type(node)(**{**vars(node), **fields})

    match node:
        case ast.Compare(ops=[operator]) if type(operator) in OPERATORS:
            yield as_(ops=[OPERATORS[type(operator)]()])
        case ast.BinOp(op=operator) | ast.BoolOp(op=operator) if type(operator) in OPERATORS:
            yield as_(op=OPERATORS[type(operator)]())
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case ast.Constant(value=bool(value)):
            yield as_(value=not value)
        case ast.Constant(value=int(value) | float(value)):
            yield as_(value=value + 1)
        case ast.Name(id=name) if name in NAMES:
            yield as_(id=NAMES[name])
        case ast.Attribute(attr=name) if name in NAMES:
            yield as_(attr=NAMES[name])
        case ast.Call(keywords=keywords):
            for keyword in keywords:
                if keyword.arg in DROPPED:
                    yield as_(keywords=[other for other in keywords if other is not keyword])
