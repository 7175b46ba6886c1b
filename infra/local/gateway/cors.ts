import type { IncomingHttpHeaders } from "node:http";
import type { CorsRules } from "../stack/template.ts";

/** Whether a request is the question a browser asks before the real one. */
export function isPreflight(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  return method === "OPTIONS" && Boolean(headers.origin) && Boolean(headers["access-control-request-method"]);
}

/** The headers of the answer to a preflight; none for an origin that is not allowed. */
export function preflightHeaders(rules: CorsRules, headers: IncomingHttpHeaders): Record<string, string> {
  const allowed = corsHeaders(rules, headers);
  if (!allowed["access-control-allow-origin"]) return allowed;
  const lists = {
    "access-control-allow-methods": rules.AllowMethods?.join(","),
    "access-control-allow-headers": rules.AllowHeaders?.join(","),
    "access-control-max-age": rules.MaxAge === undefined ? undefined : String(rules.MaxAge),
  };
  return { ...allowed, ...present(lists) };
}

/** What every answer to a request from another origin carries. */
export function corsHeaders(rules: CorsRules, { origin }: IncomingHttpHeaders): Record<string, string> {
  if (!origin) return {};
  const origins = rules.AllowOrigins ?? [];
  const anyone = origins.includes("*");
  if (!anyone && !origins.includes(origin)) return { vary: "origin" };
  return present({
    "access-control-allow-origin": anyone ? "*" : origin,
    "access-control-expose-headers": rules.ExposeHeaders?.join(","),
    "access-control-allow-credentials": rules.AllowCredentials ? "true" : undefined,
    vary: anyone ? undefined : "origin",
  });
}

function present(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => Boolean(entry[1])));
}
