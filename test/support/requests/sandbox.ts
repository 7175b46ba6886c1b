import { afterAll, beforeAll } from "vitest";
import { readHmacKeyVersions, writeSecret } from "../../../shared/secrets.ts";
import { type StageSandbox, settings } from "../../../shared/settings.ts";

/** The pin of the tests' sandbox. */
export const sandboxPin = "073915";

/** Gives a test file the sandbox of a stage, which outlasts every clock that a test sets. */
export function useSandbox(sandbox: Omit<StageSandbox, "until">): void {
  beforeAll(async () => {
    const arn = settings.hmacSecretArn();
    const { versions } = await readHmacKeyVersions();
    // The local machine has no secret of a sandbox, so that its worker has a right to this one alone: it holds both.
    await writeSecret(arn, { version: 1, key: versions[0]?.key, pin: sandboxPin });
    process.env.SANDBOX_SECRET_ARN = arn;
    setSandbox({ ...sandbox, until: "2999-12-31" });
  });
  afterAll(() => {
    delete process.env.SANDBOX_SECRET_ARN;
    delete process.env.SANDBOX;
  });
}

/** Puts another sandbox in place, as a deploy would. */
export function setSandbox(sandbox: StageSandbox): void {
  process.env.SANDBOX = JSON.stringify(sandbox);
}
