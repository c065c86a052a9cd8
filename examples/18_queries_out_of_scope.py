"""Which queries belong nowhere, and which to no intent yet?

Users ask to pay a bill. Others ask what no intent covers: strangers, whom nobody labels. Queries of
intents that nobody has thought of belong to a domain alone. `Selective` makes two promises on those
with a label. Recorded with CLINC150, of https://github.com/clinc/oos-eval.
"""

# %%
# Strangers are queries of two domains and those out of scope. A third of the other intents comes
# late: with their domain as the label and, from the middle on, with the intent.
import os
import random
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from river_hier import OpenTaxonomy, decision, linear_model
from river_hier.feature_extraction import TextViews

folder, rng = Path(os.environ["RIVER_HIER_DATA"], "clinc150"), random.Random(0)
files = "data_full.json.gz", "domains.json"
splits, domains = (pd.read_json(folder / file, typ="series").to_dict() for file in files)
path = {v: f"{domain}/{v}" for domain, intents in domains.items() for v in intents}
rows = [(text, path.get(intent, "")) for part in splits.values() for text, intent in part]
df, away = pd.DataFrame(rng.sample(rows, len(rows)), columns=["text", "y"]), ("banking", "home")
new = [path[v] for d in domains if d not in away for v in rng.sample(sorted(domains[d]), 5)]
df["strange"], df["late"] = df.y.eq("") | df.y.str.startswith(away), df.y.isin(new)
df = df[~(df.late & (df.index < 3000)) & ~(df.strange & (df.index % 2 == 0))]
arrive, named = int(df.late.argmax()), len(df) // 2
phase = ["before"] * arrive + ["arriving"] * (named - arrive) + ["named"] * (len(df) - named)
print(f"{len(df):,} queries, late intents from {arrive:,} on, named from {named:,} on")

# %%
# Each query is answered before its label is known. Wrong is neither the label nor a node above it.
lines, curves = ["wrong", "strangers", "late, the domain", "late, the intent"], {}
for name, foreign in (("risk=0.05", None), ("risk=0.05, foreign=0.05", 0.05)):
    softmax, told = linear_model.PathSoftmax(OpenTaxonomy("/"), margin=1), []
    model = TextViews() | decision.Selective(softmax, risk=0.05, foreign=foreign)
    for step, (text, y, strange, late) in enumerate(df.itertuples(index=False)):
        answer = model.predict_one(text) or ""  # which is the root
        label = y.split("/")[0] if late and step < named else y
        wrong = answer != "" and not f"{label}/".startswith(f"{answer}/")
        told.append((wrong, answer != "", answer == y.split("/")[0], answer == y))
        if not strange:
            model.learn_one(text, label)
    of = pd.concat([~df.strange, df.strange, df.late, df.late], axis=1).to_numpy()
    curves[name] = pd.DataFrame(told, columns=lines, dtype=float).where(of)
    print(name, curves[name].groupby(phase, sort=False).mean().round(3), sep="\n")

# %%
# The late queries are answered with their domain before any intent below it is known, and with the
# intent soon after it has a name, while the risk is kept. Most strangers need `foreign=0.05`.
figure, both = plt.subplots(1, 2, figsize=(6.4, 4), sharey=True, layout="constrained")
for ax, name in zip(both, curves, strict=True):
    for line, style in zip(lines, ("-", ":", "--", "-."), strict=True):
        ax.plot(curves[name][line].rolling(2000, min_periods=100).mean().dropna(), style)
    ax.set(title=name, xlabel="queries", ylabel="share of the latest answers", ylim=(0, 1))
figure.legend(lines, loc="outside lower center", ncols=4)
plt.show()
