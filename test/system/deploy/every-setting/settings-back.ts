import { expect, test } from "vitest";
import type { Stage } from "../../../../infra/stages/stage-shape.ts";
import { settingNames, stageShape } from "../../../../infra/stages/stage-shape.ts";
import { account, region } from "../emulator.ts";
import { readInvoices } from "./journey.ts";
import { deployRelease, type Place } from "./place.ts";

const qualifier = "harbour";
/** Each deploy may take as long as a test. */
const twoDeploysMs = 500_000;

/** Has vitest take away every setting that a stage may leave out, and set them again. */
export function testSettingsBack(place: Place): void {
  const total = async () => (await readInvoices(place.stage)).total;
  let before: string | null;

  test("every setting that may be left out is taken away, account, region, edge and backups among them", async () => {
    // Another table is a migration, with commands of its own.
    const taken = settingNames.filter((each) => "wrapped" in stageShape.entries[each] && each !== "tableName");
    expect(taken).toEqual(expect.arrayContaining(["account", "region", "edge", "backupKeptDays"]));
    const left = Object.entries(place.settings).filter(([each]) => !(taken as string[]).includes(each));
    const bare = { ...place, settings: Object.fromEntries(left) as Stage };
    before = await total();
    const { code, printed } = await deployRelease(bare, "restored", { without: "settings" });
    expect(code, printed).toBe(0);
  });

  test(
    "they are set again, under another bootstrap stack: no name is taken, and no version equals the one before",
    async () => {
      const stack = ["--qualifier", qualifier, "--toolkit-stack-name", `CDKToolkit-${qualifier}`];
      const bootstrap = ["bootstrap", `aws://${account}/${region}`, ...stack, "--app", place.aws.output("first")];
      expect(await place.aws.cdk(bootstrap)).toMatchObject({ code: 0 });
      const { code, printed } = await deployRelease(place, "restored", {
        "@aws-cdk/core:bootstrapQualifier": qualifier,
      });
      expect(code, printed).toBe(0);
      expect(await total()).toBe(before);
    },
    twoDeploysMs,
  );
}
