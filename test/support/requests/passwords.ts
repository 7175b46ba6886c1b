import { countPassword, keepFailure } from "../../../shared/accounts/password-guesses.ts";
import { subjectOf } from "../../../shared/accounts/subjects.ts";
import { findCount } from "../../../shared/db/accounts/windows.ts";
import { clientOf } from "../../../shared/domain/accounts/client-address.ts";

/** Counts wrong passwords at a login, without the time that comparing them takes. */
export async function failPasswords(login: string, times: number, address = "192.0.2.1"): Promise<void> {
  for (let index = 0; index < times; index += 1) {
    await keepFailure(await countPassword({ login, address, proof: undefined }, new Date()), new Date());
  }
}

/** Uses up the passwords of a login for all clients without a proof: 20 each from three addresses. */
export async function shutLogin(login: string): Promise<void> {
  for (const host of [1, 2, 3]) await failPasswords(login, 20, `192.0.2.${host}`);
}

/** The passwords that are counted at a login today. */
export async function passwordsAt(login: string): Promise<number> {
  return findCount({ rule: "password", subject: await subjectOf("password", login) }, new Date(), { consistent: true });
}

/** The wrong passwords that are counted of a client today. */
export async function failuresOf(address: string): Promise<number> {
  const subject = await subjectOf("failures", clientOf(address));
  return findCount({ rule: "failures", subject }, new Date(), { consistent: true });
}
