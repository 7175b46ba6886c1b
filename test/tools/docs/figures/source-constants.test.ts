import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConstants } from "../../../../infra/tools/docs/figures/source-constants.ts";
import { withUnit } from "../../../../infra/tools/docs/figures/units.ts";
import { newFolder } from "../../../support/service/new-folder.ts";

const root = newFolder();

const life = `
const msPerDay = 24 * 60 * 60_000;
/** As long as
 * a queue keeps anything. */
export const keptDays = 14;
`;
const users = `
import { keptDays as days } from "../life.ts";
import { newFolder } from "../support/service/new-folder.ts";
/** Longer. */
const longer = days + 1;
const [first, last] = [-1, Math.floor(10 / 4)];
/** Of each. */
const paces = {
  few: { tries: 5, isFirst: true },
  /** Many come. */
  many: { tries: longer * 2, window: "day", code: "too_many", shares: [1, 0.5] },
} as const satisfies object;
let count = 0;
const isNone = !longer;
const lines = readFileSync("a").length;
const refusal = { status: 404 };
`;

test("the numbers of sources are read with their comments, whatever they are computed from", () => {
  mkdirSync(join(root, "shared/users"), { recursive: true });
  mkdirSync(join(root, "shared/other"));
  writeFileSync(join(root, "shared/life.ts"), life);
  writeFileSync(join(root, "shared/users/users.ts"), users);
  writeFileSync(join(root, "shared/other/left-out.ts"), life);
  const found = readConstants(root, ["shared"], ["shared/other/"]);
  const [inLife, inUsers] = ["shared/life.ts", "shared/users/users.ts"];
  expect(found).toEqual([
    { file: inLife, name: "msPerDay", values: { "": 86_400_000 }, reason: "" },
    { file: inLife, name: "keptDays", values: { "": 14 }, reason: "As long as a queue keeps anything." },
    { file: inUsers, name: "longer", values: { "": 15 }, reason: "Longer." },
    { file: inUsers, name: "first", values: { "": -1 }, reason: "" },
    { file: inUsers, name: "last", values: { "": 2 }, reason: "" },
    { file: inUsers, name: "paces.few", values: { tries: 5 }, reason: "Of each." },
    {
      file: inUsers,
      name: "paces.many",
      values: { tries: 30, window: "day", shares: [1, 0.5] },
      reason: "Many come.",
    },
  ]);
});

test.each([
  [1_209_600, "MessageSeconds", "14 d"],
  [90, "leaseSeconds", "90 s"],
  [6_500, "lastMs", "6,500 ms"],
  [0.25, "usualHours", "15 min"],
  [262_144, "maxBodyBytes", "262,144 bytes"],
  [0.001, "rate", "0.001"],
])("%d of %s is %s", (value, name, shown) => expect(withUnit(value, name)).toBe(shown));

test("a number of a table has the table's unit if its own name has none", () => {
  expect(withUnit(400, "none", "keptDays")).toBe("400 d");
});
