// The values under the pointer, and the brush of time axes.

function interact(box, picture, view) {
  const tip = html("div", { class: "tip", hidden: "", "aria-hidden": "true" });
  const cross = svg("path", { class: "cross" }), chosen = svg("rect", { class: "chosen", y: view.top, height: view.bottom - view.top });
  picture.append(chosen, cross);
  box.append(tip);
  const leave = () => { tip.hidden = true; cross.setAttribute("d", ""); };
  picture.addEventListener("pointerleave", leave);
  picture.addEventListener("pointermove", event => {
    const corner = picture.getBoundingClientRect(), at = event.clientX - corner.left;
    const lines = at < view.left || at > view.right ? [] : nearest(view, view.x.value(at), event.clientY - corner.top);
    if (!lines.length) return leave();
    cross.setAttribute("d", `M${round(view.x(lines[0].at))} ${view.top}V${view.bottom}`);
    tip.replaceChildren(html("strong", {}, lines[0].head), ...lines.map(line => html("span", {}, swatch(line.trace), line.text)));
    tip.hidden = false;
    placeTip(tip, box, picture, at, view.top);
  });
  if (!view.figure.layout.time) return;
  brush(picture, view.x.value, (from, to) => {
    chosen.setAttribute("x", Math.min(from, to) || 0);
    chosen.setAttribute("width", Math.abs(to - from) || 0);
  });
}

// Puts a tip into the box, beside an instant of its picture. Pictures in SVG have no offset of their own to tell.
function placeTip(tip, box, picture, at, top) {
  const width = tip.offsetWidth, outer = box.getBoundingClientRect(), inner = picture.getBoundingClientRect();
  const left = at + 14 + width > box.clientWidth ? at - width - 14 : at + 14;
  tip.style.left = `${Math.max(0, inner.left - outer.left + left)}px`;
  tip.style.top = `${inner.top - outer.top + top}px`;
}

// The title of an axis as its quantity and its unit, with a space before it.
function quantity(axis) {
  const [, name, unit] = (axis?.title?.text ?? "").match(/^(.*?)(?: \(([^()]*)\))?$/s);
  return { name, unit: unit ? ` ${unit}` : "" };
}

// Of every series the value that is nearest in x, as far as it is as near as the nearest of all. Of several planes, one
// above the other, those of the one at the pointer's height.
function nearest({ planes, figure, x, categories }, wanted, height) {
  const away = ({ span: [high, low] }) => Math.max(high - height, height - low, 0);
  const { own, axis } = planes.reduce((best, each) => away(each) < away(best) ? each : best);
  const measured = quantity(axis), found = [];
  for (const trace of own) {
    const place = nearestPlace(trace, wanted);
    if (place !== null) found.push({ trace, at: trace.x[place], place });
  }
  const gap = Math.min(...found.map(each => Math.abs(each.at - wanted)));
  const near = found.filter(each => Math.abs(x(each.at) - x(wanted)) <= Math.abs(x(wanted + gap) - x(wanted)) + 6).slice(0, 12);
  const along = quantity(figure.layout.xaxis);
  return near.map(({ trace, at, place }) => {
    const spread = trace.low && trace.low[place] !== null ? ` (${numberText(trace.low[place])} to ${numberText(trace.high[place])})` : "";
    const note = trace.notes?.[place] ? `, ${trace.notes[place]}` : "";
    return {
      trace, at,
      head: categories ? categories[Math.round(at)] : `${along.name} ${numberText(at)}${along.unit}`,
      text: `${trace.name}${planes.length > 1 ? `, ${measured.name}` : ""}: ${numberText(trace.y[place])}${measured.unit}${spread}${note}`,
    };
  });
}

function nearestPlace(trace, wanted) {
  let best = null;
  trace.x.forEach((at, place) => {
    if (trace.y[place] === null || trace.y[place] === undefined) return;
    if (best === null || Math.abs(at - wanted) < Math.abs(trace.x[best] - wanted)) best = place;
  });
  return best;
}
