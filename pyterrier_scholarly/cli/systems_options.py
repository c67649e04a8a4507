"""What commands say about named systems: which encoder, which models, how they compute."""

from pathlib import Path


def arguments(parser):
    """Add the options that `chosen` reads."""
    group = parser.add_argument_group("systems")
    group.add_argument(
        "--encoder",
        metavar="MODEL",
        help="for systems of any encoder: a sentence-transformers model, a folder, or 'lsa' for "
        "latent semantic analysis of the collection, which needs no weights "
        "(default: all-MiniLM-L6-v2)",
    )
    group.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="NAME=FOLDER",
        help="where a model is that a system's key or its name on the hub stands for; repeatable",
    )
    group.add_argument(
        "--precision",
        default="fp32",
        help="of the encoders: fp32 (default), bf16 or auto; also fp16 for whole texts, "
        "cross-encoders and SPLADE, int8 for sentences in context",
    )
    group.add_argument("--device", help="of the encoders, as PyTorch names it (default: the best)")
    group.add_argument(
        "--cache", metavar="FOLDER", help="keeps the encoders' vectors, to go on with"
    )


def check_outputs(*paths):
    """Raise OSError for what no file can be written at: before the work, not after."""
    for path in map(Path, filter(None, paths)):
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder: give the name of a file")
        if not path.parent.is_dir():
            raise FileNotFoundError(f"{path} cannot be written: there is no folder {path.parent}")


def chosen(dataset, options):
    """The `systems` of a dataset as the options say."""
    from ..recipes import systems

    return systems(dataset, **settings(dataset, options))


def settings(dataset, options) -> dict:
    """The arguments of `systems`.

    Raises:
        ValueError: a ``--model`` without ``=``, or two of one name.
    """
    from ..encoders import LSA

    wrong = [text for text in options.model if "=" not in text]
    if wrong:
        raise ValueError(
            f"--model {wrong[0]}: expected NAME=FOLDER, e.g. allenai/specter=./specter"
        )
    models = dict(text.split("=", 1) for text in options.model)
    if len(models) < len(options.model):
        raise ValueError(f"--model: {', '.join(options.model)}: expected each name once")
    return {
        "encoder": LSA(dataset) if options.encoder == "lsa" else options.encoder,
        "models": models,
        "precision": options.precision,
        "device": options.device,
        "cache": options.cache,
    }
