import { findAccountWith } from "../../../shared/db/accounts/accounts.ts";
import { verifyPassword } from "../../../shared/domain/accounts/password.ts";
import { demoUsers } from "./demo.ts";
import { demoPassword } from "./demo-people.ts";

/** The named demo users, and whether the demo password still works for each. */
export function findDemoPeople() {
  return Promise.all(
    Object.values(demoUsers).map(async (user) => {
      const account = await findAccountWith("password", user.id);
      const hasDemoPassword = account?.hash !== undefined && (await verifyPassword(demoPassword, account.hash));
      return { ...user, hasDemoPassword };
    }),
  );
}
