// How series are drawn: lines, areas, bands, points and whiskers in SVG.

const DASHES = { solid: "", dash: "7 4", dot: "2 3", dashdot: "8 3 2 3", longdash: "12 4" };
const SYMBOLS = {
  circle: (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  diamond: (x, y, r) => `M${x} ${y - 1.3 * r}l${1.3 * r} ${1.3 * r}l${-1.3 * r} ${1.3 * r}l${-1.3 * r} ${-1.3 * r}z`,
  square: (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  "triangle-up": (x, y, r) => `M${x} ${y - 1.2 * r}l${1.2 * r} ${2.2 * r}h${-2.4 * r}z`,
};

const ALONE = 3.2; // radius of a point that no line joins, pixels

const round = value => Math.round(value * 10) / 10;

function seriesColour(trace) {
  return trace.line?.color ?? trace.marker?.color ?? "currentColor";
}

function symbolPath(trace, x, y, r) {
  return (SYMBOLS[trace.marker?.symbol] ?? SYMBOLS.circle)(round(x), round(y), r);
}

// The path of a line; it is broken at unknown values.
function linePath(xs, ys, x, y) {
  let path = "", pen = "M";
  for (let place = 0; place < xs.length; place++) {
    if (ys[place] === null || ys[place] === undefined) { pen = "M"; continue; }
    path += `${pen}${round(x(xs[place]))} ${round(y(ys[place]))}`;
    pen = "L";
  }
  return path;
}

// The area between two lines over the same x; a point alone has as much of it to either side, in pixels, as given.
function areaPath(xs, lows, highs, x, y, alone = 0) {
  let path = "";
  for (let from = 0; from < xs.length; from++) {
    if (lows[from] === null || highs[from] === null) continue;
    let to = from;
    while (to + 1 < xs.length && lows[to + 1] !== null && highs[to + 1] !== null) to++;
    const top = [], bottom = [], wider = from === to ? [-alone, alone] : [0];
    for (let place = from; place <= to; place++) {
      for (const by of wider) {
        top.push(`${round(x(xs[place]) + by)} ${round(y(highs[place]))}`);
        bottom.unshift(`${round(x(xs[place]) + by)} ${round(y(lows[place]))}`);
      }
    }
    path += `M${top.join("L")}L${bottom.join("L")}z`;
    from = to;
  }
  return path;
}

function drawSeries(group, trace, x, y) {
  const colour = seriesColour(trace), xs = trace.x, ys = trace.y;
  if (trace.low) group.append(svg("path", { class: "band", d: areaPath(xs, trace.low, trace.high, x, y, ALONE), fill: colour }));
  if (trace.base) {
    const tops = ys.map((value, place) => (value === null ? null : trace.base[place] + value));
    group.append(svg("path", { class: "trace area", d: areaPath(xs, trace.base, tops, x, y), fill: colour, stroke: colour }));
    return;
  }
  const mode = trace.mode ?? "lines";
  if (mode.includes("lines")) {
    const dash = DASHES[trace.line?.dash] ?? "";
    group.append(svg("path", {
      class: "trace line", d: linePath(xs, ys, x, y), stroke: colour, "stroke-width": trace.line?.width ?? 1.6, "stroke-dasharray": dash || null,
    }));
  }
  if (trace.error_y || trace.error_x) group.append(whiskers(trace, x, y, colour));
  if (mode.includes("markers")) {
    const size = (trace.marker?.size ?? 5) / 2, isKnown = place => ys[place] !== null && ys[place] !== undefined;
    const known = xs.map((_, place) => place).filter(isKnown);
    // A point without a line to either side is told apart by its symbol alone, so that has to be seen.
    const radius = place => (!mode.includes("lines") || isKnown(place - 1) || isKnown(place + 1) ? size : Math.max(size, ALONE));
    const path = known.map(place => symbolPath(trace, x(xs[place]), y(ys[place]), radius(place))).join("");
    group.append(svg("path", { class: "trace point", d: path, fill: colour }));
  }
}

function whiskers(trace, x, y, colour) {
  let path = "";
  trace.x.forEach((value, place) => {
    const at = trace.y[place];
    if (at === null) return;
    const up = trace.error_y?.array[place], down = trace.error_y?.arrayminus?.[place] ?? up;
    if (up || down) path += `M${round(x(value))} ${round(y(at - down))}V${round(y(at + up))}m-4 0h8M${round(x(value) - 4)} ${round(y(at - down))}h8`;
    const wide = trace.error_x?.array[place];
    if (wide) path += `M${round(x(value - wide))} ${round(y(at))}H${round(x(value + wide))}`;
  });
  return svg("path", { class: "whisker", d: path, stroke: colour });
}
