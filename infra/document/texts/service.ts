import { getHealth, getKeySet, getOpenapi, publicJwk } from "../../../shared/contract/service.ts";
import { describes, shapes } from "./text.ts";

export const publicJwkText = shapes(publicJwk, "The public half of a signing key (RFC 7517).", {
  kty: ["Key type: elliptic curve.", "EC"],
  crv: ["Curve of the key.", "P-256"],
  x: ["x coordinate, base64url.", "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4"],
  y: ["y coordinate, base64url.", "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"],
  kid: ["Id of the key, as in the header of the tokens that it signs.", "example-key"],
  alg: ["Signature algorithm, `ES256`.", "ES256"],
  use: ["Use of the key: `sig`, signatures only.", "sig"],
});

export const getHealthText = describes(getHealth, {
  description: `For load balancers and monitors. It reads the table and the keys, so 200 means that requests can be served; anything else
means that they cannot.`,
  answer: {
    text: "The service is up.",
    fields: { status: ["Always `ok`: a service that is not well answers another status.", "ok"] },
  },
});

export const getKeySetText = describes(getKeySet, {
  description: `For other services that accept these access tokens and verify them on their own. Keys change every 30 days; a new one is
published 10 minutes before it signs. Caches may keep the answer for 5 minutes.`,
  answer: {
    text: "The keys that are valid now.",
    fields: { keys: ["One or two keys: the current one, and around a change its neighbour."] },
  },
});

export const getOpenapiText = describes(getOpenapi, {
  description: `Generated from the contract that the service itself runs by, so it is never out of date. Feed it to a client generator or
an API explorer.`,
  answer: {
    text: "This document.",
    fields: {
      openapi: ["Version of the OpenAPI specification that it follows.", "3.1.1"],
      info: ["Title, release and licence."],
      paths: ["The operations by path and method."],
    },
  },
  answers: ["vary"],
});
