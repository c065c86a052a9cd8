"""Which queries belong nowhere, and which to no intent yet?

Users ask an assistant to pay a bill or to book a flight. Others ask what no intent covers, and are
strangers whose queries nobody labels. And there are intents that nobody has thought of: their
queries belong to a domain, but to none of its intents. `Selective` makes two promises about all of
them. Recorded with CLINC150, of https://github.com/clinc/oos-eval.
"""

# %%
# The strangers are the queries of two domains and those that are out of scope. A third of the
# other intents is missing in the first 2,400 labels. Then their queries arrive, and as there is no
# intent, their label is the domain. From the middle of the rest on, the intents have names.
import gzip
import json
import os
import random
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from river_hier import OpenTaxonomy, decision, linear_model
from river_hier.feature_extraction import TextViews

folder = Path(os.environ["RIVER_HIER_DATA"], "clinc150")
with gzip.open(folder / "data_full.json.gz", "rt", encoding="utf-8") as file:
    splits = json.load(file)
domains = json.loads((folder / "domains.json").read_text())
path = {intent: f"{domain}/{intent}" for domain in domains for intent in domains[domain]}
rng = random.Random(0)
foreign = set(rng.sample(sorted(domains), 2))
intents = {domain: sorted(domains[domain]) for domain in domains if domain not in foreign}
late = {path[intent] for own in intents.values() for intent in rng.sample(own, 5)}
queries = [(text, path[intent]) for text, intent in splits["train"] + splits["val"]]
rng.shuffle(queries)
known = [(text, y) for text, y in queries if y.split("/")[0] not in foreign]
strange = [(text, "") for text, y in queries if y.split("/")[0] in foreign][:1500]
strange += [(text, "") for text, _ in splits["oos_train"] + splits["oos_val"]]
first = [(text, y) for text, y in known if y not in late][:2400]
rest = sorted(set(known).difference(first))
n = len(strange) * len(first) // len(known)
rng.shuffle(strange)
parts = first + strange[:n], rest + strange[n:]
stream = [row for part in parts for row in rng.sample(part, len(part))]
arrive, named = len(parts[0]), len(parts[0]) + len(parts[1]) // 2
print(f"{len(known):,} queries of {sum(map(len, intents.values()))} intents, {len(late)} late")
print(f"{len(strange):,} of strangers; late ones arrive at {arrive:,}, named at {named:,}")

# %%
# Each query is answered before its label is known. An answer is wrong if it is neither the label
# nor above it.
kinds = pd.Series([2 if not y else int(y in late) for _, y in stream])
lines = ["wrong", "strangers", "late, the domain", "late, the intent"]
curves = {}
for foreign_share in (None, 0.05):
    softmax = linear_model.PathSoftmax(OpenTaxonomy("/"), margin=1)
    model = TextViews() | decision.Selective(softmax, risk=0.05, foreign=foreign_share)
    told = []
    for step, (text, y) in enumerate(stream):
        answer = model.predict_one(text)
        answer = "" if answer in (None, "root") else answer
        label = y.split("/")[0] if y in late and step < named else y
        wrong = not f"{label}/".startswith(f"{answer}/") and answer != ""
        told.append((wrong, answer != "", answer == y.split("/")[0], answer == y))
        if label:
            model.learn_one(text, label)
    table = pd.DataFrame(told, columns=lines, dtype=float)
    table = table.where(np.column_stack([kinds < 2, kinds == 2, kinds == 1, kinds == 1]))
    curves["risk=0.05" + ", foreign=0.05" * bool(foreign_share)] = table
print(f"{'Share of the answers':<36}" + "".join(f"{line:>18}" for line in lines))
for name, table in curves.items():
    for when, part in (("arriving", slice(arrive, named)), ("named", slice(named, None))):
        means = table.iloc[part].mean()
        print(f"{name + ', ' + when:<36}" + "".join(f"{mean:>18.3f}" for mean in means))

# %%
# The late queries are answered with their domain before any intent below it is known, and with the
# intent soon after it has a name, while the risk is kept. Only the gate knows most strangers.
# Shares of the latest 2,000 queries.
figure, both = plt.subplots(1, 2, figsize=(6.4, 4), sharey=True, layout="constrained")
for ax, (name, table) in zip(both, curves.items(), strict=True):
    latest = table.rolling(2000, min_periods=1).mean().where(table.rolling(2000).count() > 100)
    for line, style in zip(lines, ("-", ":", "--", "-."), strict=True):
        ax.plot(latest[line], style)
    ax.axhline(0.05, color="#A0A0A0", linewidth=0.8)
    ax.set(title=name, xlabel="queries", ylim=(0, 1))
both[0].set_ylabel("share of the latest answers")
figure.legend(lines, loc="outside lower center", ncols=4)
plt.show()
