// What console and log do beside their words: buttons that copy, and a part that follows what happens while somebody looks.
"use strict";
let follows = true, again = anew;  // `again` makes anew what stands in the page's [data-live]

function button(label, words) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "plain small-button";
  made.textContent = label;
  made.setAttribute("aria-label", words);
  return made;
}

function dress() {  // the page has new parts
  for (const one of document.querySelectorAll("[data-copy]:not(:has(+ .small-button))")) {
    const text = one.textContent.trim(), copy = button("Copy", one.tagName === "PRE" ? "Copy this text" : `Copy ${text}`);
    const say = (words) => { copy.textContent = words; setTimeout(() => { copy.textContent = "Copy"; }, 1500); };
    copy.addEventListener("click", () => navigator.clipboard.writeText(text).then(() => say("Copied"), () => say("Not allowed")));
    if (navigator.clipboard) one.after(copy);
  }
  const toggle = button("", ""), note = document.createElement("p");
  const name = () => {
    toggle.textContent = follows ? "Pause" : "Follow";
    toggle.setAttribute("aria-label", follows ? "Pause: the list follows what happens" : "Follow what happens again");
  };
  toggle.addEventListener("click", () => { follows = !follows; name(); });
  name();
  note.className = "live";
  note.append(toggle);
  document.querySelector("[data-live]")?.before(note);
}

function anew() {  // from the page itself, read as a document whose scripts do not run
  const asked = new XMLHttpRequest();
  asked.responseType = "document";
  asked.open("GET", location.href);
  asked.send();
  return new Promise((done) => { asked.onloadend = () => done(asked.response?.querySelector("[data-live]")?.childNodes); });
}

setInterval(async () => {
  const live = document.querySelector("[data-live]"), asked = again;
  const busy = () => live.contains(document.activeElement) || !getSelection().isCollapsed;
  if (!live || !follows || document.hidden || busy()) return;
  const made = await asked().catch(() => undefined);  // a sandbox that was stopped is asked again
  const words = made && [...made].map((one) => one.textContent).join("");
  if (made && live.isConnected && !busy() && words.trim() !== live.textContent.trim()) live.replaceChildren(...made);
}, 2000);
dress();
