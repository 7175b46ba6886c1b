import { createHmac } from "node:crypto";

/** The prefix of a secret in its receiver's form, as Standard Webhooks defines it. */
export const secretPrefix = "whsec_";

const version = "v1";

/** The signed parts: the event's id, the time of the attempt, and the exact bytes that are sent. */
export interface SignedMessage {
  /** Contains no full stop, which separates the signed parts. */
  readonly id: string;
  readonly sentAt: Date;
  readonly body: Buffer;
}

/** The headers of Standard Webhooks for one attempt. `secrets` are keys in base64, each of which signs. */
export function signatureHeaders({ id, sentAt, body }: SignedMessage, secrets: readonly string[]) {
  if (id.includes(".")) throw new Error("The id of an event has a full stop, which separates what is signed");
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const sign = (secret: string) => {
    const hmac = createHmac("sha256", Buffer.from(secret, "base64"));
    return `${version},${hmac.update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
  };
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": secrets.map(sign).join(" ") };
}
