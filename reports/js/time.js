// The window of time that all time axes of the page show: chosen by a brush on one of them, or by keys.

const time = (() => {
  const watchers = [];
  let full = null, shown = null;

  function show(from, to) {
    if (!full) return;
    const width = Math.max(to - from, 2e-6), whole = full[1] - full[0];
    if (width >= whole) shown = null;
    else {
      const start = Math.min(Math.max(from, full[0]), full[1] - width);
      shown = [start, start + width];
    }
    for (const watcher of watchers) watcher();
  }

  return {
    show,
    reset: () => show(...full),
    extend: (low, high) => { full = full ? [Math.min(full[0], low), Math.max(full[1], high)] : [low, high]; },
    watch: watcher => watchers.push(watcher),
    window: () => shown ?? full ?? [0, 1],
    isZoomed: () => shown !== null,
    // Zooms by a factor about an instant, which stays where it is.
    zoom: (factor, about) => {
      const [from, to] = shown ?? full, centre = about ?? (from + to) / 2;
      show(centre - (centre - from) * factor, centre + (to - centre) * factor);
    },
    pan: share => {
      const [from, to] = shown ?? full, by = (to - from) * share;
      show(from + by, to + by);
    },
  };
})();

// Keys on a focused figure: arrows move, plus and minus zoom, 0 or Home shows everything.
function timeKeys(element) {
  const actions = {
    ArrowLeft: () => time.pan(-0.2), ArrowRight: () => time.pan(0.2), "+": () => time.zoom(0.5), "=": () => time.zoom(0.5),
    "-": () => time.zoom(2), 0: () => time.reset(), Home: () => time.reset(),
  };
  element.addEventListener("keydown", event => {
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });
}

// A drag over an element chooses a window; a double click shows everything again.
// Args: toTime, from pixels in the element to time; mark, draws the chosen part or, without arguments, nothing.
function brush(element, toTime, mark) {
  let start = null;
  const at = event => event.clientX - element.getBoundingClientRect().left;
  element.addEventListener("pointerdown", event => {
    if (event.button !== 0 || event.pointerType === "touch") return;
    start = at(event);
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", event => { if (start !== null) mark(start, at(event)); });
  element.addEventListener("pointerup", event => {
    if (start === null) return;
    const end = at(event), [from, to] = [start, end].map(toTime).sort((a, b) => a - b);
    if (Math.abs(end - start) > 4) time.show(from, to);
    start = null;
    mark();
  });
  element.addEventListener("pointercancel", () => { start = null; mark(); });
  element.addEventListener("dblclick", () => time.reset());
}
