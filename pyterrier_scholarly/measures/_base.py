"""What our measures share: checked parameters, one repr per meaning, one value per query."""

from ir_measures import Measure, Metric, ParamInfo

from ._ranked import join, whole_relevance


def whole(low, high, **info):
    """A parameter that takes a whole number from `low` to `high`."""
    return ParamInfo(dtype=int, choices=range(low, high + 1), **info)


class RankedMeasure(Measure):
    """A measure of each query's ranking, computed by `values` for all queries at once.

    It gives a value for every query of the qrels, also for those without results, and for no other.
    Its repr names the parameters that differ from their defaults, in the order of
    `SUPPORTED_PARAMS`, so that measures that mean the same are equal (ir_measures compares reprs).

    Raises:
        ValueError: a parameter is unknown or out of range.
    """

    RUN_INPUTS = ["query_id", "doc_id", "score"]
    QREL_INPUTS = ["query_id", "doc_id", "relevance"]
    #: the name in reprs and messages, where it is not the one in the registry
    WRITTEN = None
    #: what to say to those who use a parameter of a similar measure: name -> remedy
    REMEDIES = {}

    def __init__(self, **params):
        super().__init__(**params)
        for name, value in params.items():
            self._check(name, value)

    def _check(self, name, value):
        info = self.SUPPORTED_PARAMS.get(name)
        if info is None:
            raise ValueError(
                f"{self._written} has no parameter {name!r}: expected one of "
                f"{', '.join(self.SUPPORTED_PARAMS)}{self.REMEDIES.get(name, '')}"
            )
        if type(value) is not info.dtype or not info.validate(value):
            raise ValueError(f"{self._written}: {name}={value!r}, expected {_expected(info)}")

    def default(self, name):
        """What a parameter is that is not given; overridden where other parameters decide."""
        return self.SUPPORTED_PARAMS[name].default

    def __getitem__(self, name):
        return self.params[name] if name in self.params else self.default(name)

    def values(self, ranked):
        """Compute the measure.

        Args:
            ranked: a `_ranked.Ranked`.

        Returns:
            One number per query of ``ranked.queries``: an array, or a list of floats and `Value`s.
        """
        raise NotImplementedError

    def relevance(self, qrels):
        """The relevance of each row of the qrels as this measure sees it: an int array."""
        return whole_relevance(qrels)

    def runtime_impl(self, qrels, run):
        """Yield an ir_measures `Metric` for each query of the qrels (called by ir_measures)."""
        ranked = join(qrels, run, self["judged_only"], self.relevance)
        values = self.values(ranked)
        for query_id, value in zip(ranked.queries, getattr(values, "tolist", lambda: values)()):
            yield Metric(query_id, self, value)

    @property
    def _written(self):
        return self.WRITTEN or self.__name__

    def _call(self, always=(), never=()):
        """Write ``name(param=value,...)``: what is not default, and `always` in any case."""
        params = [
            f"{param}={self[param]!r}"
            for param in self.SUPPORTED_PARAMS
            if param not in never and (param in always or self[param] != self.default(param))
        ]
        return f"{self._written}({','.join(params)})" if params else self._written

    def __repr__(self):
        written = self._call(never=(self.AT_PARAM,))
        return f"{written}@{self[self.AT_PARAM]}" if self.AT_PARAM in self.params else written


def _expected(info):
    if isinstance(info.choices, range):
        return f"a whole number from {info.choices[0]} to {info.choices[-1]}"
    if isinstance(info.choices, tuple):
        return "one of " + ", ".join(map(repr, info.choices))
    return f"a {info.dtype.__name__}"
