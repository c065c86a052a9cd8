"""Hierarchical decompositions."""

import itertools
import math
from fractions import Fraction

# [E] is El-Yaniv & Etzion-Rosenberg 2002. A tree is `(class,)` or a pair `(left, right)`; priors
# are `{class: probability}`, conditionals `{class: {token: probability}}`; entropies are in bits.


def entropy(p):
    """- sum_x p(x) log2 p(x)."""
    return -sum(value * math.log2(value) for value in p.values() if value > 0.0)


def mixture(weights, ps):
    """sum_i pi_i p_i: the mutual source of the p_i."""
    mixed = {}
    for weight, p in zip(weights, ps, strict=True):
        for x, value in p.items():
            mixed[x] = mixed.get(x, 0.0) + weight * value
    return mixed


def jensen_shannon(weights, ps):
    """H(sum_i pi_i p_i) - sum_i pi_i H(p_i) ([E] Eq. 1)."""
    parts = zip(weights, ps, strict=True)
    return entropy(mixture(weights, ps)) - sum(w * entropy(p) for w, p in parts)


def lin_bounds(weights, ps):
    """J^2 / (4 (k - 1)) <= Bayes error <= J / 2, J = H(pi) - JS ([E] Theorems 1 and 2)."""
    J = entropy(dict(enumerate(weights))) - jensen_shannon(weights, ps)
    return J**2 / (4 * (len(ps) - 1)), J / 2


def bayes_error(weights, ps):
    """1 - sum_x max_c pi_c p_c(x)."""
    tokens = {x for p in ps for x in p}
    parts = list(zip(weights, ps, strict=True))
    return 1.0 - sum(max(w * p.get(x, 0.0) for w, p in parts) for x in tokens)


def classes_of(tree):
    """The leaves of a tree, from left to right."""
    return [*tree] if len(tree) == 1 else classes_of(tree[0]) + classes_of(tree[1])


def side(tree, priors, conditionals):
    """The sum of the priors below a node, and the mixture of its classes' conditionals."""
    classes = classes_of(tree)
    q = sum(priors[c] for c in classes)
    return q, mixture([priors[c] / q for c in classes], [conditionals[c] for c in classes])


def split(tree, priors, conditionals):
    """The two-class problem at an inner node, before Proposition 3 of [E]."""
    (q_left, left), (q_right, right) = (side(child, priors, conditionals) for child in tree)
    return [q_left / (q_left + q_right), q_right / (q_left + q_right)], [left, right]


def recursion(tree, priors, conditionals, bound):
    """R(v) = (1 - e_v) (q_L R(L) + q_R R(R)), with Lin's lower (0) or upper (1) bound for e_v
    ([E] Propositions 3 and 4); R(leaf) = 1."""
    if len(tree) == 1:
        return 1.0
    q, ps = split(tree, priors, conditionals)
    below = [recursion(child, priors, conditionals, bound) for child in tree]
    return (1.0 - lin_bounds(q, ps)[bound]) * (q[0] * below[0] + q[1] * below[1])


def exponent(q, n_tokens, sharpness):
    """The exponent of a pair of trees whose priors sum to q: from 1 to their number of tokens."""
    return max(1.0, sharpness * n_tokens * q)


def agglomerate(priors, conditionals, n_tokens, sharpness, uniform):
    """Merge two trees at a time ([E], after Proposition 4), a pair with probability proportional
    to 2^(-e JS). The merged tree stands where the first of the two stood."""
    forest = [(c,) for c in priors]
    while len(forest) > 1:
        weights = []
        for pair in itertools.combinations(forest, 2):
            q = sum(side(v, priors, conditionals)[0] for v in pair)
            JS = jensen_shannon(*split(pair, priors, conditionals))
            weights.append(2.0 ** (-exponent(q, n_tokens, sharpness) * JS))
        left, right = draw(list(itertools.combinations(range(len(forest)), 2)), weights, uniform())
        forest[left] = (forest[left], forest.pop(right))
    return forest[0]


def draw(among, weights, u):
    """The first of these at which the sum of the weights exceeds u times their total."""
    total = 0.0
    for one, weight in zip(among, weights, strict=True):
        total += weight
        if total > u * sum(weights):
            return one
    return among[-1]


def lost_information(pair, priors, conditionals):
    """q JS: how much less is known of the class from x if these two trees are one class."""
    q = sum(side(v, priors, conditionals)[0] for v in pair)
    return q * jensen_shannon(*split(pair, priors, conditionals))


def left_out_errors(tree, examples):
    """Of how many examples naive Bayes, trained on all others, leaves the path to the class; and
    of how many it may or may not, since both sides are equally probable. Exact, in fractions."""
    names = {name for x, _ in examples for name in x}
    errors = ties = 0
    for i, (x, y) in enumerate(examples):
        others = examples[:i] + examples[i + 1 :]

        def probability(v, x=x, others=others):
            inside = [z for z, c in others if c in classes_of(v)]
            count = {name: sum(Fraction(z.get(name, 0)) for z in inside) for name in names}
            whole = sum(count.values()) + len(names)
            p = Fraction(len(inside) + 1)
            for name, value in x.items():
                p *= ((count[name] + 1) / whole) ** int(value)
            return p

        worst = 1
        v = tree
        while len(v) == 2:
            own, other = v if y in classes_of(v[0]) else v[::-1]
            difference = probability(own) - probability(other)
            worst = min(worst, (difference > 0) - (difference < 0))
            v = own
        errors += worst < 0
        ties += worst == 0
    return errors, ties


class Decomposition:
    """A binary classifier at each inner node of a tree, told apart by the classes on its sides."""

    def __init__(self, make, tree=None):
        self.make = make
        self.tree = tree
        self.classifiers = {}

    def classifier(self, v):
        """That of the inner node v; where there is none, a fresh one."""
        key = tuple(frozenset(classes_of(child)) for child in v)
        if key not in self.classifiers:
            self.classifiers[key] = self.make()
        return self.classifiers[key]

    def learn(self, x, y):
        """A class that is not in the tree comes beside it, under a new root; then the classifiers
        at the inner nodes above y learn on which side it is."""
        if self.tree is None:
            self.tree = (y,)
        elif y not in classes_of(self.tree):
            self.tree = (self.tree, (y,))
        v = self.tree
        while len(v) == 2:
            right = y in classes_of(v[1])
            self.classifier(v).learn_one(x, right)
            v = v[right]

    def rebuild(self, tree):
        """From now on this tree, with the classifiers of those inner nodes that it keeps, and
        beside it the classes that it lacks."""
        for c in classes_of(self.tree):
            tree = tree if c in classes_of(tree) else (tree, (c,))
        self.tree, inner, kept = tree, [tree], {}
        for v in inner:
            if len(v) == 2:
                kept[tuple(frozenset(classes_of(child)) for child in v)] = self.classifier(v)
                inner += v
        self.classifiers = kept

    def hard(self, x):
        """From the root down, wherever the classifiers say."""
        v = self.tree
        while len(v) == 2:
            v = v[bool(self.classifier(v).predict_one(x))]
        return v[0]

    def soft(self, x):
        """Of each class, the product of the probabilities along its path."""

        def below(v, p):
            if len(v) == 1:
                return {v[0]: p}
            right = self.classifier(v).predict_proba_one(x).get(True, 0.0)
            return below(v[0], p * (1.0 - right)) | below(v[1], p * right)

        return below(self.tree, 1.0)
