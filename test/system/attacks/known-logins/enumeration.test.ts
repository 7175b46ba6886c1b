import { beforeAll, beforeEach, expect, test } from "vitest";
import { useSigningKey } from "../../../support/records/own-user.ts";
import { userLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { askPin } from "../../../support/requests/accounts.ts";
import type { TestAnswer } from "../../../support/requests/call.ts";
import { forgetLimits } from "../../../support/requests/limits.ts";
import { useService } from "../../../support/service/service.ts";
import { anonymousFlows } from "./anonymous-flows.ts";

const service = useService();
const pairs = [
  ["known@example.com", "nobody@example.com"],
  ["+447400123450", "+447400123459"],
] as const;
const [[email], [phone_number]] = pairs;

useSigningKey();
beforeAll(() => store([userLine(10, { email, phone_number, password: "a harbour before dawn" })]));
beforeEach(() => forgetLimits(service));

/** What an answer shows beside what the caller sent, the id made of it, and the moment. */
function shapeOf({ status, headers, body }: TestAnswer, login: string): string {
  const { "x-request-id": _id, ...shown } = headers;
  return JSON.stringify([status, shown, body])
    .replaceAll(login, "LOGIN")
    .replace(/"id":[1-9][0-9]{0,15}(?=[,}])/, '"id":ID')
    .replace(/"request_id":"[^"]+"/, '"request_id":ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, "MOMENT");
}

test.each(
  anonymousFlows,
)("D12, D13, D15, D16: $name gets the same status, headers and body for a known and an unknown login", async ({
  send,
  prepare,
}) => {
  await prepare?.(pairs.flat());
  for (const pair of pairs) {
    const shapes = [];
    for (const login of pair) shapes.push([shapeOf(await send(login), login), shapeOf(await send(login), login)]);
    expect(shapes[0]).toEqual(shapes[1]);
  }
});

test("D12: the id shown for a login is stable, differs by login, and is not the user's", async () => {
  const ids = [];
  for (const login of [email, email.toUpperCase(), "nobody@example.com"]) {
    await forgetLimits(service);
    ids.push((await askPin(login)).body.user.id);
  }
  expect(ids[0]).toBe(ids[1]);
  expect(ids[0]).not.toBe(ids[2]);
  expect(ids[0]).not.toBe(10);
});
