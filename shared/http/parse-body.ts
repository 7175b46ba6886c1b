import type { BodyContract } from "../contract/operation.ts";
import { Refusal } from "../domain/refusal.ts";
import type { HttpRequest } from "./http-event.ts";

/** Middleware: parses the JSON body and checks that it contains the operation's outer object (D31). */
export function parseBody(contract: BodyContract) {
  return {
    before({ event }: HttpRequest): void {
      const isEmpty = !event.body;
      const type = event.headers["content-type"];
      if (isEmpty && type === undefined) throw missing(contract);
      if (type === undefined || !jsonType.test(type)) {
        throw new Refusal("media_type_not_supported", "Send the body as application/json");
      }
      const body = isEmpty ? undefined : parse(String(event.body), event.isBase64Encoded);
      if (!isRecord(body) || !isRecord(body[contract.object])) throw missing(contract);
      event.body = body;
    },
  };
}

const jsonType = /^application\/([a-z0-9.+-]+\+)?json[ \t]*(;|$)/i;

/** Keys such as `__proto__` are ordinary fields here. Validation later drops fields that the contract does not name. */
function parse(body: string, isBase64Encoded: boolean): unknown {
  try {
    const text = isBase64Encoded ? Buffer.from(body, "base64").toString() : body;
    // Editors and some libraries begin UTF-8 with a byte order mark (RFC 8259 lets parsers ignore it).
    return JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  } catch {
    throw new Refusal("malformed_json", "The body is not well-formed JSON");
  }
}

function missing({ object }: BodyContract): Refusal {
  return new Refusal("body_object_missing", `The body must be an object that holds the object "${object}"`, {
    errors: [{ pointer: `/${object}`, code: "missing", detail: "must be an object" }],
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
