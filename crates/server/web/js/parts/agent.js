// An agent and its options as a form, with the words of `tesuji agents`. The form's value is an agent line,
// `NAME:key=value,key=value`.

import { h, put } from "../dom.js";

/** @typedef {import("../types.js").GameInfo} GameInfo */
/** @typedef {import("../types.js").Agent} Agent */

/**
 * @param {string} line
 * @returns {{name: string, options: Map<string, string>}}
 */
export function parseLine(line) {
  const at = line.indexOf(":");
  const name = at < 0 ? line : line.slice(0, at);
  /** @type {Map<string, string>} */
  const options = new Map();
  for (const part of at < 0 ? [] : line.slice(at + 1).split(",")) {
    const equals = part.indexOf("=");
    if (equals > 0) options.set(part.slice(0, equals), part.slice(equals + 1));
  }
  return { name, options };
}

let count = 0;

/**
 * @param {GameInfo} info
 * @param {string} line the agent to begin with
 * @param {{label?: string, networks?: import("../types.js").Network[], onchange?: () => void}} [options]
 */
export function agentForm(info, line, { label = "Agent", networks = [], onchange } = {}) {
  const engines = (info.engines ?? []).map((name) => ({ name, about: "a foreign engine that the server was started with", stands_for: null, keys: [] }));
  const agents = [...(info.agents ?? []), ...engines];
  const begun = engines.some((engine) => engine.name === line) ? { name: line, options: new Map() } : parseLine(line || info.best || "random");
  const id = `agent${(count += 1)}`;
  /** @type {Map<string, HTMLInputElement|HTMLSelectElement>} */
  const fields = new Map();
  const about = h("p", { class: "soft small-text", id: `${id}-about` });
  const options = h("div", { class: "fields options" });
  const details = h("details", {}, h("summary", {}, "Options"), options);
  const select = h("select", { "data-agent": "", "aria-describedby": `${id}-about`, value: begun.name, onchange: () => fill(new Map()) },
    agents.map((agent) => h("option", { value: agent.name }, agent.name)));

  /**
   * What the agent is, and with which network it plays.
   * @param {Agent|undefined} agent
   * @param {string|undefined} net
   */
  function describe(agent, net) {
    const network = networks.find((one) => one.id === net);
    put(about, agent?.about ?? "", network ? `: ${network.name}` : null, agent?.stands_for ? h("span", {}, " (", h("code", {}, agent.stands_for), ")") : null);
  }

  /** @param {Map<string, string>} values */
  function fill(values) {
    const agent = agents.find((one) => one.name === select.value);
    fields.clear();
    describe(agent, values.get("net"));
    put(options, (agent?.keys ?? []).map((key) => {
      const value = values.get(key.name) ?? "";
      const choices = key.choices ?? (key.name === "net" && networks.length ? networks.map((net) => net.id) : null);
      const names = new Map(networks.map((net) => [net.id, net.name]));
      const field = choices
        ? h("select", { value, onchange }, h("option", { value: "" }, key.default ? `${key.default} (default)` : "default"),
            choices.filter((choice) => choice !== key.default).map((choice) => h("option", { value: choice }, names.get(choice) ?? choice)))
        : h("input", { value, placeholder: key.default || key.form, onchange, spellcheck: "false", autocomplete: "off" });
      field.title = key.form;
      if (key.name === "net") field.addEventListener("change", () => describe(agent, field.value));
      fields.set(key.name, field);
      return h("label", {}, h("span", {}, h("code", {}, key.name), " ", key.help), field);
    }));
    details.hidden = fields.size === 0;
    onchange?.();
  }

  fill(begun.options);
  // The network alone is named above; a long form would push everything else off the screen.
  if ([...begun.options.keys()].some((name) => name !== "net")) details.open = true;
  return {
    element: h("div", { class: "agent" }, h("label", {}, h("span", {}, label), select), about, details),
    /** The agent line. */
    line() {
      const set = [...fields].filter(([, field]) => field.value.trim() !== "").map(([name, field]) => `${name}=${field.value.trim()}`);
      return set.length ? `${select.value}:${set.join(",")}` : select.value;
    },
  };
}
