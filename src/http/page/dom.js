// Elements, made with text only: nothing that the service says is taken for markup.

export const byId = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  return fill(element, attributes, children);
}

export function makeSvg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  return fill(element, attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "click") element.addEventListener("click", value);
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// A note with lines of text; `kind` is "", "good" or "bad".
export function say(note, kind, ...lines) {
  note.className = kind ? `note ${kind}` : "note";
  note.replaceChildren(...lines.filter(Boolean).map((line) => make("p", {}, line)));
  note.hidden = lines.length === 0;
}
