import * as iam from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";

/** A role with an inline policy. A separate policy would count among the stack's 500 resources. */
export class InlineRole extends iam.Role {
  readonly #rights: iam.PolicyDocument;

  constructor(
    scope: Construct,
    id: string,
    props: Pick<iam.RoleProps, "assumedBy" | "roleName" | "maxSessionDuration">,
  ) {
    const rights = new iam.PolicyDocument();
    super(scope, id, { ...props, inlinePolicies: { rights } });
    this.#rights = rights;
  }

  override addToPrincipalPolicy(statement: iam.PolicyStatement): iam.AddToPrincipalPolicyResult {
    this.#rights.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}
