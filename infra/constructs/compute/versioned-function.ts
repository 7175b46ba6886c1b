import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { Lazy } from "aws-cdk-lib";
import * as lambda from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";

/** Whether Lambda keeps a property in each version. The code is known by its digest; the others belong to the function alone. */
const isVersioned = {
  architectures: true,
  capacityProviderConfig: true,
  code: false,
  codeSigningConfigArn: false,
  deadLetterConfig: true,
  description: true,
  durableConfig: true,
  environment: true,
  ephemeralStorage: true,
  fileSystemConfigs: true,
  functionName: true,
  functionScalingConfig: false,
  handler: true,
  imageConfig: true,
  kmsKeyArn: true,
  layers: true,
  loggingConfig: true,
  memorySize: true,
  packageType: true,
  publishToLatestPublished: false,
  recursiveLoop: false,
  reservedConcurrentExecutions: false,
  role: true,
  runtime: true,
  runtimeManagementConfig: true,
  snapStart: true,
  tags: false,
  tenancyConfig: true,
  timeout: true,
  tracingConfig: true,
  vpcConfig: true,
} satisfies Record<keyof lambda.CfnFunctionProps, boolean>;

const versioned = (Object.keys(isVersioned) as (keyof typeof isVersioned)[]).filter((name) => isVersioned[name]);

export interface VersionedFunctionProps extends Omit<lambda.FunctionProps, "code"> {
  /** The folder of its bundle. */
  readonly folder: string;
}

/**
 * A function whose current version has a new logical id exactly if the code or the configuration that Lambda sees has changed.
 * Lambda publishes nothing else, and the deploy fails on a version that it does not publish. The CDK's own ids also change with the
 * bucket of the assets and with releases of the CDK. Properties that are overridden in the template alone are not seen.
 */
export class VersionedFunction extends lambda.Function {
  readonly #codeDigest: string;

  constructor(scope: Construct, id: string, { folder, ...props }: VersionedFunctionProps) {
    super(scope, id, { ...props, code: lambda.Code.fromAsset(folder) });
    this.#codeDigest = digestOf(folder);
  }

  override get currentVersion(): lambda.Version {
    const version = super.currentVersion;
    // The environment grows until the synthesis.
    const produce = () => `${this.stack.resolve(this.#made.logicalId)}Version${this.#digest()}`;
    (version.node.defaultChild as lambda.CfnVersion).overrideLogicalId(Lazy.uncachedString({ produce }));
    return version;
  }

  get #made(): lambda.CfnFunction {
    return this.node.defaultChild as lambda.CfnFunction;
  }

  #digest(): string {
    const seen = versioned.map((name) => [name, this.#made[name]]);
    const configuration = this.stack.resolve(seen);
    return createHash("sha256")
      .update(this.#codeDigest)
      .update(JSON.stringify(sorted(configuration)))
      .digest("hex")
      .slice(0, 32);
  }
}

/** The digest of a folder's files, by their names and content. */
function digestOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const paths = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).toSorted();
  const digests = paths.map((path) => [path, sha256(readFileSync(join(folder, path)))]);
  return sha256(JSON.stringify(digests));
}

function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

/** A value whose objects have their members in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, each]) => [name, sorted(each)]));
}
