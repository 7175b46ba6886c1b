import { expect, vi } from "vitest";
import { functions } from "../../../infra/functions/functions.ts";
import type { Item } from "../../../shared/table/table.ts";
import type { TestRequest } from "../../support/requests/call.ts";

const entityFile = "../../../shared/table/entity.ts";

/** The attribute that the next release stores: its newest version of every kind of item has it. */
export const addition = "of_next_release";

const add = (item: Item): Item => ({ [addition]: { by: "the next release" }, ...item });

export type Release = Awaited<ReturnType<typeof loadRelease>>;

/** Loads the functions of a release: modules of its own, on the table of the test file. */
export async function loadRelease(name: "old" | "next") {
  vi.resetModules();
  if (name === "next") vi.doMock(entityFile, async (importOriginal) => withAddition(await importOriginal()));
  else vi.doUnmock(entityFile);
  const { endpoints } = await import("../../support/requests/every-operation.ts");
  const { call } = await import("../../support/requests/call.ts");
  const { write } = await import("../../support/records/writes.ts");
  const { scanItems } = await import("../../support/records/items.ts");
  const { expectExactCounters } = await import("../../support/records/exact-counters.ts");
  const names = Object.entries(functions).flatMap(([each, { area }]) => (area === "workers" ? [each] : []));
  const modules = names.map(async (each) => [each, await import(`../../../functions/workers/${each}.ts`)] as const);
  const workers = new Map(await Promise.all(modules));
  return {
    name,
    write,
    scanItems,
    expectExactCounters,
    async request(operation: string, sent: TestRequest, expected = 200) {
      const endpoint = endpoints.find((each) => each.name === operation);
      if (!endpoint) throw new Error(`There is no operation ${operation}`);
      const answer = await call(endpoint.handler, endpoint.operation, sent);
      expect(answer.status, `${operation} ${JSON.stringify(answer.body)}`).toBe(expected);
      return answer;
    },
    async work(worker: string, event: object) {
      const answer = await workers.get(worker).handler(event);
      expect(answer?.batchItemFailures ?? [], worker).toEqual([]);
    },
  };
}

type EntityModule = typeof import("../../../shared/table/entity.ts");

function withAddition(original: EntityModule): EntityModule {
  const defineEntity: EntityModule["defineEntity"] = (name, matches) => {
    const entity = original.defineEntity<never>(name, matches, { version: 2, upgrade: add });
    return { ...entity, encode: (value) => entity.encode(add(value as Item) as never) };
  };
  return { ...original, defineEntity };
}
