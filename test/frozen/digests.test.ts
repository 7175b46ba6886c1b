import { existsSync } from "node:fs";
import { join } from "node:path";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { describe, expect, test } from "vitest";
import { entities } from "../../shared/db/entities.ts";
import { keyOf } from "../../shared/db/table/keys.ts";
import { kindNamesOf, kindOf } from "./kinds.ts";
import { committedDigests, digestsOf, frozenReleases, readFrozen } from "./samples.ts";

describe.each(frozenReleases())("D38: the samples of release %s", (release) => {
  test("are as they were frozen: stored items are never edited, they get a new version", () => {
    expect(digestsOf(release)).toEqual(committedDigests(release));
  });

  test("have a test that this code serves them", () => {
    const file = join(import.meta.dirname, `reads-${release}.test.ts`);
    expect(existsSync(file), `Copy reads-0.1.test.ts to ${file}, with the release's name`).toBe(true);
  });

  test("hold every kind of item that there was", () => {
    const found = new Set(readFrozen(release).items.map(kindOf));
    expect(kindNamesOf(release).filter((kind) => !found.has(kind))).toEqual([]);
  });

  test("are of exactly one entity each, which reads them", () => {
    for (const item of readFrozen(release).items.map((each) => unmarshall(each))) {
      const owners = entities.filter(({ matches }) => matches(keyOf(item)));
      expect(owners, `${item.pk} ${item.sk}`).toHaveLength(1);
      const { mark_key: _, mark_order: __, ...kept } = item;
      expect(owners[0]?.decode(item)).toMatchObject({ ...kept, schema_version: owners[0]?.version });
    }
  });

  test("hold messages of every queue", () => {
    const waiting = Object.entries(readFrozen(release).messages).map(([queue, messages]) => [queue, messages.length]);
    expect(waiting.filter(([, count]) => count === 0)).toEqual([]);
  });
});
