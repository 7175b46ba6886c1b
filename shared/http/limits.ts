import { Refusal } from "../contract/refusals.ts";
import type { HttpRequest } from "./http-event.ts";

/** More than any operation needs: 90 ids and their texts are a few KB (D33). */
export const maxBodyBytes = 256 * 1024;
/** A cursor has 200 characters, a filter some hundred (D33). */
export const maxQueryBytes = 4 * 1024;

/** Middleware: refuses bodies above 256 KiB and query strings above 4 KiB (D33). */
export function limitSizes() {
  return {
    before({ event }: HttpRequest): void {
      const encoding = event.isBase64Encoded ? "base64" : "utf8";
      if (Buffer.byteLength(event.body ?? "", encoding) > maxBodyBytes) {
        throw new Refusal("body_too_large", "The body must not exceed 256 KiB");
      }
      if (Buffer.byteLength(event.rawQueryString) > maxQueryBytes) {
        throw new Refusal("query_too_long", "The query string must not exceed 4 KiB");
      }
    },
  };
}
