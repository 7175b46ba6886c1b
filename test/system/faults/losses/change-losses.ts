import { expect, vi } from "vitest";
import { handler as getDocs } from "../../../../functions/service/get-docs.ts";
import { handler as refuseUnrouted } from "../../../../functions/service/refuse-unrouted.ts";
import { handler as updateTotals } from "../../../../functions/workers/keep-totals-and-history.ts";
import { handler as markOverdue } from "../../../../functions/workers/mark-overdue.ts";
import { handler as notify } from "../../../../functions/workers/notify.ts";
import { handler as recountLists } from "../../../../functions/workers/recount-lists.ts";
import { handler as rotate } from "../../../../functions/workers/rotate-signing-key.ts";
import type { Operation } from "../../../../shared/contract/operation.ts";
import { findOpenKeys } from "../../../../shared/db/accounts/public-keys.ts";
import { countList } from "../../../../shared/db/lists/totals.ts";
import { reconcileTotals } from "../../../../shared/db/reconcile/reconcile-totals.ts";
import { recordKey } from "../../../../shared/db/table/item-keys.ts";
import { readSigningKeys } from "../../../../shared/tokens/signing-keys.ts";
import { invoiceLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { readItem, write } from "../../../support/records/writes.ts";
import { call } from "../../../support/requests/call.ts";
import { testKeyId } from "../../../support/tokens/tokens.ts";
import { takeMessages } from "../../../support/workers/queues.ts";
import { streamRecord } from "../../../support/workers/workers.ts";
import { type Attempt, type LossPlan, newId, redeliveryMs } from "./scenario.ts";

function scheduled(handler: () => Promise<unknown>): Attempt {
  return () => handler().then(() => true);
}

function pass(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

const day = 86_400_000;

/** The plans of what the stream and schedules bring, and of what no route takes. */
export const changeLosses = {
  "keep-totals-and-history": {
    holds: "the record is counted once, and all totals are exact",
    loses: "TransactWriteItems",
    repeatMs: redeliveryMs,
    prepare: async () => {
      const [id, scope] = [newId(), newId()];
      await write(invoiceLine(id, scope));
      const key = recordKey("INVOICE", id);
      const record = streamRecord(key, { after: await readItem(key) });
      return {
        attempt: async () => (await updateTotals({ Records: [record] })).batchItemFailures.length === 0,
        check: async () => {
          expect(await countList({ list: "INVOICES", scope, states: ["pending", "paid", "overdue"] })).toBe(1);
          expect((await reconcileTotals()).drifts).toEqual([]);
        },
      };
    },
  },
  notify: {
    holds: "the change is queued, and each copy says the same event (D25)",
    loses: "SendMessageBatch",
    prepare: async () => {
      await takeMessages("NOTIFICATION_QUEUE_URL");
      const id = newId();
      const record = streamRecord(recordKey("JOB", id), { after: { id, company_id: 3 } }, `event-${id}`);
      return {
        attempt: async () => (await notify({ Records: [record] })).batchItemFailures.length === 0,
        check: async () => {
          const queued = (await takeMessages("NOTIFICATION_QUEUE_URL")) as { eventId: string }[];
          expect(new Set(queued.map(({ eventId }) => eventId))).toEqual(new Set([`event-${id}`]));
        },
      };
    },
  },
  "mark-overdue": {
    holds: "each invoice turns overdue once",
    loses: "TransactWriteItems",
    prepare: async () => {
      const id = newId();
      await store([invoiceLine(id, 1, { state: "pending", due_date: "2020-01-01" })]);
      const before = Number((await readItem(recordKey("INVOICE", id)))?.revision);
      return {
        attempt: scheduled(markOverdue),
        check: async () => {
          const stored = await readItem(recordKey("INVOICE", id));
          expect(stored).toMatchObject({ revision: before + 1, record: { state: "overdue" } });
        },
      };
    },
  },
  "recount-lists": {
    holds: "it ends",
    loses: "Query",
    prepare: async () => ({ attempt: scheduled(recountLists) }),
  },
  "refuse-unrouted": {
    holds: "it refuses",
    prepare: async () => ({
      attempt: async () =>
        (await call(refuseUnrouted, { method: "GET", path: "/none" } as unknown as Operation)).status === 404,
    }),
  },
  "get-docs": {
    holds: "it leads to the page",
    prepare: async () => ({
      attempt: async () => (await call(getDocs, { method: "GET", path: "/" } as unknown as Operation)).status === 302,
    }),
  },
  "rotate-signing-key": {
    holds: "one key is added, and it alone goes on being published (D6)",
    loses: "PutSecretValue",
    prepare: async () => {
      pass(31 * day);
      return {
        attempt: scheduled(rotate),
        check: async () => {
          pass(day);
          await rotate();
          const [, newest, ...others] = (await readSigningKeys({ fresh: true })).map(({ jwk }) => jwk.kid);
          const open = (await findOpenKeys()).map(({ kid }) => kid).filter((kid) => kid !== testKeyId);
          expect([open, others]).toEqual([[newest], []]);
        },
      };
    },
  },
} as const satisfies Record<string, LossPlan>;
