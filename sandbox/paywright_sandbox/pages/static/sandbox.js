// What the console does beside its pages: buttons that copy, and lists that follow what happens. All of it works without.
"use strict";
(() => {
  const every = 2000;

  function button(words, title) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "plain small-button";
    made.textContent = words;
    if (title) made.setAttribute("aria-label", title);
    return made;
  }

  // Copying, where the browser lets a page of this origin do it.
  if (navigator.clipboard) {
    for (const one of document.querySelectorAll("[data-copy], [data-copy-inside]")) {
      const text = one.textContent.trim();
      const copy = button("Copy", one.tagName === "PRE" ? "Copy this text" : `Copy ${text}`);
      copy.addEventListener("click", async () => {
        try {
          await navigator.clipboard.writeText(text);
          copy.textContent = "Copied";
        } catch {
          copy.textContent = "Not allowed";
        }
        setTimeout(() => { copy.textContent = "Copy"; }, 1500);
      });
      if (one.hasAttribute("data-copy")) one.after(copy);
      else one.append(" ", copy);
    }
  }

  // The part of a page that is read again while somebody looks at it.
  const live = document.querySelector("[data-live]");
  if (!live) return;
  let follows = true;
  const toggle = button("Pause", "Pause: the list follows what happens");
  toggle.addEventListener("click", () => {
    follows = !follows;
    toggle.textContent = follows ? "Pause" : "Follow";
    toggle.setAttribute("aria-label", follows ? "Pause: the list follows what happens" : "Follow what happens again");
  });
  const note = document.createElement("p");
  note.className = "live";
  note.append(toggle);
  live.before(note);

  const inUse = () => live.contains(document.activeElement) || (getSelection() && !getSelection().isCollapsed);

  async function look() {
    if (!follows || document.hidden || inUse()) return;
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("[data-live]");
    if (fresh && !inUse() && fresh.innerHTML !== live.innerHTML) live.replaceChildren(...fresh.childNodes);
  }
  setInterval(() => look().catch(() => {}), every);  // a sandbox that was stopped is asked again
})();
