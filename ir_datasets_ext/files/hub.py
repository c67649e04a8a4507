"""What the Hugging Face hub says of a file of its own."""

import os
import re

import ir_datasets


def stated_sha256(url):
    """Return the sha256, as hex digits, that the server of `url` states, or None.

    The hub states it, for its large files, as ``X-Linked-Etag`` of the answer that leads on to the
    place where the file lies; a mirror may have it as ``ETag``. None too when there is no answer.
    """
    requests = ir_datasets.lazy_libs.requests()
    try:
        answer = requests.head(  # with ir_datasets' own settings for downloads
            url,
            allow_redirects=True,
            headers={"Accept-Encoding": "identity"},
            timeout=float(os.environ.get("IR_DATASETS_DL_TIMEOUT", "15")),
            verify=os.environ.get("IR_DATASETS_DL_SKIP_SSL", "").lower() != "true",
        )
    except requests.RequestException:
        return None
    for response in (*answer.history, answer):
        for header in ("X-Linked-Etag", "ETag"):
            digest = response.headers.get(header, "").removeprefix("W/").strip('"')
            if re.fullmatch("[0-9a-f]{64}", digest):
                return digest
    return None
