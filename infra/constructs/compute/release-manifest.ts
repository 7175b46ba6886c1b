import { StringParameter } from "aws-cdk-lib/aws-ssm";
import { Construct } from "constructs";
import { type ReleaseManifest, writeManifest } from "../../functions/release.ts";

/** The most characters in a parameter of SSM, enough for some 300 functions. */
const mostCharacters = 4_096;

/**
 * Stores the commit of the builds outside of the functions, so that a commit which changes no function redeploys none.
 * SSM keeps the last 100 releases free of charge.
 */
export class ReleaseManifests extends Construct {
  constructor(scope: Construct, id: string, { name, manifest }: { name: string; manifest: ReleaseManifest }) {
    super(scope, id);
    const stringValue = writeManifest(manifest);
    if (stringValue.length > mostCharacters) throw new Error("SSM takes no manifest of so many functions");
    const description = "The commit of the release, and the hashes of its functions' builds";
    new StringParameter(this, "Parameter", { parameterName: name, stringValue, description });
  }
}
