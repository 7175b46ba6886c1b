import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Secret, type SecretStringGenerator } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import type { Stage } from "../../stages/stage-shape.ts";
import { removalPolicyOf } from "./removal.ts";

/**
 * The fixed name of a secret, its fate when the stack is deleted, and the regions with a copy. A change of the last two
 * leaves its value as it is.
 */
export interface SecretProps extends Pick<Stage, "removal" | "replicaRegions"> {
  readonly name: string;
}

/** The content of a secret: JSON, to which AWS adds a field with a random text. */
export interface SecretContent
  extends Omit<SecretStringGenerator, "generateStringKey" | "includeSpace" | "secretStringTemplate"> {
  /** The setting by which functions get the secret's ARN. */
  readonly setting: string;
  readonly description: string;
  readonly template: object;
  readonly field: string;
}

const key = { passwordLength: 64, excludePunctuation: true } as const;

/**
 * Pins, passcodes, refresh tokens, limits' subjects, requests with an Idempotency-Key and unknown users' ids are hashed with
 * it. Made once; `npm run keys` adds versions and strikes them out.
 */
export const hmacKeySecret: SecretContent = {
  setting: "HMAC_SECRET_ARN",
  description: "Key for the HMACs of pins and passcodes",
  template: { version: 1 },
  field: "key",
  ...key,
};

/** Both `current` and `previous` are valid, so that it can be replaced while requests are under way. */
export const edgeSecret: SecretContent = {
  setting: "EDGE_SECRET_ARN",
  description: "What CloudFront proves itself with to the API",
  template: { previous: "" },
  field: "current",
  ...key,
};

/** Private keys that sign access tokens. A function of the stack creates them and no person sees them (D6). */
export const signingKeys: SecretContent = {
  setting: "SIGNING_SECRET_ARN",
  description: "Private keys that sign access tokens",
  template: { keys: [] },
  // A secret cannot be created empty.
  field: "unused",
};

/** A secret that AWS generates at the first deploy. If its content changes here, CloudFormation generates it again. */
export class GeneratedSecret extends Construct {
  readonly secret: Secret;
  readonly #setting: string;

  constructor(scope: Construct, id: string, content: SecretContent, { name, removal, replicaRegions }: SecretProps) {
    super(scope, id);
    const { setting, description, template, field, ...letters } = content;
    this.#setting = setting;
    const text = { secretStringTemplate: JSON.stringify(template), generateStringKey: field };
    this.secret = new Secret(this, "Secret", {
      secretName: name,
      removalPolicy: removalPolicyOf(removal),
      replicaRegions: replicaRegions?.map((region) => ({ region })),
      description,
      generateSecretString: { ...text, ...letters },
    });
  }

  /** Lets a function read the secret and take further actions on it. Sets the secret's ARN in its environment. */
  grantRead(fn: LambdaFunction, ...further: string[]): void {
    const { secretArn } = this.secret;
    fn.addEnvironment(this.#setting, secretArn);
    const actions = ["secretsmanager:GetSecretValue", ...further];
    fn.addToRolePolicy(new PolicyStatement({ actions, resources: [secretArn] }));
  }
}
