import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Stage } from "../../stages/stages.ts";
import type { TokenNames } from "../stores/signing-keys.ts";

/** Sets whose access tokens a function trusts: the service's own, or those of the stage's outside issuer (D4). */
export function grantTokenVerification(
  fn: LambdaFunction,
  { issuer, audience }: TokenNames,
  { oidcIssuer }: Stage,
): void {
  fn.addEnvironment("TOKEN_ISSUER", issuer);
  fn.addEnvironment("TOKEN_AUDIENCE", audience);
  if (oidcIssuer) fn.addEnvironment("OIDC_ISSUER", JSON.stringify(oidcIssuer));
}
