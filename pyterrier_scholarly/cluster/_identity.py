"""What tells encoders apart: a folder has vectors of one."""

from ..encoders.described import Unidentified, described


def encoder_identity(encoder) -> str:
    """A string that differs between encoders that give other vectors: see `described`.

    Raises:
        ValueError: the encoder does not show what it is.
    """
    try:
        return described(encoder)
    except Unidentified as error:
        raise ValueError(
            f"{error} cannot be told from other encoders, so a folder of its vectors could not be "
            'gone on with: give encoder_name="…", a name of your own that changes with it.'
        ) from None
