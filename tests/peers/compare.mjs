// Asks each peer about every shell case and prints who let what through. Usage: node compare.mjs FOLDER, which holds
// corpus.jsonl, countersign.jsonl (our verdicts, in the same order) and node_modules.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { stops as naive } from "./naive.mjs";

const folder = process.argv[2];
const lines = (name) => readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
const cases = lines("corpus.jsonl");
const ours = new Map(lines("countersign.jsonl").map((verdict) => [verdict.id, verdict]));
const { checkCommand } = await import(pathToFileURL(join(folder, "node_modules/cc-safety-net/dist/api.js")));

// The text of a shell call, whichever way its agent writes it; undefined for every other tool.
function text({ input }) {
    const command = input?.command ?? input?.cmd;
    if (typeof command === "string") return command;
    if (!Array.isArray(command) || command.some((word) => typeof word !== "string")) return undefined;
    if (/^(.*\/)?(ba|z|da)?sh$/.test(command[0] ?? "") && /^-[a-z]*c$/.test(command[1] ?? "")) return command[2] ?? "";
    return command.map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

const TOOLS = new Set(["Bash", "bash", "shell", "exec_command", "run_shell_command", "powershell"]);
const shell = cases
    .filter(({ tool }) => TOOLS.has(tool))
    .map((one) => ({ ...one, text: text(one) }))
    .filter((one) => one.text !== undefined);
const refused = ({ expect }) => expect.class === "destructive" || expect.refused;
const bases = [
    ["destructive or refused let through", refused, false],
    ["red let through", ({ expect }) => expect.level === "red", false],
    ["green stopped", ({ expect }) => expect.level === "green", true],
    ["benign stopped", ({ benign }) => benign, true],
];

const thrown = new Map();
function safetyNet(level) {
    const name = `cc-safety-net, ${level}`;
    return [name, ({ text: command, cwd }) => {
        process.env.CC_SAFETY_NET_LEVEL = level;
        try {
            return checkCommand({ command, cwd }).kind !== "allow";
        } catch {
            // A hook that dies answers nothing, and the call runs.
            thrown.set(name, (thrown.get(name) ?? 0) + 1);
            return false;
        }
    }];
}

const judges = [
    ["countersign", ({ id }) => ours.get(id).refused || ours.get(id).level !== "green"],
    ...["standard", "strict", "paranoid"].map(safetyNet),
    ["naive list of first words", ({ text: command }) => naive(command)],
];

console.log(`${shell.length} shell cases; stopped = blocked or asked about\n`);
console.log(`| | ${bases.map(([name]) => name).join(" | ")} |`);
console.log(`| --- |${" --- |".repeat(bases.length)}`);
for (const [name, judge] of judges) {
    const stopped = new Set(shell.filter(judge).map(({ id }) => id));
    const cells = bases.map(([, belongs, counted]) => {
        const of = shell.filter(belongs);
        const count = of.filter(({ id }) => stopped.has(id) === counted).length;
        return `${count}/${of.length} (${((100 * count) / of.length).toFixed(1)} %)`;
    });
    console.log(`| ${name} | ${cells.join(" | ")} |`);
}

const RANK = { green: 0, yellow: 1, red: 2 };
const alarms = shell.filter(({ id, benign, expect, also_ok: also }) => {
    const accepted = [expect.level, ...(also?.level ?? [])];
    return benign && accepted.every((level) => RANK[ours.get(id).level] > RANK[level]);
});
console.log(`\nBenign work that is not green must get a card by our own requirements; countersign is stricter than its label on`
    + ` ${alarms.length} of ${shell.filter(({ benign }) => benign).length} benign cases.`);
for (const [name, count] of thrown) console.log(`${name}: gave up with an error on ${count} of the cases, which lets them run.`);
