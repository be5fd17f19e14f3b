// Shows the guides that a question is about, above the pages that Sphinx finds. GUIDES is in guides.js.

// What people ask, and the words of the guides.
const SYNONYMS = {
  "unbalanced": "imbalance",
  "imbalanced": "imbalance",
  "upsampling": "oversampling",
  "undersample": "undersampling",
  "oversample": "oversampling",
  "checkpoint": "resuming",
  "resume": "resuming",
  "cv": "cross-validation",
  "multi-gpu": "several processes",
  "siamese": "contrastive",
  "huggingface": "hugging face",
};

function withSynonyms(question) {
  const words = question.toLowerCase().trim();
  const known = Object.keys(SYNONYMS).find((phrase) => new RegExp(`(^|\\s)${phrase}($|\\s)`).test(words));
  return known ? words.replace(known, SYNONYMS[known]) : words;
}

// The whole question in the name of a guide counts most, then in its words, then all words of the question somewhere.
function score(guide, question) {
  const name = guide.name.toLowerCase();
  const text = `${name} ${guide.words.toLowerCase()}`;
  if (name === question) return 4;
  if (name.includes(question)) return 3;
  if (text.includes(question)) return 2;
  return question.split(/\s+/).every((word) => text.includes(word)) ? 1 : 0;
}

const question = new URLSearchParams(window.location.search).get("q");
if (question) {
  const asked = withSynonyms(question);
  const found = GUIDES.map((guide) => [score(guide, asked), guide]).filter(([points]) => points > 0);
  found.sort(([one], [other]) => other - one);
  const list = document.createElement("ul");
  list.className = "guides";
  for (const [, guide] of found) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = guide.page;
    link.textContent = guide.name;
    item.append(link, guide.words ? `: ${guide.words}` : "");
    list.append(item);
  }
  document.getElementById("guides").append(list);
}
