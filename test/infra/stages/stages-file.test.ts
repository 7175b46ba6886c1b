import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deployFaults, faultsOf } from "../../../infra/stages/stage-rules.ts";
import { chooseStage, findStage, readStages } from "../../../infra/stages/stages.ts";
import { root } from "../../../infra/support/root.ts";
import { readStage } from "../../../infra/tools/service/deployed-stage.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { ownedStage } from "./owned-stage.ts";

const directory = newFolder();
const live = { ...ownedStage("prod"), name: "live", region: "eu-west-2" };
const dev = findStage("dev");
const saysNoObject = (file: string) =>
  `The stages in ${file} cannot be read: its default export is no object with stages by name`;
const stagesModule = JSON.stringify(join(root, "infra/stages/stages.ts"));

test.each([
  ["stages.json", JSON.stringify({ live })],
  ["stages.mjs", `export default ${JSON.stringify({ live })};`],
  ["stages.ts", `const stages: object = ${JSON.stringify({ live })};\nexport default stages;`],
])("a file %s outside the checkout has stages of its own", (name, content) => {
  const stages = writeFile(name, content);
  const chosen = chooseStage("live", readStages(stages));
  expect(chosen.stage).toEqual(live);
  expect(readStage({ stage: "live", stages })).toEqual(chosen);
  expect(deployFaults(chosen, { region: "eu-west-2" })).toEqual([]);
});

test("a file may build on the stages that come with the project, and leave the name to the key", () => {
  const file = writeFile(
    "built.ts",
    `import { stages } from ${stagesModule};\nconst { name, ...rest } = stages.dev;\nexport default { ours: rest };`,
  );
  expect(chooseStage("ours", readStages(file)).stage).toEqual({ ...dev, name: "ours" });
});

test("the sentences about a stage name its file", () => {
  const file = writeFile("wrong.json", JSON.stringify({ live: { ...live, tracing: "no", origin: [] } }));
  const faults = [
    `Set tracing of the stage live in ${file} to true or false: it is "no".`,
    `Remove origin from the stage live in ${file}: no setting has that name; did you mean origins?`,
  ];
  const chosen = chooseStage("live", readStages(file));
  expect(faultsOf(chosen)).toEqual(faults);
  expect(() => readStage({ stage: "live", stages: file })).toThrow(faults[0]);
  expect(deployFaults(chosen, {})).toEqual(faults);
});

test.each<[string, string | undefined, (file: string) => string]>([
  [
    "a stage that it lacks",
    JSON.stringify({ live }),
    (file) => `There is no stage "dev" in ${file}; the stages are live.`,
  ],
  ["no file", undefined, (file) => `There is no file ${file} with stages.`],
  ["bad JSON", "{", (file) => `The stages in ${file} cannot be read: `],
  ["no object", "null", saysNoObject],
  ["a number", "7", saysNoObject],
  ["a list", JSON.stringify([live]), saysNoObject],
  [
    "a stage that is none",
    JSON.stringify({ live, dev: null }),
    (file) => `The stages in ${file} cannot be read: its dev is no object with settings by name`,
  ],
  [
    "another name",
    JSON.stringify({ dev: live }),
    (file) => `Set name of the stage dev in ${file} to dev: it is "live".`,
  ],
])("%s is refused in one sentence", (what, content, sentence) => {
  const file = writeFile(`${what.replaceAll(" ", "-")}.json`, content);
  const choosing = () => chooseStage("dev", readStages(file));
  expect(choosing).toThrow(sentence(file));
  const inOne = { message: expect.not.stringContaining("\n") };
  expect(choosing).toThrow(expect.objectContaining(inOne));
});

test("two stages that have SES verify the same domain are refused, unless accounts or regions set them apart", () => {
  const { region: _, ...anywhere } = live;
  const other = { ...anywhere, name: "trial" };
  const domain = anywhere.senderAddress.split("@")[1];
  const deployTrial = (file: string, mine: object, its: object) => {
    const byName = { live: { ...anywhere, ...its }, trial: { ...other, ...mine } };
    return deployFaults(chooseStage("trial", { file, byName }), {});
  };
  expect(deployTrial("twice.json", {}, {})).toEqual([
    `Set senderIdentity of the stage trial in twice.json to "existing" in all but one of them, or name the account of each: live has SES verify ${domain}, too.`,
  ]);
  for (const [mine = {}, its = {}] of [
    [{ account: "111122223333" }, { account: "444455556666" }],
    [{ region: "eu-west-1" }, { region: "eu-west-2" }],
    [{ senderIdentity: "existing" }, {}],
    [{ senderIdentity: "existing" }, { senderIdentity: "existing" }],
    [{ senderIdentity: "address", senderAddress: `other@${domain}` }, { senderIdentity: "address" }],
    [{}, { senderAddress: 7 }],
  ]) {
    expect(deployTrial("apart.json", mine, its)).toEqual([]);
  }
});

/** Makes a file of stages; without content there is none. */
function writeFile(name: string, content: string | undefined): string {
  const file = join(directory, name);
  if (content !== undefined) writeFileSync(file, content);
  return file;
}
