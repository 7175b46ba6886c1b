import * as v from "valibot";
import { likelyNameOf } from "../../shared/run/nearest.ts";
import { serves } from "./gone-settings.ts";
import { namesOf } from "./names.ts";
import { stageRules } from "./setting-rules.ts";
import { isSetting, type Setting, type Stage, settingNames, settingTextOf, stageShape } from "./stage-shape.ts";
import { type ChosenStage, StageRefusal } from "./stages.ts";

/** Region and account of credentials; undefined if not known yet. */
export interface DeployEnvironment {
  readonly region?: string | undefined;
  readonly account?: string | undefined;
}

/** A stage, and the file that messages name. */
type FoundStage = Pick<ChosenStage, "stage" | "file">;

/** Every reason why a deploy of a stage would fail later, in one sentence each: a wrong or missing setting, or another place. */
export function deployFaults(chosen: ChosenStage, credentials: DeployEnvironment): readonly string[] {
  return [...faultsOf(chosen), ...placeFaults(chosen, credentials), ...identityFaults(chosen), ...edgeFaults(chosen)];
}

/** Whether stacks can be named after a stage of that name. */
export function isStageName(name: string): boolean {
  return v.is(stageShape.entries.name, name);
}

/** Refuses a stage with a wrong or missing setting. Placeholders are allowed. */
export function requireComplete(found: FoundStage): void {
  const wrong = [...wrongSettings(found.stage)].map((name) => wrongSetting(found, name));
  if (wrong.length > 0) throw new StageRefusal(wrong);
}

/** Every fault of a stage's settings, in one sentence each, placeholders included. */
export function faultsOf(found: FoundStage): readonly string[] {
  const wrong = wrongSettings(found.stage);
  return [
    ...settingNames.flatMap((each) => (wrong.has(each) ? [wrongSetting(found, each)] : placeholderFaults(found, each))),
    ...Object.keys(found.stage)
      .filter((name) => !isSetting(name))
      .map((name) => unknownSetting(found, name)),
  ];
}

function wrongSettings(stage: Stage): ReadonlySet<Setting> {
  const { issues = [] } = v.safeParse(stageShape, stage);
  const wrong = new Set(issues.flatMap(({ path }) => (path ? [path[0].key as Setting] : [])));
  const broken = stageRules.filter(({ settings, holds }) => !settings.some((each) => wrong.has(each)) && !holds(stage));
  const missing = broken.flatMap(({ settings }) => settings.at(-1) ?? []).filter((name) => stage[name] === undefined);
  // A rule on another setting that is missing is judged once that one is there.
  const own = broken.filter(({ settings }) => !settings.slice(0, -1).some((each) => missing.includes(each)));
  return new Set([...wrong, ...own.flatMap(({ settings }) => settings.at(-1) ?? [])]);
}

function wrongSetting(found: FoundStage, name: Setting): string {
  const value = found.stage[name];
  return wordFault(found, name, value === undefined ? "it is missing" : `it is ${JSON.stringify(value)}`);
}

function unknownSetting({ stage, file }: FoundStage, name: string): string {
  const nearest = likelyNameOf(name, settingNames);
  const hint = nearest === undefined ? "." : `; did you mean ${nearest}?`;
  const reason = Object.hasOwn(serves, name) ? `${serves[name]}.` : `no setting has that name${hint}`;
  return `Remove ${name} from the stage ${stage.name} in ${file}: ${reason}`;
}

function placeholderFaults(found: FoundStage, name: Setting): string[] {
  const { stage } = found;
  if (stage.removal !== "keep") return [];
  const placeholders = textsIn(stage[name]).flatMap(hostsIn).filter(isReserved);
  return placeholders.length > 0 ? [wordFault(found, name, `it has the placeholder ${placeholders.join(", ")}`)] : [];
}

function wordFault({ stage, file }: FoundStage, name: Setting, why: string): string {
  const rules = stageRules.filter(({ settings }) => settings.at(-1) === name);
  const wanted = [settingTextOf(name).wanted, ...rules.map(({ words }) => words)].join(", ");
  return `Set ${name} of the stage ${stage.name} in ${file} to ${wanted}: ${why}.`;
}

function placeFaults({ stage, file }: FoundStage, credentials: DeployEnvironment): string[] {
  const { name, region, account } = stage;
  const where = `where the stage ${name} lives by ${file}`;
  return [
    ...(isOther(region, credentials.region)
      ? [`Set AWS_REGION to ${region}, ${where}: it is ${credentials.region}.`]
      : []),
    ...(isOther(account, credentials.account)
      ? [`Use credentials (AWS_PROFILE) of the account ${account}, ${where}: yours are of ${credentials.account}.`]
      : []),
  ];
}

/**
 * An account has an identity of SES once in a region. A second stack that creates it fails, and deleting either stack
 * deletes it for both.
 */
function identityFaults(chosen: ChosenStage): string[] {
  const { stage, file } = chosen;
  const identity = ownIdentityOf(stage);
  const owners = stagesBeside(chosen).filter((other) => ownIdentityOf(other) === identity);
  if (identity === undefined || owners.length === 0) return [];
  const names = owners.map(({ name }) => name).join(", ");
  const advice = `to "existing" in all but one of them, or name the account of each`;
  return [
    `Set senderIdentity of the stage ${stage.name} in ${file} ${advice}: ${names} has SES verify ${identity}, too.`,
  ];
}

/** A stage that people depend on goes without an edge on purpose alone. */
function edgeFaults({ stage: { name, removal, edge }, file }: FoundStage): string[] {
  if (removal !== "keep" || edge !== undefined) return [];
  const steps = `npx cdk deploy ${namesOf(name).firewall} -c stage=${name}, a certificate in us-east-1 for the customDomain, and a deploy with the ARNs of both, whose printed target the domain's DNS record then names`;
  const risk = "without one, a single client can use up anonymousThrottle, and nobody else signs in";
  return [
    `Set edge of the stage ${name} in ${file} to its firewall and certificate, or to "none". An edge takes three steps: ${steps}; ${risk}.`,
  ];
}

function isOther(own: string | undefined, its: string | undefined): boolean {
  return own !== undefined && its !== undefined && own !== its;
}

/** The other stages that may be in the same account and region. */
function stagesBeside({ stage: { name, account, region }, byName }: ChosenStage): Stage[] {
  return Object.values(byName).filter(
    (each) => ![name, "local"].includes(each.name) && !isOther(account, each.account) && !isOther(region, each.region),
  );
}

/** The identity that SES verifies for a stage, whose settings may be wrong. */
function ownIdentityOf({ senderAddress, senderIdentity }: Stage): string | undefined {
  if (senderIdentity === "existing" || typeof senderAddress !== "string") return undefined;
  return senderIdentity === "domain" ? hostOf(senderAddress) : senderAddress;
}

function textsIn(value: unknown): string[] {
  return typeof value === "string" ? [value] : Object.values(value ?? {}).flatMap(textsIn);
}

/** The host in a web or e-mail address, or a name with a dot; none in another word. */
function hostsIn(text: string): string[] {
  return /[.:]/.test(text) ? [hostOf(text)] : [];
}

/** The host of a web address, an e-mail address or a name. */
export function hostOf(place: string): string {
  return URL.parse(place)?.hostname ?? place.slice(place.lastIndexOf("@") + 1);
}

/** Names that nobody can own (RFC 2606, RFC 6761): placeholders to replace. */
export function isReserved(host: string): boolean {
  return /(?:^|\.)(?:example|test|invalid|localhost|example\.(?:com|org|net))$/i.test(host);
}
