import * as v from "valibot";
import { testPinText } from "../contract/accounts.ts";
import { isTestUser, type TestUser } from "../domain/accounts/test-user.ts";
import { readSecret } from "../secrets.ts";
import { settings } from "../settings.ts";

const testPinSecret = v.object({ pin: testPinText });

/** The pin of the stage's test logins, their company, and the moment from which they are as any other. */
export interface TestPin {
  readonly pin: string;
  readonly companyId: number;
  readonly until: Date;
}

/**
 * Finds the pin of the stage's test logins for the user of a login. Undefined for a login that is not listed, a user who is no
 * driver or client of their company, and from the end of the test logins on: those get a pin of their own (D9). Reads the
 * secret, and that for nobody else.
 */
export async function findTestPin(login: string, user: TestUser | undefined, now: Date): Promise<TestPin | undefined> {
  const test = settings.testLogins();
  if (!test?.logins.includes(login) || !(now < new Date(test.until))) return undefined;
  const { companyId, until } = test;
  if (!user || !isTestUser(companyId, user)) return undefined;
  return {
    ...v.parse(testPinSecret, await readSecret(settings.testPinSecretArn())),
    companyId,
    until: new Date(until),
  };
}
