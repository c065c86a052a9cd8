"use strict";
const $ = (id) => document.getElementById(id);
const MOST = 300; // categories in the list at once
let question = {}, categories = [], listed = [], ticked = new Set(), at = 0, busy = false;

async function send(path, message) {
  if (busy) return;
  busy = true;
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(message) };
  try {
    const answer = await fetch(path, message && post), found = await answer.json();
    if (answer.ok) await take(found);
    else $("state").textContent = found.error;
    if (answer.status === 409) setTimeout(send, 1500, "question"); // another page has answered
  } catch {
    $("state").textContent = "The desk is closed: start it again.";
  }
  busy = false;
}

const get = async (path) => (await fetch(path)).json();
const several = () => Array.isArray(question.guess); // labels of a text: a click ticks one
const done = () => send("answer", { row: question.row, label: [...ticked] });
function pick(label) {
  if (label === null || !several()) return question.row !== null && send("answer", { row: question.row, label });
  ticked.delete(label) || ticked.add(label);
  list("");
  suggest();
}
function change(category) {
  const to = prompt(`Another path for ${category}; that of another category merges both, and none retires it.`, category);
  if (to !== null && to !== category) send("edit", { category, to });
  return false;
}
const names = (label) => label.split(question.separator);
const leaf = (label) => names(label).at(-1);

function button(list, label, name, ...texts) {
  const made = document.createElement("button");
  texts.push(["span", name.slice(0, -leaf(name).length)], ["wbr", ""], ["b", leaf(name)]);
  for (const [kind, text] of texts) made.appendChild(document.createElement(kind)).textContent = text;
  made.onclick = () => pick(label);
  made.oncontextmenu = () => change(label);
  $(list).appendChild(document.createElement("li")).append(made);
  return made.style;
}

function suggest() {
  const known = question.guesses.map(([label]) => label);
  for (const label of ticked) if (!known.includes(label)) question.guesses.push([label, 0]);
  $("guesses").replaceChildren();
  question.guesses.forEach(([label, p], i) => {
    const texts = [["kbd", i + 1], ["small", ticked.has(label) ? "✓" : `${Math.round(100 * p)} %`]];
    button("guesses", label, label, ...texts).backgroundSize = `${100 * p}% 100%`;
  });
}

function show({ row, text, given, labelled, left, right, random, last }) {
  const [some, hard] = right.map(([hits, n]) => n && `${Math.round((100 * hits) / n)} % of ${n}`);
  const accuracy = some && `; the model is right in ${some} random texts, ${hard} doubtful ones`;
  $("counts").textContent = `${labelled} labelled, ${left} left` + (accuracy || "");
  $("done").value = labelled / Math.max(labelled + left, 1);
  $("text").textContent = row === null ? "No text is left. Ctrl-C in the terminal writes the labels and the model." : text;
  $("text").scrollTop = 0;
  $("state").textContent = (last ? `Last answer: ${[last].flat().join(", ")}. ` : "") + (random ? "This is a random text." : "") + (given ? `The label is ${given}: 1 keeps it.` : "");
  ticked = new Set(question.guess);
  $("send").hidden = !several();
  suggest();
  $("name").placeholder = ["find or name a category: shoes", "boots"].join(question.separator);
  list("");
  answers();
}

async function take(found) {
  if (`${found.edition}` !== `${question.edition}`) ({ categories } = await get("categories"));
  show((question = found));
}

async function answers() {
  $("answers").replaceChildren();
  const found = $("given").open ? (await get("latest")).answers : [];
  for (const [row, text, label] of found) {
    const shown = [label ?? "skipped"].flat().join(", ");
    button("answers", shown, shown, ["small", text]);
    $("answers").lastChild.firstChild.onclick = () => send("again", { row });
  }
}

function list(typed) {
  $("name").value = typed;
  const name = typed.trim(), small = name.toLowerCase(), fresh = name && !categories.includes(name);
  const begins = (label) => leaf(label).toLowerCase().startsWith(small);
  listed = categories.filter((label) => label.toLowerCase().includes(small));
  listed = listed.sort((one, other) => begins(other) - begins(one)).slice(0, MOST);
  at = fresh && listed.length ? 1 : 0;
  if (fresh) listed.unshift(name);
  $("tree").replaceChildren();
  listed.forEach((label, i) => {
    const shown = fresh && !i ? `New: ${label}` : name ? label : leaf(label);
    button("tree", label, shown).marginLeft = name ? 0 : `${names(label).length - 1}rem`;
  });
  mark(0);
}

function mark(step) {
  at = (at + step + listed.length) % listed.length || 0;
  $("tree").querySelectorAll("button").forEach((one, i) => one.classList.toggle("at", $("name").value && i === at));
  $("tree").querySelector(".at")?.scrollIntoView({ block: "nearest" });
}

document.onkeydown = (event) => {
  const typed = $("name").value, key = event.key, guess = question.guesses?.[Number(key) - 1];
  if (event.repeat || event.isComposing || event.metaKey || event.altKey) return;
  if (event.ctrlKey && (key !== "z" || typed)) return;
  if (event.ctrlKey) send("undo", {});
  else if (key === "Escape") typed ? list("") : pick(null);
  else if (!typed && guess) pick(guess[0]);
  else if (!typed && key === "Enter" && several()) done();
  else if (typed && key === "F2") change(listed[at]);
  else if (typed && key === "Enter") pick(listed[at]);
  else if (typed && key === "ArrowUp") mark(-1);
  else if (typed && key === "ArrowDown") mark(1);
  else return key.length === 1 && $("name").focus();
  event.preventDefault();
};
$("name").oninput = () => list($("name").value);
$("send").onclick = done;
$("skip").onclick = () => pick(null);
$("given").ontoggle = answers;
$("undo").onclick = () => send("undo", {});
send("question");
