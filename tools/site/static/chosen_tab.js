// Keeps the language that was chosen in a tab, on all pages.

document.addEventListener("DOMContentLoaded", () => {
  const labels = [...document.getElementsByClassName("tab-label")];
  const choose = (name) =>
    labels.filter((label) => label.textContent === name).forEach((label) => (label.previousSibling.checked = true));
  for (const label of labels) {
    label.addEventListener("click", () => localStorage.setItem("tab", label.textContent));
  }
  choose(localStorage.getItem("tab"));
});
