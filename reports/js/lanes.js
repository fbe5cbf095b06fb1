// Swim lanes: stations as lanes, exchanges as bars on the time axis that all figures share, drawn on a canvas.
//
// Over the whole recording each lane shows the share of time per bin. In the spells whose exchanges are in the page
// every exchange is drawn, and once there is room the frames of each.

const LANE = 20, HEAD = 6, FOOT = 34; // pixels
const EXCHANGE_ROOM = 60; // pixels of a spell from which on its exchanges are drawn
const FRAMES = ["RTS", "CTS", "DATA", "ACK"]; // the third as its class has it: a beacon is no data

function lanes(article, data) {
  const box = article.querySelector(".lanes"), canvas = box.querySelector("canvas"), fields = article.querySelector(".fields");
  const state = { selected: null, hits: [] };
  const shares = octets(data.shares), kinds = octets(data.kinds);
  const spells = data.spells.map(spell => unpacked(spell, data.classes));

  const redraw = () => {
    const view = { data, shares, kinds, spells, state, width: Math.max(box.clientWidth, 260), window: time.window() };
    view.left = Math.min(230, view.width * 0.3);
    view.x = scale(...view.window, view.left, view.width - 8);
    state.view = view;
    drawLanes(canvas, view);
  };
  const select = exchange => {
    state.selected = exchange;
    fields.replaceChildren(...(exchange ? describe(exchange, data) : []));
    redraw();
  };
  const step = by => {
    const [from, to] = time.window();
    const inside = spells.flatMap(spell => spell.exchanges).filter(each => each.end >= from && each.start <= to);
    const place = inside.indexOf(state.selected);
    if (inside.length) select(inside[(place < 0 ? (by > 0 ? 0 : inside.length - 1) : place + by + inside.length) % inside.length]);
  };
  const closer = () => {
    const one = state.selected ?? spells[0]?.exchanges[0];
    if (!one) return;
    const room = (one.end - one.start) * 0.15;
    time.show(one.start - room, one.end + room);
  };
  const actions = { whole: time.reset, closer: () => time.zoom(0.4), wider: () => time.zoom(2.5), before: () => step(-1), after: () => step(1), exchange: closer };
  for (const button of article.querySelectorAll("[data-act]")) button.addEventListener("click", actions[button.dataset.act]);
  const spell = article.querySelector("[data-pick=spell]");
  options(spell, ["the whole recording", ...data.spells.map(each => each.name)]);
  spell.addEventListener("change", () => {
    const chosen = data.spells[spell.value - 1];
    if (chosen) time.show(chosen.from, chosen.to); else time.reset();
  });
  timeKeys(box);
  box.addEventListener("keydown", event => {
    if (event.key === "n") step(1);
    if (event.key === "p") step(-1);
    if (event.key === "Enter") closer();
  });
  box.addEventListener("wheel", event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    time.zoom(event.deltaY > 0 ? 1.3 : 1 / 1.3, state.view.x.value(event.offsetX));
  }, { passive: false });
  const under = event => state.hits.findLast(each => event.offsetX >= each.x - 2 && event.offsetX <= each.x + each.width + 2 && event.offsetY >= each.y && event.offsetY <= each.y + LANE);
  canvas.addEventListener("click", event => {
    const hit = under(event);
    if (hit) select(hit.exchange);
  });
  const tip = html("div", { class: "tip", hidden: "", "aria-hidden": "true" });
  box.append(tip);
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("pointermove", event => {
    const hit = under(event);
    tip.hidden = !hit || state.marked;
    if (tip.hidden) return;
    const [[, head], ...facts] = factsOf(hit.exchange, data);
    tip.replaceChildren(html("strong", {}, head), ...facts.map(([label, text]) => html("span", {}, `${label}: ${text}`)));
    placeTip(tip, box, canvas, event.offsetX, hit.y + LANE + 4);
  });
  brush(canvas, at => state.view.x.value(at), (from, to) => { state.marked = from === undefined ? null : [from, to]; redraw(); });
  return redraw;
}

const octets = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));

// The exchanges of a spell from its columns: times in tenths of a microsecond, each start counted from the one before.
function unpacked(spell, classes) {
  let start = 0;
  const exchanges = spell.start.map((delta, place) => {
    start += delta;
    const cell = name => spell[name][place];
    const at = spell.from + start / 1e7;
    const frames = FRAMES.map((name, number) => ({ name: name === "DATA" ? classes[cell("class")].frame : name, from: spell.frames[place * 8 + number * 2], length: spell.frames[place * 8 + number * 2 + 1] }));
    return {
      start: at, end: at + cell("length") / 1e7, lane: cell("lane"), sender: cell("sender"), receiver: cell("receiver"), kind: cell("class"), number: cell("number"),
      rate: cell("rate"), bytes: cell("bytes"), mpdus: cell("mpdus"), attempt: cell("attempt"), complete: cell("complete"), seq: cell("seq"),
      frames: frames.filter(frame => frame.length > 0), spell,
    };
  });
  return { from: spell.from, to: spell.to, exchanges };
}

function drawLanes(canvas, view) {
  const { data, width, left } = view, height = HEAD + data.lanes.length * LANE + FOOT, ratio = window.devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  const pen = canvas.getContext("2d"), style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue(name).trim();
  Object.assign(view, { pen, colour, bottom: height - FOOT });
  pen.scale(ratio, ratio);
  pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  view.state.hits = [];
  data.lanes.forEach((lane, row) => {
    pen.fillStyle = row % 2 ? colour("--card") : colour("--stripe");
    pen.fillRect(0, top(row), width, LANE);
    pen.fillStyle = colour("--ink");
    pen.fillText(fitted(lane, left - 8), 2, top(row) + 14);
  });
  pen.save();
  pen.beginPath();
  pen.rect(left, 0, width - 8 - left, height);
  pen.clip();
  overview(view);
  for (const spell of view.spells) exchanges(view, spell);
  pen.restore();
  if (view.state.marked) {
    pen.fillStyle = colour("--bar");
    pen.fillRect(Math.min(...view.state.marked), 0, Math.abs(view.state.marked[1] - view.state.marked[0]), view.bottom);
  }
  axis(view, width);
}

const top = row => HEAD + row * LANE;

// Of each bin and lane a bar as high as the share of time, in the colour of what took most of it.
function overview({ data, shares, kinds, x, pen, window: [from, to] }) {
  const width = (data.span[1] - data.span[0]) / data.bins;
  const first = Math.max(0, Math.floor((from - data.span[0]) / width)), last = Math.min(data.bins - 1, Math.ceil((to - data.span[0]) / width));
  data.lanes.forEach((_, row) => {
    for (let bin = first; bin <= last; bin++) {
      const share = shares[row * data.bins + bin];
      if (!share) continue;
      const high = Math.max(1.5, Math.sqrt(share / 255) * (LANE - 4)), at = x(data.span[0] + bin * width);
      pen.fillStyle = data.classes[kinds[row * data.bins + bin]].color;
      pen.fillRect(at, top(row) + LANE - 2 - high, Math.max(x(data.span[0] + (bin + 1) * width) - at, 1), high);
    }
  });
}

function exchanges(view, spell) {
  const { x, pen, colour, state, window: [from, to] } = view, start = x(Math.max(spell.from, from)), end = x(Math.min(spell.to, to));
  if (spell.to < from || spell.from > to) return;
  pen.fillStyle = colour("--accent");
  pen.fillRect(start, view.bottom, Math.max(end - start, 2), 3);
  if (x(spell.to) - x(spell.from) < EXCHANGE_ROOM) return;
  view.data.lanes.forEach((_, row) => {
    pen.fillStyle = row % 2 ? colour("--card") : colour("--stripe");
    pen.fillRect(start, top(row), end - start, LANE);
  });
  for (const each of spell.exchanges) {
    if (each.end < from || each.start > to) continue;
    const at = x(each.start), width = Math.max(x(each.end) - at, 0.7), y = top(each.lane);
    state.hits.push({ x: at, y, width, exchange: each });
    pen.fillStyle = view.data.classes[each.kind].color;
    pen.globalAlpha = width > 40 && each.frames.length ? 0.3 : 1;
    pen.fillRect(at, y + 3, width, LANE - 6);
    pen.globalAlpha = 1;
    if (width > 40) drawFrames(view, each, y);
    if (!each.complete) {
      pen.fillStyle = colour("--bad");
      pen.fillRect(at, y + LANE - 4, Math.max(width, 1.5), 2);
    }
    if (each === state.selected) {
      pen.strokeStyle = colour("--ink");
      pen.lineWidth = 2;
      pen.strokeRect(at - 1, y + 1, width + 2, LANE - 2);
    }
  }
}

function drawFrames({ pen, x, data }, each, y) {
  for (const frame of each.frames) {
    const at = x(each.start + frame.from / 1e7), width = x(each.start + (frame.from + frame.length) / 1e7) - at;
    pen.fillStyle = data.classes[each.kind].color;
    pen.fillRect(at, y + 3, Math.max(width, 1), LANE - 6);
    if (width < pen.measureText(frame.name).width + 4) continue;
    pen.fillStyle = "#fff";
    pen.fillText(frame.name, at + 3, y + 14);
  }
}

function axis({ pen, colour, x, left, bottom, window: [from, to] }, width) {
  pen.fillStyle = pen.strokeStyle = colour("--faint");
  pen.textAlign = "center";
  const values = ticks(from, to, Math.max(2, Math.floor((width - left) / 110))), texts = labelled(values);
  values.forEach((at, place) => {
    pen.fillRect(x(at), bottom, 1, 6);
    pen.fillText(texts[place], Math.min(x(at), width - 4 - pen.measureText(texts[place]).width / 2), bottom + 18);
  });
  pen.fillText(to - from < 0.01 ? `Time (s); ${numberText((to - from) * 1e6)} µs shown` : "Time (s)", (left + width) / 2, bottom + 32);
  pen.textAlign = "start";
}

// The fields of an exchange and the times of its frames: names and texts.
function factsOf(one, data) {
  return [
    ["Exchange", `number ${one.number}, ${data.classes[one.kind].name}${one.complete ? "" : ", not answered"}`],
    ["Sender", one.sender < 0 ? "unknown" : data.names[one.sender]], ["Receiver", one.receiver < 0 ? "unknown" : data.names[one.receiver]],
    ["Start", `${one.start.toFixed(7)} s`], ["Duration", `${numberText((one.end - one.start) * 1e6)} µs`],
    ["Data rate", one.rate ? `${numberText(one.rate)} Mb/s` : "unknown"], ["Octets", one.bytes < 0 ? "unknown" : numberText(one.bytes)],
    ["MPDUs", numberText(one.mpdus)], ["Attempt", one.attempt > 0 ? String(one.attempt) : "unknown"], ["Sequence number", one.seq < 0 ? "none" : String(one.seq)],
    ...one.frames.map(frame => [frame.name, `${numberText(frame.from / 10)} to ${numberText((frame.from + frame.length) / 10)} µs after the start`]),
  ];
}

const describe = (one, data) => factsOf(one, data).flatMap(([label, text]) => [html("dt", {}, label), html("dd", {}, text)]);
