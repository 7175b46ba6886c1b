import { describeInterface } from "../document/document.ts";
import { readArguments, runCommand } from "./cli/command.ts";

const help = `npm run -s openapi

Prints the OpenAPI document of the interface, which GET /api/v1/openapi.json answers.
`;

await runCommand((parameters) => {
  readArguments("openapi", help, { args: parameters });
  process.stdout.write(`${JSON.stringify(describeInterface(), null, 2)}\n`);
  return 0;
});
