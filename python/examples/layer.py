# SPDX-License-Identifier: Apache-2.0
"""A layer for PyTorch that takes means over the neighbours in a graph, with weights of the edges that depend on what
the neighbours say and are learned. It finds two communities from noise and from the membership of a few nodes.

Usage: python layer.py [NODES [STEPS]]
"""
import sys

import torch

import tulle


def communities(nodes, degree=8, inside=0.75):
    """A graph at random in which most edges stay inside of one of two communities: offsets, columns, memberships."""
    label = torch.arange(nodes) % 2
    columns = torch.randint(nodes // 2, (nodes, degree)) * 2 + label[:, None]
    columns = torch.where(torch.rand(nodes, degree) < inside, columns, columns ^ 1)
    return torch.arange(0, nodes * degree + 1, degree), columns.flatten(), label


class Means(torch.nn.Module):
    """y_i = sum_j w_ij W x_j / sum_j w_ij over the neighbours j of i; w_ij = exp(q_i . k_j), q and k linear in x."""

    def __init__(self, offsets, columns, features, results, width=4):
        super().__init__()
        nodes = len(offsets) - 1
        self.rows, self.columns = torch.repeat_interleave(torch.arange(nodes), offsets.diff()), columns
        self.pattern = tulle.csr((torch.zeros(len(columns)), columns, offsets), shape=(nodes, nodes))
        self.asks, self.offers = (torch.nn.Linear(features, width, bias=False) for _ in range(2))
        self.linear = torch.nn.Linear(features, results)

    def forward(self, x):
        weights = (self.asks(x)[self.rows] * self.offers(x)[self.columns]).sum(dim=1).exp()
        A = self.pattern.with_values(weights)
        return (A @ self.linear(x)) / (A @ torch.ones(len(x), 1))


def main(nodes=10_000, steps=60):
    torch.manual_seed(1)
    offsets, columns, label = communities(nodes)
    known, x = torch.rand(nodes) < 0.1, torch.randn(nodes, 8)
    x[:, 0] += 2.0 * label - 1  # a node by itself tells five times in six where it belongs
    model = torch.nn.Sequential(Means(offsets, columns, 8, 8), torch.nn.Tanh(), Means(offsets, columns, 8, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(steps):
        loss = torch.nn.functional.cross_entropy(model(x)[known], label[known])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    right = (model(x).argmax(dim=1) == label)[~known].double().mean()
    print(f"{nodes:,} nodes, {len(columns):,} edges, {steps} steps: loss {loss:.3f}")
    print(f"the community is right of {100 * right:.1f} % of the nodes whose membership was not told")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
