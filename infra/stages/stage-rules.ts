import * as v from "valibot";
import { likelyNameOf } from "../../shared/nearest.ts";
import { serves } from "./gone-settings.ts";
import { stageRules } from "./setting-rules.ts";
import { isSetting, type Setting, type Stage, settingNames, stageShape, textOf } from "./stage-shape.ts";
import { deployedStages, StageRefusal, stagesFile } from "./stages.ts";

/** Region and account of credentials; undefined if not known yet. */
export interface DeployEnvironment {
  readonly region?: string | undefined;
  readonly account?: string | undefined;
}

/** Refuses a stage with a wrong or missing setting before a deploy that would fail later. */
export function requireDeployable(stage: Stage, credentials: DeployEnvironment): void {
  if (stage.name === "local") throw new StageRefusal(["The stage local is this machine's: it is not deployed."]);
  const faults = [
    ...faultsOf(stage),
    ...placeFaults(stage, credentials),
    ...identityFaults(stage),
    ...edgeFaults(stage),
  ];
  if (faults.length > 0) throw new StageRefusal(faults);
}

/** Refuses a stage with a wrong or missing setting. Placeholders are allowed. */
export function requireComplete(stage: Stage): void {
  const wrong = [...wrongSettings(stage)].map((name) => wrongSetting(stage, name));
  if (wrong.length > 0) throw new StageRefusal(wrong);
}

/** Every fault of a stage's settings, in one sentence each, placeholders included. */
export function faultsOf(stage: Stage): readonly string[] {
  const wrong = wrongSettings(stage);
  return [
    ...settingNames.flatMap((each) => (wrong.has(each) ? [wrongSetting(stage, each)] : placeholderFaults(stage, each))),
    ...Object.keys(stage)
      .filter((name) => !isSetting(name))
      .map((name) => unknownSetting(stage, name)),
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

function wrongSetting(stage: Stage, name: Setting): string {
  const value = stage[name];
  return wordFault(stage, name, value === undefined ? "it is missing" : `it is ${JSON.stringify(value)}`);
}

function unknownSetting({ name: stage }: Stage, name: string): string {
  const nearest = likelyNameOf(name, settingNames);
  const hint = nearest === undefined ? "." : `; did you mean ${nearest}?`;
  const reason = Object.hasOwn(serves, name) ? `${serves[name]}.` : `no setting has that name${hint}`;
  return `Remove ${name} from the stage ${stage} in ${stagesFile()}: ${reason}`;
}

function placeholderFaults(stage: Stage, name: Setting): string[] {
  if (stage.removal !== "keep") return [];
  const placeholders = textsIn(stage[name]).flatMap(hostsIn).filter(isReserved);
  return placeholders.length > 0 ? [wordFault(stage, name, `it has the placeholder ${placeholders.join(", ")}`)] : [];
}

function wordFault(stage: Stage, name: Setting, found: string): string {
  const rules = stageRules.filter(({ settings }) => settings.at(-1) === name);
  const wanted = [textOf(name).wanted, ...rules.map(({ words }) => words)].join(", ");
  return `Set ${name} of the stage ${stage.name} in ${stagesFile()} to ${wanted}: ${found}.`;
}

function placeFaults({ name, region, account }: Stage, credentials: DeployEnvironment): string[] {
  const where = `where the stage ${name} lives by ${stagesFile()}`;
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
function identityFaults(stage: Stage): string[] {
  const identity = ownIdentityOf(stage);
  const owners = stagesBeside(stage).filter((other) => ownIdentityOf(other) === identity);
  if (identity === undefined || owners.length === 0) return [];
  const names = owners.map(({ name }) => name).join(", ");
  const advice = `to "existing" in all but one of them, or name the account of each`;
  return [
    `Set senderIdentity of the stage ${stage.name} in ${stagesFile()} ${advice}: ${names} has SES verify ${identity}, too.`,
  ];
}

/** A stage that people depend on goes without an edge on purpose alone. */
function edgeFaults({ name, removal, edge }: Stage): string[] {
  if (removal !== "keep" || edge !== undefined) return [];
  const steps = `npx cdk deploy -c stage=${name} -c stack=firewall, a certificate in us-east-1 for the customDomain, and a deploy with the ARNs of both, whose printed target the domain's DNS record then names`;
  const risk = "without one, a single client can use up anonymousThrottle, and nobody else signs in";
  return [
    `Set edge of the stage ${name} in ${stagesFile()} to its firewall and certificate, or to "none". An edge takes three steps: ${steps}; ${risk}.`,
  ];
}

function isOther(own: string | undefined, its: string | undefined): boolean {
  return own !== undefined && its !== undefined && own !== its;
}

/** The other stages that may be in the same account and region. */
function stagesBeside({ name, account, region }: Stage): Stage[] {
  return deployedStages().filter(
    (each) => each.name !== name && !isOther(account, each.account) && !isOther(region, each.region),
  );
}

/** The identity that SES verifies for a stage. */
function ownIdentityOf({ senderAddress, senderIdentity }: Stage): string | undefined {
  if (senderIdentity === "existing") return undefined;
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
