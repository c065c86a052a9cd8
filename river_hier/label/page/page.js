"use strict";
const $ = (id) => document.getElementById(id);
const MOST = 300; // categories in the list at once
let question = {}, tree, labels = [], listed = [], at = 0, busy = false;

async function ask(path, message) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(message) };
  const answer = await fetch(path, message && post);
  const found = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(found.error), { status: answer.status });
  return found;
}

async function send(path, message) {
  if (busy) return;
  busy = true;
  try {
    const found = await ask(path, message);
    if (found.nodes !== question.nodes) {
      tree = await ask("tree");
      labels = tree.paths.map((names) => names.join(tree.separator));
    }
    question = found;
    show();
  } catch (error) {
    $("state").textContent = error.status ? error.message : "The desk is closed: start it again.";
    if (error.status === 409) setTimeout(send, 1500, "question"); // another page has answered
  } finally {
    busy = false;
  }
}

const pick = (label) => question.row !== null && send("answer", { row: question.row, label });

function button(list, label, ...texts) {
  const made = document.createElement("button");
  for (const [kind, text] of texts) made.appendChild(document.createElement(kind)).textContent = text;
  made.onclick = () => pick(label);
  $(list).appendChild(document.createElement("li")).append(made);
  return made.style;
}

function show() {
  const { row, text, guesses, labelled, left, right, random, last } = question;
  const [some, hard] = right.map(([hits, n]) => (n ? `${Math.round((100 * hits) / n)} % of ${n}` : "– of 0"));
  $("counts").textContent = `${labelled} labelled, ${left} left. Right: ${some} random texts, ${hard} doubtful ones`;
  $("done").value = labelled / Math.max(labelled + left, 1);
  $("text").textContent = row === null ? "There is no text left." : text;
  $("text").scrollTop = 0;
  $("state").textContent = (last ? `Last answer: ${last}. ` : "") + (random ? "This is a random text." : "");
  $("guesses").replaceChildren();
  guesses.forEach(([label, p], i) => {
    const texts = [["kbd", i + 1], ["span", label], ["small", `${Math.round(100 * p)} %`]];
    button("guesses", label, ...texts).backgroundSize = `${100 * p}% 100%`;
  });
  list("");
}

function list(typed) {
  $("name").value = typed;
  const name = typed.trim(), fresh = name && !labels.includes(name);
  listed = labels.filter((label) => label.toLowerCase().includes(name.toLowerCase())).slice(0, MOST);
  at = fresh && listed.length ? 1 : 0;
  if (fresh) listed.unshift(name);
  $("tree").replaceChildren();
  listed.forEach((label, i) => {
    const names = label.split(tree.separator), text = fresh && !i ? `New: ${label}` : name ? label : names.at(-1);
    button("tree", label, ["span", text]).marginLeft = name ? 0 : `${names.length - 1}rem`;
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
  else if (typed && key === "Enter") pick(listed[at]);
  else if (typed && key === "ArrowUp") mark(-1);
  else if (typed && key === "ArrowDown") mark(1);
  else return key.length === 1 && $("name").focus();
  event.preventDefault();
};
$("name").oninput = () => list($("name").value);
$("skip").onclick = () => pick(null);
$("undo").onclick = () => send("undo", {});
send("question");
