import type { IncomingHttpHeaders } from "node:http";
import type { CorsRules } from "../stack/template.ts";

export function isPreflight(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  return method === "OPTIONS" && Boolean(headers.origin) && Boolean(headers["access-control-request-method"]);
}

/** The headers of the answer to a preflight; none for an origin that is not allowed. */
export function preflightHeaders(rules: CorsRules, headers: IncomingHttpHeaders): Record<string, string> {
  const allowed = corsHeaders(rules, headers);
  if (!allowed["access-control-allow-origin"]) return allowed;
  return {
    ...allowed,
    "access-control-allow-methods": rules.AllowMethods.join(","),
    "access-control-allow-headers": rules.AllowHeaders.join(","),
    "access-control-max-age": String(rules.MaxAge),
  };
}

/** The CORS headers of every answer to another origin. */
export function corsHeaders(rules: CorsRules, { origin }: IncomingHttpHeaders): Record<string, string> {
  if (!origin) return {};
  if (!isAllowed(rules, origin)) return { vary: "origin" };
  const exposed = rules.ExposeHeaders.join(",");
  return { "access-control-allow-origin": origin, vary: "origin", "access-control-expose-headers": exposed };
}

/** Hosts of web apps under development. Capacitor apps on Android have http://localhost. */
const developersHosts = [
  /^(?:[\w-]+\.)*localhost$/,
  /^127\.0\.0\.1$/,
  /^\[::1\]$/,
  /^10(\.\d{1,3}){3}$/,
  /^192\.168(\.\d{1,3}){2}$/,
  /^172\.(1[6-9]|2\d|3[01])(\.\d{1,3}){2}$/,
];

/** Whether pages of an origin may call the API: those of the stage, of this machine and of private networks. */
export function isAllowed({ AllowOrigins }: CorsRules, origin: string): boolean {
  if (AllowOrigins.includes(origin) || origin === "capacitor://localhost") return true;
  const url = URL.parse(origin);
  const isWritten = url?.origin === origin && /^https?:$/.test(url.protocol);
  return isWritten && developersHosts.some((host) => host.test(url.hostname));
}
