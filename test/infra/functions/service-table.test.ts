import { expect, test } from "vitest";
import type { FunctionRow } from "../../../infra/functions/function-row.ts";
import { functions } from "../../../infra/functions/functions.ts";
import { queues } from "../../../infra/functions/queues.ts";
import { requireCallers, service } from "../../../infra/functions/service-table.ts";
import { findStage } from "../../../infra/stages/stages.ts";
import { synthesizeAlone } from "../stack.ts";

const row: FunctionRow = { area: "workers", impact: "Nobody learns of shifts." };
const withShifts = (more: Partial<FunctionRow> = {}) => ({
  operations: [],
  functions: { ...functions, "send-shifts": { ...row, ...more } },
});

test("synth refuses a worker that nothing calls, and says where its caller belongs", () => {
  expect(() => synthesizeAlone({ stage: findStage("dev"), service: withShifts() })).toThrow(
    /^The worker send-shifts is called by nothing: give it one caller, in infra\/functions\/queues\.ts or .*\.$/,
  );
  expect(() => requireCallers(withShifts({ daily: { hour: 1, minute: 0 } }), queues)).not.toThrow();
  expect(() => requireCallers(withShifts(), { ...queues, shifts: { worker: "send-shifts" as never } })).not.toThrow();
});

test.each([
  [
    "two queues",
    { ...queues, shifts: queues.pushes },
    "send-pushes is called by the queue pushes and the queue shifts",
  ],
  [
    "a queue and the stream",
    { ...queues, shifts: { worker: "notify" } as const },
    "the queue shifts and the table's stream",
  ],
  ["a queue and a time", { ...queues, shifts: { worker: "mark-overdue" } as const }, "the queue shifts and a schedule"],
])("a worker with %s as its callers is refused", (_, rows, said) => {
  expect(() => requireCallers(service, rows)).toThrow(said);
});
