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

// The width of a text of a figure, pixels.
function textWidth(text) {
  const pen = textWidth.pen ??= document.createElement("canvas").getContext("2d");
  pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}

// A text that fits into its room. The end is kept: the last octets of its address tell a station from others. Of words
// the beginning is.
function fitted(text, room) {
  if (textWidth(text) <= room) return text;
  const end = / [a-z]+$/i.test(text) ? "" : text.slice(-6);
  let length = text.length - end.length;
  while (length > 1 && textWidth(`${text.slice(0, length)}…${end}`) > room) length--;
  return `${text.slice(0, length)}…${end}`;
}
