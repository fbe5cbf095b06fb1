// Draws every panel, and again when the window of time, the width of the page or its colours change.

const drawn = JSON.parse(document.getElementById("figures").textContent);
const redraws = [];

// The window of time is known before anything is drawn in it.
for (const panel of Object.values(drawn)) {
  if (panel.lanes) time.extend(...panel.lanes.span);
  for (const { layout } of panel.figures) if (layout.time) time.extend(...(layout.xaxis.autorangeoptions?.include ?? [0, 1]));
}

function drawPanel(article, panel) {
  if (panel.lanes) {
    const redraw = lanes(article, panel.lanes);
    redraw();
    return [{ redraw, isTimed: () => true }];
  }
  if (panel.variants) return [switched(article, panel)];
  if (panel.choices) return explorer(article, panel);
  return [...article.querySelectorAll(".figure")].map((box, index) => {
    const one = chart(box, panel.title);
    one.draw(panel.figures[index]);
    return one;
  });
}

for (const [name, panel] of Object.entries(drawn)) {
  for (const one of drawPanel(document.querySelector(`[data-panel="${name}"]`), panel)) {
    redraws.push(one.redraw);
    time.watch(() => { if (one.isTimed()) one.redraw(); });
  }
}
for (const box of document.querySelectorAll(".figure[tabindex]")) timeKeys(box);
document.querySelectorAll("table.sortable").forEach(sortable);
document.querySelectorAll("input.filter").forEach(filterable);

// Says which window is shown, beside figures over time: elsewhere it would only cover text.
const shown = document.getElementById("window"), inView = new Set();
const sayWindow = () => { shown.hidden = !time.isZoomed() || inView.size === 0; };
const seen = new IntersectionObserver(entries => {
  for (const entry of entries) entry.isIntersecting ? inView.add(entry.target) : inView.delete(entry.target);
  sayWindow();
});
for (const box of document.querySelectorAll(".figure, .lanes")) seen.observe(box);
time.watch(() => {
  const [from, to] = time.window();
  sayWindow();
  shown.querySelector("span").textContent = `${numberText(from, (to - from) / 100)} to ${numberText(to, (to - from) / 100)} s`;
});
shown.querySelector("button").addEventListener("click", time.reset);

// Of recordings of different lengths the page begins with all of the one that the lanes show.
const span = Object.values(drawn).find(panel => panel.lanes)?.lanes.span, whole = time.window();
if (span && span[1] - span[0] < 0.5 * (whole[1] - whole[0])) time.show(...span);

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  redraws.forEach(redraw => redraw());
});
for (const media of ["(prefers-color-scheme: dark)", "print"]) matchMedia(media).addEventListener("change", () => redraws.forEach(redraw => redraw()));
