import * as v from "valibot";
import { expect, test } from "vitest";
import { outboundEventKinds, outboundEventOf, outboundEventTypes } from "../../shared/contract/outbound-events.ts";
import { faultsAt, openApi } from "../support/requests/described-answers.ts";

const placeOf = (type: string) => ["webhooks", type, "post", "requestBody", "content", "application/json"];
const exampleOf = (type: string) => placeOf(type).reduce((at, part) => at[part], openApi).example;

test("D42: the document describes every kind of event and no other", () => {
  expect(Object.keys(openApi.webhooks)).toEqual(outboundEventTypes);
});

test.each(outboundEventTypes)("D42: %s: its example is an event of the contract and of the document", (type) => {
  const example = exampleOf(type);
  expect(v.parse(outboundEventOf(type), example)).toEqual(example);
  expect(faultsAt([...placeOf(type), "schema"], example)).toEqual([]);
});

test.each(outboundEventTypes)("D42: %s: what is not of the kind, or lacks something, is none", (type) => {
  const example = exampleOf(type);
  const { sequence: _, ...incomplete } = example;
  const { companyid: __, ...tenantless } = example;
  const other = outboundEventTypes.find((each) => each !== type);
  const wrong = [incomplete, { ...example, type: other }, { ...example, data: {} }, { ...example, id: "1" }];
  if (outboundEventKinds[type].hasCompany) wrong.push(tenantless);
  for (const each of wrong) {
    expect(v.is(outboundEventOf(type), each)).toBe(false);
    expect(faultsAt([...placeOf(type), "schema"], each)).not.toEqual([]);
  }
});
