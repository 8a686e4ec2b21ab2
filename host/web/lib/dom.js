// A small way to say what should be on the screen: `h` describes elements, `patch` makes an element's children so, changing
// no more than differs. Focus, caret, scroll and open menus stay where they are. An element with `own` has children of its
// own making, which are let alone.

const SVG = "http://www.w3.org/2000/svg";

const text = (children) => children.map((child) => (typeof child === "object" ? text(child.children) : child)).join("");

// A button without a key is known by what it says: one that says something else is another one.
export function h(tag, props, ...children) {
  const kept = children.flat(Infinity).filter((child) => child != null && child !== false && child !== "");
  if (tag === "button") props = { key: props?.["aria-label"] ?? text(kept), ...props };
  return { tag, props: props ?? {}, children: kept };
}

// As h, for the shapes of a drawing.
export const s = (tag, props, ...children) => ({ ...h(tag, props, ...children), svg: true });

// What somebody has typed into a form is theirs until it is sent: no drawing writes over it, and a field of the same name
// that is made anew has it again. So a field's name says what it is an answer to: another auction has another name.
const drafts = new Map();
const isTyped = (node) => node.form && node.name && node.matches("input:not([type=radio], [type=checkbox]), textarea");
addEventListener("input", ({ target }) => isTyped(target) && drafts.set(target.name, target.value), true);
// Somebody who empties a field and goes away has nothing to say there.
addEventListener("focusout", ({ target }) => target.value === "" && drafts.delete(target.name), true);

// What is typed there and not sent yet, or undefined.
export const draft = (name) => drafts.get(name);
export const dropDraft = (name) => drafts.delete(name);

// For `onsubmit`: `send` is given the form's fields and says false if nothing was sent; the drafts are kept then.
export const submit = (send) => (event) => {
  event.preventDefault();
  const { elements } = event.target;
  if (send(elements) === false) return;
  for (const { name } of elements) dropDraft(name);
};

// A press means what stood there when the hand set out. A button that has just come takes none for as long as a hand needs
// to stop; the second half of a double click, and a key that is held, do nothing, except on a button with `data-again`,
// which is there to be pressed many times.
export const REACTION = 350;
const PRESSED = "button, a.button";
const guards = new WeakMap();

function guard(button) {
  button.dataset.fresh = "";
  clearTimeout(guards.get(button));
  guards.set(
    button,
    setTimeout(() => delete button.dataset.fresh, REACTION),
  );
}

// Where the mouse rests, or a finger was last.
let hand = null;
for (const type of ["pointermove", "pointerdown"])
  addEventListener(type, ({ clientX, clientY }) => (hand = [clientX, clientY]), { capture: true, passive: true });

// The log moves with every line, and looks after its lines by itself.
const underHand = () => hand && document.elementFromPoint(...hand)?.closest("button:not(.log *), a.button");

// Draws; a button that the drawing has moved under the hand is as good as one that has just come.
export function steadily(draw) {
  const before = underHand();
  draw();
  const after = underHand();
  if (after && after !== before) guard(after);
}

function swallow(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

addEventListener(
  "click",
  (event) => {
    const button = event.isTrusted && event.target.closest(PRESSED);
    // Who presses Enter in a field presses no button, though the browser says so.
    if (!button || (event.detail === 0 && document.activeElement !== button)) return;
    if ("fresh" in button.dataset || (event.detail > 1 && !("again" in button.dataset))) swallow(event);
  },
  true,
);
addEventListener(
  "keydown",
  (event) => event.repeat && ["Enter", " "].includes(event.key) && event.target.closest("button") && swallow(event),
  true,
);

function setProp(node, name, value, old) {
  if (name === "key" || name === "own" || value === old) return;
  if (name === "value" && drafts.has(node.name)) return;
  if (name.startsWith("on") || name === "value" || name === "checked" || name === "open") {
    if (name !== "value" || node.value !== String(value)) node[name] = value ?? null;
  } else if (name === "style") {
    for (const key of Object.keys(value ?? {})) node.style.setProperty(key, value[key]);
  } else if (value === false || value == null) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? "" : value);
}

function make(v) {
  if (typeof v !== "object") return document.createTextNode(v);
  const svg = v.svg || v.tag === "svg";
  const node = svg ? document.createElementNS(SVG, v.tag) : document.createElement(v.tag);
  // Children first: a select has its value only once it has its options.
  if (!v.props.own) patch(node, v.children);
  for (const name of Object.keys(v.props)) setProp(node, name, v.props[name]);
  if (drafts.has(v.props.name)) node.value = drafts.get(v.props.name);
  // Unless somebody is elsewhere already; once it stands in the page.
  if (v.props.autofocus) queueMicrotask(() => document.activeElement === document.body && node.focus({ preventScroll: true }));
  if (!svg && node.matches(PRESSED)) guard(node);
  return node;
}

const isSame = (old, v) =>
  typeof old === typeof v && (typeof v !== "object" || (old.tag === v.tag && old.props.key === v.props.key));

function update(node, old, v) {
  if (typeof v !== "object") {
    if (old !== v) node.data = v;
    return;
  }
  if (!v.props.own) patch(node, v.children);
  for (const name of Object.keys(old.props)) if (!(name in v.props)) setProp(node, name, null, old.props[name]);
  for (const name of Object.keys(v.props)) setProp(node, name, v.props[name], old.props[name]);
}

// A child that is taken out and put in again would lose focus and scroll.
function place(parent, node, next) {
  if (node.parentNode !== parent) parent.insertBefore(node, next);
  else if (parent.moveBefore) parent.moveBefore(node, next);
  else {
    const focused = node.contains(document.activeElement) ? document.activeElement : null;
    parent.insertBefore(node, next);
    focused?.focus({ preventScroll: true });
  }
}

// The button with the focus is gone, or can't be pressed any more: the keyboard goes on where it was, at the next button
// or, where there is none, in that part of the page. It is looked for when everything is drawn.
function handOver(from) {
  const way = [];
  for (let at = from; at; at = at.parentElement) way.push(at);
  queueMicrotask(() => {
    if (document.activeElement?.matches("button:enabled, input, select, a, section")) return;
    for (const at of way.filter((one) => one.isConnected)) {
      const next = at.querySelector("button.primary:enabled") ?? at.querySelector("button:enabled");
      if (next) return next.focus({ preventScroll: true });
      if (at.matches("section, dialog")) {
        at.tabIndex = -1;
        return at.focus({ preventScroll: true });
      }
    }
  });
}

// The children that `patch` gave an element: descriptions and nodes.
const given = new WeakMap();

export function patch(parent, children) {
  const old = given.get(parent) ?? [];
  const wanted = Array.isArray(children) ? children.flat(Infinity).filter((c) => c != null && c !== false) : [children];
  const fresh = [];
  let from = 0;
  for (const v of wanted) {
    let at = old.findIndex((pair, i) => i >= from && pair && isSame(pair.v, v));
    // Without a key only the next one will do, else everything behind a removed child would be made anew.
    if (at > from && (typeof v !== "object" || v.props.key === undefined) && at - from > 3) at = -1;
    const pair = at < 0 ? null : old[at];
    if (pair) {
      old[at] = null;
      while (from < old.length && !old[from]) from++;
      update(pair.node, pair.v, v);
    }
    fresh.push({ v, node: pair ? pair.node : make(v) });
  }
  const focused = document.activeElement;
  const isGone = focused?.matches("button") && old.some((pair) => pair?.node.contains(focused));
  const isOff = focused?.matches("button:disabled") && focused.parentNode === parent;
  for (const pair of old) pair?.node.remove();
  if (!given.has(parent)) parent.textContent = "";
  let next = parent.firstChild;
  for (const { node } of fresh) {
    if (node === next) next = node.nextSibling;
    else place(parent, node, next);
  }
  given.set(parent, fresh);
  if (isGone || isOff) handOver(parent);
}
