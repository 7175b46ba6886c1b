import { normalEmail } from "../../domain/accounts/email-address.ts";
import { loginKey, logins } from "../accounts/logins.ts";
import type { Item } from "../table/table.ts";

/** Two users whose e-mail logins are one address by now. */
export interface LoginCollision {
  readonly userIds: readonly [number, number];
}

/**
 * Finds e-mail logins that release 0.1 told apart and that have one normal form (D7). They are reported and never merged:
 * each goes on signing in with what 0.1 took. One read unit for each login in a form of 0.1.
 */
export function watchLogins(): (item: Item) => Promise<LoginCollision | undefined> {
  const owners = new Map<string, number>();
  return async (item) => {
    if (!logins.matches({ pk: String(item.pk), sk: String(item.sk) })) return undefined;
    const login = String(item.pk).slice(loginKey("").pk.length);
    const normal = normalEmail(login);
    if (normal === undefined || normal === login) return undefined;
    const { user_id } = logins.decode(item);
    const earlier = owners.get(normal);
    owners.set(normal, user_id);
    const other = earlier ?? (await logins.find(loginKey(normal), { consistent: true }))?.user_id;
    return other === undefined || other === user_id ? undefined : { userIds: [other, user_id] };
  };
}
