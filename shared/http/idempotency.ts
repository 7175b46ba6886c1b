import type { Caller, Operation } from "../contract/operation.ts";
import { keyedChangeId } from "../contract/operation.ts";
import { Refusal } from "../contract/refusals.ts";
import type { RequestKey } from "../records/changes.ts";
import { hmacKey } from "../tokens/secrets.ts";
import { type HttpEvent, requireCaller } from "./http-event.ts";

/** Reads the `Idempotency-Key` of a valid request; undefined without one, and then no secret is read (D32). */
export async function readKey({ name }: Pick<Operation, "name">, event: HttpEvent): Promise<RequestKey | undefined> {
  const key = event.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw invalidKey();
  const caller = requireCaller(event);
  const changeId = keyedChangeId({ userId: caller.userId, operation: name, key }, new Date());
  return { changeId, ...(await fingerprintOf(caller, name, event.input)) };
}

function invalidKey(): Refusal {
  return new Refusal("fields_invalid", "Invalid: Idempotency-Key", {
    errors: [{ header: "Idempotency-Key", code: "invalid", detail: "must be 1 to 255 visible ASCII characters" }],
  });
}

/**
 * The keyed hash of who sent what, after validation: the same however the JSON was written. A user in another role or
 * company is another caller. The passcode is checked apart, and is not compared.
 */
async function fingerprintOf(caller: Caller, operation: string, input: HttpEvent["input"]) {
  const { userId, role, companyId } = caller;
  const hmac = await hmacKey();
  const sent = `${userId}|${role}|${companyId}|${operation}|${JSON.stringify({ ...input, body: withoutPasscode(input?.body) })}`;
  return {
    fingerprint: hmac.sign("idempotency", sent),
    matches: (stored: string) => hmac.verify("idempotency", sent, stored),
  };
}

function withoutPasscode(body: unknown): unknown {
  const { passcode: _checked, ...fields } = (body ?? {}) as Record<string, unknown>;
  return fields;
}
