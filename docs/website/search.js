// Finds sections by their words. Without JavaScript there is no box, and the pages are as they are.
const script = document.currentScript;
const root = script.dataset.root;
const box = document.querySelector("search");
const input = box.querySelector("input");
const list = box.querySelector("ul");
const told = box.querySelector("[role=status]");
const MOST = 12;

const plain = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
const sections = INDEX.map(([address, page, heading, text]) => ({
  address, page, heading, text, title: plain(`${page} ${heading}`), all: plain(`${page} ${heading} ${text}`),
}));

function score(section, words) {
  if (!words.every((word) => section.all.includes(word))) return 0;
  return 1 + words.filter((word) => section.title.includes(word)).length * 3;
}

function find(query) {
  const words = plain(query).split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  return sections
    .map((section) => ({ section, score: score(section, words) }))
    .filter((one) => one.score)
    .sort((one, other) => other.score - one.score)
    .slice(0, MOST)
    .map((one) => one.section);
}

function show() {
  const found = find(input.value);
  list.replaceChildren(...found.map((section) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `${root}/${section.address}`;
    const name = document.createElement("b");
    name.textContent = section.heading;
    const where = document.createElement("span");
    where.textContent = section.heading === section.page ? section.text.slice(0, 80) : section.page;
    link.append(name, where);
    item.append(link);
    return item;
  }));
  told.textContent = !input.value.trim() ? "" : `${found.length} found`;
}

input.addEventListener("input", show);
box.addEventListener("keydown", (event) => {
  const links = [...list.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
  if (event.key === "Escape") { input.value = ""; show(); input.focus(); }
  if (event.key === "Enter" && at < 0 && links[0]) links[0].click();
  if (next === undefined || !links.length) return;
  event.preventDefault();
  (next < 0 ? input : links[Math.min(next, links.length - 1)]).focus();
});
box.hidden = false;
