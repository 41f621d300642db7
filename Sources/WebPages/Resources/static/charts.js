// Draws a chart for each table of results, from the numbers in the table. The table stays on the page. Where it only
// repeats the chart, it is folded, with a button that shows it.
const Chart = globalThis.Chart;
const patternCount = 8;
// Longer labels are shortened in charts. The table has the full labels.
const maxLabelLength = 28;

const rootStyle = () => getComputedStyle(document.documentElement);
const color = (name) => rootStyle().getPropertyValue("--" + name).trim();
const shorten = (text) => text.length > maxLabelLength ? text.slice(0, maxLabelLength - 1) + "…" : text;

// Shortens the label of a horizontal bar to half of the chart's width. The chart library would cut off the beginning
// of a longer label.
function fitLabel(text, chart) {
  const pen = chart.ctx;
  pen.save();
  pen.font = `13px ${Chart.defaults.font.family}`;
  const available = (chart.width - 36) / 2 - 16;
  const characters = [...text];
  let label = shorten(text);
  const isTooWide = () => pen.measureText(label).width > available;
  for (let count = Math.min(characters.length, maxLabelLength) - 2; count > 0 && isTooWide(); count -= 1) {
    label = characters.slice(0, count).join("").trimEnd() + "…";
  }
  pen.restore();
  return label;
}

// Lines on the parts of a chart, for people who cannot distinguish the colours. Each line goes from x, y to x, y.
const lines = [
  [], [[0, 8, 8, 0]], [[0, 4, 8, 4]], [[0, 0, 8, 8]], [[4, 0, 4, 8]], [[0, 4, 8, 4], [4, 0, 4, 8]],
  [[0, 0, 8, 8], [0, 8, 8, 0]], [[3, 4, 5, 4]],
];

function pattern(index, name = "mark-" + index % patternCount) {
  const background = color(name);
  const strokes = lines[index % lines.length];
  if (!strokes.length) return background;
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const pen = tile.getContext("2d");
  pen.fillStyle = background;
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

// A step of one colour, for the values of a scale: the highest is the darkest in light mode and the brightest in dark.
function shade(index, count) {
  const channels = (name) => color(name).match(/[0-9a-f]{2}/gi).map((pair) => parseInt(pair, 16));
  const [from, to] = [channels("card"), channels("bar")];
  const part = count > 1 ? 0.2 + 0.8 * index / (count - 1) : 1;
  return `rgb(${to.map((channel, place) => Math.round(from[place] + (channel - from[place]) * part)).join(" ")})`;
}

// The places of the parts of a grid's bars in percent, diverging from the middle of the scale, as R. M. Heiberger and
// N. B. Robbins describe them. A middle that is apart begins to the right of all bars.
function spans(series, arrangement) {
  const count = series.length;
  const half = Math.floor(count / 2);
  const middle = count % 2 ? half : -1;
  const rows = series[0].shares.map((_, row) => series.map((one) => one.shares[row]));
  const sum = (shares) => shares.reduce((total, share) => total + share, 0);
  const apart = arrangement === "aside" ? Math.max(...rows.map((shares) => sum(shares.slice(count - half)))) + 6 : null;
  return rows.map((shares) => {
    let end = arrangement === "stacked" ? 0 : -sum(shares.slice(0, half));
    if (arrangement === "split" && middle >= 0) end -= shares[middle] / 2;
    return shares.map((share, index) => {
      if (apart !== null && index === middle) return [apart, apart + share];
      const start = end;
      end += share;
      return [start, end];
    });
  });
}

// The colour of a point of a grid's scale: one below its middle and another above it, the ends the strongest.
function gridColor(index, count) {
  const channels = (name) => color(name).match(/[0-9a-f]{2}/gi).map((pair) => parseInt(pair, 16));
  const place = 2 * index + 1 - count;
  const to = channels(place === 0 ? "group-1" : place < 0 ? "mark-1" : "mark-0");
  const part = place === 0 ? 0.45 : 0.35 + 0.65 * Math.abs(place) / (count - 1);
  const from = channels("card");
  return `rgb(${to.map((channel, at) => Math.round(from[at] + (channel - from[at]) * part)).join(" ")})`;
}

const choicesOf = (container) => container.parentElement.parentElement.querySelector(".grid-choices");
const chosen = (container, name) => choicesOf(container)?.querySelector(`[data-choice=${name}]`).value;

// The rows of a grid's table, in the chosen order: by agreement, most answers above the middle first, then fewest below.
function gridRows(container, rows) {
  if (chosen(container, "order") !== "agreement") return rows;
  const key = (row) => {
    const shares = [...row.querySelectorAll("[data-share]")].map((cell) => Number(cell.dataset.share));
    const half = Math.floor(shares.length / 2);
    const sum = (part) => part.reduce((total, share) => total + share, 0);
    return [sum(shares.slice(shares.length - half)), -sum(shares.slice(0, half))];
  };
  const keys = new Map(rows.map((row) => [row, key(row)]));
  return [...rows].sort((one, other) => keys.get(other)[0] - keys.get(one)[0] || keys.get(other)[1] - keys.get(one)[1]);
}

// The numbers of a table, and its values in the order of the table: each as a sentence, with its place in the chart.
function numbers(table, kind, container) {
  const isGrid = kind === "grid";
  const rows = isGrid ? gridRows(container, [...table.tBodies[0].rows]) : [...table.tBodies[0].rows];
  // The first text of a heading is the value. The meaning of a lowest or highest value has no room in the chart.
  const labels = rows.map((row) => row.querySelector("th").firstChild.textContent.trim());
  if (kind !== "crosstab" && !isGrid) {
    const counts = rows.map((row) => Number(row.dataset.count));
    const values = rows.map((row, index) => {
      const numbers = `${row.dataset.count} (${row.querySelector(".share").textContent})`;
      return {
        text: `${row.querySelector("th").textContent.trim()}: ${numbers}`, numbers,
        datasetIndex: kind === "stack" ? index : 0, index: kind === "stack" ? 0 : index,
      };
    });
    return { labels, series: [{ label: "", counts }], values };
  }
  const width = rows[0].querySelectorAll("[data-count]").length;
  const headers = [...[...table.tHead.rows].at(-1).cells].slice(1, 1 + width).map((cell) => cell.textContent);
  const series = headers.map((label, column) => {
    const cells = rows.map((row) => row.cells[column + 1]);
    return {
      label, counts: cells.map((cell) => Number(cell.dataset.count)), shares: cells.map((cell) => Number(cell.dataset.share)),
      texts: cells.map((cell) => cell.textContent),
    };
  });
  const values = labels.flatMap((label, index) => series.map((one, datasetIndex) => (
    { text: `${label}, ${one.label}: ${one.texts[index]}`, datasetIndex, index })));
  return { labels, series, values };
}

function datasets(kind, labels, series, container) {
  const { groups, scale } = container.dataset;
  const [{ counts }] = series;
  const edge = { borderColor: color("card"), borderWidth: 2 };
  if (kind === "grid") {
    const places = spans(series, chosen(container, "bars"));
    return series.map((one, index) => ({
      label: one.label, data: places.map((row) => row[index]), texts: one.texts, grouped: false, borderSkipped: false,
      backgroundColor: gridColor(index, series.length), maxBarThickness: 24, borderColor: color("card"), borderWidth: 1,
    }));
  }
  if (kind === "stack") {
    return counts.map((count, index) => (
      { label: labels[index], data: [count], backgroundColor: pattern(index, "group-" + index), ...edge }));
  }
  if (kind === "crosstab") {
    const fill = (index) => (scale ? shade(index, series.length) : pattern(index, groups ? "group-" + index : undefined));
    return series.map((one, index) => (
      { label: one.label, data: one.shares, texts: one.texts, backgroundColor: fill(index), maxBarThickness: 32, ...edge }));
  }
  if (kind === "doughnut") {
    // A single part is a closed ring, without a border where it begins and ends.
    const borderWidth = counts.filter((count) => count > 0).length > 1 ? edge.borderWidth : 0;
    return [{ data: counts, backgroundColor: counts.map((_, index) => pattern(index)), ...edge, borderWidth }];
  }
  return [{ data: counts, backgroundColor: color("bar"), borderRadius: 4, maxBarThickness: kind === "bars" ? 26 : 64 }];
}

// Draws the number of each bar at the end of the bar.
const barNumbers = {
  id: "barNumbers",
  afterDatasetsDraw(chart) {
    const { ctx, options, data } = chart;
    if (chart.config.type !== "bar" || options.scales.x.stacked || data.datasets[0].texts) return;
    const isHorizontal = options.indexAxis === "y";
    ctx.save();
    ctx.fillStyle = color("text");
    ctx.font = `600 13px ${Chart.defaults.font.family}`;
    ctx.textAlign = isHorizontal ? "left" : "center";
    ctx.textBaseline = isHorizontal ? "middle" : "bottom";
    chart.getDatasetMeta(0).data.forEach((bar, index) => {
      const { x, y } = bar.getProps(["x", "y"], true);
      ctx.fillText(data.datasets[0].data[index], isHorizontal ? x + 6 : x, isHorizontal ? y : y - 4);
    });
    ctx.restore();
  },
};

// On a narrow screen, the statements of a grid are above their bars, in at most two lines.
const narrowWidth = 520;
const statementNames = {
  id: "statementNames",
  afterDatasetsDraw(chart) {
    if (!chart.options.plugins.statementNames?.display || chart.width >= narrowWidth) return;
    const { ctx, chartArea } = chart;
    ctx.save();
    ctx.fillStyle = color("text");
    ctx.font = `13px ${Chart.defaults.font.family}`;
    ctx.textAlign = "left";
    ctx.textBaseline = "bottom";
    const isTooWide = (text) => ctx.measureText(text).width > chart.width - 8;
    const rowHeight = chartArea.height / chart.data.labels.length;
    chart.data.labels.forEach((label, index) => {
      const lines = [""];
      for (const word of String(label).split(/\s+/)) {
        const longer = `${lines.at(-1)} ${word}`.trim();
        if (lines.length < 2 && lines.at(-1) && isTooWide(longer)) lines.push(word); else lines[lines.length - 1] = longer;
      }
      if (isTooWide(lines.at(-1))) {
        while (lines.at(-1) && isTooWide(lines.at(-1) + "…")) lines[lines.length - 1] = lines.at(-1).slice(0, -1);
        lines[lines.length - 1] += "…";
      }
      const bottom = chartArea.top + rowHeight * (index + 0.5) - 12;
      lines.forEach((line, at) => ctx.fillText(line, 4, bottom - 16 * (lines.length - 1 - at)));
    });
    ctx.restore();
  },
};

function options(kind, sharesAddUp, isNarrow) {
  const isGrid = kind === "grid";
  const isCrosstab = kind === "crosstab" || isGrid;
  // In a cross-tab, the shares of a row add up to a whole unless one person can choose several options. Shares that do
  // not add up have separate bars.
  const isStack = kind === "stack" || isCrosstab && sharesAddUp && !isGrid;
  const isHorizontal = kind === "bars" || isStack || isCrosstab;
  const legend = {
    display: isStack || isCrosstab || kind === "doughnut", position: "bottom",
    labels: {
      boxWidth: 16, boxHeight: 16, font: { size: 13 },
      generateLabels: (chart) => {
        const kindOf = Chart.overrides[chart.config.type]?.plugins?.legend ?? Chart.defaults.plugins.legend;
        // The parts of a ring have no room for their numbers, so the legend shows them.
        const values = kind === "doughnut" ? shownValues.get(chart.canvas) : [];
        return kindOf.labels.generateLabels(chart).map((entry, index) => (
          { ...entry, text: [shorten(entry.text ?? ""), values[index]?.numbers].filter(Boolean).join(": ") }));
      },
    },
  };
  // A bar answers to the pointer in the whole of its row or column, because the bar of a small number is narrow.
  const interaction = isStack || isCrosstab || kind === "doughnut" ? { mode: "nearest", intersect: true }
    : { mode: "index", axis: isHorizontal ? "y" : "x", intersect: false };
  const tooltip = {
    displayColors: false, padding: 10, bodyFont: { size: 14, weight: "600" }, backgroundColor: () => color("text"),
    bodyColor: () => color("card"), callbacks: {
      title: () => "",
      label: ({ chart, datasetIndex, dataIndex }) => {
        const value = shownValues.get(chart.canvas).find((one) => one.datasetIndex === datasetIndex && one.index === dataIndex);
        return wrap(value?.text ?? "", chart);
      },
    },
  };
  const common = {
    responsive: true, maintainAspectRatio: false, plugins: { legend, tooltip, statementNames: { display: isGrid } }, interaction,
    animation: matchMedia("(prefers-reduced-motion: reduce)").matches ? false : { duration: 400 },
  };
  if (kind === "doughnut") return { ...common, cutout: "58%" };
  const values = {
    display: isCrosstab, beginAtZero: true, stacked: isStack, grace: isStack || isCrosstab ? 0 : "12%",
    // The parts of the one bar of groups fill its width.
    ...(kind === "stack" && { bounds: "data" }),
    grid: { display: isCrosstab, color: () => color("line"), drawBorder: false },
    ...(isCrosstab && { max: 100, ticks: { stepSize: 25, color: () => color("soft"), callback: (value) => `${value} %` } }),
    // Bars go to the left and to the right of the middle, so all percentages are positive. The middle that is apart has
    // its own place, without numbers.
    ...(isGrid && { beginAtZero: false, max: undefined, grid: {
      drawBorder: false, color: ({ tick }) => color(tick?.value === 0 ? "soft" : "line"),
    }, ticks: { stepSize: 25, color: () => color("soft"), callback: (value) => value > 100 ? "" : `${Math.abs(value)} %` } }),
  };
  const names = {
    display: kind !== "stack" && !(isGrid && isNarrow), stacked: isStack, grid: { display: false, drawBorder: kind !== "stack", borderColor: () => color("line") },
    ticks: { color: () => color("text"), autoSkip: false, font: { size: 13 }, callback(value) {
      const label = String(this.getLabelForValue(value));
      return isHorizontal ? fitLabel(label, this.chart) : shorten(label);
    } },
  };
  return {
    ...common, indexAxis: isHorizontal ? "y" : "x", layout: { padding: isHorizontal && !isStack && !isCrosstab ? { right: 36 } : { top: 20 } },
    scales: isHorizontal ? { x: values, y: names } : { x: names, y: values },
  };
}

// Within an element with the labels of the button, tables that show nothing but the chart's numbers are folded. The
// button is in the container of the chart, which live updates leave alone.
function fold(container, table, isDrawn) {
  const labels = container.closest("[data-table-show]")?.dataset;
  const canFold = Boolean(labels) && isDrawn && !table.matches(".with-changes, .crosstab, .grid-table");
  let button = container.querySelector("button");
  if (canFold && !button) {
    button = Object.assign(document.createElement("button"), { type: "button", className: "clear" });
    button.addEventListener("click", () => {
      container.dataset.unfolded = container.dataset.unfolded ? "" : "yes";
      fold(container, container.parentElement.querySelector("table"), true);
    });
    container.append(button);
  }
  const isFolded = canFold && !container.dataset.unfolded;
  container.parentElement.classList.toggle("folded", isFolded);
  if (!button) return;
  button.hidden = !canFold;
  button.textContent = isFolded ? labels.tableShow : labels.tableHide;
  button.setAttribute("aria-expanded", String(!isFolded));
  button.setAttribute("aria-describedby", table.getAttribute("aria-labelledby") ?? "");
}

// The values of each chart, as sentences.
const shownValues = new WeakMap();
const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

// The lines of a sentence that fits into the chart.
function wrap(text, chart) {
  const pen = chart.ctx;
  pen.save();
  pen.font = `600 14px ${Chart.defaults.font.family}`;
  const lines = [];
  for (const word of text.split(/\s+/)) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && pen.measureText(longer).width <= Math.min(chart.width - 40, 320)) lines[lines.length - 1] = longer;
    else lines.push(shorten(word));
  }
  pen.restore();
  return lines;
}

// Shows one value of a chart, and announces it. A place outside the values shows none.
function showValue(canvas, place) {
  const value = shownValues.get(canvas)[place];
  const chart = Chart.getChart(canvas);
  const active = value ? [{ datasetIndex: value.datasetIndex, index: value.index }] : [];
  if (value) canvas.dataset.place = place;
  else delete canvas.dataset.place;
  chart.setActiveElements(active);
  chart.tooltip.setActiveElements(active, { x: 0, y: 0 });
  chart.render();
  const said = canvas.parentElement.querySelector("[role=status]");
  if (said.textContent !== (value?.text ?? "")) said.textContent = value?.text ?? "";
}

// The arrow keys move through the values of a chart that has the focus, and Escape leaves them.
function followKeys(canvas) {
  canvas.addEventListener("keydown", (event) => {
    const last = shownValues.get(canvas).length - 1;
    const place = Number(canvas.dataset.place ?? -1);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && place >= 0) showValue(canvas, -1);
    else if (event.key === "Home") showValue(canvas, 0);
    else if (event.key === "End") showValue(canvas, last);
    else if (event.key in steps) showValue(canvas, place < 0 ? 0 : Math.min(Math.max(place + steps[event.key], 0), last));
    else return;
    event.preventDefault();
  });
  canvas.addEventListener("blur", () => { if (canvas.dataset.place) showValue(canvas, -1); });
}

// A chart for the keyboard, with a hint that is shown while it has the focus.
function makeCanvas(container) {
  const canvas = document.createElement("canvas");
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-roledescription", container.dataset.name);
  container.prepend(canvas);
  if (!container.querySelector("[role=status]")) {
    const said = Object.assign(document.createElement("p"), { className: "away" });
    said.setAttribute("role", "status");
    const hint = Object.assign(document.createElement("p"), { className: "chart-keys", textContent: container.dataset.keys });
    hint.setAttribute("aria-hidden", "true");
    hint.id = `chart-keys-${document.querySelectorAll(".chart-keys").length}`;
    canvas.after(hint, said);
  }
  canvas.setAttribute("aria-describedby", container.querySelector(".chart-keys").id);
  followKeys(canvas);
  return canvas;
}

function draw(container) {
  const table = container.parentElement.querySelector("table");
  const kind = container.dataset.kind;
  const { labels, series, values } = numbers(table, kind, container);
  const total = series.flatMap((one) => one.counts).reduce((sum, count) => sum + count, 0);
  let canvas = container.querySelector("canvas");
  let isNarrow = false;
  if (canvas && container.dataset.drawn !== kind) {
    Chart.getChart(canvas).destroy();
    canvas.remove();
    canvas = null;
  }
  container.hidden = total === 0;
  container.parentElement.classList.toggle("charted", total > 0);
  fold(container, table, total > 0);
  if (total === 0 && !canvas) return;
  if (kind === "grid") {
    const choices = choicesOf(container);
    choices.hidden = total === 0;
    // A scale without a middle has nothing to put apart.
    choices.querySelector("[value=aside]").disabled = series.length % 2 === 0;
    isNarrow = container.parentElement.clientWidth < narrowWidth;
    container.style.height = `${labels.length * (isNarrow ? 4.5 : 2.5) + 7}rem`;
  }
  if (kind === "bars" || kind === "crosstab") {
    const bars = kind === "crosstab" && !container.dataset.whole ? Math.max(2.25, series.length) : 2.25;
    container.style.height = `${labels.length * bars + (kind === "bars" ? 1 : 6)}rem`;
  }
  const data = { labels: kind === "stack" ? [""] : labels, datasets: datasets(kind, labels, series, container) };
  if (canvas) {
    shownValues.set(canvas, values);
    const chart = Chart.getChart(canvas);
    chart.data.labels = data.labels;
    // Datasets that exist are changed in place, so that their bars move to the new numbers.
    data.datasets.forEach((dataset, index) => {
      chart.data.datasets[index] = Object.assign(chart.data.datasets[index] ?? {}, dataset);
    });
    chart.data.datasets.length = data.datasets.length;
    chart.update();
    if (canvas.dataset.place) showValue(canvas, Number(canvas.dataset.place));
  } else {
    canvas = makeCanvas(container);
    shownValues.set(canvas, values);
    container.dataset.drawn = kind;
    const type = kind === "doughnut" ? "doughnut" : "bar";
    new Chart(canvas, { type, data, options: options(kind, Boolean(container.dataset.whole), isNarrow), plugins: [barNumbers, statementNames] });
  }
  canvas.setAttribute("aria-label", values.map((value) => value.text).join(["crosstab", "grid"].includes(kind) ? "; " : ", "));
}

function drawAll() {
  Chart.defaults.font.family = rootStyle().fontFamily;
  Chart.defaults.color = color("text");
  Chart.defaults.borderColor = color("line");
  document.querySelectorAll(".chart").forEach(draw);
}

if (Chart) {
  drawAll();
  document.addEventListener("change", ({ target }) => {
    const choices = target.closest(".grid-choices");
    if (choices) draw(choices.parentElement.querySelector(".chart"));
  });
  document.addEventListener("renewed", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
}
