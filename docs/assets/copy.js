// What one would type is copied, without prompts and without what a doctest prints.
document.addEventListener("copy", (event) => {
  const text = event.target.value ?? getSelection().toString(); // a button fills a text area
  const prompt = /^(>>>|\.\.\.|\$)( |$)/;
  if (prompt.test(text)) {
    const typed = text.split("\n").filter((line) => prompt.test(line));
    event.clipboardData.setData("text/plain", typed.map((line) => line.replace(prompt, "")).join("\n"));
    event.preventDefault();
  }
});
