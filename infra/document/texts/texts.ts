import type { Operation } from "../../../shared/contract/operation.ts";
import * as accounts from "./accounts.ts";
import * as apiKeys from "./api-keys.ts";
import * as changes from "./changes.ts";
import * as companies from "./companies.ts";
import * as devices from "./devices.ts";
import * as finance from "./finance.ts";
import * as jobs from "./jobs.ts";
import * as notifications from "./notifications.ts";
import * as outboundEvents from "./outbound-events.ts";
import * as service from "./service.ts";
import * as sessions from "./sessions.ts";
import type { OperationText, ShapeText } from "./text.ts";

const { eventTexts: _, ...eventShapes } = outboundEvents;

const texts: readonly (OperationText | ShapeText)[] = [
  ...Object.values(accounts),
  ...Object.values(apiKeys),
  ...Object.values(changes),
  ...Object.values(companies),
  ...Object.values(devices),
  ...Object.values(finance),
  ...Object.values(jobs),
  ...Object.values(notifications),
  ...Object.values(eventShapes),
  ...Object.values(service),
  ...Object.values(sessions),
];

/** The texts of an operation; undefined if the contract does not contain it. */
export function operationTextOf({ name }: Operation): OperationText | undefined {
  return texts.find((each): each is OperationText => "operation" in each && each.operation === name);
}

/** The texts of the shape with these fields; undefined if it has none. */
export function textOfShape(fields: object): ShapeText | undefined {
  return texts.find((each): each is ShapeText => "shape" in each && each.shape === fields);
}
