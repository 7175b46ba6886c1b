import { apiKey, createApiKey, createdApiKey, deleteApiKey, listApiKeys } from "../../../shared/contract/api-keys.ts";
import { apiKeyFields } from "./fields.ts";
import { describes, shapes } from "./text.ts";

export const apiKeyText = shapes(apiKey, "An API key of the caller.", apiKeyFields);

export const createdApiKeyText = shapes(createdApiKey, "A new API key, with its secret.", {
  ...apiKeyFields,
  secret: [
    "Send it as `Authorization: Bearer …`. It is shown this once: store it as safely as a password.",
    "wfk_1a2b3c4d_5_374186967040001_example-secret-of-43-letters-Vb2x9QpLm0RtZ7",
  ],
});

export const createApiKeyText = describes(createApiKey, {
  description: `Lets a program call in your name without your password. Its secret is in this answer alone. A key is valid until it
expires, is deleted, or you get another password; and while role and company are those that you make it in. You may have 20 at once, and make 20 on a day (UTC). Every new key is
notified to you, by mail and SMS as well. A repetition after a lost answer is 422: it names the key to delete first.`,
  body: {
    text: "The key to make.",
    fields: {
      name: apiKeyFields.name,
      access: ["`read` for reads alone (the default), `act` to pay, undo, adjust and mark as well.", "read"],
      expires_at: [
        "Time at which it expires, at most 400 days ahead. Without it 90 days from now.",
        "2026-08-30T08:30:00.000Z",
      ],
      password: ["Your password. A stolen session alone makes no key.", "workforce demo"],
    },
  },
  answer: { text: "The key is made.", fields: { key: ["The key, with its secret."] } },
});

export const listApiKeysText = describes(listApiKeys, {
  description: `The programs that you have let in. Keys that have expired, were deleted, or ended with a new password are left out, and
no secret is ever shown again.`,
  answer: {
    text: "Up to 40 keys, all on one page: 20 of your own, and 20 that the service's engineers made, each for a day at most.",
    fields: { keys: ["The keys, the newest first."] },
  },
});

export const deleteApiKeyText = describes(deleteApiKey, {
  description: "Ends a key at once: the next call with it is 401. Deleting a key that is gone already succeeds.",
  parameters: { id: apiKeyFields.id },
  answer: { text: "The key has ended. The body is an empty object.", fields: {} },
});
