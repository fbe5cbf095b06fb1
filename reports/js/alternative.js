// What a figure says, in a sentence and as a table, for those who do not see it.

const ROWS = 60;

function sentence(figure) {
  const isBars = figure.data.some(trace => trace.type === "bar");
  if (!figure.data.length) return "Nothing is drawn: no value is known.";
  if (isBars) {
    const names = barNames(figure);
    const total = name => figure.data.reduce((sum, trace) => sum + (value(trace, name) ?? 0), 0);
    const top = names.slice(0, 3).map(name => `${name.replace("\n", " ")} ${numberText(total(name))}`);
    return `Bars of ${figure.layout.xaxis.title?.text ?? "values"} for ${names.length}: ${top.join(", ")}.`;
  }
  const texts = figure.data.slice(0, 4).map(trace => {
    const known = trace.y.filter(each => each !== null && each !== undefined), [low, high] = extent(known);
    return known.length ? `${trace.name} from ${numberText(low)} to ${numberText(high)}` : `${trace.name} unknown`;
  });
  const more = figure.data.length > 4 ? ` and ${figure.data.length - 4} more series` : "";
  return `${figure.data.length} series over ${figure.layout.xaxis.title?.text ?? "x"}: ${texts.join("; ")}${more}.`;
}

// A closed box with the numbers; its table is made when it is opened.
function table(figure, title) {
  const details = html("details", { class: "numbers" }, html("summary", {}, "Numbers of this figure"));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(numbers(figure, title));
  });
  return details;
}

function numbers(figure, title) {
  const isBars = figure.data.some(trace => trace.type === "bar");
  const [head, rows] = isBars ? barRows(figure) : seriesRows(figure);
  const line = (name, cells) => html("tr", {}, ...cells.map((cell, place) => html(name, place ? { class: "numeric" } : name === "th" ? { scope: "col" } : {}, cell)));
  const made = html("table", {}, html("caption", {}, title), html("thead", {}, line("th", head)), html("tbody", {}, ...rows.slice(0, ROWS).map(row => line("td", row))));
  return html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Numbers: ${title}` }, made);
}

function barRows(figure) {
  const names = barNames(figure);
  const rows = names.map(name => [name.replace("\n", " "), ...figure.data.map(trace => numberText(value(trace, name)))]);
  return [["Name", ...figure.data.map(trace => trace.name)], rows];
}

function seriesRows(figure) {
  const rows = figure.data.map(trace => {
    const known = trace.y.filter(each => each !== null && each !== undefined), [low, high] = extent(known);
    const mean = known.reduce((sum, each) => sum + each, 0) / known.length;
    return [trace.name, String(known.length), ...(known.length ? [low, mean, high].map(each => numberText(each)) : ["–", "–", "–"])];
  });
  return [["Series", "Points", "Least", "Mean", "Most"], rows];
}
