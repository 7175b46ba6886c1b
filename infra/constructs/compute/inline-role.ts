import {
  type AddToPrincipalPolicyResult,
  PolicyDocument,
  type PolicyStatement,
  Role,
  type RoleProps,
} from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";

/** A role with an inline policy. A separate policy would count among the stack's 500 resources. */
export class InlineRole extends Role {
  readonly #rights: PolicyDocument;

  constructor(scope: Construct, id: string, props: Pick<RoleProps, "assumedBy" | "roleName" | "maxSessionDuration">) {
    const rights = new PolicyDocument();
    super(scope, id, { ...props, inlinePolicies: { rights } });
    this.#rights = rights;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.#rights.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}
