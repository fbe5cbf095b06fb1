// Tables: sorted by a click on a head, filtered by a text. What a row has to say at length is in a row below it.

const below = row => row.nextElementSibling?.matches(".more") ? [row.nextElementSibling] : [];

function sortable(table) {
  const heads = [...table.querySelectorAll("th")];
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const numeric = head.classList.contains("numeric");
    const down = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") === "ascending" : numeric;
    const key = row => row.cells[column].dataset.sort;
    const compare = (a, b) => numeric ? Number(key(a)) - Number(key(b)) : key(a).localeCompare(key(b));
    const rows = [...table.tBodies[0].querySelectorAll("tr:not(.more)")];
    const together = new Map(rows.map(row => [row, [row, ...below(row)]]));
    // Unknown values are sorted last in both directions.
    rows.sort((a, b) => (key(a) === "") - (key(b) === "") || (down ? compare(b, a) : compare(a, b)));
    table.tBodies[0].append(...rows.flatMap(row => together.get(row)));
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
  }));
}

function filterable(input) {
  const rows = [...input.closest("article").querySelectorAll("table.sortable tbody tr:not(.more)")];
  const texts = rows.map(row => [row, ...below(row)].map(each => each.textContent.toLowerCase()).join(" "));
  const count = input.closest("article").querySelector(".count");
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, place) => {
      row.hidden = !words.every(word => texts[place].includes(word));
      below(row).forEach(more => { more.hidden = row.hidden; });
      shown += row.hidden ? 0 : 1;
    });
    count.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
  });
}
