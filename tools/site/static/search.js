// Shows the results of Pagefind, with excerpts. Without a web server or without its index, those of Sphinx stay.

// What people ask, and the words of the pages.
const SYNONYMS = {
  "unbalanced": "imbalanced",
  "minority class": "rare",
  "upsampling": "oversampling",
  "undersample": "undersampling",
  "oversample": "oversampling",
  "checkpoint": "resume",
  "cv": "cross-validation",
  "ddp": "distributed",
  "multi-gpu": "several processes",
  "siamese": "contrastive",
  "huggingface": "hugging face",
};

function withSynonyms(question) {
  const words = question.toLowerCase();
  const known = Object.keys(SYNONYMS).find((phrase) => new RegExp(`(^|\\s)${phrase}($|\\s)`).test(words));
  return known ? words.replace(known, SYNONYMS[known]) : words;
}

// A function has the same name in both references.
function language(url) {
  return /\/r\/./.test(url) ? " (R)" : /\/python\/./.test(url) ? " (Python)" : "";
}

async function show(question) {
  const pagefind = await import("../pagefind/pagefind.js");
  // A page with the words themselves comes before one with longer words: "size" before "sizes".
  await pagefind.options({ ranking: { termSimilarity: 10 } });
  const { results } = await pagefind.search(withSynonyms(question));
  const found = document.getElementById("found");
  const heading = document.createElement("p");
  heading.textContent = results.length ? `${results.length} pages, the best first:` : `No page has "${question}".`;
  const list = document.createElement("ol");
  list.className = "found";
  for (const page of await Promise.all(results.slice(0, 20).map((result) => result.data()))) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = page.url;
    link.textContent = page.meta.title + language(page.url);
    const excerpt = document.createElement("div");
    excerpt.innerHTML = page.excerpt;
    item.append(link, excerpt);
    list.append(item);
  }
  found.append(heading, list);
  document.getElementById("search-results").hidden = true;
}

const question = new URLSearchParams(window.location.search).get("q");
if (question) {
  document.getElementById("question").value = question;
  show(question).catch(() => {});
}
