import {
  dataSchemaOf,
  type OutboundEventType,
  outboundEnvelope,
  outboundEventKinds,
  outboundEventTypes,
} from "../../shared/contract/outbound-events.ts";
import { jsonSchemaOf } from "./schemas.ts";
import { eventTexts } from "./texts/outbound-events.ts";
import { textOfShape } from "./texts/texts.ts";
import { exampleOf } from "./with-texts.ts";

/** The outgoing events, as requests that a receiver gets (D42). */
export function describeEvents(): Record<string, object> {
  return Object.fromEntries(outboundEventTypes.map((type) => [type, { post: describeEvent(type) }]));
}

function describeEvent(type: OutboundEventType): object {
  const { tag, summary, description } = eventTexts[type];
  return {
    operationId: `on-${type.replaceAll(/[._]/g, "-")}`,
    tags: [tag],
    summary,
    description,
    security: [],
    requestBody: {
      description: "The event: the `detail` of what a rule on the bus matched.",
      required: true,
      content: { "application/json": { schema: eventSchemaOf(type), example: exampleOfEvent(type) } },
    },
    responses: { "204": { description: "Taken: any status from 200 to 299 ends its delivery by an API destination." } },
  };
}

/** The envelope, with the constants of a type. */
function eventSchemaOf(type: OutboundEventType): object {
  const { data, hasCompany } = outboundEventKinds[type];
  const properties = {
    type: { type: "string", const: type },
    dataschema: { type: "string", const: dataSchemaOf(type) },
    data: jsonSchemaOf(data),
  };
  const required = ["data", ...(hasCompany ? ["companyid"] : [])];
  return {
    allOf: [{ $ref: "#/components/schemas/OutboundEvent" }, { type: "object", required, properties }],
  };
}

/** An example made of the fields' examples. Events about a person have no company. */
function exampleOfEvent(type: OutboundEventType): object {
  const { data, hasCompany } = outboundEventKinds[type];
  const { companyid, ...envelope } = examplesOf(outboundEnvelope);
  const own = examplesOf(data);
  const subject = `${type === "change.undone" ? own.record_type : type.split(".")[0]}/${own.id ?? own.user_id ?? own.record_id}`;
  const state = own.state === undefined ? {} : { state: stateOf(type) };
  const fixed = { type, subject, dataschema: dataSchemaOf(type), ...(hasCompany && { companyid }) };
  return { ...envelope, ...fixed, data: { ...own, ...state } };
}

function stateOf(type: OutboundEventType): string | undefined {
  return type === "invoice.issued" || type === "timesheet.submitted" ? "pending" : type.split(".")[1];
}

function examplesOf({ entries }: { readonly entries: object }): Readonly<Record<string, unknown>> {
  const { text = "", fields = {} } = textOfShape(entries) ?? {};
  return exampleOf({ text, fields }) as Record<string, unknown>;
}
