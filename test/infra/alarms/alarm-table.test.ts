import { describe, expect, test } from "vitest";
import { faultsQuery } from "../../../infra/constructs/monitoring/dashboard.ts";
import { placeInRunbook } from "../../../infra/constructs/monitoring/runbook.ts";
import { runbookText } from "../../system/runbook/shell-commands.ts";
import { fullStage } from "../stages/owned-stage.ts";
import { deployedAlarms, isPaging, nameOf } from "./deployed-alarms.ts";

const runbook = runbookText();
const mostRows = 30;
const [, table = ""] =
  /^# Runbook\n\n(?!\|)[^\n]+\n\n\| alarm \| meaning \| card \|\n\|[-|]+\|\n((?:\|.*\n)+)\n/.exec(runbook) ?? [];
/** An alarm in bold pages; a star represents the names of a family. */
const rows = table
  .trim()
  .split("\n")
  .map((line) => {
    const [, alarms = "", meaning = "", card = ""] = line.split("|");
    const names = [...alarms.matchAll(/(\*\*)?`([\w*-]+)`/g)].map(([, bold, name = ""]) => ({
      name,
      pages: bold !== undefined,
    }));
    const [, heading = "", anchor = ""] = /\[(.+)\]\(#(.+)\)/.exec(card) ?? [];
    return { names, meaning, heading, anchor };
  });

/** The row of an alarm by its own name, else by its family's. */
function placesOf(alarm: string) {
  const placed = rows.flatMap(({ names, ...row }) => names.map((each) => ({ ...row, ...each })));
  const own = placed.filter(({ name }) => name === alarm);
  return own.length > 0 ? own : placed.filter(({ name }) => new RegExp(`^${name.replace("*", ".+")}$`).test(alarm));
}

describe("the runbook begins with one table", () => {
  test("of few rows, each of which has a meaning and leads to a card", () => {
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.length).toBeLessThanOrEqual(mostRows);
    for (const { meaning, heading, anchor } of rows) {
      expect(meaning, heading).toMatch(/\w/);
      expect(runbook, heading).toContain(`\n### ${heading}\n`);
      expect(placeInRunbook(heading, { runbookUrl: "https://a.example/" })).toBe(`https://a.example/#${anchor}`);
    }
  });

  test("that has every alarm of the stage with every setting in one row, by its card, in bold exactly if it pages", () => {
    for (const alarm of deployedAlarms) {
      const places = placesOf(nameOf(alarm));
      expect(places, nameOf(alarm)).toHaveLength(1);
      expect(places[0]?.pages, nameOf(alarm)).toBe(isPaging(alarm));
      const wanted = `Runbook: ${placeInRunbook(places[0]?.heading ?? "", fullStage)}`;
      expect(alarm.properties.AlarmDescription, nameOf(alarm)).toContain(wanted);
    }
  });

  test("that has no alarm which is not there", () => {
    const there = new Set(deployedAlarms.flatMap((alarm) => placesOf(nameOf(alarm)).map(({ name }) => name)));
    expect(rows.flatMap(({ names }) => names.map(({ name }) => name)).filter((name) => !there.has(name))).toEqual([]);
  });
});

test("the card of an operation that fails asks what the dashboard asks", () => {
  const [, card = ""] = runbook.split("\n### An operation fails\n");
  const text = card.split("\n### ")[0]?.replaceAll(/\s+/g, " ");
  expect(text).toContain(`ask '${faultsQuery.join(" | ")}'`);
});
