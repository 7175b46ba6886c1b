import type { MethodName } from "../../../shared/client/client.ts";
import type { ClientOperation } from "../../../shared/client/request.ts";
import type { Operation } from "../../../shared/contract/operation.ts";
import { operations } from "../../../shared/contract/operations.ts";
import { signOut } from "../../../shared/contract/sessions.ts";
import { fieldsOf } from "../../document/schemas.ts";
import { operationTextOf } from "../../document/texts/texts.ts";

/** The name of a client's method: `list-invoices` is `listInvoices`. */
export function methodNameOf(name: string): MethodName {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) as MethodName;
}

/** The facts that the client needs about each operation, by method name. */
export function clientOperations(): Record<string, ClientOperation> {
  return Object.fromEntries(operations.map((each) => [methodNameOf(each.name), clientOperation(each)]));
}

function clientOperation(operation: Operation): ClientOperation {
  const { method, path, body, answer, list, access, idempotent, name } = operation;
  const { takes, answers } = operationTextOf(operation) ?? {};
  const always = fieldsOf(answer).filter(({ required }) => required);
  return {
    method,
    path,
    answers: always.map((field) => field.name),
    ...(body && { object: body.object }),
    ...(list && { list }),
    ...(access !== "anyone" && { signedIn: true }),
    ...(idempotent && { idempotent }),
    ...(takes?.includes("KnownClient") && { takesProof: true }),
    ...(answers?.includes("authorization") && { answersTokens: true }),
    ...(name === signOut.name && { endsSession: true }),
  };
}
