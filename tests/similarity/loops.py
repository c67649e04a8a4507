"""OT-ASPIRE in plain loops."""

import math

import numpy as np


def softmax(values):
    """Compute weights by the definition."""
    parts = [math.exp(value - max(values)) for value in values]
    return [part / sum(parts) for part in parts]


def by_loops(query, document, blur=0.05, scaling=0.9):
    """Compute Sinkhorn's value and plan cost for one pair, number by number."""
    cost = [[math.dist(one, other) for other in document] for one in query]
    back = list(zip(*cost))
    a, b = softmax([-min(row) for row in cost]), softmax([-min(column) for column in back])
    both = np.concatenate([query, document])
    diameter = math.dist(both.max(axis=0), both.min(axis=0))
    temperatures, temperature = [diameter], diameter
    while temperature > blur:
        temperatures.append(temperature)
        temperature *= scaling
    temperatures.append(blur)

    def answers(costs, weights, potentials, eps):
        exponents = [
            [math.log(w) + (p - c) / eps for w, p, c in zip(weights, potentials, row)]
            for row in costs
        ]
        return [
            -eps * (max(row) + math.log(sum(math.exp(value - max(row)) for value in row)))
            for row in exponents
        ]

    f, g = answers(cost, b, [0] * len(b), diameter), answers(back, a, [0] * len(a), diameter)
    for eps in temperatures:
        new_f, new_g = answers(cost, b, g, eps), answers(back, a, f, eps)
        f = [(old + new) / 2 for old, new in zip(f, new_f)]
        g = [(old + new) / 2 for old, new in zip(g, new_g)]
    f, g = answers(cost, b, g, blur), answers(back, a, f, blur)
    moved = sum(
        a[i] * b[j] * math.exp((f[i] + g[j] - cost[i][j]) / blur) * cost[i][j]
        for i in range(len(a))
        for j in range(len(b))
    )
    return np.dot(a, f) + np.dot(b, g), moved
