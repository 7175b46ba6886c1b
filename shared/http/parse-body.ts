import jsonBodyParser from "@middy/http-json-body-parser";
import type { BodyContract } from "../contract/operation.ts";
import { Refusal } from "../domain/refusal.ts";
import type { HttpRequest } from "./request.ts";

/** Middleware: parses the JSON body and makes sure it holds the operation's outer object (D31). */
export function parseBody(contract: BodyContract) {
  const parser = jsonBodyParser();
  return {
    before(request: HttpRequest): void {
      const { event } = request;
      const isEmpty = event.body === undefined || event.body === null || event.body === "";
      if (isEmpty) event.body = "null";
      if (isEmpty && event.headers["content-type"] === undefined) throw missing(contract);
      try {
        parser.before?.(request as never);
      } catch (error) {
        throw refusalOf(error);
      }
      if (!isRecord(event.body) || !isRecord(event.body[contract.object])) throw missing(contract);
    },
  };
}

function refusalOf(error: unknown): Refusal {
  if (isRecord(error) && error.statusCode === 415) {
    return new Refusal("media_type_not_supported", "Send the body as application/json");
  }
  return new Refusal("malformed_json", "The body is not well-formed JSON");
}

function missing({ object }: BodyContract): Refusal {
  return new Refusal("body_object_missing", `The body must be an object that holds the object "${object}"`, {
    errors: [{ pointer: `/${object}`, code: "missing", detail: "must be an object" }],
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
