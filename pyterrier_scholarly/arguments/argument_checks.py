"""Check the arguments of a call, or the fields of a dataclass.

>>> @check_arguments
... def half(number: int) -> float:
...     return number / 2
>>> half(number="4")
Traceback (most recent call last):
ValueError: half, number='4': expected a whole number. Pass one.
"""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

from .annotations import REQUIRED, is_frame_annotation
from .conversion import convert
from .error_texts import describe_error
from .mismatch import Mismatch

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


def check_arguments(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Make a function check its arguments when it is called; a decorator.

    Raises:
        ValueError: (of the function) an argument is not what its annotation says; names function,
            argument, value, what was expected, and the default.
        TypeError: (of the function) an argument that must be a frame is none.
    """
    read_signature = cache(inspect.signature)  # at the first call: it is slow, and few are called

    @wraps(function)
    def check_and_call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
        signature = read_signature(function)
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:  # an argument is missing or unknown: Python's own error names it
            return function(*args, **kwargs)

        function_name = function.__qualname__.removesuffix(".__init__")
        for name, value in bound.arguments.items():
            parameter = signature.parameters[name]
            is_single = parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            if is_single and parameter.annotation is not parameter.empty:
                bound.arguments[name] = check_value(
                    function_name, name, value, parameter.annotation, parameter.default
                )
        return function(*bound.args, **bound.kwargs)

    return check_and_call


def check_fields(settings: Any, where: str = "") -> None:
    """Check the fields of a dataclass, even of a frozen one, and convert numpy's numbers.

    where: what errors call the settings; default: the name of the class.
    """
    settings_name = where or type(settings).__name__
    for field in fields(settings):
        value = getattr(settings, field.name)
        default = REQUIRED if field.default is MISSING else field.default

        checked_value = check_value(settings_name, field.name, value, field.type, default)
        if checked_value is not value:
            # the only way to set a field of a frozen dataclass
            object.__setattr__(settings, field.name, checked_value)


def check_value(where: str, name: str, value: object, expected: Any, default: object) -> Any:
    """Return the value of one argument, numpy's numbers as Python's; see `check_arguments`.

    where: the function's or the class's name. expected: the annotation.
    default: REQUIRED if there is none.
    """
    try:
        return convert(value, expected)
    except Mismatch as caught:
        mismatch = caught

    # raised here, so that Python does not print the mismatch above the error
    error_class = TypeError if is_frame_annotation(mismatch.expected) else ValueError
    raise error_class(describe_error(mismatch, where, name, default))
