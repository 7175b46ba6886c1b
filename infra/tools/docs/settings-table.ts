import { settingNames, textOf } from "../../stages/stage-shape.ts";
import { stages } from "../../stages/stages.ts";
import { tableOf } from "./marked-tables.ts";

/** Every setting of a stage, with its meaning and its value in the stages that come with the project. */
export function settingsTable(): string {
  const { local: _, ...shown } = stages;
  const rows = settingNames.map((name) => {
    const { meaning, otherwise } = textOf(name);
    return [`\`${name}\``, meaning, ...Object.values(shown).map((stage) => shownValue(stage[name] ?? otherwise))];
  });
  return tableOf(["setting", "meaning", ...Object.keys(shown)], rows);
}

function shownValue(value: unknown): string {
  if (value === undefined) return "–";
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  return (
    Object.entries(value)
      .map(([key, each]) => `${key} ${each}`)
      .join(", ") || "–"
  );
}
