import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { installGateTools } from "../../gates/install.ts";

/** Installs AWS's runtime client for Node; gives its program. Nothing is compiled: `native-client.cjs` is its native part. */
export async function installRuntimeClient(): Promise<string> {
  const client = join(await installGateTools(), "aws-lambda-ric");
  writeFileSync(join(client, "rapid-client.node"), "");
  return join(client, "index.mjs");
}
