import { expect, test } from "vitest";
import { explainAwsFault } from "../../../infra/tools/aws/aws-faults.ts";

const place = { stage: "dev", region: "eu-west-1" };

function explain(name: string, message: string, more: object = {}): unknown {
  return explainAwsFault(Object.assign(new Error(message), { name }, more), place);
}

test.each([
  ["CredentialsProviderError", "Could not load credentials", "No AWS credentials were found"],
  ["CredentialsProviderError", "The SSO session of this profile has expired", "have expired: sign in again"],
  ["TokenProviderError", "Token is expired", "have expired: sign in again"],
  ["ExpiredTokenException", "The security token is expired", "have expired: sign in again"],
  ["UnrecognizedClientException", "The security token is invalid", "does not take the credentials"],
  ["InvalidSignatureException", "Signature expired", "this machine's clock"],
  ["AccessDeniedException", "Y may not do X.", "denies access (Y may not do X): the work needs"],
  ["ResourceNotFoundException", "No table", "The stage dev is not deployed in this account in eu-west-1 (No table)"],
  ["TimeoutError", "Too slow", "AWS does not answer in eu-west-1 (Too slow)"],
])("%s, %s, is one sentence that says what to do", (name, message, said) => {
  const explained = explain(name, message) as Error;
  expect(explained.message).toContain(said);
  expect(explained.message).toMatch(/^[^\n]*\.$/);
});

test("an address where nobody answers is named by the system's code, though the error itself says nothing", () => {
  const explained = explain("AggregateError", "", { errors: [{ code: "ECONNREFUSED" }] }) as Error;
  expect(explained.message).toContain("AWS does not answer in eu-west-1 (ECONNREFUSED)");
});

test("an error that is none of AWS's stays as it is", () => {
  const error = new TypeError("x is undefined");
  expect(explainAwsFault(error, place)).toBe(error);
});
