import { join, relative } from "node:path";
import { root } from "../support/root.ts";
import { readArguments, runCommand, textOption, UsageError } from "./cli/command.ts";
import { buildClient, usualName } from "./client/package.ts";

const help = `npm run client [-- --name NAME]

Builds the package of the interface's client, for browsers and Node.js 20 or newer, into .local/client, and packs it there into
a .tgz file, which apps install: npm install PATH/FILE.tgz

  --name NAME   name of the package, with a scope where you have one: @acme/workforce (${usualName} without it,
                which follows from the name in package.json)
`;

if (import.meta.main) await runCommand((parameters) => client(parameters));

/** Runs the command and returns its exit code. */
export function client(parameters: string[]): number {
  const { values } = readArguments("client", help, { args: parameters, options: { name: textOption } });
  const { name = usualName } = values;
  if (!/^(?=.{1,214}$)(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(name)) {
    throw new UsageError(
      `"${name}" is no name of an npm package: lower case, such as @acme/workforce (npm run client -- --help)`,
    );
  }
  const { folder, packed, gzipped } = buildClient(join(root, ".local/client"), name);
  const place = relative(process.cwd(), folder) || ".";
  process.stdout.write(`${name}: ${place}, ${(gzipped / 1024).toFixed(1)} KB gzipped\n`);
  process.stdout.write(`npm install ${relative(process.cwd(), packed)}\n`);
  return 0;
}
