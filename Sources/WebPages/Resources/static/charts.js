// A chart beside each table of results, drawn from the table, which has all numbers and stays.
const Chart = globalThis.Chart;
const marks = 8;
// Longer labels stand whole in the table.
const longest = 28;

const look = () => getComputedStyle(document.documentElement);
const color = (name) => look().getPropertyValue("--" + name).trim();
const shorten = (text) => text.length > longest ? text.slice(0, longest - 1) + "…" : text;

// A name beside lying bars has half of their width at most, and would lose its beginning beyond.
function fitting(text, chart) {
  const pen = chart.ctx;
  pen.save();
  pen.font = `13px ${Chart.defaults.font.family}`;
  const room = (chart.width - 36) / 2 - 16;
  const letters = [...text];
  let said = shorten(text);
  for (let count = Math.min(letters.length, longest) - 2; count > 0 && pen.measureText(said).width > room; count -= 1) {
    said = letters.slice(0, count).join("").trimEnd() + "…";
  }
  pen.restore();
  return said;
}

// Lines that tell parts apart where colours do not.
const lines = [
  [], [[0, 8, 8, 0]], [[0, 4, 8, 4]], [[0, 0, 8, 8]], [[4, 0, 4, 8]], [[0, 4, 8, 4], [4, 0, 4, 8]],
  [[0, 0, 8, 8], [0, 8, 8, 0]], [[3, 4, 5, 4]],
];

function pattern(place, name = "mark-" + place % marks) {
  const ground = color(name);
  const strokes = lines[place % lines.length];
  if (!strokes.length) return ground;
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const pen = tile.getContext("2d");
  pen.fillStyle = ground;
  pen.fillRect(0, 0, 8, 8);
  pen.strokeStyle = color("card");
  pen.lineWidth = 1.5;
  for (const [x, y, toX, toY] of strokes) {
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(toX, toY);
    pen.stroke();
  }
  return pen.createPattern(tile, "repeat");
}

// The numbers of a table, with what they say in words.
function numbers(table, kind) {
  const rows = [...table.tBodies[0].rows];
  // What an end of a scale means has no room below its column.
  const labels = rows.map((row) => row.querySelector("th").firstChild.textContent.trim());
  if (kind !== "crosstab") {
    const counts = rows.map((row) => Number(row.dataset.count));
    const said = rows.map((row) => `${row.querySelector("th").textContent}: ${row.dataset.count} ${row.querySelector(".share").textContent}`);
    return { labels, series: [{ label: "", counts }], said: said.map((text) => text.trim()).join(", ") };
  }
  const heads = [...table.tHead.rows[1].cells].slice(1).map((cell) => cell.textContent);
  const series = heads.map((label, column) => {
    const cells = rows.map((row) => row.cells[column + 1]);
    return {
      label, counts: cells.map((cell) => Number(cell.dataset.count)), shares: cells.map((cell) => Number(cell.dataset.share)),
      texts: cells.map((cell) => cell.textContent),
    };
  });
  const said = labels.map((label, row) => `${label}: ${series.map((one) => `${one.label} ${one.texts[row]}`).join(", ")}`);
  return { labels, series, said: said.join("; ") };
}

function datasets(kind, labels, series, isGrouped) {
  const [{ counts }] = series;
  const edge = { borderColor: color("card"), borderWidth: 2 };
  if (kind === "stack") {
    return counts.map((count, place) => (
      { label: labels[place], data: [count], backgroundColor: pattern(place, "group-" + place), ...edge }));
  }
  if (kind === "crosstab") {
    return series.map((one, place) => (
      { label: one.label, data: one.shares, texts: one.texts, backgroundColor: pattern(place, isGrouped ? "group-" + place : undefined), maxBarThickness: 32, ...edge }));
  }
  if (kind === "doughnut") {
    // One part alone is a ring without a seam.
    const borderWidth = counts.filter((count) => count > 0).length > 1 ? edge.borderWidth : 0;
    return [{ data: counts, backgroundColor: counts.map((_, place) => pattern(place)), ...edge, borderWidth }];
  }
  return [{ data: counts, backgroundColor: color("bar"), borderRadius: 4, maxBarThickness: kind === "bars" ? 26 : 64 }];
}

// The number of each bar at its end.
const atTheEnd = {
  id: "atTheEnd",
  afterDatasetsDraw(chart) {
    const { ctx, options, data } = chart;
    if (chart.config.type !== "bar" || options.scales.x.stacked || data.datasets[0].texts) return;
    const isLying = options.indexAxis === "y";
    ctx.save();
    ctx.fillStyle = color("text");
    ctx.font = `600 13px ${Chart.defaults.font.family}`;
    ctx.textAlign = isLying ? "left" : "center";
    ctx.textBaseline = isLying ? "middle" : "bottom";
    chart.getDatasetMeta(0).data.forEach((bar, place) => {
      const { x, y } = bar.getProps(["x", "y"], true);
      ctx.fillText(data.datasets[0].data[place], isLying ? x + 6 : x, isLying ? y : y - 4);
    });
    ctx.restore();
  },
};

function options(kind, isWhole) {
  const isCrosstab = kind === "crosstab";
  // Shares of which one person can have several stand one beneath the other.
  const isStack = kind === "stack" || isCrosstab && isWhole;
  const isLying = kind === "bars" || isStack || isCrosstab;
  const legend = {
    display: isStack || isCrosstab || kind === "doughnut", position: "bottom",
    labels: {
      boxWidth: 16, boxHeight: 16, font: { size: 13 },
      generateLabels: (chart) => {
        const kindOf = Chart.overrides[chart.config.type]?.plugins?.legend ?? Chart.defaults.plugins.legend;
        return kindOf.labels.generateLabels(chart).map((entry) => ({ ...entry, text: shorten(entry.text ?? "") }));
      },
    },
  };
  const common = {
    responsive: true, maintainAspectRatio: false, plugins: { legend },
    animation: matchMedia("(prefers-reduced-motion: reduce)").matches ? false : { duration: 400 },
  };
  if (kind === "doughnut") return { ...common, cutout: "58%" };
  if (isCrosstab) common.plugins.tooltip = { callbacks: { label: ({ dataset, dataIndex }) => `${dataset.label}: ${dataset.texts[dataIndex]}` } };
  const values = {
    display: isCrosstab, beginAtZero: true, stacked: isStack, grace: isStack || isCrosstab ? 0 : "12%",
    grid: { display: isCrosstab, color: () => color("line"), drawBorder: false },
    ...(isCrosstab && { max: 100, ticks: { stepSize: 25, color: () => color("soft"), callback: (value) => `${value} %` } }),
  };
  const names = {
    display: kind !== "stack", stacked: isStack, grid: { display: false, drawBorder: kind !== "stack", borderColor: () => color("line") },
    ticks: { color: () => color("text"), autoSkip: false, font: { size: 13 }, callback(value) {
      const label = String(this.getLabelForValue(value));
      return isLying ? fitting(label, this.chart) : shorten(label);
    } },
  };
  return {
    ...common, indexAxis: isLying ? "y" : "x", layout: { padding: isLying && !isStack && !isCrosstab ? { right: 36 } : { top: 20 } },
    scales: isLying ? { x: values, y: names } : { x: names, y: values },
  };
}

function draw(place) {
  const table = place.parentElement.querySelector("table");
  const kind = place.dataset.kind;
  const { labels, series, said } = numbers(table, kind);
  const total = series.flatMap((one) => one.counts).reduce((sum, count) => sum + count, 0);
  let canvas = place.querySelector("canvas");
  if (canvas && place.dataset.drawn !== kind) {
    Chart.getChart(canvas).destroy();
    canvas.remove();
    canvas = null;
  }
  place.hidden = total === 0;
  place.parentElement.classList.toggle("charted", total > 0);
  if (total === 0 && !canvas) return;
  if (kind === "bars" || kind === "crosstab") {
    const bars = kind === "crosstab" && !place.dataset.whole ? Math.max(2.25, series.length) : 2.25;
    place.style.height = `${labels.length * bars + (kind === "bars" ? 1 : 6)}rem`;
  }
  const data = { labels: kind === "stack" ? [""] : labels, datasets: datasets(kind, labels, series, Boolean(place.dataset.groups)) };
  if (canvas) {
    const chart = Chart.getChart(canvas);
    chart.data.labels = data.labels;
    // Those that are there move to their new numbers.
    data.datasets.forEach((dataset, index) => {
      chart.data.datasets[index] = Object.assign(chart.data.datasets[index] ?? {}, dataset);
    });
    chart.data.datasets.length = data.datasets.length;
    chart.update();
  } else {
    canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    place.replaceChildren(canvas);
    place.dataset.drawn = kind;
    const type = kind === "doughnut" ? "doughnut" : "bar";
    new Chart(canvas, { type, data, options: options(kind, Boolean(place.dataset.whole)), plugins: [atTheEnd] });
  }
  canvas.setAttribute("aria-label", said);
}

function drawAll() {
  Chart.defaults.font.family = look().fontFamily;
  Chart.defaults.color = color("text");
  Chart.defaults.borderColor = color("line");
  document.querySelectorAll(".chart").forEach(draw);
}

if (Chart) {
  drawAll();
  document.addEventListener("renewed", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
}
