// The values under the pointer, and the brush of time axes.

function interact(box, picture, view) {
  const tip = html("div", { class: "tip", hidden: "", "aria-hidden": "true" });
  const cross = svg("path", { class: "cross" }), chosen = svg("rect", { class: "chosen", y: view.top, height: view.bottom - view.top });
  picture.append(chosen, cross);
  box.append(tip);
  const leave = () => { tip.hidden = true; cross.setAttribute("d", ""); };
  picture.addEventListener("pointerleave", leave);
  picture.addEventListener("pointermove", event => {
    const at = event.clientX - picture.getBoundingClientRect().left;
    const lines = at < view.left || at > view.right ? [] : nearest(view, view.x.value(at));
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

// Of every series the value that is nearest in x, as far as it is as near as the nearest of all.
function nearest({ planes, figure, x, categories }, wanted) {
  const found = [];
  for (const { own } of planes) {
    for (const trace of own) {
      const place = nearestPlace(trace, wanted);
      if (place !== null) found.push({ trace, at: trace.x[place], place });
    }
  }
  const gap = Math.min(...found.map(each => Math.abs(each.at - wanted)));
  const near = found.filter(each => Math.abs(x(each.at) - x(wanted)) <= Math.abs(x(wanted + gap) - x(wanted)) + 6).slice(0, 12);
  const unit = figure.layout.xaxis.title?.text ?? "";
  return near.map(({ trace, at, place }) => {
    const spread = trace.low && trace.low[place] !== null ? ` (${numberText(trace.low[place])} to ${numberText(trace.high[place])})` : "";
    const note = trace.notes?.[place] ? `, ${trace.notes[place]}` : "";
    return {
      trace, at,
      head: categories ? categories[Math.round(at)] : `${unit.replace(/ \(.*/, "")} ${numberText(at)}`,
      text: `${trace.name}: ${numberText(trace.y[place])}${spread}${note}`,
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
