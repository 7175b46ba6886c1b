import type { Role } from "../../contract/operation.ts";
import { defineEntity, type StoredItem } from "../../table/entity.ts";
import { epochSecondsAfter } from "../../table/table.ts";
import { putIf } from "../../table/writes.ts";

/** The person who made an access token, and the user that it is for; never the token. */
interface StoredMinting extends StoredItem {
  readonly jti: string;
  /** The ARN of the caller's credentials. */
  readonly made_by: string;
  readonly made_at: string;
  readonly user_id: number;
  readonly role: Role;
  readonly valid_to: string;
  readonly expires_at: number;
}

const partition = "MINTED";
/** More than a year, for an audit of it. */
const mintingDays = 400;

/** The entity of records of access tokens that people made. No function reaches their partition by key. */
export const mintedTokens = defineEntity<StoredMinting>("minted token", ({ pk }) => pk === partition);

/** An access token that a person is about to make. */
export interface Minting {
  readonly jti: string;
  readonly madeBy: string;
  readonly user: { readonly id: number; readonly role: Role };
  readonly madeAt: Date;
  readonly validTo: Date;
}

/** Access pattern MT1: records who makes an access token, and which user it is for, for 400 days. One write unit. */
export async function recordMinting({ jti, madeBy, user, madeAt, validTo }: Minting): Promise<void> {
  const [made_at, valid_to] = [madeAt.toISOString(), validTo.toISOString()];
  const fields = { jti, made_by: madeBy, made_at, user_id: user.id, role: user.role, valid_to };
  const expires_at = epochSecondsAfter(madeAt, mintingDays);
  await putIf({ Item: mintedTokens.encode({ pk: partition, sk: `${made_at}#${jti}`, ...fields, expires_at }) });
}
