import { afterAll, beforeAll } from "vitest";
import { readHmacKeyVersions, writeSecret } from "../../shared/secrets.ts";
import { settings, type TestLogins } from "../../shared/settings.ts";

/** The pin of the test logins. */
export const testPin = "073915284460";

/** Gives a test file a stage with test logins, which outlast every clock that a test sets. */
export function useTestLogins(testLogins: Omit<TestLogins, "until">): void {
  beforeAll(async () => {
    process.env.TEST_PIN_SECRET_ARN = settings.hmacSecretArn();
    await storeTestPin(testPin);
    setTestLogins({ ...testLogins, until: "2999-12-31" });
  });
  afterAll(() => {
    delete process.env.TEST_PIN_SECRET_ARN;
    delete process.env.TEST_LOGINS;
  });
}

/** Puts other test logins in place, as a deploy would. */
export function setTestLogins(testLogins: TestLogins): void {
  process.env.TEST_LOGINS = JSON.stringify(testLogins);
}

/** Stores a pin. The local machine has no secret for it, so that its worker has a right to the HMAC key's alone: that holds both. */
export async function storeTestPin(pin: string): Promise<void> {
  const [made] = (await readHmacKeyVersions()).versions;
  await writeSecret(settings.hmacSecretArn(), { version: 1, key: made?.key, pin });
}
