// Elements without markup: whatever a record, a name or the server says is text and can become nothing else.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element. `on` holds listeners; an attribute of null or false is left out. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** Make an SVG element. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, { on = {}, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  element.append(...children.filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

/** Make a button. */
export function button(label, press, attributes = {}) {
  const { on = {}, ...rest } = attributes;
  return el("button", { type: "button", ...rest, on: { click: press, ...on } }, label);
}

let controls = 0;

/** Put a label before a control, and perhaps a note after it. */
export function labelled(label, control, note = null) {
  control.id = `control-${++controls}`;
  if (note) control.setAttribute("aria-describedby", `${control.id}-note`);
  return el(
    "div",
    { class: "field" },
    el("label", { for: control.id }, label),
    control,
    note && el("small", { id: `${control.id}-note` }, note),
  );
}

/** Make a choice among [value, label] pairs. */
export function select(options, chosen, attributes = {}) {
  return el(
    "select",
    attributes,
    ...options.map(([value, label]) => el("option", { value, selected: value === chosen }, label)),
  );
}

/** Set an attribute that is there only while it is true. */
export function toggle(element, name, value) {
  if (value) element.setAttribute(name, value === true ? "" : value);
  else element.removeAttribute(name);
}
