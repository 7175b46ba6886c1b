import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { root } from "../../infra/support/root.ts";
import { newFolder } from "../support/service/new-folder.ts";

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Job {
  readonly steps: readonly Step[];
  readonly "timeout-minutes"?: number;
}

const read = (file: string) => readFileSync(join(root, file), "utf8");
const workflows = globSync(".github/workflows/*.yml", { cwd: root });
const jobs = workflows.flatMap((file) =>
  Object.entries<Job>(parse(read(file)).jobs).map(([name, job]) => ({ file, name, job })),
);
const steps = jobs.flatMap(({ job }) => job.steps);

test("workflows have only the rights that they name, and jobs end", () => {
  expect(workflows.length).toBeGreaterThan(3);
  expect(workflows.filter((file) => parse(read(file)).permissions === undefined)).toEqual([]);
  expect(jobs.filter(({ job }) => job["timeout-minutes"] === undefined)).toEqual([]);
});

test("an action is the commit of a release that is named beside it", () => {
  const used = workflows.flatMap((file) => [...read(file).matchAll(/uses: (.*)/g)].map(([, action]) => action));
  expect(used).toHaveLength(steps.filter(({ uses }) => uses).length);
  expect(used.filter((action) => !/^[\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action ?? ""))).toEqual([]);
});

test("no text that somebody outside chooses gets into a command", () => {
  expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
});

const commands = [...steps.map(({ run = "" }) => run), read(".devcontainer/devcontainer.json"), read("AGENTS.md")].join(
  "\n",
);

test("each npm script and file of the project that workflows, the devcontainer and AGENTS.md name exists", () => {
  const { scripts } = JSON.parse(read("package.json"));
  const named = [...commands.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  const files = [...commands.matchAll(/(?:^|[ "`])((?:\.ci|test|infra)\/[\w./-]+)/gm)].map(([, file = ""]) => file);
  expect(files.length).toBeGreaterThan(2);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test("a release has the changelog's chapter as its notes, and none under another version", () => {
  const folder = newFolder();
  cpSync(join(root, ".ci/notes"), join(folder, ".ci/notes"));
  const chapters = "# Changelog\n\n## Unreleased\n\nMore.\n\n## 1.2.0\n\nClients:\n\n- A list.\n\n## 1.1.0\n\nLess.\n";
  writeFileSync(join(folder, "CHANGELOG.md"), chapters);
  const notesOf = (version: string, own = version) => {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ version: own, private: true }, null, 2));
    const { status, stdout, stderr } = spawnSync(join(folder, ".ci/notes"), [version], { encoding: "utf8" });
    return { status, said: stdout + stderr };
  };
  expect(notesOf("1.2.0")).toEqual({ status: 0, said: "Workforce API 1.2.0\n\nClients:\n\n- A list.\n" });
  expect(notesOf("1.1.0", "1.2.0")).toEqual({ status: 1, said: "package.json has another version than 1.1.0.\n" });
  expect(notesOf("1.3.0")).toEqual({ status: 1, said: "CHANGELOG.md has no chapter 1.3.0.\n" });
});
