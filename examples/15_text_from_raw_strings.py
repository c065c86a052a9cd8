"""How does one learn from raw text?

Messages arrive as strings. A pipeline splits them into words, weights the words by their rarity so
far, and passes them to a learner; all of its parts learn online. There are two ways to weight words
here, River's and that of the H-RLS paper, and two learners. Which combination is best?
"""

# %%
# Messages to a town hall, each on one or two subjects. Some are so vague that only the department
# can be inferred, and many mention names that are irrelevant.
import random

from river import evaluate, preprocessing
from river import feature_extraction as river_feature_extraction

from river_hier import Taxonomy, feature_extraction, inspection, linear_model, metrics

words = {
    "streets": "road lane avenue pavement crossing traffic",
    "streets/lamps": "lamp lantern bulb light switch",
    "streets/holes": "pothole crack dip puddle asphalt",
    "streets/parking": "car van meter permit wheel",
    "waste": "rubbish smell collection lorry rat",
    "waste/bins": "bin lid container sack bag",
    "waste/dumping": "mattress fridge sofa rubble tyre",
    "parks": "grass pond hedge bench fountain",
    "parks/trees": "oak branch lime root trunk",
    "parks/playgrounds": "swing slide sandpit seesaw ladder",
}
town = Taxonomy.from_paths([path.split("/") for path in words], root="town hall")


def messages(n, seed):
    rng = random.Random(seed)
    complaints = ["The {} is broken again.", "I fell over a {} beside the {} on Monday."]
    complaints += ["Who looks after this {} near the {}?", "Please do something about this {}."]
    for _ in range(n):
        subjects = rng.sample(town.nodes[1:], rng.choice([1, 1, 2]))
        text = rng.choice(["Dear Sir or Madam,", "Hello!", "Good morning.", "To all of you:"])
        for subject in subjects * 2:
            nodes = rng.choice(town.path(subject)[1:]), rng.choice(town.nodes[1:])
            things = [rng.choice(words["/".join(town.path(node)[1:])].split()) for node in nodes]
            text += " " + rng.choice(complaints).format(*things)
        name = "".join(rng.choices(["ha", "ber", "lin", "mo", "tas", "wick"], k=5))
        yield {"text": f"{text} Yours, {name.title()}"}, set(subjects)


stream: list = list(messages(2000, seed=42))
for x, y in stream[:2]:
    print(f"{' and '.join(sorted(y))}: {x['text']}\n")

# %%
# Three ways from text to features, two learners. River's `TFIDF` keeps all words, and optionally
# pairs; here `LogTFIDF` ignores words that have occurred less than three times, as most names.
bags = {
    "LogTFIDF": feature_extraction.LogTFIDF(on="text", min_count=3),
    "TFIDF": river_feature_extraction.TFIDF(on="text"),
    "TFIDF, with pairs": river_feature_extraction.TFIDF(on="text", ngram_range=(1, 2)),
}
learners = linear_model.SHRLS(town), linear_model.HAROW(town)
curves = {}
print(f"{'':<28}{'H-loss':>8}{'F1':>8}{'features':>10}")
for kind, bag in bags.items():
    for learner in learners:
        name, last = type(learner).__name__, learner.clone()
        model = bag.clone() | preprocessing.Normalizer() | last
        both = metrics.HLoss(town) + metrics.HF1(town)
        states = evaluate.iter_progressive_val_score(stream, model, both, step=200)
        curves[kind, name] = [(state["Step"], state["HLoss"].get()) for state in states]
        n_features = len(set().union(*last.weights.values()))
        loss, f1 = both.get()
        print(f"{f'{kind} | {name}':<28}{loss:>8.3f}{f1:>8.1%}{n_features:>10,}")

# %%
# Names carry no information here. Pairs help most: relevant words have other neighbours than
# irrelevant ones, so the same words in another order have other scores. Each score is a sum over
# features, the three largest of which are shown.
for text in ("I fell over a branch beside the lamp.", "I fell over a lamp beside the branch."):
    print(f"\n{text}")
    for label, why in inspection.explain_one(model, {"text": text}).items():
        if why.on and label != town.root:
            most = ", ".join(f"{feature} {part:+.2f}" for feature, part in why.contributions[:3])
            print(f"{'  ' * town.depth(label)}{label}: {why.score:.2f} = {most}, ...")

# %%
# The H-loss along the stream. With either learner, pairs reduce the loss from the start.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("\nInstall matplotlib to see this as a picture.")
else:
    figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
    colors = dict(zip(bags, ("#D55E00", "#0072B2", "#009E73"), strict=True))
    for (kind, name), curve in curves.items():
        line = "-" if name == "SHRLS" else "--"
        ax.plot(*zip(*curve, strict=True), line, color=colors[kind], label=f"{kind} | {name}")
    ax.set(xlabel="messages seen", ylabel="H-loss so far", ylim=(0, None))
    ax.legend(ncols=2)
    plt.show()
