import { normalEmail } from "../../domain/accounts/email-address.ts";
import { keyOf } from "../table/keys.ts";
import type { Item } from "../table/table.ts";
import { loginKey, logins } from "./logins.ts";

/** Two users whose e-mail logins are one address by now. */
type LoginCollision = readonly [userId: number, userId: number];

/**
 * Collects, from the items that it is shown, e-mail logins that release 0.1 distinguished and that have one normal form (D7).
 * They are reported and never merged: each goes on signing in with what 0.1 took. One read unit for each login in a form of
 * 0.1.
 */
export function watchLogins() {
  const collisions: LoginCollision[] = [];
  const owners = new Map<string, number>();
  const onItem = async (item: Item): Promise<void> => {
    const key = keyOf(item);
    if (!logins.matches(key)) return;
    const login = key.pk.slice(loginKey("").pk.length);
    const normal = normalEmail(login);
    if (normal === undefined || normal === login) return;
    const { user_id } = logins.decode(item);
    const earlier = owners.get(normal);
    owners.set(normal, user_id);
    const other = earlier ?? (await logins.find(loginKey(normal), { consistent: true }))?.user_id;
    if (other !== undefined && other !== user_id) collisions.push([other, user_id]);
  };
  return { onItem, collisions };
}
