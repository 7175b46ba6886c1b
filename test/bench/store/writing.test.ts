import { expect, inject, test } from "vitest";
import { useService } from "../../support/service/service.ts";
import { keeps } from "../figures.ts";
import { figuresOf, measureWrites, tableOfWrites } from "./writing.ts";

useService();

// The units of a transaction are other ones on DynamoDB Local.
const countsTransactions = inject("engineName") !== "dynamodb-local";

test.runIf(countsTransactions)(
  "write units of a dense month keep within their bars, alone, in a batch, of payments and their undo",
  async () => {
    const costs = await measureWrites();
    if (process.env.SHOW_FIGURES) console.info(tableOfWrites(costs));
    expect(figuresOf(costs).filter((figure) => !keeps(figure))).toEqual([]);
  },
  60_000,
);
