import { Stack } from "aws-cdk-lib";
import { RecordsTable } from "../../infra/constructs/stores/records-table.ts";
import { writeJsonFile } from "../../infra/support/json-file.ts";
import { createApp } from "../../infra/synthesize.ts";

// Synthesises the table alone: what it is made from seldom changes, and the whole stack takes seconds.
const [, , file = "", outdir = ""] = process.argv;
const app = createApp({ outdir, builtinCloudFormationValidation: false });
const stack = new Stack(app, "Table");
new RecordsTable(stack, "Records", { name: "records", removal: "delete", deletionProtection: false });
const { Resources } = app.synth().getStackArtifact(stack.artifactId).template as { Resources: object };
const [{ Properties }] = Object.values(Resources) as [{ Properties: object }];
writeJsonFile(file, Properties);
