// The console: every list, row, action and field of the control API, made from its OpenAPI document.
// What others wrote becomes the text of nodes and never markup: the policy of the page forbids that.
"use strict";
const API = "/_sandbox/", JSON_TYPE = "application/json", LATEST = 8, LONG = 160, WIDE = 7;
const FIRST = ["status", "outcome", "kind", "at", "amount", "currency", "about", "subject", "what", "createdAt", "merchant"];
const BESIDE = ["refunds", "notifications", "events"];  // lists whose rows stand on the page of the row that they name
const TURNING = /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/gu;  // or invisible
const place = document.querySelector("#place"), note = document.querySelector("#note");
let sections = [], turn = 0;
const words = (name) => name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[-_.]/g, " ").toLowerCase()
  .replace(/\b(http|id|snap|sp|url|va)\b/g, (short) => short.toUpperCase()).replace(/^./, (letter) => letter.toUpperCase());
const code = (one) => "\n\t".includes(one) ? one : `\\u{${one.codePointAt(0).toString(16)}}`;
const isObject = (value) => value !== null && typeof value === "object";
const text = (value) => Array.isArray(value) ? value.map(text).join(", ")
  : isObject(value) ? Object.entries(value).map(([name, one]) => `${name} ${text(one)}`).join(", ")
  : String(value ?? "").replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?(Z| ?\+00:?00)$/, "$1 $2");
const isPlain = (value) => !isObject(value) && text(value).length <= LONG && !text(value).includes("\n");
function el(tag, ...inside) {  // el("p.hint", { id: "x" }, "words")
  const [name, ...classes] = tag.split("."), made = document.createElement(name);
  if (classes.length) made.className = classes.join(" ");
  for (const one of inside.flat()) {
    if (typeof one === "string") made.append(one.replace(TURNING, code));
    else if (one instanceof Node) made.append(one);
    else for (const [key, value] of Object.entries(one ?? {})) if (value ?? false) made.setAttribute(key, value);
  }
  return made;
}
async function call(method, path, body) {
  const headers = { "X-Sandbox": "1", "Content-Type": JSON_TYPE };
  const reply = await fetch(API + path, { method, headers, body: body && JSON.stringify(body) });
  const digits = (_, value, { source } = {}) => typeof value === "number" ? source ?? value : value;  // of money: all of them
  const answer = JSON.parse(await reply.text(), digits);
  if (!reply.ok) throw new Error(answer.error ?? `HTTP status ${reply.status}`);
  return answer;
}
function tell(look, title, inside) {
  note.className = look;
  note.replaceChildren(el("h2", title), inside);
  note.focus();
}
// A section is the first step of a path: its list, the member that names a row, and its actions.
function read(api) {
  const found = {};
  for (const [path, operations] of Object.entries(api.paths)) {
    const short = path.slice(API.length), [name, second = "", verb] = short.split("/"), key = /\{(\w+)\}/.exec(second)?.[1];
    const section = (found[name] ??= { name, actions: [] }), own = key ? "one" : second ? "" : "list";
    const labels = { post: key ? "change" : "add", delete: key ? "remove" : "remove all" };
    for (const [method, { operationId: id, summary, requestBody, responses }] of Object.entries(operations)) {
      const schema = requestBody?.content[JSON_TYPE]?.schema, label = words(verb ?? (own ? labels[method] ?? "" : second));
      if (method !== "get" && (schema || !requestBody))
        section.actions.push({ id, key, label, summary, call: `${method.toUpperCase()} ${short}`, schema });
      else if (method === "get" && !verb && responses[200].content[JSON_TYPE]) section[own] = summary;
    }
    section.key ??= verb === undefined || section.list ? key : undefined;
  }
  return Object.values(found).filter(({ name, list, actions }) => (list || actions.length) && !/health|openapi/.test(name));
}
async function rowsOf({ name }) {  // balances are by merchant and currency, the clock is one row
  const answer = await call("GET", name), all = isObject(answer[name]) ? Object.entries(answer[name]) : [];
  const rows = all.flatMap(([merchant, own]) => Object.entries(own).map(([currency, balance]) => ({ merchant, currency, balance })));
  return Object.values(answer).find(Array.isArray) ?? (rows.length ? rows : [answer]);
}

// Forms
function field(id, name, { type, enum: values, maxLength: maxlength, description = "" }, required) {
  const kind = [type].flat()[0], choices = kind === "boolean" ? ["true", "false"] : values;
  const input = el(choices ? "select" : /object|array/.test(kind) ? "textarea" : "input",
    { id, name, maxlength, type: kind === "integer" && "number", "data-kind": kind, "aria-describedby": `${id}-hint`, autocomplete: "off" });
  if (choices) input.append(...(required ? [] : [el("option")]), ...choices.map((one) => el("option", one)));
  input.required = required;
  return el("div.field", el("label", { for: id }, words(name), required ? "" : el("span.soft.optional", " optional")), input,
    el("p.hint", { id: `${id}-hint` }, description));
}
function form({ id, label, summary, call: template, schema: { properties = {}, required = [] } = {} }, row = {}) {
  const isKnown = (name) => name === "merchant" && row.merchant, asked = Object.entries(properties).filter(([name]) => !isKnown(name));
  const whose = "merchant" in properties && row.merchant ? el("input", { type: "hidden", name: "merchant", value: row.merchant }) : "";
  const path = template.replace(/\{(\w+)\}/, (_, name) => encodeURIComponent(row[name]));
  const look = /^DELETE|reset/.test(path) ? "danger" : asked.length ? "primary" : "plain";
  const made = el(asked.length ? "form.wide" : "form.inline", { "data-call": path, title: summary }, whose,
    asked.map(([name, schema]) => field(`${id}-${name}`, name, schema, required.includes(name))), el(`button.${look}`, label));
  return asked.length ? el("details.make", el("summary", label, el("span.soft", ` ${summary}`)), made) : made;
}
function bodyOf(given) {
  const body = {};
  for (const { name, value, dataset: { kind } } of given.elements)
    if (name && value.trim()) body[name] = /integer|boolean|object|array/.test(kind) ? JSON.parse(value) : value.trim();
  return body;
}
document.addEventListener("submit", async (event) => {
  const given = event.target, button = event.submitter, [method, path] = given.dataset.call?.split(" ") ?? [];
  if (!method) return;  // the form of the log is sent as it is
  event.preventDefault();
  button.disabled = true;
  try {
    const body = bodyOf(given), { last } = await call("GET", "events/after/999999999999999");
    const answer = await call(method, path, body), { events } = await call("GET", `events/after/${last}`);
    await show();
    tell("note", "Done", events.length ? table({}, events, "What happened") : facts(answer)[0]);
  } catch (error) { tell("alert", "It was not done", el("p", error.message)); }
  button.disabled = false;
});

// Rows
function cell(name, value) {
  const said = text(value), inside = el("bdi.words", said), isStatus = /status|outcome/i.test(name) && /^[A-Z_]+$/.test(said);
  if (isStatus) return el(`span.status.s-${said.toLowerCase().replace(/_/g, "-")}`, said);
  return said.startsWith(`${location.origin}/_sandbox/`) ? el("a", { href: said }, inside) : inside;
}
function table({ name: section, key }, rows, caption) {
  if (!rows.length) return el("p.soft", "None yet.");
  const rank = (name) => name === key ? -1 : FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length;
  const isShown = (name) => rows.every((row) => isPlain(row[name])) && rows.some((row) => text(row[name]));
  const names = [...new Set(rows.flatMap(Object.keys))].filter(isShown).sort((one, other) => rank(one) - rank(other)).slice(0, WIDE);
  const link = (row) => `/_sandbox/#${[section, row[key], row.merchant ?? ""].map(encodeURIComponent).join("/")}`;
  const look = (one) => !text(one) ? "none" : /^\d{4}-\d\d-\d\dT/.test(one) ? "k-time" : /^[\w.-]{1,18}$/.test(one) ? "k-code" : "k-text";
  const shown = (name, row) => name === key ? el("a", { href: link(row) }, cell(name, row[name])) : cell(name, row[name]);
  const line = (row) => el("tr", { role: "row" }, names.map((name) =>
    el(`td.${look(row[name])}`, { role: "cell", "data-label": words(name) }, el("div", shown(name, row)))));
  const titles = names.map((name) => el("th", { role: "columnheader", scope: "col" }, words(name)));
  return el("table", { role: "table" }, el("caption.unseen", caption),
    el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, titles)), el("tbody", { role: "rowgroup" }, rows.map(line)));
}
function facts(row) {
  const given = Object.entries(row).filter(([, value]) => text(value)), short = given.filter(([, value]) => isPlain(value));
  const long = ([name, value]) => Array.isArray(value) && isObject(value[0])
    ? el("section", el("h2", words(name)), table({}, value, words(name)))
    : el("details.make", el("summary", words(name)), el("pre", { tabindex: "0", "aria-label": words(name), "data-copy": "1" },
      isObject(value) ? JSON.stringify(value, null, 2) : value));
  return [el("dl.facts", short.map(([name, value]) => el("div", el("dt", words(name)), el("dd", cell(name, value))))),
    ...given.filter(([, value]) => !isPlain(value)).map(long)];
}
async function listPage(section) {
  again = async () => [table(section, await rowsOf(section), words(section.name))];
  return [el("h1", words(section.name)), el("p.hint", section.list), el("div", { "data-live": "1" }, await again()),
    ...section.actions.filter((one) => !one.key).map((one) => form(one))];
}
async function rowPage(section, key, merchant) {
  const isIt = (row) => String(row[section.key]) === key && (!merchant || (row.merchant ?? merchant) === merchant);
  const whole = section.one ? await call("GET", `${section.name}/${encodeURIComponent(key)}`).catch(() => ({})) : {};
  const row = isIt(whole) ? whole : (await rowsOf(section)).find(isIt), title = words(section.name);
  if (!row) return [el("h1", title), el("p", "It is not there, or not any more.")];
  const names = (one) => (one.merchant ?? row.merchant) === row.merchant && [one.about, one.subject, one[section.key]].includes(key);
  const lists = sections.filter((one) => row.merchant && one !== section && BESIDE.includes(one.name));
  const beside = await Promise.all(lists.map(async (one) => [one, (await rowsOf(one)).filter(names)]));
  const part = ([one, rows]) => el("section", el("h2", words(one.name)), table(one, rows, words(one.name)));
  const log = `/_sandbox/console/log?key=${encodeURIComponent(row.about ?? key)}`;
  return [el("p.crumb", el("a", { href: `/_sandbox/#${section.name}` }, title)),
    el("h1", el("span", { "data-copy": "1" }, key), " ", row.status ? cell("status", row.status) : ""),
    el("div.actions", row.merchant ? el("a", { href: log }, "Its exchanges in the log") : "",
      section.actions.filter((one) => one.key).map((one) => form(one, row))),
    ...facts(row), ...beside.filter(([, rows]) => rows.length).map(part)];
}
async function overview() {
  const made = document.querySelector("#overview").content.cloneNode(true), orders = sections.find((one) => one.name === "orders");
  again = async () => [table(orders, (await rowsOf(orders)).slice(0, LATEST), "Latest orders")];
  made.querySelector("[data-live]").append(...await again());
  made.querySelector("#first").hidden = made.querySelector("table") !== null;
  return [el("h1", "Overview"), made, ...sections.filter((one) => !one.list).flatMap((one) => one.actions.map((all) => form({ ...all, label: words(one.name) })))];
}
function menu(here) {
  const item = (name, title) => el("li", el("a", { href: `/_sandbox/#${name}`, "aria-current": name === here && "page" }, title));
  const items = sections.filter((one) => one.list).map((one) => item(one.name, words(one.name)));
  document.querySelector("#menu ul").replaceChildren(item("", "Overview"), ...items, document.querySelector("#to-log"));
}
async function show(moved) {
  const mine = ++turn, [name, key, merchant] = location.hash.slice(1).split("/").map(decodeURIComponent);
  const section = sections.find((one) => one.name === name && one.list), { now } = await call("GET", "clock");
  const made = !section ? await overview() : key ? await rowPage(section, key, merchant) : await listPage(section);
  if (mine !== turn) return;  // somebody went on meanwhile
  place.replaceChildren(...made);
  document.querySelector("time").textContent = `${text(now)} UTC`;
  document.title = `${section ? `${words(name)} ${key ?? ""} · ` : ""}paywright sandbox`;
  if (moved) { note.className = ""; note.replaceChildren(); document.querySelector("#main").focus(); }
  menu(section?.name ?? "");
  dress();
}
const shown = (moved) => show(moved).catch((error) => tell("alert", "The sandbox does not answer", el("p", error.message)));
call("GET", "openapi.json").then((api) => { sections = read(api); return place ? shown() : menu("log"); });  // the log is made elsewhere
addEventListener("hashchange", () => place && shown(true));
