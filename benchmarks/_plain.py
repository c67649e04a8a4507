"""Encode sentences in context with transformers only: one document at a time."""


def by_transformers(model, device=None):
    """Return a function from passages to arrays (1 + k, d), for the whole and each part.

    Text beyond the model's positions is truncated; rows of truncated parts are 0.
    """
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    transformer = AutoModel.from_pretrained(model).eval().to(device or "cpu")
    limit = transformer.config.max_position_embeddings

    def encoded(parts):
        made = tokenizer(
            " ".join(parts),
            return_tensors="pt",
            return_offsets_mapping=True,
            truncation=True,
            max_length=limit,
        )
        offsets = made.pop("offset_mapping")[0].numpy()
        with torch.inference_mode():
            states = transformer(**made.to(transformer.device)).last_hidden_state[0].cpu().numpy()
        return means(parts, offsets, states)

    return lambda passages: [encoded(parts) for parts in passages]


def means(parts, offsets, states):
    """Compute the mean token state of the whole and of each part; 0 for truncated parts."""
    import numpy as np

    rows = np.zeros((1 + len(parts), states.shape[1]), dtype=states.dtype)
    begins, ends = offsets.T
    if len(" ".join(parts).rstrip()) > ends.max():
        return rows
    rows[0], begin = states.mean(axis=0), 0
    for row, part in enumerate(parts, start=1):
        own = (begins >= begin) & (ends <= begin + len(part)) & (begins < ends)
        if own.any():
            rows[row] = states[own].mean(axis=0)
        begin += len(part) + 1
    return rows
