import * as v from "valibot";
import { everyRole, keyAccesses, operation } from "./operation.ts";
import { idParameter } from "./query.ts";
import { id, longestPassword, oneLine, optionalField, text, timestamp } from "./values.ts";

/** Most API keys of a user at once. */
export const mostApiKeys = 20;

/** Days for which an API key is valid unless its maker says another moment, and at most. */
export const apiKeyDays = { usual: 90, most: 400 } as const;

/** An API key of the caller's, without its secret. */
export const apiKey = v.object({
  id,
  name: oneLine(100),
  access: v.picklist(keyAccesses),
  created_at: timestamp,
  expires_at: timestamp,
});

/** The same with its secret, which is shown once. */
export const createdApiKey = v.object({ ...apiKey.entries, secret: text(100) });

/** POST users/keys: makes an API key of the caller's, with which a program calls in their name (D46). */
export const createApiKey = operation({
  name: "create-api-key",
  summary: "Creates an API key for a program",
  method: "POST",
  path: "/api/v1/users/keys",
  access: everyRole,
  needsSession: true,
  keys: "closed",
  body: {
    object: "key",
    fields: v.object({
      name: oneLine(100),
      access: optionalField(v.picklist(keyAccesses)),
      expires_at: optionalField(timestamp),
      password: text(longestPassword),
    }),
  },
  answer: v.object({ key: createdApiKey }),
  refusals: ["password_invalid", "too_many_requests", "route_not_found"],
});

/** GET users/keys: the caller's API keys that are valid, newest first, without their secrets (D46). */
export const listApiKeys = operation({
  name: "list-api-keys",
  summary: "Lists the caller's API keys, newest first",
  method: "GET",
  path: "/api/v1/users/keys",
  access: everyRole,
  keys: "closed",
  answer: apiKey,
  list: "keys",
  refusals: ["route_not_found"],
});

/** DELETE users/keys/{id}: ends one of the caller's API keys at once (D46). */
export const deleteApiKey = operation({
  name: "delete-api-key",
  summary: "Deletes one of the caller's API keys",
  method: "DELETE",
  path: "/api/v1/users/keys/{id}",
  access: everyRole,
  needsSession: true,
  keys: "closed",
  parameters: v.object({ id: idParameter }),
  answer: v.object({}),
  refusals: ["route_not_found"],
});
