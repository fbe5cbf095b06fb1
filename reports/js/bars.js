// Horizontal bars, stacked by part; names stand to the left, in full in the tooltip.

const BAR = 24; // pixels from bar to bar

function bars(figure, width, hidden) {
  const traces = visible(figure, hidden), names = barNames(figure);
  const lines = Math.max(1, ...names.map(name => name.split("\n").length));
  const step = BAR + 14 * (lines - 1), height = names.length * step + 50;
  const longest = Math.max(...names.flatMap(name => name.split("\n").map(textWidth)));
  const left = Math.min(longest + 14, width * 0.46);
  const totals = names.map(name => traces.reduce((sum, trace) => sum + (value(trace, name) ?? 0), 0));
  const high = figure.layout.xaxis.range?.[1] ?? (Math.max(...totals, 0) * 1.04 || 1);
  const note = name => traces.map(trace => trace.notes?.[trace.y.indexOf(name)]).find(Boolean) ?? "";
  const right = width - 14 - Math.max(0, ...names.map(name => textWidth(note(name)) + 8));
  const x = scale(0, high, left, right), bottom = names.length * step + 6;
  const picture = svg("svg", { class: "plot bars", width, height, viewBox: `0 0 ${width} ${height}` });
  const marks = ticks(0, high, Math.max(2, Math.floor((right - left) / 90)));
  for (const at of marks) {
    picture.append(svg("path", { class: "grid", d: `M${round(x(at))} 4V${bottom}` }));
    picture.append(svg("text", { x: round(x(at)), y: bottom + 16, "text-anchor": "middle" }, numberText(at, marks[1])));
  }
  names.forEach((name, place) => {
    const top = place * step + 6, texts = name.split("\n");
    texts.forEach((text, line) => {
      const label = svg("text", { x: left - 6, y: top + step / 2 + 4 + (line - (texts.length - 1) / 2) * 14, "text-anchor": "end" }, fitted(text, left - 12));
      label.append(svg("title", {}, name.replace("\n", " ")));
      picture.append(label);
    });
    let sum = 0;
    for (const trace of traces) {
      const length = value(trace, name);
      if (!length) continue;
      const part = svg("rect", { class: "trace point", x: round(x(sum)), y: top + 3, width: Math.max(round(x(sum + length) - x(sum)), 0.5), height: step - 6, fill: seriesColour(trace) });
      part.append(svg("title", {}, `${name.replace("\n", " ")} · ${trace.name}: ${numberText(length)}`));
      picture.append(part);
      sum += length;
    }
    if (note(name)) picture.append(svg("text", { class: "note", x: x(sum) + 6, y: top + step / 2 + 4 }, note(name)));
  });
  picture.append(svg("text", { class: "title", x: (left + right) / 2, y: height - 4, "text-anchor": "middle" }, figure.layout.xaxis.title?.text ?? ""));
  return picture;
}

// Names of the bars from top to bottom.
function barNames(figure) {
  return figure.layout.order ?? [...new Set(figure.data.flatMap(trace => trace.y))];
}

function value(trace, name) {
  const place = trace.y.indexOf(name);
  return place < 0 ? null : trace.x[place];
}
