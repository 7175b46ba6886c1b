import { useAccounts } from "./accounts.ts";
import { changeOf } from "./events.ts";
import { busEvents, records, removals, users } from "./lines.ts";
import { changeRecords, isOfCrowd, notifyPeople, pageThrough } from "./records.ts";
import type { Left, Release } from "./release.ts";

const firstKeyAt = new Date("2026-05-01T08:00:00.000Z");
const importedAt = new Date("2026-06-01T08:00:00.000Z");
const usedAt = new Date("2026-06-01T09:00:00.000Z");

/**
 * Does everything that a release stores something for, at fixed moments. `crowd` adds a company with more users than one
 * message names, which only takes long.
 */
export async function live(release: Release, { crowd = false } = {}): Promise<Left> {
  release.setClock(firstKeyAt);
  await release.work("rotate-signing-key");
  release.setClock(importedAt);
  await release.work("rotate-signing-key");
  for (const line of [...users, ...records]) await release.importLine(line);
  await countRecords(release);
  release.setClock(usedAt);
  const accounts = await useAccounts(release);
  await release.recordToken();
  const kept = await changeRecords(release);
  const messages = await notifyPeople(release, crowd);
  await keepHistory(release);
  for (const line of removals) await release.importLine(line);
  await countRecords(release);
  await release.abandonMigration();
  await release.disableWebhook();
  const cursors = await pageThrough(release);
  return {
    items: (await release.readItems()).filter((item) => !isOfCrowd(item)),
    messages: { ...messages, ...accounts.messages, intake: busEvents },
    held: { moment: usedAt.toISOString(), ...accounts.held, ...kept, cursors },
    secrets: await release.readSecrets(),
  };
}

/** Has the history kept of timesheets that a user has changed. */
async function keepHistory(release: Release): Promise<void> {
  const items = (await release.readItems()).filter(({ sk, change }) => sk?.S === "TIMESHEET" && change !== undefined);
  const changes = items.map((NewImage) => changeOf({ pk: String(NewImage.pk?.S), sk: "TIMESHEET" }, { NewImage }));
  await release.work("update-totals", { Records: changes });
}

/** Has the totals brought in line with all records, those that were removed included. */
async function countRecords(release: Release): Promise<void> {
  const keys = [...records, ...removals].flatMap(({ type, id }) =>
    ["timesheet", "invoice", "job"].includes(type)
      ? [{ pk: `${type.toUpperCase()}#${id}`, sk: type.toUpperCase() }]
      : [],
  );
  await release.work("update-totals", { Records: keys.map((key) => changeOf(key, {})) });
}
