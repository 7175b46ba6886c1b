import * as v from "valibot";
import { pinDigits } from "../contract/accounts.ts";
import { findUser, nobody } from "../db/accounts/users.ts";
import { resetTokenLifeMinutes } from "../domain/accounts/reset-token.ts";
import { isOfSandbox } from "../domain/accounts/sandbox.ts";
import { log } from "../logger.ts";
import { count } from "../metrics.ts";
import { readSecret } from "../secrets.ts";
import { settings } from "../settings.ts";

const sandboxSecret = v.object({ pin: v.pipe(v.string(), v.regex(/^[0-9]{6}$/)) });

/** A request for a pin, and the user of its login. */
interface Asked {
  readonly login: string;
  readonly userId: number | undefined;
  readonly validTo: Date;
  readonly digits: number;
}

/** What a login of the sandbox gets. */
export interface SandboxPin {
  readonly companyId: number;
  /** Undefined while the pins of the login have to be long: it has one then that nobody gets (D10). */
  readonly pin: string | undefined;
}

/**
 * The sandbox's answer to a request for a pin; undefined where the request is as any other: its login is not listed, belongs
 * to nobody of the sandbox, or what the pin leads to would outlast the sandbox (D9). Reads nothing for a login that is not
 * listed; else a user (one read unit) and the secret.
 */
export async function askSandbox({ login, userId, validTo, digits }: Asked): Promise<SandboxPin | undefined> {
  const sandbox = settings.sandbox();
  if (!sandbox?.logins.includes(login) || outlasts(validTo, sandbox.until)) return undefined;
  const { companyId } = sandbox;
  const user = await findUser(userId ?? nobody);
  const isMember = user !== undefined && isOfSandbox(companyId, user);
  if (isMember && digits === pinDigits) {
    return { companyId, ...v.parse(sandboxSecret, await readSecret(settings.sandboxSecretArn())) };
  }
  const code = isMember ? "sandbox_login_locked" : "sandbox_login_refused";
  log("warn", "sandbox pin withheld", { code, user_id: userId });
  count("SandboxPinsWithheld", {});
  return isMember ? { companyId, pin: undefined } : undefined;
}

/** True where the reset token of a pin that is confirmed in its last moment counts after a day, in UTC. */
function outlasts(validTo: Date, day: string): boolean {
  const end = new Date(validTo.getTime() + resetTokenLifeMinutes * 60_000);
  return end.toISOString().slice(0, 10) > day;
}
