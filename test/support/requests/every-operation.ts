import { readFile } from "node:fs/promises";
import { functions } from "../../../infra/functions/functions.ts";
import type { Operation, Role } from "../../../shared/contract/operation.ts";
import { type OperationName, operations } from "../../../shared/contract/operations.ts";
import type { HttpHandler } from "../../../shared/http/endpoint.ts";
import { type TestUser, testSession } from "../tokens/tokens.ts";
import type { TestRequest } from "./call.ts";

/** An operation with its handler and the request of its sample event. */
export interface TestEndpoint {
  readonly name: string;
  readonly operation: Operation;
  readonly handler: HttpHandler;
  readonly sample: Pick<TestRequest, "parameters" | "query" | "body">;
}

/** Every operation of the contract. */
export const endpoints: readonly TestEndpoint[] = await Promise.all(operations.map(loadEndpoint));

/** A user who may call the operation; undefined where anyone may. */
export function allowedUser({ access }: Operation): TestUser | undefined {
  return access === "anyone" ? undefined : userOf(access[0] ?? "admin");
}

/** A user of that role, in company 1 unless an admin. */
export function userOf(role: Role): TestUser {
  return { id: 900, role, company_id: role === "admin" ? null : 1 };
}

async function loadEndpoint(operation: Operation): Promise<TestEndpoint> {
  const { name } = operation;
  const { area } = functions[name as OperationName];
  const { handler } = await import(`../../../functions/${area}/${name}.ts`);
  const text = await readFile(new URL(`../../../events/${area}/${name}.json`, import.meta.url), "utf8");
  const event = JSON.parse(text.replaceAll("{{session}}", testSession));
  const body = event.body ? JSON.parse(event.body) : undefined;
  return {
    name,
    operation,
    handler,
    sample: { parameters: event.pathParameters ?? {}, query: event.queryStringParameters ?? {}, body },
  };
}
