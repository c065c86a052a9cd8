// Copied text has no prompts and no output of doctests.
document.addEventListener("copy", (event) => {
  const text = event.target.value ?? getSelection().toString(); // the copy button uses a text area
  const prompt = /^(>>>|\.\.\.|\$)( |$)/;
  if (prompt.test(text)) {
    const typed = text.split("\n").filter((line) => prompt.test(line));
    event.clipboardData.setData("text/plain", typed.map((line) => line.replace(prompt, "")).join("\n"));
    event.preventDefault();
  }
});
