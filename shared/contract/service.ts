import * as v from "valibot";
import { operation } from "./operation.ts";
import { text } from "./values.ts";

/** Caches keep a published key or the document as long; a new key is published twice as long ahead (D6). */
export const cacheSeconds = 300;

/** The headers of their answers: any cache may keep them. */
export const cacheHeaders = { "cache-control": `public, max-age=${cacheSeconds}` };

/** GET health: succeeds if the service runs, its table answers, and access tokens can be verified. */
export const getHealth = operation({
  name: "get-health",
  summary: "Reports that the service is up",
  method: "GET",
  path: "/api/v1/health",
  access: "anyone",
  answersHead: true,
  answer: v.object({ status: v.literal("ok") }),
});

/** A public signing key (RFC 7517). */
export const publicJwk = v.object({
  kty: text(20),
  crv: text(20),
  x: text(100),
  y: text(100),
  kid: text(64),
  alg: text(20),
  use: text(20),
});

/** A public signing key in its published form. */
export type PublicJwk = v.InferOutput<typeof publicJwk>;

/** More keys than are ever published: a month has one, and one is withdrawn when the next signs (D6). */
const mostKeys = 20;

/** GET jwks.json: the public keys that verify access tokens (D6). */
export const getKeySet = operation({
  name: "get-key-set",
  summary: "Publishes the keys that access tokens are verified with",
  method: "GET",
  path: "/.well-known/jwks.json",
  access: "anyone",
  answersHead: true,
  answer: v.object({ keys: v.pipe(v.array(publicJwk), v.maxLength(mostKeys)) }),
});

/** GET openapi.json: this contract as an OpenAPI document (D37). */
export const getOpenapi = operation({
  name: "get-openapi",
  summary: "Describes the interface as an OpenAPI document",
  method: "GET",
  path: "/api/v1/openapi.json",
  access: "anyone",
  answersHead: true,
  answer: v.looseObject({ openapi: text(20), info: v.looseObject({}), paths: v.looseObject({}) }),
});
