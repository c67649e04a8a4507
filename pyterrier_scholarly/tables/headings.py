"""Which named systems belong in a table: no figure stands under a heading that it is not for."""


def check_keys(keys, systems, shape):
    """Refuse systems that read other texts than a table is over, or are another table's form.

    A paper may run one system in two forms and print each in its own table: on other texts, or
    sentence by sentence. Then only that table's form is taken.

    Args:
        keys: of systems.
        systems: the frame `Systems.table`.
        shape: the table's `Shape`.

    Raises:
        ValueError: names the first such key, and those that are right in the table.
    """
    for key in keys:
        own = systems[systems["key"] == key]
        fitting = systems[systems["text"] == shape.text]
        others = fitting[_same_system(fitting, own)]
        if not own["text"].eq(shape.text).all():
            right = fitting if others.empty else others
        elif own["table"].eq(shape.number).any():
            continue
        else:
            right = others[others["table"] == shape.number]
        if not right.empty:
            raise ValueError(
                f"system {key!r} is of another form than table {shape.number} of {shape.run}: "
                f"pass {' or '.join(right['key'].unique())}"
            )


def _same_system(rows, own):
    """Rows of what the papers call the same, or have made of the same model in another form."""
    named = rows["name"].isin(set(own["name"]) - {""})
    model = rows["run"].isin(set(own["run"]) - {""}) & ~rows["form"].isin(own["form"])
    return named | (model & rows["name"].ne("") & own["name"].ne("").any())
