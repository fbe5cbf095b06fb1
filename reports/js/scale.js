// Scales of axes: round ticks, numbers in words, positions in pixels.

// Values of ticks between two ends at a step of 1, 2 or 5 times a power of ten.
function ticks(low, high, most) {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  const power = 10 ** Math.floor(Math.log10(span / most));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(width => span / width <= most);
  const first = Math.ceil(low / step - 1e-9);
  const found = [];
  for (let place = first; place * step <= high + step * 1e-9; place++) found.push(Number((place * step).toPrecision(12)));
  return found;
}

// A number with at most four significant digits, and those that tell it from its neighbours one step away.
function numberText(value, step) {
  if (value === null || value === undefined || Number.isNaN(value)) return "unknown";
  if (step) {
    const digits = Math.min(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), 9);
    return Math.abs(value) >= 1e6 ? value.toExponential(2) : value.toFixed(digits);
  }
  const size = Math.abs(value);
  if (size >= 1e9 || (size > 0 && size < 1e-4)) return value.toExponential(3);
  return size >= 1000 ? Math.round(value).toLocaleString("en").replaceAll(",", "\u202f") : String(Number(value.toPrecision(4)));
}

// From a value to its position and back.
function scale(low, high, from, to) {
  const span = high - low || 1;
  const position = value => from + (value - low) / span * (to - from);
  position.value = at => low + (at - from) / (to - from || 1) * span;
  return position;
}

// Lowest and highest of many values; nulls do not count.
function extent(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (value === null || value === undefined) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? [0, 1] : [low, high];
}
