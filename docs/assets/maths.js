// Renders formulas in the browser, with the KaTeX that is part of the site.
document.addEventListener("DOMContentLoaded", () => {
  for (const formula of document.querySelectorAll(".arithmatex")) {
    const text = formula.textContent.trim();
    katex.render(text.slice(2, -2), formula, {
      displayMode: text.startsWith("\\["),
      throwOnError: false,
    });
  }
});
