import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { makeBundleFolders } from "../../../infra/functions/entries.ts";
import { faultsOf } from "../../../infra/stages/stage-rules.ts";
import { findStage, ownStages } from "../../../infra/stages/stages.ts";
import { root } from "../../../infra/support/root.ts";
import { addStack, createApp } from "../../../infra/synthesize.ts";
import { newFolder } from "../../support/service/new-folder.ts";

const folder = newFolder();
const timeout = 120_000;

test("cdk list shows the stacks that a stage can have, placeholders or not", { timeout }, () => {
  expect(cdk("list")).toEqual({ code: 0, out: "Workforce-dev\n", err: "" });
  expect(cdk("list", "-c", "stage=staging").out).toBe("Workforce-staging\nWorkforce-staging-firewall\n");
});

test("cdk synth of a stack that cannot be deployed yet fails with its sentences", { timeout }, () => {
  const { code, err } = cdk("synth", "--quiet", "Workforce-prod", "-c", "stage=prod");
  expect(code).toBe(1);
  const faults = faultsOf({ ...ownStages, stage: findStage("prod") });
  const said = [...err.matchAll(/^ERROR (.*) \(Annotation\)$/gm)].map(([, sentence]) => sentence);
  expect(said).toEqual([...faults, expect.stringMatching(/^Set edge of the stage prod /)]);
});

test("a stack that the stage does not have is refused with those that it has", { timeout }, () => {
  const own =
    "There is no stack Workforce-dev-firewall. Stacks of the stage dev: Workforce-dev (-c stage=NAME chooses another stage).\n";
  const alone = cdk("synth", "--quiet", "--exclusively", "Workforce-dev-firewall");
  expect([alone.code, alone.err]).toEqual([1, expect.stringContaining(own)]);
  // Without --exclusively the command does not name the stacks to the app.
  const usual = cdk("synth", "--quiet", "Workforce-prod-outside", "-c", "stage=prod");
  const listed = /^Stacks of the stage prod: Workforce-prod, Workforce-prod-firewall\nNo stacks match/;
  expect([usual.code, usual.err]).toEqual([1, expect.stringMatching(listed)]);
});

interface Role {
  readonly Properties: {
    readonly Policies: { readonly PolicyDocument: { readonly Statement: { Action: string | string[] }[] } }[];
  };
}

/** A right that no operation has. */
const more = "dynamodb:DescribeLimits";

test.each<[what: string, (role: Role) => void, code: number, said: string[]]>([
  ["has nothing of an equal template", () => {}, 0, ["There were no differences"]],
  ["has one right more of one function", widen, 1, ["IAM Statement Changes", "{list-invoices/Role}", more]],
  [
    "does not stop at rights that are taken away",
    ({ Properties }) => void Properties.Policies.splice(0),
    0,
    ["IAM Statement"],
  ],
])("what cdk deploy asks to approve %s", { timeout }, (_, change, code, said) => {
  const { requireApproval } = JSON.parse(readFileSync(join(root, "cdk.json"), "utf8"));
  const next = JSON.parse(deployed);
  const [, role] = Object.entries<Role>(next.Resources).find(([id]) => id.startsWith("listinvoicesRole")) ?? [];
  if (role) change(role);
  writeFileSync(templateFile, JSON.stringify(next));
  const found = cdk("diff", "--app", assembly, "--template", saved, "--fail-on", requireApproval);
  expect(found.code, found.err).toBe(code);
  for (const words of said) expect(found.err).toContain(words);
});

function widen({ Properties }: Role): void {
  const [statement] = Properties.Policies[0]?.PolicyDocument.Statement ?? [];
  if (statement) statement.Action = [...[statement.Action].flat(), more];
}

const assembly = join(folder, "assembly");
const saved = join(folder, "deployed.json");
let templateFile: string;
let deployed: string;

beforeAll(() => {
  const app = createApp({ outdir: assembly, builtinCloudFormationValidation: false });
  const stack = addStack(app, findStage("dev"), makeBundleFolders);
  app.synth();
  templateFile = join(assembly, stack.templateFile);
  deployed = readFileSync(templateFile, "utf8");
  writeFileSync(saved, deployed);
});

/** Runs the project's cdk command, without credentials. */
function cdk(...parameters: readonly string[]) {
  const output = parameters.includes("--app") ? [] : ["--output", join(folder, "cdk.out")];
  const programs = join(root, "node_modules/.bin");
  const { status, stdout, stderr } = spawnSync(join(programs, "cdk"), [...parameters, ...output, "--no-notices"], {
    cwd: root,
    encoding: "utf8",
    env: {
      PATH: [programs, process.env.PATH].join(delimiter),
      HOME: folder,
      NO_COLOR: "1",
      CDK_DISABLE_VERSION_CHECK: "true",
      CDK_VALIDATION: "false",
      AWS_EC2_METADATA_DISABLED: "true",
    },
  });
  return { code: status, out: stdout, err: stderr };
}
