// Panels in which the reader chooses what is drawn: a figure of several, or the link and view of estimates.

// Panels with named figures: one is shown at a time.
function switched(article, panel) {
  const pickers = [...article.querySelectorAll("[data-switch]")];
  const drawn = chart(article.querySelector(".figure"), panel.title);
  const redraw = () => drawn.draw(panel.figures[panel.variants[pickers.map(picker => picker.value).join("|")]]);
  pickers.forEach(picker => picker.addEventListener("change", redraw));
  redraw();
  return drawn;
}

// Points of one value against another of the same trace.
function points(view, value, other) {
  return view.traces.filter(trace => trace[value]).map(trace => ({
    type: "scatter", mode: "markers", name: trace.name, x: trace[other], y: trace[value], marker: { color: trace.color, symbol: trace.symbol, size: 5 },
  }));
}

// The lines of one value (capacity_mbps, available_mbps) over time in the chosen view.
function lines(view, value, all) {
  return view.traces.filter(trace => trace[value] && (all || !trace.other)).map(trace => ({
    type: "scatter", mode: "lines+markers", name: trace.name, x: trace.x, y: trace[value], low: trace[`${value}_low`], high: trace[`${value}_high`],
    notes: trace.exchanges?.map(count => (count === null ? "" : `${count} samples`)),
    line: { color: trace.color, dash: trace.dash, width: 1.75 }, marker: { color: trace.color, symbol: trace.symbol, size: 4 },
  }));
}

function explorer(article, { figures, choices, title }) {
  const link = article.querySelector("[data-pick=link]"), view = article.querySelector("[data-pick=view]"), all = article.querySelector("[data-pick=all]");
  const charts = [...article.querySelectorAll(".figure")].map(box => chart(box, title));
  const redraw = () => {
    const chosen = choices.links[link.value].views[view.value];
    charts.forEach((drawn, index) => {
      const value = choices.values[index], other = choices.against?.[value];
      const data = other ? points(chosen, value, other) : lines(chosen, value, all?.checked ?? true);
      drawn.draw({ data, layout: { ...figures[index].layout, annotations: data.length ? [] : [{ text: "no value in any window" }] } });
    });
  };
  const offer = () => { options(view, choices.links[link.value].views.map(entry => entry.label)); redraw(); };
  options(link, choices.links.map(entry => entry.label));
  link.addEventListener("change", offer);
  view.addEventListener("change", redraw);
  all?.addEventListener("change", redraw);
  offer();
  return charts;
}
