import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Template } from "../../../infra/support/stack-template.ts";
import { findSynthesis } from "../stack.ts";

/** The type of each resource by its logical id. */
type LogicalIds = Readonly<Record<string, string>>;

const file = new URL("logical-ids.json", import.meta.url);
const again = "PIN_LOGICAL_IDS=1 npm test -- test/infra/templates/logical-ids.test.ts";
/** They share most of their ids, which are pinned once. */
const stages = ["full", "dev"];

/** A version's id has a hash of its code, as it must; the others have no fixed names in AWS, as roles without a given name. */
const unpinned = {
  types: ["AWS::Lambda::Version", "Custom::Trigger", "AWS::Lambda::Permission", "AWS::IAM::Policy"],
  ids: /^(AWS[0-9a-f]{32}|AWSCDKTrigger)/,
};

if (process.env.PIN_LOGICAL_IDS) {
  const [full = {}, dev = {}] = stages.map((name) => idsOf(findSynthesis(name).template));
  const pick = (ids: LogicalIds, areInBoth: boolean) =>
    Object.fromEntries(Object.entries(ids).filter(([id]) => (full[id] === dev[id]) === areInBoth));
  const all = { both: pick(full, true), full: pick(full, false), dev: pick(dev, false) };
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
}
const pinned = JSON.parse(readFileSync(file, "utf8")) as Record<string, LogicalIds>;

test.each(
  stages,
)("what has a name of its own in %s keeps its logical id: under another one it would find its name taken", (name) => {
  const ids = { ...pinned.both, ...pinned[name] };
  expect(Object.keys(ids).length).toBeGreaterThan(200);
  const hint = `Restore an id that is lost, or every deploy fails. When resources come or go on purpose, run ${again}`;
  expect(idsOf(findSynthesis(name).template), hint).toEqual(ids);
});

function idsOf({ Resources }: Template): LogicalIds {
  const all = Object.entries(Resources).flatMap(([id, { Type, Properties }]): [string, string][] =>
    Type === "AWS::IAM::Role" && !Properties?.RoleName ? [] : [[id, Type]],
  );
  const stable = all.filter(([id, type]) => !unpinned.types.includes(type) && !unpinned.ids.test(id));
  return Object.fromEntries(stable.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
