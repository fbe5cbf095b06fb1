// The legend: a row of buttons above the figure, so that it covers nothing; each hides and shows its series.

function legend(traces, hidden, redraw) {
  const names = [...new Set(traces.filter(trace => trace.showlegend !== false).map(trace => trace.name))];
  const items = names.map(name => {
    const trace = traces.find(each => each.name === name);
    const button = html("button", { type: "button", "aria-pressed": String(!hidden.has(name)) }, swatch(trace), html("span", { class: "legendtext" }, name));
    button.addEventListener("click", () => {
      if (!hidden.delete(name)) hidden.add(name);
      button.setAttribute("aria-pressed", String(!hidden.has(name)));
      redraw();
    });
    return html("li", {}, button);
  });
  return html("ul", { class: "legend", "aria-label": "Series; press to hide or show" }, ...items);
}

// A sample of a series: its colour with its dash or marker.
function swatch(trace) {
  const colour = seriesColour(trace), picture = svg("svg", { width: 26, height: 12, "aria-hidden": "true" });
  if (trace.type === "bar" || trace.base) picture.append(svg("rect", { x: 6, y: 1, width: 12, height: 10, fill: colour }));
  else {
    const mode = trace.mode ?? "lines", dash = DASHES[trace.line?.dash] ?? "";
    if (mode.includes("lines")) picture.append(svg("path", { d: "M1 6H25", stroke: colour, "stroke-width": 2, "stroke-dasharray": dash || null }));
    if (mode.includes("markers")) picture.append(svg("path", { d: symbolPath(trace, 13, 6, 4), fill: colour }));
  }
  return picture;
}
