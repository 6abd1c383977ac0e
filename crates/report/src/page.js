"use strict";
(() => {
  // Exact values where the pointer is.
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  document.body.append(tip);
  document.addEventListener("pointerover", event => {
    const mark = event.target.closest && event.target.closest("[data-y]");
    if (!mark) { tip.hidden = true; return; }
    tip.textContent = mark.firstElementChild ? mark.firstElementChild.textContent : mark.dataset.y;
    tip.hidden = false;
    const box = mark.getBoundingClientRect(), own = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(box.left + 12, innerWidth - own.width - 4)) + "px";
    tip.style.top = Math.max(4, box.top - own.height - 8) + "px";
  });
  // A legend's entries switch their series off and on.
  for (const item of document.querySelectorAll(".legend li")) {
    const button = document.createElement("button");
    button.append(...item.childNodes);
    button.setAttribute("aria-pressed", "true");
    item.append(button);
    button.onclick = () => {
      const off = item.classList.toggle("off");
      button.setAttribute("aria-pressed", String(!off));
      const series = item.closest("figure").querySelector(`svg [data-s="${item.dataset.s}"]`);
      if (series) series.style.display = off ? "none" : "";
    };
  }
  // A column's head sorts the table.
  for (const head of document.querySelectorAll("thead th")) {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.onclick = () => {
      const body = head.closest("table").tBodies[0], column = head.cellIndex;
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = row => { const cell = row.cells[column]; return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v); };
      const order = (a, b) => { const x = key(a), y = key(b); return typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y)); };
      body.append(...[...body.rows].sort((a, b) => up ? order(a, b) : order(b, a)));
    };
  }
  // A plot can be looked at in full size.
  for (const figure of document.querySelectorAll("figure.plot")) {
    const button = document.createElement("button");
    button.className = "zoom";
    button.textContent = "larger";
    figure.append(button);
    button.onclick = () => {
      const dialog = document.createElement("dialog");
      dialog.append(figure.querySelector("svg").cloneNode(true));
      dialog.onclick = () => dialog.close();
      dialog.onclose = () => dialog.remove();
      document.body.append(dialog);
      dialog.showModal();
    };
  }
})();
