import * as iam from "aws-cdk-lib/aws-iam";
import type { Stage } from "../../stages/stages.ts";

/**
 * The people who may take a role, as far as their own policies allow it: those of the account who have shown a second
 * factor, and the stage's `onCallPrincipals`. A session of IAM Identity Center never has the key for a factor:
 * Identity Center asks for one itself. `conditions` hold for all.
 */
export function peopleOf(
  { onCallPrincipals = [] }: Pick<Stage, "onCallPrincipals">,
  conditions: iam.Conditions = {},
): iam.IPrincipal {
  const withFactor = { Bool: { "aws:MultiFactorAuthPresent": "true" }, ...conditions };
  return new iam.CompositePrincipal(
    new iam.AccountRootPrincipal().withConditions(withFactor),
    ...onCallPrincipals.map((arn) =>
      new iam.AccountPrincipal(arn.split(":")[4]).withConditions({ ...onlyOf(arn), ...conditions }),
    ),
  );
}

/**
 * The end that Identity Center gives a role's name has no underscore: another permission set, whose name begins with
 * this one's and an underscore, is kept out.
 */
function onlyOf(arn: string): iam.Conditions {
  const named = { ArnLike: { "aws:PrincipalArn": arn } };
  return arn.endsWith("_*") ? { ...named, ArnNotLike: { "aws:PrincipalArn": `${arn}_*` } } : named;
}
