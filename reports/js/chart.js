// A figure in SVG: axes, series over x or horizontal bars, a crosshair with the values under the pointer.

const NARROW = 600; // pixels
const CHARACTER = 7.1; // width of a character of an axis label, pixels

// Draws a figure into a box and returns what draws it again.
function chart(box, title) {
  const hidden = new Set();
  let figure = null;
  const redraw = () => {
    if (!figure) return;
    const width = Math.max(box.clientWidth, 260);
    const drawn = figure.data.some(trace => trace.type === "bar") ? bars(figure, width, hidden) : plane(figure, width, hidden);
    drawn.setAttribute("role", "img");
    drawn.setAttribute("aria-label", `${title}. ${sentence(figure)}`);
    box.replaceChildren(...(figure.layout.showlegend === false ? [] : [legend(figure.data, hidden, redraw)]), drawn, table(figure, title));
    if (drawn.act) drawn.act(box);
  };
  return { draw: next => { figure = next; hidden.clear(); redraw(); }, redraw, isTimed: () => Boolean(figure?.layout.time) };
}

function visible(figure, hidden) {
  return figure.data.filter(trace => !hidden.has(trace.name));
}

// The axes of a layout by letter: yaxis, yaxis2, ...
function axesOf(layout, letter) {
  return Object.keys(layout).filter(key => key.startsWith(`${letter}axis`)).map(key => [key.replace("axis", ""), layout[key]]);
}

function yExtent(traces, axis, from, to) {
  if (axis.range) return axis.range;
  let low = axis.rangemode === "tozero" ? 0 : Infinity, high = -Infinity;
  for (const trace of traces) {
    trace.x.forEach((at, place) => {
      const value = trace.y[place];
      if (value === null || value === undefined || at < from || at > to) return;
      const base = trace.base?.[place] ?? 0, up = trace.error_y?.array[place] ?? 0, down = trace.error_y?.arrayminus?.[place] ?? up;
      low = Math.min(low, trace.low?.[place] ?? value + base - down);
      high = Math.max(high, trace.high?.[place] ?? value + base + up);
    });
  }
  if (low > high) return [0, 1];
  const room = (high - low) * 0.05 || Math.abs(high) * 0.1 || 1;
  return [low < 0 || axis.rangemode !== "tozero" ? low - room : low, high + room];
}

function plane(figure, width, hidden) {
  const { layout } = figure, traces = visible(figure, hidden), all = figure.data;
  const categories = layout.xaxis.type === "category" ? [...new Set(all.flatMap(trace => trace.x))] : null;
  const [from, to] = layout.time ? time.window() : categories ? [-0.5, categories.length - 0.5] : xExtent(all, layout.xaxis);
  const planes = axesOf(layout, "y").map(([name, axis]) => {
    const own = traces.filter(trace => (trace.yaxis ?? "y") === name).map(trace => shifted(trace, categories, traces));
    return { axis, own, range: yExtent(own, axis, from, to), domain: axis.domain ?? [0, 1] };
  });
  const labels = planes.flatMap(({ range, domain }) => labelled(ticks(...range, yTicks(layout.height, domain))));
  const left = Math.min(12 + Math.max(...labels.map(text => text.length)) * CHARACTER + (layout.wordless ? 0 : 18), width / 3);
  const slanted = categories && categories.some(name => name.length * CHARACTER > (width - left) / categories.length);
  const bottom = layout.height - (slanted ? 92 : 44), top = layout.events?.length ? 24 : 10;
  const x = scale(from, to, left, width - 12);
  const picture = svg("svg", { class: "plot", width, height: layout.height, viewBox: `0 0 ${width} ${layout.height}` });
  const clip = `clip-${plane.count = (plane.count ?? 0) + 1}`;
  picture.append(svg("clipPath", { id: clip }, svg("rect", { x: left, y: 0, width: width - 12 - left, height: layout.height })));
  for (const each of planes) {
    const high = bottom - each.domain[1] * (bottom - top), low = bottom - each.domain[0] * (bottom - top);
    each.y = scale(each.range[0], each.range[1], low, high);
    each.span = [high, low];
    picture.append(yAxis(each, left, width - 12, layout.height));
    const group = svg("g", { "clip-path": `url(#${clip})` });
    for (const trace of each.own) drawSeries(group, trace, x, each.y);
    picture.append(group);
  }
  picture.append(categories ? categoryAxis(categories, x, bottom, slanted) : xAxis(from, to, x, bottom, left, width));
  picture.append(svg("text", { class: "title", x: (left + width - 12) / 2, y: layout.height - 6, "text-anchor": "middle" }, layout.xaxis.title?.text ?? ""));
  for (const event of layout.events ?? []) if (event.x >= from && event.x <= to) picture.append(eventMark(event, x(event.x), top, bottom));
  for (const note of layout.annotations ?? []) {
    picture.append(svg("text", { x: (left + width) / 2, y: (top + bottom) / 2, "text-anchor": "middle" }, note.text));
  }
  picture.act = box => interact(box, picture, { figure, planes, x, left, right: width - 12, top, bottom, categories });
  return picture;
}

const yTicks = (height, domain) => Math.max(2, Math.round(height * (domain[1] - domain[0]) / 55));

function xExtent(traces, axis) {
  if (axis.range) return axis.range;
  const [low, high] = extent(traces.flatMap(trace => trace.x));
  const include = axis.autorangeoptions?.include ?? [];
  const ends = [Math.min(low, ...include, axis.rangemode === "tozero" ? 0 : Infinity), Math.max(high, ...include)];
  const room = (ends[1] - ends[0]) * 0.03 || 1;
  return [ends[0] === 0 ? 0 : ends[0] - room, ends[1] + room];
}

// Of categories the places beside each other, so that the series of one category do not cover each other.
function shifted(trace, categories, traces) {
  if (!categories) return trace;
  const count = traces.length, step = 0.7 / Math.max(count, 1), place = traces.indexOf(trace);
  return { ...trace, x: trace.x.map(name => categories.indexOf(name) + (place - (count - 1) / 2) * step) };
}

const labelled = values => values.map(value => numberText(value, values[1] - values[0]));

function yAxis({ axis, y, range, span, domain }, left, right, height) {
  const group = svg("g", { class: "axis" }), values = ticks(...range, yTicks(height, domain)), texts = labelled(values);
  values.forEach((value, place) => {
    const at = round(y(value));
    group.append(svg("path", { class: "grid", d: `M${left} ${at}H${right}` }));
    group.append(svg("text", { x: left - 6, y: at + 4, "text-anchor": "end" }, texts[place]));
  });
  const middle = (span[0] + span[1]) / 2;
  group.append(svg("text", { class: "title", x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, axis.title?.text ?? ""));
  return group;
}

// Up to five closer together, so that a narrow figure has more than two.
const xTicks = width => Math.max(2, Math.min(5, Math.floor(width / 60)), Math.floor(width / 90));

function xAxis(from, to, x, bottom, left, width) {
  const group = svg("g", { class: "axis" }), values = ticks(from, to, xTicks(width - left)), texts = labelled(values);
  group.append(svg("path", { class: "base", d: `M${left} ${bottom}H${width - 12}` }));
  values.forEach((value, place) => {
    const at = round(x(value));
    group.append(svg("path", { class: "base", d: `M${at} ${bottom}v5` }));
    group.append(svg("text", { x: at, y: bottom + 18, "text-anchor": "middle" }, texts[place]));
  });
  return group;
}

function categoryAxis(categories, x, bottom, slanted) {
  const group = svg("g", { class: "axis" });
  categories.forEach((name, place) => {
    const at = round(x(place)), text = name.length > 16 ? `${name.slice(0, 15)}…` : name;
    const turned = slanted ? { "text-anchor": "end", transform: `rotate(-40 ${at} ${bottom + 14})` } : { "text-anchor": "middle" };
    group.append(svg("text", { x: at, y: bottom + 16, ...turned }, text));
  });
  return group;
}

function eventMark(event, at, top, bottom) {
  const group = svg("g", { class: "event" }, svg("title", {}, event.text));
  group.append(svg("path", { d: `M${round(at)} ${top}V${bottom}` }), svg("path", { class: "flag", d: `M${round(at)} ${top}l-5 -9h10z` }));
  return group;
}
