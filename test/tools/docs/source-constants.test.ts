import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConstants } from "../../../infra/tools/docs/figures/source-constants.ts";
import { newFolder } from "../../support/service/new-folder.ts";

const sources = {
  "limits.ts": `import { availableParallelism } from "node:os";
import { hour as oneHour } from "./times.ts";
/** A day. */
export const life = 24 * oneHour;
let changing = 5;
/** A pair. */
const [least, most] = [1, 2] satisfies number[];
/** The paces. */
const paces = { title: "No figure", bulk: {
  waitMs: 5,
  /** It rests. */
  restMs: 7 - 1,
  kind: "slow",
} } as const;
/** Of the paces. */
const rest = paces.bulk.restMs / 2 ** 1;
const tools = [availableParallelism, 3];
const text = "12";`,
  "times.ts": "/** In minutes. */\nexport const hour = 60;",
  "kept/left-out.ts": "const hidden = 1;",
};

test("the numbers at the top of the sources are found, with what they are made of and the reasons above them", () => {
  const root = newFolder();
  mkdirSync(join(root, "shared/kept"), { recursive: true });
  for (const [file, text] of Object.entries(sources)) writeFileSync(join(root, "shared", file), text);
  const found = readConstants(root, ["shared"], ["shared/kept/"]);
  expect(found.map(({ file, name, values, reason }) => [file, name, values, reason])).toEqual([
    ["shared/limits.ts", "life", { "": 1_440 }, "A day."],
    ["shared/limits.ts", "least", { "": 1 }, "A pair."],
    ["shared/limits.ts", "most", { "": 2 }, "A pair."],
    ["shared/limits.ts", "paces.bulk", { waitMs: 5, restMs: 6, kind: "slow" }, "The paces. It rests."],
    ["shared/limits.ts", "rest", { "": 3 }, "Of the paces."],
    ["shared/times.ts", "hour", { "": 60 }, "In minutes."],
  ]);
});
