import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type OutboundEvent, outboundEventTypes } from "../../../shared/contract/outbound-events.ts";
import { openApi } from "../../support/requests/described-answers.ts";
import { installDocumentTools } from "./install.ts";

/** The part of the SDK of CloudEvents that a receiver calls. */
interface CloudEvents {
  readonly CloudEvent: new (event: object) => { validate(): boolean; toJSON(): object };
}

const { CloudEvent }: CloudEvents = createRequire(join(installDocumentTools(), "any.js"))("cloudevents");

/** The example of a kind, with a character that is two UTF-16 units. */
function eventOf(type: string): OutboundEvent {
  const { example } = openApi.webhooks[type].post.requestBody.content["application/json"];
  const title = "title" in example.data && { title: "Driver 🚚" };
  return { ...example, source: "urn:workforce:test", data: { ...example.data, ...title } };
}

test.each(outboundEventTypes)("D42: %s is taken by the library of CloudEvents", (type) => {
  const event = eventOf(type);
  const read = new CloudEvent(JSON.parse(JSON.stringify(event)));
  expect(read.validate()).toBe(true);
  expect(JSON.parse(JSON.stringify(read))).toEqual(event);
});
