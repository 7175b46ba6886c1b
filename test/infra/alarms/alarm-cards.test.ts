import { describe, expect, test } from "vitest";
import { faultsQuery } from "../../../infra/constructs/monitoring/dashboard.ts";
import { placeInRunbook } from "../../../infra/constructs/monitoring/runbook.ts";
import { runbookText } from "../../system/runbook/shell-commands.ts";
import { fullStage } from "../stages/owned-stage.ts";
import { deployedAlarms, isPaging, nameOf } from "./deployed-alarms.ts";

const mostWords = 60;

/** The cards. A card begins with its alarms: one in bold pages, and a star represents the names of a family. */
const cards = (runbookText().split(/^## When an alarm fires$/m)[1] ?? "")
  .split(/^## /m, 1)
  .flatMap((chapter) => chapter.split(/^### /m).slice(1))
  .map((card) => {
    const [heading = "", ...lines] = card.split("\n");
    const text = lines.join("\n").replaceAll(/^```.*?^```$/gms, "");
    const [alarms = ""] = text.split(": ", 1);
    const names = [...alarms.matchAll(/(\*\*)?`([\w*-]+)`/g)].map(([, bold, name = ""]) => ({
      name,
      pages: bold !== undefined,
    }));
    return { heading, card, text, names };
  });

/** The cards of an alarm by its own name, else by its family's. */
function cardsOf(alarm: string) {
  const all = cards.flatMap(({ names, heading }) => names.map((each) => ({ heading, ...each })));
  const own = all.filter(({ name }) => name === alarm);
  return own.length > 0 ? own : all.filter(({ name }) => new RegExp(`^${name.replace("*", ".+")}$`).test(alarm));
}

describe("the runbook's cards", () => {
  test.each(
    cards,
  )(`"$heading" has its alarms, Look, Do and Over, in at most ${mostWords} words beside commands`, (card) => {
    expect(card.names.length).toBeGreaterThan(0);
    expect(card.text.match(/^\*\*\w+:\*\*/gm)).toEqual(["**Look:**", "**Do:**", "**Over:**"]);
    expect(card.text.trim().split(/\s+/).length).toBeLessThanOrEqual(mostWords);
  });

  test("have every alarm of the stage with every setting on one card, in bold exactly if it pages, and its e-mail leads there", () => {
    for (const alarm of deployedAlarms) {
      const [card, ...others] = cardsOf(nameOf(alarm));
      expect([card?.pages, others], nameOf(alarm)).toEqual([isPaging(alarm), []]);
      const place = placeInRunbook(card?.heading ?? "", fullStage);
      expect(alarm.properties.AlarmDescription, nameOf(alarm)).toContain(`Runbook: ${place}`);
    }
  });

  test("have no alarm that is not there", () => {
    const there = new Set(deployedAlarms.flatMap((alarm) => cardsOf(nameOf(alarm)).map(({ name }) => name)));
    const named = cards.flatMap(({ names }) => names.map(({ name }) => name));
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((name) => !there.has(name))).toEqual([]);
  });

  test("ask of an operation that fails what the dashboard asks", () => {
    const { card = "" } = cards.find(({ heading }) => heading === "An operation fails") ?? {};
    expect(card.replaceAll(/\s+/g, " ")).toContain(`ask '${faultsQuery.join(" | ")}'`);
  });
});
