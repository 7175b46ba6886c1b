import { type MarkedTables, tableOf } from "../marked-tables.ts";
import { type DeployedStage, deployedTables } from "./deployed-figures.ts";
import { type Constant, readConstants } from "./source-constants.ts";
import { withUnit } from "./units.ts";

/** The page of figures: what a stage deploys, and what the code and the tools wait for. */
export const figuresPage = "infra/FIGURES.md";

/** Sources whose numbers are no figures of the service, each with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  "infra/constructs/": "the tables of what is deployed have them",
  "infra/functions/": "the tables of what is deployed have them",
  "infra/workforce-stack.ts": "the tables of what is deployed have the times of schedules",
  "infra/stages/stages.ts": "infra/README.md has the settings of each stage",
  "infra/tools/docs/": "names of units",
  "infra/local/": "only the developer of the machine waits for it",
  "shared/openapi/": "examples",
  "shared/contract/texts/": "examples",
  "shared/contract/outbound-events.ts": "versions of events",
};

/** The tables of the page: a stage that has everything, and the sources' constants. */
export function figureTables(root: string, whole: DeployedStage): MarkedTables {
  return {
    deployed: deployedTables(whole),
    constants: constantTables(sourceFigures(root)),
  };
}

/** The figures that stand in the sources. */
export function sourceFigures(root: string): Constant[] {
  return readConstants(root, ["functions", "infra", "shared"], Object.keys(leftOut));
}

/** Whether a constant converts units of time: it is no figure. */
export function isConversion(name: string): boolean {
  return /(?:^|\.)ms(?:Of|Per[A-Z])/.test(name);
}

/** A table for each top folder. */
function constantTables(constants: readonly Constant[]): string {
  const figures = constants.filter(({ name }) => !isConversion(name));
  const folders = Map.groupBy(figures, ({ file }) => file.slice(0, file.indexOf("/")));
  const tables = [...folders].map(([folder, each]) => {
    const rows = each.map(({ file, name, values, reason }) => [
      `${file.slice(folder.length + 1)} ${name}`,
      Object.entries(values)
        .map(([key, value]) => `${key} ${typeof value === "string" ? value : shown(value, key, name)}`.trim())
        .join("; "),
      reason.replaceAll("|", "\\|"),
    ]);
    return `### ${folder}\n\n${tableOf(["", "figure", "reason"], rows)}`;
  });
  return tables.join("\n\n");
}

function shown(value: number | readonly number[], ...names: string[]): string {
  return [value]
    .flat()
    .map((each) => withUnit(each, ...names))
    .join(", ");
}
