import * as v from "valibot";
import { type SettingForm, settingForms } from "./stage-forms.ts";
import { type Stage, StageRefusal } from "./stages.ts";

/** Refuses a stage with a wrong or missing setting, before anything is deployed that would fail later. */
export function requireDeployable(stage: Stage, credentialsRegion: string | undefined): void {
  const faults = [...faultsOf(stage), ...regionFaults(stage, credentialsRegion)];
  if (faults.length > 0) throw new StageRefusal(faults);
}

/** All that is wrong with the settings of a stage, one sentence each. */
export function faultsOf(stage: Stage): readonly string[] {
  const unknown = Object.keys(stage).filter((key) => !Object.hasOwn(settingForms, key));
  const removals = unknown.map(
    (key) => `Remove ${key} from the stage ${stage.name} in infra/stages/stages.ts: no setting has that name.`,
  );
  return [...Object.entries(settingForms).flatMap(([setting, form]) => faultOf(stage, setting, form)), ...removals];
}

function faultOf(stage: Stage, setting: string, form: SettingForm<never>): string[] {
  const value = Reflect.get(stage, setting) as never;
  const fault = (found: string) => [
    `Set ${setting} of the stage ${stage.name} in infra/stages/stages.ts to ${form.wanted}: ${found}.`,
  ];
  if (value === undefined) {
    const isOptional = typeof form.isOptional === "function" ? form.isOptional(stage) : form.isOptional;
    return isOptional ? [] : fault("it is missing");
  }
  if (!v.is(form.schema, value) || form.agrees?.(value, stage) === false)
    return fault(`it is ${JSON.stringify(value)}`);
  if (stage.removal !== "keep") return [];
  const placeholders = form.hosts?.(value).filter(isReserved) ?? [];
  return placeholders.length > 0 ? fault(`it has the placeholder ${placeholders.join(", ")}`) : [];
}

function regionFaults({ name, region }: Stage, credentialsRegion: string | undefined): string[] {
  if (region === undefined || credentialsRegion === undefined || region === credentialsRegion) return [];
  return [
    `Set AWS_REGION to ${region}, where the stage ${name} lives by infra/stages/stages.ts: it is ${credentialsRegion}.`,
  ];
}

/** Names that nobody can own (RFC 2606, RFC 6761): whoever wrote them meant them to be replaced. */
function isReserved(host: string): boolean {
  return /(?:^|\.)(?:example|test|invalid|localhost|example\.(?:com|org|net))$/i.test(host);
}
