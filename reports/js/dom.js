// Elements. Text from recordings only ever becomes text nodes and attribute values.

const SVG = "http://www.w3.org/2000/svg";

function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function html(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) if (value !== null && value !== undefined) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function options(select, labels) {
  select.replaceChildren(...labels.map((label, index) => html("option", { value: index }, label)));
}
