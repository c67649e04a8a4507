"""Fixtures for all tests: the real data, and a home for ir_datasets that holds it."""

import json
import os
import random
import shutil
import sys
import time
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

if "PYTEST_XDIST_WORKER" in os.environ:  # before NumPy and torch: a core each, or they fight
    os.environ.update({f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "RAYON")})

import pytest

import pyterrier_scholarly  # noqa: F401 (registers our collections and measures)

DATA = Path(os.environ.get("SCHOLARLY_DATA") or Path(__file__).parents[2] / "shared" / "data")


def pytest_addoption(parser):
    """Say which order."""
    parser.addoption("--order", type=int, help="run in the random order of this seed")


def pytest_collection_modifyitems(config, items):
    """Shuffle the files, and the tests within each: what a file shares is prepared once."""
    if (seed := config.getoption("order")) is not None:
        draw = random.Random(seed).random
        files = defaultdict(draw)
        items.sort(key=lambda item: (files[item.path], draw()))


@pytest.fixture(scope="session", autouse=True)
def _scratch_home(tmp_path_factory):
    """Keep the embedded collection's store out of the user's own home."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IR_DATASETS_HOME", str(tmp_path_factory.mktemp("scratch-home")))
        yield


@pytest.fixture
def offline(monkeypatch):
    """No network, whatever the environment says."""
    pytest.importorskip("huggingface_hub")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)  # read at its import


@pytest.fixture
def unreachable(monkeypatch):
    """No server of a release answers: the way to it leads to a closed door of this machine."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """From an architecture ("bert", "llama", …) to a folder with a tiny random model of it.

    Tokens are letters and a few words. No model brings sentence-transformers' own files.
    """
    pytest.importorskip("torch")
    made = {}

    def folder(kind):
        if kind not in made:
            made[kind] = tmp_path_factory.mktemp(kind)
            _save_tiny(kind, made[kind])
        return str(made[kind])

    return folder


SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = "the of a and in we to for is are with on model models data learning method results".split()
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,:;-'()<>|"


def _save_tiny(kind, folder):
    import torch
    import transformers

    words = [*SPECIAL, *LETTERS, *("##" + letter for letter in LETTERS), *WORDS]
    own = {**SIZES, "intermediate_size": 16, "max_position_embeddings": 514}
    if kind == "t5":
        own = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 2, "num_heads": 2}
    if kind in ("mistral", "llama"):
        own |= {"num_key_value_heads": 2, "max_position_embeddings": 4096}
    names = {"t5": "T5EncoderModel", "mpnet": "MPNetModel", "roberta": "RobertaModel"}
    names |= {"masked": "BertForMaskedLM", "cross": "BertForSequenceClassification"}
    if kind == "cross":
        own["num_labels"] = 1
    cls = getattr(transformers, names.get(kind, f"{kind.capitalize()}Model"))
    config = cls.config_class(vocab_size=len(words), pad_token_id=0, initializer_range=0.3, **own)
    torch.manual_seed(0)
    cls(config).save_pretrained(folder)
    _tiny_tokenizer(kind, words).save_pretrained(folder)


def _tiny_tokenizer(kind, words):
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    number = {word: n for n, word in enumerate(words)}
    made = Tokenizer(models.WordPiece(number, unk_token="[UNK]", max_input_chars_per_word=200))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    frame = {"t5": "$A [SEP]", "llama": "[CLS] $A", "mistral": "[CLS] $A"}
    made.post_processor = processors.TemplateProcessing(
        single=frame.get(kind, "[CLS] $A [SEP]"),
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, number[name]) for name in SPECIAL],
    )
    special = {"unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    special |= {"bos_token": "[CLS]", "eos_token": "[SEP]", "mask_token": "[MASK]"}
    if kind != "llama":  # which has none
        special["pad_token"] = "[PAD]"
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=512, **special)


@pytest.fixture(scope="session")
def data():
    """Gives a path of real data; a test without it is skipped, or fails where it is required."""

    def path(*parts):
        found = DATA.joinpath(*parts)
        if not found.exists():
            lacking(f"no {found}: set SCHOLARLY_DATA to the folder that has {parts[0]}/")
        return found

    return path


def lacking(reason):
    """Skip a test for what this machine lacks; where everything is required, fail."""
    if os.environ.get("SCHOLARLY_REQUIRE_DATA") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def _csfcube_files(data, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    (home / "csfcube").mkdir()
    for file in data("csfcube").iterdir():
        if file.is_file():
            shutil.copyfile(file, home / "csfcube" / file.name)
    return home


@pytest.fixture
def csfcube_home(_csfcube_files, monkeypatch):
    """A scratch home of ir_datasets with copies of CSFCube's real files, shared by all tests."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(_csfcube_files))
    return _csfcube_files


@pytest.fixture(scope="session")
def _real_files(data, tmp_path_factory):
    home = tmp_path_factory.mktemp("real-home")
    for collection in ("csfcube", "doris-mae", "litsearch"):
        shutil.copytree(data(collection), home / collection)
    return home


@pytest.fixture
def real_home(_real_files, monkeypatch):
    """A scratch home of ir_datasets with copies of all real files, shared by all tests."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(_real_files))
    return _real_files


@pytest.fixture(scope="session")
def _litsearch_files(data, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    for file in data("litsearch").glob("*/*.parquet"):
        copy = home / file.relative_to(DATA)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    return home


@pytest.fixture
def litsearch_home(_litsearch_files, monkeypatch):
    """A scratch home of ir_datasets with copies of LitSearch's files at hand, for all tests."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(_litsearch_files))
    return _litsearch_files


SETS = ["inline_acl", "inline_nonacl", "manual_acl", "manual_iclr"]


@pytest.fixture
def made_litsearch(tmp_path, monkeypatch):
    """A function that makes a release of LitSearch of n papers, with a home of its own.

    Every seventh paper has the text of the one before it. Paper n cites n + 1. There are eight
    questions, two of each set, one of them broad; question q seeks paper 10 q.
    """
    from pyarrow import Table, parquet

    def paper(number):
        own = number - (number % 7 == 6)
        text = " ".join(WORDS[(own // 16**place) % 16] for place in range(4))
        full = {"citations": [number + 1], "full_paper": f"{text} in full"}
        return {"corpusid": number, "title": f"Paper {own}", "abstract": text, **full}

    def made(count):
        home = tmp_path / "made"
        files = {f"corpus_clean/full-0000{n}-of-00006.parquet": [] for n in range(6)}
        for number, rows in enumerate(files.values()):
            rows += [paper(one) for one in range(number, count, 6)]
        files["query/full-00000-of-00001.parquet"] = [
            {
                "query_set": SETS[number // 2],
                "query": f"Which {WORDS[number]} is {WORDS[-number]} in {10 * number}?",
                "specificity": number % 2,
                "quality": 1 + number % 2,
                "corpusids": [10 * number],
            }
            for number in range(8)
        ]
        for name, rows in files.items():
            path = home / "litsearch" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            parquet.write_table(Table.from_pylist(rows), path)
        monkeypatch.setenv("IR_DATASETS_HOME", str(home))
        return home

    return made


@pytest.fixture(scope="session")
def vector_cache():
    """Vectors of real texts by real models: computed once, then kept outside the repository.

    In $SCHOLARLY_CACHE, or under the user's cache home; on a fresh machine it is filled first.
    """
    from pyterrier_scholarly.encoders import VectorCache

    return VectorCache()


def completion(content, **more):
    """The body of an answer with that content, of 10 tokens in and 2 out."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, **more}
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m-2026",
        "system_fingerprint": "fp",
        "choices": [{"finish_reason": "stop", **choice}],
        "usage": usage,
    }


class ApiServer:
    """An endpoint that is posted JSON; `answer` takes a body and gives a status and a body.

    field: what `answer` takes of a request's body; None for all of it.
    requests: (path, headers, body) of each request. held: an Event that lets an answer wait.
    """

    completion = staticmethod(completion)
    KEY = "sk-not-to-be-seen"

    def __init__(self, answer, field=None):
        self.requests, self.held = [], Event()
        self.answer, self.field = answer, field
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append((self.path, self.headers, body))
                status, made = outer.answer(outer.part(body))
                made = made if isinstance(made, bytes) else json.dumps(made).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(made)))
                self.end_headers()
                self.wfile.write(made)

            def log_message(self, *args):
                """Nothing."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.handle_error = lambda *_: None  # a client that did not wait for the answer
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def part(self, body):
        """What `answer` takes of a body."""
        return body if self.field is None else body[self.field]

    @property
    def asked(self):
        """What `answer` was given, of each request."""
        return [self.part(body) for _, _, body in self.requests]

    def wait_for(self, number):
        """Return once so many requests have been read, which may be later than they were sent."""
        end = time.monotonic() + 60
        while len(self.requests) < number and time.monotonic() < end:
            time.sleep(0.005)

    def stop(self):
        """Answer nothing any more."""
        self.held.set()
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def api_server(monkeypatch):
    """A function that starts an `ApiServer`; waiting between tries is cut to a millisecond."""
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.001)
    monkeypatch.setenv("OPENAI_API_KEY", ApiServer.KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    started = []

    def start(*settings):
        started.append(ApiServer(*settings))
        return started[-1]

    yield start
    for server in started:
        server.stop()


@pytest.fixture
def another_server(api_server):
    """A function that starts a chat endpoint, which says yes."""
    return lambda: api_server(lambda body: (200, completion("yes")))


@pytest.fixture
def chat_server(another_server):
    """A running chat endpoint."""
    return another_server()


@pytest.fixture(scope="session")
def session():
    """The one Spark session of all tests; in another time zone than UTC, which must not matter."""
    pytest.importorskip("pyspark")
    home = os.environ.get("JAVA_HOME")
    if not shutil.which("java", path=home and os.path.join(home, "bin")):
        lacking("no Java for Spark")
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.session.timeZone": "America/New_York",
        # hardly any data: most of the time would go to compiling and to planning
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    yield made
    made.stop()


@pytest.fixture
def passes():
    """A list that grows by the number of texts with each pass of a model, whoever loaded it."""
    pytest.importorskip("torch")
    from torch.nn.modules.module import register_module_forward_pre_hook

    calls = []

    def noted(module, given):
        if getattr(module, "padding_idx", None) is not None:  # words, not positions
            calls.append(len(given[0]))

    handle = register_module_forward_pre_hook(noted)
    yield calls
    handle.remove()
